"""The page in HTML. What is drawn is drawn in the threads that read the store."""

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import quote

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.responses import Response

from gatekeeper.outcomes.labels import Agreement
from gatekeeper.outcomes.review import Item, Progress
from gatekeeper.outcomes.store import Shown
from gatekeeper.outcomes.words import moment, quoted, week_start_ms
from gatekeeper.review.bodies import form_label, form_remarks, one
from gatekeeper.review.desk import Desk
from gatekeeper.review.gateview import answers_shown, claims_shown, own_label, passages_shown
from gatekeeper.review.hands import Hands
from gatekeeper.review.marking import pieces
from gatekeeper.review.refusals import RefusedError
from gatekeeper.review.seals import Seal
from gatekeeper.review.visit import Visit, see_other

TRUTHS = {"wrong": "wrong", "correct": "correct", "cannot_tell": "can't tell"}
HARMS = {"harmful": "harmful", "harmless": "harmless", "cannot_tell": "harmful or not, can't tell"}
# What a page says of what was done before it, by the word in its address.
SAID = {
    "stored": "Your label is stored.",
    "known": "You labelled this before; the first label counts.",
    "undone": "The label is undone; the decision waits again.",
    "gone": "There was no label to undo.",
}
_NO_REMARKS: Mapping[str, Any] = {"claims": [], "missed": []}


