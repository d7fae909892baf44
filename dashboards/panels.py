"""The kinds of panels the dashboard has, as values, and how Grafana is told of each.

Each says in its description how it is read, and in place of data why there is none.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from grafana_foundation_sdk.builders import common, dashboard, prometheus, stat, text, timeseries
from grafana_foundation_sdk.models import common as common_model
from grafana_foundation_sdk.models import dashboard as model
from grafana_foundation_sdk.models import text as text_model

SOURCE = model.DataSourceRef(type_val="prometheus", uid="${datasource}")

SHARE = "percentunit"
SECONDS = "s"
A_SECOND = "reqps"
COUNT = "short"

GOOD, DOUBTFUL, BAD = "green", "orange", "red"

# Where a value turns doubtful or bad: the colour from a value on, None for all below.
Marks = Sequence[tuple[float | None, str]]

_HEIGHT = 8
_YES, _NO = True, False
_LETTERS = "ABCDEFGH"
_BLUE = model.DynamicConfigValue(id_val="color", value={"mode": "fixed", "fixedColor": "blue"})
_RED = model.DynamicConfigValue(id_val="color", value={"mode": "fixed", "fixedColor": BAD})

_Built = TypeVar("_Built", timeseries.Panel, stat.Panel)


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """What all panels with data have.

    Attributes:
        title: A question or a noun.
        reading: How to read it.
        nothing: Stands in place of data, and says why.
        queries: By the name of their series; ``{{label}}`` in it is a label's value.
        unit: Of the values.
        width: In columns of 24.
        marks: Where a value turns doubtful or bad.
    """

    title: str
    reading: str
    nothing: str = "No data: is this job scraped, and did it have traffic?"
    queries: Mapping[str, str]
    unit: str
    width: int = 8
    marks: Marks = ()

    def _worded(self, panel: _Built) -> _Built:
        panel.title(self.title).description(self.reading).no_value(self.nothing)
        panel.datasource(SOURCE).unit(self.unit).height(_HEIGHT).span(self.width)
        if self.marks:
            steps = [model.Threshold(value=value, color=colour) for value, colour in self.marks]
            absolute = dashboard.ThresholdsConfig().mode(model.ThresholdsMode.ABSOLUTE)
            panel.thresholds(absolute.steps(steps))
        return panel

    def _targets(self) -> list[prometheus.Dataquery]:
        letters = _LETTERS[: len(self.queries)]
        return [
            prometheus.Dataquery().ref_id(letter).expr(expr).legend_format(name).datasource(SOURCE)
            for letter, (name, expr) in zip(letters, self.queries.items(), strict=True)
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lines(Panel):
    """Lines over time; marks are dashed lines."""

    is_stacked: bool = False

    def built(self) -> timeseries.Panel:
        """Return the panel as Grafana takes it."""
        panel = self._worded(timeseries.Panel())
        for target in self._targets():
            panel.with_target(target)
        panel.min(0).line_width(1).fill_opacity(30 if self.is_stacked else 8)
        panel.show_points(common_model.VisibilityMode.NEVER)
        below = common.VizLegendOptions().placement(common_model.LegendPlacement.BOTTOM)
        listed = below.display_mode(common_model.LegendDisplayMode.LIST)
        panel.legend(listed.show_legend(_YES))
        panel.tooltip(common.VizTooltipOptions().mode(common_model.TooltipDisplayMode.MULTI))
        if self.is_stacked:
            panel.stacking(common.StackingConfig().mode(common_model.StackingMode.NORMAL))
        if self.marks:
            dashed = common_model.GraphThresholdsStyleMode.DASHED
            panel.thresholds_style(common.GraphThresholdsStyleConfig().mode(dashed))
        return panel


@dataclass(frozen=True, slots=True, kw_only=True)
class Band(Lines):
    """A rate as a line within its interval; what is not known is not drawn.

    Its queries are named high, low and point, and target where there is one.
    """

    unit: str = SHARE
    width: int = 6

    def built(self) -> timeseries.Panel:
        """Return the panel as Grafana takes it."""
        panel = Lines.built(self)
        panel.override_by_name("high", [_set("lineWidth", 0), _set("fillBelowTo", "low"), _BLUE])
        panel.override_by_name("low", [_set("lineWidth", 0), _set("fillOpacity", 0), _BLUE])
        panel.override_by_name("point", [_set("lineWidth", 2), _set("fillOpacity", 0), _BLUE])
        dashed = {"fill": "dash", "dash": [8, 6]}
        panel.override_by_name("target", [_set("lineStyle", dashed), _set("fillOpacity", 0), _RED])
        return panel


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures(Panel):
    """The last value of each series, coloured by the marks. ``said`` has words for values."""

    width: int = 4
    marks: Marks = ((None, GOOD),)
    said: Mapping[str, str] = field(default_factory=dict)

    def built(self) -> stat.Panel:
        """Return the panel as Grafana takes it."""
        panel = self._worded(stat.Panel())
        for target in self._targets():
            panel.with_target(target.instant())
        panel.color_mode(common_model.BigValueColorMode.BACKGROUND)
        panel.graph_mode(common_model.BigValueGraphMode.NONE)
        panel.text_mode(common_model.BigValueTextMode.VALUE_AND_NAME)
        panel.reduce_options(common.ReduceDataOptions().calcs(["lastNotNull"]).values(_NO))
        if self.said:
            words = self.said.items()
            options = {value: model.ValueMappingResult(text=word) for value, word in words}
            panel.mappings([model.ValueMap(options=options)])
        return panel


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """Text, as wide as the page."""

    title: str
    markdown: str

    def built(self) -> text.Panel:
        """Return the panel as Grafana takes it."""
        panel = text.Panel().title(self.title).height(4).span(24)
        return panel.mode(text_model.TextMode.MARKDOWN).content(self.markdown)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A title and the panels below it; ``repeat``: the variable of which each value has a row."""

    title: str
    panels: tuple[Lines | Figures | Note, ...]
    repeat: str | None = None


def _set(name: str, value: object) -> model.DynamicConfigValue:
    """Return one setting of how a line is drawn."""
    return model.DynamicConfigValue(id_val=f"custom.{name}", value=value)
