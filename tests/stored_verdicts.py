"""Two hundred answers made from the bundled help desk, and their verdicts as they were stored.

``python -m tests.stored_verdicts`` stores them again: after a version number was raised, in the
commit that raises it. Everything is made by rule, so the file holds verdicts only.
"""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

from gatekeeper.build import open_gate
from gatekeeper.core.segment import Form, sentences
from gatekeeper.core.versions import GUARD_VERSION, PIPELINE_VERSION, SEGMENTER_VERSION
from gatekeeper.demo.documents import documents
from gatekeeper.gate import Gate
from gatekeeper.verdict import Evidence, Passage

STORED = Path(__file__).parent / "data" / "verdicts.json"
NEXT_DIGIT = str.maketrans("0123456789", "1234567890")


def answers() -> Iterator[tuple[str, str, Evidence]]:
    """Yield name, answer and evidence: four answers to each of the first fifty documents.

    A sentence as it stands; the same with other digits, or negated where it has none; one of the
    next document, which is no evidence; and two sentences in the manner of a chat answer.
    """
    pages = documents()[:50]
    for page, other in zip(pages, (*pages[1:], pages[0]), strict=True):
        evidence = Evidence(passages=(Passage(id=page.id, text=page.text),))
        first, second = prose(page.text)[:2]
        yield f"{page.id} copied", second, evidence
        yield f"{page.id} changed", changed(first), evidence
        yield f"{page.id} foreign", prose(other.text)[0], evidence
        chat = f"Hello!\n\n**{first}**\n\n- {second}\n\nIs there anything else?"
        yield f"{page.id} chat", chat, evidence


def prose(text: str) -> list[str]:
    """Return the slices of a document that are sentences."""
    found = [one for one in sentences(text) if one.form not in (Form.HEADING, Form.QUESTION)]
    return [text[one.start : one.end].strip() for one in found]


def changed(sentence: str) -> str:
    """Return a sentence that says something else."""
    other = sentence.translate(NEXT_DIGIT)
    return other if other != sentence else f"It is not true that {sentence}"


def versions(gate: Gate) -> dict[str, object]:
    """Return what a changed verdict has to come with."""
    return {
        "segmenter": SEGMENTER_VERSION,
        "guard": GUARD_VERSION,
        "pipeline": PIPELINE_VERSION,
        "scorer": gate.fingerprint,
    }


def judge(gate: Gate) -> dict[str, list[str]]:
    """Return the statuses of the claims of each answer, by name, behind the outcome."""
    found = {}
    for name, answer, evidence in answers():
        verdict = asyncio.run(gate.check(answer, evidence))
        found[name] = [str(verdict.outcome), *(str(claim.status) for claim in verdict.claims)]
    return found


if __name__ == "__main__":
    opened = open_gate()
    stored = {"versions": versions(opened), "verdicts": judge(opened)}
    STORED.write_text(json.dumps(stored, indent=1) + "\n", encoding="utf-8")
    opened.close()
