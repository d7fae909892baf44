"""A check that follows an answer: what it says while the rest is being written."""

import asyncio
import itertools
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gatekeeper.core.aggregate import Thresholds
from gatekeeper.core.plan import Limits
from gatekeeper.gate import Gate, Settings
from gatekeeper.testing import FakeJudge, FakeModel
from gatekeeper.verdict import Evidence, Outcome, Passage, UnresolvedReason, Verdict

WIDE = {"pair_tokens": 100_000, "joint_tokens": 20_000}
FACTS = ("The gate is red and old.", "The lamp weighs 5 kg or more.")


def gate(judge: FakeJudge | None = None, model: FakeModel | None = None, **limits: Any) -> Gate:
    """Return a gate over the fake model."""
    model = model or FakeModel()
    marks = Thresholds(support=0.5, contradiction=0.9)
    wide = Limits(**{**WIDE, **limits})
    return Gate(model, judge or FakeJudge(model), Settings(thresholds=marks, limits=wide))


def evidence(*texts: str) -> Evidence:
    """Return passages named by their place."""
    return Evidence(passages=tuple(Passage(id=str(n), text=t) for n, t in enumerate(texts)))


def follow(pieces: list[str], *texts: str, by: Gate | None = None) -> list[Verdict]:
    """Follow pieces of an answer to its end; the verdicts on the way."""

    async def follow_all() -> list[Verdict]:
        check = (by or gate()).open(evidence(*(texts or FACTS)))
        last = len(pieces) - 1
        return [await check.follow(p, ends=n == last) for n, p in enumerate(pieces)]

    return asyncio.run(follow_all())


words = st.sampled_from(
    ["The gate is red.", "The gate is tall.", "Hello!", "The lamp weighs 5 kg.", "a", "- ", "\n\n"]
)


@settings(deadline=None, derandomize=True, max_examples=40)
@given(st.lists(words, max_size=8).map(" ".join), st.lists(st.integers(0, 120), max_size=5))
def test_the_last_verdict_is_that_of_a_whole_answer(answer: str, cuts: list[int]) -> None:
    """A stream and a JSON body may not differ in what they say of the same words."""
    places = sorted({min(cut, len(answer)) for cut in cuts} | {0, len(answer)})
    pieces = [answer[a:b] for a, b in itertools.pairwise(places)] or [""]

    last = follow(pieces)[-1]

    assert last == asyncio.run(gate().check(answer, evidence(*FACTS)))


def test_what_was_said_stays() -> None:
    """What went out on the word of a verdict can't be called back."""
    first, second, last = follow(
        ["The gate is red. The lamp ", "weighs 5 kg. The gate ", "is tall."]
    )

    assert [claim.text for claim in first.claims] == ["The gate is red. "]
    assert second.claims[:1] == first.claims
    assert last.claims[:2] == second.claims
    assert (first.outcome, last.outcome) == (Outcome.SUPPORTED, Outcome.FLAGGED)


def test_a_pair_is_scored_when_its_sentence_is_complete_and_never_again() -> None:
    """A growing answer costs no more pairs than one that is all there."""
    model, whole = FakeModel(), FakeModel()
    pieces = ["The gate is red. The lamp ", "weighs 5 kg. ", "The gate is tall."]

    follow(pieces, by=gate(model=model))
    asyncio.run(gate(model=whole).check("".join(pieces), evidence(*FACTS)))

    assert len(model.passes) > len(whole.passes)
    assert sum(model.passes) == sum(whole.passes)


def test_work_that_is_refused_leaves_the_rest_open() -> None:
    """What was decided stays decided; of the rest nothing is known."""
    judge = FakeJudge(FakeModel())
    by = gate(judge)

    async def refuse() -> Verdict:
        check = by.open(evidence(*FACTS))
        await check.follow("The gate is red. The lamp ")
        judge.refuses = UnresolvedReason.OVERLOAD
        return await check.follow("weighs 5 kg. The gate")

    verdict = asyncio.run(refuse())

    assert verdict.reason == "overload"
    assert [claim.text for claim in verdict.claims] == [
        "The gate is red. ",
        "The lamp weighs 5 kg. The gate",
    ]


def test_foreign_beginning_is_not_told_of() -> None:
    """Neither guard nor model can read it; later words may show that it was a name."""
    german = "Die Lampe ist schwer und das Tor ist nicht rot. Der "

    first, last = follow([german, "Rest."])

    assert first == Verdict(fingerprint=first.fingerprint)
    assert last.reason == "language"


@pytest.mark.parametrize(
    ("texts", "limits", "reason"),
    [((" ",), {}, "no_context"), (FACTS, {"answer_chars": 10}, "size")],
)
def test_what_nothing_can_change_is_told_at_once(
    texts: tuple[str, ...], limits: dict[str, Any], reason: str
) -> None:
    """A stream need not go on to its end for it."""
    verdicts = follow(["The gate is red. The lamp ", "weighs 5 kg."], *texts, by=gate(**limits))

    assert [verdict.reason for verdict in verdicts] == [reason, reason]
