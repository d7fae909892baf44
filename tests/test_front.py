"""The wiring, on the shipped model: an app with a gate in front, from a policy file."""

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from prometheus_client import CollectorRegistry
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.testclient import TestClient
from starlette.types import ASGIApp

from gatekeeper.build import SHIPPED_MODEL, open_gate
from gatekeeper.errors import ConfigurationError
from gatekeeper.evaluation.calibration import Calibration, write_calibration
from gatekeeper.front import _LateModel, gated
from gatekeeper.runtime.manifest import model_folder
from gatekeeper.scheduler import Scheduler
from gatekeeper.testing import FakeModel

ROOT = Path(__file__).parent.parent
PAGES = ["The lamp has a warranty of two years.", "The lamp is blue."]
POLICY = """
[[route]]
path = "/answer"
mode = "{mode}"
{more}
answer = "/answer"
context = [{{ response = "/contexts/*" }}]
budget_ms = 5000
on_flagged = "withhold"
on_unresolved = {{ default = "withhold" }}
on_not_checked = {{ default = "withhold" }}
"""

Wire = Callable[..., ASGIApp]


async def answer(request: Request) -> Response:
    """Say what the request wants to be said."""
    text = (await request.json())["say"]
    return JSONResponse({"answer": text, "contexts": PAGES})


@pytest.fixture
def wire(tmp_path: Path) -> Wire:
    """Put a gate in front of an app; ``top`` goes above the route, ``more`` into it."""

    def build(*, mode: str = "shadow", more: str = "", top: str = "") -> ASGIApp:
        policy = tmp_path / "gatekeeper.toml"
        policy.write_text(top + POLICY.format(mode=mode, more=more))
        app = Starlette(routes=[Route("/answer", answer, methods=["POST"])])
        return gated(app, policy=policy, metrics="/metrics", registry=CollectorRegistry())

    return build


def test_shadow_changes_nothing_and_counts(wire: Wire) -> None:
    """The first thing a user deploys must be invisible to clients and visible on the page."""
    with TestClient(wire()) as client:
        reply = client.post("/answer", json={"say": "The lamp has a warranty of five years."})
        page = client.get("/metrics").text

    assert reply.json()["answer"] == "The lamp has a warranty of five years."
    assert not [name for name in reply.headers if name.startswith("gatekeeper")]
    assert 'gatekeeper_requests_total{mode="shadow",route="/answer"} 1.0' in page
    assert "gatekeeper_model_info{fingerprint=" in page


def test_enforced_without_calibration_for_it_is_refused(wire: Wire) -> None:
    """Marks fitted to public data must be accepted by name before they block anyone."""
    with pytest.raises(ConfigurationError, match="calibration"):
        wire(mode="enforce")


def test_degrades_to_shadow_where_the_policy_says_so(wire: Wire) -> None:
    """The gauge is what an alert watches: a route that should enforce and doesn't."""
    with TestClient(wire(mode="enforce", more='uncalibrated = "shadow"')) as client:
        page = client.get("/metrics").text

    assert 'gatekeeper_enforcement_degraded{route="/answer"} 1.0' in page


def test_calibrated_route_is_enforced(wire: Wire, tmp_path: Path) -> None:
    """From a policy file to a withheld answer, with nothing else to write."""
    top = f'model = "{own_model(tmp_path)}"'

    with TestClient(wire(mode="enforce", top=top)) as client:
        good = client.post("/answer", json={"say": "The lamp is blue."})
        bad = client.post("/answer", json={"say": "The lamp has a warranty of five years."})

    assert good.json()["answer"] == "The lamp is blue."
    assert bad.json()["gatekeeper"]["verdict"] == "FLAGGED"
    assert "five years" not in bad.text


