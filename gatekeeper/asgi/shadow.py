"""A response that is only watched: passed on message by message, its copy checked afterwards."""

from typing import TYPE_CHECKING

from gatekeeper.asgi.checks import Findings, Material, unchecked
from gatekeeper.asgi.examine import Verdicts, afterwards
from gatekeeper.asgi.rulings import rule
from gatekeeper.verdict import Action, NotCheckedReason, UnresolvedReason, Verdict, unresolved

if TYPE_CHECKING:
    from starlette.types import Message

    from gatekeeper.asgi.call import Call
    from gatekeeper.asgi.response import Head


class Copy:
    """Passes the messages of one response on, untouched and at once, and copies the body.

    Whatever goes wrong with the copy is counted and never felt.
    """

    def __init__(self, call: "Call", head: "Head") -> None:
        self._call = call
        self._head = head
        self._body: list[bytes] = []
        self._verdicts: Verdicts = (unresolved(UnresolvedReason.SHUTDOWN),)
        self._findings = Findings()
        self.is_handed_over = False

    async def take(self, message: "Message") -> None:
        """Take one message after the start."""
        call = self._call
        if call.is_settled or self.is_handed_over:
            await call.send(message)
            return
        self._copy(message)
        is_last = message["type"] == "http.response.body" and not message.get("more_body", False)
        material = call.material(self._head, self._taken()) if is_last else None
        await self._pass(message)
        if material is not None and not call.is_settled:
            self.is_handed_over = True
            call.services.shadows.begin(self._check(material), self._checked)

    def _taken(self) -> bytes:
        """Return the copied body; the pieces are not kept beside it."""
        pieces, self._body = self._body, []
        return b"".join(pieces)

    def refuse(self, verdict: Verdict) -> None:
        """Give the copy up and count why; the response goes on."""
        self._body = []
        self._call.give_bytes()
        self._call.record(rule(self._call.route, (verdict,)), Action.RELEASE)

    def _copy(self, message: "Message") -> None:
        """Copy a body within its bounds."""
        call = self._call
        if message["type"] != "http.response.body":
            self.refuse(unchecked(NotCheckedReason.MESSAGE_TYPE))
            return
        body = bytes(message.get("body", b""))
        if call.taken + len(body) > call.route.bounds.held_bytes:
            self.refuse(unchecked(NotCheckedReason.SIZE))
        elif not call.take_bytes(len(body)):
            call.services.telemetry.shadow_dropped(call.route.path, "memory")
            self.refuse(unresolved(UnresolvedReason.OVERLOAD))
        else:
            self._body.append(body)

    async def _pass(self, message: "Message") -> None:
        """Send to the client, and note if there is none any more."""
        try:
            await self._call.send(message)
        except OSError:
            self._call.receiver.leave()
            raise

    async def _check(self, material: Material) -> None:
        self._verdicts = await afterwards(self._call, material, self._findings)

    def _checked(self) -> None:
        """Record what came of the check: a verdict, or that the process ended first."""
        call, findings = self._call, self._findings
        call.give_bytes()
        would = None
        if findings.usage.service_s > call.route.budget_s:
            late = (unresolved(UnresolvedReason.BUDGET),)
            would = rule(call.route, late).action
        ruling = rule(call.route, self._verdicts)
        was_late = would is not None
        call.record(ruling, Action.RELEASE, would=would, findings=findings, late=was_late)
