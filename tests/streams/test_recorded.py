"""Recorded streams come out the same however they were cut, and end where their truth ends."""

import asyncio
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import pytest

from gatekeeper.policy import Mode, StreamMode
from gatekeeper.verdict import Action, NotCheckedReason, Outcome
from tests.streams.cutting import Got, cut_everywhere, got, play, stage
from tests.streams.examining import is_ended
from tests.streams.expecting import expect, released, shown_by
from tests.streams.instant import run
from tests.streams.recorded import Recorded, load
from tests.streams.sayings import Scripted
from tests.streams.stage import ANSWERS, MEDIA, WITHHELD, Stage, route

RECORDED = [one for one in load() if one.kind in ANSWERS]
CHECKED = [one for one in RECORDED if one.not_checked is None]
SCRIPTED = [
    pytest.param(one, false, id=f"{one.name}-{'-'.join(sorted(false)) or 'true'}")
    for one in CHECKED
    for false in one.scripts()
]


def named(one: Recorded) -> str:
    """Return the name a test shows."""
    return one.name


def test_every_cut_gives_the_same() -> None:
    """Networks cut where they like: verdict, headers and each byte must not depend on it."""
    scripts = [(one.name, list(one.scripts())[-1]) for one in RECORDED]

    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        counts = list(pool.map(cut_everywhere, *zip(*scripts, strict=True)))

    assert counts == [len(one.raw) for one in RECORDED]


@pytest.mark.parametrize(("recorded", "false"), SCRIPTED)
def test_stream_is_released_to_where_its_truth_ends(
    recorded: Recorded, false: frozenset[str]
) -> None:
    """A client has all of the app's bytes before the first false sentence, and none after it."""
    expected = expect(recorded.kind, recorded.raw, recorded.told(false))

    whole = play(stage(recorded, false), recorded.kind, [recorded.raw])

    assert (whole.outcome is Outcome.FLAGGED) == bool(false)
    assert whole.status == 200
    if not false:
        assert (whole.body, whole.action) == (recorded.raw, Action.RELEASE)
        return
    size = released(recorded.kind, whole.body, recorded.raw)
    read = shown_by(recorded.kind, whole.body)
    assert size == expected.size
    assert is_ended(recorded.kind, read)
    for choice, text in expected.texts.items():
        assert read.text(choice) == (f"{text}\n\n{WITHHELD}" if text else WITHHELD)


@pytest.mark.parametrize("recorded", CHECKED, ids=named)
def test_nothing_is_shown_before_it_is_scored(recorded: Recorded) -> None:
    """A byte at a time: what has gone out by then was supported by then."""
    on = stage(recorded)

    seen = run(on.play(recorded.kind, [bytes([byte]) for byte in recorded.raw]))

    model = on.model
    assert isinstance(model, Scripted)
    body, sentences = b"", [text for texts in recorded.choices for text in texts]
    for message, scores, _ in seen.sends:
        body += message.get("body", b"")
        texts = shown_by(recorded.kind, body).texts.values()
        for sentence in sentences:
            if sentence not in recorded.exempt and any(sentence in text for text in texts):
                assert model.words(sentence) in model.scored[:scores]
    assert body == recorded.raw


def test_streams_at_the_same_time_do_not_mix() -> None:
    """All of them through one gate, byte by byte in turns: each as if it were alone."""
    scripts = [(one, list(one.scripts())[-1]) for one in RECORDED]
    false = frozenset[str]().union(*(false for _, false in scripts))
    lanes = [route(one.kind, path=f"/{one.kind}/{n}") for n, (one, _) in enumerate(scripts)]
    passages = [one.passage for one, _ in scripts]
    together = Stage(routes=lanes, model=Scripted(false), passages=passages)

    async def all_at_once() -> list[Got]:
        seen = await asyncio.gather(
            *(
                together.play(one.kind, [bytes([byte]) for byte in one.raw], lane=n)
                for n, (one, _) in enumerate(scripts)
            )
        )
        decisions = {decision.route: decision for decision in together.telemetry.decisions}
        return [got(one, decisions[lane.path]) for one, lane in zip(seen, lanes, strict=True)]

    alone = [play(stage(one, false), one.kind, [one.raw]) for one, false in scripts]
    assert run(all_at_once()) == alone


@pytest.mark.parametrize("recorded", RECORDED, ids=named)
@pytest.mark.parametrize("changes", [{"mode": Mode.SHADOW}, {"stream": StreamMode.WHOLE}])
def test_whole_streams_do_not_depend_on_cuts(recorded: Recorded, changes: dict[str, str]) -> None:
    """What is read at the end, or afterwards, is read alike."""
    false = list(recorded.scripts())[-1]
    on = stage(recorded, false, **changes)

    whole = play(on, recorded.kind, [recorded.raw])

    assert play(on, recorded.kind, [bytes([byte]) for byte in recorded.raw]) == whole
    if changes.get("mode") is Mode.SHADOW:
        assert whole.body == recorded.raw


@pytest.mark.parametrize(
    "recorded", [one for one in RECORDED if one.not_checked], ids=lambda one: one.name
)
def test_call_of_a_tool_is_never_a_checked_answer(recorded: Recorded) -> None:
    """What a tool is told was compared with nothing: it goes out only if the policy says so."""
    held = play(stage(recorded), recorded.kind, [recorded.raw])

    assert held.reason == NotCheckedReason.NO_TEXT
    assert held.action is not Action.RELEASE
    assert b"tool_calls" not in held.body


@pytest.mark.parametrize("recorded", CHECKED, ids=named)
@pytest.mark.parametrize("silence_s", [16.0, 100.0])
def test_silent_stream_shows_signs_of_life(recorded: Recorded, silence_s: float) -> None:
    """Proxies cut what is silent; a comment between events says that somebody is there."""
    raw, half = recorded.raw, len(recorded.raw) // 2

    seen = run(stage(recorded).play(recorded.kind, [raw[:half], silence_s, raw[half:]]))

    signs = seen.bodies.count(b": keep-alive\n\n")
    assert signs == (int(silence_s / 15) if MEDIA[recorded.kind] == "text/event-stream" else 0)
    assert b"".join(body for body in seen.bodies if body != b": keep-alive\n\n") == raw


@pytest.mark.parametrize("recorded", CHECKED, ids=named)
def test_client_may_leave_at_any_message(recorded: Recorded) -> None:
    """It is counted as gone, once, and nobody is left waiting."""
    on = stage(recorded)
    steps = [bytes([byte]) for byte in recorded.raw]
    messages = len(run(on.play(recorded.kind, steps)).sends)

    for leaves_after in range(1, messages):
        run(on.play(recorded.kind, steps, leaves_after=leaves_after))
        assert (on.last.verdict.reason, on.last.action) == (
            NotCheckedReason.CLIENT_GONE,
            None,
        )


@pytest.mark.parametrize("recorded", CHECKED, ids=named)
def test_app_may_die_at_any_frame(recorded: Recorded) -> None:
    """The client gets no more than was supported, an end in the protocol's words, no error."""
    on = stage(recorded)
    step = max(1, len(recorded.raw) // 20)

    for size in range(step, len(recorded.raw), step):
        death = RuntimeError("the app died")
        seen = run(on.play(recorded.kind, [recorded.raw[:size], death]))
        assert seen.raised is death
        assert seen.is_ended
        assert on.last.verdict.reason == NotCheckedReason.APP_ERROR
        kept = released(recorded.kind, seen.body, recorded.raw)
        assert kept <= size
        if seen.status == 200:
            assert is_ended(recorded.kind, shown_by(recorded.kind, seen.body))
