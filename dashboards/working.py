"""Is it working? What is to be seen at a glance, and what it comes from."""

from dashboards.panels import A_SECOND, BAD, COUNT, DOUBTFUL, GOOD, SHARE, Figures, Lines, Row
from dashboards.queries import JOBS, NO_RULES, NO_STORE, OURS, recorded, share_by_reason

_YES_NO = {"0": "no", "1": "yes"}
_LESS_CHECKS = "job_instance_route:gatekeeper_requests_less_checks:drift"
_LESS_ACTIONS = "job_instance_route:gatekeeper_requests_less_actions:drift"

_NOW = (
    Figures(
        title="Alerts that fire",
        reading="How many alerts of gatekeeper-alerts.yml fire now. "
        "Their runbooks are in docs/operations.md.",
        queries={
            "alerts": f'count(ALERTS{{alertname=~"Gatekeeper.*", alertstate="firing", {JOBS}}})'
            " or vector(0)"
        },
        unit=COUNT,
        marks=((None, GOOD), (1, BAD)),
    ),
    Figures(
        title="Is a route held back?",
        reading="Tripped: it left enforce by itself. "
        "Uncalibrated: it should enforce and only watches.",
        queries={
            "{{route}} tripped": f"max by (route) (gatekeeper_tripped{{{OURS}}})",
            "{{route}} uncalibrated": f"max by (route) (gatekeeper_enforcement_degraded{{{OURS}}})",
        },
        unit=COUNT,
        marks=((None, GOOD), (1, BAD)),
        said=_YES_NO,
    ),
    Figures(
        title="Do the counts agree?",
        reading="Requests begun, less decided or acted on, less under way. A few, to either side, "
        "are counted while the page is read; more that stay are a fault.",
        nothing=NO_RULES,
        queries={
            "{{route}} verdicts": f"max by (route) (abs({_LESS_CHECKS}{{{OURS}}}))",
            "{{route}} actions": f"max by (route) (abs({_LESS_ACTIONS}{{{OURS}}}))",
        },
        unit=COUNT,
        marks=((None, GOOD), (6, DOUBTFUL)),
    ),
    Figures(
        title="Requests under way",
        reading="Begun and not decided. What a killed worker had begun stays in it until the "
        "server starts anew, so a number that only grows counts crashes.",
        queries={"{{route}}": f"sum by (route) (gatekeeper_unfinished{{{OURS}}})"},
        unit=COUNT,
    ),
    Figures(
        title="Is the store there?",
        reading="Whether each instance can read the outcome store. While it can't, responses go on "
        "and decisions wait in memory.",
        nothing=NO_STORE,
        queries={"{{instance}}": f"min by (instance) (gatekeeper_store_up{{{JOBS}}})"},
        unit=COUNT,
        marks=((None, BAD), (1, GOOD)),
        said=_YES_NO,
    ),
    Figures(
        title="Which scorer decides?",
        reading="Instances by fingerprint of model, thresholds and rules. Two of them at once are "
        "a rollout that is under way, or stuck.",
        queries={"{{fingerprint}}": f"count by (fingerprint) (gatekeeper_model_info{{{JOBS}}})"},
        unit=COUNT,
    ),
)

_TRAFFIC = (
    Lines(
        title="Requests a second",
        reading="Gated requests by route and mode. A route that should have traffic and has none "
        "is not gated.",
        queries={
            "{{route}} {{mode}}": "sum by (route, mode) "
            f"(rate(gatekeeper_requests_total{{{OURS}}}[$__rate_interval]))"
        },
        unit=A_SECOND,
    ),
    Lines(
        title="What share of answers is checked?",
        reading="Answers of the last hour with a verdict on their claims. 0 with traffic is an "
        "alert: the gate is there and does nothing.",
        nothing=NO_RULES,
        queries={"{{route}}": recorded("job_route:gatekeeper_checked:ratio_rate1h")},
        unit=SHARE,
    ),
    Lines(
        title="Are known answers judged right?",
        reading="Pairs whose verdict is known, sent through the gate all the time, by what they "
        "are to be and what was said of them. supported and FLAGGED must not mix.",
        nothing="No probes yet: they begin a while after the start of a worker.",
        queries={
            "to be {{expected}}, judged {{verdict}}": "sum by (expected, verdict) "
            f"(increase(gatekeeper_probes_total{{{JOBS}}}[1h])) > 0"
        },
        unit=COUNT,
    ),
    Lines(
        title="Why are answers not checked?",
        reading="Share of requests by first reason. shape and no_context mostly mean that a "
        "pointer of the policy leads nowhere.",
        queries={"{{reason}}": share_by_reason("gatekeeper_not_checked_total", ', reason!="off"')},
        unit=SHARE,
        is_stacked=True,
    ),
    Lines(
        title="Why do checks come to no end?",
        reading="Share of requests by first reason. overload and budget: the machine is too small. "
        "model_error and resolver_error: something broke.",
        queries={"{{reason}}": share_by_reason("gatekeeper_unresolved_total")},
        unit=SHARE,
        is_stacked=True,
    ),
    Lines(
        title="Checks against no words",
        reading="Share of the last hour's checks whose passages had no text: nothing in such an "
        "answer can be supported.",
        nothing=NO_RULES,
        queries={"{{route}}": recorded("job_route:gatekeeper_evidence_missing:ratio_rate1h")},
        unit=SHARE,
        marks=((None, GOOD), (0.01, BAD)),
    ),
    Lines(
        title="Given up",
        reading="In the last hour: decisions that were not stored, by reason, and shadow checks "
        "for want of memory. More than none: the rates are those of the rest.",
        queries={
            "not stored: {{reason}}": "sum by (reason) "
            f"(increase(gatekeeper_store_dropped_total{{{JOBS}}}[1h]))",
            "not checked in shadow": "sum(increase("
            f'gatekeeper_shadow_dropped_total{{{OURS}, reason="memory"}}[1h]))',
        },
        unit=COUNT,
    ),
    Lines(
        title="Changed policy and mode files",
        reading="Read in the last hour, counted by each worker. invalid: refused, the old one "
        "still holds.",
        queries={
            "{{outcome}}": "sum by (outcome) "
            f"(increase(gatekeeper_policy_reloads_total{{{JOBS}}}[1h]))"
        },
        unit=COUNT,
    ),
    Lines(
        title="What goes by the gate?",
        reading="Answers of which text went out before a verdict, and websockets, which are not "
        "gated.",
        queries={
            "{{route}} sent early": "sum by (route) "
            f"(rate(gatekeeper_released_before_verdict_total{{{OURS}}}[$__rate_interval]))",
            "websockets": f"sum(rate(gatekeeper_websocket_total{{{JOBS}}}[$__rate_interval]))",
        },
        unit=A_SECOND,
    ),
)

ROW = Row(title="Is it working?", panels=(*_NOW, *_TRAFFIC))
