"""Run-time changes in a worker: files come and go, break and recover; trips happen and end."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from gatekeeper.config.controls import Files, LiveControls, with_trip
from gatekeeper.config.modefile import (
    EMPTY,
    ModeFile,
    Override,
    Tripped,
    change_mode_file,
    mode_path,
    read_mode_file,
)
from gatekeeper.config.policies import load_policy
from gatekeeper.config.standing import Says, Standing, Surroundings
from gatekeeper.policy import Mode, Policy, Route
from gatekeeper.protocols import Control
from tests.config.policies import toml

NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)
TRIPPING: dict[str, str | None] = {
    "mode": '"enforce"',
    "trip": "{ blocked_share = 0.5, of_last = 10 }",
}
TRIP = Tripped(to=Mode.SHADOW, blocked=10, of=10, at="2024-05-01T12:00:00+00:00")


@dataclass
class Heard:
    """Keeps what was told."""

    reloads: list[tuple[str, str, str]] = field(default_factory=list)
    trips: list[tuple[str, Tripped]] = field(default_factory=list)
    standings: dict[str, Standing] = field(default_factory=dict)
    settled: threading.Event = field(default_factory=threading.Event)

    def reloaded(self, what: str, outcome: str, reason: str) -> None:
        """Keep a reload."""
        self.reloads.append((what, outcome, reason))

    def tripped(self, route: str, trip: Tripped) -> None:
        """Keep a trip."""
        self.trips.append((route, trip))

    def stands(self, route: str, standing: Standing) -> None:
        """Keep the last standing and let a waiting test go on."""
        self.standings[route] = standing
        self.settled.set()

    @property
    def outcomes(self) -> list[tuple[str, str]]:
        """What was reloaded and how it went."""
        return [(what, outcome) for what, outcome, _ in self.reloads]


class Worker:
    """A worker over a policy file in a folder."""

    def __init__(self, folder: Path, *, around: Surroundings | None = None) -> None:
        self.file = folder / "gatekeeper.toml"
        self.heard = Heard()
        self.mode_file = mode_path(self.file)
        surroundings = around or Surroundings(has_secret=True)
        self.controls = LiveControls(
            self.load(),
            around=lambda _: surroundings,
            watched=self.heard,
            files=Files(mode_file=self.mode_file, policy_file=self.file, load=self.load),
            utc_now=lambda: NOON,
        )

    def load(self) -> Policy:
        """Load the policy as a start does."""
        return load_policy(self.file, environment={})

    @property
    def route(self) -> Route:
        """The first route of the running policy."""
        return self.controls.policy.routes[0]

    def mode(self) -> Mode:
        """The mode that holds for the first route."""
        return self.controls.now(self.route).mode

    def decide(self, *blocked: bool) -> None:
        """Take enforced decisions."""
        for was_blocked in blocked:
            self.controls.blocked(self.route, was_blocked=was_blocked)

    def set(self, override: Override, policy: str = "") -> None:
        """Have a person change the run-time file."""
        path = self.route.path
        change_mode_file(
            self.mode_file, lambda file: replace(file.with_override(path, override), policy=policy)
        )


Start = Callable[..., Worker]


@pytest.fixture
def start(tmp_path: Path) -> Start:
    """Start a worker over the valid policy with keys changed."""

    def begin(changes: dict[str, str | None], *, around: Surroundings | None = None) -> Worker:
        (tmp_path / "gatekeeper.toml").write_text(toml(changes), encoding="utf-8")
        return Worker(tmp_path, around=around)

    return begin


def test_policy_holds_where_nothing_else_is_said(start: Start) -> None:
    """Without a run-time file the policy is all there is."""
    worker = start({})

    assert worker.controls.now(worker.route) == Control(mode=Mode.SHADOW, share=1.0)
    assert worker.heard.standings["/v1/answer"].says is Says.POLICY
    assert worker.heard.reloads == []


def test_run_time_file_holds_from_the_first_request(start: Start, tmp_path: Path) -> None:
    """A worker that restarts in an incident must not enforce for half a second."""
    change_mode_file(
        tmp_path / "gatekeeper.mode.json",
        lambda file: file.with_override("/v1/answer", Override(mode=Mode.OFF)),
    )

    assert start({"mode": '"enforce"'}).mode() is Mode.OFF


def test_change_is_seen_at_the_next_poll(start: Start) -> None:
    """Asking reads no file, polling does, and an unchanged file is read once."""
    worker = start({})
    worker.set(Override(mode=Mode.ENFORCE))

    assert worker.mode() is Mode.SHADOW
    worker.controls.poll()
    assert worker.mode() is Mode.ENFORCE
    worker.controls.poll()
    assert worker.heard.reloads == [("mode_file", "applied", "")]


@pytest.mark.parametrize(
    "broken", ["", "{", '{"format": 1, "routes": {"/v1/answer": {"mode": 1}}}']
)
def test_broken_file_keeps_what_runs_and_is_counted_once(start: Start, broken: str) -> None:
    """Half a file is no order; the count is of broken files, not of polls."""
    worker = start({})
    worker.set(Override(mode=Mode.ENFORCE))
    worker.controls.poll()

    worker.mode_file.write_text(broken, encoding="utf-8")
    worker.controls.poll()
    worker.controls.poll()

    assert worker.mode() is Mode.ENFORCE
    assert worker.heard.outcomes == [("mode_file", "applied"), ("mode_file", "invalid")]


def test_removed_file_leaves_the_policy(start: Start) -> None:
    """Taking the file away is taking back what it said."""
    worker = start({})
    worker.set(Override(mode=Mode.ENFORCE))
    worker.controls.poll()

    worker.mode_file.unlink()
    worker.controls.poll()

    assert worker.mode() is Mode.SHADOW


def test_file_for_another_policy_is_applied(start: Start) -> None:
    """An order given before a deployment still stands; that is nothing to mend."""
    worker = start({})
    worker.set(Override(mode=Mode.ENFORCE), policy="0" * 64)
    worker.controls.poll()

    assert worker.mode() is Mode.ENFORCE
    assert worker.heard.reloads == [("mode_file", "applied", "")]


def test_what_cannot_be_honoured_is_named(start: Start) -> None:
    """A share without a key and a route that is gone change nothing, and say so."""
    worker = start({})
    worker.set(Override(mode=Mode.ENFORCE, share=0.5))
    change_mode_file(
        worker.mode_file, lambda file: file.with_override("/old", Override(mode=Mode.OFF))
    )
    worker.controls.poll()

    assert worker.controls.now(worker.route) == Control(mode=Mode.ENFORCE, share=1.0)
    assert worker.heard.reloads[0][2] == (
        'the share of "/v1/answer" needs share_key and GATEKEEPER_SECRET; '
        '"/old" is no route of the policy'
    )


def test_uncalibrated_route_stays_in_shadow_whatever_the_file_says(start: Start) -> None:
    """The run-time file is no way round the calibration."""
    worker = start({}, around=Surroundings(uncalibrated=frozenset({"/v1/answer"})))
    worker.set(Override(mode=Mode.ENFORCE))
    worker.controls.poll()

    assert worker.mode() is Mode.SHADOW
    assert worker.heard.standings["/v1/answer"].degraded


def test_policy_is_loaded_again_when_its_file_changes(start: Start) -> None:
    """A valid change runs at once, an invalid one leaves the running policy and is counted."""
    worker = start({})

    worker.file.write_text(toml({"mode": '"off"'}), encoding="utf-8")
    worker.controls.poll()
    assert worker.mode() is Mode.OFF

    worker.file.write_text(toml({"mode": '"offf"'}), encoding="utf-8")
    worker.controls.poll()
    worker.controls.poll()
    assert worker.mode() is Mode.OFF

    assert worker.heard.outcomes == [("policy", "applied"), ("policy", "invalid")]
    assert 'write mode = "off"' in worker.heard.reloads[1][2]


def test_vanished_policy_keeps_the_running_one(start: Start) -> None:
    """An editor that moves the file away for a moment stops nothing."""
    worker = start({})
    worker.file.unlink()
    worker.controls.poll()

    assert worker.mode() is Mode.SHADOW
    assert worker.heard.outcomes == [("policy", "invalid")]


def test_request_under_way_on_a_route_that_is_gone(start: Start) -> None:
    """A reload must not pull the route from under a request."""
    worker = start({"mode": '"enforce"'})
    old = worker.route
    worker.file.write_text(toml({"path": '"/v2"'}), encoding="utf-8")
    worker.controls.poll()

    assert worker.controls.now(old) == Control(mode=Mode.ENFORCE, share=1.0)
    worker.controls.blocked(old, was_blocked=True)


def test_trip_acts_at_once_and_is_saved_for_the_other_workers(start: Start, tmp_path: Path) -> None:
    """When retrieval breaks and all is withheld, every worker stops, not only one."""
    worker = start(TRIPPING)
    other = Worker(tmp_path)

    worker.decide(*[True] * 10)
    assert worker.controls.now(worker.route) == Control(mode=Mode.SHADOW, share=1.0, tripped=True)
    assert worker.heard.trips == [("/v1/answer", TRIP)]

    worker.controls.poll()
    other.controls.poll()
    assert other.controls.now(other.route).tripped
    assert other.heard.trips == []


def test_trip_happens_once(start: Start) -> None:
    """Decisions still under way when it happens don't trip it again."""
    worker = start(TRIPPING)

    worker.decide(*[True] * 30)

    assert len(worker.heard.trips) == 1


