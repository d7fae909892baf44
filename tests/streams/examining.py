"""What holds of every stream that passes a gate sentence by sentence, good or damaged.

``python -m benchmarks.streams --random 5000`` plays and examines them by number, two at a time,
interleaved, in front of one app, model and gate.
"""

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from gatekeeper.protocols import Decision
from gatekeeper.verdict import Action, Outcome
from tests.streams.drawing import KINDS, Damage, Drawn, draw
from tests.streams.expecting import early, expect, released, shown_by
from tests.streams.instant import run
from tests.streams.reading import Read
from tests.streams.sayings import Noting, ends_of_marks, marks_in
from tests.streams.stage import MEDIA, WITHHELD, Seen, Stage, route

KEEP_ALIVE = b": keep-alive\n\n"
PATIENCE_S = 3600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """A stream, what a client got of it, and what was decided."""

    drawn: Drawn
    seen: Seen
    decision: Decision
    model: Noting

    @property
    def body(self) -> bytes:
        """What the client got, without signs of life."""
        return b"".join(body for body in self.seen.bodies if body != KEEP_ALIVE)


def examine(played: Played) -> str:
    """Hold a stream against all that is promised; returns in a word what came of it."""
    drawn, seen, decision = played.drawn, played.seen, played.decision
    died = drawn.damage is Damage.DIED
    assert isinstance(seen.raised, RuntimeError if died else type(None)), repr(seen.raised)
    assert seen.is_ended, "the response has no end"
    assert decision.enforced
    if KEEP_ALIVE in seen.bodies:
        assert MEDIA[drawn.kind] == "text/event-stream"
    _examine_times(played)
    if decision.action is Action.RELEASE:
        assert played.body == drawn.raw, "released, and not the app's bytes"
    else:
        _examine_stop(played)
    if drawn.is_good:
        _examine_good(played)
    return decision.verdict.reason or str(decision.verdict.outcome)


def _examine_times(played: Played) -> None:
    """Nothing went out before the model had supported every whole sentence in it."""
    is_good = played.drawn.is_good
    scored: dict[str, int] = {}
    for number, mark in enumerate(played.model.scored, 1):
        if is_good or mark not in scored:  # of damaged ones a sentence may come twice
            scored[mark] = number
    sends = []
    size = 0
    for message, scores, _ in played.seen.sends:
        body = message.get("body", b"")
        size += 0 if body == KEEP_ALIVE else len(body)
        sends.append((size, scores))
    read = shown_by(played.drawn.kind, played.body)
    # Of the whole text: what looked like a mark may have been the beginning of another word.
    marks = {choice: ends_of_marks(text) for choice, text in read.texts.items()}
    length = dict.fromkeys(marks, 0)
    for shown in read.shown:
        before = length[shown.choice]
        length[shown.choice] += len(shown.text.replace("\0", ""))
        for end, mark in marks[shown.choice]:
            if before < end <= length[shown.choice]:
                assert mark.endswith("ix"), f"{mark} is false, and was shown"
                assert mark in scored, f"{mark} was shown and never scored"
                assert scored[mark] <= early(shown, sends), f"{mark} was shown before its score"


def _examine_stop(played: Played) -> None:
    """What was let out is the beginning of what the app sent; the rest is the gate's own."""
    drawn, body = played.drawn, played.body
    if played.decision.action is Action.BLOCK and played.seen.status == 422:
        assert played.seen.headers["content-type"] == "application/problem+json"
        return
    size = released(drawn.kind, body, drawn.raw)
    read = shown_by(drawn.kind, body)
    let = " ".join(read.texts.values())
    assert all(mark in let for mark in marks_in(body[size:].decode("utf-8", "replace")))
    own: dict[int, str] = {}
    for shown in read.shown:
        if shown.start >= size:
            own[shown.choice] = own.get(shown.choice, "") + shown.text
    assert {text.strip() for text in own.values()} == {WITHHELD}, own
    assert is_ended(drawn.kind, read), "no end in the protocol's words"


def is_ended(kind: str, read: Read) -> bool:
    """Tell whether a client that reads this protocol knows that the answer is withheld."""
    match kind:
        case "chat":
            return read.ends[-1:] == ["[DONE]"] and "content_filter" in read.ends
        case "responses":
            return read.ends[-1:] == ["response.incomplete"]
        case "events" | "said" | "lines":
            return read.ends[-1:] == ["gatekeeper"]
        case _:
            return True


def _examine_good(played: Played) -> None:
    """A stream that is as it should be is released to the byte where its truth ends."""
    drawn = played.drawn
    expected = expect(drawn.kind, drawn.raw, dict(enumerate(drawn.sayings)))
    flagged = played.decision.verdict.outcome is Outcome.FLAGGED
    assert flagged is not drawn.is_true, played.decision.verdict
    if expected.is_whole:
        assert played.decision.action is Action.RELEASE
        return
    size = released(drawn.kind, played.body, drawn.raw)
    if len(drawn.sayings) == 1:
        assert size == expected.size, f"{size} bytes were released, not {expected.size}"
    assert size <= expected.size
    read = shown_by(drawn.kind, played.body)
    for choice, text in expected.texts.items():
        told = read.text(choice)
        is_untouched = told in ("", drawn.texts[choice]) and len(expected.texts) > 1
        assert told.endswith(WITHHELD) or is_untouched, told
        let = told.removesuffix(WITHHELD).removesuffix("\n\n")
        assert text.startswith((let, let.rstrip()))


def stage() -> Stage:
    """Return a gate in front of two streams of each kind."""
    return Stage(routes=[route(kind, path=f"/{kind}/{lane}") for kind in KINDS for lane in (0, 1)])


async def play(on: Stage, seeds: Sequence[int]) -> list[Played]:
    """Play streams at one time, each in a lane of its own."""
    drawn = [draw(seed) for seed in seeds]
    async with asyncio.timeout(PATIENCE_S):
        seen = await asyncio.gather(
            *(on.play(one.kind, one.steps, lane=lane) for lane, one in enumerate(drawn))
        )
    by_path = {decision.route: decision for decision in on.telemetry.decisions[-len(drawn) :]}
    assert len(on.telemetry.begun) == len(on.telemetry.decisions), "not decided once each"
    return [
        Played(drawn=one, seen=got, decision=by_path[f"/{one.kind}/{lane}"], model=on.model)
        for lane, (one, got) in enumerate(zip(drawn, seen, strict=True))
    ]


def examine_many(first: int, count: int) -> Counter[str]:
    """Play streams by number, two at a time, and examine each; returns what came of them.

    Raises:
        AssertionError: With the number of the first stream that does not hold.
    """
    found: Counter[str] = Counter()

    async def all_of_them() -> None:
        on = stage()
        for seed in range(first, first + count, 2):
            on.model.scored.clear()
            try:
                for played in await play(on, (seed, seed + 1)):
                    found[examine(played)] += 1
            except BaseException as error:
                error.add_note(f"python -m benchmarks.streams --random 2 --first {seed}")
                raise
            on.telemetry.begun.clear()
            on.telemetry.decisions.clear()

    run(all_of_them())
    return found
