"""The page on streams shows bytes that were sent."""

from pathlib import Path
from textwrap import indent
from typing import Any

import pytest

from gatekeeper.policy import Expose, Shape, StreamMode
from tests.asgi.streams.staging import EVENTS, LINES, chunk, desk, streaming
from tests.asgi.wire import App

PAGE = (Path(__file__).parents[3] / "docs" / "streams.md").read_text(encoding="utf-8")

CHAT = [
    chunk("Refunds take 14 days.", role="assistant"),
    chunk(" The gate is tall."),
    chunk(finish="stop"),
    b"data: [DONE]\n\n",
]
EVENT = [b'data: {"delta":"Refunds take 14 days."}\n\n', b'data: {"delta":" It is tall."}\n\n']
LINE = [b'{"delta":"Refunds take 14 days."}\n', b'{"delta":" The gate is tall."}\n']
POINTED: dict[str, Any] = {"answer": "/answer", "stream_answer": "/delta"}
ONLY_CHAT: dict[str, Any] = {}


def sent(app: App, changes: dict[str, Any]) -> str:
    """Return the body a client gets."""
    text = "This answer was withheld."
    return desk(app, withheld_text=text, **changes).get().body.decode().strip()


@pytest.mark.parametrize(
    ("parts", "media", "changes"),
    [
        (CHAT, EVENTS, ONLY_CHAT),
        (CHAT, EVENTS, {"stream": StreamMode.WHOLE}),
        ([chunk("Refunds take 14 days."), *CHAT[2:]], EVENTS, {"expose": Expose.VERDICT}),
        (EVENT, EVENTS, POINTED),
        (LINE, LINES, POINTED),
        ([b"Refunds take 14 days. It is tall."], "text/plain", {"answer": Shape.PLAIN}),
    ],
    ids=["chat", "whole", "released", "events", "lines", "text"],
)
def test_bytes_on_the_page_are_those_sent(
    parts: list[bytes], media: str, changes: dict[str, Any]
) -> None:
    """Who writes a client reads the page."""
    block = indent(sent(streaming(parts, media=media), changes), "    ")

    assert f"\n\n{block}\n\n" in PAGE, block
