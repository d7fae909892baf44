"""The shipped dashboard, rules and alerts: as they are made, and about metrics that there are."""

import re
from typing import Any

import pytest
import yaml

from dashboards.generate import made
from dashboards.panels import COUNT, Lines
from gatekeeper.observe.dashboards import DASHBOARD, TESTS, content
from gatekeeper.observe.declared import BLOCKING, DropReason
from gatekeeper.verdict import NotCheckedReason, UnresolvedReason
from tests.observe.promql import (
    Panel,
    Rule,
    alerts,
    compared,
    dashboard,
    exposed,
    filled,
    labels_of,
    panels,
    recording,
    selectors,
)
from tests.transcripts import ROOT

PANELS = [panel for panel in panels() if panel.kind not in ("row", "text")]
RULES = [*recording(), *alerts()]
QUERIES = {
    **{
        f"{panel.title}/{name}": filled(expr)
        for panel in PANELS
        for name, expr in panel.queries.items()
    },
    **{rule.name: rule.expr for rule in RULES},
}

# Series that only rise; what is asked of others by rate() or increase() is nonsense.
RISING = ("_total", "_bucket", "_sum", "_count")

OPERATIONS = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")


def test_shipped_dashboard_is_the_one_that_is_made() -> None:
    """An edit of the file would be lost with the next one, an edit of the source would not ship."""
    assert content(DASHBOARD).decode() == made()


@pytest.mark.parametrize("query", QUERIES.values(), ids=QUERIES)
def test_query_finds_what_there_is(query: str) -> None:
    """A name, a label or a value that does not exist gives no error there: it stays silent."""
    recorded = {rule.name: rule for rule in recording()}

    for selector in selectors(query):
        if selector.name == "ALERTS":
            continue
        if selector.name in recorded:
            labels = labels_of(recorded[selector.name].expr)
            assert {matcher.name for matcher in selector.matchers.matchers} <= labels
            continue
        assert selector.name in exposed(), selector.name
        for matcher in selector.matchers.matchers:
            check_matcher(selector.name, matcher)


def check_matcher(name: str, matcher: Any) -> None:
    """Look for each value that a matcher wants."""
    if matcher.value == ".+":
        return
    known = {labels[matcher.name] for labels in exposed()[name] if matcher.name in labels}
    assert set(matcher.value.split("|")) <= known, f"{name}{{{matcher.name}}}"


@pytest.mark.parametrize("query", QUERIES.values(), ids=QUERIES)
def test_query_groups_by_labels_that_are_there(query: str) -> None:
    """Grouped by a label it doesn't have, all of a metric becomes one series."""
    labels_of(query)

    for name in re.findall(r"(?:rate|increase)\((\w+)", query):
        assert name.endswith(RISING), name


@pytest.mark.parametrize("panel", PANELS, ids=lambda panel: panel.title)
def test_panel_says_what_it_is(panel: Panel) -> None:
    """At night nobody guesses: each says how to read it, in what unit, and why it may be empty."""
    defaults = panel.raw["fieldConfig"]["defaults"]

    assert len(panel.raw["description"]) > 20
    assert panel.raw["description"].endswith(".")
    assert re.search(r"\w{3,}.*: |^No labels", defaults["noValue"]), defaults["noValue"]
    assert defaults["unit"] in ("percentunit", "s", "reqps", "short")
    assert panel.raw["datasource"] == {"type": "prometheus", "uid": "${datasource}"}
    assert len(panel.queries) == len(panel.raw["targets"])
    for name, query in panel.queries.items():
        assert set(re.findall(r"{{(\w+)}}", name)) <= labels_of(filled(query)), name


def test_more_queries_than_letters_are_refused() -> None:
    """The ninth query would be left out, and nobody would miss it."""
    queries = {f"line {number}": "vector(0)" for number in range(9)}

    with pytest.raises(ValueError, match="zip"):
        Lines(title="Nine", reading="Not at all.", queries=queries, unit=COUNT).built()


def test_rows_stand_in_the_order_of_the_questions() -> None:
    """Whether it works comes before what it says, and what it says before what to do with it."""
    rows = [panel.title for panel in panels() if panel.kind == "row"]

    assert rows == [
        "Is it working?",
        "What does it decide?",
        "What does it cost?",
        "Can it be trusted? $route",
        "Should I enforce?",
    ]


