"""Labels: the first counts, two that differ count as "can't tell", agreement has its counts."""

from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import event

from gatekeeper.errors import InputError
from gatekeeper.outcomes.labels import Agreement, Label, Labels, Remarks, agreement, settled
from gatekeeper.outcomes.store import Batch, Store
from gatekeeper.outcomes.words import Harm, Truth
from tests.outcomes.made import NOON_MS, ROUTE, decision, made

WRONG, CORRECT, OPEN = Truth.WRONG, Truth.CORRECT, Truth.CANNOT_TELL
FIRST = f"{1:032x}"
ANN = Label(decision=FIRST, reviewer="ann", truth=WRONG, seen_ms=NOON_MS)


@pytest.fixture
def labels(store: Store) -> Labels:
    """Return the labels of a store with two decisions."""
    store.write(Batch(decisions=[made(decision(n)) for n in (1, 2)]))
    return Labels(store)


def truths(store: Store) -> list[tuple[str, str, bool]]:
    """Return what was said of the first decision, by whom, and whether it is in force."""
    found = store.show(FIRST)
    assert found is not None
    return [(row["reviewer"], row["truth"], row["undone_ms"] is None) for row in found.labels]


def test_first_label_counts(store: Store, labels: Labels) -> None:
    """Who has seen what the gate thought must not change what was said before."""
    assert labels.add(ANN, at_ms=NOON_MS)
    assert not labels.add(replace(ANN, truth=CORRECT), at_ms=NOON_MS + 1)

    assert truths(store) == [("ann", "wrong", True)]


def test_undone_label_can_be_given_again(store: Store, labels: Labels) -> None:
    """A slip of the finger is taken back and stays on record."""
    labels.add(ANN, at_ms=NOON_MS)

    assert labels.undo(FIRST, "ann", at_ms=NOON_MS + 1) is WRONG
    assert labels.undo(FIRST, "ann", at_ms=NOON_MS + 2) is None
    assert labels.add(replace(ANN, truth=CORRECT), at_ms=NOON_MS + 3)

    assert truths(store) == [("ann", "wrong", False), ("ann", "correct", True)]


def test_everything_said_is_kept(store: Store, labels: Labels) -> None:
    """Box, harm, note and missed claims come back as they were given."""
    given = replace(
        ANN, source_wrong=True, harm=Harm.HARMFUL, note="see\0 page 4", missed=((3, 9), (20, 30))
    )

    labels.add(given, at_ms=NOON_MS)

    found = store.show(FIRST)
    assert found is not None
    [row] = found.labels
    assert (row["source_wrong"], row["harm"], row["role"]) == (True, "harmful", "review")
    assert (row["note"], row["missed"]) == ('"see\\u0000 page 4"', "[[3, 9], [20, 30]]")
    assert (row["seen_ms"], row["at_ms"]) == (NOON_MS, NOON_MS)


def test_remarks_stand_beside_the_label_in_force(store: Store, labels: Labels) -> None:
    """What the gate got wrong is asked after the label; without one nobody was asked."""
    remarks = Remarks(claims=(1,), missed=((3, 9),))
    assert not labels.remark(FIRST, "ann", remarks)
    labels.add(ANN, at_ms=NOON_MS)

    assert labels.remark(FIRST, "ann", Remarks(claims=(0,)))
    assert labels.remark(FIRST, "ann", remarks)

    found = store.show(FIRST)
    assert found is not None
    assert found.labels[0]["remarks"] == '{"claims": [1], "missed": [[3, 9]]}'
    assert found.labels[0]["truth"] == "wrong"


def test_labels_ever_given_are_counted(labels: Labels) -> None:
    """Undoing one is no way to begin anew."""
    labels.add(ANN, at_ms=NOON_MS)
    labels.undo(FIRST, "ann", at_ms=NOON_MS + 1)
    labels.add(ANN, at_ms=NOON_MS + 2)

    assert (labels.given_by(" ann"), labels.given_by("bob")) == (2, 0)


@pytest.mark.parametrize(
    "said", [{"claims": (-1,)}, {"claims": (0,) * 1_001}, {"missed": ((5, 5),)}]
)
def test_nonsense_is_no_remark(said: dict[str, tuple[()]]) -> None:
    """A position is one, and there are no more than an answer has claims."""
    with pytest.raises(InputError, match=r"positions|at most 1,000|START-END"):
        Remarks(**said)


