"""What the page for the night says: its queries find our metrics, its numbers are measured ones."""

import json
import re
from collections.abc import Iterator

import pytest
from prometheus_client import CollectorRegistry
from prometheus_client.metrics_core import Metric

from gatekeeper.core.plan import Limits
from gatekeeper.observe.declared import Declared
from gatekeeper.observe.folder import MetricsMode
from gatekeeper.policy import Mode
from tests.transcripts import ROOT

PAGE = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")

ALERTS = [
    query.replace(r"\|", "|")
    for query in re.findall(r"^\| [^|]+ \| `(.+)` \|$", PAGE, re.MULTILINE)
]
FIGURES = [
    *re.findall(r"^    (sum.+)$", PAGE, re.MULTILINE),
    *re.findall(r"^\| [^|]+ \| `(rate.+?)`", PAGE, re.MULTILINE),
]

# PromQL as far as the page uses it: each rule turns what it knows into a letter. V is a vector.
RULES = (
    (r"gatekeeper_\w+(\{[^{}]*\})?", "V"),
    (r"V\[\d+[mh]\]", "R"),
    (r"(rate|increase)\(R\)", "V"),
    (r"(sum|max)( by \(route\) )?\(V\)", "V"),
    (r"V [/-] V", "V"),
    (r"V (>|==) [\d.]+", "ALERT"),
)


def shape(query: str) -> str:
    """Return what a query comes down to."""
    for pattern, letter in RULES:
        query = re.sub(pattern, letter, query)
    return query


def families() -> Iterator[Metric]:
    """Yield the metrics of an app, each with at least one sample."""
    registry = CollectorRegistry()
    declared = Declared(registry, ("/v1/answer",))
    declared.check_seconds.labels("/v1/answer", Mode.ENFORCE)
    yield from registry.collect()
    mode = Metric("gatekeeper_metrics_mode_info", "Always 1.", "gauge")
    for value in MetricsMode:
        mode.add_sample("gatekeeper_metrics_mode_info", {"mode": value}, 1)
    yield mode


def series() -> dict[str, list[dict[str, str]]]:
    """Return the label sets of each series by its name."""
    found: dict[str, list[dict[str, str]]] = {}
    for family in families():
        for sample in family.samples:
            found.setdefault(sample.name, []).append(sample.labels)
    return found


def test_page_has_queries() -> None:
    """A pattern that finds none would let every other test here pass."""
    assert (len(ALERTS), len(FIGURES)) == (10, 2)


@pytest.mark.parametrize(
    ("query", "whole"), [*((q, "ALERT") for q in ALERTS), *((q, "V") for q in FIGURES)]
)
def test_query_is_one(query: str, whole: str) -> None:
    """An alert that Prometheus refuses is noticed on the night it is needed."""
    assert shape(query) == whole


@pytest.mark.parametrize("query", [*ALERTS, *FIGURES])
def test_query_finds_our_metrics(query: str) -> None:
    """A name, a label or a value that does not exist gives no error there: it never fires."""
    known = series()

    for name, selector in re.findall(r"(gatekeeper_\w+)(\{[^{}]*\})?", query):
        assert name in known, name
        for label, wanted in re.findall(r'(\w+)=~?"([^"]*)"', selector):
            values = {labels[label] for labels in known[name]}
            assert set(wanted.split("|")) <= values, wanted


def test_sizing_follows_from_the_benchmark() -> None:
    """A machine bought by a figure that was typed is bought by a guess."""
    result = json.loads((ROOT / "benchmarks/results/throughput.json").read_text(encoding="utf-8"))
    rate = result["1 threads"]["real pairs"]["median"]
    spoken = " ".join(PAGE.split())

    tokens = 4 * 3 * 60
    seconds = tokens / rate
    done = int(0.5 / seconds)

    assert f"{Limits().windows} at most" in spoken
    assert f"a check stops at {Limits().pair_tokens:,} tokens" in spoken
    assert f"reads {rate:,} tokens a second on one thread" in spoken
    assert f"are {tokens} tokens, {seconds:.3f} s a check" in spoken
    assert f"A worker does {int(1 / seconds)} a second" in spoken
    assert f"{done} answers may end at once; of 30 that do, {30 - done} are" in spoken
