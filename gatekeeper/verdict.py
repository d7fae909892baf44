"""The words of the product, as types: evidence in, segments and verdict out.

Pure values: frozen, no I/O, and nonsense cannot be built. "Not checked" and "unresolved" are
values of their own, never a score of 0.0 or 1.0. Offsets count code points of the text as given.
"""

from dataclasses import dataclass
from enum import StrEnum


class ClaimStatus(StrEnum):
    """The finding for one claim; final unless UNRESOLVED."""

    SUPPORTED = "SUPPORTED"
    CONTRADICTED = "CONTRADICTED"
    UNSUPPORTED = "UNSUPPORTED"
    CONFLICTING = "CONFLICTING"
    UNRESOLVED = "UNRESOLVED"


FLAGGED_STATUSES = frozenset(
    {ClaimStatus.CONTRADICTED, ClaimStatus.UNSUPPORTED, ClaimStatus.CONFLICTING}
)


class Outcome(StrEnum):
    """The verdict on an answer: its worst claim, or why there is none."""

    FLAGGED = "FLAGGED"
    UNRESOLVED = "UNRESOLVED"
    SUPPORTED = "SUPPORTED"
    NO_CLAIMS = "NO_CLAIMS"
    NOT_CHECKED = "NOT_CHECKED"


class UnresolvedReason(StrEnum):
    """Why a check that began has no final status, in order of precedence."""

    BUDGET = "budget"
    OVERLOAD = "overload"
    WARMING = "warming"
    SHUTDOWN = "shutdown"
    MODEL_ERROR = "model_error"
    CLAIM_TOO_LONG = "claim_too_long"
    RESOLVER_ERROR = "resolver_error"


class NotCheckedReason(StrEnum):
    """Why the gate never got as far as a check, in order of precedence."""

    NO_ROUTE = "no_route"
    METHOD = "method"
    STATUS = "status"
    CONTENT_TYPE = "content_type"
    ENCODING = "encoding"
    SIZE = "size"
    SHAPE = "shape"
    NO_TEXT = "no_text"
    NO_CONTEXT = "no_context"
    LANGUAGE = "language"
    RANGE = "range"
    MESSAGE_TYPE = "message_type"
    STREAM = "stream"
    CLIENT_GONE = "client_gone"
    APP_ERROR = "app_error"
    OFF = "off"


class SegmentKind(StrEnum):
    """CLAIM asserts something checkable; every other kind is exempt and says why."""

    CLAIM = "claim"
    GREETING = "greeting"
    QUESTION = "question"
    REFUSAL = "refusal"
    HEADING = "heading"
    OPINION = "opinion"
    ADVICE = "advice"
    META = "meta"
    BOILERPLATE = "boilerplate"
    LAYOUT = "layout"  # markup and blanks without a word: rules, table rulers, fences


class Action(StrEnum):
    """What a policy does with an answer."""

    RELEASE = "RELEASE"
    WITHHOLD = "WITHHOLD"
    BLOCK = "BLOCK"
    REDACT = "REDACT"
    ANNOTATE = "ANNOTATE"


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """One piece of evidence: a ticket, a retrieved chunk. ``id`` is the caller's own name."""

    id: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """All that an answer may rest on. The question gives context and is never evidence."""

    passages: tuple[Passage, ...]
    question: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """A slice of the answer. The segments of an answer join to the answer, in order.

    For a claim, ``plain`` is the slice after normalisation and ``hypothesis`` what the model is
    asked: the same with the subject, lead-in or heading of earlier slices (``context``, offsets
    into the answer) carried along. Both are empty for exempt segments. ``literal`` marks code and
    commands: compared letter by letter, never put to the model. ``citations`` are the markers
    taken out of the text ("4" for "[4]").
    """

    start: int
    end: int
    kind: SegmentKind
    plain: str = ""
    hypothesis: str = ""
    context: tuple[tuple[int, int], ...] = ()
    citations: tuple[str, ...] = ()
    literal: bool = False

    def __post_init__(self) -> None:
        if not 0 <= self.start < self.end:
            raise ValueError(f"segment [{self.start}, {self.end}) is empty or reversed")
        if (self.kind is SegmentKind.CLAIM) != bool(self.hypothesis):
            raise ValueError(f"kind {self.kind!s} does not go with hypothesis {self.hypothesis!r}")

    @property
    def is_claim(self) -> bool:
        """True if the segment asserts something that has to be checked."""
        return self.kind is SegmentKind.CLAIM


