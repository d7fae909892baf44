"""The shipped rules as Prometheus's own tool sees them."""

import subprocess
from pathlib import Path

import pytest
import yaml

from gatekeeper.cli import main
from gatekeeper.observe.dashboards import ALERTS, RULES, TESTS
from tests.system.serving import program


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    """Return a folder with the rules as a user gets them."""
    if program("promtool") is None:
        pytest.skip("promtool is not installed: it comes with prometheus")
    assert main(["dashboards", str(tmp_path)]) == 0
    return tmp_path


def promtool(*arguments: str, folder: Path) -> "subprocess.CompletedProcess[str]":
    """Run the tool; what it says is on both streams."""
    command = [program("promtool") or "promtool", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("name", [RULES, ALERTS])
def test_rules_are_valid(rules: Path, name: str) -> None:
    """A file with one fault loads none of its alerts."""
    done = promtool("check", "rules", name, folder=rules)

    assert done.returncode == 0, done.stdout + done.stderr
    assert "SUCCESS" in done.stdout


def test_alerts_fire_and_stay_silent(rules: Path) -> None:
    """Each where it should: not without traffic, not at the mark, not when counters begin."""
    done = promtool("test", "rules", TESTS, folder=rules)

    assert done.returncode == 0, done.stdout + done.stderr
    assert "SUCCESS" in done.stdout


@pytest.mark.parametrize(
    ("alert", "mark", "other"),
    [
        ("GatekeeperShadowLost", "ratio_rate1d > 0.05", "ratio_rate1d > 0.04"),
        ("GatekeeperChecksUncounted", "drift[15m]) > 5", "drift[15m]) > 500"),
        ("GatekeeperChecksUncounted", "min_over_time(job_instance", "max_over_time(job_instance"),
        ("GatekeeperFalseBlocksAboveTarget", "[1h] offset 23h", "[1h]"),
        ("GatekeeperAcceptedErrorAboveTarget", '{mode="enforce"}[1d]', "[1d]"),
        ("GatekeeperNothingChecked", "increase1h > 20", "increase1h > 0"),
        ("GatekeeperStoreDown", "min_over_time(gatekeeper_store_up[10m])", "gatekeeper_store_up"),
        ("GatekeeperStoreDown", "== 0\n        for: 15m", "== 0\n        for: 10m"),
        ("GatekeeperStoreDown", "== 0\n        for: 15m", "== 0\n        for: 20m"),
        ("GatekeeperProbesStopped", "probes_wanted[15m]", "probes_total[15m]"),
        ("GatekeeperProbesStopped", "probes_wanted[15m]", "probes_wanted[1m]"),
        ("GatekeeperNobodyLabels", "offset 170h", "offset 168h"),
        ("GatekeeperNobodyLabels", "offset 170h", "offset 240h"),
        ("GatekeeperShadowLost", "claim_too_long|resolver_error", "resolver_error"),
        ("GatekeeperShadowLost", "claim_too_long|resolver_error", "claim_too_long"),
    ],
)
def test_tests_notice_another_mark(rules: Path, alert: str, mark: str, other: str) -> None:
    """Tests that pass whatever the alerts say would prove nothing."""
    texts = {name: (rules / name).read_text(encoding="utf-8") for name in (ALERTS, RULES)}
    tests = yaml.safe_load((rules / TESTS).read_text(encoding="utf-8"))
    tests["tests"] = [one for one in tests["tests"] if alert in str(one)]
    (name,) = (name for name, text in texts.items() if mark in text)

    (rules / name).write_text(texts[name].replace(mark, other), encoding="utf-8")
    (rules / TESTS).write_text(yaml.safe_dump(tests), encoding="utf-8")

    assert "FAILED" in promtool("test", "rules", TESTS, folder=rules).stderr