def test_blocks_below_the_share_trip_nothing(start: Start) -> None:
    """The gate blocks now and then; that is what it is for."""
    worker = start(TRIPPING)

    worker.decide(*[True, False] * 30)

    assert worker.mode() is Mode.ENFORCE


def test_trip_outlives_reload_and_restart(start: Start, tmp_path: Path) -> None:
    """Only a person ends a trip: not a deployment, not a new mode, not a new worker."""
    worker = start(TRIPPING)
    worker.decide(*[True] * 10)
    worker.controls.poll()

    worker.file.write_text(toml({**TRIPPING, "budget_ms": "100"}), encoding="utf-8")
    worker.controls.poll()
    assert worker.mode() is Mode.SHADOW

    said = read_mode_file(worker.mode_file).override("/v1/answer")
    worker.set(replace(said, mode=Mode.ENFORCE))
    worker.controls.poll()
    assert worker.mode() is Mode.SHADOW
    assert Worker(tmp_path).mode() is Mode.SHADOW


def reset(file: ModeFile) -> ModeFile:
    """End the trip of the route as a person does."""
    said = file.override("/v1/answer")
    return file.with_override("/v1/answer", replace(said, trip=None, resets=said.resets + 1))


def test_reset_ends_a_trip_and_counts_anew(start: Start) -> None:
    """The decisions that led to the trip must not trip the route again at once."""
    worker = start(TRIPPING)
    worker.decide(*[True] * 10)
    worker.controls.poll()

    change_mode_file(worker.mode_file, reset)
    worker.controls.poll()
    assert worker.mode() is Mode.ENFORCE

    worker.decide(*[True] * 9)
    assert worker.mode() is Mode.ENFORCE
    worker.decide(True)
    assert worker.mode() is Mode.SHADOW
    worker.controls.poll()
    assert read_mode_file(worker.mode_file).override("/v1/answer") == Override(trip=TRIP, resets=1)


