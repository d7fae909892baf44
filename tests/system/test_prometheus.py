"""A real Prometheus and four real workers under load, two of which are killed.

Whatever the dashboard shows and the alerts ask has an answer, and the answers are right: nothing
is counted twice, not at all, or backwards. Expressions are those of the shipped files.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import pytest

from gatekeeper.cli import main
from tests.observe.promql import VARIABLES, alerts, compared, filled, panels, recording
from tests.system.draw_panels import draw
from tests.system.observed import ROUTES
from tests.system.prometheus import JOB, Prometheus, wait_for, watching
from tests.system.serving import program
from tests.system.traffic import WORKERS, Load, Reviewer, Workers, observed

KILLED = 2
# Of all clients, and of each route: enough for a label in each stratum.
DECISIONS = 360
LABELS = 60

# Alerts that may wait: one response in ten has no answer where the policy says, and a fifth is
# wrong, which is just the share that may be blocked.
UNREADABLE = "GatekeeperNotCheckedShare"
BLOCKED = "GatekeeperBlockedShare"

SENT = {**VARIABLES, "$job": JOB}

PANELS = {
    f"{panel.title}/{name}": query for panel in panels() for name, query in panel.queries.items()
}
RULES = {rule.name: rule.expr for rule in recording()}
ASKED = {
    f"{alert.name}/{number}": vector
    for alert in alerts()
    for number, vector in enumerate(compared(alert.expr))
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What a run left: who answered, how much was asked for, and Prometheus, which saw it all."""

    prometheus: Prometheus
    workers: int
    killed: int
    answered: dict[str, int]
    broken: int
    in_force: int


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Seen]:
    """Serve, watch, load, kill and label; ends when Prometheus has seen the end of the traffic."""
    if program("prometheus") is None:
        pytest.skip("prometheus is not installed")
    folder = tmp_path_factory.mktemp("observed")
    assert main(["dashboards", str(folder / "rules")]) == 0
    with observed(folder) as workers, Reviewer(folder) as reviewer:
        address = workers.origin.removeprefix("http://")
        with watching(address, folder / "rules", folder) as prometheus:
            with Load(workers.origin) as load:
                live_through(load, reviewer, workers)
            wait_until_quiet(prometheus)
            yield Seen(
                prometheus=prometheus,
                workers=len(workers.seen),
                killed=len(workers.killed),
                answered=dict(load.answered),
                broken=load.broken,
                in_force=reviewer.in_force(),
            )


