"""What is lost when a worker is killed, the disk is full or the server goes: a batch and a line."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy import text

from gatekeeper.outcomes.store import Store
from tests.outcomes.servers import Server, programs

ROOT = Path(__file__).parents[2]
ENTRIES, BATCH = 100, 50
REQUESTS = 10_000
# Requests under way at once, as many clients would have them.
AT_ONCE = 50


class Worker:
    """A serving process and the responses that came out of it."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self.process = process
        self.answered: set[int] = set()
        self.dropped = 0

    def ask(self, numbers: range, *, pace: str) -> None:
        """Send requests and read their responses, some at once."""
        assert self.process.stdin is not None
        for start in range(numbers.start, numbers.stop, AT_ONCE):
            some = range(start, min(start + AT_ONCE, numbers.stop))
            self.process.stdin.write("".join(f"{number} {pace}\n" for number in some))
            self.process.stdin.flush()
            for _ in some:
                self._read()

    def end(self) -> None:
        """Close the connection, as a server that is shut down, and wait."""
        self.process.communicate()

    def _read(self) -> None:
        assert self.process.stdout is not None
        number, state = self.process.stdout.readline().split()
        self.answered.add(int(number))
        self.dropped += state == "dropped"


@contextmanager
def serving(url: str, *, pages: int = 0) -> Iterator[Worker]:
    """Start a worker."""
    arguments = [url, str(ENTRIES), str(BATCH), str(pages)]
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.outcomes.serving", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    try:
        yield Worker(process)
    finally:
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                pipe.close()


def stored(url: str) -> set[int]:
    """Open the store and return the numbers in it."""
    store = Store.open(url)
    with store.transaction() as connection:
        rows = connection.execute(text("SELECT id FROM gatekeeper_decisions")).all()
    store.close()
    return {int(row[0], 16) for row in rows}


@pytest.mark.parametrize(("pages", "pace"), [(0, "calm"), (100, "rush")])
def test_killed_worker_loses_a_batch_and_its_line(tmp_path: Path, pages: int, pace: str) -> None:
    """Killed in the middle of 10,000, with a disk that has room or none; the store opens after."""
    url = f"sqlite:///{tmp_path / 'outcomes.db'}"

    with serving(url, pages=pages) as worker:
        worker.ask(range(REQUESTS // 2), pace=pace)
        worker.process.kill()

    rows = stored(url)
    assert len(worker.answered) == REQUESTS // 2
    assert rows <= worker.answered
    assert len(worker.answered) - worker.dropped - len(rows) <= ENTRIES + BATCH
    assert worker.dropped > 1_000 if pages else worker.dropped == 0


def test_server_that_goes_and_comes_costs_what_did_not_fit() -> None:
    """While it is away every request is answered; back again it gets all that waited."""
    found = programs()
    if found is None:
        pytest.skip("no PostgreSQL server is installed; make test-system needs one")
    server = Server(found)
    server.start()
    try:
        with serving(server.url) as worker:
            worker.ask(range(500), pace="calm")
            server.stop()
            worker.ask(range(500, 1_000), pace="rush")
            server.start()
            worker.ask(range(1_000, 1_200), pace="calm")
            worker.end()
        rows = stored(server.url)
    finally:
        server.remove()

    assert len(worker.answered) == 1_200
    assert 350 <= worker.dropped <= 500
    assert len(rows) == 1_200 - worker.dropped