def test_panels_lie_beside_each_other() -> None:
    """Two on one place hide one another, and a gap looks like a panel that failed."""
    places = [panel.raw["gridPos"] for panel in panels()]
    numbers = [panel.raw["id"] for panel in panels()]

    cells = [
        (place["x"] + column, place["y"] + line)
        for place in places
        for column in range(place["w"])
        for line in range(place["h"])
    ]
    assert len(set(cells)) == len(cells) == 24 * (1 + max(line for _, line in cells))
    assert len(set(numbers)) == len(numbers)


def test_page_has_its_variables() -> None:
    """A query with a variable that is not there is sent with its dollar sign."""
    variables = {one["name"]: one for one in dashboard()["templating"]["list"]}

    assert list(variables) == ["datasource", "job", "route", "window"]
    assert variables["route"]["multi"]
    assert variables["route"]["includeAll"]
    assert [one["value"] for one in variables["window"]["options"]] == ["7d", "28d"]
    used = set(re.findall(r"\$(?!__)\{?(\w+)", content(DASHBOARD).decode()))
    assert used == set(variables)


@pytest.mark.parametrize("rule", recording(), ids=lambda rule: rule.name)
def test_recording_rule_is_named_after_what_it_is(rule: Rule) -> None:
    """The name says which labels are left; and what nobody asks for costs for nothing."""
    level, metric, operation = rule.name.split(":")
    others = [query for name, query in QUERIES.items() if name != rule.name]

    assert set(level.split("_")) == labels_of(rule.expr)
    assert metric.startswith("gatekeeper_")
    assert operation
    assert any(rule.name in query for query in others)


@pytest.mark.parametrize("alert", alerts(), ids=lambda alert: alert.name)
def test_alert_says_what_to_do(alert: Rule) -> None:
    """Whoever is woken needs to know how bad it is, what it means, and where to read on."""
    notes = alert.raw["annotations"]

    assert alert.raw["labels"]["severity"] in ("critical", "warning", "info")
    assert set(notes) == {"summary", "description", "runbook"}
    assert notes["runbook"] == f"docs/operations.md#{alert.name.lower()}"
    assert f"\n### {alert.name}\n\n{alert.raw['labels']['severity']}" in OPERATIONS
    shown = set(re.findall(r"\$labels\.(\w+)", " ".join(notes.values())))
    assert shown <= labels_of(alert.expr)
    assert list(compared(alert.expr))


def test_runbooks_are_those_of_the_alerts() -> None:
    """A section on an alert that is gone is read in vain."""
    sections = re.findall(r"^### (Gatekeeper\w+)$", OPERATIONS, re.MULTILINE)

    assert sorted(sections) == sorted(alert.name for alert in alerts())


def test_every_alert_is_seen_firing() -> None:
    """An alert that never fired in a test is hoped for."""
    tests = yaml.safe_load(content(TESTS))["tests"]

    fired = {
        one["alertname"]
        for test in tests
        for one in test.get("alert_rule_test", ())
        if one["exp_alerts"]
    }
    assert fired == {alert.name for alert in alerts()}


def test_reasons_left_out_are_a_choice() -> None:
    """A new reason must be put on one side or the other: watched, or of no fault of anybody's."""
    expressions = " ".join(alert.expr for alert in alerts())
    innocent = set("no_route method status language range client_gone app_error off".split())

    (found,) = re.findall(r'not_checked:\w+{reason=~"([^"]+)"', expressions)
    watched = set(found.split("|"))

    assert watched | innocent == set(NotCheckedReason)
    assert not watched & innocent


def test_shadow_checks_lost_are_those_that_were_given_up() -> None:
    """A claim that is too long is too long at any hour: readiness does not count it as lost."""
    (rule,) = (rule for rule in recording() if "shadow_lost" in rule.name)
    (found,) = re.findall(r'reason!~"([^"]+)"', rule.expr)

    given_up = set(map(str, UnresolvedReason)) - set(found.split("|"))
    assert given_up == set(map(str, DropReason)) - {"memory"}


def test_what_is_blocked_is_all_that_blocks() -> None:
    """An action that keeps an answer from a user and is in no share is never missed."""
    (rule,) = (rule for rule in recording() if rule.name.startswith("job_route:gatekeeper_blocked"))

    assert f'action=~"{"|".join(BLOCKING)}"' in rule.expr
