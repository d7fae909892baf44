"""Queries that several panels have in common, and what stands where they have no data. Pure.

Queries filter by the variables of the page. What an alert asks too is taken from the recording
rules, so that page and alert show one number.
"""

OURS = 'job=~"$job", route=~"$route"'
JOBS = 'job=~"$job"'

NO_RULES = "No data: needs gatekeeper-rules.yml in Prometheus, and traffic."
NO_STORE = "No outcome store: see docs/outcomes.md."
NO_LABELS = "No labels yet: see docs/outcomes.md."


def recorded(rule: str) -> str:
    """Return a query for a recording rule by route."""
    return f"max by (route) ({rule}{{{OURS}}})"


def rate_by(label: str, metric: str) -> str:
    """Return a query for what a counter rises by a second, by one of its labels."""
    return f"sum by ({label}) (rate({metric}{{{OURS}}}[$__rate_interval]))"


def share_by_reason(metric: str, where: str = "") -> str:
    """Return a query for the share of requests by reason; routes that are off are left out."""
    part = f"sum by (reason) (rate({metric}{{{OURS}{where}}}[$__rate_interval]))"
    whole = f'sum(rate(gatekeeper_requests_total{{{OURS}, mode!="off"}}[$__rate_interval]))'
    return f"{part} / on () group_left () ({whole} > 0)"


def quantiles(metric: str, where: str, shares: tuple[float, ...]) -> dict[str, str]:
    """Return queries for quantiles of a histogram."""
    inner = f"sum by (le) (rate({metric}_bucket{{{OURS}, {where}}}[$__rate_interval]))"
    return {f"{share:.0%} at most": f"histogram_quantile({share}, {inner})" for share in shares}


def bound(join: str, rate: str, end: str) -> str:
    """Return a query for one end of a rate, or its point."""
    where = f'{OURS}, rate="{rate}", bound="{end}", window="$window"'
    return f"{join}(gatekeeper_rate{{{where}}})"


def interval(rate: str) -> dict[str, str]:
    """Return queries for a rate with its interval; stores that differ give the widest one."""
    ends = {"high": "max", "low": "min", "point": "avg"}
    return {end: bound(join, rate, end) for end, join in ends.items()}


def target(rate: str) -> dict[str, str]:
    """Return the query for a rate's target."""
    return {"target": f'min(gatekeeper_target{{{OURS}, rate="{rate}"}})'}


def less_target(rate: str) -> str:
    """Return a query for how far the upper bound of a rate is above its target."""
    where = f'{OURS}, rate="{rate}"'
    upper = f'max by (route) (gatekeeper_rate{{{where}, bound="high", window="$window"}})'
    return f"{upper} - on (route) min by (route) (gatekeeper_target{{{where}}})"
