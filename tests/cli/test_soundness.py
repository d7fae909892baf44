"""What doctor says of a policy: every fault, who says what, and the ways round the gate."""

import os
from pathlib import Path

import pytest

from gatekeeper.cli import main
from gatekeeper.cli.probes import Finding, State
from gatekeeper.cli.soundness import exposures, metrics, policy_findings, standings
from gatekeeper.config.modefile import EMPTY, ModeFile, Override, Tripped
from gatekeeper.config.scorer import read_scorer
from gatekeeper.policy import Mode, Policy
from tests.config.policies import load, toml
from tests.own_model import own_model

PATH = "/v1/answer"
ENFORCED: dict[str, str | None] = {"mode": '"enforce"'}


def _found(folder: Path, text: str, name: str) -> list[Finding]:
    path = folder / "gatekeeper.toml"
    path.write_text(text, encoding="utf-8")
    return [item for item in policy_findings(path, {}) if item.name == name]


def _standings(
    policy: Policy, folder: Path | None = None, file: ModeFile = EMPTY, **environment: str
) -> list[tuple[State, str]]:
    scorer = None if folder is None else read_scorer(folder)
    return [(item.state, item.text) for item in standings(policy, scorer, file, environment)]


def test_every_fault_is_a_line(tmp_path: Path) -> None:
    """The same list that a start gives, without one."""
    found = _found(tmp_path, toml({"budget_ms": "0", "share": "2"}, model='"none"'), "policy")

    assert {item.state for item in found} == {State.FAIL}
    assert [item.text.partition(":")[0] for item in found] == [
        "model",
        f'route[0] "{PATH}".share',
        f'route[0] "{PATH}".budget_ms',
    ]


def test_policy_without_a_fault_says_so(tmp_path: Path) -> None:
    """Silence could mean that nothing was looked at."""
    (found,) = _found(tmp_path, toml(), "policy")

    assert (found.state, found.text[-9:]) == (State.OK, "routes: 1")


def test_broken_run_time_file_is_a_line(tmp_path: Path) -> None:
    """Workers leave it unread; whoever wrote it has to learn that."""
    (tmp_path / "gatekeeper.mode.json").write_text("{")

    (found,) = _found(tmp_path, toml(), "mode")

    assert found.state is State.FAIL
    assert "\n" not in found.text


def test_mode_comes_with_who_says_so(tmp_path: Path) -> None:
    """Whoever wonders why a route does not block has to know where to look."""
    policy = load(tmp_path, toml())
    by_file = EMPTY.with_override(PATH, Override(mode=Mode.OFF))
    trip = Tripped(to=Mode.SHADOW, blocked=9, of=10)
    by_trip = EMPTY.with_override(PATH, Override(trip=trip))

    assert _standings(policy) == [(State.OK, f"{PATH}: shadow, says policy file")]
    assert _standings(policy, file=by_file) == [(State.OK, f"{PATH}: off, says run-time file")]
    assert _standings(policy, file=by_trip) == [(State.WARN, f"{PATH}: shadow, says a trip")]
    assert _standings(policy, GATEKEEPER_MODE="off") == [
        (State.OK, f"{PATH}: off, says GATEKEEPER_MODE in this shell")
    ]


def test_override_for_no_route_is_noted(tmp_path: Path) -> None:
    """A slip in a path leaves a route in the mode it was to leave."""
    file = EMPTY.with_override("/v1/anwser", Override(mode=Mode.OFF))

    assert _standings(load(tmp_path, toml()), file=file)[1] == (
        State.WARN,
        '"/v1/anwser" is no route of the policy',
    )


def test_enforced_route_comes_with_its_calibration(tmp_path: Path) -> None:
    """Marks decide whom it blocks; a route that lacks them only watches."""
    policy, folder = load(tmp_path, toml(ENFORCED)), own_model(tmp_path)

    mode, calibration = _standings(policy, folder)
    assert mode == (State.OK, f"{PATH}: enforce, share 1, says policy file")
    assert calibration[0] is State.OK
    assert calibration[1].startswith(f"{PATH}: own, for ")

    mode, calibration = _standings(policy)
    assert mode[0] is calibration[0] is State.WARN
    assert calibration[1] == f"{PATH}: no calibration for the running fingerprint"


def test_public_calibration_has_to_be_accepted(tmp_path: Path) -> None:
    """It was fitted to other people's data."""
    folder = own_model(tmp_path)
    path = folder / "calibration.json"
    path.write_text(path.read_text().replace('"own"', '"public"'))

    _, (state, text) = _standings(load(tmp_path, toml(ENFORCED)), folder)

    assert state is State.WARN
    assert text.endswith("not accepted without accept_public_calibration")


def test_ways_round_the_gate_are_warnings(tmp_path: Path) -> None:
    """What the policy releases unchecked, and what its defaults only seem to release."""
    released = '{ default = "release", size = "release" }'
    policy = load(tmp_path, toml({"on_not_checked": released}))

    reached, kept = exposures(policy)

    assert reached.state is State.WARN
    assert reached.text.startswith(f"{PATH} on_not_checked: released unchecked: ")
    assert "size (clients can cause it)" in reached.text
    assert "no_context," in reached.text
    assert kept.state is State.OK
    assert "not reached by the default, withheld: encoding" in kept.text


@pytest.mark.parametrize(
    ("environment", "state", "text"),
    [
        ({}, State.OK, "single"),
        ({"WEB_CONCURRENCY": "4"}, State.WARN, "unshared: 4 workers"),
        ({"PROMETHEUS_MULTIPROC_DIR": "not/there/yet"}, State.OK, "multiprocess"),
    ],
)
def test_metrics_mode(environment: dict[str, str], state: State, text: str) -> None:
    """Several workers without a folder count nothing: better known before the alert is needed."""
    (found,) = metrics(environment)

    assert (found.state, text in found.text) == (state, True)


def test_metrics_folder_that_can_not_be_written_to(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers would refuse to start."""
    monkeypatch.setattr(os, "access", lambda *_: False)

    (found,) = metrics({"PROMETHEUS_MULTIPROC_DIR": "/"})

    assert found.state is State.FAIL


def test_doctor_looks_at_policy_and_model(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One command before a deployment: the machine, the policy, and the model it names."""
    path = tmp_path / "gatekeeper.toml"
    folder = own_model(tmp_path)
    path.write_text(toml(model='"./model"'), encoding="utf-8")

    assert main(["doctor", "-c", str(path)]) == 0

    lines = capsys.readouterr().out.splitlines()
    names = {line.split()[1] for line in lines}
    assert {"numpy", "policy", "mode", "unchecked", "metrics", "self-test"} <= names
    assert any(f"in {folder}" in line for line in lines)


def test_doctor_fails_on_a_fault(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A deployment can stop at its exit code."""
    path = tmp_path / "gatekeeper.toml"
    path.write_text(toml({"mode": '"on"'}, model='"none"'), encoding="utf-8")

    assert main(["doctor", "-c", str(path)]) == 1
    assert "fail  policy" in capsys.readouterr().out
    assert main(["doctor", "-c", str(path), "--model", str(tmp_path)]) == 2
