"""The gate as a function inside an endpoint: check, and draft once more without what didn't hold.

    uvicorn --app-dir examples regenerate:app

``draft`` stands for your language model. Its first draft makes something up; told which claims
did not hold, it leaves them out.
"""

import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from gatekeeper.build import open_gate
from gatekeeper.verdict import Evidence, Outcome, Passage

PAGES = (Passage(id="returns", text="Devices can be returned within 30 days of delivery."),)
DRAFT = ("You can return a device within 30 days.", "A fee of EUR 12 is deducted.")
FALLBACK = "Let me get a colleague to answer that."
BUDGET_S = 2.0


async def draft(question: str, avoid: Sequence[str] = ()) -> str:
    """Stand in for the call of a language model; ``avoid`` would go into its prompt."""
    kept = [sentence for sentence in DRAFT if not any(sentence in claim for claim in avoid)]
    return " ".join(kept)


async def answer(request: Request) -> JSONResponse:
    """Answer only with what the pages support."""
    gate, question = request.app.state.gate, (await request.json())["question"]
    evidence = Evidence(passages=PAGES, question=question)
    text = await draft(question)
    verdict = await gate.check(text, evidence, deadline=time.monotonic() + BUDGET_S)
    flagged = [claim.text for claim in verdict.claims if claim.is_flagged]
    if flagged:
        text = await draft(question, avoid=flagged)
        verdict = await gate.check(text, evidence, deadline=time.monotonic() + BUDGET_S)
    if verdict.outcome is not Outcome.SUPPORTED:  # flagged again, or not decided in time
        text = FALLBACK
    return JSONResponse({"answer": text})


@asynccontextmanager
async def lifespan(app: Starlette) -> AsyncIterator[None]:
    """Load the model before the first request and give its thread back after the last."""
    app.state.gate = open_gate()
    yield
    app.state.gate.close()


app = Starlette(routes=[Route("/answer", answer, methods=["POST"])], lifespan=lifespan)
