"""What is worked out when the page is made: rates, labels and the queue, targets and trips.

Plain values come in, from callables: this module knows neither the store nor the configuration. A
store that is locked, slow or gone never holds up the rest of the page.
"""

import os
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass

from prometheus_client.metrics_core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

# A scrape gives up after ten seconds; this one part of the page takes a tenth of that at most.
PATIENCE_S = 1.0

# What was read last stands in for what is still being read, for as long as this.
_LONGEST_S = 60.0


class PolicyStates(Collector):
    """Targets and trips, by route, and how often known answers are to be checked.

    Args:
        targets: Gives each target by route and rate.
        tripped: Gives for each route whether a trip holds.
        probes: Gives the known answers a minute that each worker is to check.
    """

    def __init__(
        self,
        *,
        targets: Callable[[], Mapping[tuple[str, str], float]],
        tripped: Callable[[], Mapping[str, bool]],
        probes: Callable[[], float],
    ) -> None:
        self._targets = targets
        self._tripped = tripped
        self._probes = probes

    def collect(self) -> Iterable[Metric]:
        """Yield all three."""
        yield _gauge(
            "gatekeeper_target",
            "What the policy wants a rate to be at most.",
            ("route", "rate"),
            self._targets().items(),
        )
        yield _gauge(
            "gatekeeper_tripped",
            "1 while a trip holds: the route left enforce by itself.",
            ("route",),
            [((route,), float(holds)) for route, holds in self._tripped().items()],
        )
        yield _gauge(
            "gatekeeper_probes_wanted",
            "Known-answer checks a minute that the policy wants of each worker.",
            (),
            [((), self._probes())],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreSays:
    """What the outcome store says now.

    ``rates`` by route, rate, bound and window, without those that are not known; ``labels`` and
    ``waiting`` by route and side.
    """

    rates: Mapping[tuple[str, str, str, str], float]
    labels: Mapping[tuple[str, str], float]
    waiting: Mapping[tuple[str, str], float]


# Reads the store; calls its argument as soon as the store has answered anything.
Read = Callable[[Callable[[], None]], StoreSays]


class StoreStates(Collector):
    """Rates, labels in force and the review queue, and whether the store answers.

    The store is read in a thread of its own. If that takes longer than a scrape should wait, it is
    finished behind the page, which shows what was read last; if the store does not answer at all,
    its states are left out and ``gatekeeper_store_up`` is 0.

    Args:
        read: Reads the store; one call at a time.
        failed: Takes ``states_failed`` and what was raised, once until a reading succeeds.
        close: Closes the store.
        patience_s: How long a page waits.
        clock: Monotonic, seconds.
    """

    def __init__(
        self,
        read: Read,
        *,
        failed: Callable[[str, BaseException], None],
        close: Callable[[], None] = lambda: None,
        patience_s: float = PATIENCE_S,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._read = read
        self._readings = Readings(self._keep)
        self._failed = failed
        self.close = close
        self.patience_s = patience_s
        self._clock = clock
        self._last: tuple[StoreSays, float] | None = None
        self._is_failing = False

    def collect(self) -> Iterable[Metric]:
        """Yield what there is in time."""
        says, is_up = self._ask()
        if says is not None:
            yield _gauge(
                "gatekeeper_rate",
                "Live rates from reviewers' labels and their bounds; absent when not known.",
                ("route", "rate", "bound", "window"),
                says.rates.items(),
            )
            yield _gauge(
                "gatekeeper_labels_in_force",
                "Labelled decisions that the rates of 28 days count.",
                ("route", "side"),
                says.labels.items(),
            )
            yield _gauge(
                "gatekeeper_review_queue",
                "Kept decisions that wait for a first label.",
                ("route", "side"),
                says.waiting.items(),
            )
        yield _gauge(
            "gatekeeper_store_up",
            "1 if the outcome store answers and takes decisions.",
            (),
            [((), float(is_up))],
        )

    def _ask(self) -> tuple[StoreSays | None, bool]:
        """Return what the store says, None if there is nothing to show, and whether it is up."""
        reading = self._readings.next()
        try:
            says = reading.says.result(self.patience_s)
        except TimeoutError as error:
            if reading.has_answered or self._readings.has_answered:
                return self._still(), True
            return self._nothing(error)
        except Exception as error:  # noqa: BLE001 - the rest of the page must be served
            return self._nothing(error)
        self._is_failing = False
        return says, True

    def _keep(self, answered: Callable[[], None]) -> StoreSays:
        """Read, and keep what was read for pages that can't wait; for the thread."""
        try:
            says = self._read(answered)
        except BaseException:
            self._last = None
            raise
        self._last = (says, self._clock())
        return says

    def _still(self) -> StoreSays | None:
        """Return what was read last unless that is too long ago."""
        last = self._last
        return None if last is None or self._clock() - last[1] > _LONGEST_S else last[0]

    def _nothing(self, error: BaseException) -> tuple[None, bool]:
        if not self._is_failing:
            self._is_failing = True
            self._failed("states_failed", error)
        return None, False


class Reading:
    """One reading of the store, under way or to come."""

    def __init__(self) -> None:
        self.says: Future[StoreSays] = Future()
        self.has_answered = False

    def answer(self) -> None:
        """Note that the store has answered."""
        self.has_answered = True


class Readings:
    """Reads one after the other, in a thread that lives as long as somebody asks.

    Whoever asks while the store is read gets the next reading, with all who ask until that begins:
    the one under way may have passed what is looked for, and two at once would only be slower.
    """

    def __init__(self, read: Read) -> None:
        self._read = read
        self._begin()

    def _begin(self) -> None:
        """Begin without a thread; a fork has none of the parent's."""
        self._pid = os.getpid()
        self._lock = threading.Lock()
        self._waiting: Reading | None = None
        self._running: Reading | None = None

    @property
    def has_answered(self) -> bool:
        """Whether the store has answered the reading that is under way."""
        running = self._running
        return running is not None and running.has_answered

    def next(self) -> Reading:
        """Return the next reading, which has not begun yet."""
        if self._pid != os.getpid():
            self._begin()
        with self._lock:
            reading = self._waiting
            if reading is None:
                reading = self._waiting = Reading()
                if self._running is None:
                    self._running = reading
                    name = "gatekeeper-states"
                    threading.Thread(target=self._run, name=name, daemon=True).start()
        return reading

    def _run(self) -> None:
        while True:
            with self._lock:
                self._running, self._waiting = self._waiting, None
                reading = self._running
            if reading is None:
                return
            try:
                reading.says.set_result(self._read(reading.answer))
            except Exception as error:  # noqa: BLE001 - raised again where it is waited for
                reading.says.set_exception(error)


def _gauge(
    name: str, text: str, labels: tuple[str, ...], samples: Iterable[tuple[Sequence[str], float]]
) -> Metric:
    family = GaugeMetricFamily(name, text, labels=labels)
    for values, value in samples:
        family.add_metric(values, value)
    return family
