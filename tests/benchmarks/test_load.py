"""The load benchmark's arithmetic: lateness in passes, and identities read off the page."""

import pytest

from benchmarks.load import Seen, counted, summary

PAGE = """\
gatekeeper_requests_total{mode="enforce",route="/a"} 3.0
gatekeeper_checks_total{mode="enforce",route="/a",verdict="FLAGGED"} 1.0
gatekeeper_checks_total{mode="enforce",route="/a",verdict="UNRESOLVED"} 2.0
gatekeeper_actions_total{action="WITHHOLD",route="/a"} 3.0
gatekeeper_actions_created{action="WITHHOLD",route="/a"} 1.7e+09
"""


def test_counters_are_summed_over_their_labels() -> None:
    """Requests = sum of checks = sum of actions is read off what a scrape shows."""
    assert counted(PAGE) == {"requests": 3, "checks": 3, "actions": 3}


def test_lateness_is_in_units_of_the_longest_pass() -> None:
    """Two passes of grace: one that ran at the end of the budget, and the one it waited behind."""
    statistics = {"longest_pass_s": 0.05, "longest_slice_s": 0.01, "most_queue_pairs": 5}
    held_s = (0.1, 0.2, 0.25, 0.35)
    seen = Seen(
        seconds=2.0,
        decisions=[("flagged", held_s[0]), *(("overload", held) for held in held_s[1:])],
        statistics=statistics,
        longest_gap_s=0.02,
        took_s=[0.1] * 4,
    )

    found = summary(seen, capacity=1.0)

    lateness = found["lateness_in_passes"]
    assert lateness == {"median": 0.5, "p99": 1.0, "max": 3.0, "share_above_2": 0.25}
    assert found["decided_per_second"] == pytest.approx(0.5)
    assert found["decided_share_of_capacity"] == pytest.approx(0.5)
