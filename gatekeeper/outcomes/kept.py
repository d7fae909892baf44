"""The labelled sample of a route, to be judged again: what was asked, answered and found.

Decisions of every scorer are in it: a label is on an answer, whoever judged that, and strata are
drawn from whatever the scorer. A row stands for decisions / usable labels of its stratum, where
usable means that there is something to judge: the texts, or a verdict that no gate could change,
for answer or passages were never read. A week without such labels has the shares of the other
weeks of its side and band.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import Connection, select

from gatekeeper.core.decide import Side
from gatekeeper.outcomes.counts import (
    Labelled,
    Span,
    is_in_order,
    read_blockers,
    read_labelled,
    read_sizes,
    within,
)
from gatekeeper.outcomes.records import Texts
from gatekeeper.outcomes.schema import DECISIONS, TEXTS
from gatekeeper.outcomes.store import Store
from gatekeeper.outcomes.words import Band, Truth
from gatekeeper.verdict import NotCheckedReason, Outcome, UnresolvedReason, Verdict, unresolved

# Of answers that were not checked: those with text and passages that another gate may read.
_OF_THE_GATE = frozenset({str(NotCheckedReason.LANGUAGE), str(NotCheckedReason.NO_CONTEXT)})

_FACTS = ("id", "verdict", "reason", "answer_hmac", "evidence_hmac", "fingerprint")
# Ids in one query; SQLite takes 32,766 at most.
_CHUNK = 500


class Key(NamedTuple):
    """A stratum of one route."""

    week: int
    side: Side
    band: Band

    @property
    def name(self) -> str:
        """Side and band, in words."""
        return str(self.side) if self.band is Band.ONE else f"{self.side} ({self.band} scores)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A labelled decision: its texts, or the verdict that stands whatever the gate."""

    decision: str
    stratum: Key
    truth: Truth
    weight: float
    texts: Texts | None = None
    standing: Verdict | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """What a stratum holds: decisions that can be looked at, labels that count, usable ones."""

    decisions: int
    labels: int = 0
    usable: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """The sample of a span. ``told`` has, by name, how many usable labels say what the answer is.

    ``without_text`` counts labels that count on answers whose texts are gone or were not stored.
    """

    rows: Sequence[Row]
    strata: Mapping[Key, Held]
    told: Mapping[str, int]
    without_text: int
    out_of_order: int
    scorers: int

    @property
    def decisions(self) -> int:
        """All of them."""
        return sum(held.decisions for held in self.strata.values())

    def decisions_of(self, name: str) -> int:
        """Those of a side and band."""
        return sum(held.decisions for key, held in self.strata.items() if key.name == name)

    @property
    def left_out(self) -> int:
        """Unchecked decisions, if no label tells anything of them: they are in no rate."""
        name = str(Side.UNCHECKED)
        return 0 if self.told.get(name) else self.decisions_of(name)

    @property
    def names(self) -> tuple[str, ...]:
        """Side and band of what there is, in order."""
        return tuple(dict.fromkeys(key.name for key in sorted(self.strata, key=_order)))


def read_kept(store: Store, span: Span) -> Kept:
    """Return the labelled sample of a span."""
    with store.transaction() as connection:
        # Where nothing was left to deliver there is nothing to look at, and nothing is kept.
        where = (*within(span), DECISIONS.c.action.is_not(None))
        sizes = [(cell, size) for _, cell, size in read_sizes(connection, where)]
        labelled = read_labelled(connection, span)
        blockers = read_blockers(connection, span.route, labelled)
        valid = [one for one in labelled if is_in_order(one, blockers)]
        facts = _facts(connection, [one.decision for one in valid])
        texts = _texts(connection, [one.decision for one in valid])
    decisions: dict[Key, int] = {}
    for cell, size in sizes:
        key = _key(cell.stratum)
        decisions[key] = decisions.get(key, 0) + size.decisions
    usable = [one for one in valid if one.decision in texts or _stands(facts[one.decision])]
    strata = {
        key: Held(
            decisions=number,
            labels=sum(_key(one.cell.stratum) == key for one in valid),
            usable=sum(_key(one.cell.stratum) == key for one in usable),
        )
        for key, number in decisions.items()
    }
    told: dict[str, int] = {}
    for one in usable:
        name = _key(one.cell.stratum).name
        told[name] = told.get(name, 0) + (one.truth is not Truth.CANNOT_TELL)
    weights = _weights(strata)
    return Kept(
        rows=[_row(one, facts[one.decision], texts, weights) for one in usable],
        strata=strata,
        told=told,
        without_text=len(valid) - len(usable),
        out_of_order=len(labelled) - len(valid),
        scorers=len({cell.fingerprint for cell, _ in sizes}),
    )


