"""A store whose file is put elsewhere, or another in its place, while the page is open."""

import pytest

from gatekeeper.outcomes.store import Batch, Store
from tests.outcomes.made import decision, made
from tests.review.room import FIRST, PATH, Room

API = f"{PATH}/api"


@pytest.fixture
def kept(room: Room) -> Room:
    """Return a room with decisions, whose page has the store open."""
    room.keep_usual()
    assert room.programs().get(f"{API}/next").status_code == 200
    return room


def test_label_goes_into_the_file_of_that_name(kept: Room) -> None:
    """After a restore a label would be thanked for, and be in no file that anybody can name."""
    file = kept.tokens.with_name("outcomes.db")
    restored = Store.open(f"sqlite:///{file.with_name('restored.db')}")
    restored.write(Batch(decisions=[made(decision(9))]))
    restored.close()
    file.with_name("restored.db").replace(file)

    said = kept.programs().post(f"{API}/decisions/{9:032x}/label", json={"truth": "wrong"})

    assert said.status_code == 201
    kept.store.close()
    kept.store = Store.open(kept.url)
    assert kept.labels(9) == [("ann", "wrong", True)]


def test_label_while_the_file_is_gone_is_refused(kept: Room) -> None:
    """An empty store in its place would say that nothing was ever decided."""
    file = kept.tokens.with_name("outcomes.db")
    file.rename(file.with_name("away.db"))

    said = kept.programs().post(f"{API}/decisions/{FIRST}/label", json={"truth": "wrong"})

    assert said.status_code == 503
    assert not file.exists()
