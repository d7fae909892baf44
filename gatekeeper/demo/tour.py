"""The tour of the demo: one request for each thing a gate does, and what comes back.

Printer and tests use this one table, so what is printed is what happens.
"""

import json
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """One request and its response.

    ``shows`` are pieces of the response body, letter by letter, in the order they stand there.
    ``body`` is None for GET. ``note`` says in a sentence why the response is what it is.
    """

    title: str
    path: str
    body: Mapping[str, object] | None
    status: int
    shows: tuple[str, ...]
    note: str

    def curl(self, base: str) -> str:
        """Return the command line that makes the request."""
        if self.body is None:
            return f"curl -s {base}{self.path}"
        data = shlex.quote(json.dumps(self.body))
        flags = "-sN" if self.body.get("stream") else "-s"
        return f"curl {flags} {base}{self.path} -H 'content-type: application/json' -d {data}"


_WARRANTY = "How long is the warranty on an Air 2?"
_CALIBRATE = "How do I calibrate the CO2 sensor of my Air 2?"
_WITHHELD = '"answer":"This answer was withheld because it could not be verified."'

TOUR: tuple[Stop, ...] = (
    Stop(
        title="Released: every claim follows from the pages it came from.",
        path="/v1/answer",
        body={"question": _WARRANTY, "invent": "none"},
        status=200,
        shows=('"answer":"The warranty lasts 3 years from delivery.',),
        note="The bytes are the app's own; the headers gatekeeper-* name the verdict.",
    ),
    Stop(
        title="Withheld: the stand-in made up a number (the page says 3 years).",
        path="/v1/answer",
        body={"question": _WARRANTY, "invent": "number"},
        status=200,
        shows=(_WITHHELD, '"verdict":"FLAGGED"', '"CONTRADICTED":1'),
        note="Status and shape stay; counts say how many claims failed, never which.",
    ),
    Stop(
        title="Redacted: two steps are right, a third one was made up.",
        path="/v1/chat/completions",
        body={"messages": [{"role": "user", "content": _CALIBRATE}], "invent": "step"},
        status=200,
        shows=(
            "Take the monitor outside for 20 minutes.",
            "press Start. [removed: not supported]",
            '"verdict":"FLAGGED"',
        ),
        note="The pages never leave the server: the gate reads them from request.state.",
    ),
    Stop(
        title="Streamed: two sentences go out while the third, made up, is being written.",
        path="/v1/live/chat/completions",
        body={
            "messages": [{"role": "user", "content": _CALIBRATE}],
            "stream": True,
            "invent": "step",
        },
        status=200,
        shows=(
            '"content": " minutes."',
            '"content": " Start."',
            "This answer was withheld because it could not be verified.",
            '"finish_reason":"content_filter"',
            "data: [DONE]",
        ),
        note="What went out are the app's own events; the stream ends in words clients know.",
    ),
    Stop(
        title="Unresolved: this route has a budget of 1 ms.",
        path="/v1/answer-in-a-hurry",
        body={"question": _WARRANTY, "invent": "none"},
        status=200,
        shows=(_WITHHELD, '"verdict":"UNRESOLVED"', '"reason":"budget"'),
        note="Nothing was decided, so nothing passes; the policy could say otherwise.",
    ),
    Stop(
        title="No claims: retrieval found nothing, and the stand-in says so.",
        path="/v1/answer",
        body={"question": "Who won the chess championship in 1972?"},
        status=200,
        shows=('"answer":"I could not find anything about that in our help pages."',),
        note="What asserts nothing needs no evidence; it has a verdict and a counter of its own.",
    ),
    Stop(
        title="Not checked: a GET is none of the methods that the policy names.",
        path="/v1/answer",
        body=None,
        status=405,
        shows=("Method Not Allowed",),
        note="The policy releases it by name; each way past a check has a reason and a counter.",
    ),
    Stop(
        title="Ticket summary, in shadow: an invented policy gets through and is counted.",
        path="/v1/ticket-summary",
        body={"ticket": "T-4101", "invent": "policy"},
        status=200,
        shows=(
            "Maria Lindqvist's Air 2 shows 1,900 ppm",
            "We also match the price of any other shop for 60 days.",
        ),
        note="A route in shadow answers byte for byte as without a gate.",
    ),
    Stop(
        title="Faithful but outdated: the price list that retrieval found was withdrawn.",
        path="/v1/answer",
        body={"question": "How much is the Plus plan per month?", "invent": "none"},
        status=200,
        shows=('"answer":"The Plus plan costs EUR 4.99 a month.',),
        note="The gate is no truth oracle: what the pages say passes, also when it is outdated.",
    ),
    Stop(
        title="Counters, after one round of the above.",
        path="/metrics",
        body=None,
        status=200,
        shows=(
            'gatekeeper_actions_total{action="RELEASE",route="/v1/answer"} 4.0',
            'gatekeeper_actions_total{action="WITHHOLD",route="/v1/answer"} 1.0',
            'gatekeeper_actions_total{action="REDACT",route="/v1/chat/completions"} 1.0',
            'gatekeeper_would_block_total{action="WITHHOLD",route="/v1/ticket-summary"} 1.0',
        ),
        note="A check in shadow waits for enforced ones, so its counts can be a moment late.",
    ),
)


def lines(base: str) -> Iterator[str]:
    """Yield the tour as text: the command and below it what it will say."""
    for number, stop in enumerate(TOUR, 1):
        yield f"{number}. {stop.title}"
        yield f"   {stop.curl(base)}"
        yield f"   -> {stop.status} {' ... '.join(stop.shows)}"
        yield f"   {stop.note}"
        yield ""


def review_lines(base: str, token: str) -> Iterator[str]:
    """Yield where the decisions of the tour can be labelled, and what to sign in with."""
    yield f"Then label what was decided: {base}/gatekeeper/review"
    yield f"   token {token}"