def _row(
    one: Labelled,
    facts: Mapping[str, Any],
    texts: Mapping[str, Texts],
    weights: Mapping[Key, float],
) -> Row:
    key = _key(one.cell.stratum)
    stands = _stands(facts)
    return Row(
        decision=one.decision,
        stratum=key,
        truth=one.truth,
        weight=weights[key],
        texts=None if stands else texts[one.decision],
        standing=_standing(facts) if stands else None,
    )


def _stands(facts: Mapping[str, Any]) -> bool:
    """Tell whether a verdict is not the gate's, so that no other gate could change it."""
    if facts["verdict"] == Outcome.NOT_CHECKED and facts["reason"] not in _OF_THE_GATE:
        return True
    was_read = facts["answer_hmac"] is not None and facts["evidence_hmac"] is not None
    return not was_read and facts["verdict"] in {Outcome.NOT_CHECKED, Outcome.UNRESOLVED}


def _standing(facts: Mapping[str, Any]) -> Verdict:
    fingerprint, reason = facts["fingerprint"], facts["reason"]
    if facts["verdict"] == Outcome.UNRESOLVED:
        return unresolved(UnresolvedReason(reason), fingerprint=fingerprint)
    return Verdict(not_checked=NotCheckedReason(reason), fingerprint=fingerprint)


def _weights(strata: Mapping[Key, Held]) -> dict[Key, float]:
    """Return what a usable label stands for; the weeks of a name without one are shared out."""
    whole: dict[str, int] = {}
    seen: dict[str, int] = {}
    for key, held in strata.items():
        whole[key.name] = whole.get(key.name, 0) + held.decisions
        if held.usable:
            seen[key.name] = seen.get(key.name, 0) + held.decisions
    return {
        key: held.decisions / held.usable * (whole[key.name] / seen[key.name])
        for key, held in strata.items()
        if held.usable
    }


def _facts(connection: Connection, ids: Sequence[str]) -> dict[str, Mapping[str, Any]]:
    columns = [DECISIONS.c[name] for name in _FACTS]
    found: dict[str, Mapping[str, Any]] = {}
    for start in range(0, len(ids), _CHUNK):
        query = select(*columns).where(DECISIONS.c.id.in_(ids[start : start + _CHUNK]))
        found.update({row["id"]: dict(row) for row in connection.execute(query).mappings()})
    return found


def _texts(connection: Connection, ids: Sequence[str]) -> dict[str, Texts]:
    found: dict[str, Texts] = {}
    for start in range(0, len(ids), _CHUNK):
        query = select(TEXTS).where(TEXTS.c.decision_id.in_(ids[start : start + _CHUNK]))
        for row in connection.execute(query).mappings():
            texts = Texts.of_row(dict(row))
            if any(texts.answers):
                found[row["decision_id"]] = texts
    return found


def _key(stratum: tuple[int, str, str]) -> Key:
    week, side, band = stratum
    return Key(week, Side(side), Band(band))


def _order(key: Key) -> tuple[int, int, int]:
    return list(Side).index(key.side), list(Band).index(key.band), key.week