def test_reset_in_one_worker_clears_the_window_of_another(start: Start, tmp_path: Path) -> None:
    """A worker on its way to the same trip has seen the same broken retrieval."""
    worker = start(TRIPPING)
    other = Worker(tmp_path)
    other.decide(*[True] * 9)
    worker.decide(*[True] * 10)
    worker.controls.poll()
    change_mode_file(worker.mode_file, reset)
    other.controls.poll()

    other.decide(True)

    assert other.mode() is Mode.ENFORCE


def test_trip_that_was_saved_is_saved_again_when_the_file_is_lost(start: Start) -> None:
    """Removing the file is no reset."""
    worker = start(TRIPPING)
    worker.decide(*[True] * 10)
    worker.controls.poll()
    worker.mode_file.unlink()

    worker.controls.poll()

    assert worker.mode() is Mode.SHADOW
    assert read_mode_file(worker.mode_file).override("/v1/answer").trip == TRIP


def test_trip_that_cannot_be_saved_holds_here_and_is_told_once(start: Start) -> None:
    """A policy folder that can't be written must not keep a worker enforcing."""
    worker = start(TRIPPING)
    worker.mode_file.write_text("{", encoding="utf-8")
    worker.decide(*[True] * 10)

    worker.controls.poll()
    worker.controls.poll()

    assert worker.mode() is Mode.SHADOW
    assert worker.heard.outcomes == [("mode_file", "invalid"), ("mode_file", "unwritable")]

    worker.mode_file.unlink()
    change_mode_file(worker.mode_file, reset)
    worker.controls.poll()
    assert worker.mode() is Mode.ENFORCE


