"""What queries name: read by a parser of PromQL, held against what the product exposes."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import promql_parser
import yaml
from prometheus_client import CollectorRegistry
from prometheus_client.metrics_core import Metric

from gatekeeper.core.decide import Side
from gatekeeper.observe.dashboards import ALERTS, DASHBOARD, RULES, content
from gatekeeper.observe.declared import Declared
from gatekeeper.observe.folder import MetricsMode
from gatekeeper.observe.page import InfoStates
from gatekeeper.observe.states import PolicyStates, StoreSays, StoreStates
from gatekeeper.outcomes.words import Rate
from gatekeeper.policy import Mode

ROUTE = "/v1/answer"
BOUNDS = ("point", "low", "high", "low999", "high999")
WINDOWS = ("7d", "28d")

# What Prometheus adds to each series of ours, and its own series.
TARGET = {"job", "instance"}
ALERT_LABELS = {"alertname", "alertstate", "severity"}

# Operators that let a series through or not.
_ASKING = frozenset({"==", "!=", ">", "<", ">=", "<=", "and", "or", "unless"})

# What Grafana puts in place of the variables of the page.
VARIABLES = {"$job": ".+", "$route": ".+", "$window": "28d", "$__rate_interval": "5m"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """A panel of the dashboard, as far as tests look at it. ``queries`` by the names of series."""

    title: str
    kind: str
    raw: Mapping[str, Any]
    queries: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A rule, recording or alerting; ``raw`` is all of it."""

    name: str
    expr: str
    raw: Mapping[str, Any]


def filled(query: str, variables: Mapping[str, str] = VARIABLES) -> str:
    """Return a query as Grafana would send it."""
    for name, value in variables.items():
        query = query.replace(name, value)
    return query


@cache
def dashboard() -> dict[str, Any]:
    """Return the shipped dashboard."""
    found: dict[str, Any] = json.loads(content(DASHBOARD))
    return found


def panels() -> Iterator[Panel]:
    """Yield the panels in their order, rows among them."""
    for raw in dashboard()["panels"]:
        queries = {one["legendFormat"]: one["expr"] for one in raw.get("targets", ())}
        yield Panel(title=raw["title"], kind=raw["type"], raw=raw, queries=queries)


def recording() -> tuple[Rule, ...]:
    """Return the shipped recording rules."""
    return _rules(RULES, "record")


def alerts() -> tuple[Rule, ...]:
    """Return the shipped alerts."""
    return _rules(ALERTS, "alert")


@cache
def _rules(name: str, kind: str) -> tuple[Rule, ...]:
    groups = yaml.safe_load(content(name))["groups"]
    return tuple(
        Rule(name=raw[kind], expr=raw["expr"], raw=raw)
        for group in groups
        for raw in group["rules"]
    )


@cache
def exposed() -> dict[str, tuple[dict[str, str], ...]]:
    """Return the label sets of each series that a gated app can show, by its name."""
    found: dict[str, list[dict[str, str]]] = {}
    for family in _families():
        for sample in family.samples:
            found.setdefault(sample.name, []).append(sample.labels)
    return {name: tuple(labels) for name, labels in found.items()}


def _families() -> Iterator[Metric]:
    registry = CollectorRegistry()
    declared = Declared(registry, (ROUTE,))
    for mode in Mode:
        for histogram in (declared.check_seconds, declared.added_seconds, declared.words):
            histogram.labels(ROUTE, mode)
    yield from registry.collect()
    mode_info = Metric("gatekeeper_metrics_mode_info", "Always 1.", "gauge")
    for value in MetricsMode:
        mode_info.add_sample("gatekeeper_metrics_mode_info", {"mode": value}, 1)
    yield mode_info
    yield from InfoStates(model=lambda: "m", policy=lambda: "p").collect()
    yield from PolicyStates(
        targets=lambda: {(ROUTE, rate): 0.1 for rate in ("false_block", "accepted_error")},
        tripped=lambda: {ROUTE: False},
        probes=lambda: 12.0,
    ).collect()
    says = StoreSays(
        rates={
            (ROUTE, rate, bound, window): 0.1
            for rate in Rate
            for bound in BOUNDS
            for window in WINDOWS
        },
        labels={(ROUTE, side): 1 for side in Side},
        waiting={(ROUTE, side): 1 for side in Side},
    )
    yield from StoreStates(lambda _: says, failed=lambda _event, _error: None).collect()


def selectors(query: str) -> Iterator[Any]:
    """Yield each selector of a query."""
    yield from _selectors(promql_parser.parse(query))


def _selectors(node: Any) -> Iterator[Any]:
    if isinstance(node, promql_parser.VectorSelector):
        yield node
    for below in _below(node):
        yield from _selectors(below)


def _below(node: Any) -> Iterator[Any]:
    for name in ("lhs", "rhs", "expr", "vector_selector"):
        if (found := getattr(node, name, None)) is not None:
            yield found
    yield from getattr(node, "args", ())


def labels_of(query: str) -> set[str]:
    """Return the labels that the series of a query's answer have.

    Raises:
        AssertionError: If it groups or matches by a label that is not there.
    """
    return _labels(promql_parser.parse(query))


def _labels(node: Any) -> set[str]:
    match node:
        case promql_parser.VectorSelector():
            return _selected(node.name)
        case promql_parser.MatrixSelector():
            return _labels(node.vector_selector)
        case promql_parser.AggregateExpr():
            return _aggregated(node)
        case promql_parser.BinaryExpr():
            return _joined(node)
        case promql_parser.Call():
            gone = {"le"} if node.func.name == "histogram_quantile" else set()
            return set().union(*map(_labels, node.args)) - gone
    below = list(_below(node))
    return _labels(below[0]) if below else set()


def _selected(name: str | None) -> set[str]:
    assert name is not None, "a selector without a name"
    if name == "ALERTS":
        return TARGET | ALERT_LABELS
    if ":" in name:
        return next(labels_of(rule.expr) for rule in recording() if rule.name == name)
    return TARGET | set().union(*exposed()[name])


def _aggregated(node: Any) -> set[str]:
    inner, modifier = _labels(node.expr), node.modifier
    wanted = set() if modifier is None else set(modifier.labels)
    assert wanted <= inner, f"{node.prettify()} groups by {wanted - inner}"
    return wanted


def _joined(node: Any) -> set[str]:
    left, right = _labels(node.lhs), _labels(node.rhs)
    modifier = node.modifier
    if modifier is not None and modifier.matching is not None:
        wanted = set(modifier.matching.labels)
        assert wanted <= left & right or not right, f"{node.prettify()} matches by {wanted}"
    return left


def compared(query: str) -> Iterator[str]:
    """Yield the vectors that a query compares with something: an alert without its marks."""
    for node in _compared(promql_parser.parse(query)):
        yield node.prettify()


def _compared(node: Any) -> Iterator[Any]:
    if isinstance(node, promql_parser.ParenExpr):
        yield from _compared(node.expr)
    elif isinstance(node, promql_parser.BinaryExpr) and str(node.op) in _ASKING:
        yield from _compared(node.lhs)
        if str(node.op) == "or":
            yield from _compared(node.rhs)
    else:
        yield node
