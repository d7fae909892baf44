"""What does it decide, and what does it cost?"""

from dashboards.panels import A_SECOND, BAD, COUNT, GOOD, SECONDS, SHARE, Lines, Row
from dashboards.queries import JOBS, NO_RULES, OURS, quantiles, rate_by, recorded

DECIDING = Row(
    title="What does it decide?",
    panels=(
        Lines(
            title="Verdicts",
            reading="Answers a second by verdict, in all modes. What changes its mix without a "
            "change of traffic wants an explanation.",
            queries={"{{verdict}}": rate_by("verdict", "gatekeeper_checks_total")},
            unit=A_SECOND,
            is_stacked=True,
        ),
        Lines(
            title="Actions",
            reading="Answers a second by what was done with them. none: there was nothing left to "
            "deliver. A route in shadow only has RELEASE.",
            queries={"{{action}}": rate_by("action", "gatekeeper_actions_total")},
            unit=A_SECOND,
            is_stacked=True,
        ),
        Lines(
            title="What share is blocked, or would be?",
            reading="Of the last hour's answers: stopped, and delivered although the policy would "
            "have stopped them had it been enforced. Blocked above the line is an alert.",
            nothing=NO_RULES,
            queries={
                "{{route}} blocked": recorded("job_route:gatekeeper_blocked:ratio_rate1h"),
                "{{route}} would be": recorded("job_route:gatekeeper_would_block:ratio_rate1h"),
            },
            unit=SHARE,
            marks=((None, GOOD), (0.2, BAD)),
        ),
        Lines(
            title="Claims",
            reading="Claims a second by what was found of each. One that is CONTRADICTED, "
            "UNSUPPORTED or CONFLICTING flags its answer.",
            queries={"{{status}}": rate_by("status", "gatekeeper_claims_total")},
            unit=A_SECOND,
            width=12,
            is_stacked=True,
        ),
        Lines(
            title="Segments that assert nothing",
            reading="Parts of answers that are no claims, a second, by kind. Look at some if one "
            "kind grows: a claim that is taken for a courtesy is not checked.",
            queries={"{{kind}}": rate_by("kind", "gatekeeper_exempt_segments_total")},
            unit=A_SECOND,
            width=12,
            is_stacked=True,
        ),
    ),
)

COSTING = Row(
    title="What does it cost?",
    panels=(
        Lines(
            title="How long are responses held?",
            reading="From the app's last byte to ours, in routes that enforce: half of the "
            "responses, 19 of 20, 99 of 100 wait no longer. Shadow holds nothing.",
            nothing="No data: no route enforces, so nothing is held.",
            queries=quantiles("gatekeeper_added_seconds", 'mode="enforce"', (0.5, 0.95, 0.99)),
            unit=SECONDS,
        ),
        Lines(
            title="How long does a check take?",
            reading="The gate's own time for a check, waiting left out: half of the checks, 19 of "
            "20, 99 of 100 take no longer.",
            queries=quantiles("gatekeeper_check_seconds", 'mode!="off"', (0.5, 0.95, 0.99)),
            unit=SECONDS,
        ),
        Lines(
            title="How busy is the gate?",
            reading="Seconds of checking a second, all workers of an instance together. "
            "As many as it has workers, or processors, is all it can do.",
            queries={
                "{{instance}}": "sum by (instance) "
                f"(rate(gatekeeper_check_seconds_sum{{{OURS}}}[$__rate_interval]))"
            },
            unit=COUNT,
        ),
        Lines(
            title="Pairs in line",
            reading="Pairs of claim and passage that waited for the model when a request last "
            "began or ended. A line that stands is a machine that is too small.",
            queries={"{{instance}}": f"sum by (instance) (gatekeeper_queue_pairs{{{JOBS}}})"},
            unit=COUNT,
        ),
        Lines(
            title="Work of the model",
            reading="Pairs and tokens that the model scored, a second.",
            queries={
                "pairs": f"sum(rate(gatekeeper_pairs_total{{{JOBS}}}[$__rate_interval]))",
                "tokens": f"sum(rate(gatekeeper_pair_tokens_total{{{JOBS}}}[$__rate_interval]))",
            },
            unit=COUNT,
        ),
        Lines(
            title="Words of evidence",
            reading="How much an answer was checked against: one in ten has no more words than "
            "the lowest line, half of them than the middle one.",
            queries=quantiles("gatekeeper_evidence_words", 'mode!="off"', (0.1, 0.5, 0.9)),
            unit=COUNT,
        ),
    ),
)
