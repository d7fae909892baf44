"""The page over a real store, closed after each test."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.review.room import Room


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Room]:
    """Return a page whose store is empty."""
    room = Room(tmp_path)
    yield room
    room.close()
