"""The policy file as commands on the outcome store take it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from gatekeeper.cli.storelooks import store_file
from gatekeeper.config.policies import read_draft
from gatekeeper.config.scorer import read_with_scorer
from gatekeeper.errors import ConfigurationError, InputError, StoreError
from gatekeeper.policy import Outcomes, Policy
from gatekeeper.recording import open_store, optional_part

if TYPE_CHECKING:
    from gatekeeper.outcomes.store import Store

# What of a policy decides which scorer runs.
_SCORER_KEYS = frozenset({"model", "model_sha256", "calibration"})
_TABLE = 'a table: [outcomes] with store_text = "none" and retention_days = 30'


def read_stored(config: Path) -> tuple[Policy, Outcomes]:
    """Return a policy and its table on the store; other faults don't matter here.

    Raises:
        ConfigurationError: If the file can't be read as a policy.
        InputError: If it has no such table.
    """
    draft = read_draft(config, imports=False)
    outcomes = draft.policy.outcomes
    faults = [fault for fault in draft.faults if fault.place.startswith(("file", "outcomes."))]
    if faults:
        raise ConfigurationError(str(config), faults)
    if outcomes is None:
        raise InputError(f"{config}: outcomes", "nothing", _TABLE)
    return draft.policy, outcomes


def scorer_of(config: Path) -> str:
    """Return the fingerprint of the scorer that a policy would run now.

    Raises:
        ConfigurationError: If its model or calibration can't be had.
    """
    draft, scorer = read_with_scorer(config, imports=False)
    faults = [fault for fault in draft.faults if fault.place in _SCORER_KEYS]
    if scorer is None or faults:
        raise ConfigurationError(str(config), faults)
    return scorer.fingerprint


@contextmanager
def stored(config: Path) -> Iterator[tuple[Policy, Outcomes, "Store"]]:
    """Open the store of a policy file for a command.

    A file is not made: an empty store would look like a server that decided nothing.

    Raises:
        ConfigurationError, InputError: As ``read_stored``.
        StoreError: If the store can't be opened, or is not there yet.
    """
    policy, outcomes = read_stored(config)
    optional_part("gatekeeper.outcomes.store")
    file = store_file(outcomes)
    if file is not None and not file.exists():
        advice = "start a server with this policy, it makes the file"
        raise StoreError(f"{file} is not there yet", advice)
    store = open_store(outcomes)
    try:
        yield policy, outcomes, store
    finally:
        store.close()
