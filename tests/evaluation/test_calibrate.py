"""A calibration from labelled answers: counted as the live gate counts, promised in the file."""

import asyncio
import hashlib
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gatekeeper.core.aggregate import Thresholds
from gatekeeper.core.plan import Limits
from gatekeeper.core.support import Weighing
from gatekeeper.evaluation.calibrate import (
    Calibrated,
    at_marks,
    calibrate,
    calibration_of,
    guarantee_of,
    open_marks,
    scored,
)
from gatekeeper.evaluation.rows import Label, Row
from gatekeeper.evaluation.run import Evaluated, check_rows
from gatekeeper.evaluation.search import (
    FINDING,
    AcceptedErrorTarget,
    FalseBlockTarget,
    Target,
    curve,
)
from gatekeeper.gate import Gate, Settings
from gatekeeper.protocols import PairScore
from gatekeeper.testing import FakeJudge, FakeModel
from gatekeeper.verdict import Evidence, Outcome, Passage

MARKS = Thresholds(support=0.5, contradiction=0.9)
TARGET = FalseBlockTarget(target=Fraction("0.1"), confidence=Fraction("0.95"))
ERROR = AcceptedErrorTarget(
    target=Fraction("0.2"), confidence=Fraction("0.9"), min_accepted=Fraction("0.3")
)


def drawn(seed: str) -> FakeModel:
    """Make a model whose scores look random and are the same each time."""

    def score(premise: str, hypothesis: str) -> PairScore:
        digest = hashlib.sha256(f"{seed}|{premise}|{hypothesis}".encode()).digest()
        support = digest[0] / 255
        return PairScore(entailment=support, contradiction=(1 - support) * (digest[1] / 255))

    return FakeModel(score)


# Each colour has its support, from 0.05 to 0.95.
COLOURS = "grey pink teal gold rust plum mint navy lime jade".split()


def stated(premise: str, hypothesis: str) -> PairScore:
    """Support a claim by the colour that it ends in."""
    word = hypothesis.rstrip(".").split()[-1]
    return PairScore(entailment=COLOURS.index(word) / 10 + 0.05, contradiction=0.0)


def gate(model: FakeModel, marks: Thresholds = MARKS, skip: frozenset[int] = frozenset()) -> Gate:
    """Build a gate over a fake model; its tokens are characters, so limits are wide."""
    limits = Limits(pair_tokens=100_000, joint_tokens=20_000)
    return Gate(model, FakeJudge(model, skip=skip), Settings(thresholds=marks, limits=limits))


def row(answer: str, *texts: str, wrong: bool = False, **more: object) -> Row:
    """Make a labelled row."""
    passages = tuple(Passage(id=str(n), text=text) for n, text in enumerate(texts))
    made = Row(
        line=1,
        id=answer,
        evidence=Evidence(passages=passages),
        answer=answer,
        label=Label.UNSUPPORTED if wrong else Label.SUPPORTED,
    )
    return replace(made, **more)  # type: ignore[arg-type]


def checked(by: Gate, rows: Sequence[Row]) -> list[Evaluated]:
    """Put rows through a gate."""

    async def run() -> list[Evaluated]:
        return [item async for item in check_rows(by, rows)]

    return asyncio.run(run())


def opened(rows: Sequence[Row], model: FakeModel | None = None) -> list[Evaluated]:
    """Put rows through a gate at open marks."""
    by = gate(model or FakeModel(stated))
    return checked(at_marks(by, open_marks(by.thresholds)), rows)


def found(rows: Sequence[Row], target: Target = TARGET) -> Calibrated:
    """Calibrate on rows."""
    return calibrate(opened(rows), target)


def answers(scores: Sequence[int], *, wrong: bool = False) -> list[Row]:
    """Make rows of one claim each, with a tenth of a score as their support."""
    return [
        row(f"The lamp is {COLOURS[score]}.", "The lamp is here.", wrong=wrong) for score in scores
    ]


