"""Draw a stage's pairs from a folder of data, as models/mixture.toml says.

    python -m models.mixture DATA OUT --stage 2

Writes OUT/train.jsonl.gz and OUT/dev.jsonl.gz; the same data and file give the same bytes.
"""

import argparse
import gzip
import hashlib
import json
import random
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from gatekeeper.core.terms import terms
from models.construct import documents, kinds, rewordings, templates
from models.construct.edits import ENTAILMENT
from models.construct.retellings import RETOLD
from models.pairs import Pair, write_pairs

MIXTURE = Path(__file__).with_name("mixture.toml")
EVALUATION = "nli_eval.jsonl.gz"
# A longer premise is cut to the gate's windows.
LONGEST_PREMISE = 750
# No set gives more retellings of a side: two thirds of all summaries are of support chats.
MOST_RETOLD = 2500
# FEVER's rows are three quarters true: as many false ones as true ones are drawn.
BALANCED = frozenset(("fever_train", "fairytaleqa", "factscore_decomp", "climate_fever", "nope"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled:
    """A set of labelled pairs and how many of them each stage draws at most."""

    name: str
    file: str
    source: str
    stage1: int
    stage2: int
    stage3: int
    licence: str
    stated: bool
    why: str

    def wanted(self, stage: int) -> int:
        """Return the most pairs that a stage draws."""
        return (self.stage1, self.stage2, self.stage3)[stage - 1]

    def skipped(self, stage: int) -> int:
        """Return how many pairs the stage before has drawn; stage 3 goes on behind them."""
        return self.stage2 if stage == 3 else 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Texts:
    """A set of texts that pairs are made from; ``documents`` bounds them."""

    name: str
    file: str
    documents: int
    licence: str
    stated: bool
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Mixture:
    """The file as a value."""

    seed: int
    held_out: float
    families: dict[str, dict[str, int]]
    pairs: tuple[Labelled, ...]
    claims: dict[str, int]
    texts: tuple[Texts, ...]


def read_mixture(path: Path, *, stated_only: bool = False) -> Mixture:
    """Read the file; leave out sources without a stated licence if wanted."""
    found = tomllib.loads(path.read_text(encoding="utf-8"))
    return Mixture(
        seed=found["seed"],
        held_out=found["held_out"],
        families=found["families"],
        pairs=tuple(
            Labelled(**entry) for entry in found["pairs"] if entry["stated"] or not stated_only
        ),
        claims={entry["name"]: entry["count"] for entry in found["claims"]},
        texts=tuple(
            Texts(**entry) for entry in found["texts"] if entry["stated"] or not stated_only
        ),
    )


def training_sources(mixture: Mixture) -> list[str]:
    """Name all that a model of this mixture learns from, as its manifest does."""
    names = [source.name for source in mixture.pairs]
    others = [source.name for source in mixture.texts if source.name not in names]
    return [
        "all-MiniLM-L6-v2 (base, Apache-2.0)",
        *names,
        f"pairs made from the texts of {', '.join(others)} and of the above",
        "number edits, copies and support-desk templates of this project",
    ]


def group_of(text: str) -> str:
    """Return a short name of a text: rows of one text are never on both sides of a split."""
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def is_held_out(group: str, share: float) -> bool:
    """Tell whether a group belongs to the dev file; it follows from its name alone."""
    return int(group[:8], 16) / 16**8 < share


class Data:
    """The folder of data; keeps what more than one source reads."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._rows: dict[str, list[dict[str, Any]]] = {}
        # The premises the model is measured on; equal ones are never learnt from.
        self.kept_back = {_key(row["premise"]) for row in self.rows(EVALUATION)}

    def rows(self, file: str) -> list[dict[str, Any]]:
        """Return the rows of a file of the folder."""
        if file not in self._rows:
            with gzip.open(self._folder / file, "rt", encoding="utf-8") as lines:
                self._rows[file] = [json.loads(line) for line in lines]
        return self._rows[file]


def _key(text: str) -> str:
    return " ".join(text.lower().split()).rstrip(" .")


def draw_labelled(data: Data, source: Labelled, stage: int, seed: int) -> list[Pair]:
    """Draw a set's pairs: none that shares a premise with the evaluation sets, labels balanced."""
    rows = usable_rows(data, source, seed)
    if source.source in BALANCED:
        rows = balanced(rows)
    first = source.skipped(stage)
    # A set that is used up starts again.
    chosen = (rows[first:] + rows[:first])[: source.wanted(stage)]
    return [_pair(row, source) for row in chosen]


def usable_rows(data: Data, source: Labelled, seed: int) -> list[dict[str, Any]]:
    """Return a set's rows, shuffled, without those whose premise the model is measured on."""
    rows = [
        row
        for row in data.rows(source.file)
        if row.get("source") == source.source and _key(row["premise"]) not in data.kept_back
    ]
    random.Random(f"{seed} {source.name}").shuffle(rows)  # noqa: S311  # not for secrets
    return rows


def _pair(row: dict[str, Any], source: Labelled) -> Pair:
    return Pair(
        premise=shortened(row["premise"], row["hypothesis"]),
        hypothesis=row["hypothesis"],
        label=row["label"],
        source=source.name,
        group=group_of(row["premise"]),
    )


def draw_claims(data: Data, mixture: Mixture) -> Iterator[Pair]:
    """Edit entailed claims, the last ones of each set: those that other stages draw last."""
    for source in mixture.pairs:
        rows = usable_rows(data, source, mixture.seed)
        true = [row for row in reversed(rows) if row["label"] == "entailment"]
        others: tuple[str, ...] = ()
        for row in true[: mixture.claims.get(source.name, 0)]:
            pair = _pair(row, source)
            draw = random.Random(f"{mixture.seed} {pair.hypothesis}")  # noqa: S311  # not for secrets
            if "?" not in pair.hypothesis:
                yield from rewordings.reworded(pair, draw, others)
            others = (*others, pair.hypothesis)[-8:]


def balanced(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return as many true rows as false ones, in turn."""
    true = [row for row in rows if row["label"] == "entailment"]
    false = [row for row in rows if row["label"] != "entailment"]
    return [row for both in zip(true, false, strict=False) for row in both]


def shortened(premise: str, hypothesis: str, longest: int = LONGEST_PREMISE) -> str:
    """Return a premise cut to the few sentences most like the claim, in their order."""
    if len(premise) <= longest:
        return premise
    found = documents.read_document("", "", premise)
    wanted = set(terms(hypothesis))
    order = sorted(range(len(found.lines)), key=lambda n: (-len(found.lines[n].terms & wanted), n))
    chosen: list[int] = []
    size = 0
    for number in order:
        for near in (number, number + 1, number - 1):
            if not 0 <= near < len(found.lines) or near in chosen:
                continue
            length = len(found.lines[near].sentence.text)
            if size + length <= longest:
                chosen.append(near)
                size += length
    return documents.text_of(found, sorted(chosen)) if chosen else premise[:longest]


def texts_of(
    data: Data, source: Texts, seed: int
) -> Iterator[tuple[str, list[str], random.Random]]:
    """Yield the texts of a set, shuffled, with their summaries and dice that follow from both."""
    by_context: defaultdict[str, list[str]] = defaultdict(list)
    for row in data.rows(source.file):
        text = row.get("context") or row["premise"]
        by_context[text].extend([row["summary"]] if "summary" in row else [])
    contexts = sorted(by_context, key=group_of)
    random.Random(f"{seed} {source.name}").shuffle(contexts)  # noqa: S311  # not for secrets
    for context in contexts[: source.documents]:
        dice = random.Random(f"{seed} {group_of(context)}")  # noqa: S311  # not for secrets
        yield context, by_context[context], dice


def draw_texts(data: Data, source: Texts, seed: int) -> Iterator[Pair]:
    """Make pairs of a set of texts; each text's pairs follow from the seed and the text."""
    outside: tuple[str, ...] = ()
    for context, written, draw in texts_of(data, source, seed):
        made, seen = kinds.all_pairs(
            source.name, group_of(context), context, written, draw, outside
        )
        outside = (*outside, *seen)[-60:]
        yield from made


def draw_retellings(data: Data, mixture: Mixture) -> Iterator[Pair]:
    """Make pairs of the summaries that people wrote, of each set at most so many of each side."""
    for source in mixture.texts:
        made: list[Pair] = []
        others = kinds.Others(details=(), claims=())
        for context, written, draw in texts_of(data, source, mixture.seed):
            pairs, details, claims = kinds.retold_pairs(
                source.name, group_of(context), context, written, draw, others
            )
            made.extend(pairs)
            others = kinds.Others(
                details=(*others.details, *details)[-60:], claims=(*others.claims, *claims)[-200:]
            )
        random.Random(mixture.seed).shuffle(made)  # noqa: S311  # not for secrets
        for side in (True, False):
            mine = (pair for pair in made if (pair.label == ENTAILMENT) is side)
            yield from islice(mine, MOST_RETOLD)


def family_of(kind: str) -> str:
    """Return the family a kind is counted in: one in which both sides can be balanced."""
    if kind in ("copied", "missing"):
        return "presence"
    return "summary" if kind == "elsewhere" else kind.partition("_")[0].replace("two", "two_facts")


def within(made: list[Pair], families: dict[str, int], seed: int) -> list[Pair]:
    """Return pairs drawn from those made: each family's share, as many true as false."""
    random.Random(seed).shuffle(made)  # noqa: S311  # not for secrets
    sides: defaultdict[tuple[str, bool], list[Pair]] = defaultdict(list)
    for pair in made:
        sides[family_of(pair.kind), pair.label == "entailment"].append(pair)
    chosen = []
    for name, most in families.items():
        true, false = sides[name, True], sides[name, False]
        size = min(most, len(true), len(false))
        chosen.extend(true[:size] + false[:size])
    return chosen


def constructed(data: Data, mixture: Mixture, stage: int) -> list[Pair]:
    """Return a stage's pairs by construction; each stage throws other dice."""
    families = mixture.families[f"stage{stage}"]
    seed = mixture.seed + stage - 2
    made = [pair for source in mixture.texts for pair in draw_texts(data, source, seed)]
    if {"support", "table"} & families.keys():
        made.extend(templates.pairs(random.Random(seed)))  # noqa: S311  # not for secrets
    if RETOLD in families:
        made.extend(draw_retellings(data, mixture))
    if "reworded" in families:
        made.extend(draw_claims(data, mixture))
    return within(made, families, seed)


def build(data: Data, mixture: Mixture, stage: int) -> tuple[list[Pair], list[Pair]]:
    """Return the pairs of a stage to learn from, shuffled, and those kept back."""
    train: list[Pair] = []
    held: list[Pair] = []
    parts: list[Iterable[Pair]] = [
        draw_labelled(data, source, stage, mixture.seed) for source in mixture.pairs
    ]
    if stage > 1:
        parts.append(constructed(data, mixture, stage))
    for part in parts:
        for pair in part:
            (held if is_held_out(pair.group, mixture.held_out) else train).append(pair)
    draw = random.Random(mixture.seed)  # noqa: S311  # not for secrets
    draw.shuffle(train)
    return train, held


def main() -> None:
    """Write both files and say how many pairs each source gave."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--stage", type=int, choices=(1, 2, 3), required=True)
    parser.add_argument("--stated-only", action="store_true")
    given = parser.parse_args()
    mixture = read_mixture(MIXTURE, stated_only=given.stated_only)
    train, held = build(Data(given.data), mixture, given.stage)
    given.out.mkdir(parents=True, exist_ok=True)
    write_pairs(given.out / "train.jsonl.gz", train)
    write_pairs(given.out / "dev.jsonl.gz", held)
    print(len(train), "pairs to learn from,", len(held), "kept back")


if __name__ == "__main__":
    main()
