"""``gatekeeper mode``: what it shows, what it writes, what it refuses."""

from pathlib import Path

import pytest

from gatekeeper.cli import main
from gatekeeper.config.modefile import (
    Override,
    Tripped,
    change_mode_file,
    mode_path,
    read_mode_file,
)
from gatekeeper.policy import Mode
from tests.config.policies import toml

TRIP = Tripped(to=Mode.SHADOW, blocked=130, of=200, at="2024-05-01T12:00:00+00:00")
SHARED: dict[str, str | None] = {
    "path": '"/b"',
    "share_key": '{ header = "x-user" }',
    "accept_public_calibration": "true",
}


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write a policy with two routes, one of which can be shared."""
    monkeypatch.delenv("GATEKEEPER_MODE", raising=False)
    monkeypatch.delenv("GATEKEEPER_SECRET", raising=False)
    path = tmp_path / "gatekeeper.toml"
    path.write_text(toml({}, SHARED), encoding="utf-8")
    return path


def said(config: Path, path: str = "/v1/answer") -> Override:
    """Return what the run-time file says of a route."""
    return read_mode_file(mode_path(config)).override(path)


def test_shows_every_route_and_who_says_so(
    config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The first question in an incident is what runs and why."""
    change_mode_file(
        mode_path(config), lambda file: file.with_override("/b", Override(share=0.5, trip=TRIP))
    )

    assert main(["mode", "-c", str(config)]) == 0

    assert capsys.readouterr().out.splitlines() == [
        "/v1/answer  shadow   share 1  (policy file)",
        (
            "/b          shadow   share 0.5  (a trip; tripped 2024-05-01T12:00:00+00:00: "
            "130 of 200 blocked, end it with `gatekeeper mode /b reset`)"
        ),
    ]


def test_finds_the_policy_in_the_current_folder(
    config: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The usual name needs no option."""
    monkeypatch.chdir(config.parent)

    assert main(["mode"]) == 0
    assert "/v1/answer" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["enforce"], Override(mode=Mode.ENFORCE, share=0.5, trip=TRIP, resets=1)),
        (["shadow", "--share", "1"], Override(mode=Mode.SHADOW, share=1, trip=TRIP, resets=1)),
        (["--share", "0.1"], Override(mode=Mode.OFF, share=0.1, trip=TRIP, resets=1)),
        (["reset"], Override(mode=Mode.OFF, share=0.5, resets=2)),
        (["policy"], Override(trip=TRIP, resets=1)),
    ],
)
def test_changes_what_was_said_and_leaves_the_rest(
    config: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], expected: Override
) -> None:
    """A new share is not a new mode, and only "reset" ends a trip."""
    monkeypatch.setenv("GATEKEEPER_SECRET", "0123456789abcdef")
    before = Override(mode=Mode.OFF, share=0.5, trip=TRIP, resets=1)
    change_mode_file(mode_path(config), lambda file: file.with_override("/b", before))
    policy = config.read_bytes()

    assert main(["mode", "/b", *words, "-c", str(config)]) == 0

    assert said(config, "/b") == expected
    assert config.read_bytes() == policy


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["/v2", "off"], "ROUTE: found '/v2', expected a route of the policy (/v1/answer, /b)"),
        (["/b"], "give ROUTE one of off, shadow, enforce, reset, policy, or a --share"),
        (["/b", "on"], "'on' is not one of"),
        (["/b", "enforce", "--share", "50"], "50.0 is not in the range 0<=x<=1"),
        (["/v1/answer", "shadow", "--share", "0.5"], '"/v1/answer".share_key: found nothing'),
        (["/b", "--share", "0.5"], 'route[1] "/b".share: found 0.5 without GATEKEEPER_SECRET'),
        (
            ["/v1/answer", "enforce"],
            'route[0] "/v1/answer".mode: found "enforce" on a calibration fitted to public data',
        ),
    ],
)
def test_refuses_what_cannot_be_honoured(
    config: Path, words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A switch that does nothing must not look as if it had."""
    assert main(["mode", *words, "-c", str(config)]) == 2

    assert message in capsys.readouterr().err
    assert not mode_path(config).exists()


def test_order_that_waits_for_a_calibration_shows_what_holds(
    config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whoever reads "enforce" here believes that answers are held back."""
    config.write_text(toml({"uncalibrated": '"shadow"'}), encoding="utf-8")

    assert main(["mode", "/v1/answer", "enforce", "-c", str(config)]) == 0

    assert said(config).mode is Mode.ENFORCE
    assert capsys.readouterr().out.splitlines() == [
        "/v1/answer  shadow   share 1  (run-time file; wanted enforce: a public calibration only)"
    ]


def test_route_can_be_let_go_without_its_model(
    config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What holds answers back must end from any machine; what enforces them must be known good."""
    config.write_text(toml({}, SHARED, model='"./gone"'), encoding="utf-8")

    assert main(["mode", "/b", "shadow", "-c", str(config)]) == 0
    assert "model: found" in capsys.readouterr().err
    assert main(["mode", "/b", "enforce", "-c", str(config)]) == 2
    assert '"enforce" without a calibration for this scorer' in capsys.readouterr().err
    assert said(config, "/b").mode is Mode.SHADOW


def test_edited_policy_takes_nothing_back(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """After a deployment one asks whether the switch of last night still holds."""
    assert main(["mode", "/b", "off", "-c", str(config)]) == 0
    assert "note:" not in capsys.readouterr().out
    config.write_text(toml({"budget_ms": "300"}, SHARED), encoding="utf-8")

    assert main(["mode", "-c", str(config)]) == 0

    shown = capsys.readouterr().out.splitlines()
    assert "off" in shown[1]
    assert shown[2] == "note: the policy was edited since the run-time file; that still holds"


def test_missing_and_broken_files_are_usage_errors(
    config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """No traceback, and the broken run-time file is left for a person to look at."""
    assert main(["mode", "-c", str(config.parent / "gone.toml")]) == 2
    mode_path(config).write_text("{", encoding="utf-8")
    assert main(["mode", "/b", "off", "-c", str(config)]) == 2

    assert "run-time file: 1 fault" in capsys.readouterr().err
    assert mode_path(config).read_text(encoding="utf-8") == "{"


def test_switches_while_the_policy_on_disk_has_faults(
    config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In an incident the half-edited policy must not stand in the way; its faults are told."""
    config.write_text(toml({"budget_ms": "0.2"}, SHARED), encoding="utf-8")

    assert main(["mode", "/b", "off", "-c", str(config)]) == 0

    assert said(config, "/b").mode is Mode.OFF
    assert "write budget_ms = 200" in capsys.readouterr().err


def test_environment_of_the_shell_is_named_as_such(
    config: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What wins here need not be what wins where the workers run."""
    monkeypatch.setenv("GATEKEEPER_MODE", "off")

    assert main(["mode", "-c", str(config)]) == 0

    assert "(GATEKEEPER_MODE in this shell; workers have" in capsys.readouterr().out


def test_remarks_and_foreign_text_are_shown_harmlessly(
    config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A route's name or a time in the file must not steer the terminal."""
    trip = Tripped(to=Mode.OFF, blocked=1, of=2, at="\x1b[31m")
    change_mode_file(
        mode_path(config),
        lambda file: file.with_override("/b", Override(trip=trip)).with_override(
            "/old\x1b", Override(mode=Mode.OFF)
        ),
    )

    assert main(["mode", "-c", str(config)]) == 0

    shown = capsys.readouterr().out
    assert "\x1b" not in shown
    assert 'note: "/old\\u001b" is no route of the policy' in shown
