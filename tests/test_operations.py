"""What the page for the night says: its queries find our metrics, its numbers are measured ones."""

import json
import re

import pytest

from gatekeeper.core.plan import Limits
from tests.observe.promql import exposed, selectors
from tests.transcripts import ROOT

PAGE = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")

# Queries, and what the lists of what to look at name of a page.
FIGURES = [
    *re.findall(r"^    (sum.+)$", PAGE, re.MULTILINE),
    *re.findall(r"^\| [^|]+ \| `(rate.+?)`", PAGE, re.MULTILINE),
    *re.findall(r"`(gatekeeper_\w+(?:{[^}]+})?)`", PAGE),
]


def test_page_has_queries() -> None:
    """A pattern that finds none would let the other tests here pass."""
    assert len(FIGURES) > 8


@pytest.mark.parametrize("query", FIGURES)
def test_query_finds_our_metrics(query: str) -> None:
    """A name, a label or a value that does not exist gives no error there: it stays silent."""
    for selector in selectors(query):
        assert selector.name in exposed()
        for matcher in selector.matchers.matchers:
            values = {labels.get(matcher.name) for labels in exposed()[selector.name]}
            assert set(matcher.value.split("|")) <= values, matcher.value


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