def test_decision_has_to_be_there(labels: Labels) -> None:
    """A label on nothing would never be counted, and nobody would know."""
    with pytest.raises(InputError, match="unheard"):
        labels.add(replace(ANN, decision="unheard"), at_ms=NOON_MS)


@pytest.mark.parametrize(
    "changes",
    [
        {"reviewer": " "},
        {"reviewer": "x" * 101},
        {"note": "x" * 2_001},
        {"missed": ((5, 5),)},
        {"missed": ((0, 1),) * 101},
        {"truth": CORRECT, "harm": Harm.HARMFUL},
    ],
)
def test_nonsense_is_no_label(changes: dict[str, object]) -> None:
    """Every field has its bound, and an answer that is right does no harm."""
    with pytest.raises(InputError, match=r"characters|START-END|leave harm empty"):
        replace(ANN, **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("said", "truth"),
    [
        ([WRONG], WRONG),
        ([OPEN], OPEN),
        ([WRONG, WRONG], WRONG),
        ([WRONG, CORRECT], OPEN),
        ([WRONG, OPEN], OPEN),
        ([WRONG, CORRECT, WRONG], WRONG),
        ([WRONG, CORRECT, OPEN], OPEN),
    ],
)
def test_two_that_differ_wait_for_a_third(said: list[Truth], truth: Truth) -> None:
    """Neither of two people is right because of the order they came in."""
    assert settled(said) is truth


def test_pairs_are_labels_in_force_of_two_people(labels: Labels) -> None:
    """What was undone, and what one person labelled alone, says nothing of agreement."""
    labels.add(ANN, at_ms=NOON_MS)
    labels.add(replace(ANN, reviewer="bob", truth=CORRECT), at_ms=NOON_MS)
    labels.add(replace(ANN, decision=f"{2:032x}"), at_ms=NOON_MS)

    assert labels.pairs(ROUTE, NOON_MS, NOON_MS + 1) == [(WRONG, CORRECT)]
    assert labels.pairs(ROUTE, NOON_MS + 1, NOON_MS + 2) == []
    labels.undo(FIRST, "bob", at_ms=NOON_MS)
    assert labels.pairs(ROUTE, NOON_MS, NOON_MS + 1) == []


def test_pairs_of_a_month_are_not_looked_for_among_all_there_is(file_store: Store) -> None:
    """Of decisions there are millions, and of labels years."""
    asked: list[tuple[str, Any]] = []

    def note(_connection: object, _cursor: object, statement: str, given: Any, *_: Any) -> None:
        asked.append((statement, given))

    event.listen(file_store.engine, "before_cursor_execute", note)
    Labels(file_store).pairs(ROUTE, NOON_MS, NOON_MS + 1)
    event.remove(file_store.engine, "before_cursor_execute", note)

    [(statement, given)] = asked
    with file_store.engine.connect() as connection:
        plan = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", given).all()
    steps = [step[-1] for step in plan]
    assert any("SEARCH gatekeeper_labels USING COVERING INDEX" in step for step in steps)
    assert not [step for step in steps if step.startswith("SCAN gatekeeper")]


def test_kappa_of_a_worked_table() -> None:
    """20 both wrong, 15 both correct, 5 and 10 apart: 0.7 seen, 0.5 by chance, kappa 0.4."""
    pairs = (
        [(WRONG, WRONG)] * 20
        + [(CORRECT, CORRECT)] * 15
        + [(WRONG, CORRECT)] * 5
        + [(CORRECT, WRONG)] * 10
    )

    found = agreement(pairs)

    assert found.kappa == pytest.approx(0.4, abs=1e-12)
    assert found.decisions == 50
    assert found.counts[WRONG, CORRECT] == 5


@pytest.mark.parametrize("pairs", [[], [(WRONG, WRONG)] * 3])
def test_kappa_is_unknown_where_chance_explains_all(pairs: list[tuple[Truth, Truth]]) -> None:
    """Two people who only ever saw wrong answers agreed on nothing."""
    assert agreement(pairs) == Agreement(counts={(WRONG, WRONG): 3} if pairs else {}, kappa=None)
