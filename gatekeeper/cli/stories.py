"""What ``explain`` tells of a replayed exchange, as lines and as one JSON object."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass

from gatekeeper.cli.places import looked_up
from gatekeeper.cli.replay import Heard, Pair, Saved
from gatekeeper.cli.show import verdict_lines, visible
from gatekeeper.cli.trails import Trail
from gatekeeper.config.standing import Standing
from gatekeeper.core.aggregate import Thresholds
from gatekeeper.evaluation.records import verdict_record
from gatekeeper.policy import Mode, Route
from gatekeeper.protocols import PairScore
from gatekeeper.verdict import Action

_LONGEST = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """All that is known of one replayed exchange.

    ``lacks`` says in words why a route that was to be enforced only watches.
    """

    route: Route
    position: int
    standing: Standing
    lacks: str
    thresholds: Thresholds
    saved: Saved
    heard: Heard

    @property
    def trails(self) -> Iterator[tuple[str, str | Trail]]:
        """Each place of the route with what was found there, or why nothing can be."""
        return looked_up(self.route, self.saved)

    @property
    def segments(self) -> Iterator[tuple[str, int, int, str]]:
        """Kind, start, end and text of each segment; choices one after the other."""
        answer, answers = "", iter(self.heard.answers)
        for segment in self.heard.decision.verdict.segments:
            if segment.start == 0:
                answer = next(answers, "")
            text = answer[segment.start : segment.end]
            yield str(segment.kind), segment.start, segment.end, text

    @property
    def actions(self) -> dict[str, Action]:
        """What is done in each mode."""
        return {
            Mode.OFF: Action.RELEASE,
            Mode.SHADOW: Action.RELEASE,
            Mode.ENFORCE: self.heard.decision.action or self.heard.decision.would,
        }


def lines(story: Story) -> Iterator[str]:
    """Yield what happened, in the order it happened."""
    yield from _exchange_lines(story)
    for place, trail in story.trails:
        yield f"{place}: {_trail_text(trail)}"
    yield from _evidence_lines(story.heard)
    for kind, start, end, text in story.segments:
        yield f"segment [{start}, {end}) {kind}: {_cut(text)}"
    for pair in story.heard.pairs:
        yield f"pair {_score_text(pair)}: {_cut(pair.hypothesis)} | {_cut(pair.premise)}"
    marks = story.thresholds
    yield f"marks: support {marks.support:g}, contradiction {marks.contradiction:g}"
    yield from _decision_lines(story)


def record(story: Story) -> dict[str, object]:
    """Return the same as one object; texts are whole."""
    decision = story.heard.decision
    evidence = story.heard.evidence
    start = story.heard.sent[0] if story.heard.sent else {}
    return {
        **verdict_record(decision.verdict, elapsed_s=decision.check_s),
        "action": str(decision.action) if decision.action else None,
        "route": story.route.path,
        "mode": str(story.standing.control.mode),
        "mode_set_by": str(story.standing.says),
        "degraded": story.standing.degraded,
        "thresholds": asdict(story.thresholds),
        "actions": {mode: str(action) for mode, action in story.actions.items()},
        "pointers": {place: _trail_record(trail) for place, trail in story.trails},
        "passages": [
            {"id": passage.id, "text": passage.text}
            for passage in (evidence.passages if evidence else ())
        ],
        "question": evidence.question if evidence else None,
        "segments": [
            {"kind": kind, "start": start, "end": end, "text": text}
            for kind, start, end, text in story.segments
        ],
        "pairs": [_pair_record(pair) for pair in story.heard.pairs],
        "response": {
            "status": start.get("status"),
            "headers": [
                [name.decode("latin-1"), value.decode("latin-1")]
                for name, value in start.get("headers", ())
            ],
            "body": story.heard.body.decode("utf-8", "backslashreplace"),
        },
    }


def _exchange_lines(story: Story) -> Iterator[str]:
    route, saved, control = story.route, story.saved, story.standing.control
    wanted = f"; wanted enforce: {story.lacks}" if story.standing.degraded else ""
    mode = f"{control.mode}, share {control.share:g} (set by {story.standing.says}{wanted})"
    yield f"route[{story.position}] {visible(route.path)}: {mode}"
    methods = ", ".join(map(visible, route.methods))
    yield f"request: {visible(saved.method)} (gated: {methods}), {len(saved.request):,} bytes"
    types = [value for name, value in saved.headers if name.lower() == b"content-type"]
    media = visible(b", ".join(types).decode("latin-1"))
    yield f"response: {saved.status} {media}, {len(saved.response):,} bytes"


def _evidence_lines(heard: Heard) -> Iterator[str]:
    if heard.evidence is None:
        yield "evidence: the check never got that far"
        return
    if heard.evidence.question is not None:
        yield f"question asked: {_cut(heard.evidence.question)}"
    for passage in heard.evidence.passages:
        yield f"passage {visible(passage.id)}: {_cut(passage.text)}"
    if not heard.evidence.passages:
        yield "evidence: no passage"


def _decision_lines(story: Story) -> Iterator[str]:
    decision = story.heard.decision
    yield from verdict_lines(decision.verdict, elapsed_s=decision.check_s)
    budget_ms = story.route.budget_s * 1000
    late = " (over the budget here)" if decision.check_s > story.route.budget_s else ""
    yield f"time: {decision.check_s * 1000:.0f} ms of {budget_ms:g} ms{late}"
    for mode, action in story.actions.items():
        watching = f" (would {decision.would})" if mode == Mode.SHADOW else ""
        yield f"action when {mode}: {action}{watching}"
    start = story.heard.sent[0] if story.heard.sent else {}
    yield f"goes out when enforced: {start.get('status', 'nothing')}"
    yield _cut(story.heard.body.decode("utf-8", "backslashreplace"), longest=2_000)


def _trail_text(trail: str | Trail) -> str:
    if isinstance(trail, str):
        return visible(trail)
    if trail.is_found:
        return f"{visible(trail.pointer) or 'the whole'} is {visible(trail.there)}"
    stop = visible(trail.followed) or "the top"
    return f"{visible(trail.pointer)} leads nowhere; at {stop} is {visible(trail.there)}"


def _trail_record(trail: str | Trail) -> dict[str, object]:
    if isinstance(trail, str):
        return {"found": False, "fault": trail}
    return {
        "pointer": trail.pointer,
        "found": trail.is_found,
        "followed": trail.followed,
        "there": trail.there,
    }


def _score_text(pair: Pair) -> str:
    if not isinstance(pair.score, PairScore):
        return str(pair.score)
    return f"{pair.score.entailment:.2f} for, {pair.score.contradiction:.2f} against"


def _pair_record(pair: Pair) -> dict[str, object]:
    scored = isinstance(pair.score, PairScore)
    return {
        "premise": pair.premise,
        "hypothesis": pair.hypothesis,
        "support": pair.score.entailment if isinstance(pair.score, PairScore) else None,
        "contradiction": pair.score.contradiction if isinstance(pair.score, PairScore) else None,
        "unresolved": None if scored else str(pair.score),
    }


def _cut(text: str, *, longest: int = _LONGEST) -> str:
    shown = visible(text)
    return shown if len(shown) <= longest else f"{shown[:longest]}..."
