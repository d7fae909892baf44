"""Saved scores judged again: rounds, cost, and the gate without one of its parts."""

from benchmarks.replay import NEVER, Rules, replay
from gatekeeper.core.aggregate import Thresholds
from gatekeeper.verdict import ClaimStatus
from tests.benchmarks.rows import claim, premise, row

RULES = Rules(thresholds=Thresholds(support=0.5, contradiction=0.9))


def test_joint_premise_costs_only_where_it_is_asked() -> None:
    """The first round decides whether there is a second: tokens are counted as they are spent."""
    joint = premise(0.9, joint=True, passages=(0, 1))
    decided = claim(premise(0.6), joint)
    open_ = claim(premise(0.2), joint)

    found = [one.tokens for one in replay([row(decided), row(open_)], RULES)]

    assert found == [10, 50]


def test_clash_blocks_with_the_guard_and_is_weighed_without() -> None:
    """The guard's word is final; without it the model's counts."""
    clash = row(claim(premise(0.8), fixed="CONTRADICTED"))

    (with_guard,) = replay([clash], RULES)
    (without,) = replay([clash], Rules(thresholds=RULES.thresholds, guard=False))

    assert (with_guard.claims[0].status, with_guard.tokens) == (ClaimStatus.CONTRADICTED, 0)
    assert (without.claims[0].status, without.claims[0].score) == (ClaimStatus.SUPPORTED, 0.8)


def test_absent_value_is_unsupported_with_the_guard_only() -> None:
    """Its score is 0 however sure the model is."""
    absent = row(claim(premise(0.8), absent=True))

    (with_guard,) = replay([absent], RULES)
    (without,) = replay([absent], Rules(thresholds=RULES.thresholds, guard=False))

    assert with_guard.judged is not None
    assert (with_guard.judged.score, with_guard.judged.finding) == (0.0, True)
    assert without.claims[0].score == 0.8


def test_contradiction_can_be_switched_off() -> None:
    """No probability reaches the mark."""
    against = row(claim(premise(0.6, 1.0)))

    (on,) = replay([against], RULES)
    (off,) = replay([against], Rules(thresholds=Thresholds(support=0.5, contradiction=NEVER)))

    assert (on.claims[0].score, off.claims[0].score) == (0.0, 0.6)


def test_open_claim_beside_a_flagged_one_leaves_no_score() -> None:
    """The answer is blocked all the same; its place in a ranking is unknown."""
    (found,) = replay([row(claim(premise(0.1)), claim(fixed="UNRESOLVED"))], RULES)

    assert found.judged is not None
    assert (found.judged.blocked, found.judged.score) == (True, None)


def test_open_claim_beside_a_supported_one_takes_no_side() -> None:
    """Unresolved is no pass, and neither is an answer without claims."""
    found = replay([row(claim(premise(0.9)), claim(fixed="UNRESOLVED")), row()], RULES)

    assert [one.judged for one in found] == [None, None]


def test_code_is_judged_as_the_guard_compared_it() -> None:
    """Letter by letter it stands there or not; no pair was asked."""
    found = replay(
        [row(claim(fixed="SUPPORTED")), row(claim(fixed="UNSUPPORTED", absent=True))], RULES
    )

    assert [one.claims[0].score for one in found] == [1.0, 0.0]
