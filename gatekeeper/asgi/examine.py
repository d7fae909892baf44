"""A check in a task of its own, with an end: by its result, its time, or the client's leaving."""

import asyncio
from typing import TYPE_CHECKING, Any

from gatekeeper.asgi.checks import Findings, Inspection, Material, unchecked
from gatekeeper.protocols import Priority
from gatekeeper.verdict import NotCheckedReason, UnresolvedReason, Verdict, unresolved

if TYPE_CHECKING:
    from gatekeeper.asgi.call import Call

Verdicts = tuple[Verdict, ...]

# The judge keeps the deadline; this is for one that does not answer at all. In budgets.
_PATIENCE = 2.0

# A shadow check waits for enforced ones; its own time is held against the budget, not its wait.
SHADOW_WAIT_S = 10.0


async def while_held(call: "Call", material: Material, findings: Findings) -> Verdicts:
    """Check a held answer within the route's budget, unless the client goes first.

    Cancelled, the check is abandoned; its queued pairs are dropped.
    """
    budget_s = call.route.budget_s
    deadline = call.services.clock() + budget_s
    inspection = Inspection(
        gate=call.gate,
        services=call.services,
        material=material,
        deadline=deadline,
        priority=Priority.ENFORCE,
        findings=findings,
    )
    check = asyncio.create_task(_when_complete(call, inspection))
    gone = call.receiver.gone
    either: set[asyncio.Future[Any]] = {check, gone}
    call.receiver.watch()
    try:
        await asyncio.wait(
            either, timeout=_PATIENCE * budget_s, return_when=asyncio.FIRST_COMPLETED
        )
        if gone.done():
            return (unchecked(NotCheckedReason.CLIENT_GONE),)
        return _result(check)
    finally:
        call.receiver.rest()
        check.cancel()


async def afterwards(call: "Call", material: Material, findings: Findings) -> Verdicts:
    """Check a copy of an answer that has been delivered, when there is time for it."""
    inspection = Inspection(
        gate=call.gate,
        services=call.services,
        material=material,
        deadline=call.services.clock() + SHADOW_WAIT_S,
        priority=Priority.SHADOW,
        findings=findings,
    )
    check = asyncio.create_task(inspection.run())
    try:
        await asyncio.wait({check}, timeout=_PATIENCE * SHADOW_WAIT_S)
        return _result(check)
    finally:
        check.cancel()


async def _when_complete(call: "Call", inspection: Inspection) -> Verdicts:
    """Wait for the rest of the request if evidence lies in it: the app may not have read it."""
    if call.needs_request:
        await call.receiver.complete.wait()
    return await inspection.run()


def _result(check: "asyncio.Task[Verdicts]") -> Verdicts:
    """Return the verdicts; a check that broke is a check without one, and never a crash."""
    if not check.done():
        return (unresolved(UnresolvedReason.BUDGET),)
    if check.exception() is not None:
        return (unresolved(UnresolvedReason.MODEL_ERROR),)
    return check.result()
