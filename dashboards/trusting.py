"""Can it be trusted, and should I enforce? Rates with their intervals, from reviewers' labels."""

from dashboards.panels import BAD, COUNT, DOUBTFUL, GOOD, SHARE, Band, Figures, Lines, Note, Row
from dashboards.queries import (
    NO_LABELS,
    NO_RULES,
    NO_STORE,
    OURS,
    bound,
    interval,
    less_target,
    recorded,
    target,
)

_HOW = "The line is the estimate from reviewers' labels; the band holds the truth 19 times in 20."
_UNKNOWN = "Unknown: it needs labels among all of its answers, see docs/outcomes.md."
_NO_TARGET = "Unknown: no labels yet, or no target in the policy; see docs/outcomes.md."

_RATES = (
    Band(
        title="How many of the wrong answers does it stop?",
        reading=f"Sensitivity. {_HOW} Few labels, wide band.",
        nothing=_UNKNOWN,
        queries=interval("sensitivity"),
    ),
    Band(
        title="How many of the right answers does it stop?",
        reading=f"False blocks. {_HOW} The dashed line is the policy's target.",
        nothing=_UNKNOWN,
        queries={**interval("false_block"), **target("false_block")},
    ),
    Band(
        title="How much of what it lets through is wrong?",
        reading=f"Accepted error. {_HOW} The dashed line is the policy's target.",
        nothing=_UNKNOWN,
        queries={**interval("accepted_error"), **target("accepted_error")},
    ),
    Band(
        title="How much of what users get is wrong?",
        reading=f"Delivered error, unchecked answers included, since the last change of mode or "
        f"share. {_HOW}",
        nothing=_UNKNOWN,
        queries=interval("delivered_error"),
    ),
)

_LABELS = (
    Lines(
        title="What share of checked answers passes?",
        reading="Coverage: accepted of all checked answers, counted in full.",
        nothing=NO_STORE,
        queries={"coverage": bound("avg", "coverage", "point")},
        unit=SHARE,
        width=6,
    ),
    Lines(
        title="Labels in force",
        reading="Labels that the rates rest on, by side. Wide bands come from few of them.",
        nothing=NO_LABELS,
        queries={"{{side}}": f"max by (side) (gatekeeper_labels_in_force{{{OURS}}})"},
        unit=COUNT,
        width=6,
    ),
    Lines(
        title="Decisions that wait for review",
        reading="Kept and without a label, by side. None: too little is kept, or reviewers are "
        "done.",
        nothing=NO_STORE,
        queries={"{{side}}": f"max by (side) (gatekeeper_review_queue{{{OURS}}})"},
        unit=COUNT,
        width=6,
    ),
    Lines(
        title="Labels given in a day",
        reading="What reviewers said in the last day, and took back: on the page and in tables "
        "sent to it. Those of `gatekeeper labels import` are not among them.",
        nothing=NO_STORE,
        queries={
            "{{truth}}": f"sum by (truth) (increase(gatekeeper_adjudications_total{{{OURS}}}[1d]))",
            "taken back": f"sum(increase(gatekeeper_adjudications_retracted_total{{{OURS}}}[1d]))",
        },
        unit=COUNT,
        width=6,
    ),
)

TRUSTING = Row(title="Can it be trusted? $route", panels=(*_RATES, *_LABELS), repeat="route")

# Equal to the target meets it.
_BELOW = ((None, GOOD), (1e-9, BAD))

ENFORCING = Row(
    title="Should I enforce?",
    panels=(
        Figures(
            title="False blocks: upper bound less target",
            reading="Below 0: even the upper end of the interval meets the target.",
            nothing=_NO_TARGET,
            queries={"{{route}}": less_target("false_block")},
            unit=SHARE,
            width=5,
            marks=_BELOW,
        ),
        Figures(
            title="Accepted error: upper bound less target",
            reading="Below 0: even the upper end of the interval meets the target.",
            nothing=_NO_TARGET,
            queries={"{{route}}": less_target("accepted_error")},
            unit=SHARE,
            width=5,
            marks=_BELOW,
        ),
        Figures(
            title="Labels in force",
            reading="All labels that the rates rest on. `gatekeeper plan labels` says how many it "
            "takes.",
            nothing=NO_LABELS,
            queries={"{{route}}": recorded("job_route:gatekeeper_labels_in_force:max")},
            unit=COUNT,
            marks=((None, DOUBTFUL), (100, GOOD)),
        ),
        Figures(
            title="Shadow checks lost in a day",
            reading="Above 5 % the rates are those of the quiet hours, and readiness says nothing.",
            nothing="No data: no route is in shadow, or gatekeeper-rules.yml is not loaded.",
            queries={"{{route}}": recorded("job_route:gatekeeper_shadow_lost:ratio_rate1d")},
            unit=SHARE,
            width=5,
            marks=((None, GOOD), (0.05, BAD)),
        ),
        Figures(
            title="What would be blocked",
            reading="Share of the last hour's answers that would not reach users, had the policy "
            "been enforced. Read some of them before.",
            nothing=NO_RULES,
            queries={"{{route}}": recorded("job_route:gatekeeper_would_block:ratio_rate1h")},
            unit=SHARE,
            width=5,
            marks=((None, GOOD), (0.2, BAD)),
        ),
        Note(
            title="Before you do",
            markdown="`gatekeeper readiness` has the last word: it holds each target against the "
            "bound at the policy's own confidence and says how many labels are missing. Then go "
            "through the list in docs/operations.md, and enforce a small `share` first.",
        ),
    ),
)
