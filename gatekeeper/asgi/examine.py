"""A check with an end: by its result, its time, or the client's leaving."""

import asyncio
from functools import partial
from typing import TYPE_CHECKING

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

    Up to the judge's refusal, or its taking the work, nothing is waited for: the loop may come
    back after more than a budget. Cancelled, the check is abandoned; its queued pairs are dropped.
    """
    deadline = call.services.clock() + call.route.budget_s
    reason = call.services.judge.refusal(deadline=deadline)
    if call.receiver.gone.done():
        return (unchecked(NotCheckedReason.CLIENT_GONE),)
    if reason is not None:
        return (unresolved(reason),)
    inspection = Inspection(
        gate=call.gate,
        services=call.services,
        material=material,
        deadline=deadline,
        priority=Priority.ENFORCE,
        findings=findings,
    )
    call.receiver.watch()
    try:
        return await _patiently(call, inspection)
    finally:
        call.receiver.rest()


async def _patiently(call: "Call", inspection: Inspection) -> Verdicts:
    """Run a check in this task; it ends when the client goes, or after twice the budget."""
    loop, gone, budget_s = asyncio.get_running_loop(), call.receiver.gone, call.route.budget_s
    try:
        async with asyncio.timeout(None) as limit:
            # In two parts: after a turn of the loop that took too long, what was answered in it
            # is taken first.
            patience = loop.call_later(
                budget_s, lambda: limit.reschedule(loop.time() + (_PATIENCE - 1.0) * budget_s)
            )
            leave = partial(_end, limit)
            gone.add_done_callback(leave)
            try:
                return await _when_complete(call, inspection)
            finally:
                patience.cancel()
                gone.remove_done_callback(leave)
    except TimeoutError:
        if gone.done():
            return (unchecked(NotCheckedReason.CLIENT_GONE),)
        return (unresolved(UnresolvedReason.BUDGET),)
    except Exception as error:  # noqa: BLE001 - an answer like any other, and never a crash
        return _broken(call, error)


def _end(limit: asyncio.Timeout, _: object) -> None:
    """Let the time be up now."""
    limit.reschedule(asyncio.get_running_loop().time())


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
        return _result(call, check)
    finally:
        check.cancel()


async def _when_complete(call: "Call", inspection: Inspection) -> Verdicts:
    """Wait for the rest of the request if evidence lies in it: the app may not have read it."""
    if call.needs_request and not call.receiver.complete.is_set():
        await call.receiver.complete.wait()
    return await inspection.run()


def _result(call: "Call", check: "asyncio.Task[Verdicts]") -> Verdicts:
    """Return the verdicts of a check that was given its time."""
    if not check.done():
        return (unresolved(UnresolvedReason.BUDGET),)
    error = check.exception()
    return check.result() if error is None else _broken(call, error)


def _broken(call: "Call", error: BaseException) -> Verdicts:
    """Tell of a check that broke: it has no verdict."""
    call.services.failed("check_failed", error, route=call.route.path)
    return (unresolved(UnresolvedReason.MODEL_ERROR),)
