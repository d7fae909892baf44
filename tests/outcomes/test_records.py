"""A decision as it is stored: everything that counts, nothing that was said."""

import json
from dataclasses import fields, replace

import pytest

from gatekeeper.core.decide import Side
from gatekeeper.outcomes.records import (
    REASON_CODES,
    Stored,
    StoredClaim,
    Texts,
    answer_hash,
    evidence_hash,
    reason_code,
    side_of,
    texts_of,
)
from gatekeeper.outcomes.schema import DECISIONS, TEXTS
from gatekeeper.outcomes.words import Band
from gatekeeper.policy import Keep
from gatekeeper.protocols import Decision
from gatekeeper.verdict import (
    Action,
    ClaimStatus,
    ClaimVerdict,
    Evidence,
    NotCheckedReason,
    Passage,
    PremiseRef,
    UnresolvedReason,
    Verdict,
)
from tests.outcomes.made import KEY, NOON_MS, PASSAGES, PLAN, accepted, decision, made, unchecked


def claim(**changes: object) -> ClaimVerdict:
    """Return a contradicted claim about cups."""
    plain = ClaimVerdict(
        start=0,
        end=13,
        text="Cups are red.",
        status=ClaimStatus.CONTRADICTED,
        support=0.1,
        contradiction=0.9,
        score=0.0,
        passages=("b", "a"),
        premises=(PremiseRef(passage="b", start=0, end=14),),
        reason="'red' clashes with what stands in passage b (colour)",
    )
    return replace(plain, **changes)  # type: ignore[arg-type]


def test_columns_are_the_fields() -> None:
    """A field that is forgotten in the table is one that nobody finds again."""
    assert [column.name for column in DECISIONS.columns] == [f.name for f in fields(Stored)]


def test_decision_comes_back_as_it_was() -> None:
    """One form for store, command line and page."""
    verdict = Verdict(claims=(claim(), claim(start=14, end=20)), fingerprint="f")
    before = made(decision(verdict=verdict))

    row = json.loads(json.dumps(before.row()))

    assert Stored.of_row(row) == before
    assert before.claims[0] == StoredClaim(
        start=0,
        end=13,
        status="CONTRADICTED",
        reason="value_clash",
        support=0.1,
        contradiction=0.9,
        score=0.0,
        passages=(1, 0),
        premises=((1, 0, 14),),
    )


def test_claim_knows_its_answer() -> None:
    """Claims of several choices are one list; an offset means nothing without its text."""
    answers = ("Cups are red. So it is.", None, "Cups are red.", "Hi. Cups are red.")
    claims = (claim(), claim(start=14, end=23, text="So it is."), claim(), claim(start=4, end=17))

    one = made(decision(verdict=Verdict(claims=claims, fingerprint="f"), answers=answers))

    assert [found.answer for found in one.claims] == [0, 0, 2, 3]


def test_claim_stored_before_answers_were_told_apart_is_of_the_first() -> None:
    """A row of an older version has no such field."""
    row = made(decision(verdict=Verdict(claims=(claim(),), fingerprint="f"))).row()
    claims = [
        {k: v for k, v in one.items() if k != "answer"} for one in json.loads(str(row["claims"]))
    ]

    assert Stored.of_row({**row, "claims": json.dumps(claims)}).claims[0].answer == 0


def test_no_word_of_answer_or_passages_is_stored() -> None:
    """Reasons in words quote the answer and ids may be titles: neither gets into a row."""
    quoting = claim(reason="'crimson' clashes with what stands in passage Price list (colour)")
    verdict = Verdict(claims=(quoting,), fingerprint="f")
    evidence = Evidence(passages=(Passage(id="Price list of Acme", text="Cups are blue."),))
    given = decision(verdict=verdict, answers=("Cups are crimson.",), evidence=evidence)

    written = json.dumps(made(given).row())

    for word in ("Cups", "crimson", "blue", "Price", "Acme"):
        assert word not in written


def test_texts_come_back_as_they_were() -> None:
    """Zero characters and lone surrogates arrive, and no database takes them as they are."""
    texts = Texts(
        answers=("a\0b", None), question="\ud800?", passages=(Passage(id="\0", text="é"),)
    )

    row = texts.row("id", NOON_MS)

    assert Texts.of_row(row) == texts
    assert str(row["answers"]).isascii()
    assert set(row) == {column.name for column in TEXTS.columns}
    assert texts_of(unchecked()) is None


