"""Draws the dashboard's rows from the panels' own queries, for the docs.

    python -m tests.system.draw_panels http://127.0.0.1:9090 docs/images

The acceptance with a real Prometheus draws them too. Grafana draws more finely and shows the same.
"""

import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any

import httpx
from matplotlib.dates import DateFormatter, date2num
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter, FuncFormatter, MaxNLocator, PercentFormatter

from tests.observe.promql import VARIABLES, Panel, filled, panels
from tests.system.prometheus import Prometheus, Series

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SECONDS = 90.0
_COLUMNS = 24
_WIDTH, _LINE = 15.0, 0.36  # inches: of a page, of one step of its grid
_COLOURS = {"green": "#2e8b57", "orange": "#e08e0b", "red": "#c4372b"}
_HIGHEST = 0.6
_NAMES = 6  # in a legend
_UNITS = {
    "percentunit": PercentFormatter(xmax=1.0),
    "s": EngFormatter(unit="s"),
    "reqps": FuncFormatter(lambda value, _: f"{value:g}/s"),
    "short": FuncFormatter(lambda value, _: f"{value:g}"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """The dashboard at one moment, with what stands for its variables."""

    prometheus: Prometheus
    end: float
    variables: Mapping[str, str]

    def lines(self, panel: Panel) -> dict[str, Series]:
        """Return what a panel shows over time, by the names it gives its series."""
        return self._named(
            panel, lambda query: self.prometheus.over(query, end=self.end, seconds=SECONDS)
        )

    def figures(self, panel: Panel) -> dict[str, Series]:
        """Return what a panel shows of the moment."""
        return self._named(panel, lambda query: self.prometheus.ask(query, at=self.end))

    def _named(self, panel: Panel, ask: Callable[[str], list[Series]]) -> dict[str, Series]:
        return {
            _name(name, series.labels): series
            for name, query in panel.queries.items()
            for series in ask(filled(query, self.variables))
        }


def _name(name: str, labels: Mapping[str, str]) -> str:
    return re.sub(r"{{(\w+)}}", lambda found: labels.get(found[1], ""), name)


def draw(prometheus: Prometheus, folder: Path, variables: Mapping[str, str]) -> list[Path]:
    """Draw a picture a row; a row that is there for each route is drawn for the first one.

    Args:
        prometheus: Is asked the panels' queries.
        folder: Where the pictures go, as dashboard-1.png and so on.
        variables: What stands for the variables of the page.
    """
    (route, *_) = sorted(
        series.labels["route"] for series in prometheus.ask("group by (route) (gatekeeper_target)")
    )
    page = Page(prometheus=prometheus, end=prometheus.now(), variables=variables)
    of_route = replace(page, variables={**variables, "$route": route})
    return [
        _draw_row(
            of_route if row[0].raw.get("repeat") else page,
            row,
            row[0].title.replace("$route", route),
            folder / f"dashboard-{number}.png",
        )
        for number, row in enumerate(_rows(), start=1)
    ]


def _rows() -> Iterator[list[Panel]]:
    """Yield each row, its title first."""
    found = list(panels())
    starts = [number for number, panel in enumerate(found) if panel.kind == "row"]
    for start, end in pairwise([*starts, len(found)]):
        yield found[start:end]


def _draw_row(page: Page, row: Sequence[Panel], title: str, path: Path) -> Path:
    below = row[1:]
    top = min(panel.raw["gridPos"]["y"] for panel in below)
    height = max(panel.raw["gridPos"]["y"] + panel.raw["gridPos"]["h"] for panel in below) - top
    inches = height * _LINE + 0.5
    figure = Figure(figsize=(_WIDTH, inches), facecolor="white")
    figure.suptitle(title, x=0.01, y=0.995, ha="left", weight="bold")
    for panel in below:
        place = panel.raw["gridPos"]
        low = 1.0 - (place["y"] - top + place["h"]) * _LINE / inches - 0.4 / inches
        box = (
            place["x"] / _COLUMNS + 0.034,
            low + 0.72 / inches,
            place["w"] / _COLUMNS - 0.044,
            place["h"] * _LINE / inches - 1.1 / inches,
        )
        axes = figure.add_axes(box)
        left, top_edge = place["x"] / _COLUMNS + 0.008, box[1] + box[3] + 0.08 / inches
        figure.text(left, top_edge, panel.title, fontsize=8.5, weight="bold")
        _DRAWN[panel.kind](axes, panel, page)
    figure.savefig(path, dpi=72)
    return path


def _draw_lines(axes: "Axes", panel: Panel, page: Page) -> None:
    """Draw lines over time, stacked areas, or a rate within its interval."""
    custom = panel.raw["fieldConfig"]["defaults"].get("custom", {})
    found = page.lines(panel)
    if not found:
        _say(axes, panel.raw["fieldConfig"]["defaults"]["noValue"])
        return
    if "low" in found:
        _draw_band(axes, found)
    elif custom.get("stacking"):
        _draw_stack(axes, found)
    else:
        for name, series in found.items():
            axes.plot(*_points(series), label=name, linewidth=1.2)
    for step in panel.raw["fieldConfig"]["defaults"].get("thresholds", {}).get("steps", ()):
        if step["value"] is not None:
            axes.axhline(step["value"], color=_COLOURS[step["color"]], dashes=(5, 3), linewidth=1)
    _dress(axes, panel)


def _draw_band(axes: "Axes", found: Mapping[str, Series]) -> None:
    (times, low), (_, high) = _points(found["low"]), _points(found["high"])
    axes.fill_between(times, low, high, alpha=0.2, label="95 % interval")
    axes.plot(*_points(found["point"]), label="estimate", linewidth=1.8)
    if "target" in found:
        red = _COLOURS["red"]
        axes.plot(*_points(found["target"]), label="target", color=red, dashes=(5, 3), linewidth=1)


def _draw_stack(axes: "Axes", found: Mapping[str, Series]) -> None:
    """Draw areas on one another; where a series has no point it is 0."""
    moments = sorted({at for series in found.values() for at, _ in series.points})
    some = {name: series for name, series in found.items() if any(v for _, v in series.points)}
    layers = [[dict(series.points).get(at, 0.0) for at in moments] for series in some.values()]
    if layers:
        axes.stackplot([_moment(at) for at in moments], layers, labels=list(some), alpha=0.6)
    else:
        axes.plot([_moment(at) for at in moments], [0.0] * len(moments), label="none")


def _dress(axes: "Axes", panel: Panel) -> None:
    axes.set_ylim(bottom=0)
    if axes.get_ylim()[1] < 1e-3:
        axes.set_ylim(top=1)
    axes.grid(visible=True, alpha=0.3)
    axes.tick_params(labelsize=7)
    axes.yaxis.set_major_formatter(_UNITS[panel.raw["fieldConfig"]["defaults"]["unit"]])
    axes.xaxis.set_major_locator(MaxNLocator(4))
    axes.xaxis.set_major_formatter(DateFormatter("%H:%M:%S"))
    for spine in ("top", "right"):
        axes.spines[spine].set_visible(False)
    handles, names = axes.get_legend_handles_labels()
    axes.legend(
        handles[:_NAMES],
        names[:_NAMES],
        fontsize=6.5,
        ncols=3,
        loc="upper left",
        bbox_to_anchor=(-0.06, -0.12),
        frameon=False,
        borderaxespad=0,
    )


def _draw_figures(axes: "Axes", panel: Panel, page: Page) -> None:
    """Write the last values, one below the other, on the colours of their marks."""
    defaults = panel.raw["fieldConfig"]["defaults"]
    found = page.figures(panel)
    axes.axis("off")
    if not found:
        _say(axes, defaults["noValue"])
        return
    words = {
        value: option["text"]
        for mapping in defaults.get("mappings", ())
        for value, option in mapping["options"].items()
    }
    height = min(1.0 / len(found), _HIGHEST)
    for number, (name, series) in enumerate(found.items()):
        top = 1.0 - number * height
        colour = _colour(defaults["thresholds"]["steps"], series.last)
        axes.axhspan(top - height + 0.02, top, color=colour, alpha=0.85)
        said = words.get(f"{series.last:g}") or _UNITS[defaults["unit"]](series.last, None)
        short = name if len(name) <= 26 else f"{name[:12]}..."
        text = f"{said}   {short}"
        axes.text(0.03, top - height / 2, text, color="white", va="center", fontsize=7.5)
    axes.set_xlim(0, 1)
    axes.set_ylim(0, 1)


def _draw_text(axes: "Axes", panel: Panel, page: Page) -> None:
    axes.axis("off")
    plain = panel.raw["options"]["content"].replace("`", "")
    axes.text(0, 0.9, fill(plain, 170), fontsize=8.5, va="top")


_DRAWN = {"timeseries": _draw_lines, "stat": _draw_figures, "text": _draw_text}


def _say(axes: "Axes", text: str) -> None:
    axes.axis("off")
    axes.text(0.5, 0.5, fill(text, 30), ha="center", va="center", fontsize=8, color="grey")


def _points(series: Series) -> tuple[list[float], list[float]]:
    return [_moment(at) for at, _ in series.points], [value for _, value in series.points]


def _moment(at: float) -> float:
    return float(date2num(datetime.fromtimestamp(at, UTC)))


def _colour(steps: Sequence[Mapping[str, Any]], value: float) -> str:
    reached = [step["color"] for step in steps if step["value"] is None or value >= step["value"]]
    return _COLOURS[reached[-1]]


def main(origin: str, folder: str) -> None:
    """Draw what a running Prometheus knows, into a folder."""
    with httpx.Client(timeout=30.0) as client:
        prometheus = Prometheus(origin=origin, client=client)
        for path in draw(prometheus, Path(folder), {**VARIABLES, "$__rate_interval": "30s"}):
            sys.stdout.write(f"{path}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
