"""What reviewers say: written, undone, and brought to one truth a decision.

A reviewer's first label counts; it is undone, never changed. A second person's label that differs
makes the answer "can't tell" until a third agrees with one of the two.
"""

import json
import uuid
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, Update, func, select, update
from sqlalchemy.dialects import postgresql, sqlite

from gatekeeper.errors import InputError
from gatekeeper.outcomes.schema import DECISIONS, LABELS
from gatekeeper.outcomes.store import Store
from gatekeeper.outcomes.words import DAY_MS, Harm, Role, Truth, quoted

_LONGEST_NAME, _LONGEST_NOTE, _MOST_MISSED, _MOST_CLAIMS = 100, 2_000, 100, 1_000

# How far the clock of the machine that a label is given at may be behind that of the gate's.
_CLOCKS_MS = DAY_MS


def _new_id() -> str:
    return uuid.uuid4().hex


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """One person's word on one answer.

    ``source_wrong`` says that the passages themselves are wrong, and never changes ``truth``.
    ``missed`` holds offsets of claims that were not taken for claims, in the answer, or in all of
    them as they are joined in a table. ``seen_ms`` is when the decision was handed to the reviewer:
    what was stored later can't have been passed over.

    Raises:
        InputError: If a field says what it can't.
    """

    decision: str
    reviewer: str
    truth: Truth
    seen_ms: int
    role: Role = Role.REVIEW
    source_wrong: bool = False
    harm: Harm | None = None
    note: str = ""
    missed: tuple[tuple[int, int], ...] = ()

    def __post_init__(self) -> None:
        if not 0 < len(self.reviewer.strip()) <= _LONGEST_NAME:
            expected = f"a name of 1 to {_LONGEST_NAME} characters"
            raise InputError("reviewer", quoted(self.reviewer), expected)
        if len(self.note) > _LONGEST_NOTE:
            found = f"{len(self.note):,} characters"
            raise InputError("note", found, f"at most {_LONGEST_NOTE:,} characters")
        _refuse_missed(self.missed)
        if self.harm is not None and self.truth is not Truth.WRONG:
            found = f"{quoted(str(self.harm))} on truth {quoted(str(self.truth))}"
            raise InputError("harm", found, "none: leave harm empty unless truth is 'wrong'")


@dataclass(frozen=True, slots=True, kw_only=True)
class Remarks:
    """What a reviewer, who has labelled an answer and seen its verdict, says of the gate's claims.

    ``claims`` are positions of claims whose status is wrong, ``missed`` offsets as in a label.

    Raises:
        InputError: If a field says what it can't.
    """

    claims: tuple[int, ...] = ()
    missed: tuple[tuple[int, int], ...] = ()

    def __post_init__(self) -> None:
        if len(self.claims) > _MOST_CLAIMS:
            raise InputError("claims", f"{len(self.claims):,}", f"at most {_MOST_CLAIMS:,}")
        for claim in self.claims:
            if claim < 0:
                raise InputError("claims", quoted(claim), "positions, counted from 0")
        _refuse_missed(self.missed)


