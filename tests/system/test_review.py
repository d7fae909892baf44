"""The review page in a real browser: labels by keyboard, texts that stay texts."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.system.reviewed import METRICS, REVIEW
from tests.system.serving import program

pytest.importorskip("playwright", reason="make test-system installs it")
if program("chromium") is None:
    pytest.skip("chromium is not installed", allow_module_level=True)

from playwright.sync_api import Browser, Dialog, Page

from tests.system.reviewing import (
    AXE,
    arrive,
    ask,
    browsing,
    fill,
    go_on,
    label,
    metrics,
    served,
    sign_in,
    total,
    until,
    violations,
    width,
)

QUEUE = 22
LABELLED = 20
# Words, a picture that runs a script, a frame, a form, styles, and text turned round.
HOSTILE = (
    "</div></main><script>alert('script')</script><img src=x onerror=alert('image')>"
    "<iframe src='javascript:alert(1)'></iframe><form action='/evil'><input name=token></form>"
    "<style>body{display:none}</style><b onclick=alert(2)>The lamp is blue.</b> {{ 7 * 7 }} "
    "\u202etxet denruter\u202c <a href='javascript:alert(3)'>x</a> \0 &lt;script&gt;"
)


@pytest.fixture(scope="module")
def origin(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Serve the app by two workers, with decisions that wait for review."""
    with served(tmp_path_factory.mktemp("reviewed")) as address:
        fill(address, QUEUE)
        yield address


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Start a browser."""
    with browsing() as found:
        yield found


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """Open a page in a profile of its own."""
    context = browser.new_context()
    context.set_default_timeout(60_000)
    yield context.new_page()
    context.close()


def test_without_a_token_nothing_is_shown(origin: str, page: Page) -> None:
    """A field for a token at every address, and no cookie that would be one."""
    for rest in ("", "/progress", "/decision/x", "/labels.csv", "/api/next"):
        page.goto(f"{origin}{REVIEW}{rest}")
        assert "Lumo" not in page.content()
    page.goto(f"{origin}{REVIEW}")
    page.wait_for_selector("#token:focus")
    page.keyboard.type("gkr_no-token-at-all")
    page.keyboard.press("Enter")
    page.wait_for_selector("text=This token is not known.")

    assert page.context.cookies() == []
    assert page.locator("main input").count() == 1


def test_reviewer_labels_by_keyboard_and_the_estimate_moves(origin: str, page: Page) -> None:
    """Twenty decisions without a mouse, one of them undone; what is scraped follows each step."""
    assert estimates(metrics(origin)) == {}

    sign_in(page, origin)
    for number in range(LABELLED):
        answer = page.inner_text(".answer .text")
        label(page, *(("1", "5") if "five" in answer else ("2",)))
        if number < LABELLED - 1:
            go_on(page)
    until(lambda: total(metrics(origin), "gatekeeper_labels_in_force") == LABELLED)
    before = metrics(origin)
    page.keyboard.press("u")
    arrive(page, "text=The label is undone")
    until(lambda: total(metrics(origin), "gatekeeper_labels_in_force") == LABELLED - 1)
    after = metrics(origin)

    assert any('rate="sensitivity"' in key for key in estimates(before))
    assert estimates(before) != estimates(after)
    assert total(after, "gatekeeper_adjudications_total") == LABELLED
    assert total(after, "gatekeeper_adjudications_retracted_total") == 1
    assert total(after, "gatekeeper_review_queue") == QUEUE - LABELLED + 1


def estimates(found: dict[str, float]) -> dict[str, float]:
    """Return the rates that need labels."""
    return {
        key: value
        for key, value in found.items()
        if key.startswith("gatekeeper_rate{") and 'rate="coverage"' not in key
    }


def test_gate_is_asked_about_by_keyboard(origin: str, page: Page) -> None:
    """A claim is ticked by its number; what was ticked is there when one comes back."""
    sign_in(page, origin)
    label(page, "3")
    address = page.url
    page.keyboard.press("1")
    go_on(page)
    page.goto(address)

    assert page.is_checked("[name=wrong_claim] >> nth=0")
    assert page.locator("mark").count() > 0
    page.keyboard.press("u")
    arrive(page, "text=The label is undone")


def test_answer_full_of_markup_stays_text(origin: str, page: Page) -> None:
    """No dialog, no request, no node: neither blind nor in the gate's view."""
    passage = {"id": HOSTILE, "text": f"The lamp is blue. {HOSTILE}"}
    ask(origin, HOSTILE, f"The lamp is red. {HOSTILE}", passage)
    sign_in(page, origin)
    seen: list[str] = []

    def close(dialog: Dialog) -> None:
        seen.append("dialog")
        dialog.dismiss()

    page.on("dialog", close)
    page.on("pageerror", lambda error: seen.append(f"error: {error}"))
    page.on("console", lambda said: seen.append(f"console: {said.text}"))
    page.on("request", lambda request: seen.append(request.url))
    while "alert" not in page.inner_text("main"):
        label(page, "2")
        go_on(page)

    nodes = "main script, main img, main iframe, main style, main b, main form form, main a"
    for view in ("blind", "gate"):
        text = page.inner_text(".answer .text")
        assert "<script>alert('script')</script>" in text
        assert "{{ 7 * 7 }}" in text
        assert "U+202E" in text
        assert page.locator(nodes).count() == 0, view
        assert page.locator("[onerror], [onclick], [onload]").count() == 0
        if view == "blind":
            label(page, "1", "5")
    inside = re.compile(rf"{re.escape(origin)}{REVIEW}(/[\w./?=-]*)?")
    assert [one for one in seen if not inside.fullmatch(one)] == []


