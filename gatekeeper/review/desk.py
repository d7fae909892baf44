"""What reviewers do with the store: take an item, label it, see what the gate thought. Blocking."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from threading import Lock
from time import monotonic
from typing import Protocol

from gatekeeper.core.decide import Side
from gatekeeper.errors import InputError, StoreError
from gatekeeper.outcomes.exchange import item_rows, joined, read_labels
from gatekeeper.outcomes.labels import Agreement, Label, Labels, Remarks, agreement
from gatekeeper.outcomes.review import Item, Progress, Queue
from gatekeeper.outcomes.sampling import number_of
from gatekeeper.outcomes.standing import StandingStore
from gatekeeper.outcomes.store import Shown, Store
from gatekeeper.outcomes.words import WEEK_MS, Truth, quoted
from gatekeeper.review.refusals import RefusedError, not_there
from gatekeeper.review.seals import Seal, Session

MOST_ROWS = 1_000
# Less than a filled table may have (``bodies.MOST_TABLE_BYTES``): what goes out can come back.
MOST_EXPORT_BYTES = 4_000_000
_PAUSE_S = 1.0
_AGREEMENT_MS = 4 * WEEK_MS


class Adjudications(Protocol):
    """Counts what people say; ``WorkerMetrics`` is one."""

    def adjudicated(self, route: str, side: Side, truth: Truth) -> None:
        """Count a label that was stored."""
        ...

    def adjudication_retracted(self, route: str, side: Side, truth: Truth) -> None:
        """Count a label that was taken back."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class TakenIn:
    """What became of the rows of a table."""

    stored: int
    known: int
    blank: int
    faults: tuple[str, ...]