class Labels:
    """The labels of a store. What it raises is a ``StoreError`` unless said.

    Args:
        store: The store.
        new_id: Makes the id of a label.
    """

    def __init__(self, store: Store, *, new_id: Callable[[], str] = _new_id) -> None:
        self._store = store
        self._new_id = new_id

    def add(self, label: Label, *, at_ms: int) -> bool:
        """Store a label; False if this reviewer has one in force on this decision.

        Raises:
            InputError: If there is no such decision.
        """
        row = {
            "id": self._new_id(),
            "decision_id": label.decision,
            "reviewer": label.reviewer.strip(),
            "role": str(label.role),
            "truth": str(label.truth),
            "source_wrong": label.source_wrong,
            "harm": None if label.harm is None else str(label.harm),
            "note": json.dumps(label.note) if label.note else "",
            "missed": json.dumps(label.missed),
            "seen_ms": label.seen_ms,
            "at_ms": at_ms,
            "undone_ms": None,
        }
        with self._store.transaction() as connection:
            known = select(DECISIONS.c.id).where(DECISIONS.c.id == label.decision)
            if connection.execute(known).first() is None:
                raise InputError("decision", quoted(label.decision), "the id of a stored decision")
            dialect = postgresql if connection.dialect.name == "postgresql" else sqlite
            insert = dialect.insert(LABELS).values(row).on_conflict_do_nothing()
            return connection.execute(insert.returning(LABELS.c.id)).first() is not None

    def undo(self, decision: str, reviewer: str, *, at_ms: int) -> Truth | None:
        """Take a reviewer's label back and return what it said; None if there is none in force."""
        in_force = self._in_force(decision, reviewer).values(undone_ms=at_ms)
        with self._store.transaction() as connection:
            truth = connection.execute(in_force.returning(LABELS.c.truth)).scalar()
        return None if truth is None else Truth(truth)

    def remark(self, decision: str, reviewer: str, remarks: Remarks) -> bool:
        """Store what is said of the gate beside a label in force, the last word; False for none."""
        said = json.dumps({"claims": remarks.claims, "missed": remarks.missed})
        with self._store.transaction() as connection:
            written = connection.execute(self._in_force(decision, reviewer).values(remarks=said))
        return written.rowcount > 0

    def given_by(self, reviewer: str) -> int:
        """Return how many labels a person has ever given, undone ones too."""
        query = select(func.count()).where(LABELS.c.reviewer == reviewer.strip())
        with self._store.transaction() as connection:
            return int(connection.execute(query).scalar_one())

    @staticmethod
    def _in_force(decision: str, reviewer: str) -> Update:
        return update(LABELS).where(
            LABELS.c.decision_id == decision,
            LABELS.c.reviewer == reviewer.strip(),
            LABELS.c.undone_ms.is_(None),
        )

    def pairs(self, route: str, start_ms: int, end_ms: int) -> list[tuple[Truth, Truth]]:
        """Return the labels of two people on one decision, the people in the order of names."""
        # By an expression again: the index of the ids would have all labels there are looked at.
        of_two = (
            select(func.min(LABELS.c.decision_id))
            .where(*_in_force_since(start_ms))
            .group_by(LABELS.c.decision_id.concat(""))
            .having(func.count() == 2)
        )
        query = (
            select(LABELS.c.decision_id, LABELS.c.truth)
            .join(DECISIONS, DECISIONS.c.id == LABELS.c.decision_id)
            .where(LABELS.c.decision_id.in_(of_two), *in_force_within([route], start_ms, end_ms))
            .order_by(LABELS.c.decision_id, LABELS.c.reviewer)
        )
        with self._store.transaction() as connection:
            rows = connection.execute(query).all()
        found: dict[str, list[Truth]] = {}
        for decision, truth in rows:
            found.setdefault(decision, []).append(Truth(truth))
        return [(truths[0], truths[1]) for truths in found.values()]


def in_force_within(
    routes: Sequence[str], start_ms: int, end_ms: int
) -> tuple[ColumnElement[bool], ...]:
    """Return the conditions on labels, joined with decisions: in force, on decisions of a time.

    The search is to begin with the labels: there may be a hundred times as many decisions. So the
    conditions on these are expressions, which lend themselves to no index, and labels from before
    that time are left out by one of their own.
    """
    return (
        *_in_force_since(start_ms),
        DECISIONS.c.route.concat("").in_(routes),
        DECISIONS.c.at_ms + 0 >= start_ms,
        DECISIONS.c.at_ms + 0 < end_ms,
    )


def _in_force_since(start_ms: int) -> tuple[ColumnElement[bool], ...]:
    return LABELS.c.undone_ms.is_(None), LABELS.c.at_ms >= start_ms - _CLOCKS_MS


def _refuse_missed(missed: Sequence[tuple[int, int]]) -> None:
    if len(missed) > _MOST_MISSED:
        raise InputError("missed", f"{len(missed):,}", f"at most {_MOST_MISSED} of START-END")
    for start, end in missed:
        if not 0 <= start < end:
            expected = "START-END with an end behind its start"
            raise InputError("missed", f"{start}-{end}", expected)


def settled(truths: Iterable[Truth]) -> Truth:
    """Return what several labels come to: what more than half say, else "can't tell"."""
    votes = Counter(truths)
    truth, most = votes.most_common(1)[0]
    return truth if 2 * most > votes.total() else Truth.CANNOT_TELL


def settled_harm(words: Iterable[Harm | None]) -> Harm:
    """Return what several words on harm come to; who says none has no vote."""
    votes = Counter(word for word in words if word is not None)
    word, most = votes.most_common(1)[0] if votes else (Harm.CANNOT_TELL, 0)
    return word if 2 * most > votes.total() else Harm.CANNOT_TELL


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """How far two people agree. ``kappa`` is None where chance alone explains all of it."""

    counts: Mapping[tuple[Truth, Truth], int]
    kappa: float | None

    @property
    def decisions(self) -> int:
        """How many decisions two people labelled."""
        return sum(self.counts.values())


def agreement(pairs: Sequence[tuple[Truth, Truth]]) -> Agreement:
    """Return Cohen's kappa with its counts.

    Source: Cohen, A coefficient of agreement for nominal scales (1960). With more than two people
    it is that of the two columns, whoever fills them.
    """
    counts = Counter(pairs)
    n = len(pairs)
    first, second = Counter(one for one, _ in pairs), Counter(other for _, other in pairs)
    same = sum(counts[truth, truth] for truth in Truth)
    by_chance = sum(first[truth] * second[truth] for truth in Truth)
    # n * n times 1 minus the agreement by chance; an integer, so that it is 0 exactly or not.
    room = n * n - by_chance
    return Agreement(counts=dict(counts), kappa=(n * same - by_chance) / room if room else None)
