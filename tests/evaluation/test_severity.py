"""How bad an answer is: rules in their order, critical claims by mark and by kind."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatekeeper.evaluation.rows import ClaimMark, Row
from gatekeeper.evaluation.run import Evaluated
from gatekeeper.evaluation.severity import (
    Critical,
    Severity,
    Weighed,
    severity,
    severity_record,
    severity_table,
    weigh,
)
from gatekeeper.verdict import (
    ClaimStatus,
    ClaimVerdict,
    Evidence,
    UnresolvedReason,
    Verdict,
)

S, C, U, F, R = (
    ClaimStatus.SUPPORTED,
    ClaimStatus.CONTRADICTED,
    ClaimStatus.UNSUPPORTED,
    ClaimStatus.CONFLICTING,
    ClaimStatus.UNRESOLVED,
)


def claims(*statuses: ClaimStatus, critical: int | None = None) -> list[Weighed]:
    """Make claims, one of them critical."""
    return [
        Weighed(status=status, critical=place == critical) for place, status in enumerate(statuses)
    ]


def item(*parts: tuple[str, ClaimStatus], marks: tuple[ClaimMark, ...] | None = None) -> Evaluated:
    """Make a checked answer of sentences with their statuses."""
    found: list[ClaimVerdict] = []
    answer = ""
    for text, status in parts:
        start, answer = len(answer), answer + text + " "
        is_open = status is R
        found.append(
            ClaimVerdict(
                start=start,
                end=len(answer),
                text=text + " ",
                status=status,
                support=None,
                contradiction=None,
                score=None if is_open else 0.0,
                unresolved=UnresolvedReason.BUDGET if is_open else None,
            )
        )
    row = Row(line=1, id="a", evidence=Evidence(passages=()), answer=answer, claims=marks)
    return Evaluated(row=row, verdict=Verdict(claims=tuple(found)))


@pytest.mark.parametrize(
    ("given_claims", "expected"),
    [
        ([], None),
        (claims(S), Severity.NONE),
        (claims(S, S, S), Severity.NONE),
        (claims(U), Severity.COMPLETE),
        (claims(C, U), Severity.COMPLETE),
        (claims(S, U), Severity.MINOR),
        (claims(S, U, critical=0), Severity.MINOR),
        (claims(S, U, critical=1), Severity.MAJOR),
        (claims(S, C), Severity.MAJOR),
        (claims(S, F), Severity.MAJOR),
        (claims(S, U, U), Severity.MAJOR),
        (claims(R), Severity.UNDECIDED),
        (claims(S, R), Severity.UNDECIDED),
        (claims(U, R), Severity.UNDECIDED),
        (claims(S, U, R), Severity.UNDECIDED),
        (claims(S, U, U, R), Severity.MAJOR),
        (claims(S, C, R), Severity.MAJOR),
    ],
)
def test_first_rule_that_fits(given_claims: list[Weighed], expected: Severity | None) -> None:
    """A single contradicted side remark is major; the stricter choice."""
    assert severity(given_claims) is expected


def test_missing_timeout_is_major() -> None:
    """Four statements, the one that was asked for unsupported: F = 3/4, critical 0 of 1."""
    four = claims(S, S, U, S, critical=2)

    assert severity(four) is Severity.MAJOR
    assert sum(claim.status is S for claim in four) / 4 == 3 / 4
    assert [claim.status is S for claim in four if claim.critical] == [False]


def test_invented_cause_is_major_only_where_the_cause_is_critical() -> None:
    """Three claims of four supported, the cause not."""
    assert severity(claims(S, S, U, S, critical=2)) is Severity.MAJOR
    assert severity(claims(S, S, U, S)) is Severity.MINOR


def test_wrong_rate_and_narrowed_refund_are_major() -> None:
    """Each has a contradicted claim beside supported ones."""
    assert severity(claims(C, S)) is Severity.MAJOR
    assert severity(claims(C, S, S, U, S)) is Severity.MAJOR
    assert severity(claims(C, S, S, S, S)) is Severity.MAJOR


@given(st.lists(st.tuples(st.sampled_from([S, C, U, F, R]), st.booleans()), min_size=1, max_size=5))
def test_undecided_is_what_hangs_on_unresolved_claims(
    drawn: list[tuple[ClaimStatus, bool]],
) -> None:
    """Whatever the unresolved ones turn out to be, a severity that was told does not change."""
    places = [n for n, (status, _) in enumerate(drawn) if status is R]
    outcomes = set()
    for given_to in product([S, C, U, F], repeat=len(places)):
        filled = dict(zip(places, given_to, strict=True))
        outcomes.add(
            severity(
                [
                    Weighed(status=filled.get(n, status), critical=critical)
                    for n, (status, critical) in enumerate(drawn)
                ]
            )
        )

    told = severity([Weighed(status=status, critical=critical) for status, critical in drawn])

    assert told is (Severity.UNDECIDED if len(outcomes) > 1 else outcomes.pop())


@pytest.mark.parametrize(
    ("kind", "text", "other"),
    [
        (Critical.MONEY, "It costs 40 euros.", "It takes 40 days."),
        (Critical.DURATION, "It takes 40 days.", "It costs 40 euros."),
        (Critical.DATE, "It ended on 3 March 2024.", "It ended soon."),
        (Critical.DOSAGE, "Take 200 mg after meals.", "Drive 200 km after lunch."),
        (Critical.IDENTIFIER, "The error is E-4711.", "The error is 4."),
        (Critical.URL, "See https://shop.example/help.", "See the page."),
        (Critical.NEGATION, "You can’t return it.", "You can return it."),
        (Critical.NEGATION, "It is never shipped.", "It is nicely shipped."),
    ],
)
def test_kinds_that_are_named_are_critical(kind: Critical, text: str, other: str) -> None:
    """A wrong dose does damage that a wrong adjective does not."""
    checked = item((text, U), (other, U))

    assert [claim.critical for claim in weigh(checked, [kind])] == [True, False]
    assert [claim.critical for claim in weigh(checked)] == [False, False]


def test_marked_claims_are_critical() -> None:
    """A mark covers the sentence without the blank that the slice takes along."""
    marks = (ClaimMark(start=0, end=13), ClaimMark(start=14, end=27, critical=True))
    checked = item(("The lamp is a", S), ("The door is b", U), marks=marks)

    assert [claim.critical for claim in weigh(checked)] == [False, True]


def test_table_counts_answers_and_critical_claims() -> None:
    """Answers without claims are counted as undefined."""
    marks = (ClaimMark(start=0, end=8, critical=True),)
    table = severity_table(
        [
            item(("It is on", S), marks=marks),
            item(("It is on", U), ("It is red", S), marks=marks),
            item(),
        ]
    )

    assert (table.counts[Severity.NONE], table.counts[Severity.MAJOR]) == (1, 1)
    assert (table.undefined, table.critical, table.critical_supported) == (1, 2, 1)
    assert severity_record(table)["critical_supported"] == 1
    assert severity_record(table)["marking"] == "as marked"


def test_table_says_where_nothing_is_marked() -> None:
    """No critical claim then means nobody looked, not that none failed."""
    record = severity_record(severity_table([item(("It is on", U))]))

    assert record["critical_claims"] is record["critical_supported"] is None
    assert record["marking"] == "nothing is marked: no claim is critical"
    assert record["answers"] == {
        "none": 0,
        "minor": 0,
        "major": 0,
        "complete": 1,
        "undecided": 0,
    }


def test_named_kinds_are_told() -> None:
    """Two results with other kinds are not compared."""
    record = severity_record(severity_table([item(("It is on", S))], [Critical.URL]))

    assert (record["critical_kinds"], record["critical_claims"]) == (["url"], 0)
