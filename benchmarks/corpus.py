"""Real sentences with their neighbours, from a folder of labelled pairs.

DATA holds ``nli_train.jsonl.gz`` and ``doc/*.jsonl.gz``; of the first the premises are read, of
the second the premises or contexts. Sets built from templates or tables have no real sentences
and are left out; so are questions and what is too short or too long to be a sentence.
"""

import gzip
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from gatekeeper.errors import InputError

MADE_UP = ("curriculum_", "infotabs", "tabfact_", "folio")
_SHORTEST, _LONGEST = 25, 400
_NEIGHBOURS = 2  # before; one or two follow
_BOUNDARY = re.compile(r"(?<=[.!?])[\"'\u201d\u2019)]?\s+(?=[A-Z\"'\u201c\u2018(])|\n+")
_UNFINISHED = re.compile(
    r"(?:\b(?:Mr|Mrs|Ms|Dr|St|No|Inc|Ltd|Co|Corp|Jr|Sr|vs|etc|approx|ca|c|e\.g|i\.e|U\.S|Jan|Feb|Mar|"
    r"Apr|Jun|Jul|Aug|Sept|Sep|Oct|Nov|Dec|Gen|Col|Lt|Sgt|Prof|Rev|Fig|al|pp|p|vol|Vol|[A-Z])"
    r"|(?:^|[.;:!?)] )\d{1,3})\.$"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A sentence in its text: what stands before and behind it, and the set it is from."""

    sentence: str
    before: tuple[str, ...]
    after: tuple[str, ...]
    source: str

    def evidence(self, sentence: str) -> str:
        """Return the passage with a sentence in the place of the real one."""
        return " ".join((*self.before, sentence, *self.after))


def read_places(data: Path) -> list[Place]:
    """Read all sentences that differ, in the order of the files.

    Raises:
        InputError: If the folder has none of the files.
    """
    files = [data / "nli_train.jsonl.gz", *sorted((data / "doc").glob("*.jsonl.gz"))]
    files = [file for file in files if file.is_file()]
    if not files:
        raise InputError(str(data), "no nli_train.jsonl.gz and no doc/*.jsonl.gz", "a data folder")
    found: dict[str, Place] = {}
    for source, text in _texts(files):
        for place in places(text, source):
            found.setdefault(place.sentence, place)
    return list(found.values())


def _texts(files: list[Path]) -> Iterator[tuple[str, str]]:
    seen: set[str] = set()
    for file in files:
        with gzip.open(file, "rt", encoding="utf-8") as lines:
            for line in lines:
                row = json.loads(line)
                text = row.get("premise") or row.get("context") or ""
                if text in seen or row["source"].startswith(MADE_UP):
                    continue
                seen.add(text)
                yield row["source"], text


def places(text: str, source: str) -> Iterator[Place]:
    """Yield the sentences of a text that assert something, each with its neighbours."""
    parts = split(text)
    for number, part in enumerate(parts):
        if _SHORTEST <= len(part) <= _LONGEST and not part.rstrip("\"'\u201d\u2019) ").endswith(
            "?"
        ):
            first = max(0, number - _NEIGHBOURS)
            yield Place(
                sentence=part,
                before=tuple(parts[first:number]),
                after=tuple(parts[number + 1 : first + _NEIGHBOURS + 2]),
                source=source,
            )


def split(text: str) -> list[str]:
    """Cut a text at line ends and behind full stops, not behind abbreviations."""
    parts: list[str] = []
    start = 0
    for match in _BOUNDARY.finditer(text):
        head = text[start : match.end()].strip()
        if "\n" not in match[0] and _UNFINISHED.search(head):
            continue
        parts.append(head)
        start = match.end()
    parts.append(text[start:].strip())
    return [part for part in parts if part]
