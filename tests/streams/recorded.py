"""The recorded streams: bytes in files, and what is said in them."""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from tests.streams.sayings import Saying

FOLDER = Path(__file__).with_name("recorded")


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """One recorded stream.

    ``choices`` holds the sentences of each choice, ``exempt`` those that assert nothing.
    ``not_checked`` is the reason why it can't be released as it is, whatever the model says.
    """

    name: str
    kind: str
    raw: bytes
    choices: tuple[tuple[str, ...], ...]
    exempt: frozenset[str]
    passage: str
    not_checked: str | None

    def told(self, false: frozenset[str] = frozenset()) -> Mapping[int, tuple[Saying, ...]]:
        """Return the sentences by choice, some of them false."""
        return {
            number: tuple(Saying(text=text, is_true=text not in false) for text in texts)
            for number, texts in enumerate(self.choices)
        }

    def scripts(self) -> Iterator[frozenset[str]]:
        """Yield sets of false sentences: none, and each claim by itself."""
        yield frozenset()
        for text in chain.from_iterable(self.choices):
            if text not in self.exempt:
                yield frozenset({text})


def load() -> tuple[Recorded, ...]:
    """Read all recorded streams."""
    index = tomllib.loads((FOLDER / "index.toml").read_text(encoding="utf-8"))
    return tuple(
        Recorded(
            name=name,
            kind=entry["kind"],
            raw=(FOLDER / entry["file"]).read_bytes(),
            choices=tuple(map(tuple, entry["choices"])),
            exempt=frozenset(entry.get("exempt", ())),
            passage=entry["passage"],
            not_checked=entry.get("not_checked"),
        )
        for name, entry in index.items()
    )