@dataclass(frozen=True, slots=True, kw_only=True)
class PremiseRef:
    """Where in the evidence a premise stands: offsets into the text of one passage."""

    passage: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimVerdict:
    """The finding for one claim and what it rests on.

    ``support`` and ``contradiction`` lie in [0, 1] and are None when not every planned pair was
    scored, or when no pair was needed (a value clash). ``passages`` are the ids of the passages
    that decided the status, strongest first. ``reason`` is for people and names value, rule and
    passage where the value guard decided.
    """

    start: int
    end: int
    text: str
    status: ClaimStatus
    support: float | None
    contradiction: float | None
    score: float | None
    passages: tuple[str, ...] = ()
    premises: tuple[PremiseRef, ...] = ()
    reason: str = ""
    unresolved: UnresolvedReason | None = None

    def __post_init__(self) -> None:
        if (self.status is ClaimStatus.UNRESOLVED) != (self.unresolved is not None):
            raise ValueError(f"status {self.status!s} does not go with {self.unresolved!r}")
        if (self.status is ClaimStatus.UNRESOLVED) != (self.score is None):
            raise ValueError(f"status {self.status!s} does not go with score={self.score}")
        for name in ("support", "contradiction", "score"):
            number = getattr(self, name)
            if number is not None and not 0.0 <= number <= 1.0:
                raise ValueError(f"{name}={number} lies outside [0, 1]")

    @property
    def is_flagged(self) -> bool:
        """True if the claim is contradicted, unsupported or conflicting."""
        return self.status in FLAGGED_STATUSES


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The finding for one answer: every segment, every claim, and what follows from them."""

    segments: tuple[Segment, ...] = ()
    claims: tuple[ClaimVerdict, ...] = ()
    not_checked: NotCheckedReason | None = None
    fingerprint: str = ""

    @property
    def outcome(self) -> Outcome:
        """The worst claim decides: one wrong date spoils an answer."""
        if self.not_checked is not None:
            return Outcome.NOT_CHECKED
        if any(claim.is_flagged for claim in self.claims):
            return Outcome.FLAGGED
        if any(claim.status is ClaimStatus.UNRESOLVED for claim in self.claims):
            return Outcome.UNRESOLVED
        return Outcome.SUPPORTED if self.claims else Outcome.NO_CLAIMS

    @property
    def reason(self) -> str | None:
        """The NOT_CHECKED or UNRESOLVED reason that comes first in its list, else None."""
        if self.not_checked is not None:
            return str(self.not_checked)
        if self.outcome is not Outcome.UNRESOLVED:
            return None
        seen = {claim.unresolved for claim in self.claims}
        return next(str(reason) for reason in UnresolvedReason if reason in seen)

    @property
    def score(self) -> float | None:
        """The smallest claim score; None without claims or with an unresolved one.

        A minimum of claim scores, not P(answer right).
        """
        scores = [claim.score for claim in self.claims]
        known = [score for score in scores if score is not None]
        return min(known) if known and len(known) == len(scores) else None

    @property
    def faithfulness(self) -> float | tuple[float, float] | None:
        """Supported share of the claims; (low, high) when some are unresolved, None without claims.

        Reported, never used for the decision. Source: Es et al., RAGAS (EACL 2024).
        """
        if not self.claims:
            return None
        n = len(self.claims)
        supported = sum(claim.status is ClaimStatus.SUPPORTED for claim in self.claims)
        open_ = sum(claim.status is ClaimStatus.UNRESOLVED for claim in self.claims)
        return (supported / n, (supported + open_) / n) if open_ else supported / n


def unresolved(reason: UnresolvedReason, answer: str = "", fingerprint: str = "") -> Verdict:
    """Return the verdict on an answer that could not be looked at: all of it is one open claim."""
    claim = ClaimVerdict(
        start=0,
        end=len(answer),
        text=answer,
        status=ClaimStatus.UNRESOLVED,
        support=None,
        contradiction=None,
        score=None,
        reason=str(reason),
        unresolved=reason,
    )
    return Verdict(claims=(claim,), fingerprint=fingerprint)
