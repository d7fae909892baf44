"""Cost of checking, from what a user says of answers, claims, batches and quotas.

Exact: fractions in, fractions out. Calls, evidence queries, embeddings and seconds are ledgers of
their own and are never added up. Seconds are of service, one batch after the other: concurrency
changes elapsed time only where there is capacity for it.
"""

from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True, slots=True, kw_only=True)
class CostInputs:
    """A run over answers. ``exact``: each answer has that many claims, not only on average.

    ``quota`` is evidence queries a day, one a batch; ``batch_seconds`` is of one batch.
    """

    answers: int
    claims_per_answer: Fraction
    claims_per_batch: int
    exact: bool = False
    batch_seconds: Fraction | None = None
    runs_per_day: int | None = None
    quota: int | None = None

    def __post_init__(self) -> None:
        if self.exact and self.claims_per_answer.denominator != 1:
            raise ValueError("each answer has a whole number of claims")


@dataclass(frozen=True, slots=True, kw_only=True)
class Ledger:
    """One way of putting claims into batches. ``demand`` is times the quota: 4.8 is 3.8 above it.

    ``excess`` is queries beyond the quota a day, 0 within it; ``whole_runs`` is how many runs of a
    day the quota has room for, and ``left`` the queries that remain after them.
    """

    batches: int
    seconds: Fraction | None = None
    batches_a_day: int | None = None
    demand: Fraction | None = None
    excess: int | None = None
    whole_runs: int | None = None
    left: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CostPlan:
    """The ways beside each other; ``within_least`` and ``within_most`` differ for an average.

    ``within``: batches hold claims of one answer. ``per_claim``: each claim is a query of its own.
    """

    claims: int
    pooled: Ledger
    within_least: Ledger
    within_most: Ledger
    per_claim: Ledger


def plan_cost(inputs: CostInputs) -> CostPlan:
    """Work out the ledgers; an average that gives no whole number of claims is rounded."""
    claims = round(inputs.answers * inputs.claims_per_answer)
    size = inputs.claims_per_batch
    pooled = _batches(claims, size)
    if inputs.exact:
        least = most = inputs.answers * _batches(int(inputs.claims_per_answer), size)
    else:
        # At best all batches but one are full; at worst as many answers as can be have one claim
        # more than fills their batches. An answer without claims has no batch.
        least, most = pooled, min(claims, (claims + inputs.answers * (size - 1)) // size)
    return CostPlan(
        claims=claims,
        pooled=_ledger(inputs, pooled),
        within_least=_ledger(inputs, least),
        within_most=_ledger(inputs, most),
        per_claim=_ledger(inputs, claims),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerPlan:
    """Seconds of one answer: extraction, then its claims checked batch by batch.

    ``checks_to_extraction`` and ``checks_to_answer_check`` are ratios of timings; the second
    compares checks of claims with one check of a whole answer, which is another unit of work.
    """

    extraction_seconds: Fraction
    check_seconds: Fraction
    seconds: Fraction
    checks_to_extraction: Fraction | None
    checks_to_answer_check: Fraction | None


def plan_answer(
    claims: int,
    *,
    claims_per_batch: int,
    batch_seconds: Fraction,
    extraction_seconds: Fraction = Fraction(0),
    answer_check_seconds: Fraction | None = None,
) -> AnswerPlan:
    """Work out one answer; ``extraction_seconds`` is of all its extraction calls."""
    checks = _batches(claims, claims_per_batch) * batch_seconds
    return AnswerPlan(
        extraction_seconds=extraction_seconds,
        check_seconds=checks,
        seconds=extraction_seconds + checks,
        checks_to_extraction=checks / extraction_seconds if extraction_seconds else None,
        checks_to_answer_check=checks / answer_check_seconds if answer_check_seconds else None,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class RagasCalls:
    """Calls of a judge and embeddings that the three figures of RAGAS take for one answer."""

    calls: int
    calls_batched: int
    embeddings: int


def ragas_calls(statements: int, questions: int) -> RagasCalls:
    """Count them: extraction, a verdict a statement (or one call), questions, context sentences.

    Source: Es et al., RAGAS (EACL 2024). The answer relevance of n questions compares n embeddings
    with that of the question asked.
    """
    others = 3
    return RagasCalls(calls=others + statements, calls_batched=others + 1, embeddings=questions + 1)


def _ledger(inputs: CostInputs, batches: int) -> Ledger:
    seconds = None if inputs.batch_seconds is None else batches * inputs.batch_seconds
    if inputs.runs_per_day is None:
        return Ledger(batches=batches, seconds=seconds)
    a_day = batches * inputs.runs_per_day
    if inputs.quota is None:
        return Ledger(batches=batches, seconds=seconds, batches_a_day=a_day)
    runs, left = divmod(inputs.quota, batches) if batches else (inputs.runs_per_day, inputs.quota)
    return Ledger(
        batches=batches,
        seconds=seconds,
        batches_a_day=a_day,
        demand=Fraction(a_day, inputs.quota),
        excess=max(0, a_day - inputs.quota),
        whole_runs=runs,
        left=left,
    )


def _batches(claims: int, size: int) -> int:
    return -(-claims // size)
