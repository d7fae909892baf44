"""The store in a file and on a server: what goes in, stays once, and goes in time."""

import json
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import inspect, text

from gatekeeper.errors import StoreError
from gatekeeper.outcomes.engine import open_engine
from gatekeeper.outcomes.labels import Label, Labels
from gatekeeper.outcomes.records import answer_hash, texts_of
from gatekeeper.outcomes.schema import METADATA, MIGRATIONS, Migration, migrate
from gatekeeper.outcomes.store import Batch, Drop, Purged, Store
from gatekeeper.outcomes.words import Truth
from gatekeeper.policy import Keep
from tests.outcomes.made import ALL, KEY, NOON, NOON_MS, ROUTE, accepted, days, decision, made

WEEK = made(decision()).week
NEWEST = MIGRATIONS[-1].version
LATER = Migration(version=NEWEST + 1, statements=("CREATE TABLE gatekeeper_more (id TEXT)",))


def write(store: Store, *numbers: int, ago: float = 0.0, words: bool = False) -> None:
    """Store decisions of some days ago."""
    given = [decision(n) for n in numbers]
    rows = [made(one, NOON - days(ago)) for one in given]
    texts = {one.id: found for one in given if (found := texts_of(one))} if words else {}
    store.write(Batch(decisions=rows, texts=texts))


def label(store: Store, number: int, note: str = "") -> None:
    """Label a decision at noon."""
    one = Label(
        decision=f"{number:032x}", reviewer="ann", truth=Truth.WRONG, seen_ms=NOON_MS, note=note
    )
    assert Labels(store).add(one, at_ms=NOON_MS)


def rows(store: Store, table: str) -> int:
    """Count the rows of a table."""
    with store.transaction() as connection:
        return int(connection.execute(text(f"SELECT COUNT(*) FROM {table}")).scalar_one())  # noqa: S608


def test_decision_comes_back_as_it_was(store: Store) -> None:
    """What is shown is what was decided."""
    before = made(decision(7))
    words = texts_of(decision(7))
    assert words is not None

    store.write(Batch(decisions=[before], texts={before.id: words}))

    found = store.show(before.id)
    assert found is not None
    assert (found.decision, found.texts, found.labels) == (before, words, ())
    assert store.show("unheard of") is None


def test_what_is_known_is_plain_json(store: Store) -> None:
    """Command line and page show one form; a note reads as it was written."""
    write(store, 1, words=True)
    label(store, 1, note='see "page" 4')

    found = store.show(f"{1:032x}")

    assert found is not None
    told = json.loads(json.dumps(found.as_object()))
    [said] = told["labels"]
    assert (said["note"], said["missed"], said["remarks"]) == ('see "page" 4', [], None)
    assert told["texts"]["question"] == "How long?"
    assert told["decision"]["at"] == NOON.isoformat()


def test_decision_is_stored_once(store: Store) -> None:
    """A batch that was written although the answer got lost is written again."""
    first = made(decision(1))

    store.write(Batch(decisions=[first]))
    store.write(Batch(decisions=[replace(first, route="/other"), made(decision(2))]))

    found = store.show(first.id)
    assert found is not None
    assert found.decision.route == ROUTE
    assert rows(store, "gatekeeper_decisions") == 2


def test_batch_is_written_whole_or_not_at_all(store: Store) -> None:
    """Half a batch that is written again would be counted by halves."""
    bad = replace(made(decision(2)), route=None)  # type: ignore[arg-type]

    with pytest.raises(StoreError):
        store.write(Batch(decisions=[made(decision(1)), bad]))

    assert rows(store, "gatekeeper_decisions") == 0


def test_error_does_not_show_the_row(store: Store) -> None:
    """What a database says of a row it refuses quotes it."""
    bad = replace(made(decision(1)), route=None, verdict="planted")  # type: ignore[arg-type]

    with pytest.raises(StoreError) as caught:
        store.write(Batch(decisions=[bad]))

    assert "planted" not in str(caught.value)
    assert not caught.value.is_passing


