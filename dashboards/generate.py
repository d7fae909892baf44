"""Writes the dashboard into the package: python -m dashboards.generate.

A test compares what is shipped with what this makes.
"""

import json
from pathlib import Path

from grafana_foundation_sdk.builders import dashboard
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.models import dashboard as model

import gatekeeper.observe.dashboards as shipped
from dashboards import working
from dashboards.deciding import COSTING, DECIDING
from dashboards.panels import SOURCE
from dashboards.trusting import ENFORCING, TRUSTING

# In the order an engineer asks in.
ROWS = (working.ROW, DECIDING, COSTING, TRUSTING, ENFORCING)

_DESCRIPTION = (
    "Is it working, what does it decide, what does it cost, can it be trusted, should I enforce. "
    "How to read it: docs/dashboards.md."
)
_YES = True


def made() -> str:
    """Return the dashboard as JSON."""
    page = (
        dashboard.Dashboard("Gatekeeper")
        .uid("gatekeeper")
        .description(_DESCRIPTION)
        .tags(["gatekeeper"])
        .time("now-24h", "now")
        .refresh("1m")
        .tooltip(model.DashboardCursorSync.CROSSHAIR)
    )
    for variable in (_source(), _of_requests("job"), _of_requests("route"), _window()):
        page.with_variable(variable)
    number = 0
    for row in ROWS:
        number += 1
        head = dashboard.Row(row.title).id(number)
        page.with_row(head if row.repeat is None else head.repeat(row.repeat))
        for panel in row.panels:
            number += 1
            page.with_panel(panel.built().id(number))
    return json.dumps(page.build(), cls=JSONEncoder, indent=1, sort_keys=True) + "\n"


def main() -> None:
    """Write the file."""
    folder = Path(shipped.__file__).parent
    (folder / shipped.DASHBOARD).write_text(made(), encoding="utf-8")


def _source() -> dashboard.DatasourceVariable:
    return dashboard.DatasourceVariable("datasource").label("Prometheus").type("prometheus")


def _of_requests(label: str) -> dashboard.QueryVariable:
    """Return a choice among the values that a label of the requests has; all at first."""
    return (
        dashboard.QueryVariable(label)
        .label(label.capitalize())
        .datasource(SOURCE)
        .query(f"label_values(gatekeeper_requests_total, {label})")
        .refresh(model.VariableRefresh.ON_TIME_RANGE_CHANGED)
        .sort(model.VariableSort.ALPHABETICAL_ASC)
        .multi(_YES)
        .include_all(_YES)
        .current(model.VariableOption(selected=True, text=["All"], value=["$__all"]))
    )


def _window() -> dashboard.CustomVariable:
    """Return the choice of how much of the past the rates are from."""
    days = ("7d", "28d")
    options = [model.VariableOption(selected=day == days[-1], text=day, value=day) for day in days]
    variable = dashboard.CustomVariable("window").label("Rates over").values(",".join(days))
    return variable.options(options).current(options[-1])


if __name__ == "__main__":
    main()