class Desk:
    """The store as reviewers have it; what it raises is a ``StoreError`` unless said.

    Args:
        open_store: Opens the store, at the first request that needs it.
        routes: Gives the paths of the running policy.
        counters: Count labels.
        now_ms: The time.
        key: Makes the order of sides one that nobody knows and nobody changes by asking again.
    """

    def __init__(
        self,
        open_store: Callable[[], Store],
        *,
        routes: Callable[[], Sequence[str]],
        counters: Adjudications,
        now_ms: Callable[[], int],
        key: bytes,
    ) -> None:
        self._standing = StandingStore(open_store)
        self.routes = routes
        self._counters = counters
        self.now_ms = now_ms
        self._key = key
        self._turn = Lock()
        self._failed: tuple[float, StoreError] | None = None

    def close(self) -> None:
        """Give connections back."""
        with self._turn:
            self._standing.close()

    def take(self, reviewer: str) -> Item | None:
        """Return the next decision to label, None if none waits.

        It stays the same until it is labelled, unless others label it or one comes before it: there
        is no way past an item.
        """
        given = Labels(self._store()).given_by(reviewer)
        queue = Queue(self._store(), draw=lambda: number_of(self._key, f"{given}:{reviewer}"))
        items = queue.take(reviewer, self.routes(), now_ms=self.now_ms())
        return items[0] if items else None

    def label(self, label: Label) -> bool:
        """Store a label and count it; False if this reviewer has one in force.

        Raises:
            InputError: If there is no such decision, or no such place in its answer.
        """
        shown = self._store().show(label.decision)
        if shown is None:
            raise InputError("decision", quoted(label.decision), "the id of a stored decision")
        _refuse_outside(label.missed, shown)
        is_new = Labels(self._store()).add(label, at_ms=self.now_ms())
        if is_new:
            self._counters.adjudicated(*_counted(shown), label.truth)
        return is_new

    def undo(self, decision: str, reviewer: str) -> bool:
        """Take a label back and count that; False if there is none in force, or no decision."""
        shown = self._store().show(decision)
        if shown is None:
            return False
        truth = Labels(self._store()).undo(decision, reviewer, at_ms=self.now_ms())
        if truth is not None:
            self._counters.adjudication_retracted(*_counted(shown), truth)
        return truth is not None

    def remark(self, decision: str, reviewer: str, remarks: Remarks) -> None:
        """Store what is said of the gate.

        Raises:
            InputError: If there is no such claim, or no such place in the answer.
            RefusedError: If this reviewer has no label in force.
        """
        shown = self._shown(decision)
        if not _has_label(shown, reviewer):
            raise not_there()
        _refuse_absent(remarks.claims, len(shown.decision.claims))
        _refuse_outside(remarks.missed, shown)
        if not Labels(self._store()).remark(decision, reviewer, remarks):
            raise not_there()

    def show(self, decision: str, session: Session) -> Shown:
        """Return a decision to whoever may see it: who has labelled it, and admins.

        Of labels a reviewer sees their own.

        Raises:
            RefusedError: If it is not there or not for them.
        """
        shown = self._shown(decision)
        if session.is_admin:
            return shown
        if not _has_label(shown, session.name):
            raise not_there()
        own = tuple(row for row in shown.labels if row["reviewer"] == session.name)
        return Shown(decision=shown.decision, texts=shown.texts, labels=own)

    def progress(self, session: Session) -> list[Progress]:
        """Return how far the labels of the last weeks are."""
        queue = Queue(self._store())
        return queue.progress(session.name, self.routes(), now_ms=self.now_ms())

    def agreement(self) -> dict[str, Agreement]:
        """Return how far two people agree, by route, over four weeks."""
        end_ms = self.now_ms()
        labels = Labels(self._store())
        return {
            route: agreement(labels.pairs(route, end_ms - _AGREEMENT_MS, end_ms + 1))
            for route in self.routes()
        }

    def export(self, reviewer: str, routes: Sequence[str], count: int, *, seal: Seal) -> bytes:
        """Return what to label next as a table, of fewer rows where more would be too large."""
        queue = Queue(self._store())
        table = bytearray()

        def ticket(item: Item) -> str:
            return seal.ticket(reviewer, item.decision, item.seen_ms)

        with closing(queue.walk(reviewer, routes, now_ms=self.now_ms(), count=count)) as items:
            rows = item_rows(items, ticket=ticket)
            for number, row in enumerate(rows):
                line = row.encode("utf-8", "replace")
                # Head and first row go out at any length, or nobody would get past that decision.
                if number > 1 and len(table) + len(line) > MOST_EXPORT_BYTES:
                    break
                table += line
        return bytes(table)

    def take_in(self, table: str, session: Session, *, seal: Seal) -> TakenIn:
        """Store the labels of a filled table; a row without a ticket is a label of now.

        Raises:
            RefusedError: If it has more rows than one request may.
        """
        found = read_labels(table, reviewer=session.name)
        if len(found.labels) > MOST_ROWS:
            at_most = f"at most {MOST_ROWS:,} at once"
            raise RefusedError(413, f"{len(found.labels):,} labels", at_most, "split the table")
        stored, known, faults = 0, 0, list(found.faults)
        for line, read, ticket in zip(found.lines, found.labels, found.tickets, strict=True):
            label = replace(read, role=session.role)
            if not ticket:
                label = replace(label, seen_ms=self.now_ms())
            elif not seal.is_ticket(ticket, label.reviewer, label.decision, label.seen_ms):
                expected = "that of this row as you were given it, or none for a label of now"
                faults.append(f"line {line}: ticket: found another one, expected {expected}")
                continue
            try:
                is_new = self.label(label)
            except InputError as error:
                faults.append(f"line {line}: {error}")
                continue
            stored, known = stored + is_new, known + (not is_new)
        return TakenIn(stored=stored, known=known, blank=found.blank, faults=tuple(faults))

    def _store(self) -> Store:
        """Return the store; who comes just after one that failed to open it is told the same.

        Raises:
            StoreError: If it can't be opened.
        """
        with self._turn:
            if self._failed is not None and monotonic() - self._failed[0] < _PAUSE_S:
                raise self._failed[1]
            try:
                return self._standing.get()
            except StoreError as error:
                self._failed = monotonic(), error
                raise

    def _shown(self, decision: str) -> Shown:
        shown = self._store().show(decision)
        if shown is None:
            raise not_there()
        return shown


def _has_label(shown: Shown, reviewer: str) -> bool:
    return any(row["reviewer"] == reviewer and row["undone_ms"] is None for row in shown.labels)


def _refuse_outside(missed: Sequence[tuple[int, int]], shown: Shown) -> None:
    """Refuse places that the answer does not have; where no text is stored any may be one."""
    if shown.texts is None:
        return
    length = len(joined(shown.texts.answers))
    for start, end in missed:
        if end > length:
            raise InputError("missed", f"{start}-{end}", f"offsets from 0 to {length}")


def _refuse_absent(wanted: Iterable[int], claims: int) -> None:
    """Refuse positions of claims that an answer does not have."""
    for claim in wanted:
        if claim >= claims:
            expected = f"positions from 0 to {claims - 1}" if claims else "none: no claim was found"
            raise InputError("claims", quoted(claim), expected)


def _counted(shown: Shown) -> tuple[str, Side]:
    return shown.decision.route, Side(shown.decision.side)
