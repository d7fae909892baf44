"""The help desk as an app: retrieval, the stand-in generator, and nothing about a gate.

A body may hold ``invent`` ("none", "number", "policy" or "step"); without it the question decides
what the stand-in makes up, if anything.
"""

import asyncio
import json
import re
from collections.abc import AsyncIterator
from datetime import UTC, datetime

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from gatekeeper.demo.documents import Document, documents, script
from gatekeeper.demo.generator import Invention, answer, embellish, invention_for
from gatekeeper.demo.retrieval import Index

MODEL = "stand-in-1"
PASSAGES = 3
PACE_S = 0.02  # between two words of a stream


class _BadRequestError(Exception):
    """The body is not what the endpoint takes; the text says what it is."""


def help_desk() -> Starlette:
    """Return the app without a gate."""
    desk = _HelpDesk()
    return Starlette(
        routes=[
            Route("/v1/answer", desk.answer, methods=["POST"]),
            Route("/v1/answer-in-a-hurry", desk.answer, methods=["POST"]),
            Route("/v1/chat/completions", desk.chat, methods=["POST"]),
            Route("/v1/live/chat/completions", desk.chat, methods=["POST"]),
            Route("/v1/ticket-summary", desk.ticket_summary, methods=["POST"]),
            Route("/healthz", desk.health),
        ],
        exception_handlers={_BadRequestError: _bad_request},
    )


class _HelpDesk:
    """The endpoints and what they share: an index over the pages, the tickets by number."""

    def __init__(self) -> None:
        self._index = Index([document for document in documents() if not document.is_ticket])
        self._tickets = {document.id: document for document in documents() if document.is_ticket}

    async def answer(self, request: Request) -> Response:
        """Answer a question and show the pages the answer should come from."""
        body = await _body(request)
        question = _text(body, "question")
        found = self._index.search(question, most=PASSAGES)
        text = answer(question, found, script(), _invention(body, question))
        return JSONResponse({"answer": text, "contexts": _passages(found)})

    async def chat(self, request: Request) -> Response:
        """Answer the last message in the shape of OpenAI's API; the pages stay on the server."""
        body = await _body(request)
        question = _last_message(body)
        found = self._index.search(question, most=PASSAGES)
        request.state.passages = _passages(found)
        text = answer(question, found, script(), _invention(body, question))
        head = {"id": "chatcmpl-demo", "created": int(datetime.now(UTC).timestamp())}
        if body.get("stream"):
            return StreamingResponse(_chunks(head, text), media_type="text/event-stream")
        message = {"role": "assistant", "content": text}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        whole = {**head, "object": "chat.completion", "model": MODEL, "choices": [choice]}
        return JSONResponse(whole)

    async def ticket_summary(self, request: Request) -> Response:
        """Sum up a ticket; its text is left in ``request.state`` for whoever checks."""
        body = await _body(request)
        number = _text(body, "ticket")
        if number not in self._tickets:
            return JSONResponse({"error": f"no ticket {number}"}, status_code=404)
        request.state.ticket = self._tickets[number].text
        text = script().summaries[number]
        text = embellish(text, number, script(), _invention(body, number))
        return JSONResponse({"ticket": number, "summary": text})

    async def health(self, request: Request) -> Response:
        """Say that the process answers."""
        return JSONResponse({"status": "ok"})


async def _chunks(head: dict[str, object], text: str) -> AsyncIterator[str]:
    """Yield an answer word by word, at the pace of a model, as events of OpenAI's API."""
    deltas: list[dict[str, str]] = [{"role": "assistant", "content": ""}]
    deltas += [{"content": word} for word in re.findall(r"\s*\S+", text)]
    for delta in [*deltas, {}]:
        choice = {"index": 0, "delta": delta, "finish_reason": None if delta else "stop"}
        chunk = {**head, "object": "chat.completion.chunk", "model": MODEL, "choices": [choice]}
        yield f"data: {json.dumps(chunk)}\n\n"
        await asyncio.sleep(PACE_S)
    yield "data: [DONE]\n\n"


async def _body(request: Request) -> dict[str, object]:
    try:
        body = await request.json()
    except (json.JSONDecodeError, UnicodeDecodeError):
        raise _BadRequestError("the body is no JSON") from None
    if not isinstance(body, dict):
        raise _BadRequestError("the body is no JSON object")
    return body


def _text(body: dict[str, object], key: str) -> str:
    value = body.get(key)
    if not isinstance(value, str) or not value.strip():
        raise _BadRequestError(f'the body needs "{key}", a string')
    return value


def _invention(body: dict[str, object], seed: str) -> Invention:
    asked = body.get("invent")
    if asked is None:
        return invention_for(seed)
    try:
        return Invention(str(asked))
    except ValueError:
        raise _BadRequestError(f'"invent" is one of {", ".join(Invention)}') from None


def _last_message(body: dict[str, object]) -> str:
    messages = body.get("messages")
    last = messages[-1] if isinstance(messages, list) and messages else None
    content = last.get("content") if isinstance(last, dict) else None
    if not isinstance(content, str) or not content.strip():
        raise _BadRequestError('the body needs "messages", the last one with a text')
    return content


def _passages(found: tuple[Document, ...]) -> list[dict[str, str]]:
    return [{"id": document.id, "text": document.text} for document in found]


async def _bad_request(request: Request, error: Exception) -> Response:
    return JSONResponse({"error": str(error)}, status_code=400)