def live_through(load: Load, reviewer: Reviewer, workers: Workers) -> None:
    """Kill two workers in the middle of answers, one after the other, and label what is stored."""
    for number in range(1, KILLED + 1):
        wait_for_answers(load, number * DECISIONS // (KILLED + 1))
        reviewer.label(LABELS // (KILLED + 1))
        with load.holding():
            workers.kill_one()
            workers.wait_for_all()
    wait_for_answers(load, DECISIONS)
    reviewer.label(LABELS // (KILLED + 1))


def wait_for_answers(load: Load, count: int) -> None:
    """Wait until clients have had so many."""
    wait_for(lambda: load.answered.total() >= count, f"{count} answers")


def wait_until_quiet(prometheus: Prometheus) -> None:
    """Wait until the pages of some seconds say the same: clients are done, and so are checks."""
    begun, open_, kept = (
        f"gatekeeper_{name}[5s]" for name in ("requests_total", "unfinished", "review_queue")
    )
    wait_for(
        lambda: (
            prometheus.number(f"min(count_over_time({begun}))") >= 3
            and all(prometheus.number(f"sum(changes({one}))") == 0 for one in (begun, open_, kept))
        ),
        "the end of the traffic",
    )


@pytest.mark.parametrize("query", PANELS.values(), ids=PANELS)
def test_panel_has_data(seen: Seen, query: str) -> None:
    """A panel that is empty says to whoever is woken that all is well."""
    routes = ROUTES if "gatekeeper_rate" in query or "labels" in query else (".+",)
    for route in routes:
        found = seen.prometheus.ask(filled(query, {**SENT, "$route": route}))
        assert found
        assert all(series.last == series.last for series in found), "not a number"


@pytest.mark.parametrize("name", RULES)
def test_recording_rule_has_data(seen: Seen, name: str) -> None:
    """What it records is there, and is what its expression says."""
    assert seen.prometheus.ask(name)
    assert seen.prometheus.ask(RULES[name])


@pytest.mark.parametrize("query", ASKED.values(), ids=ASKED)
def test_alert_asks_about_something(seen: Seen, query: str) -> None:
    """An alert about a series that does not exist never fires."""
    # Where the alert does not fire the page says another mode.
    query = query.replace('{mode="unshared"}', "")
    assert seen.prometheus.ask(query)


def test_no_alert_fires_nor_begins_to(seen: Seen) -> None:
    """Two crashes and a restart under load are an ordinary day.

    A run is shorter than most alerts wait, so none may be waiting either, for as short as a second,
    but those for which the traffic gives a reason.
    """
    found = seen.prometheus.ask("count by (alertname, alertstate) (count_over_time(ALERTS[10m]))")

    states = {(series.labels["alertname"], series.labels["alertstate"]) for series in found}
    assert (UNREADABLE, "pending") in states
    assert states <= {(UNREADABLE, "pending"), (BLOCKED, "pending")}
    assert seen.prometheus.number("count(up == 1)") == 1
    rules = seen.prometheus.client.get(f"{seen.prometheus.origin}/api/v1/rules").json()
    health = {rule["health"] for group in rules["data"]["groups"] for rule in group["rules"]}
    assert health == {"ok"}


def test_two_workers_were_killed_and_replaced(seen: Seen) -> None:
    """What the tests here say of crashes holds only if there were some."""
    assert (seen.killed, seen.workers) == (KILLED, WORKERS + KILLED)
    assert seen.broken > 0
    assert seen.prometheus.number("sum(gatekeeper_unfinished)") > 0


@pytest.mark.parametrize("counted", ["checks", "actions"])
def test_counts_add_up(seen: Seen, counted: str) -> None:
    """Requests = decisions + what a killed worker had begun: to the last one, for each route."""
    drift = (
        "sum by (route) (gatekeeper_requests_total) "
        f"- sum by (route) (gatekeeper_{counted}_total) - sum by (route) (gatekeeper_unfinished)"
    )

    found = {series.labels["route"]: series.last for series in seen.prometheus.ask(drift)}

    assert found == dict.fromkeys(ROUTES, 0.0)


def test_every_request_was_counted(seen: Seen) -> None:
    """Beside ours: the client knows what it got. What broke off may have been counted or not."""
    total = {
        series.labels["route"]: series.last
        for series in seen.prometheus.ask("sum by (route) (gatekeeper_requests_total)")
    }

    more = {route: total[route] - seen.answered[route] for route in ROUTES}
    assert all(surplus >= 0 for surplus in more.values()), more
    assert sum(more.values()) <= seen.broken


def test_no_counter_goes_backwards(seen: Seen) -> None:
    """Not over any two pages, whichever worker made them: a fall looks like a restart."""
    ours = '{__name__=~"gatekeeper_.+_(total|bucket|count|sum)"}'

    series = seen.prometheus.raw(f"{ours}[15m]")

    fallen = [one.labels for one in series if any(b < a for (_, a), (_, b) in pairwise(one.points))]
    assert fallen == []
    assert len(series) > 100
    # How many pages there are depends on the machine; there must be some before and after a kill.
    assert min(len(one.points) for one in series if "_total" in one.labels["__name__"]) > 5


def test_page_says_what_the_store_says(seen: Seen) -> None:
    """Labels given elsewhere count on the page of any worker, with nothing told to it."""
    assert seen.prometheus.number("sum(gatekeeper_labels_in_force)") == seen.in_force
    assert seen.in_force > LABELS
    assert seen.prometheus.number("min(gatekeeper_store_up)") == 1


def test_panels_are_drawn(seen: Seen, tmp_path: Path) -> None:
    """The pictures in the docs are made of what Prometheus answers to the panels' own queries."""
    folder = Path(os.environ.get("GATEKEEPER_SYSTEM") or tmp_path)

    drawn = draw(seen.prometheus, folder, {**SENT, "$__rate_interval": "15s"})

    assert len(drawn) == sum(panel.kind == "row" for panel in panels())
    for path in drawn:
        assert path.read_bytes().startswith(b"\x89PNG")
        assert path.stat().st_size < 200_000
