"""Results as tables for people."""

from benchmarks.table import figure


def test_figure_shows_its_interval_where_there_is_one() -> None:
    """A point alone looks surer than it is; what is undefined is no number."""
    whole = {"value": 0.5, "low": 0.25, "high": 0.75}

    assert figure(whole) == "0.500 [0.250, 0.750]"
    assert figure(whole, plain=True) == "0.500"
    assert figure(whole, signed=True) == "+0.500 [+0.250, +0.750]"
    assert figure({"value": 0.5, "low": None, "high": None}) == "0.500"
    assert figure({"value": None, "low": None, "high": None}) == "undefined"
