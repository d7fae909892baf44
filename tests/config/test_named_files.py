"""House facts and boilerplate are read anew with the policy that names them."""

from dataclasses import dataclass, field
from os import utime
from pathlib import Path

from gatekeeper.asgi.evidence import prepare
from gatekeeper.config import load_policy
from gatekeeper.config.controls import Files, LiveControls
from gatekeeper.config.modefile import Tripped
from gatekeeper.config.standing import Standing, Surroundings
from gatekeeper.policy import FileSource
from tests.config.policies import toml

NAMED: dict[str, str | None] = {
    "context": '[{ file = "facts.md" }]',
    "boilerplate": '"boilerplate.txt"',
}


@dataclass
class Heard:
    """Notes reloads."""

    outcomes: list[tuple[str, str]] = field(default_factory=list)

    def reloaded(self, what: str, outcome: str, reason: str) -> None:
        """Note the reload."""
        self.outcomes.append((what, outcome))

    def tripped(self, route: str, trip: Tripped) -> None:
        """Never called: no route trips."""

    def stands(self, route: str, standing: Standing) -> None:
        """Pass over what holds."""


def running(folder: Path) -> tuple[LiveControls, Heard]:
    """Load the policy of a folder as a worker does."""
    policy, heard = folder / "gatekeeper.toml", Heard()
    files = Files(
        mode_file=folder / "gatekeeper.mode.json",
        policy_file=policy,
        load=lambda: load_policy(policy, environment={}),
    )
    controls = LiveControls(
        files.load(), around=lambda _: Surroundings(), watched=heard, files=files
    )
    return controls, heard


def facts(controls: LiveControls) -> list[str]:
    """Return the texts that the file source of the running policy gives."""
    [route] = controls.policy.routes
    [source] = route.context
    assert isinstance(source, FileSource)
    return [text for _, text in prepare(route).files[source.path]]


def test_edited_files_hold_once_the_policy_is_touched(tmp_path: Path) -> None:
    """A price in the house facts changes, and no server has to be restarted for it."""
    (tmp_path / "gatekeeper.toml").write_text(toml(NAMED))
    (tmp_path / "facts.md").write_text("\ufeffReturns are free.\n\nWe ship fast.\n")
    (tmp_path / "boilerplate.txt").write_text("Bye.\n")
    controls, heard = running(tmp_path)
    assert facts(controls) == ["Returns are free.", "We ship fast."]

    (tmp_path / "facts.md").write_text("Returns cost 5 euros.")
    (tmp_path / "boilerplate.txt").write_text("Bye.\nSee you.\n")
    utime(tmp_path / "gatekeeper.toml", ns=(1, 1))
    controls.poll()

    assert heard.outcomes == [("policy", "applied")]
    assert facts(controls) == ["Returns cost 5 euros."]
    assert controls.policy.routes[0].boilerplate == ("Bye.", "See you.")


def test_file_that_is_gone_leaves_what_runs(tmp_path: Path) -> None:
    """A half-done deployment must not take the evidence away."""
    (tmp_path / "gatekeeper.toml").write_text(toml(NAMED))
    (tmp_path / "facts.md").write_text("Returns are free.")
    (tmp_path / "boilerplate.txt").write_text("Bye.\n")
    controls, heard = running(tmp_path)
    policy = controls.policy

    (tmp_path / "boilerplate.txt").unlink()
    utime(tmp_path / "gatekeeper.toml", ns=(1, 1))
    controls.poll()

    assert heard.outcomes == [("policy", "invalid")]
    assert controls.policy is policy
