"""An enforced stream: held frame by frame until its sentences are decided.

The app's messages are laid down as they come. One task reads them, has the checks follow and lets
go what is decided; what it finds ends the stream in the words of its protocol. The state of a
stream is here and in what this module makes for it, so that two streams never meet.
"""

import asyncio
import math
from typing import TYPE_CHECKING

from gatekeeper.asgi import replies
from gatekeeper.asgi.checks import Findings, unchecked
from gatekeeper.asgi.jsontext import UncheckableError
from gatekeeper.asgi.rulings import REPLACED, Ruling, facts, rule
from gatekeeper.asgi.services import Following
from gatekeeper.asgi.streams import kinds
from gatekeeper.asgi.streams.dialect import Key, Reading, Stop
from gatekeeper.asgi.streams.intake import Intake
from gatekeeper.asgi.streams.opening import Opening
from gatekeeper.asgi.streams.out import Out
from gatekeeper.errors import UnavailableError
from gatekeeper.policy import Expose, StreamMode
from gatekeeper.protocols import Priority
from gatekeeper.verdict import Action, NotCheckedReason, UnresolvedReason, Verdict, unresolved

if TYPE_CHECKING:
    from starlette.types import Message, Scope

    from gatekeeper.asgi.call import Call
    from gatekeeper.asgi.response import Head

# Messages of the client that are taken ahead of the app, to hear of its leaving.
_AHEAD = 16

# Since this version of the specification ``send`` raises once the client has gone.
_SEND_RAISES = (2, 4)