WEIGHING = Weighing(
    weights={"entailment": 0.8, "calm": 0.3, "known": 0.5, "agreement": 0.4},
    bias=-0.2,
    curve=((0.0, 0.0), (0.4, 0.3), (0.7, 0.9), (1.0, 1.0)),
)
WORDS = ["lamp", "shop", "hub", "door", "plan", "ticket"]


@settings(max_examples=25, deadline=None)
@given(
    seed=st.text("ab", max_size=4),
    claims=st.lists(st.sampled_from(WORDS), min_size=1, max_size=3),
    threshold=st.sampled_from([0.01, 0.2, 0.4, 0.5, 0.6, 0.8, 0.95, 0.999]),
    weighing=st.sampled_from([None, WEIGHING]),
)
def test_one_check_tells_the_side_at_every_threshold(
    seed: str, claims: list[str], threshold: float, weighing: Weighing | None
) -> None:
    """The search must count what the live gate would do, joint premises and findings included."""
    answer = " ".join(f"The {word} is open." for word in claims)
    texts = ["The lamp is red. The hub is on.", "The shop is open. The plan is old.", "A door."]
    plain = gate(drawn(seed))
    by = Gate(plain.model, plain.judge, replace(plain.settings, weighing=weighing))
    one = row(answer, *texts)

    [at_open] = checked(at_marks(by, open_marks(MARKS)), [one])
    [live] = checked(at_marks(by, replace(MARKS, support=threshold)), [one])

    counted = scored(at_open)
    assert counted is not None
    [point] = curve([counted], [threshold])
    assert bool(point.false_blocks) == (live.verdict.outcome is Outcome.FLAGGED)


def test_joint_premise_is_asked_about_whatever_the_threshold() -> None:
    """Alone either passage gives 0.6, together they give 0.9: at 0.8 the answer passes."""

    def together(premise: str, _hypothesis: str) -> PairScore:
        has_both = "lamp" in premise and "shop" in premise
        return PairScore(entailment=0.9 if has_both else 0.6, contradiction=0.0)

    one = row("The lamp and the shop are open.", "The lamp is on.", "The shop is busy.")
    by = gate(FakeModel(together))
    [live] = checked(at_marks(by, replace(MARKS, support=0.8)), [one])

    [item] = checked(at_marks(by, open_marks(MARKS)), [one])

    counted = scored(item)
    assert live.verdict.outcome is Outcome.SUPPORTED
    assert counted is not None
    assert counted.score == pytest.approx(0.9)


def test_finding_blocks_at_every_threshold() -> None:
    """A price that stands nowhere is blocked at t = 0 too."""
    [item] = opened([row("The lamp costs 90 euros.", "The lamp costs 50 euros.")])

    counted = scored(item)

    assert counted is not None
    assert counted.score == FINDING


def test_low_score_is_no_finding() -> None:
    """At t = 0 only findings block; a claim without support is let through there."""
    [item] = opened(answers([0]))

    counted = scored(item)

    assert counted is not None
    assert counted.score == pytest.approx(0.05)


def test_answer_with_an_open_claim_counts_where_it_is_blocked() -> None:
    """The live gate flags it for the other claim, and takes no side while that one passes."""
    model = FakeModel(stated)
    by = gate(model, open_marks(MARKS), skip=frozenset({1}))
    [item] = checked(
        by, [row("The lamp is rust. The shop is lime.", "The lamp and the shop are here.")]
    )

    counted = scored(item)

    assert counted is not None
    assert counted.is_open
    low, high = curve([counted], [0.3, 0.7])
    assert (low.correct, low.false_blocks) == (0, 0)
    assert (high.correct, high.false_blocks) == (1, 1)


def test_what_was_not_decided_is_counted_and_left_out() -> None:
    """Nothing is dropped in silence, and nothing undecided counts as a pass."""
    greeting = row("Hello!", "The lamp is here.")
    without = row("The lamp is plum.")
    unlabelled = replace(answers([5])[0], label=None)

    counts = found([*answers([5, 6]), greeting, without, unlabelled]).counts

    assert (counts.rows, counts.labelled, counts.counted) == (5, 4, 2)
    assert counts.left_out == {"NOT_CHECKED": 1, "NO_CLAIMS": 1}
    assert (counts.correct, counts.wrong) == (2, 0)


