"""What the model says of a claim that the value guard decided without asking it.

Needed to tell what the guard is worth: the gate itself never scores such a claim.
"""

from collections.abc import Generator

from gatekeeper.core.aggregate import Ruling
from gatekeeper.core.evidence import build_index
from gatekeeper.core.notation import Apposition
from gatekeeper.core.plan import ClaimPlan, Planner
from gatekeeper.core.rulings import Guard, build_facts, finished
from gatekeeper.gate import Gate
from gatekeeper.verdict import Evidence, Segment


class SilentGuard(Guard):
    """Rules on nothing and adds nothing to a premise."""

    def rule_steps(
        self, segment: Segment
    ) -> Generator[None, None, tuple[Ruling, tuple[Apposition, ...]]]:
        """Have no word on the claim."""
        yield
        return Ruling(), ()


def ask_anyway(gate: Gate, evidence: Evidence, segment: Segment) -> ClaimPlan:
    """Return the claim's plan as if there were no guard, with every pair of it scored."""
    index = finished(build_index(evidence))
    texts = tuple(passage.text for passage in evidence.passages)
    guard = SilentGuard(index, finished(build_facts(index)), texts, gate.model.unknown_words)
    planner = Planner(
        index,
        guard,
        encode=gate.model.encode,
        limits=gate.settings.limits,
        question=evidence.question or "",
    )
    plan = finished(planner.plan(segment))
    plan.add_joint()
    waiting = plan.waiting()
    pairs = [pair for n in waiting if (pair := plan.pairs[n]) is not None]
    for n, score in zip(waiting, gate.model.score(pairs), strict=True):
        plan.scores[n] = score
    return plan