class Flow:
    """Takes the messages of one stream and answers in the app's place.

    The app's last message is taken only when the client has been sent everything.
    """

    def __init__(self, call: "Call", head: "Head") -> None:
        self._call = call
        self._head = head
        self._findings = Findings()
        self._opening = Opening(call, head, self._findings)
        frames, self._dialect = kinds.begin(call.route, head.media, head.charset)
        self._intake = Intake(call, frames, self._dialect, self._opening)
        self._buffer = self._intake.buffer
        self._answers = self._intake.answers
        said = {} if call.route.expose is Expose.NONE else {"id": call.id}
        self._out = Out(call, replies.streamed(head, said), head.media)
        self._wake = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._is_early = call.route.stream is StreamMode.RELEASE_THEN_STOP
        self._is_passing = False
        self._is_over = False
        self._start()  # before the first piece: an app may be silent, and its client leave

    async def take(self, message: "Message") -> None:
        """Take one message after the start.

        Raises:
            OSError: If the client has gone.
        """
        kind = message["type"]
        if kind == "http.response.body" and not self._is_over:
            more = message.get("more_body", False)
            await self._lay(bytes(message.get("body", b"")), more=more)
        elif kind == "http.response.body":
            await self._pass(message)
        elif kind == "http.response.trailers":
            if self._is_over and self._out.start is self._head.start:  # it announces them
                await self._call.send(message)
        else:
            if not self._is_over:
                await self.refuse(NotCheckedReason.MESSAGE_TYPE)
            if self._is_passing:
                await self._call.send(message)

    async def refuse(self, reason: NotCheckedReason) -> None:
        """Decide for all that is held: it is not one to check."""
        await self._give_up(unchecked(reason))

    async def closing(self) -> None:
        """Wait until what was decided has been sent, if it was."""
        if self._is_over and self._task is not None:
            await asyncio.wait({self._task})

    def stop(self) -> None:
        """End what works for this stream; the request is over."""
        self._is_over = True
        self._out.stop()
        self._opening.close()
        if self._task is not None:
            self._task.cancel()

    async def _lay(self, body: bytes, *, more: bool) -> None:
        """Lay down what the app sent, if there is room for it."""
        if self._call.taken + len(body) > self._call.route.bounds.held_bytes:
            refused: Verdict | None = unchecked(NotCheckedReason.SIZE)
        elif not self._call.take_bytes(len(body)):
            refused = unresolved(UnresolvedReason.OVERLOAD)
        else:
            refused = None
        self._intake.lay(body, more=more)
        if refused is not None:
            await self._give_up(refused)
            return
        self._start()
        if more:
            await self._out.is_free.wait()
            await asyncio.sleep(0)
        else:
            await self._finished()

    async def _pass(self, message: "Message") -> None:
        """Take what comes behind the decision: it is passed on, or has no place any more."""
        await self.closing()
        self._raise_fault()
        if self._call.receiver.gone.done() and _raises(self._call.scope):
            raise ConnectionResetError("the client has gone")
        if self._is_passing:
            ends = not message.get("more_body", False)
            await self._out.send(message.get("body", b""), ends=ends)

    async def _give_up(self, verdict: Verdict) -> None:
        """End with a verdict that came from outside, behind what was laid down before."""
        if not self._is_over:
            self._intake.mark(verdict)
            self._start()
            await self._finished()

    def _start(self) -> None:
        """Have the task look at what is new."""
        if self._task is None:
            self._call.receiver.gone.add_done_callback(self._left)
            self._call.receiver.watch(most=_AHEAD)
            self._out.keep_alive()
            self._task = asyncio.create_task(self._run())
        self._wake.set()

    def _left(self, _: object) -> None:
        """Drop what is under way: nobody waits for it."""
        if not self._is_over:
            gone = rule(self._call.route, (unchecked(NotCheckedReason.CLIENT_GONE),))
            self._call.record(gone, None, findings=self._findings)
            self.stop()

    async def _finished(self) -> None:
        """Wait until the client has been sent everything, or has gone."""
        if self._task is not None:
            await asyncio.wait({self._task})
            self._raise_fault()

    def _raise_fault(self) -> None:
        """Raise what ``send`` raised, for the app would have heard it."""
        task = self._task
        if task is not None and task.done() and not task.cancelled():
            task.result()

    # From here on: the task.

    async def _run(self) -> None:
        """Read, check and let go until the stream is decided to its end."""
        try:
            while not self._is_over:
                await self._wake.wait()
                self._wake.clear()
                ends = await self._look()
                await self._act(ends=ends)
        finally:
            self._out.stop()
            self._opening.close()

    async def _look(self) -> bool:
        """Read what is new and check what it completes; True if that was the end.

        A fault is a verdict like any other.
        """
        ends = False
        try:
            ends = await self._intake.read()
            if self._intake.is_paused:
                self._wake.set()
            await self._check(ends=ends)
        except UncheckableError as error:
            self._intake.mark(unchecked(error.reason))
        except UnavailableError as error:
            self._intake.mark(unresolved(error.reason))
        except Exception as error:  # noqa: BLE001 - an answer like any other, and never a crash
            self._call.services.failed("check_failed", error, route=self._call.route.path)
            self._intake.mark(unresolved(UnresolvedReason.MODEL_ERROR))
        return ends

    async def _check(self, *, ends: bool) -> None:
        """Have the checks follow what has come."""
        is_last = ends and self._intake.fault is None
        if is_last:
            self._answers.end()
        if not self._answers or not await self._opening.gather(self._answers, is_last=is_last):
            return
        due = self._answers.due()
        held = self._opening.evidence
        assert held is not None  # noqa: S101 - gathered right before

        def begin() -> Following:
            return self._call.gate.open(held, priority=Priority.ENFORCE, usage=self._findings.usage)

        if len(due) == 1:  # no task of its own for the one that nearly all have
            await due[0].advance(begin)
        elif due:
            await asyncio.gather(*(answer.advance(begin) for answer in due))

    async def _act(self, *, ends: bool) -> None:
        """Do what follows from what is known now."""
        if ends and not self._intake.is_known and len(self._buffer):
            self._intake.mark(unchecked(NotCheckedReason.SHAPE))
        is_last = ends and self._intake.fault is None
        ruling = self._answers.ruling(ended=is_last)
        if ruling is not None and ruling.action in REPLACED:
            await self._cut(ruling)
        elif self._intake.fault is not None:
            self._answers.give_up(self._intake.fault)
            is_whole = self._intake.ended_s is not None
            await self._end(self._answers.ruling(ended=True), ends=is_whole)
        elif is_last:
            await self._end(ruling, ends=True)
        else:
            await self._let_go(ruling)

    async def _let_go(self, ruling: Ruling | None) -> None:
        """Send what is decided; of a stream that is stopped later, whatever has come."""
        has_word = self._is_early or self._out.has_begun or ruling is not None
        if self._intake.is_known and has_word:
            gone = self._buffer.let_go(lambda reading: not reading.closes, self._upto)
            await self._send(gone)
        if len(self._buffer) > self._call.route.bounds.held_events:
            self._intake.mark(unchecked(NotCheckedReason.SIZE))
            self._wake.set()

    def _upto(self, key: Key) -> float:
        if not self._is_early:
            return self._answers.upto(key)
        self._findings.released_early = True
        return math.inf

    async def _send(self, gone: list[bytes], *, ends: bool = False) -> None:
        body = b"".join(gone)
        await self._out.send(body, ends=ends)
        self._call.give_back(len(body))

    async def _end(self, ruling: Ruling | None, *, ends: bool) -> None:
        """Act on the last word."""
        if ruling is None:  # an answer that was waited for has none: nothing may pass for it
            ruling = rule(self._call.route, (unresolved(UnresolvedReason.MODEL_ERROR),))
        if ruling.action in REPLACED:
            await self._cut(ruling)
            return
        is_checked = ruling.verdict.not_checked is None
        if not (is_checked or self._out.has_begun):
            self._out.start = self._head.start
        self._record(ruling, ruling.action)
        gone = self._buffer.let_go(lambda reading: not reading.closes, lambda _: math.inf)
        told = self._call.route.expose is Expose.VERDICT or ruling.action is Action.ANNOTATE
        said = facts(self._call.id, ruling, self._call.route.expose)
        if told and said and is_checked:
            gone.append(self._dialect.note(said))
        left = self._intake.rest()
        gone += [*self._buffer.let_go(lambda _: True, lambda _: math.inf), *left]
        self._is_passing = not ends
        self._is_over = True
        await self._send(gone, ends=ends)

    async def _cut(self, ruling: Ruling) -> None:
        """Stop, and end in the words of the protocol; as another response if none has begun."""
        route = self._call.route
        said = facts(self._call.id, ruling, route.expose)
        action = Action.BLOCK if ruling.action is Action.BLOCK else Action.WITHHOLD
        self._record(ruling, action)
        self._is_over = True
        if self._intake.is_known and (self._out.has_begun or self._answers.may_go):
            gone = self._buffer.let_go(lambda reading: not _is_held(reading), self._answers.upto)
            await self._send(gone)
        if action is Action.BLOCK and not self._out.has_begun:
            await self._out.replace(replies.blocked(route, self._head, said))
            return
        leading = self._buffer.leading() if action is Action.WITHHOLD else []
        stop = Stop(
            text=route.withheld_text,
            begun=tuple(self._buffer.begun),
            sent={key: self._answers.text(key)[:n] for key, n in self._buffer.sent.items()},
            finished=frozenset(self._buffer.finished),
            facts=said,
            last=self._buffer.last,
        )
        body = b"".join([*leading, self._dialect.ending(stop)])
        if self._out.has_begun:
            await self._out.send(body, ends=True)
        else:
            await self._out.replace(replies.changed(self._head, body, route, said))

    def _record(self, ruling: Ruling, action: Action) -> None:
        """Count first, for what is sent can't be called back."""
        findings, now, ended_s = self._findings, self._call.services.clock(), self._intake.ended_s
        findings.texts = self._answers.texts()
        added_s = 0.0 if ended_s is None else now - ended_s
        self._call.record(ruling, action, would=action, findings=findings, added_s=added_s)


def _is_held(reading: Reading) -> bool:
    """Tell whether a frame stays behind where a stream is stopped."""
    return reading.closes or reading.calls


def _raises(scope: "Scope") -> bool:
    """Tell whether apps expect ``send`` to raise when the client has gone."""
    version = str(scope.get("asgi", {}).get("spec_version", "2.0"))
    return tuple(int(part) for part in version.split(".") if part.isdecimal()) >= _SEND_RAISES