class Pages:
    """What people see: an item, blind; then what the gate thought; how far all of it is."""

    def __init__(self, desk: Desk, seal: Seal, hands: Hands) -> None:
        self._desk = desk
        self._seal = seal
        self._hands = hands
        self._templates = Environment(
            loader=PackageLoader("gatekeeper.review"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            auto_reload=False,
        )

    async def item(self, visit: Visit) -> Response:
        """Show the next decision, without a word of what the gate thought."""
        return await self._drawn(lambda: self._item(visit, self._desk.take(visit.session.name)))

    async def label(self, visit: Visit) -> Response:
        """Store a label, then show what the gate thought."""
        label = form_label(visit.form, visit.session, self._seal)
        is_new = await self._hands.run(lambda: self._desk.label(label))
        said = "stored" if is_new else "known"
        return see_other(f"{visit.base}/decision/{quote(label.decision, safe='')}?said={said}")

    async def decision(self, visit: Visit) -> Response:
        """Show what the gate thought, to whoever has labelled it and to admins."""
        show = self._desk.show
        return await self._drawn(lambda: self._gate(visit, show(visit.id, visit.session)))

    async def remark(self, visit: Visit) -> Response:
        """Store what the gate got wrong, then go on with the next decision."""
        remarks = form_remarks(visit.form)
        await self._hands.run(lambda: self._desk.remark(visit.id, visit.session.name, remarks))
        return see_other(visit.base)

    async def undo(self, visit: Visit) -> Response:
        """Take a label back."""
        reviewer = one(visit.form, "reviewer")
        refuse_others(visit, reviewer)
        is_undone = await self._hands.run(lambda: self._desk.undo(visit.id, reviewer))
        return see_other(f"{visit.base}?said={'undone' if is_undone else 'gone'}")

    async def progress(self, visit: Visit) -> Response:
        """Show how far the labels are."""
        return await self._drawn(lambda: self._progress(visit))

    def sign_in(self, base: str, fault: str = "") -> str:
        """Return the page for whoever is not signed in."""
        return self._draw("sign_in.html", base=base, session=None, said="", fault=fault)

    def refused(self, base: str, refused: RefusedError) -> str:
        """Return the page of a refusal, the same for whoever is signed in."""
        title = "That did not work" if refused.status < 500 else "The page is not available"
        facts = {"session": None, "said": "", "title": title, "text": str(refused)}
        return self._draw("message.html", base=base, **facts)

    async def _drawn(self, draw: Callable[[], str]) -> Response:
        return await self._hands.run(lambda: html(draw()))

    def _item(self, visit: Visit, item: Item | None) -> str:
        texts = None if item is None else item.texts
        ticket = ""
        if item is not None:
            ticket = self._seal.ticket(visit.session.name, item.decision, item.seen_ms)
        return self._page("blind.html", visit, item=item, ticket=ticket, **_texts(texts))

    def _gate(self, visit: Visit, shown: Shown) -> str:
        claims = shown.decision.claims
        statuses = {number: claim.status.lower() for number, claim in enumerate(claims, 1)}
        label = own_label(shown, visit.session.name)
        in_force = [row for row in shown.labels if row["undone_ms"] is None]
        return self._page(
            "gate.html",
            visit,
            decision=shown.decision,
            statuses=statuses,
            claims=claims_shown(shown),
            label=label,
            labels=in_force,
            remarks=(label and label["remarks"]) or _NO_REMARKS,
            truths=TRUTHS,
            harms=HARMS,
            **_texts(shown.texts, claims),
        )

    def _progress(self, visit: Visit) -> str:
        return self._page(
            "progress.html",
            visit,
            rows=progress_rows(self._desk.progress(visit.session), is_admin=visit.session.is_admin),
            agreement=agreement_rows(self._desk.agreement()),
        )

    def _page(self, name: str, visit: Visit, **facts: object) -> str:
        token = self._seal.sign("form", visit.session.id)
        said = SAID.get(visit.request.query_params.get("said", ""), "")
        page = {"base": visit.base, "session": visit.session, "token": token, "said": said}
        return self._draw(name, **page, **facts)

    def _draw(self, name: str, **facts: object) -> str:
        return self._templates.get_template(name).render(facts)


def html(page: str, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Return a page; what no encoding can hold was given a name before."""
    body = page.encode("utf-8", "replace")
    return Response(body, status, headers, "text/html; charset=utf-8")


def refuse_others(visit: Visit, reviewer: str) -> None:
    """Refuse to undo another one's label to all but admins."""
    if reviewer != visit.session.name and not visit.session.is_admin:
        found = f"the label of {quoted(reviewer)}"
        raise RefusedError(403, found, "your own", "ask an admin")


def progress_rows(strata: list[Progress], *, is_admin: bool) -> list[dict[str, Any]]:
    """Return progress by week and route, and by side for admins.

    Who labels is not told the sides: what is left of them would say what comes next.
    """
    labelled: Counter[tuple[int, str, str]] = Counter()
    waiting: Counter[tuple[int, str, str]] = Counter()
    for one_ in strata:
        key = (one_.week, one_.route, str(one_.side) if is_admin else "")
        labelled[key] += one_.labelled
        waiting[key] += one_.waiting
    return [
        {
            "week": moment(week_start_ms(week)).date().isoformat(),
            "route": route,
            **({"side": side} if is_admin else {}),
            "labelled": labelled[week, route, side],
            "waiting": waiting[week, route, side],
        }
        for week, route, side in sorted(labelled, reverse=True)
    ]


def agreement_rows(found: Mapping[str, Agreement]) -> list[dict[str, Any]]:
    """Return agreement by route, with the counts that kappa comes from."""
    return [
        {
            "route": route,
            "decisions": one_.decisions,
            "same": sum(n for (first, second), n in one_.counts.items() if first == second),
            "kappa": one_.kappa,
            "counts": [[first, second, n] for (first, second), n in sorted(one_.counts.items())],
        }
        for route, one_ in found.items()
    ]


def _texts(texts: Any, claims: Any = ()) -> dict[str, object]:
    """Return the words of a decision as a template takes them."""
    if texts is None:
        return {"texts": None, "question": None, "answers": [], "passages": []}
    return {
        "texts": texts,
        "question": None if texts.question is None else pieces(texts.question),
        "answers": answers_shown(texts, claims),
        "passages": passages_shown(texts, claims),
    }
