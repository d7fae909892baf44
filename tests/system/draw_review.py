"""Draw the pictures of the review page in docs/images, from the page itself.

python -m tests.system.draw_review docs/images
"""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.system.reviewed import REVIEW
from tests.system.reviewing import (
    arrive,
    ask,
    browsing,
    label,
    metrics,
    served,
    sign_in,
    total,
    until,
)

QUESTION = "What does the Lumo lamp come with, and until when can I return it?"
SAID = (
    "The Lumo lamp has a warranty of two years. It weighs 4.1 kg. Opened lamps can be returned for "
    "30 days. It comes with a spare bulb."
)
WIDE, PHONE = (1100, 860), (360, 740)


def main(folder: Path) -> None:
    """Write the pictures into a folder."""
    with TemporaryDirectory() as place, served(Path(place)) as origin, browsing() as browser:
        ask(origin, QUESTION, SAID)
        until(lambda: total(metrics(origin), "gatekeeper_review_queue") == 1)
        wide = browser.new_page(viewport=dict(zip(("width", "height"), WIDE, strict=True)))
        sign_in(wide, origin)
        wide.keyboard.press("1")
        wide.screenshot(path=folder / "review-blind.png")
        phone = browser.new_page(viewport=dict(zip(("width", "height"), PHONE, strict=True)))
        sign_in(phone, origin)
        phone.screenshot(path=folder / "review-phone.png")
        label(wide, "1", "5")
        wide.goto(wide.url.partition("?")[0])
        arrive(wide, f"form[action^='{REVIEW}/decision']")
        wide.screenshot(path=folder / "review-gate.png")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