@pytest.mark.parametrize("size", [(360, 740), (320, 568)])
def test_phone_has_no_sideways_scroll(origin: str, browser: Browser, size: tuple[int, int]) -> None:
    """One column; a word without an end breaks."""
    ask(origin, "x" * 300, f"The lamp is red. {'y' * 400}", {"id": "z" * 200, "text": "a" * 500})
    wide, high = size
    context = browser.new_context(viewport={"width": wide, "height": high}, has_touch=True)
    page = context.new_page()
    page.set_default_timeout(60_000)
    page.goto(f"{origin}{REVIEW}")
    assert width(page) <= wide
    sign_in(page, origin)
    assert width(page) <= wide
    page.goto(f"{origin}{REVIEW}/progress")
    assert width(page) <= wide
    page.goto(f"{origin}{REVIEW}")
    is_there = False
    while page.locator("#main").count():
        is_there = is_there or "yyyy" in page.inner_text("main")
        assert width(page) <= wide
        label(page, "2")
        assert width(page) <= wide
        go_on(page)

    assert is_there
    context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_everybody_can_use_it(origin: str, browser: Browser, scheme: Any) -> None:
    """Names, contrast, landmarks, order, language, as axe knows them; and focus that is seen."""
    if not AXE.exists():
        pytest.skip("axe-core is not installed")
    ask(origin, "How heavy?", f"It weighs 1.4 kg. It is blue, says {scheme}.")
    context = browser.new_context(color_scheme=scheme)
    page = context.new_page()
    found: dict[str, list[str]] = {}
    page.goto(f"{origin}{REVIEW}")
    found["sign in"] = violations(page)
    sign_in(page, origin)
    until(lambda: _has_item(page))
    found["blind"] = violations(page)
    page.keyboard.press("m")
    assert page.evaluate("document.activeElement.name") == "missed"
    page.keyboard.press("Tab")
    outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    label(page, "1", "4", "s")
    found["gate"] = violations(page)
    page.keyboard.press("p")
    arrive(page, "h1:has-text('Progress')")
    found["progress"] = violations(page)

    assert found == {view: [] for view in found}
    assert outline == "solid"
    context.close()


def _has_item(page: Page) -> bool:
    """Load the page again; tell whether something waits."""
    page.reload()
    return bool(page.locator("#main").count())


def test_every_control_has_a_name(origin: str, page: Page) -> None:
    """As the browser tells it to what reads pages aloud."""
    ask(origin, "Which arm?", "Its arm is 60 cm long.")
    sign_in(page, origin)
    until(lambda: _has_item(page))
    session = page.context.new_cdp_session(page)

    tree = session.send("Accessibility.getFullAXTree")["nodes"]

    controls = {"button", "link", "textbox", "radio", "checkbox", "DisclosureTriangle"}
    names = [
        (node["role"]["value"], node.get("name", {}).get("value", ""))
        for node in tree
        if node.get("role", {}).get("value") in controls
    ]
    assert len(names) > 10
    assert [one for one in names if not one[1].strip()] == []


def test_marks_count_characters_as_the_store_does(origin: str, page: Page) -> None:
    """A selection behind letters that take two units of a page is where it is in the text."""
    text = "😀😀 The lamp is \u202ered. It is 😀 blue."
    ask(origin, "Which colour?", text)
    sign_in(page, origin)
    until(lambda: _has_item(page))
    while "😀" not in page.inner_text("main"):
        label(page, "2")
        go_on(page)
    page.evaluate(
        """() => {
          const pieces = document.querySelectorAll('.answer [data-at]');
          const last = pieces[pieces.length - 1].firstChild;
          const end = last.data.indexOf(' blue') + 5;
          getSelection().setBaseAndExtent(pieces[1].firstChild, 0, last, end);
        }"""
    )
    page.keyboard.press("m")

    start, end = map(int, page.input_value("#missed").split("-"))
    assert text[start:end] == "\u202ered. It is 😀 blue"


def test_works_without_scripts(origin: str, browser: Browser) -> None:
    """Plain forms and links do all of it."""
    ask(origin, "And without?", "It weighs 1.4 kg.")
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    sign_in(page, origin)
    until(lambda: _has_item(page))

    page.check("[name=truth][value=correct]")
    page.click("summary")
    page.check("#sentences input >> nth=0")
    page.fill("#note", "two\nlines")
    page.click("button.main")
    assert "Your label is stored." in page.inner_text("main")
    labelled = page.url
    page.check("[name=wrong_claim] >> nth=0")
    page.click("button.main")
    page.goto(labelled)
    page.click("form.undo button")

    assert "The label is undone" in page.inner_text("main")
    context.close()


def test_page_of_counters_has_no_text(origin: str, page: Page) -> None:
    """What was labelled is counted, never quoted."""
    page.goto(f"{origin}{METRICS}")

    assert "Lumo" not in page.content()


def test_sign_in_of_one_folder_is_for_one_folder(origin: str, page: Page, tmp_path: Path) -> None:
    """The cookie is sent to the page and to no other address of the app."""
    sign_in(page, origin)

    [cookie] = page.context.cookies()
    assert (cookie["path"], cookie["httpOnly"], cookie["sameSite"]) == (REVIEW, True, "Strict")
