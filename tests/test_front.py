"""The wiring, on the shipped model: an app with a gate in front, from a policy file."""

import hashlib
import os
import re
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from prometheus_client import CollectorRegistry
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.testclient import TestClient
from starlette.types import ASGIApp

from gatekeeper.build import LateModel
from gatekeeper.config.controls import LiveControls
from gatekeeper.config.modefile import Override, change_mode_file
from gatekeeper.errors import ConfigurationError, SelfTestError
from gatekeeper.front import gated
from gatekeeper.policy import Mode
from gatekeeper.runtime.session import Session, load
from gatekeeper.scheduler import Scheduler
from gatekeeper.testing import FakeModel
from tests.own_model import Moving, own_model

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


class Wired:
    """Puts gates in front of an app; ``top`` goes above the route, ``more`` into it.

    ``controls`` holds those of each app, to poll instead of waiting for the thread that does.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.policy = folder / "gatekeeper.toml"
        self.controls: list[LiveControls] = []
        self.registry = CollectorRegistry()

    def build(self, *, mode: str = "shadow", more: str = "", top: str = "") -> ASGIApp:
        """Write the policy and build the app."""
        self.write(mode=mode, more=more, top=top)
        return self.app()

    def write(self, *, mode: str = "shadow", more: str = "", top: str = "") -> None:
        """Write the policy."""
        self.policy.write_text(top + POLICY.format(mode=mode, more=more))

    def app(self) -> ASGIApp:
        """Build the app with the policy as it stands."""
        routes = [Route(path, answer, methods=["POST"]) for path in ("/answer", "/other")]
        app = Starlette(routes=routes)
        self.registry = CollectorRegistry()
        return gated(app, policy=self.policy, metrics="/metrics", registry=self.registry)

    def count(self, name: str, **labels: str) -> float:
        """Return the sum of a metric's samples that have these labels.

        Checks of shadow routes end after their response, at the latest with the lifespan.
        """
        return sum(
            found.value
            for family in self.registry.collect()
            for found in family.samples
            if found.name == f"gatekeeper_{name}" and labels.items() <= found.labels.items()
        )


@pytest.fixture
def wired(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wired:
    """Keep the controls that are made."""
    made = Wired(tmp_path)

    def keep(*given: Any, **named: Any) -> LiveControls:
        made.controls.append(LiveControls(*given, **named))
        return made.controls[-1]

    monkeypatch.setattr("gatekeeper.parts.LiveControls", keep)
    return made


@pytest.fixture
def wire(wired: Wired) -> Wire:
    """Write a policy and put a gate in front of an app."""
    return wired.build


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
    late = LateModel("abc", Scheduler(FakeModel()))
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


def test_enforced_start_that_fails_leaves_nothing_behind(wire: Wire, tmp_path: Path) -> None:
    """Tests of the user's own app must fail then, not hang."""
    top = f'model = "{own_model(tmp_path, "entailment = 0.9", "entailment = 0.5")}"'

    before = {*threading.enumerate()}  # those of other tests' resolvers end when they like

    with pytest.raises(SelfTestError), TestClient(wire(mode="enforce", top=top)):
        pass  # pragma: no cover - never reached

    left = {*threading.enumerate()} - before
    assert not [thread for thread in left if "gatekeeper" in thread.name]


