"""``gatekeeper calibrate``: labelled answers in; a file with a promise out, or why not."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from gatekeeper.cli import main
from gatekeeper.cli.gates import Opened
from gatekeeper.core.aggregate import Thresholds
from gatekeeper.evaluation.calibration import Fit, read_calibration
from gatekeeper.gate import Gate, Settings
from gatekeeper.protocols import PairScore
from gatekeeper.testing import FakeJudge, FakeModel

# Each colour has its support, from 0.05 to 0.95.
COLOURS = "grey pink teal gold rust plum mint navy lime jade".split()


def by_colour(premise: str, hypothesis: str) -> PairScore:
    """Support a claim by the colour that it ends in; black breaks the run off."""
    word = hypothesis.rstrip(".").split()[-1]
    if word == "black":
        raise KeyboardInterrupt
    return PairScore(entailment=COLOURS.index(word) / 10 + 0.05, contradiction=0.0)


class Desk:
    """Runs the command in a folder, over a fake model."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self.out = folder / "calibration.json"
        self._capsys = capsys
        self.tested: list[bool] = []
        self.judge = FakeJudge(FakeModel(by_colour))
        self.shown = ""
        self.told = ""

    def open(self, model: Path | None, *, tested: bool, calibration: Path | None = None) -> Opened:
        """Open a gate over the fake model."""
        self.tested.append(tested)
        fake = FakeModel(by_colour)
        self.judge = FakeJudge(fake)
        marks = Thresholds(support=0.5, contradiction=0.9)
        return Opened(gate=Gate(fake, self.judge, Settings(thresholds=marks)), fit=Fit.OWN)

    def rows(self, correct: Sequence[int], wrong: Sequence[int], *more: object) -> None:
        """Write labelled answers by the tenth that their support lies in."""
        lines = [
            {
                "id": f"{label}{n}",
                "context": "The lamp is here.",
                "label": label,
                "answer": f"The lamp is {COLOURS[score]}.",
            }
            for label, scores in (("supported", correct), ("unsupported", wrong))
            for n, score in enumerate(scores)
        ]
        texts = [item if isinstance(item, str) else json.dumps(item) for item in (*lines, *more)]
        (self.folder / "rows.jsonl").write_text("\n".join(texts))

    def __call__(self, *options: str) -> int:
        """Run the command and keep what it printed."""
        arguments = ["calibrate", str(self.folder / "rows.jsonl"), *options, "-o", str(self.out)]
        code = main(arguments, open_gate=self.open)
        self.shown, self.told = self._capsys.readouterr()
        return code


