"""Streams as servers write them: frames of each protocol, with the texts they carry."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

Deltas = tuple[tuple[int, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """Liberties that a protocol leaves to whoever writes it.

    ``spread`` puts each value of the JSON on a data line of its own; ``is_ascii`` escapes all
    else; ``named`` gives each event a name, an id and a comment before it.
    """

    eol: str = "\n"
    space: str = " "
    spread: bool = False
    is_ascii: bool = False
    named: bool = False

    def event(self, data: str, name: str = "") -> bytes:
        """Return one event of an event stream."""
        lines = [f"data:{self.space}{line}" for line in data.split("\n")]
        if self.named:
            lines = [
                ": a comment",
                f"id:{self.space}7",
                "retry: 3000",
                *lines,
                "unknown: field",
            ]
        if name:
            lines.insert(0, f"event:{self.space}{name}")
        return (self.eol.join(lines) + 2 * self.eol).encode("utf-8", "surrogatepass")

    def json(self, value: object) -> str:
        """Return a JSON text, on one line unless it is spread."""
        return json.dumps(
            value,
            ensure_ascii=self.is_ascii,
            indent=0 if self.spread else None,
            separators=(",", ": " if self.spread else ":"),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """Some bytes of a stream that belong together, and the texts they add, by choice."""

    raw: bytes
    deltas: Deltas = ()


def chat(texts: Sequence[Sequence[str]], style: Style, **more: Any) -> Iterator[Frame]:
    """Yield a chat completion as events; ``texts`` holds the pieces of each choice.

    Args:
        texts: The pieces of each choice; they are sent in turns.
        style: How the events are written.
        more: ``usage`` ends with a chunk about it, ``tools`` calls a tool in the last choice.
    """
    yield _chunk(style, [_delta(n, role="assistant", content="") for n in range(len(texts))])
    for turn in range(max(map(len, texts))):
        for choice, pieces in enumerate(texts):
            if turn < len(pieces):
                piece = pieces[turn]
                yield _chunk(style, [_delta(choice, content=piece)], ((choice, piece),))
    if more.get("tools"):
        call = {"name": "look_up", "arguments": '{"page": "The opening hours."}'}
        tool = {"index": 0, "id": "call_1", "type": "function", "function": call}
        yield _chunk(style, [_delta(len(texts) - 1, tool_calls=[tool])])
    for choice in range(len(texts)):
        yield _chunk(style, [_delta(choice) | {"finish_reason": "stop"}])
    if more.get("usage"):
        yield _chunk(style, [], usage={"prompt_tokens": 9, "completion_tokens": 5})
    yield Frame(raw=style.event("[DONE]"))


def _delta(choice: int, **delta: object) -> dict[str, object]:
    return {"index": choice, "delta": delta, "logprobs": None, "finish_reason": None}


def _chunk(
    style: Style, choices: list[dict[str, object]], deltas: Deltas = (), **more: object
) -> Frame:
    head = {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "m-1",
    }
    data = style.json({**head, "choices": choices, **more})
    return Frame(raw=style.event(data), deltas=deltas)


def responses(texts: Sequence[Sequence[str]], style: Style, **more: Any) -> Iterator[Frame]:
    """Yield a stream of the Responses API; each text is an output item of its own."""
    yield _typed(style, 0, "response.created", response=_response("in_progress", []))
    number = 1
    done = []
    for item, pieces in enumerate(texts):
        place = {"item_id": f"msg_{item}", "output_index": item, "content_index": 0}
        opened, whole = _message(item, []), "".join(pieces)
        part = {"type": "output_text", "text": whole, "annotations": []}
        done.append(_message(item, [part]))
        events: list[tuple[str, Mapping[str, object], Deltas]] = [
            ("response.output_item.added", {"output_index": item, "item": opened}, ()),
            (
                "response.content_part.added",
                {**place, "part": {**part, "text": ""}},
                (),
            ),
            *(
                (
                    "response.output_text.delta",
                    {**place, "delta": piece},
                    ((item, piece),),
                )
                for piece in pieces
            ),
            ("response.output_text.done", {**place, "text": whole}, ()),
            ("response.content_part.done", {**place, "part": part}, ()),
            ("response.output_item.done", {"output_index": item, "item": done[-1]}, ()),
        ]
        for name, fields, deltas in events:
            yield _typed(style, number, name, deltas, **fields)
            number += 1
    yield _typed(style, number, "response.completed", response=_response("completed", done))


def _typed(style: Style, number: int, name: str, deltas: Deltas = (), **fields: object) -> Frame:
    data = style.json({"type": name, "sequence_number": number, **fields})
    return Frame(raw=style.event(data, name), deltas=deltas)


def _message(item: int, content: list[object]) -> dict[str, object]:
    status = "completed" if content else "in_progress"
    head = {
        "id": f"msg_{item}",
        "type": "message",
        "role": "assistant",
        "status": status,
    }
    return {**head, "content": content}


def _response(status: str, output: list[dict[str, object]]) -> dict[str, object]:
    head = {"id": "resp_1", "object": "response", "created_at": 1, "model": "m-1"}
    return {**head, "status": status, "output": output, "error": None}


def events(texts: Sequence[Sequence[str]], style: Style, **more: Any) -> Iterator[Frame]:
    """Yield a plain event stream of JSON with the text at ``/delta/text``."""
    yield Frame(raw=style.event(style.json({"type": "start", "took": 12}), "meta"))
    for piece in texts[0]:
        data = style.json({"type": "text", "delta": {"text": piece}})
        yield Frame(raw=style.event(data), deltas=((0, piece),))
    yield Frame(raw=style.event(style.json({"type": "end"}), "meta"))


def said(texts: Sequence[Sequence[str]], style: Style, **more: Any) -> Iterator[Frame]:
    """Yield a plain event stream whose data are the text; a reader takes one blank off it."""
    spaced = replace(style, space=" ")
    for piece in texts[0]:
        yield Frame(raw=spaced.event(piece), deltas=((0, piece),))
    yield Frame(raw=style.event("[DONE]"))


def lines(texts: Sequence[Sequence[str]], style: Style, **more: Any) -> Iterator[Frame]:
    """Yield JSON lines with the text at ``/delta/text``."""
    eol = "\r\n" if style.eol == "\r\n" else "\n"
    flat = Style(is_ascii=style.is_ascii)
    yield Frame(raw=(flat.json({"type": "start"}) + eol).encode())
    for piece in texts[0]:
        data = flat.json({"type": "text", "delta": {"text": piece}})
        yield Frame(raw=(data + eol).encode("utf-8", "surrogatepass"), deltas=((0, piece),))
    yield Frame(raw=(flat.json({"type": "end", "delta": None}) + eol).encode())


def plain(texts: Sequence[Sequence[str]], style: Style, **more: Any) -> Iterator[Frame]:
    """Yield text and nothing else."""
    for piece in texts[0]:
        yield Frame(raw=piece.encode("utf-8", "surrogatepass"), deltas=((0, piece),))


WRITERS: dict[str, Callable[..., Iterator[Frame]]] = {
    "chat": chat,
    "responses": responses,
    "events": events,
    "said": said,
    "lines": lines,
    "plain": plain,
}
