"""The gate from text to verdict, over a model whose scores are written down."""

import asyncio
import itertools
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gatekeeper.core.aggregate import Thresholds
from gatekeeper.core.plan import Limits
from gatekeeper.gate import Gate, Settings
from gatekeeper.testing import FakeJudge, FakeModel
from gatekeeper.verdict import (
    ClaimStatus,
    Evidence,
    NotCheckedReason,
    Outcome,
    Passage,
    UnresolvedReason,
    Verdict,
)

MARKS = Thresholds(support=0.5, contradiction=0.9)


def gate(
    model: FakeModel | None = None, *, skip: frozenset[int] = frozenset(), **limits: int
) -> Gate:
    """Build a gate over the fake model; its tokens are characters, so limits are wide."""
    model = model or FakeModel()
    wide = {"pair_tokens": 100_000, "joint_tokens": 20_000, **limits}
    return Gate(
        model, FakeJudge(model, skip=skip), Settings(thresholds=MARKS, limits=Limits(**wide))
    )


def evidence(*texts: str) -> Evidence:
    """Make evidence of passages named by position."""
    return Evidence(passages=tuple(Passage(id=str(n), text=t) for n, t in enumerate(texts)))


def check(answer: str, *texts: str, by: Gate | None = None) -> Verdict:
    """Check an answer in a loop of its own."""
    return asyncio.run((by or gate()).check(answer, evidence(*texts)))


def test_worst_claim_decides() -> None:
    """Three right sentences must not wave a wrong one through."""
    verdict = check("The gate is red. The gate is tall.", "The gate is red.")

    assert verdict.outcome is Outcome.FLAGGED
    assert [claim.status for claim in verdict.claims] == [
        ClaimStatus.SUPPORTED,
        ClaimStatus.UNSUPPORTED,
    ]
    assert verdict.faithfulness == 0.5
    assert verdict.score == pytest.approx(0.1)


def test_segments_join_to_the_answer() -> None:
    """Every character of the answer belongs to a claim or to a segment that says why not."""
    answer = "Hello! The gate is red.\n\nThe gate is tall?"
    verdict = check(answer, "The gate is red.")

    joined = "".join(answer[segment.start : segment.end] for segment in verdict.segments)
    assert joined == answer
    assert all(claim.text == answer[claim.start : claim.end] for claim in verdict.claims)


@pytest.mark.parametrize("answer", ["", " ", "\n\t "])
def test_empty_answer_is_not_checked(answer: str) -> None:
    """An empty answer is not a good one."""
    assert check(answer, "The gate is red.").not_checked is NotCheckedReason.NO_TEXT


@pytest.mark.parametrize("texts", [(), ("",), (" \n",)])
def test_missing_context_is_not_checked(texts: tuple[str, ...]) -> None:
    """Without evidence nothing is unsupported: the gate could not look."""
    verdict = check("The gate is red.", *texts)

    assert verdict.not_checked is NotCheckedReason.NO_CONTEXT
    assert verdict.outcome is Outcome.NOT_CHECKED
    assert verdict.score is None


def test_answer_without_claims_needs_no_context() -> None:
    """To find nothing and say so, after an empty search is right."""
    verdict = check("I could not find anything about that in the documents.")

    assert verdict.outcome is Outcome.NO_CLAIMS


@pytest.mark.parametrize(
    ("answer", "passage"),
    [
        ("Die Lampe ist rot und das Tor ist offen.", "Das Tor ist rot und die Lampe ist offen."),
        ("The gate is red.", "Das Tor ist rot und die Lampe ist offen."),
        ("ランプは赤いです。", "ランプは青いです。"),
    ],
)
def test_language_the_model_can_not_read_is_not_checked(answer: str, passage: str) -> None:
    """The model finds support in what it can't read; a verdict would be a guess."""
    assert check(answer, passage).not_checked is NotCheckedReason.LANGUAGE


def test_copy_in_another_language_needs_no_model() -> None:
    """Word for word is word for word in any language."""
    assert check("ランプは赤いです。", "ランプは赤いです。").outcome is Outcome.SUPPORTED


def test_two_passages_together_support_a_claim() -> None:
    """A joint premise is tried when no single passage decides."""
    model = FakeModel()
    verdict = check("tent sleeps four green", "tent sleeps four", "green", by=gate(model))

    assert [claim.status for claim in verdict.claims] == [ClaimStatus.SUPPORTED]
    assert verdict.claims[0].passages == ("0", "1")
    assert model.passes[-1] == 1


def test_unreached_joint_pair_leaves_the_claim_unresolved() -> None:
    """A planned pair that was not reached must not look like missing support."""
    whole = FakeModel()
    check("tent sleeps four green", "tent sleeps four", "green", by=gate(whole))
    last = sum(whole.passes) - 1

    verdict = check(
        "tent sleeps four green", "tent sleeps four", "green", by=gate(skip=frozenset({last}))
    )

    assert verdict.outcome is Outcome.UNRESOLVED
    assert verdict.reason == "budget"
    assert verdict.faithfulness == (0.0, 1.0)


def test_claim_too_long_is_unresolved_not_cut() -> None:
    """Cutting the claim would judge another claim (field note 71)."""
    verdict = check(
        "The gate is red.", "The gate is red and old.", by=gate(FakeModel(max_tokens=10))
    )

    assert verdict.reason == "claim_too_long"


def test_answer_with_too_many_claims_is_unresolved_as_a_whole() -> None:
    """Past a bound nothing is checked in part."""
    verdict = check("The gate is red. " * 5, "The gate is red.", by=gate(claims=4))

    assert {claim.unresolved for claim in verdict.claims} == {UnresolvedReason.BUDGET}
    assert len(verdict.claims) == 5


