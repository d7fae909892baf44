"""Opening a gate by hand: quick without the self-test, and true to it where it is asked for."""

from pathlib import Path

import pytest

from gatekeeper.build import SHIPPED_MODEL, open_gate, prove
from gatekeeper.errors import SelfTestError
from gatekeeper.runtime.manifest import model_folder
from gatekeeper.runtime.session import LoneSession, Session, load
from tests.own_model import Moving, own_model


def test_model_is_tested_on_request(tmp_path: Path) -> None:
    """A single check can't wait for it; a gate that serves for days should."""
    folder = own_model(tmp_path, "entailment = 0.9", "entailment = 0.5")
    open_gate(folder).close()

    with pytest.raises(SelfTestError, match="from the stored ones"):
        open_gate(folder, tested=True)


def test_tested_model_is_used_as_it_is() -> None:
    """Where scores do not move, pairs go on sharing passes."""
    gate = open_gate(tested=True)
    gate.close()

    assert isinstance(gate.model, Session)


def test_model_that_moves_runs_each_pair_alone() -> None:
    """A verdict must not depend on who else asked at the moment."""
    moving = Moving.over(load(model_folder(SHIPPED_MODEL), threads=1))

    proven = prove(moving)

    assert isinstance(proven.model, LoneSession)
    assert not proven.report.is_invariant
    assert proven.accepted() is proven.model
