"""The benchmark of the value guard: what it draws, what it counts, how it measures growth."""

import gzip
import json
import re
from pathlib import Path

import pytest

from benchmarks.chance import seeded
from benchmarks.corpus import Place, places, read_places, split
from benchmarks.derivations import WANTED as DERIVED
from benchmarks.derivations import derivations
from benchmarks.guard import (
    Tried,
    objection,
    open_guard,
    share,
    summary,
    try_derived,
    try_mutated,
    try_renotated,
    write_examples,
)
from benchmarks.guard_time import Size, calls, exponent, growth, measure
from benchmarks.trials import draw, set_into
from gatekeeper.errors import InputError

TEXT = (
    "The hall was opened on 28 May 1999. It seats 340 people and cost $2 million. "
    "Is it open today? The walk takes 20 minutes."
)


def _place(sentence: str = "The hall seats 340 people in all.") -> Place:
    return Place(sentence=sentence, before=("It is old.",), after=("It is red.",), source="s")


def _tried(way: str, reason: str, *, generated: bool = False) -> Tried:
    return Tried(
        kind="number", way=way, sort="digit", generated=generated,
        evidence="Ten came.", claim="Nine came.", reason=reason,
    )  # fmt: skip


def _data(folder: Path) -> Path:
    rows = [
        {"premise": TEXT, "hypothesis": "h", "label": "neutral", "source": "fever_train"},
        {"premise": "It has 7 rows.", "hypothesis": "h", "label": "neutral", "source": "infotabs"},
    ]
    with gzip.open(folder / "nli_train.jsonl.gz", "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)
    return folder


def test_sentences_come_with_their_neighbours() -> None:
    """Distractors are of the same text; questions are no claims but may stand beside one."""
    found = list(places(TEXT, "s"))

    assert [place.sentence[:8] for place in found] == ["The hall", "It seats", "The walk"]
    assert found[0].before == ()
    assert found[2].before[-1] == "Is it open today?"
    assert found[1].evidence("X.").startswith("The hall was opened on 28 May 1999. X.")


def test_text_is_not_cut_behind_abbreviations_or_item_numbers() -> None:
    """Half a sentence as evidence would make the guard look better or worse than it is."""
    assert split("Dr. Finch came. 4. No copies. He left.") == [
        "Dr. Finch came. 4. No copies.", "He left.",
    ]  # fmt: skip


def test_made_up_sets_are_left_out(tmp_path: Path) -> None:
    """Templates are no real sentences."""
    assert {place.source for place in read_places(_data(tmp_path))} == {"fever_train"}


def test_folder_without_data_is_an_error(tmp_path: Path) -> None:
    """A benchmark of nothing must not write figures."""
    with pytest.raises(InputError, match="a data folder"):
        read_places(tmp_path)


def test_draw_is_the_same_by_seed(tmp_path: Path) -> None:
    """Figures of two guards can be compared only over the same trials."""
    found = read_places(_data(tmp_path))
    wanted = {"number": 1, "date": 1, "duration": 1, "currency": 1, "url": 2}

    one, two = draw(found, wanted, seed=3), draw(found, wanted, seed=3)

    assert one == two
    assert [len(trials.mutated) for trials in one.values()] == [1, 1, 1, 1, 2]
    assert {trial.generated for trial in one["url"].mutated} == {True}
    assert {trial.generated for trial in one["date"].mutated} == {False}
    for trials in one.values():
        for trial in trials.mutated:
            assert trial.claim != trial.place.sentence


def test_made_up_value_stands_in_evidence_and_claim() -> None:
    """It is evidence first; a sentence that has a value of the kind takes no second one."""
    made = set_into(_place(), "url", seeded(0))

    assert made is not None
    longer, spot = made
    assert longer.sentence[spot.start : spot.end] == spot.text
    assert longer.sentence.startswith("The hall seats 340 people in all")
    assert set_into(longer, "url", seeded(0)) is None


def test_changed_value_is_refused_and_the_others_are_not(tmp_path: Path) -> None:
    """The three ways a sentence is tried, on values that the guard has always known."""
    drawn = draw(read_places(_data(tmp_path)), {"date": 1, "duration": 1}, seed=0)

    tried = []
    for trials in drawn.values():
        tried += [one for trial in trials.mutated for one in try_mutated(trial)]
        tried += [try_renotated(trial) for trial in trials.renotated]

    assert [item.way for item in tried] == ["mutated", "unmutated", "renotated"] * 2
    assert [item.is_wrong for item in tried] == [False] * 6


def test_guard_alone_names_value_and_passage() -> None:
    """No model is asked: the reason is the guard's."""
    guard = open_guard(["The hall seats 340 people.", "The hut seats 12 people."])

    assert "'430'" in objection(guard, "The hall seats 430 people.")
    assert objection(guard, "The hall seats 340 people.") == ""
    assert objection(guard, "Thank you!") == ""


def test_code_is_tried_letter_by_letter() -> None:
    """A command in a fence is a claim as well."""
    guard = open_guard(["Run `purge --keep 5` now."])

    assert objection(guard, "```\npurge --keep 5\n```") == ""
    assert objection(guard, "```\npurge --keep 50\n```")


@pytest.mark.parametrize(
    ("count", "n", "low", "high"),
    [(0, 10, 0.0, 27.75), (5, 10, 23.66, 76.34), (10, 10, 72.25, 100.0)],
)
def test_interval_is_wilsons(count: int, n: int, low: float, high: float) -> None:
    """Against published values; a share of 0 or 1 has an interval too."""
    found = share(count, n)

    assert (found["low"], found["high"]) == (low, high)


def test_made_up_values_are_counted_apart() -> None:
    """A kind with few real values must not look well covered."""
    found = summary(
        [
            _tried("mutated", "differs"),
            _tried("mutated", "", generated=True),
            _tried("unmutated", ""),
            _tried("renotated", "absent"),
        ]
    )["number"]

    assert isinstance(found, dict)
    assert found["all"]["caught"]["percent"] == 50.0
    assert found["real"]["caught"]["percent"] == 100.0
    assert found["made_up"]["caught"]["percent"] == 0.0
    assert found["real"]["false_alarms"]["count"] == 0
    assert found["real"]["false_alarms_renotated"]["count"] == 1
    assert found["all"]["caught_by_sort"] == {"digit": {"n": 2, "count": 1}}


def test_only_what_went_wrong_is_written(tmp_path: Path) -> None:
    """Misses and false alarms, with the texts that a person needs to see."""
    path = tmp_path / "examples.jsonl"

    write_examples(
        path,
        [
            _tried("mutated", ""),
            _tried("mutated", "x"),
            _tried("renotated", "x"),
            _tried("derived", ""),
        ],
    )

    assert [json.loads(line)["way"] for line in path.read_text().splitlines()] == [
        "mutated", "renotated",
    ]  # fmt: skip


def test_derived_claims_are_500_and_the_same_by_seed() -> None:
    """The number is promised, and a false flag must be found again."""
    numbers = [3, 12, 75, 140, 999, 2500]

    made = derivations(numbers, seed=1)

    assert len(made) == sum(DERIVED.values()) == 500
    assert made == derivations(numbers, seed=1)
    assert made != derivations(numbers, seed=2)
    assert {one.rule for one in made} == set(DERIVED)


def test_sums_and_shares_are_right() -> None:
    """A wrong sum in a template would count against the guard."""
    for one in derivations([3, 12, 75, 140, 999, 2500], seed=0):
        texts = " ".join(one.passages)
        if one.rule == "share" and "Half of" in one.claim:
            part, whole = (int(n.replace(",", "")) for n in _digits(texts)[1::-1])
            assert 2 * part == whole
        if one.rule == "sum" and "Delivery" in texts:
            first, second = map(float, _digits(texts))
            (total,) = map(float, _digits(one.claim))
            assert round(first + second, 2) == total


def _digits(text: str) -> list[str]:
    return [match.replace(",", "") for match in re.findall(r"\d[\d,]*(?:\.\d+)?", text)]


def test_derived_claims_are_tried_right_and_wrong() -> None:
    """That nothing right is refused is worth little if nothing wrong is either."""
    numbers = [3, 12, 75, 140, 999, 2500]
    made = derivations(numbers, {"sum": 4, "difference": 4, "bound": 4}, seed=0)

    tried = try_derived(made, seed=0)

    right = [item for item in tried if item.way == "derived"]
    wrong = [item for item in tried if item.way == "mutated"]
    assert [item.claim for item in right] == [one.claim for one in made]
    assert {item.kind for item in wrong} == {"sum", "difference"}
    assert all(one.claim not in {item.claim for item in right if item.evidence == one.evidence}
               for one in wrong)  # fmt: skip


def test_exponent_is_the_power_of_growth() -> None:
    """1 where cost is linear, 2 where it is quadratic."""
    assert exponent([1, 10, 100], [5, 50, 500]) == 1.0
    assert exponent([2, 4, 8], [4, 16, 64]) == 2.0


def test_growth_is_fitted_past_fixed_cost() -> None:
    """On small inputs fixed cost hides how cost grows."""
    costs = [
        measure(
            Size(size=n, evidence="The hall seats 340 people. " * n, answer="It seats 340."),
            open_guard,
            objection,
        )
        for n in (1, 20, 40)
    ]

    found = growth(costs, 20)

    rows = found["rows"]
    assert isinstance(rows, list)
    assert [row["size"] for row in rows] == [1, 20, 40]
    assert found["calls_by_doubling"] == [found["exponent_of_calls"]]


def test_calls_are_counted_whatever_the_machine_does() -> None:
    """Work that can be counted is not a matter of who else is at work."""
    assert calls(lambda: [abs(n) for n in range(50)]) == calls(lambda: [abs(n) for n in range(50)])
    assert (
        calls(lambda: [abs(n) for n in range(100)]) - calls(lambda: [abs(n) for n in range(50)])
        == 50
    )
