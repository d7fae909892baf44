"""A store held open for long: opened when first asked for, and anew when its file is another one.

A SQLite file that was moved away or replaced still answers who has it open, and takes with it what
they write. So whoever holds a store asks here before each use.
"""

import os
from collections.abc import Callable
from pathlib import Path

from gatekeeper.outcomes.engine import FileId, file_id
from gatekeeper.outcomes.store import Store


def _nothing() -> None:
    """Stand in where nobody need know."""


class StandingStore:
    """Opens a store and holds it; for one thread at a time.

    Args:
        open_store: Opens it.
        file: The database, where it is a file that must be there. Without it one is made by the
            first opening, and by no later one.
        replaced: Called when another file was opened than before: what was learnt of that is void.
    """

    def __init__(
        self,
        open_store: Callable[[], Store],
        *,
        file: Path | None = None,
        replaced: Callable[[], None] = _nothing,
    ) -> None:
        self._open_store = open_store
        self._file = file
        self._replaced = replaced
        self._which: FileId | None = None
        self._store: Store | None = None
        self._parents: Store | None = None
        self._pid = os.getpid()

    def get(self) -> Store:
        """Return the store that stands under its name now.

        Raises:
            StoreError: If it can't be opened, or its file is gone: to open it would make an empty
                one, which says that nothing was ever decided.
        """
        if self._store is not None and self._pid != os.getpid():
            # A fork leaves its parent's connections alone: to give them up would end them.
            self._parents, self._store = self._store, None
        is_other = self._file is not None and file_id(self._file) != self._which
        if self._store is not None and is_other:
            self._store.leave()
            self._store = None
        if self._store is None:
            store = self._open_store()
            before, self._which = self._which, store.which
            self._store, self._file, self._pid = store, store.file, os.getpid()
            if before not in (None, store.which):
                self._replaced()
        return self._store

    def close(self) -> None:
        """Close it; the next one who asks opens it again."""
        if self._store is not None:
            self._store.close()
            self._store = None
