"""Scored rows made by hand or at random, for tests of what is computed from them."""

import random

from benchmarks.scoring import ScoredClaim, ScoredPremise, ScoredRow


def premise(
    entailment: float,
    contradiction: float = 0.0,
    *,
    joint: bool = False,
    verbatim: bool = False,
    passages: tuple[int, ...] = (0,),
    known: float = 1.0,
) -> ScoredPremise:
    """Make a premise."""
    return ScoredPremise(
        entailment=entailment,
        contradiction=contradiction,
        tokens=40 if joint else 10,
        verbatim=verbatim,
        joint=joint,
        passages=passages,
        known=known,
        words=3,
    )


def claim(*premises: ScoredPremise, fixed: str | None = None, absent: bool = False) -> ScoredClaim:
    """Make a claim; a fixed contradiction is one of the guard's."""
    return ScoredClaim(
        clashing=fixed == "CONTRADICTED", absent=absent, fixed=fixed, premises=premises
    )


def row(
    *claims: ScoredClaim,
    wrong: bool = False,
    name: str = "a",
    dataset: str = "one",
    meta: str = "{}",
) -> ScoredRow:
    """Make a row; its group is its name."""
    return ScoredRow(
        dataset=dataset,
        id=name,
        group=name,
        wrong=wrong,
        unchecked=None if claims else "NO_CLAIMS",
        claims=claims,
        meta=meta,
        scorer="s",
    )


def drawn(n: int, *, seed: int = 0, dataset: str = "one", claims: int = 1) -> list[ScoredRow]:
    """Draw rows whose entailment and known words tell right from wrong, with much noise."""
    source = random.Random(seed)  # noqa: S311  # no secret
    found = []
    for number in range(n):
        wrong = source.random() < 0.5
        made = []
        for position in range(claims):
            bad = wrong and position == 0
            made.append(
                claim(
                    *(
                        premise(
                            min(max(source.gauss(0.35 if bad else 0.65, 0.25), 0.01), 0.99),
                            source.random() * 0.3,
                            known=min(max(source.gauss(0.6 if bad else 0.8, 0.2), 0.0), 1.0),
                        )
                        for _ in range(2)
                    )
                )
            )
        name = f"{number % 16:x}{number:04d}"
        found.append(row(*made, wrong=wrong, name=name, dataset=dataset))
    return found
