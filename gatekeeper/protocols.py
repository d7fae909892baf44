"""The seams between layers: what the gate asks of a model and of whoever schedules it.

Pure declarations. A model is used from one thread only; a judge may be awaited by many tasks.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Protocol

from gatekeeper.policy import Mode, Route
from gatekeeper.verdict import Action, Evidence, UnresolvedReason, Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class EncodedPair:
    """A (premise, claim) pair as token ids, not padded; what ``Model.score`` takes."""

    ids: tuple[int, ...]
    type_ids: tuple[int, ...]

    @property
    def tokens(self) -> int:
        """Length in tokens, special tokens included."""
        return len(self.ids)


@dataclass(frozen=True, slots=True, kw_only=True)
class PairScore:
    """Temperature-scaled P(entailment) and P(contradiction) of one pair, each in [0, 1].

    A two-class model has no contradiction class; its ``contradiction`` is 0.0.
    """

    entailment: float
    contradiction: float


class Model(Protocol):
    """An entailment model: text in, probabilities out. Not for use by two threads at once."""

    @property
    def fingerprint(self) -> str:
        """sha256 over the model files, hexadecimal."""
        ...

    def encode(self, premise: str, hypothesis: str) -> EncodedPair | None:
        """Encode a pair; cut the end of the premise if need be, the hypothesis never.

        Returns None if the hypothesis leaves no room for a premise (claim_too_long).
        """
        ...

    def unknown_words(self, text: str) -> tuple[str, ...]:
        """Return the words of a text that the vocabulary can't spell: it is blind to those."""
        ...

    def score(self, pairs: Sequence[EncodedPair]) -> list[PairScore]:
        """Run one forward pass over the pairs, in order. Blocking.

        Raises:
            InferenceError: If the runtime fails or a probability is not finite.
        """
        ...


class Priority(IntEnum):
    """What goes first: replies that only wait to be written, enforced checks, shadow checks.

    A REPLY needs no model and is never refused: its request holds a place already.
    """

    REPLY = 0
    ENFORCE = 1
    SHADOW = 2


@dataclass(slots=True, kw_only=True)
class Usage:
    """What a check has used so far; whoever hands it in reads it when its calls are answered.

    ``service_s`` is work done for this check alone (its steps, its rows of each pass), in seconds,
    whatever it waited for others. ``pairs`` and ``pair_tokens`` were scored, padding not counted.
    """

    service_s: float = 0.0
    pairs: int = 0
    pair_tokens: int = 0


@dataclass(slots=True, kw_only=True)
class Wanted:
    """What a step yields to have pairs scored before the next step is taken.

    ``scores`` is set by the judge, one entry a pair, in order; it stays empty if steps end here.
    """

    pairs: Sequence[EncodedPair]
    scores: Sequence[PairScore | UnresolvedReason] = field(default=())


# Slices of work, and between them pairs whose scores the next one needs.
Steps = Iterator[Wanted | None]


class Judge(Protocol):
    """Scores pairs in time or says why not, and carries the work that must not stop the loop."""

    def refusal(
        self, *, deadline: float | None, priority: Priority = Priority.ENFORCE
    ) -> UnresolvedReason | None:
        """Say at once whether a whole check that begins now would be refused, and why.

        None is no promise: the calls of the check can be refused all the same. Counts as a
        refused call otherwise, for the caller is not to call then.
        """
        ...

    async def run(
        self,
        steps: Steps,
        *,
        deadline: float | None = None,
        priority: Priority = Priority.ENFORCE,
        usage: Usage | None = None,
    ) -> None:
        """Exhaust an iterator off the event loop; what it raises is raised here.

        Pairs that a step yields are scored before the next one, without a way back to the loop;
        each that can't be has its reason in the place of a score.

        A step is a short slice of work (aim at 20 ms at most), so that work can be mixed.

        Args:
            steps: Advanced in the worker thread, never by two threads.
            deadline: Monotonic clock reading in seconds after which no step starts; None: never.
            priority: What yields to what.
            usage: Is added to when given.

        Raises:
            UnavailableError: If the steps can't be done in time (overload, budget) or by nobody
                (warming, shutdown, model_error); the iterator is then left where it stands.
        """
        ...

    async def score(
        self,
        pairs: Sequence[EncodedPair],
        *,
        deadline: float | None,
        priority: Priority = Priority.ENFORCE,
        usage: Usage | None = None,
    ) -> list[PairScore | UnresolvedReason]:
        """Return one entry a pair, in order; never raises for a failed pass.

        Args:
            pairs: Any number, also none.
            deadline: Monotonic clock reading in seconds after which no pass starts; None: never.
            priority: What yields to what.
            usage: Is added to when given.
        """
        ...

    def close(self) -> None:
        """Give back threads; blocking until the running pass ends."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Control:
    """What holds for a route now: the configured mode after environment, trip and mode file.

    ``tripped`` tells that a trip, not a person, chose the mode.
    """

    mode: Mode
    share: float
    tripped: bool = False


class Controls(Protocol):
    """Run-time changes, as every worker sees them. Never touches a file when asked."""

    def now(self, route: Route) -> Control:
        """Return what holds for the route at this moment."""
        ...

    def blocked(self, route: Route, *, was_blocked: bool) -> None:
        """Count an enforced decision towards the route's trip."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """One answer on a gated route, checked or not: what telemetry and the outcome store get.

    ``action`` is what was done, None where nothing was left to deliver; ``would`` is what the
    policy does with this verdict when enforced; ``share`` is the enforced share that held.
    ``late`` tells that a check took longer than the route's budget in shadow, so that it would have
    been unresolved, ``released_early`` that text went out before there was a verdict on it.
    Durations in seconds; ``check_s`` is the gate's own service time, ``added_s`` the time the
    response was held after the app's last byte.
    ``answers``, one a choice, and ``evidence`` are what was checked, as far as it was read; they
    and the texts in ``verdict`` never get into logs or counters.
    """

    id: str
    route: str
    mode: Mode
    enforced: bool
    verdict: Verdict
    action: Action | None
    would: Action
    check_s: float
    added_s: float
    evidence_words: int
    pairs: int
    pair_tokens: int
    share: float = 1.0
    late: bool = False
    answers: tuple[str | None, ...] = ()
    evidence: Evidence | None = None
    released_early: bool = False


class Telemetry(Protocol):
    """Counters and events. Never raises and never blocks; no text of answers gets into it."""

    def began(self, route: str, mode: Mode) -> None:
        """Count a request at the beginning of its way."""
        ...

    def decided(self, decision: Decision) -> None:
        """Count and log a decision; exactly once a request that began."""
        ...

    def shadow_dropped(self, route: str, reason: str) -> None:
        """Count a shadow check that was given up (memory, overload)."""
        ...

    def websocket(self) -> None:
        """Count a forwarded websocket."""
        ...
