"""What Prometheus and Grafana are given: a dashboard, recording rules, alerts and their tests.

The dashboard is made by ``dashboards/generate.py`` of the source tree and kept here as it comes
out, so that who uses it needs no library of Grafana's. Rules, alerts and tests are written by hand.
"""

from importlib.resources import files

DASHBOARD = "gatekeeper-dashboard.json"
RULES = "gatekeeper-rules.yml"
ALERTS = "gatekeeper-alerts.yml"
TESTS = "gatekeeper-tests.yml"

NAMES = (DASHBOARD, RULES, ALERTS, TESTS)


def content(name: str) -> bytes:
    """Return one of the files as it is shipped."""
    return (files(__name__) / name).read_bytes()
