"""The fakes that users' tests rest on: they must be no kinder than the real thing."""

import asyncio
import inspect

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gatekeeper.check import Check
from gatekeeper.core.aggregate import Thresholds
from gatekeeper.errors import UnavailableError
from gatekeeper.gate import Gate, Settings
from gatekeeper.protocols import Judge, Priority, Usage
from gatekeeper.testing import (
    FakeCheck,
    FakeGate,
    FakeJudge,
    FakeModel,
    UnwrittenVerdictError,
    write_verdict,
)
from gatekeeper.verdict import (
    ClaimStatus,
    Evidence,
    NotCheckedReason,
    Outcome,
    Passage,
    UnresolvedReason,
)

EVIDENCE = Evidence(passages=(Passage(id="hours", text="The shop closes at six."),))
RIGHT = "The shop closes at six."
NEAR = "The shop closes early."
WRONG = "It opens on Sundays."


@pytest.mark.parametrize(
    ("real", "fake"),
    [
        (Gate.open, FakeGate.open),
        (Gate.check, FakeGate.check),
        (Gate.close, FakeGate.close),
        (Check.feed, FakeCheck.feed),
        (Check.finish, FakeCheck.finish),
        (Judge.refusal, FakeJudge.refusal),
        (Judge.run, FakeJudge.run),
        (Judge.score, FakeJudge.score),
    ],
)
def test_fake_takes_what_the_real_one_takes(real: object, fake: object) -> None:
    """A call that works against the fake must work in production, and the other way round."""
    assert callable(real)
    assert callable(fake)

    parameters = inspect.signature(fake).parameters.values()

    expected = inspect.signature(real).parameters.values()
    assert [(p.name, p.kind, p.default) for p in parameters] == [
        (p.name, p.kind, p.default) for p in expected
    ]


def test_fake_gives_the_written_verdict_and_keeps_what_it_was_asked() -> None:
    """A test must see which evidence and deadline an app hands to its gate."""
    verdict = write_verdict(WRONG, flagged=[WRONG])
    gate = FakeGate({WRONG: verdict})

    found = asyncio.run(gate.check(WRONG, EVIDENCE, deadline=12.5))

    assert found is verdict
    (asked,) = gate.asked
    assert (asked.answer, asked.evidence, asked.deadline) == (WRONG, EVIDENCE, 12.5)


def test_unwritten_answer_raises() -> None:
    """An answer that a test forgot must not look as if it had passed."""
    gate = FakeGate({RIGHT: write_verdict(RIGHT)})

    with pytest.raises(UnwrittenVerdictError, match="Sundays") as caught:
        asyncio.run(gate.check(WRONG, EVIDENCE))

    assert caught.value.answer == WRONG


def test_function_decides_from_answer_and_evidence() -> None:
    """A table is too little where the verdict hangs on the passages an app hands over."""
    gate = FakeGate(
        lambda answer, evidence: write_verdict(
            answer, flagged=[] if answer in [p.text for p in evidence.passages] else [answer]
        )
    )

    outcomes = [asyncio.run(gate.check(text, EVIDENCE)).outcome for text in (RIGHT, WRONG)]

    assert outcomes == [Outcome.SUPPORTED, Outcome.FLAGGED]


def test_pieces_are_joined() -> None:
    """A stream feeds its answer in pieces and gets the verdict on the whole."""
    gate = FakeGate({RIGHT: write_verdict(RIGHT)})

    async def stream() -> Outcome:
        check = gate.open(EVIDENCE)
        for word in ("The shop ", "closes ", "at six."):
            assert await check.feed(word) == ()
        return (await check.finish()).outcome

    assert asyncio.run(stream()) is Outcome.SUPPORTED


def test_closing_is_seen() -> None:
    """An app that forgets to close its gate keeps a thread: a test must be able to tell."""
    gate = FakeGate({})
    assert not gate.is_closed

    gate.close()

    assert gate.is_closed


def test_written_verdict_cuts_the_answer() -> None:
    """Redaction goes by offsets, so those of a written verdict have to be right."""
    verdict = write_verdict(f"{RIGHT} {WRONG}", flagged=[WRONG])

    assert [(claim.text, claim.status) for claim in verdict.claims] == [
        (f"{RIGHT} ", ClaimStatus.SUPPORTED),
        (WRONG, ClaimStatus.UNSUPPORTED),
    ]


