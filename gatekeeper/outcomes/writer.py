"""Turns decisions into rows and writes them; for one thread, which may block.

Hashes, random numbers and bands are made here, so that the loop does not pay for them.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple

from gatekeeper.errors import StoreError
from gatekeeper.outcomes.records import Stored, Texts, stored, texts_of
from gatekeeper.outcomes.sampling import WeekPlan
from gatekeeper.outcomes.standing import StandingStore
from gatekeeper.outcomes.store import Batch, Drop, Store
from gatekeeper.outcomes.words import week_of
from gatekeeper.policy import Keep, Outcomes
from gatekeeper.protocols import Decision

_PURGE_EVERY_MS = 3_600_000


class Entry(NamedTuple):
    """A decision that waits to be written, when it was made, and the bytes it holds."""

    decision: Decision
    at_ms: int
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """What a writer knows of its installation.

    ``keep`` gives the shares for a week that begins; ``fingerprint`` is the scorer's; ``first_cut``
    parts the scores of a route's first week.
    """

    key: bytes
    outcomes: Outcomes
    keep: Callable[[], Keep]
    fingerprint: str
    first_cut: float


class Writer:
    """Writes to a store, which it opens when first asked and again after a failure.

    Args:
        open_store: Opens the store.
        source: The installation.
        keep_waits: Is told of a route whose shares of this week are not those that are wanted.
    """

    def __init__(
        self,
        open_store: Callable[[], Store],
        source: Source,
        *,
        keep_waits: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._source = source
        self._keep_waits = keep_waits
        self._plans: dict[tuple[str, int], WeekPlan] = {}
        # The shares of a week are those that this very store has fixed.
        self._standing = StandingStore(open_store, replaced=self._plans.clear)
        self._next_purge_ms = 0

    def write(self, entries: Sequence[Entry], drops: Mapping[Drop, int]) -> None:
        """Write entries and drops, all or nothing; delete what is past its days, now and then.

        Raises:
            StoreError: If the store can't be written.
        """
        store = self._standing.get()
        try:
            store.write(self._batch(store, entries, drops))
        except StoreError as error:
            if error.is_passing:
                self.close()
            raise
        self._purge(store, max((entry.at_ms for entry in entries), default=0))

    def close(self) -> None:
        """Close the store."""
        self._standing.close()

    def _batch(self, store: Store, entries: Sequence[Entry], drops: Mapping[Drop, int]) -> Batch:
        decisions: list[Stored] = []
        texts: dict[str, Texts] = {}
        for decision, at_ms, _ in entries:
            made = stored(
                decision,
                at_ms=at_ms,
                key=self._source.key,
                plan=self._plan(store, decision.route, week_of(at_ms)),
                fingerprint=self._source.fingerprint,
            )
            decisions.append(made)
            words = texts_of(decision)
            if made.kept and words is not None and self._source.outcomes.store_text == "sampled":
                texts[made.id] = words
        return Batch(decisions=decisions, texts=texts, drops=drops)

    def _plan(self, store: Store, route: str, week: int) -> WeekPlan:
        plan = self._plans.get((route, week))
        if plan is None:
            keep, cut = self._source.keep(), self._source.first_cut
            plan = store.week_plan(route, week, keep=keep, first_cut=cut)
            # Routes come from the policy; of weeks only the last ones are asked for again.
            for key in [key for key in self._plans if key[1] < week - 1]:
                del self._plans[key]
            self._plans[route, week] = plan
            if plan.keep != keep:
                self._keep_waits(route)
        return plan

    def _purge(self, store: Store, now_ms: int) -> None:
        if now_ms < self._next_purge_ms:
            return
        self._next_purge_ms = now_ms + _PURGE_EVERY_MS
        outcomes = self._source.outcomes
        # What is written is written: a purge that fails is made up for by the next one.
        with suppress(StoreError):
            store.purge(
                now_ms=now_ms,
                retention_days=outcomes.retention_days,
                decision_days=outcomes.decision_days,
            )