def test_drops_add_up(store: Store) -> None:
    """Two workers lose decisions on one day, each writes its own."""
    drop = Drop(19_851, ROUTE, "entries")

    store.write(Batch(drops={drop: 3}))
    store.write(Batch(drops={drop: 4, drop._replace(reason="bytes"): 1}))

    with store.transaction() as connection:
        found = connection.execute(text("SELECT reason, count FROM gatekeeper_drops")).all()
    assert sorted(map(tuple, found)) == [("bytes", 1), ("entries", 7)]


def test_answer_is_found_by_its_hash(store: Store) -> None:
    """A customer's complaint quotes the answer and knows no id."""
    write(store, 1, 2)

    found = answer_hash(KEY, decision().answers)

    assert found is not None
    assert set(store.find_answer(found)) == {f"{1:032x}", f"{2:032x}"}
    assert store.find_answer("none") == ()


def test_first_week_is_cut_by_the_calibration(store: Store) -> None:
    """Before anything was accepted there is nothing else to go by."""
    plan = store.week_plan(ROUTE, WEEK, keep=ALL, first_cut=0.7)

    assert (plan.cut, plan.cut_from, plan.keep) == (0.7, "calibration", ALL)


def test_week_is_cut_at_the_third_of_the_week_before(store: Store) -> None:
    """Bands follow the scores that the gate gives now, and only accepted ones count."""
    scores = [0.9, 0.5, 0.8, 0.6, 0.7, 0.95]
    rows = [replace(made(accepted(n)), score=score) for n, score in enumerate(scores)]
    blocked = [replace(made(decision(10 + n)), score=0.0) for n in range(6)]
    store.write(Batch(decisions=[*rows, *blocked]))

    plan = store.week_plan(ROUTE, WEEK + 1, keep=ALL, first_cut=0.1)

    assert (plan.cut, plan.cut_from) == (0.7, "week before")
    assert sum(score < plan.cut for score in scores) == 2


def test_week_is_fixed_when_it_begins(store: Store) -> None:
    """Weights are wrong where a share changes within a stratum."""
    first = store.week_plan(ROUTE, WEEK, keep=ALL, first_cut=0.7)

    again = store.week_plan(ROUTE, WEEK, keep=Keep(blocked=0.5), first_cut=0.2)
    after = store.week_plan(ROUTE, WEEK + 1, keep=Keep(blocked=0.5), first_cut=0.2)

    assert again == first
    assert (after.keep, after.cut) == (Keep(blocked=0.5), 0.2)


def test_purge_takes_texts_first_and_decisions_later(store: Store) -> None:
    """Texts are people's, counts are the installation's; each has its days."""
    write(store, 1, ago=1, words=True)
    write(store, 2, ago=40, words=True)
    write(store, 3, ago=500, words=True)
    for number in (1, 2, 3):
        label(store, number)

    found = store.purge(now_ms=NOON_MS, retention_days=30, decision_days=400)

    assert found == Purged(texts=2, notes=0, decisions=1)
    assert rows(store, "gatekeeper_texts") == 1
    assert rows(store, "gatekeeper_decisions") == 2
    assert rows(store, "gatekeeper_labels") == 2


def test_purge_takes_old_notes(store: Store) -> None:
    """A note may quote the answer, so it goes when the texts go."""
    write(store, 1, ago=1)
    label(store, 1, note="says the cups are red")

    kept = store.purge(now_ms=NOON_MS, retention_days=30, decision_days=400)
    gone = store.purge(now_ms=NOON_MS + 31 * 86_400_000, retention_days=30, decision_days=400)

    assert (kept.notes, gone.notes) == (0, 1)
    found = store.show(f"{1:032x}")
    assert found is not None
    assert [row["note"] for row in found.labels] == [""]


def test_erased_texts_are_gone_and_the_count_stays(store: Store) -> None:
    """Who asks for deletion gets it; the rate still counts the decision."""
    write(store, 1, words=True)
    label(store, 1, note="a note")

    assert store.erase(f"{1:032x}")
    assert not store.erase("unheard of")
    found = store.show(f"{1:032x}")
    assert found is not None
    assert found.texts is None
    assert [row["note"] for row in found.labels] == [""]


