"""Every file of the repository, whatever it is for: nothing of the place where it was written."""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent

# A vocabulary is a list of words that anyone may use.
LISTS_OF_WORDS = {"models/minilm-l6-nli/tokenizer.json"}
# Folders that are somebody's own. Letters in brackets keep the patterns from finding themselves.
PRIVATE = re.compile(r"(?<![\w.])/(?:work|home|root|tmp|mnt|Users)/|\b[A-Z]:\\Users\\")
WRITING_TOOLS = re.compile(
    r"\b(?:cl[a]ude|anthrop[i]c|cop[i]lot|cod[e]x|chatgp[t])\b", re.IGNORECASE
)


def tracked() -> Iterator[tuple[str, str]]:
    """Yield name and text of each tracked file that is a text."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True)
    for name in listed.stdout.decode().split("\0")[:-1]:
        path = ROOT / name
        data = path.read_bytes() if path.is_file() and name not in LISTS_OF_WORDS else b"\0"
        if b"\0" not in data:
            yield name, data.decode()


def found(pattern: re.Pattern[str]) -> list[str]:
    """Return where a pattern stands, as ``file: text``; there is something to look at."""
    files = list(tracked())
    assert "pyproject.toml" in dict(files)
    return [f"{name}: {match[0]}" for name, text in files for match in pattern.finditer(text)]


def test_no_file_names_a_machine() -> None:
    """A path of somebody's machine works for nobody else, and tells what is nobody's business."""
    assert found(PRIVATE) == []


def test_no_file_names_what_it_was_written_with() -> None:
    """A reader cares what the code does; the tools of its authors come and go."""
    assert found(WRITING_TOOLS) == []