def test_answer_past_its_bound_is_not_checked() -> None:
    """Work on one answer is bounded before it begins, and the end of it never goes unread."""
    verdict = check("The gate is red. " * 5, "The gate is red.", by=gate(answer_chars=60))

    assert verdict.not_checked is NotCheckedReason.SIZE
    assert verdict.claims == ()


def test_claim_beyond_the_pair_tokens_is_unresolved() -> None:
    """What was left out of the plan is said, not guessed."""
    model = FakeModel()
    verdict = check(
        "The gate is tall. The gate is wide.",
        "The gate is red and old.",
        by=gate(model, pair_tokens=60, joint_tokens=10, least_windows=1),
    )

    assert [claim.status for claim in verdict.claims] == [
        ClaimStatus.UNSUPPORTED,
        ClaimStatus.UNRESOLVED,
    ]


def test_failed_pass_is_a_model_error_only_where_a_judge_says_so() -> None:
    """The gate invents no score: what the judge could not score has its reason."""
    verdict = check("The gate is tall.", "The gate is red.", by=gate(skip=frozenset({0})))

    assert verdict.claims[0].score is None
    assert verdict.claims[0].support is None


def test_refused_answer_is_unresolved_as_a_whole() -> None:
    """A caller gets a verdict with a reason, whatever goes wrong behind the gate."""
    model = FakeModel()
    judge = FakeJudge(model, refuses=UnresolvedReason.OVERLOAD)
    refused = Gate(model, judge, Settings(thresholds=MARKS))

    verdict = check("The gate is red.", "The gate is red.", by=refused)

    assert (verdict.outcome, verdict.reason) == (Outcome.UNRESOLVED, "overload")
    assert [claim.text for claim in verdict.claims] == ["The gate is red."]


def test_citation_of_a_passage_that_does_not_exist_is_flagged() -> None:
    """A source that was never given can't support anything."""
    assert check("The gate is red [4].", "The gate is red.").outcome is Outcome.FLAGGED
    assert check("The gate is red [1].", "The gate is red.").outcome is Outcome.SUPPORTED


def test_word_the_model_cannot_spell_is_compared_literally() -> None:
    """Two different unknown words are the same token to the model."""
    verdict = check("The gate is x\U0001f600y.", "The gate is z\U0001f680q.")

    assert verdict.claims[0].status is ClaimStatus.UNSUPPORTED
    assert "stands in no passage" in verdict.claims[0].reason


MEGABYTES = {
    "prose": "The gate is red and the lamp stands beside it. " * 42_000,
    "one word": "x" * 2_000_000,
    "stars": "*" * 2_000_000,
    "brackets": "([{" * 660_000,
    "zero-width": "\u200b" * 2_000_000,
    "pictures": "\U0001f600" * 500_000,
}


@pytest.mark.parametrize("text", MEGABYTES.values(), ids=MEGABYTES)
def test_megabytes_end_in_a_verdict(text: str) -> None:
    """Two megabytes are read to the end or refused as a whole, and crash nothing."""
    as_answer = check(text, "The gate is red.")
    as_evidence = check("The gate is red.", text)

    assert as_answer.not_checked is NotCheckedReason.SIZE
    assert (as_evidence.outcome is Outcome.SUPPORTED) == text.startswith("The gate is red")


def test_fingerprint_follows_what_decides() -> None:
    """Figures of two fingerprints are never pooled, so each change must show."""
    one = gate()
    settings_ = replace(one.settings, thresholds=Thresholds(support=0.6, contradiction=0.9))
    other = Gate(one.model, one.judge, settings_)

    assert one.fingerprint == gate().fingerprint != other.fingerprint


words = st.sampled_from(
    [
        "The gate",
        "is red.",
        "is tall.",
        "\n\n",
        " ",
        "- item",
        "Hello!",
        "[2]",
        "5 km",
        "but it",
        "|",
    ]
)


@settings(deadline=None, derandomize=True, max_examples=60)
@given(st.lists(words, max_size=10).map(" ".join), st.lists(st.integers(0, 120), max_size=5))
def test_any_cutting_gives_the_same_verdict(answer: str, cuts: list[int]) -> None:
    """A stream and a whole answer take one path."""
    places = sorted({min(cut, len(answer)) for cut in cuts} | {0, len(answer)})
    pieces = [answer[a:b] for a, b in itertools.pairwise(places)]

    async def in_pieces() -> Verdict:
        opened = gate().open(evidence("The gate is red.", "The lamp weighs 5 km."))
        for piece in pieces:
            await opened.feed(piece)
        return await opened.finish()

    whole = check(answer, "The gate is red.", "The lamp weighs 5 km.")

    assert asyncio.run(in_pieces()) == whole


@settings(deadline=None, derandomize=True, max_examples=60)
@given(st.sets(st.integers(0, 12)))
def test_any_subset_of_pairs_gives_the_full_status_or_unresolved(skip: set[int]) -> None:
    """Time may leave a claim open; it may never turn it round."""
    answer = "The gate is red. The gate is tall. tent sleeps four green"
    texts = ("The gate is red and old.", "tent sleeps four", "green")
    full = check(answer, *texts)

    part = check(answer, *texts, by=gate(skip=frozenset(skip)))

    for claim, whole in zip(part.claims, full.claims, strict=True):
        assert claim.status in (whole.status, ClaimStatus.UNRESOLVED)
