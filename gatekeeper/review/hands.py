"""A few threads of the page's own: the store is never waited for on the loop, nor without bound."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import BoundedSemaphore
from typing import TypeVar

from gatekeeper.review.refusals import RefusedError

T = TypeVar("T")


class Hands:
    """Runs blocking work in so many threads; what exceeds ``at_once`` is refused."""

    def __init__(self, threads: int, *, at_once: int) -> None:
        self._threads = threads
        self._pool: ThreadPoolExecutor | None = None
        self._at_once = at_once
        self._free = BoundedSemaphore(at_once)

    async def run(self, work: Callable[[], T]) -> T:
        """Return what a function returns; threads are made when there is work, closed or not.

        Raises:
            RefusedError: If too much is waiting.
        """
        if not self._free.acquire(blocking=False):
            found, expected = "too many requests at once", f"at most {self._at_once}"
            raise RefusedError(503, found, expected, "try again", {"retry-after": "1"})
        if self._pool is None:
            self._pool = ThreadPoolExecutor(self._threads, "gatekeeper-review")
        future = self._pool.submit(work)
        # Not when the wait ends: who left has the thread still at work.
        future.add_done_callback(lambda _: self._free.release())
        return await asyncio.wrap_future(future)

    def close(self) -> None:
        """End the threads; blocking until the running work ends."""
        pool, self._pool = self._pool, None
        if pool is not None:
            pool.shutdown(cancel_futures=True)
