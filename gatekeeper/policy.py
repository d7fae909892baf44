"""The policy: what is checked on which route, and what happens then. Frozen values, no I/O.

The same objects come out of ``gatekeeper.toml`` and out of Python. Their constructors refuse what
is nonsense by itself; what contradicts something else is found by ``gatekeeper.config``, all
faults at once, each with its place.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType

from gatekeeper.verdict import Action

# How the address of a store in a file begins.
SQLITE = "sqlite:///"


class Mode(StrEnum):
    """How far a route goes: not at all, watching only, or acting on verdicts."""

    OFF = "off"
    SHADOW = "shadow"
    ENFORCE = "enforce"


class Shape(StrEnum):
    """Response shapes with a name; any other JSON is reached by a pointer."""

    OPENAI_CHAT = "openai-chat"
    OPENAI_RESPONSES = "openai-responses"
    PLAIN = "plain"


class Expose(StrEnum):
    """What a released or annotated response says about its check."""

    ID = "id"
    VERDICT = "verdict"
    NONE = "none"


class StreamMode(StrEnum):
    """How a stream is held: sentence by sentence, to its end, or not until something is found."""

    BY_SENTENCE = "by_sentence"
    WHOLE = "whole"
    RELEASE_THEN_STOP = "release_then_stop"


# Reasons a client can bring about: a ``default`` never releases them, the policy must name them.
CLIENT_REASONS = frozenset(
    {"encoding", "size", "range", "stream", "language", "shape", "overload", "budget"}
)

# Nothing of the answer reaches the client.
HELD_BACK = frozenset({Action.WITHHOLD, Action.BLOCK})


@dataclass(frozen=True, slots=True, kw_only=True)
class Reactions:
    """A total table from reason to action: named reasons first, else the default.

    A default that delivers (RELEASE, REDACT, ANNOTATE) does not reach the reasons in
    ``CLIENT_REASONS``: they are withheld unless named.
    """

    default: Action
    by_reason: Mapping[str, Action] = field(default_factory=lambda: MappingProxyType({}))

    def action(self, reason: str) -> Action:
        """Return what is done for a reason."""
        named = self.by_reason.get(reason)
        if named is not None:
            return named
        if self.default in HELD_BACK or reason not in CLIENT_REASONS:
            return self.default
        return Action.WITHHOLD


@dataclass(frozen=True, slots=True, kw_only=True)
class ResponseSource:
    """Passages from the JSON response: ``pointer`` may end in ``/*``; text and id inside each."""

    pointer: str
    text: str | None = None
    id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestSource:
    """Passages from the JSON request; ``roles`` picks chat messages by role instead."""

    pointer: str | None = None
    text: str | None = None
    id: str | None = None
    roles: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StateSource:
    """Passages the app put into ``request.state`` under a name: str, list of str or of dict."""

    name: str
    text: str | None = None
    id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolverSource:
    """Passages from a function of the user's, ``package.module:function``, run off the loop."""

    target: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FileSource:
    """Passages from a file, read at start: house facts, blank lines between passages."""

    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LastMessage:
    """The last message of a chat with a role, in the list at ``pointer`` of the JSON request."""

    role: str
    pointer: str = "/messages"


Source = ResponseSource | RequestSource | StateSource | ResolverSource | FileSource


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareKey:
    """What stays on one side of a share: a header, a place in the request, or a state name."""

    header: str | None = None
    request: str | None = None
    state: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Trip:
    """Leave ``enforce`` when more than ``blocked_share`` of the last ``of_last`` were blocked."""

    blocked_share: float
    of_last: int
    to: Mode = Mode.SHADOW


@dataclass(frozen=True, slots=True, kw_only=True)
class Targets:
    """What readiness and alerts hold the route against; rates as fractions of 1."""

    false_block: float
    accepted_error: float
    confidence: float = 0.95


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """Every bound of a gated request in one place; past one the answer is not checked, never part.

    Sizes in bytes, times in seconds. ``held_bytes`` is per request, ``process_bytes`` over all. Of
    a stream ``held_events`` are held at most and ``event_bytes`` of an event that is not complete.
    """

    request_bytes: int = 1_000_000
    held_bytes: int = 4_000_000
    held_events: int = 10_000
    event_bytes: int = 1_000_000
    process_bytes: int = 256_000_000
    decoded_bytes: int = 8_000_000
    decoded_ratio: int = 100
    json_depth: int = 64
    passages: int = 200
    evidence_chars: int = 400_000
    resolver_s: float = 0.5
    send_s: float = 30.0

    def admit(self, texts: Sequence[str]) -> bool:
        """Tell whether these are few and short enough passages to check an answer against."""
        return len(texts) <= self.passages and sum(map(len, texts)) <= self.evidence_chars


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """One gated path; budgets are in seconds.

    ``answer`` is a JSON pointer into the response or a shape, ``question`` a JSON pointer into the
    request or a message of the chat in it. ``stream_answer`` points at the piece of text in one
    event or line of a stream, None where that is the same place. ``keep_alive_s`` 0 is never.
    """

    path: str
    answer: str | Shape
    context: tuple[Source, ...]
    mode: Mode
    on_flagged: Action
    on_unresolved: Reactions
    on_not_checked: Reactions
    on_no_claims: Action = Action.RELEASE
    methods: tuple[str, ...] = ("POST",)
    share: float = 1.0
    share_key: ShareKey | None = None
    question: str | LastMessage | None = None
    boilerplate: tuple[str, ...] = ()
    budget_s: float = 0.2
    expose: Expose = Expose.ID
    stream: StreamMode = StreamMode.BY_SENTENCE
    stream_answer: str | None = None
    max_hold_s: float = 30.0
    keep_alive_s: float = 15.0
    targets: Targets | None = None
    trip: Trip | None = None
    uncalibrated: Mode | None = None
    accept_public_calibration: bool = False
    withheld_text: str = "This answer was withheld because it could not be verified."
    block_status: int = 422
    max_in_flight_per_key: int | None = None
    bounds: Bounds = field(default_factory=Bounds)


@dataclass(frozen=True, slots=True, kw_only=True)
class Keep:
    """Shares of decisions kept for review, by side and score band; each in [0, 1].

    Reviewers label a fixed number a week, in the order of the decisions' random numbers, so a share
    only has to be large enough: at 8,000 answers a day 1 % are 560 a week.
    """

    blocked: float = 0.1
    accepted_low: float = 0.1
    accepted_high: float = 0.1
    unchecked: float = 0.02


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcomes:
    """Where decisions are stored and for how long.

    ``url`` is ``sqlite:///PATH`` or that of a PostgreSQL server. ``store_text``: "none", or
    "sampled" for the texts of decisions that are kept for review. Texts and reviewers' notes go
    after ``retention_days``, decisions with their labels after ``decision_days``.
    """

    url: str
    store_text: str
    retention_days: int
    decision_days: int = 400
    keep: Keep = field(default_factory=Keep)


def sqlite_file(url: str) -> str | None:
    """Return the path in the address of a store in a file, None in that of a server."""
    return url.removeprefix(SQLITE) if url.startswith(SQLITE) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """Where people label decisions: a path of its own, and the file that says who they are."""

    path: str
    tokens: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """All gated routes, the first matching path wins; ``model`` may pin a manifest's sha256.

    ``calibration`` is a file, None for the one in the model's folder. Without ``outcomes`` no
    decision is stored, without ``review`` there is no page to label them on. Each worker checks
    ``probes_per_minute`` known answers, 0 for none, else at least 1.
    """

    routes: tuple[Route, ...]
    model: str | None = None
    model_sha256: str | None = None
    calibration: str | None = None
    outcomes: Outcomes | None = None
    review: Review | None = None
    probes_per_minute: float = 12.0

    def route(self, path: str) -> Route | None:
        """Return the route for a path as the server routes it, or None if it is not gated."""
        return next((route for route in self.routes if route.path == path), None)
