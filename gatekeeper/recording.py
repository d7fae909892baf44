"""The outcome store as the rest of the package comes by it: an extra that may not be installed."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gatekeeper.errors import StoreError
from gatekeeper.observe.declared import StoreDropReason
from gatekeeper.observe.logs import EventLog
from gatekeeper.observe.metrics import WorkerMetrics
from gatekeeper.observe.states import PATIENCE_S, StoreSays, StoreStates
from gatekeeper.outcomes.words import milliseconds
from gatekeeper.policy import Outcomes, sqlite_file

if TYPE_CHECKING:
    from gatekeeper.outcomes.recorder import Recorder
    from gatekeeper.outcomes.states import States
    from gatekeeper.outcomes.store import Store


def open_store(outcomes: Outcomes) -> "Store":
    """Open the store of a policy; the caller closes it.

    Raises:
        StoreError: If the extra is not installed, or the store can't be opened.
    """
    store: Store = _part("store").Store.open(outcomes.url)
    return store


def begin_recording(
    outcomes: Callable[[], Outcomes],
    *,
    key: bytes,
    fingerprint: str,
    support: float,
    counters: WorkerMetrics,
    log: EventLog,
) -> "Recorder":
    """Return what stores decisions; nothing is connected yet, so a server may come later.

    Args:
        outcomes: Gives what the policy says of the store; all but the shares to keep holds as it is
            said now.
        key: The installation's secret.
        fingerprint: Of the running scorer.
        support: The support a claim needs.
        counters: Count what is not stored.
        log: Is told of outages, and of shares to keep that wait for Monday.

    Raises:
        StoreError: If the extra is not installed, or there can be no such store.
    """
    first = outcomes()
    _part("engine").open_engine(first.url).dispose()
    writer, store = _part("writer"), _part("store")
    source = writer.Source(
        key=key,
        outcomes=first,
        keep=lambda: outcomes().keep,
        fingerprint=fingerprint,
        first_cut=first_cut(support),
    )
    recorder: Recorder = _part("recorder").Recorder(
        writer.Writer(
            lambda: store.Store.open(first.url),
            source,
            keep_waits=lambda route: log.notice("keep_waits", route=route),
        ),
        dropped=lambda reason: counters.store_dropped(StoreDropReason(reason)),
        notice=log.notice,
        failing=lambda is_failing: counters.store_failing(is_failing=is_failing),
    )
    return recorder


def watch_store(
    outcomes: Outcomes,
    *,
    fingerprint: str,
    routes: Callable[[], Sequence[str]],
    is_failing: Callable[[], bool],
    log: EventLog,
    patience_s: float = PATIENCE_S,
) -> StoreStates:
    """Return what the metrics page says of the store; nothing is connected yet.

    Args:
        outcomes: What the policy says of the store.
        fingerprint: Of the running scorer, whose rates they are.
        routes: Gives the paths of the policy that runs.
        is_failing: Tells whether a worker can't write; what is stored then is not all there is.
        log: Is told of a store that can't be read.
        patience_s: How long a page waits.
    """
    path = sqlite_file(outcomes.url)
    file = None if path is None else Path(path)
    states: States = _part("states").States(
        lambda: open_store(outcomes), fingerprint=fingerprint, file=file
    )

    def read(answered: Callable[[], None]) -> StoreSays:
        if is_failing():
            raise StoreError("it takes no decisions", "see that it runs and has room")
        now_ms = milliseconds(datetime.now(UTC))
        found = states.read(routes(), now_ms, answered=answered)
        return StoreSays(
            rates={
                (route, *key): value
                for route, says in found.items()
                for key, value in says.rates.items()
            },
            labels={
                (route, str(side)): n
                for route, says in found.items()
                for side, n in says.labels.items()
            },
            waiting={
                (route, str(side)): n
                for route, says in found.items()
                for side, n in says.waiting.items()
            },
        )

    return StoreStates(read, failed=log.failed, close=states.close, patience_s=patience_s)


def first_cut(support: float) -> float:
    """Return where a route's first week is cut: accepted scores lie between there and 1.

    Any cut gives valid estimates; later ones, of a third, need fewer labels.
    """
    return (1.0 + 2.0 * support) / 3.0


def optional_part(name: str) -> Any:
    """Import a module that takes what the extra installs.

    Raises:
        StoreError: If that is not installed.
    """
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        advice = 'pip install "gatekeeper-claims[outcomes]"'
        raise StoreError(f"the library {error.name} is not installed", advice) from error


def _part(name: str) -> Any:
    return optional_part(f"gatekeeper.outcomes.{name}")