@pytest.fixture
def desk(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Desk:
    """Give each test a folder and the command."""
    return Desk(tmp_path, capsys)


FALSE_BLOCK = ("--max-false-block", "0.1")
ERROR = ("--max-accepted-error", "0.3", "--min-accepted", "0.3", "--confidence", "0.9")


def test_file_is_written_with_its_promise(desk: Desk) -> None:
    """58 of 59 correct answers score 0.65, all wrong ones 0.25: everything wrong is blocked."""
    desk.rows([6] * 58 + [1], [2] * 20)

    assert desk(*FALSE_BLOCK) == 0

    written = read_calibration(desk.out)
    assert (written.source, written.support_threshold) == ("own", 0.65)
    assert written.contradiction_threshold == 0.9
    assert written.guarantee is not None
    assert (written.guarantee.n, written.guarantee.target) == (59, 0.1)
    assert written.sets.keys() == {"rows.jsonl"}
    assert written.created is not None
    assert desk.tested == [True]
    assert desk.judge.is_closed


def test_people_are_told_what_was_counted(desk: Desk) -> None:
    """Rows, floor, threshold and bounds on standard output, progress on standard error."""
    greeting = {"id": "g", "context": "The lamp.", "answer": "Hello!", "label": "supported"}
    desk.rows([6] * 58 + [1], [2] * 20, greeting, {**greeting, "id": "u", "label": None})

    desk(*FALSE_BLOCK)

    for line in (
        "rows 81, labelled 80, counted 79",
        "  correct 59, wrong 20",
        "  left out: NO_CLAIMS 1",
        "target: false-block rate at most 10 %, with 95 % confidence",
        "contradiction threshold 0.9, fixed beforehand and not searched",
        "floor, t = 0: findings alone block",
        "  correct answers blocked: 0 of 59, 0 %",
        "threshold 0.65",
        "  correct answers blocked: 1 of 59, 1.694915 %",
        "  wrong answers blocked: 20 of 20, 100 %",
        "  upper bound of the false-block rate (exact): 5 %",
        "  upper bound of the false-block rate (exact): 7.8 %",
        f"written to {desk.out}",
    ):
        assert line in desk.shown.splitlines()
    assert "accepted error" not in desk.shown
    assert "evaluated 80 of 80" in desk.told


def test_accepted_error_is_told_for_a_stated_share(desk: Desk) -> None:
    """That of the rows is an accident of how they were collected."""
    desk.rows([6] * 58 + [1], [2] * 15 + [8] * 5)

    desk(*FALSE_BLOCK, "--prevalence", "0.1")

    # Missed 0.1 x 1/4, let through right 0.9 x 58/59.
    assert "  accepted error: 2.74802 %" in desk.shown.splitlines()


def test_accepted_error_target_takes_the_smallest_threshold(desk: Desk) -> None:
    """Least blocking that suffices, at the share of wrong answers that the rows have."""
    desk.rows([8] * 60, [1] * 10 + [3] * 20)

    assert desk(*ERROR) == 0

    written = read_calibration(desk.out)
    assert written.support_threshold == 0.4
    assert written.guarantee is not None
    assert (written.guarantee.rate, written.guarantee.n) == ("accepted_error", 60)
    assert "  share of wrong answers: as in these rows; accepted at least 30 %" in desk.shown
    assert "  accepted error: 0 %" in desk.shown


def test_accepted_error_is_carried_over_to_a_prevalence(desk: Desk) -> None:
    """The file says for which share of wrong answers it holds."""
    desk.rows([8] * 100, [1] * 100)

    assert desk(*ERROR, "--prevalence", "0.2") == 0

    written = read_calibration(desk.out)
    assert written.guarantee is not None
    assert written.guarantee.prevalence == 0.2
    assert "  share of wrong answers: 20 %, as stated; accepted at least 30 %" in desk.shown


def test_too_few_rows_are_told_by_how_many(desk: Desk) -> None:
    """28 without a false block show ten per cent; there are 20."""
    desk.rows([6] * 20, [2] * 20)

    assert desk(*FALSE_BLOCK) == 1

    assert "meets the target; nothing is written" in desk.shown
    assert "  at these rates 9 more correct answers would do" in desk.shown
    assert not desk.out.exists()


def test_accepted_error_that_is_not_met_is_told(desk: Desk) -> None:
    """Labels of both kinds are missing then."""
    desk.rows([8] * 6, [1] * 4)

    assert desk(*ERROR) == 1

    assert "no threshold of 23 meets the target; nothing is written" in desk.shown
    assert " more labelled answers would do" in desk.shown
    assert "the floor is above it" not in desk.shown


def test_floor_above_the_target_is_told(desk: Desk) -> None:
    """A value that stands nowhere is blocked at every threshold."""
    absent = [
        {
            "id": f"a{n}",
            "context": "The lamp costs 50 euros.",
            "label": "supported",
            "answer": "The lamp costs 90 euros.",
        }
        for n in range(20)
    ]
    desk.rows([6] * 40, [2] * 20, *absent)

    assert desk(*FALSE_BLOCK) == 1

    assert "  correct answers blocked: 20 of 60, 33.333333 %" in desk.shown
    assert "  the floor is above it: findings alone block too many" in desk.shown
    assert "no number of labels will do" in desk.shown


def test_rows_without_labels_are_refused(desk: Desk) -> None:
    """There is nothing to count, and nothing is checked for it."""
    desk.rows([], [], {"id": "a", "context": "The lamp.", "answer": "The lamp is mint."})

    assert desk(*FALSE_BLOCK) == 2

    assert "rows.jsonl: found no row with a label" in desk.told
    assert desk.tested == []


def test_groups_are_told(desk: Desk) -> None:
    """One answer of each ticket counts."""
    desk.rows(
        [],
        [2] * 5,
        *(
            {
                "id": n,
                "group": f"t{n // 4}",
                "context": "The lamp is here.",
                "label": "supported",
                "answer": "The lamp is mint.",
            }
            for n in range(200)
        ),
    )

    assert desk(*FALSE_BLOCK) == 0

    assert "  one row of each of 55 groups, seed 0" in desk.shown
    assert "  correct 50, wrong 5" in desk.shown


def test_groups_with_weights_are_refused(desk: Desk) -> None:
    """No exact bound holds, and the column is not passed over; told before hours of checking."""
    desk.rows(
        [6] * 40,
        [],
        *(
            {
                "id": n,
                "group": "t",
                "weight": 2,
                "context": "The lamp is here.",
                "label": "supported",
                "answer": "The lamp is mint.",
            }
            for n in range(2)
        ),
    )

    assert desk(*FALSE_BLOCK) == 2

    assert 'found "group" with several rows and "weight" that differs' in desk.told
    assert "evaluated" not in desk.told
    assert not desk.out.exists()


def test_breaking_off_leaves_no_file(desk: Desk) -> None:
    """Neither half of one nor an empty one that a server would stumble over."""
    desk.rows(
        [6] * 40,
        [2] * 5,
        {
            "id": "x",
            "context": "The lamp is here.",
            "answer": "The lamp is black.",
            "label": "supported",
        },
    )

    assert desk(*FALSE_BLOCK) == 130

    assert [path.name for path in desk.folder.iterdir()] == ["rows.jsonl"]
    assert desk.judge.is_closed


def test_old_file_stays_where_nothing_is_found(desk: Desk) -> None:
    """A server may be running with it."""
    desk.rows([6] * 5, [2] * 5)
    desk.out.write_text("old")

    assert desk(*FALSE_BLOCK) == 1
    assert desk.out.read_text() == "old"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((), "give one of --max-false-block and --max-accepted-error"),
        ((*FALSE_BLOCK, *ERROR), "give one of"),
        (("--max-accepted-error", "0.1"), "needs --min-accepted"),
        ((*FALSE_BLOCK, "--min-accepted", "0.5"), "goes with --max-accepted-error"),
        (("--max-false-block", "5"), "'--max-false-block': found '5'"),
        ((*FALSE_BLOCK, "--confidence", "95"), "'--confidence': found '95'"),
        ((*ERROR, "--prevalence", "0"), "'--prevalence': found '0'"),
    ],
)
def test_half_a_target_is_wrong_usage(desk: Desk, options: tuple[str, ...], message: str) -> None:
    """It is told before anything is checked."""
    desk.rows([6] * 40, [2] * 5)

    assert desk(*options) == 2

    assert message in desk.told
    assert desk.tested == []