@pytest.mark.parametrize(
    ("reason", "status", "code"),
    [
        ("'14' clashes with what stands in passage a (x)", ClaimStatus.CONTRADICTED, "value_clash"),
        ("'14' stands in no passage", ClaimStatus.UNSUPPORTED, "absent"),
        ("stands in no passage letter by letter", ClaimStatus.UNSUPPORTED, "literal"),
        ("stands in the passage word for word", ClaimStatus.SUPPORTED, "verbatim"),
        ("[4] names no passage", ClaimStatus.UNSUPPORTED, "unknown_citation"),
        ("follows from the passage", ClaimStatus.SUPPORTED, "supported"),
        ("follows from no passage", ClaimStatus.UNSUPPORTED, "no_support"),
        ("the passage says otherwise", ClaimStatus.CONTRADICTED, "contradicted"),
        ("one passage supports it", ClaimStatus.CONFLICTING, "passages_conflict"),
    ],
)  # fmt: skip
def test_reason_becomes_a_code(reason: str, status: ClaimStatus, code: str) -> None:
    """The code says which rule decided, the words say what the answer said."""
    assert reason_code(claim(reason=reason, status=status)) == code
    assert code in REASON_CODES


def test_open_claim_says_why() -> None:
    """A claim without a status has the reason it has none for."""
    open_ = claim(
        status=ClaimStatus.UNRESOLVED,
        support=None,
        contradiction=None,
        score=None,
        unresolved=UnresolvedReason.BUDGET,
    )

    assert reason_code(open_) == "budget"


@pytest.mark.parametrize(
    ("given", "side"),
    [
        (decision(), Side.BLOCKED),
        (decision(would=Action.REDACT), Side.BLOCKED),
        (decision(would=Action.ANNOTATE), Side.ACCEPTED),
        (accepted(), Side.ACCEPTED),
        (unchecked(), Side.UNCHECKED),
        (unchecked(would=Action.BLOCK), Side.BLOCKED),
        (accepted(late=True), Side.UNCHECKED),
        (accepted(late=True, would=Action.WITHHOLD), Side.BLOCKED),
    ],
)
def test_side_is_what_the_policy_does(given: Decision, side: Side) -> None:
    """In shadow the side is where the decision would lie; one too late would have no verdict."""
    assert side_of(given) is side


@pytest.mark.parametrize(
    ("action", "delivered", "kept"),
    [
        (Action.RELEASE, True, True),
        (Action.ANNOTATE, True, True),
        (Action.REDACT, False, True),
        (Action.BLOCK, False, True),
        (None, False, False),
    ],
)
def test_delivered_is_what_reached_the_client_whole(
    action: Action | None, *, delivered: bool, kept: bool
) -> None:
    """The error of what users got counts what they got; where nothing was there is nothing."""
    found = made(decision(action=action))

    assert (found.delivered, found.kept) == (delivered, kept)


def test_kept_is_the_share_of_its_stratum() -> None:
    """Of 500 decisions a share of 0.3 keeps those with the smallest numbers."""
    plan = replace(PLAN, keep=Keep(blocked=0.3))

    rows = [made(decision(n), plan=plan) for n in range(500)]

    assert all(row.kept == (row.u < 0.3) for row in rows)
    assert 110 < sum(row.kept for row in rows) < 190


def test_score_decides_the_band() -> None:
    """Accepted answers with low scores are where the missed ones are."""
    assert made(accepted(), plan=replace(PLAN, cut=0.5)).band == Band.HIGH
    assert made(decision(would=Action.ANNOTATE)).band == Band.LOW


def test_fingerprint_of_what_was_not_checked_is_the_running_one() -> None:
    """Figures of two scorers are not pooled, and what was not checked belongs to one of them."""
    assert made(unchecked()).fingerprint == "running"
    assert made(accepted()).fingerprint == "fake-gate"


def test_hashes_find_what_was_said_only_with_the_key() -> None:
    """Who has an answer and the key finds its decision; who has the store alone finds nothing."""
    found = made(decision())
    answers = ("Refunds take 14 days. Cups are red.",)

    assert found.answer_hmac == answer_hash(KEY, answers)
    assert found.answer_hmac != answer_hash(b"another key, 16+", answers)
    assert found.evidence_hmac == evidence_hash(KEY, Evidence(passages=PASSAGES))
    assert made(unchecked(reason=NotCheckedReason.SIZE)).answer_hmac is None
