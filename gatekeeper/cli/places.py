"""Each place a route names, looked up in a saved exchange."""

from collections.abc import Iterable, Iterator, Mapping

from gatekeeper.cli.replay import Saved
from gatekeeper.cli.trails import Trail, document, follow, items, keys, kind, text_fault
from gatekeeper.policy import LastMessage, RequestSource, ResponseSource, Route, Shape, StateSource

# What was found at a place, or in words why nothing can be.
Looked = tuple[str, str | Trail]

# A body as JSON, or None and why it is none.
_Body = tuple[object, str | None]

_FIRST: dict[str, str] = {
    Shape.OPENAI_CHAT: "/choices/0/message/content",
    Shape.OPENAI_RESPONSES: "/output/0/content/0/text",
}
_MESSAGES = "/messages"
_SENT = "this is what the gate sent, not the app; save the app's response before it"


def looked_up(route: Route, saved: Saved) -> Iterator[Looked]:
    """Yield the places with what stands there, in the order of the policy."""
    headers = {name.lower(): value for name, value in saved.headers}
    coding = headers.get(b"content-encoding", b"").decode("latin-1")
    response = document(saved.response, coding, route.bounds)
    request: _Body = (None, "there is none; give it with --request FILE")
    if saved.request:
        request = document(saved.request, "", route.bounds)
    yield from _whose(route, saved, response[0])
    if route.answer is not Shape.PLAIN:
        yield "answer", _trail(response, _FIRST.get(route.answer, route.answer))
    if route.question is not None:
        question = route.question
        pointer = question.pointer if isinstance(question, LastMessage) else question
        yield "question", _trail(request, pointer)
    for position, source in enumerate(route.context):
        place = f"context[{position}]"
        match source:
            case ResponseSource():
                yield from _in_body(place, "response", response, source)
            case RequestSource():
                yield from _in_body(place, "request", request, source)
            case StateSource():
                yield from _in_state(place, saved.state, source)


def _whose(route: Route, saved: Saved, body: object) -> Iterator[Looked]:
    """Yield that a response has been through the gate, by its header, member or notice."""
    member = body.get("gatekeeper") if isinstance(body, dict) else None
    is_marked = any(name.lower() == b"gatekeeper-id" for name, _ in saved.headers)
    if route.answer is Shape.PLAIN:
        answers: Iterable[object] = [saved.response.decode(errors="replace")]
    else:
        answers = items(body, _FIRST.get(route.answer, route.answer))
    if is_marked or (isinstance(member, dict) and "id" in member) or route.withheld_text in answers:
        yield "response", _SENT


def _in_body(
    place: str, name: str, body: _Body, source: ResponseSource | RequestSource
) -> Iterator[Looked]:
    is_chat = isinstance(source, RequestSource) and bool(source.roles)
    pointer = source.pointer or (_MESSAGES if is_chat else "")
    trail = _trail(body, pointer)
    yield f"{place} {name}", trail
    if isinstance(trail, Trail) and trail.is_found and not is_chat:
        yield from _in_passages(place, items(body[0], pointer), source.text)


def _in_state(place: str, state: Mapping[str, object], source: StateSource) -> Iterator[Looked]:
    name, value = source.name, state.get(source.name)
    if value is None:
        there = keys(list(state)) or "none"
        found = f"nothing named {name}; give it with --state FILE (keys there: {there})"
        yield f"{place} state", found
        return
    yield f"{place} state", Trail(pointer=name, followed=name, there=kind(value))
    yield from _in_passages(place, items(value, ""), source.text)


def _in_passages(place: str, passages: Iterator[object], text: str | None) -> Iterator[Looked]:
    fault = text_fault(passages, text)
    if fault is not None:
        yield f"{place}.text", fault


def _trail(body: _Body, pointer: str) -> str | Trail:
    value, fault = body
    return f"the body can't be read: {fault}" if fault else follow(value, pointer)