def test_row_without_any_score_is_unresolved() -> None:
    """The pass failed: the gate takes no side at any threshold."""
    model = FakeModel(stated)
    model.fails = True
    items = checked(gate(model, open_marks(MARKS)), answers([5]))

    assert calibrate(items, TARGET).counts.left_out == {"UNRESOLVED": 1}


def test_file_says_what_is_promised() -> None:
    """Target, confidence, bound, number and method, and what was counted."""
    by = gate(FakeModel(stated))
    rows = [*answers([6] * 58 + [1]), *answers([2] * 20, wrong=True)]
    result = found(rows)

    written = calibration_of(result, by, data="mine.jsonl", created="2026-01-31")

    assert (written.source, written.created) == ("own", "2026-01-31")
    assert 0.25 < written.support_threshold <= 0.65
    assert written.contradiction_threshold == MARKS.contradiction
    promised = written.guarantee
    assert promised is not None
    assert (promised.rate, promised.target, promised.confidence) == ("false_block_rate", 0.1, 0.95)
    assert promised.n == 59
    assert 1 / 59 < promised.bound <= 0.1
    assert promised.method.startswith("one-sided exact binomial bound (Clopper-Pearson); fixed")
    assert written.sets == {
        "mine.jsonl": {
            "rows": 79,
            "labelled": 79,
            "counted": 79,
            "correct": 59,
            "wrong": 20,
            "false_blocks": 1,
            "caught": 20,
            "open": 0,
            "left_out": {},
        }
    }


def test_fingerprint_is_of_the_gate_with_the_new_marks() -> None:
    """It covers the thresholds: with others the file would count as none."""
    by = gate(FakeModel(stated))
    written = calibration_of(found(answers([6] * 40)), by, data="mine", created="2026-01-31")

    assert written.fingerprint == at_marks(by, written.thresholds).fingerprint
    assert written.fingerprint != by.fingerprint


def test_nothing_chosen_is_nothing_to_write() -> None:
    """Five answers show nothing at five per cent."""
    result = found(answers([6] * 5))

    assert result.choice.chosen is None
    assert guarantee_of(result) is None
    with pytest.raises(ValueError, match="no threshold"):
        calibration_of(result, gate(FakeModel(stated)), data="mine", created="2026-01-31")


@pytest.mark.parametrize("prevalence", [None, Fraction("0.3")])
def test_promise_on_the_accepted_error(prevalence: Fraction | None) -> None:
    """The file names the share of wrong answers that it holds for, where one was stated."""
    rows = [*answers([8] * 300), *answers([1] * 60, wrong=True)]
    result = found(rows, replace(ERROR, prevalence=prevalence))

    written = calibration_of(
        result, gate(FakeModel(stated)), data="mine", created="2026-01-31"
    ).guarantee

    assert written is not None
    assert (written.rate, written.n) == ("accepted_error", 360 if prevalence else 300)
    assert written.prevalence == (0.3 if prevalence else None)
    assert written.bound <= 0.2
    assert "Bonferroni over 23 thresholds" in written.method
    assert ("carried over" in written.method) is (prevalence is not None)


def test_method_says_how_rows_were_drawn() -> None:
    """Whoever reads the number of rows has to know which they are."""
    rows = [replace(item, group=str(n // 2)) for n, item in enumerate(answers([6] * 100))]

    result = found(rows)

    assert result.counts.counted == 50
    assert result.how == "one row of each of 50 groups, seed 0"
    written = calibration_of(
        result, gate(FakeModel(stated)), data="mine", created="2026-01-31"
    ).guarantee
    assert written is not None
    assert written.method.endswith("; one row of each of 50 groups, seed 0")
