"""What a client should get of a stream released sentence by sentence, worked out from its bytes.

Reads with the clients' readers only, knows which sentences are false, and knows nothing of how
the gate works.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tests.streams.reading import READERS, Read, Shown, blocks
from tests.streams.sayings import Saying, spans
from tests.streams.stage import MEDIA

Told = Mapping[int, Sequence[Saying]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """How many bytes of a stream may be released, and the text of each choice in them."""

    size: int
    texts: Mapping[int, str]
    is_whole: bool


def expect(kind: str, raw: bytes, told: Told) -> Expected:
    """Return what is released of a good stream.

    Args:
        kind: The protocol.
        raw: All bytes of the app.
        told: The sentences of each choice, in order.
    """
    read = READERS[kind](raw)
    decided = {choice: _until(read.text(choice), sayings) for choice, sayings in told.items()}
    texts = dict.fromkeys(told, "")
    for shown in read.shown:
        text = texts[shown.choice] + shown.text
        if len(text) > decided[shown.choice]:
            return Expected(size=shown.start, texts=texts, is_whole=False)
        texts[shown.choice] = text
    return Expected(size=len(raw), texts=texts, is_whole=True)


def _until(text: str, sayings: Sequence[Saying]) -> int:
    """Return how much of a text stands before its first false sentence."""
    starts = [start for start, _, saying in spans(sayings, text) if not saying.is_true]
    return min(starts, default=len(text))


def released(kind: str, body: bytes, raw: bytes) -> int:
    """Return how many bytes of the app a body begins with, up to the end of a frame.

    What the gate says itself may begin as the app's next frame does. A frame that nothing ended
    goes out with a body that is let go whole, and with no other.
    """
    size = next(
        (n for n, two in enumerate(zip(body, raw, strict=False)) if two[0] != two[1]),
        None,
    )
    size = min(len(body), len(raw)) if size is None else size
    if body == raw or kind == "plain":
        return size
    return max((end for end in frame_ends(kind, raw) if end <= size), default=0)


def frame_ends(kind: str, raw: bytes) -> list[int]:
    """Return the offset after each frame: an event, a line, a word."""
    if MEDIA[kind] == "text/event-stream":
        return [end for _, end, _, _ in blocks(raw)]
    between = b" " if kind == "plain" else b"\n"
    return [at + 1 for at in range(len(raw)) if raw[at : at + 1] == between]


def shown_by(kind: str, body: bytes) -> Read:
    """Return what a client makes of a body."""
    return READERS[kind](body)


def early(shown: Shown, sends: Sequence[tuple[int, int]]) -> int:
    """Return how many scores there were when the first byte of a frame went out.

    Args:
        shown: A frame, by its place in the body.
        sends: How many bytes were out after each message, and how many scores there were.
    """
    return next(scores for size, scores in sends if size > shown.start)