def test_place_that_can_not_be_written_is_told_first(desk: Desk) -> None:
    """Checking a file of labelled answers may take an hour."""
    desk.rows([6] * 40, [2] * 5)
    desk.out = desk.folder / "none" / "calibration.json"

    assert desk(*FALSE_BLOCK) == 2

    assert "calibration.json: found no such file or directory" in desk.told
    assert desk.tested == []


def test_file_for_data_and_result_is_refused(desk: Desk) -> None:
    """Labels are work of weeks."""
    desk.rows([6] * 40, [2] * 5)
    desk.out = desk.folder / "rows.jsonl"

    assert desk(*FALSE_BLOCK) == 2
    assert " are one file: " in desk.told


def test_bad_lines_are_code_1_and_the_file_is_written(desk: Desk) -> None:
    """As in evaluate: a script must not take it for the whole file."""
    desk.rows([6] * 59, [2] * 5, "{")

    assert desk(*FALSE_BLOCK) == 1

    assert "line 65: found " in desk.told
    assert desk.out.exists()


def test_standard_output_takes_the_file(desk: Desk) -> None:
    """A pipe is neither tried out nor replaced."""
    desk.rows([6] * 59, [2] * 5)
    desk.out = Path("/dev/null")

    assert desk(*FALSE_BLOCK) == 0
    assert desk.out.is_char_device()


def test_house_facts_and_boilerplate_are_those_of_the_route(desk: Desk) -> None:
    """Answers are counted as the live route would see them."""
    facts, boilerplate = desk.folder / "facts.md", desk.folder / "boilerplate.txt"
    facts.write_text("Orders ship within 3 days.\n\nReturns are free.\n")
    boilerplate.write_text("We are open for 24 hours.\n\n")
    desk.rows(
        [6] * 58,
        [2] * 5,
        {
            "id": "x",
            "context": "The lamp is here.",
            "label": "supported",
            "answer": "Orders ship within 3 days. We are open for 24 hours. The lamp is mint.",
        },
    )

    desk(*FALSE_BLOCK)
    without = desk.shown
    assert desk(*FALSE_BLOCK, "--house-facts", str(facts), "--boilerplate", str(boilerplate)) == 0

    blocked = "findings alone block\n  correct answers blocked: {} of 59"
    assert blocked.format(1) in without
    assert blocked.format(0) in desk.shown
