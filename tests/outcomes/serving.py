"""A worker in a process of its own: answers a request a line, and stores each decision beside it.

    python -m tests.outcomes.serving ADDRESS ENTRIES BATCH PAGES

A line on standard output is the response to one request. A decision that was dropped has the word
"dropped" in it, as the counter would show. A request with the word "calm" comes when the line is
half empty: traffic that the store keeps up with. PAGES bounds a SQLite file, 0 leaves it free.
"""

import sys
import time
from datetime import UTC, datetime

from sqlalchemy import Connection, event

from gatekeeper.outcomes.recorder import LineBounds, Recorder
from gatekeeper.outcomes.store import Store
from gatekeeper.outcomes.writer import Writer
from tests.outcomes.made import decision, source


def main(url: str, entries: int, batch: int, pages: int) -> None:
    """Answer until standard input ends."""
    dropped: list[str] = []

    def open_store() -> Store:
        store = Store.open(url)
        if pages:
            event.listen(store.engine, "engine_connect", limit)
        return store

    def limit(connection: Connection) -> None:
        raw = connection.connection.driver_connection
        raw.execute(f"PRAGMA max_page_count = {pages}")  # type: ignore[union-attr]

    recorder = Recorder(
        Writer(open_store, source()),
        dropped=dropped.append,
        notice=lambda *_, **__: None,
        bounds=LineBounds(entries=entries, batch=batch, linger_s=0.01),
        now=lambda: datetime.now(UTC),
    )
    for line in sys.stdin:
        number, pace = line.split()
        while pace == "calm" and recorder.waiting > entries // 2:
            time.sleep(0.001)
        before = len(dropped)
        recorder.decided(decision(int(number)))
        state = "dropped" if len(dropped) > before else "stored"
        sys.stdout.write(f"{number} {state}\n")
        sys.stdout.flush()
    recorder.close(60.0)


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
