"""Labels by spreadsheet: what goes out is blind and harmless, what comes in is checked."""

import csv
import io
from dataclasses import replace

import pytest

from gatekeeper.outcomes.exchange import FILLED, SHOWN, read_labels, write_items
from gatekeeper.outcomes.labels import Label
from gatekeeper.outcomes.records import Texts
from gatekeeper.outcomes.review import Item
from gatekeeper.outcomes.words import Harm, Truth
from tests.outcomes.made import NOON, NOON_MS, PASSAGES, ROUTE

TEXTS = Texts(answers=('Cups are red,\nsaid "Ann".',), question="Which?", passages=PASSAGES)
ITEM = Item(decision="d1", route=ROUTE, at_ms=NOON_MS, seen_ms=NOON_MS, texts=TEXTS)


def table(*rows: str, head: str = "decision,seen,truth") -> str:
    """Return a table with a row each."""
    return "\n".join([head, *rows])


def test_table_goes_out_and_comes_back() -> None:
    """A row that is filled in is a label on the decision it was made from."""
    [row] = csv.DictReader(io.StringIO(write_items([ITEM])))
    row |= {"truth": "Wrong", "source_wrong": "yes", "harm": "harmless", "missed": "3-9; 20-30"}
    out = io.StringIO()
    writer = csv.DictWriter(out, row)
    writer.writeheader()
    writer.writerow(row)

    found = read_labels(out.getvalue(), reviewer="ann")

    assert found.faults == ()
    assert found.labels == (
        Label(
            decision="d1",
            reviewer="ann",
            truth=Truth.WRONG,
            seen_ms=NOON_MS,
            source_wrong=True,
            harm=Harm.HARMLESS,
            missed=((3, 9), (20, 30)),
        ),
    )


def test_table_shows_words_and_no_verdict() -> None:
    """Who labels reads answer and passages, and nothing of what the gate thought."""
    [row] = csv.DictReader(io.StringIO(write_items([ITEM])))

    assert tuple(row) == (*SHOWN, *FILLED)
    assert row["answer"] == TEXTS.answers[0]
    assert row["passages"] == "[a] Refunds take 14 days.\n\n[b] Cups are blue."
    assert row["seen"] == NOON.isoformat()


def test_without_stored_texts_the_id_is_all() -> None:
    """The reviewer finds the answer elsewhere."""
    [row] = csv.DictReader(io.StringIO(write_items([replace(ITEM, texts=None)])))

    assert (row["decision"], row["answer"], row["passages"]) == ("d1", "", "")


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t"])
def test_answer_is_no_formula(start: str) -> None:
    """A spreadsheet computes what begins so, and an answer is a stranger's text."""
    texts = replace(TEXTS, answers=(f'{start}HYPERLINK("http://x","y")',))
    [row] = csv.DictReader(io.StringIO(write_items([replace(ITEM, texts=texts)])))

    assert row["answer"].startswith(f"'{start}")


def test_rows_left_open_are_no_labels() -> None:
    """Nobody has to finish a table."""
    found = read_labels(
        table("d1,2024-05-08T12:00:00+00:00,", "d2,2024-05-08,correct"), reviewer="a"
    )

    assert found.blank == 1
    assert [label.decision for label in found.labels] == ["d2"]


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        (
            "d1,2024-05-08,maybe",
            "line 2: truth: found 'maybe', expected wrong, correct, cannot_tell",
        ),
        ("d1,yesterday,wrong", "line 2: seen: found 'yesterday', expected it as it was exported"),
    ],
)
def test_fault_names_its_line(row: str, fault: str) -> None:
    """Of a hundred rows one is found by its number, and the others count."""
    found = read_labels(table(row, "d2,2024-05-08,can't tell"), reviewer="ann")

    assert found.faults == (fault,)
    assert [label.truth for label in found.labels] == [Truth.CANNOT_TELL]


@pytest.mark.parametrize(
    ("cells", "fault"),
    [
        ("maybe,,,", "line 2: source_wrong: found 'maybe', expected yes or no"),
        (",bad,,", "line 2: harm: found 'bad', expected harmful, harmless, cannot_tell"),
        (",,3,", "line 2: missed: found '3', expected START-END, characters from 0"),
        (f",,,{'x' * 2_001}", "line 2: note: found 2,001 characters, expected at most 2,000"),
        (",,9-3,", "line 2: missed: found 9-3, expected START-END with an end behind its start"),
        (f",,{'7' * 900},", "line 2: missed: found '77777777777777777...777777777777777777', "),
    ],
)
def test_every_column_is_checked(cells: str, fault: str) -> None:
    """A label that is half understood is none."""
    head = "decision,seen,truth,source_wrong,harm,missed,note"

    found = read_labels(table(f"d1,2024-05-08,wrong,{cells}", head=head), reviewer="ann")

    assert found.labels == ()
    [told] = found.faults
    assert fault in told


def test_labels_have_their_lines() -> None:
    """What the store refuses later is found in the table by the same number."""
    rows = ("d1,2024-05-08,wrong", "d2,2024-05-08,", 'd3,"2024-05-08\n",correct')

    found = read_labels(table(*rows), reviewer="ann")

    assert [
        (label.decision, line) for label, line in zip(found.labels, found.lines, strict=True)
    ] == [
        ("d1", 2),
        ("d3", 5),
    ]


def test_harm_of_a_right_answer_says_what_to_do() -> None:
    """The column is left empty; both words are shown."""
    found = read_labels(
        table("d1,2024-05-08,correct,harmful", head="decision,seen,truth,harm"), reviewer="ann"
    )

    [fault] = found.faults
    assert fault.startswith("line 2: harm: found 'harmful' on truth 'correct', expected none:")
    assert fault.endswith("leave harm empty unless truth is 'wrong'")


@pytest.mark.parametrize("text", ["", "id,truth\nd1,wrong", "decision\0"])
def test_other_tables_are_refused(text: str) -> None:
    """A file that is none of ours changes nothing."""
    found = read_labels(text, reviewer="ann")

    assert found.labels == ()
    assert found.faults[0].startswith("line 1: found no column")
