"""A training pair, and files of them."""

import gzip
import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

LABELS = frozenset(("entailment", "neutral", "contradiction", "not_entailment"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Premise, hypothesis and label; ``kind`` is how it was made, "" if it was found as it is.

    ``group`` names the text it comes from: pairs of one group are never on both sides of a split.
    """

    premise: str
    hypothesis: str
    label: str
    source: str
    kind: str = ""
    group: str = ""

    def __post_init__(self) -> None:
        if self.label not in LABELS:
            raise ValueError(f"label {self.label!r} in {self.source}: expected one of {LABELS}")


def read_pairs(path: Path) -> Iterator[Pair]:
    """Yield the pairs of a gzipped file, one JSON object a line."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield Pair(**json.loads(line))


def write_pairs(path: Path, pairs: Iterable[Pair]) -> None:
    """Write a gzipped file that ``read_pairs`` reads; equal pairs give equal bytes."""
    with (
        path.open("wb") as raw,
        gzip.GzipFile(filename="", fileobj=raw, mode="wb", mtime=0, compresslevel=5) as file,
    ):
        for pair in pairs:
            file.write((json.dumps(asdict(pair), ensure_ascii=False) + "\n").encode())
