"""Frames: the same whatever the cutting, and no byte lost."""

import itertools
from collections.abc import Callable, Iterable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gatekeeper.asgi.streams.frames import EventFrames, Frame, Frames, LineFrames, TextFrames

KINDS: list[Callable[[], Frames]] = [EventFrames, LineFrames, lambda: TextFrames("utf-8")]
IDS = ["events", "lines", "text"]

pieces = st.lists(
    st.sampled_from(
        (
            *(b"data: a", b"data:b", b"data", b": c", b"event: e", b"\n", b"\r", b"\r\n", b"\n\n"),
            *("\u2028".encode(), "\x85".encode(), "\u00e9".encode(), b"\xff", b"\xef\xbb\xbf"),
        )
    ),
    max_size=20,
)


def cut(kind: Callable[[], Frames], chunks: Iterable[bytes]) -> list[Frame]:
    """Cut a stream that comes in chunks."""
    frames = kind()
    found = [frame for chunk in chunks for frame in frames.feed(chunk)]
    return [*found, *frames.finish()]


@pytest.mark.parametrize("kind", KINDS[:2], ids=IDS[:2])
@settings(deadline=None, derandomize=True, max_examples=100)
@given(stream=pieces.map(b"".join), places=st.lists(st.integers(0, 80), max_size=6))
def test_every_cutting_gives_the_same_frames(
    kind: Callable[[], Frames], stream: bytes, places: list[int]
) -> None:
    """Networks cut where they like."""
    ends = sorted({min(place, len(stream)) for place in places} | {0, len(stream)})
    chunks = [stream[a:b] for a, b in itertools.pairwise(ends)]

    whole = cut(kind, [stream])

    assert cut(kind, chunks) == whole
    assert cut(kind, [bytes([byte]) for byte in stream]) == whole


@pytest.mark.parametrize("kind", KINDS, ids=IDS)
@settings(deadline=None, derandomize=True, max_examples=100)
@given(stream=pieces.map(b"".join), place=st.integers(0, 80))
def test_no_byte_is_lost(kind: Callable[[], Frames], stream: bytes, place: int) -> None:
    """What goes out is what came in."""
    frames = cut(kind, [stream[:place], stream[place:]])

    assert b"".join(frame.raw for frame in frames) == stream


@pytest.mark.parametrize("kind", KINDS, ids=IDS)
@settings(deadline=None, derandomize=True, max_examples=100)
@given(stream=pieces.map(b"".join), place=st.integers(0, 80), most=st.integers(1, 10))
def test_no_byte_is_lost_where_cutting_stops(
    kind: Callable[[], Frames], stream: bytes, place: int, most: int
) -> None:
    """What is let go unread goes out whole, also from the middle of a piece."""
    frames = kind()
    came = list(frames.feed(stream[:place]))
    came += itertools.islice(frames.feed(stream[place:]), most)

    assert b"".join(frame.raw for frame in came) + frames.rest() == stream


def data(stream: bytes) -> list[tuple[str, str | None]]:
    """Return name and data of each event."""
    return [(frame.name, frame.data) for frame in cut(EventFrames, [stream])]


@pytest.mark.parametrize(
    ("stream", "found"),
    [
        (b"data: a\n\n", [("", "a")]),
        (b"data:a\r\r", [("", "a")]),
        (b"data:  a\r\n\r\n", [("", " a")]),
        (b"data: a\ndata: b\n\n", [("", "a\nb")]),
        (b"data\n\n", [("", "")]),
        (b"event: x\ndata: a\n\ndata: b\n\n", [("x", "a"), ("", "b")]),
        (b"\xef\xbb\xbfdata: a\n\n", [("", "a")]),
        (b": only a comment\n\n", [("", None)]),
        ("data: a\u2028b\x85c\n\n".encode(), [("", "a\u2028b\x85c")]),
        (b"data: cut", [("", "cut")]),
        (b"datax: a\nid: 1\n\n", [("", None)]),
    ],
)
def test_events_are_read_as_browsers_do(stream: bytes, found: list[tuple[str, str | None]]) -> None:
    """Line ends are CR, LF and CRLF and nothing else; one blank behind the colon goes."""
    assert data(stream) == found


def test_event_ends_with_its_own_line_feed() -> None:
    """Many clients read an event only once the LF of its last CRLF is there."""
    frames = EventFrames()

    first = list(frames.feed(b"data: a\r\n\r"))
    second = list(frames.feed(b"\ndata: b"))

    assert first == []
    assert [frame.raw for frame in second] == [b"data: a\r\n\r\n"]
    assert frames.pending == len(b"data: b")


def test_lines_of_json_end_at_line_feeds_only() -> None:
    """To JSON a CR is a blank; a line with one in it is marked."""
    frames = cut(LineFrames, [b'{"a":\r1}\r\n', "{}\u2028\n".encode(), b"\n"])

    assert [(frame.data, frame.name) for frame in frames] == [
        ('{"a":\r1}', "cr"),
        ("{}\u2028", ""),
        (None, ""),
    ]


def test_broken_text_has_no_data() -> None:
    """Its bytes are kept, for the policy may let them go."""
    frames = cut(lambda: TextFrames("utf-8"), [b"a\xe2\x82", b"b", b"c"])
    at_once = cut(lambda: TextFrames("utf-8"), [b"a\xe2\x82bc"])

    assert [(frame.raw, frame.data) for frame in frames] == [
        (b"a", "a"),
        (b"\xe2\x82b", None),
        (b"c", None),
    ]
    assert [(frame.raw, frame.data) for frame in at_once] == [(b"a", "a"), (b"\xe2\x82bc", None)]