def test_reasons_reach_the_verdict() -> None:
    """What an app does when nothing could be decided needs a test as well."""
    late = write_verdict(RIGHT, unresolved=UnresolvedReason.BUDGET)
    bare = write_verdict(RIGHT, not_checked=NotCheckedReason.NO_CONTEXT)
    empty = write_verdict(" \n")

    assert (late.outcome, late.reason) == (Outcome.UNRESOLVED, "budget")
    assert (bare.outcome, bare.reason) == (Outcome.NOT_CHECKED, "no_context")
    assert empty.outcome is Outcome.NO_CLAIMS


@pytest.mark.parametrize("flagged", [["closed"], [""], [" "], ["six", "shop"]])
def test_slice_that_is_not_there_is_refused(flagged: list[str]) -> None:
    """A slip in the test's own text must not turn into a verdict that flags nothing."""
    with pytest.raises(ValueError, match="does not stand in the answer"):
        write_verdict(RIGHT, flagged=flagged)


@settings(deadline=None, derandomize=True)
@given(st.lists(st.sampled_from(["a", "b ", " ", "c.", "\n"]), max_size=12), st.data())
def test_segments_join_to_the_answer(pieces: list[str], data: st.DataObject) -> None:
    """Every character of an answer belongs to one segment, in written verdicts too."""
    answer = "".join(pieces)
    start = data.draw(st.integers(0, len(answer)))
    end = data.draw(st.integers(start, len(answer)))

    verdict = write_verdict(
        answer, flagged=[answer[start:end]] if answer[start:end].strip() else []
    )

    assert "".join(answer[s.start : s.end] for s in verdict.segments) == answer
    assert all(claim.text == answer[claim.start : claim.end] for claim in verdict.claims)


def test_judge_scores_what_a_gate_asks_for_and_counts_it() -> None:
    """The pipeline above it is the real one, so its verdict and its bill must be."""
    model = FakeModel()
    judge = FakeJudge(model)
    usage = Usage()

    verdict = asyncio.run(
        over(judge, model).check(f"Six closes the shop. {NEAR}", EVIDENCE, usage=usage)
    )

    assert [claim.status for claim in verdict.claims] == [
        ClaimStatus.SUPPORTED,
        ClaimStatus.UNSUPPORTED,
    ]
    assert usage.pairs == sum(model.passes) > 0
    assert usage.pair_tokens > usage.pairs
    assert judge.priorities == [Priority.ENFORCE]


def test_judge_leaves_out_the_pairs_it_was_told_to() -> None:
    """Time that runs out half-way is the case most worth a test, and the hardest to time."""
    model = FakeModel()
    (pair,) = filter(None, [model.encode(RIGHT, RIGHT)])
    judge = FakeJudge(model, skip=frozenset({1, 2}))

    first = asyncio.run(judge.score([pair, pair], deadline=None))
    second = asyncio.run(judge.score([pair, pair], deadline=None))

    assert [score is UnresolvedReason.BUDGET for score in (*first, *second)] == [
        False,
        True,
        True,
        False,
    ]
    assert model.passes == [1, 1]


def test_judge_answers_a_failed_pass_with_a_reason() -> None:
    """As the real one does: a model that breaks must not reach the app as an exception."""
    model = FakeModel()
    model.fails = True

    verdict = asyncio.run(over(FakeJudge(model), model).check(NEAR, EVIDENCE))

    assert verdict.reason == UnresolvedReason.MODEL_ERROR


def test_judge_refuses_everything_but_replies() -> None:
    """A reply needs no model: the real one lets it in however full it is."""
    model = FakeModel()
    judge = FakeJudge(model, refuses=UnresolvedReason.OVERLOAD)
    (pair,) = filter(None, [model.encode(RIGHT, RIGHT)])

    asyncio.run(judge.run(iter([None]), priority=Priority.REPLY))
    with pytest.raises(UnavailableError):
        asyncio.run(judge.run(iter([None])))

    assert judge.refusal(deadline=None) is UnresolvedReason.OVERLOAD
    assert judge.refusal(deadline=None, priority=Priority.REPLY) is None
    assert asyncio.run(judge.score([pair], deadline=None)) == [UnresolvedReason.OVERLOAD]
    assert model.passes == []


def test_judge_tells_that_it_was_closed() -> None:
    """A gate that closes nothing leaks a thread in production."""
    model = FakeModel()
    judge = FakeJudge(model)

    over(judge, model).close()

    assert judge.is_closed


def over(judge: FakeJudge, model: FakeModel) -> Gate:
    """Return a real gate over fakes."""
    return Gate(model, judge, Settings(thresholds=Thresholds(support=0.5, contradiction=0.9)))