def test_calibration_for_another_scorer_counts_for_nothing(wire: Wire, tmp_path: Path) -> None:
    """Marks that were fitted before the model or the guard changed may block anyone."""
    folder = own_model(tmp_path)
    with (folder / "calibration.json").open() as file:
        other = file.read().replace('"fingerprint": "', '"fingerprint": "0')
    (folder / "calibration.json").write_text(other)

    with pytest.raises(ConfigurationError, match="calibration"):
        wire(mode="enforce", top=f'model = "{folder}"')


def test_model_without_calibration_is_not_enforced(wire: Wire, tmp_path: Path) -> None:
    """A model that was only exported has marks nobody fitted."""
    folder = own_model(tmp_path)
    (folder / "calibration.json").unlink()

    with pytest.raises(ConfigurationError, match="without a calibration"):
        wire(mode="enforce", top=f'model = "{folder}"')


def test_model_is_known_before_it_is_loaded() -> None:
    """The fingerprint stands in every decision, also in those made while it is still loading."""
    late = _LateModel("abc", Scheduler(FakeModel()))
    pair = late.encode("The lamp is blue", "the lamp is blue")

    assert late.fingerprint == "abc"
    assert pair is not None
    assert late.score([pair])[0].entailment == 0.9


def test_model_that_scores_otherwise_stops_an_enforced_start(tmp_path: Path) -> None:
    """Another processor or a changed runtime may move scores: then nothing may be blocked."""
    folder = own_model(tmp_path, "entailment = 0.9", "entailment = 0.5")
    policy = f'model = "{folder}"' + POLICY.format(mode="enforce", more="")
    (tmp_path / "gatekeeper.toml").write_text(policy)
    (tmp_path / "app.py").write_text(
        "from starlette.applications import Starlette\n"
        "from gatekeeper.front import gated\n"
        'app = gated(Starlette(), policy="gatekeeper.toml")\n'
    )

    done = subprocess.run(
        [sys.executable, "-m", "uvicorn", "--port", "0", "app:app"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )

    assert done.returncode != 0
    assert "gatekeeper can't enforce: self-test failed" in done.stderr


def test_shadow_serves_on_without_a_model(wire: Wire, tmp_path: Path) -> None:
    """A route that only watches must never take the app down; what it missed is counted."""
    folder = own_model(tmp_path, "entailment = 0.9", "entailment = 0.5")

    with TestClient(wire(top=f'model = "{folder}"')) as client:
        reply = client.post("/answer", json={"say": "The lamp is blue."})
        page = client.get("/metrics").text

    assert reply.json()["answer"] == "The lamp is blue."
    assert 'gatekeeper_unresolved_total{reason="model_error",route="/answer"} 1.0' in page


def test_page_is_not_served_unless_named(wire: Wire, tmp_path: Path) -> None:
    """Counters say how often answers are wrong: nobody should find them by chance."""
    wire()
    app = Starlette(routes=[Route("/answer", answer, methods=["POST"])])
    bare = gated(app, policy=tmp_path / "gatekeeper.toml", registry=CollectorRegistry())

    assert TestClient(bare).get("/metrics").status_code == 404


def own_model(tmp_path: Path, old: str = "", new: str = "") -> Path:
    """Make a folder of the shipped model with a calibration of one's own.

    Where its manifest says ``old`` it says ``new``.
    """
    shipped = model_folder(SHIPPED_MODEL)
    folder = tmp_path / "model"
    folder.mkdir()
    for name in ("model.onnx", "tokenizer.json"):
        (folder / name).symlink_to(shipped / name)
    manifest = (shipped / "manifest.toml").read_text(encoding="utf-8")
    (folder / "manifest.toml").write_text(manifest.replace(old, new), encoding="utf-8")
    calibration = Calibration(
        source="own",
        fingerprint="unknown",
        support_threshold=0.5,
        contradiction_threshold=0.95,
    )
    write_calibration(folder / "calibration.json", calibration)
    gate = open_gate(folder)
    gate.close()
    fitted = replace(calibration, fingerprint=gate.fingerprint)
    write_calibration(folder / "calibration.json", fitted)
    return folder