def test_shadow_goes_on_with_a_model_that_scores_otherwise(
    wired: Wired, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Watching hurts nobody, so it goes on; the log says what the numbers are worth."""
    folder = own_model(tmp_path, "entailment = 0.9", "entailment = 0.5")

    with TestClient(wired.build(top=f'model = "{folder}"')) as client:
        reply = client.post("/answer", json={"say": "The lamp is blue."})

    assert reply.json()["answer"] == "The lamp is blue."
    assert wired.count("checks_total", verdict="SUPPORTED") == 1
    assert "model_scores_differ" in caplog.text


def test_model_that_scores_otherwise_can_not_be_enforced_later(wired: Wired) -> None:
    """The marks were fitted to other scores: a switch at run time must not get round that."""
    folder = own_model(wired.folder, "entailment = 0.9", "entailment = 0.5")
    with TestClient(wired.build(top=f'model = "{folder}"')) as client:
        change_mode_file(
            wired.folder / "gatekeeper.mode.json",
            lambda file: file.with_override("/answer", Override(mode=Mode.ENFORCE)),
        )
        wired.controls[0].poll()
        reply = client.post("/answer", json={"say": "The lamp has a warranty of five years."})

    assert reply.json()["answer"] == "The lamp has a warranty of five years."
    assert wired.count("enforcement_degraded") == 1


def test_shadow_serves_on_without_a_model(wired: Wired, tmp_path: Path) -> None:
    """A route that only watches must never take the app down; what it missed is counted."""
    folder = own_model(tmp_path)
    (folder / "tokenizer.json").unlink()

    with TestClient(wired.build(top=f'model = "{folder}"')) as client:
        reply = client.post("/answer", json={"say": "The lamp is blue."})

    assert reply.json()["answer"] == "The lamp is blue."
    assert wired.count("unresolved_total", reason="model_error") == 1


def test_load_that_ends_its_thread_is_a_failed_load(
    wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An exit in somebody's library must not become the server's."""

    def leave(_folder: Path) -> Session:
        raise SystemExit(3)

    monkeypatch.setattr("gatekeeper.parts.load", leave)

    with TestClient(wire()) as client:
        reply = client.post("/answer", json={"say": "The lamp is blue."})

    assert reply.json()["answer"] == "The lamp is blue."


def test_scores_that_move_with_the_batch_are_made_alone(
    wired: Wired, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """On such a machine a verdict would depend on who else was asking."""
    monkeypatch.setattr("gatekeeper.parts.load", lambda folder: Moving.over(load(folder)))

    with TestClient(wired.build()) as client:
        client.post("/answer", json={"say": "The lamp is blue. It comes with two years."})

    assert "model_not_invariant" in caplog.text
    assert wired.count("unresolved_total") == 0
    assert wired.count("pair_tokens_total") % 256 == 0


def test_pinned_model_must_be_the_one(wired: Wired) -> None:
    """A model that somebody has exchanged is found out before it says anything."""
    manifest = own_model(wired.folder) / "manifest.toml"
    digest = hashlib.sha256(manifest.read_bytes()).hexdigest()
    wired.build(top=f'model = "./model"\nmodel_sha256 = "{digest}"')
    manifest.write_text(manifest.read_text(encoding="utf-8") + "\n", encoding="utf-8")

    with pytest.raises(ConfigurationError) as caught:
        wired.app()

    (fault,) = caught.value.faults
    assert (fault.place, fault.found) == ("model_sha256", f'"{digest}"')
    assert str(manifest) in fault.expected


def test_model_changed_under_a_running_server_is_not_taken(
    wired: Wired, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A load after a fork or a failure would hold another model's scores against these marks."""
    app = wired.build(top=f'model = "{own_model(wired.folder)}"')
    manifest = wired.folder / "model" / "manifest.toml"
    text = manifest.read_text(encoding="utf-8")
    manifest.write_text(re.sub("temperature = .*", "temperature = 2.0", text), encoding="utf-8")

    with TestClient(app) as client:
        client.post("/answer", json={"say": "The lamp is blue."})

    assert wired.count("unresolved_total", reason="model_error") == 1
    assert '"error": "ManifestError"' in caplog.text


def test_reloaded_policy_acts(wired: Wired) -> None:
    """An operator edits one file: actions, texts and new routes hold from the next request on."""
    model = f'model = "{own_model(wired.folder)}"'
    five = {"say": "The lamp has a warranty of five years."}
    with TestClient(wired.build(mode="enforce", top=model)) as client:
        assert client.post("/answer", json=five).status_code == 200
        wired.write(mode="enforce", top=model, more='block_status = 451\non_no_claims = "block"')
        text = wired.policy.read_text().replace('on_flagged = "withhold"', 'on_flagged = "block"')
        wired.policy.write_text(text)
        wired.controls[0].poll()

        assert client.post("/answer", json=five).status_code == 451
        assert client.post("/answer", json={"say": "Hello!"}).status_code == 451


def test_reload_can_not_change_the_model(wired: Wired, caplog: pytest.LogCaptureFixture) -> None:
    """It is loaded once: a policy that asks for another one must not seem to be in force."""
    with TestClient(wired.build()) as client:
        wired.write(mode="off", top=f'model = "{own_model(wired.folder)}"')
        wired.controls[0].poll()
        client.post("/answer", json={"say": "The lamp is blue."})

    assert wired.count("policy_reloads_total", outcome="invalid") == 1
    assert wired.count("requests_total", mode="shadow") == 1


def test_each_route_has_its_own_boilerplate(wired: Wired) -> None:
    """A disclaimer that the service adds is nobody's claim, on the routes that name it."""
    says = {"say": "The lamp is blue. Ask your dealer for a leaflet."}
    named = 'boilerplate = ["Ask your dealer for a leaflet."]'
    wired.write(more=named)
    other = POLICY.format(mode="shadow", more="").replace("/answer", "/other", 1)
    wired.policy.write_text(wired.policy.read_text() + other)

    with TestClient(wired.app()) as client:
        client.post("/answer", json=says)
        client.post("/other", json=says)

    named_it = wired.count("exempt_segments_total", route="/answer", kind="boilerplate")
    other_one = wired.count("exempt_segments_total", route="/other", kind="boilerplate")
    assert (named_it, other_one) == (1, 0)
    assert wired.count("claims_total", route="/other") == 2


def test_several_workers_without_a_folder_say_so(
    wire: Wire, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """An empty page is easily taken for a quiet service."""
    monkeypatch.setenv("WEB_CONCURRENCY", "4")
    monkeypatch.delenv("PROMETHEUS_MULTIPROC_DIR", raising=False)

    wire()

    assert '"event": "metrics_unshared"' in caplog.text
    assert '"workers": 4' in caplog.text


def test_page_is_not_served_unless_named(wire: Wire, tmp_path: Path) -> None:
    """Counters say how often answers are wrong: nobody should find them by chance."""
    wire()
    app = Starlette(routes=[Route("/answer", answer, methods=["POST"])])
    bare = gated(app, policy=tmp_path / "gatekeeper.toml", registry=CollectorRegistry())

    assert TestClient(bare).get("/metrics").status_code == 404


def test_path_that_the_app_does_not_have_is_told_of(
    wired: Wired, caplog: pytest.LogCaptureFixture
) -> None:
    """A typo gates nothing: the answers pass, no counter moves and no request says so."""
    wired.write()
    wired.policy.write_text(wired.policy.read_text().replace("/answer", "/answre", 1))

    wired.app()

    (record,) = [record for record in caplog.records if "route_unmatched" in record.getMessage()]
    assert (record.levelname, '"/answre"' in record.getMessage()) == ("WARNING", True)


def test_failed_resolver_is_in_the_log(wired: Wired, caplog: pytest.LogCaptureFixture) -> None:
    """Every answer of the route is unresolved then; the log must say whose error it is."""
    wired.write()
    said = 'resolver = "tests.asgi.sources:broken"'
    wired.policy.write_text(wired.policy.read_text().replace('response = "/contexts/*"', said))

    with TestClient(wired.app()) as client:
        client.post("/answer", json={"say": "The lamp is blue."})

    (line,) = [line for line in caplog.messages if "resolver_failed" in line]
    assert '"error": "ZeroDivisionError"' in line
    assert '"resolver": "tests.asgi.sources:broken"' in line
