"""Who wins: environment, trip, run-time file, policy; and when a trip happens."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gatekeeper.config.modefile import Override, Tripped
from gatekeeper.config.standing import Says, Surroundings, Window, stand
from gatekeeper.policy import Mode, Reactions, Route, ShareKey, StateSource, Trip
from gatekeeper.protocols import Control
from gatekeeper.verdict import Action

WITHHOLDING = Reactions(default=Action.WITHHOLD)
ROUTE = Route(
    path="/a",
    answer="/answer",
    context=(StateSource(name="passages"),),
    mode=Mode.ENFORCE,
    on_flagged=Action.WITHHOLD,
    on_unresolved=WITHHOLDING,
    on_not_checked=WITHHOLDING,
    share=0.5,
    share_key=ShareKey(header="x-user"),
)
TRIP = Tripped(to=Mode.SHADOW, blocked=6, of=10)
AROUND = Surroundings(has_secret=True)


@pytest.mark.parametrize(
    ("forced", "override", "trip", "mode", "says"),
    [
        (None, Override(), None, Mode.ENFORCE, Says.POLICY),
        (None, Override(mode=Mode.SHADOW), None, Mode.SHADOW, Says.FILE),
        (None, Override(mode=Mode.ENFORCE), TRIP, Mode.SHADOW, Says.TRIP),
        (None, Override(mode=Mode.ENFORCE, trip=TRIP), None, Mode.SHADOW, Says.TRIP),
        (Mode.ENFORCE, Override(mode=Mode.OFF, trip=TRIP), TRIP, Mode.ENFORCE, Says.ENVIRONMENT),
        (Mode.OFF, Override(), None, Mode.OFF, Says.ENVIRONMENT),
    ],
)
def test_precedence(
    forced: Mode | None, override: Override, trip: Tripped | None, mode: Mode, says: Says
) -> None:
    """Whoever pulls the cord in an incident must know what wins."""
    found = stand(ROUTE, override, replace(AROUND, forced=forced), trip=trip)

    assert (found.control.mode, found.says, found.degraded) == (mode, says, False)
    assert found.control.tripped == (says is Says.TRIP)


@pytest.mark.parametrize(
    ("around", "override"),
    [
        (replace(AROUND, uncalibrated=frozenset({"/a"})), Override()),
        (
            replace(AROUND, uncalibrated=frozenset({"/a"}), forced=Mode.ENFORCE),
            Override(mode=Mode.OFF),
        ),
    ],
)
def test_uncalibrated_route_is_never_enforced(around: Surroundings, override: Override) -> None:
    """No way of setting the mode leads past the calibration; that it was tried is told."""
    found = stand(ROUTE, override, around)

    assert (found.control.mode, found.degraded) == (Mode.SHADOW, True)
    assert not stand(replace(ROUTE, mode=Mode.OFF), Override(), AROUND).degraded


@pytest.mark.parametrize(
    ("route", "has_secret", "share", "expected"),
    [
        (ROUTE, True, None, 0.5),
        (ROUTE, True, 0.1, 0.1),
        (ROUTE, True, 1.0, 1.0),
        (ROUTE, False, 0.1, 0.5),
        (replace(ROUTE, share_key=None), True, 0.1, 0.5),
        (replace(ROUTE, share_key=None), True, 1.0, 1.0),
    ],
)
def test_share_from_the_file_counts_where_it_can_be_sticky(
    route: Route, has_secret: bool, share: float | None, expected: float
) -> None:
    """A share without a key would put one user now on this side, now on that."""
    found = stand(route, Override(share=share), Surroundings(has_secret=has_secret))

    assert found.control == Control(mode=Mode.ENFORCE, share=expected)


def trips(trip: Trip, decisions: Sequence[bool]) -> list[Tripped | None]:
    """Feed decisions to a window and collect what comes of each."""
    window = Window(trip)
    return [window.add(was_blocked=was_blocked) for was_blocked in decisions]


def test_trip_needs_a_full_window_and_more_than_the_share() -> None:
    """One block at the start of a day is no incident, and the limit itself is allowed."""
    trip = Trip(blocked_share=0.5, of_last=4, to=Mode.OFF)

    assert trips(trip, [True, True, True]) == [None] * 3
    assert trips(trip, [True, True, False, False]) == [None] * 4
    found = trips(trip, [True, True, True, False])
    assert found == [None, None, None, Tripped(to=Mode.OFF, blocked=3, of=4)]


@settings(deadline=None, derandomize=True)
@given(st.lists(st.booleans(), max_size=60), st.integers(1, 12), st.floats(0, 1))
def test_window_slides(decisions: list[bool], of_last: int, share: float) -> None:
    """Only the last decisions count, however many came before them."""
    found = trips(Trip(blocked_share=share, of_last=of_last), decisions)

    for n, trip in enumerate(found, start=1):
        last = decisions[max(0, n - of_last) : n]
        assert (trip is not None) == (len(last) == of_last and sum(last) > share * of_last)
        assert trip is None or trip.blocked == sum(last)
