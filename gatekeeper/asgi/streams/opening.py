"""The evidence of a stream: gathered once, when its first text has come."""

import asyncio
from typing import TYPE_CHECKING

from gatekeeper.asgi import evidence
from gatekeeper.asgi.checks import Findings, Inspection
from gatekeeper.asgi.jsontext import UncheckableError
from gatekeeper.asgi.streams.answers import Answers
from gatekeeper.errors import UnavailableError
from gatekeeper.protocols import Priority
from gatekeeper.verdict import Evidence, UnresolvedReason

if TYPE_CHECKING:
    from gatekeeper.asgi.call import Call
    from gatekeeper.asgi.response import Head


class Opening:
    """Gathers the evidence of one stream, within what one client may have under way."""

    def __init__(self, call: "Call", head: "Head", findings: Findings) -> None:
        self._call = call
        self._head = head
        self._findings = findings
        self._documents: list[object] = []
        self._pointers = evidence.in_response(call.sources)
        self._missing = set(self._pointers)
        self._entered: str | None = None
        self.evidence: Evidence | None = None

    def see(self, document: object) -> None:
        """Take a document of the response; it is kept if passages may stand in it."""
        if document is None or self.evidence is not None:
            return
        try:
            found = evidence.given(document, self._pointers)
        except UncheckableError:  # raised where the passages are read
            found = set(self._pointers)
        if found:
            self._documents.append(document)
            self._missing -= found

    async def gather(self, answers: Answers, *, is_last: bool) -> bool:
        """Gather unless that was done; False if a source in the response has given nothing yet.

        Args:
            answers: What a resolver is shown the texts of, as far as they go.
            is_last: True if nothing more comes: what is there then has to do.

        Raises:
            UncheckableError: If a source can't be read.
            UnavailableError: If that is not possible now, or not in time.
        """
        if self.evidence is not None:
            return True
        if not is_last and self._missing:
            return False
        await self._enter()
        call = self._call
        inspection = Inspection(
            gate=call.gate,
            services=call.services,
            material=call.material(self._head, b""),
            deadline=call.services.clock() + call.route.budget_s,
            priority=Priority.ENFORCE,
            findings=self._findings,
        )
        await self._has_request()
        self.evidence = await inspection.gathered(self._documents, answers.texts())
        self._documents = []
        return True

    def close(self) -> None:
        """Let the client begin another check."""
        if self._entered is not None:
            self._call.services.ledger.leave(self._entered)
            self._entered = None

    async def _enter(self) -> None:
        call, most = self._call, self._call.route.max_in_flight_per_key
        if most is None or self._entered is not None:
            return
        key = f"{call.route.path} {await call.key() or call.client()}"
        if not call.services.ledger.enter(key, most):
            raise UnavailableError(UnresolvedReason.OVERLOAD)
        self._entered = key

    async def _has_request(self) -> None:
        """Wait for the rest of the request if evidence lies in it."""
        receiver = self._call.receiver
        if not self._call.needs_request or receiver.complete.is_set():
            return
        receiver.watch()
        try:
            async with asyncio.timeout(self._call.route.budget_s):
                await receiver.complete.wait()
        except TimeoutError:
            raise UnavailableError(UnresolvedReason.BUDGET) from None
