"""One gated request: its messages on their way, decided once in whatever way it ends.

What a message meets depends on what came before it, so the state is the method that takes the
next one. Bytes, permits and tasks are given back when the app is done.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from gatekeeper.asgi.checks import unchecked
from gatekeeper.asgi.hold import Hold
from gatekeeper.asgi.request import narrowed
from gatekeeper.asgi.response import Head, look
from gatekeeper.asgi.rulings import rule
from gatekeeper.asgi.shadow import Copy
from gatekeeper.asgi.streams.flow import Flow
from gatekeeper.asgi.streams.timed import TimedHold
from gatekeeper.policy import StreamMode
from gatekeeper.verdict import Action, NotCheckedReason

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message

    from gatekeeper.asgi.call import Call

_START = "http.response.start"

# They come beside the response, hold no part of its body, and may come before its start.
_HINTS = frozenset({"http.response.early_hint", "http.response.push"})
_KNOWN = frozenset({_START, "http.response.body", "http.response.trailers"})


class Responder:
    """Serves one gated request with an app."""

    def __init__(self, call: "Call") -> None:
        self._call = call
        self._take: Callable[[Message], Awaitable[None]] = self._before
        self._hold: Hold | TimedHold | Flow | None = None
        self._copy: Copy | None = None

    async def run(self, app: "ASGIApp") -> None:
        """Run the app; whatever it raises is raised once its answer has been dealt with.

        Cancelled before the decision, the client is counted as gone.
        """
        call = self._call
        if call.is_assigned_early:
            await call.assign()
        scope = narrowed(call.scope) if call.may_enforce else call.scope
        try:
            if call.may_enforce:
                await call.services.turns.take()
            await app(scope, call.receiver, self._send)
        except asyncio.CancelledError:
            self._record(NotCheckedReason.CLIENT_GONE, None)
            raise
        finally:
            # What the app has put into its copy of the scope is there for those outside the gate.
            call.scope.update({key: scope[key] for key in scope.keys() - call.scope.keys()})
            try:
                await self._end()
            finally:
                self._give_back()

    async def _send(self, message: "Message") -> None:
        """Take a message from the app: the ``send`` it is given."""
        if message["type"] in _HINTS:
            await self._call.send(message)
        else:
            await self._take(message)

    async def _before(self, message: "Message") -> None:
        """Take what comes before the start, and the start."""
        kind = message["type"]
        if kind == _START and message["status"] >= 200:
            await self._start(message)
        elif kind in _KNOWN:
            await self._call.send(message)
        else:
            await self._odd(message)

    async def _start(self, message: "Message") -> None:
        """Decide by status, method and type whether there is a body to read."""
        call = self._call
        # The headers may be an iterator: they are read here and sent later.
        head = look({**message, "headers": list(message.get("headers", ()))})
        is_enforced = await call.assign()
        reason = head.hindrance(call.route, call.method)
        if reason is not None and head.is_bodiless(call.method):
            self._record(reason, Action.RELEASE, would=Action.RELEASE)
            self._take = self._emptied if is_enforced else self._call.send
            await self._call.send(head.start)
        elif not is_enforced:
            await self._watch(head, reason)
        else:
            self._hold = _holding(call, head, reason)
            self._take = self._hold.take
            if reason is not None:
                await self._hold.refuse(reason)

    async def _emptied(self, message: "Message") -> None:
        """Send what belongs to a response without a body, and none of a body the app gives it.

        Not every server drops it: one sends it on for HEAD over HTTP/2, all of them for 205.
        """
        kind = message["type"]
        if kind == "http.response.body":
            await self._call.send({**message, "body": b""})
        elif kind in _KNOWN:
            await self._call.send(message)

    async def _watch(self, head: Head, reason: NotCheckedReason | None) -> None:
        """Pass the start on, and copy what follows if it is an answer."""
        if reason is None:
            self._copy = Copy(self._call, head)
            self._take = self._copy.take
            await self._call.send(head.start)
        else:
            self._record(reason, Action.RELEASE)
            await self._pass(head.start)

    async def _odd(self, message: "Message") -> None:
        """Take a message of unknown type in place of a start: it may be the whole answer."""
        if not await self._call.assign():
            self._record(NotCheckedReason.MESSAGE_TYPE, Action.RELEASE)
            await self._pass(message)
            return
        nothing = look({"type": _START, "status": 200})
        self._hold = Hold(self._call, nothing, message)
        self._take = self._hold.take
        await self._hold.refuse(NotCheckedReason.MESSAGE_TYPE)

    async def _pass(self, message: "Message") -> None:
        """Send this message and all that follow as they are."""
        self._take = self._call.send
        await self._call.send(message)

    async def _end(self) -> None:
        """Deal with an answer that the app has left without an end."""
        call = self._call
        if isinstance(self._hold, Flow):
            await self._hold.closing()
        if call.is_settled or (self._copy is not None and self._copy.is_handed_over):
            return
        if call.receiver.gone.done():
            self._record(NotCheckedReason.CLIENT_GONE, None)
        elif self._hold is not None:
            await self._hold.refuse(NotCheckedReason.APP_ERROR)
        elif self._copy is not None:
            self._copy.refuse(unchecked(NotCheckedReason.APP_ERROR))
        else:
            self._record(NotCheckedReason.APP_ERROR, None)

    def _give_back(self) -> None:
        """End what only served this request; the bytes of a copy are still needed."""
        if isinstance(self._hold, (Flow, TimedHold)):
            self._hold.stop()
        if self._copy is None or not self._copy.is_handed_over:
            self._call.give_bytes()
        self._call.receiver.end()

    def _record(
        self, reason: NotCheckedReason, action: Action | None, *, would: Action | None = None
    ) -> None:
        self._call.record(rule(self._call.route, (unchecked(reason),)), action, would=would)


def _holding(call: "Call", head: Head, reason: NotCheckedReason | None) -> Hold | TimedHold | Flow:
    """Return what takes an enforced response: its kind and the policy say how it is held."""
    if reason is not None or not head.is_stream(call.route):
        return Hold(call, head, head.start)
    if call.route.stream is StreamMode.WHOLE:
        return TimedHold(call, head)
    return Flow(call, head)
