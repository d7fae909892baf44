"""The same by HTTP: JSON, and tables in and out. A token in each request, so no form token."""

import re

from starlette.responses import Response

from gatekeeper.outcomes.words import moment, quoted
from gatekeeper.review.bodies import (
    CSV,
    LABEL_KEYS,
    MOST_TABLE_BYTES,
    REMARK_KEYS,
    object_label,
    object_remarks,
    read_body,
    read_object,
)
from gatekeeper.review.desk import MOST_ROWS, Desk
from gatekeeper.review.hands import Hands
from gatekeeper.review.pages import agreement_rows, progress_rows, refuse_others
from gatekeeper.review.refusals import RefusedError
from gatekeeper.review.seals import Seal
from gatekeeper.review.visit import Visit, json_response, problem

_FAULTS_SHOWN = 20
_COUNT = re.compile(r"[0-9]{1,9}")


class Api:
    """What programs ask; the names in JSON are those of the store."""

    def __init__(self, desk: Desk, seal: Seal, hands: Hands) -> None:
        self._desk = desk
        self._seal = seal
        self._hands = hands

    async def next(self, visit: Visit) -> Response:
        """Return the next decision to label, blind; 204 if none waits."""
        return await self._hands.run(lambda: self._next(visit))

    def _next(self, visit: Visit) -> Response:
        """Draw it in the thread too: an answer is as long as a policy allows."""
        item = self._desk.take(visit.session.name)
        if item is None:
            return Response(status_code=204)
        texts = item.texts
        told = {
            "decision": item.decision,
            "route": item.route,
            "at": moment(item.at_ms).isoformat(),
            "seen_ms": item.seen_ms,
            "ticket": self._seal.ticket(visit.session.name, item.decision, item.seen_ms),
            "question": texts and texts.question,
            "answers": texts and texts.answers,
            "passages": texts and [{"id": p.id, "text": p.text} for p in texts.passages],
        }
        return json_response(told)

    async def decision(self, visit: Visit) -> Response:
        """Return all that is known of a decision to whoever may see it."""
        show = self._desk.show
        return await self._hands.run(
            lambda: json_response(show(visit.id, visit.session).as_object())
        )

    async def label(self, visit: Visit) -> Response:
        """Store a label."""
        given = await read_object(visit.request, LABEL_KEYS)
        now_ms = self._desk.now_ms()
        label = object_label(given, visit.id, visit.session, self._seal, now_ms=now_ms)
        if not await self._hands.run(lambda: self._desk.label(label)):
            advice = "the first label counts; undo it to give another"
            raise RefusedError(409, "a label of yours", "none in force", advice)
        return json_response({"decision": visit.id, "truth": label.truth}, 201)

    async def undo(self, visit: Visit) -> Response:
        """Take a label back, an admin that of anybody."""
        reviewer = visit.request.query_params.get("reviewer", visit.session.name)
        refuse_others(visit, reviewer)
        if not await self._hands.run(lambda: self._desk.undo(visit.id, reviewer)):
            found = f"no label of {quoted(reviewer)} in force"
            raise RefusedError(404, found, "one to undo", "nothing is left to do")
        return json_response({"decision": visit.id, "undone": True})

    async def remark(self, visit: Visit) -> Response:
        """Store what the gate got wrong."""
        remarks = object_remarks(await read_object(visit.request, REMARK_KEYS))
        await self._hands.run(lambda: self._desk.remark(visit.id, visit.session.name, remarks))
        return json_response({"decision": visit.id, "claims": remarks.claims})

    async def progress(self, visit: Visit) -> Response:
        """Return how far the labels are, and how far people agree."""
        session = visit.session
        strata = await self._hands.run(lambda: self._desk.progress(session))
        agreement = await self._hands.run(self._desk.agreement)
        rows = progress_rows(strata, is_admin=session.is_admin)
        return json_response({"progress": rows, "agreement": agreement_rows(agreement)})

    async def export(self, visit: Visit) -> Response:
        """Return what to label next as a table."""
        asked = visit.request.query_params
        count, route = asked.get("count", "100"), asked.get("route")
        if not (_COUNT.fullmatch(count) and 0 < int(count) <= MOST_ROWS):
            expected = f"a number from 1 to {MOST_ROWS:,}"
            raise RefusedError(422, f"count {quoted(count)}", expected, "write count=100")
        routes = self._desk.routes()
        if route is not None and route not in routes:
            expected, advice = f"one of {', '.join(routes)}", "leave it out for all of them"
            raise RefusedError(422, f"route {quoted(route)}", expected, advice)
        wanted = routes if route is None else [route]
        name = visit.session.name
        table = await self._hands.run(
            lambda: self._desk.export(name, wanted, int(count), seal=self._seal)
        )
        headers = {"content-disposition": 'attachment; filename="labels.csv"'}
        return Response(table, headers=headers, media_type="text/csv; charset=utf-8")

    async def take_in(self, visit: Visit) -> Response:
        """Store the labels of a filled table."""
        table = await read_body(visit.request, CSV, MOST_TABLE_BYTES)
        found = await self._hands.run(
            lambda: self._desk.take_in(table, visit.session, seal=self._seal)
        )
        told = {
            "stored": found.stored,
            "labelled_before": found.known,
            "without_a_label": found.blank,
            "faults": found.faults[:_FAULTS_SHOWN],
            "more_faults": max(0, len(found.faults) - _FAULTS_SHOWN),
        }
        if found.stored or not found.faults:
            return json_response(told)
        expected = "at least one label that can be stored"
        advice = "mend the rows in faults and send the table again"
        refused = RefusedError(422, f"faults only, first {found.faults[0]}", expected, advice)
        return problem(refused, told)