@pytest.mark.parametrize(
    "said", [Override(resets=3), Override(trip=replace(TRIP, to=Mode.OFF), resets=2)]
)
def test_late_trip_changes_nothing(said: Override) -> None:
    """A worker that was slow must not undo a person's reset or another worker's trip."""
    file = EMPTY.with_override("/v1/answer", said)

    assert with_trip("/v1/answer", TRIP, 2)(file) is file


def test_policy_from_python_trips_without_files(start: Start) -> None:
    """What is made in Python has no file beside it; the trip ends with the process."""
    policy = start(TRIPPING).controls.policy
    heard = Heard()
    controls = LiveControls(policy, around=lambda _: Surroundings(), watched=heard)

    controls.start()
    for _ in range(10):
        controls.blocked(policy.routes[0], was_blocked=True)
    controls.poll()
    controls.close()

    assert controls.now(policy.routes[0]).tripped
    assert heard.trips[0][1].of == 10


def test_route_without_a_trip_counts_nothing(start: Start) -> None:
    """No trip is set, so none happens."""
    worker = start({"mode": '"enforce"'})

    worker.decide(*[True] * 500)

    assert worker.mode() is Mode.ENFORCE


def watchers() -> int:
    """Count the watching threads."""
    return [thread.name for thread in threading.enumerate()].count("gatekeeper-watch")


@pytest.mark.parametrize("mode", [Mode.OFF, Mode.ENFORCE])
def test_thread_polls_until_closed(start: Start, mode: Mode) -> None:
    """One thread a process sees to the files; closing ends it, starting again is allowed."""
    worker = start({})
    worker.controls.start()
    worker.controls.start()
    assert watchers() == 1

    worker.heard.settled.clear()
    worker.set(Override(mode=mode))
    assert worker.heard.settled.wait(10)
    assert worker.mode() is mode

    worker.controls.close()
    assert watchers() == 0
    worker.controls.start()
    assert watchers() == 1
    worker.controls.close()


def test_surroundings_are_asked_for_again(start: Start) -> None:
    """A model that turns out to score otherwise takes enforcing away from routes at once."""
    uncalibrated: set[str] = set()
    worker = start({"mode": '"enforce"'})
    controls = LiveControls(
        worker.load(),
        around=lambda _: Surroundings(uncalibrated=frozenset(uncalibrated)),
        watched=worker.heard,
    )
    assert controls.now(worker.route).mode is Mode.ENFORCE

    uncalibrated.add(worker.route.path)
    controls.renew()

    assert controls.now(worker.route).mode is Mode.SHADOW
    assert worker.heard.standings[worker.route.path].degraded
