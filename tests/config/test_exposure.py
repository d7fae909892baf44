"""What goes out unchecked, told before anyone finds out."""

from pathlib import Path

from gatekeeper.config.exposure import not_reached, released_unchecked
from gatekeeper.policy import CLIENT_REASONS
from gatekeeper.verdict import Action
from tests.config.policies import load, toml


def test_withholding_policy_lets_only_the_apps_errors_through(tmp_path: Path) -> None:
    """The one thing a withholding policy delivers unchecked is a status outside 2xx."""
    policy = load(tmp_path, toml())

    assert [(e.table, e.reason) for e in released_unchecked(policy)] == [
        ("on_not_checked", "status")
    ]
    assert not_reached(policy) == ()


def test_named_reasons_of_the_client_are_told_apart(tmp_path: Path) -> None:
    """Overload released is a door that whoever makes load can open."""
    changes: dict[str, str | None] = {
        "on_unresolved": '{ default = "withhold", overload = "release", warming = "release" }',
        "on_not_checked": '{ default = "withhold", status = "block" }',
    }

    found = released_unchecked(load(tmp_path, toml(changes)))

    assert [(e.route, e.reason, e.action, e.by_client) for e in found] == [
        ("/v1/answer", "overload", Action.RELEASE, True),
        ("/v1/answer", "warming", Action.RELEASE, False),
    ]


def test_default_that_does_not_reach_the_clients_reasons_says_so(tmp_path: Path) -> None:
    """Who writes default = "release" must not believe that it covers everything."""
    releasing: str | None = '{ default = "release" }'
    policy = load(tmp_path, toml({"on_unresolved": releasing, "on_not_checked": releasing}))

    kept = not_reached(policy)

    assert {e.reason for e in kept} == CLIENT_REASONS
    assert not any(e.reached for e in kept)
    assert not {e.reason for e in released_unchecked(policy)} & CLIENT_REASONS
