"""A browser on the review page, and what was asked before somebody labels it."""

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
from playwright.sync_api import Browser, Page, sync_playwright

from tests.system.clients import NODE_FOLDER
from tests.system.reviewed import ANSWER, METRICS, REVIEW, TOKENS, prepare
from tests.system.serving import PATIENCE_S, ROOT, end, program, read_until, wait_until_open

AXE = NODE_FOLDER / "node_modules/axe-core/axe.min.js"
_ADDRESS = re.compile(r"running on (http://[\d.]+:\d+)")
_SAMPLE = re.compile(r"^(\w+)({.*})? (\S+)$", re.MULTILINE)

HELP = {
    "id": "returns.md",
    "text": "Refunds are paid within 14 days.\nOpened lamps can be returned for 30 days.",
}
FACTS = {
    "id": "lamps.md",
    "text": "The Lumo lamp has a warranty of two years. It weighs 1.4 kg, its arm is 60 cm long.",
}


@contextmanager
def served(folder: Path, *, workers: int = 2) -> Iterator[str]:
    """Serve the app with its page; yields its address."""
    options = ["--port", "0", "--workers", str(workers)]
    process = subprocess.Popen(
        [sys.executable, "-m", "uvicorn", "tests.system.reviewed:app", *options],
        cwd=ROOT,
        env={**environment(), **prepare(folder)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        origin = read_until(process, _ADDRESS)
        # Its parent says so before a worker listens.
        wait_until_open(int(origin.rpartition(":")[2]), process)
        yield origin
    finally:
        end(process)


def environment() -> dict[str, str]:
    """Return the environment of this process without a mode that would win over the policy's."""
    return {key: value for key, value in os.environ.items() if key != "GATEKEEPER_MODE"}


def ask(origin: str, question: str, answer: str, *passages: dict[str, str]) -> None:
    """Have an answer given, and wait for its check, which comes after it.

    One at a time: a slow machine would give up what can't be done in time, and store no text of it.
    """
    said = {"question": question, "answer": answer, "contexts": passages or (HELP, FACTS)}
    before = total(metrics(origin), "gatekeeper_checks_total")
    httpx.post(f"{origin}{ANSWER}", json=said, timeout=PATIENCE_S).raise_for_status()
    until(lambda: total(metrics(origin), "gatekeeper_checks_total") > before)


def metrics(origin: str) -> dict[str, float]:
    """Return the samples of the page of counters, by name and labels."""
    page = httpx.get(f"{origin}{METRICS}", timeout=PATIENCE_S).text
    return {f"{name}{labels}": float(value) for name, labels, value in _SAMPLE.findall(page)}


def total(found: dict[str, float], name: str) -> float:
    """Return the sum of a metric's samples."""
    return sum(value for key, value in found.items() if key.partition("{")[0] == name)


def until(condition: Callable[[], bool]) -> None:
    """Ask again until it holds; the servers' own pauses are short."""
    end_s = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < end_s, "it never held"
        time.sleep(0.1)


def fill(origin: str, count: int) -> None:
    """Have so many answers given, every third one with a warranty nobody promised."""
    for number in range(count):
        years = "five" if number % 3 == 2 else "two"
        text = f"The Lumo lamp has a warranty of {years} years. It weighs 1.4 kg."
        ask(origin, f"How long is the warranty? ({number + 1})", text)
    until(lambda: total(metrics(origin), "gatekeeper_review_queue") == count)
    assert total(metrics(origin), "gatekeeper_unresolved_total") == 0


@contextmanager
def browsing() -> Iterator[Browser]:
    """Start the system's Chromium without a window."""
    options = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=program("chromium"), args=[*options, "--disable-background-networking"]
        )
        yield browser
        browser.close()


def sign_in(page: Page, origin: str, name: str = "ann") -> None:
    """Sign in by keyboard: the field has the focus."""
    page.goto(f"{origin}{REVIEW}")
    page.wait_for_selector("#token:focus")
    page.keyboard.type(TOKENS[name])
    page.keyboard.press("Enter")
    arrive(page, "nav")


def label(page: Page, *keys: str) -> None:
    """Label the item on the page by keyboard, and wait for the gate's view."""
    for key in (*keys, "Enter"):
        page.keyboard.press(key)
    arrive(page, "h1:has-text('What the gate thought')")


def go_on(page: Page) -> None:
    """Leave the gate's view by keyboard for the next item, or for none."""
    page.keyboard.press("Enter")
    arrive(page, "h1:has-text('Does the answer'), h1:has-text('Nothing waits')")


def arrive(page: Page, selector: str) -> None:
    """Wait for a page and for its script, which takes the keys."""
    page.wait_for_selector(selector)
    page.wait_for_load_state()


def width(page: Page) -> int:
    """Return how wide the page is; wider than the window means that it scrolls sideways."""
    return int(page.evaluate("document.documentElement.scrollWidth"))


def violations(page: Page) -> list[str]:
    """Return what axe finds against the page: names, contrast, landmarks, order, language."""
    # Through the debugger, which no policy of the page concerns.
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found: dict[str, Any] = page.evaluate("async () => await axe.run(document)")
    return [
        f"{one['id']}: {json.dumps([node['html'] for node in one['nodes']])[:300]}"
        for one in found["violations"]
    ]