def test_deleted_words_are_overwritten_in_the_file(tmp_path: Path) -> None:
    """A deleted row that is only out of sight can be read out of the file."""
    store = Store.open(f"sqlite:///{tmp_path / 'outcomes.db'}")
    write(store, 1, ago=40, words=True)
    before = b"Cups are red" in _bytes(tmp_path)

    store.purge(now_ms=NOON_MS, retention_days=30, decision_days=400)

    assert before
    assert b"Cups are red" not in _bytes(tmp_path)
    store.close()


def test_file_is_its_owners(tmp_path: Path) -> None:
    """Other accounts of a shared machine must not read decisions."""
    Store.open(f"sqlite:///{tmp_path / 'outcomes.db'}").close()

    assert (tmp_path / "outcomes.db").stat().st_mode & 0o077 == 0


def test_tables_are_those_the_code_reads(store: Store) -> None:
    """The migrations are SQL by hand; what they make must be what the queries name."""
    inspector = inspect(store.engine)

    for name, table in METADATA.tables.items():
        made_ = {column["name"]: column["nullable"] for column in inspector.get_columns(name)}
        declared = {column.name: column.nullable for column in table.columns}
        keys = {column.name for column in table.primary_key}
        assert made_.keys() == declared.keys()
        assert {k: v for k, v in made_.items() if k not in keys} == {
            k: v for k, v in declared.items() if k not in keys
        }
        assert set(inspector.get_pk_constraint(name)["constrained_columns"]) == keys


def test_migrating_again_changes_nothing(store: Store) -> None:
    """Every start runs it."""
    write(store, 1)

    with store.transaction() as connection:
        assert migrate(connection) == NEWEST

    assert rows(store, "gatekeeper_decisions") == 1


def test_store_moves_forward_with_its_rows(store: Store) -> None:
    """An update keeps what was stored."""
    write(store, 1)

    with store.transaction() as connection:
        assert migrate(connection, (*MIGRATIONS, LATER)) == NEWEST

    assert rows(store, "gatekeeper_more") == 0
    assert rows(store, "gatekeeper_decisions") == 1


def test_migration_that_fails_leaves_all_as_it_was(store: Store) -> None:
    """A half-migrated store can be used by neither version."""
    bad = Migration(version=NEWEST + 1, statements=(*LATER.statements, "CREATE NONSENSE"))

    with pytest.raises(StoreError), store.transaction() as connection:
        migrate(connection, (*MIGRATIONS, bad))

    assert "gatekeeper_more" not in inspect(store.engine).get_table_names()
    with store.transaction() as connection:
        assert migrate(connection, (*MIGRATIONS, LATER)) == NEWEST


def test_store_of_a_newer_version_is_refused(store: Store, url: str) -> None:
    """An older worker does not know what the columns mean now."""
    with store.transaction() as connection:
        migrate(connection, (*MIGRATIONS, LATER))

    with pytest.raises(StoreError, match=f"version {NEWEST + 1}") as caught:
        Store.open(url)

    assert "update gatekeeper" in str(caught.value)
    assert not caught.value.is_passing


def test_workers_that_start_together_make_one_store(url: str) -> None:
    """Four workers find an empty database at the same moment."""
    stores: list[Store] = []
    gate = threading.Barrier(4)

    def begin() -> None:
        gate.wait()
        stores.append(Store.open(url))

    threads = [threading.Thread(target=begin) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(stores) == 4
    write(stores[0], 1)
    assert rows(stores[3], "gatekeeper_decisions") == 1
    for store in stores:
        store.close()


@pytest.mark.parametrize(
    ("url", "found"),
    [
        ("sqlite:////proc/nowhere/x.db", "/proc/nowhere/x.db"),
        ("postgresql://gate@/postgres?host=/nowhere", "connection"),
    ],
)
def test_store_that_is_not_there_may_come(url: str, found: str) -> None:
    """Whoever asks is told what was tried; the writer tries again."""
    with pytest.raises(StoreError, match=found) as caught:
        Store.open(url)

    assert caught.value.is_passing


def test_address_that_is_none_is_refused() -> None:
    """It will not be one later."""
    with pytest.raises(StoreError, match="postgresql://USER") as caught:
        open_engine("postgresql")

    assert not caught.value.is_passing


def _bytes(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(folder.iterdir()))
