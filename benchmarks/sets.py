"""Labelled sets for measuring, in a folder named on the command line.

The texts are under terms that don't let us ship them, so they are no part of the project. Each is
``NAME.jsonl.gz`` in the form that ``gatekeeper evaluate`` reads, with a hexadecimal ``group``;
rows that share a context share a group.
"""

import re
from collections.abc import Sequence
from pathlib import Path

from gatekeeper.core.terms import terms
from gatekeeper.errors import InputError
from gatekeeper.evaluation.rows import Row, read_rows

CALIBRATION, TEST = "calibration", "test"
HALVES = (CALIBRATION, TEST)

# The sets that a claim of accuracy is about, and whose calibration halves the shipped weighing and
# thresholds are fitted on.
FITTED = (
    "summedits",
    "qags",
    "aggrefact_cliff_goyal21",
    "attributionbench_dev",
    "storysumm",
    "dialsummeval",
    "xsumfaith",
    "summac_factcc",
)

# Reported beside them: nothing is fitted on these.
OTHERS = (
    "mtrag_human",
    "begin",
    "fever_symmetric",
    "lfqa_verification",
    "halueval_qa_small",
)

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")


def half_of(row: Row) -> str:
    """Return the half a row belongs to: calibration if its group begins with 0 to 7.

    Raises:
        InputError: If the group is no hexadecimal number.
    """
    group = row.group or ""
    if not group[:1] or group[0] not in "0123456789abcdef":
        raise InputError(f"row {row.id}", f"the group {group!r}", "a hexadecimal group")
    return half_of_group(group)


def half_of_group(group: str) -> str:
    """Return the half of a group: the first digit decides."""
    return CALIBRATION if group[0] in "01234567" else TEST


def load_half(folder: Path, name: str, half: str, *, limit: int | None = None) -> tuple[Row, ...]:
    """Read the labelled rows of one half of a set, the first ``limit`` of them.

    Raises:
        InputError: If the set is missing, a line of it can't be used, or a row has no label:
            a figure over part of a set would pass for one over the whole.
    """
    path = folder / f"{name}.jsonl.gz"
    found = read_rows(path)
    dropped = [fault for fault in found.faults if fault.dropped]
    if dropped:
        raise InputError(str(path), str(dropped[0]), "rows only")
    rows = tuple(row for row in found.rows if half_of(row) == half)
    unlabelled = [row.id for row in rows if row.label is None]
    if unlabelled:
        raise InputError(f"{path}: row {unlabelled[0]}", "no label", "a label")
    return rows[:limit]


def overlap(row: Row) -> tuple[float, ...]:
    """Return, for each sentence of the answer, the share of its content terms in the context.

    The baseline that uses no model. Sentences without a content word are left out, so the result
    may be empty. Sentences end at ``.``, ``!`` or ``?`` before a blank, or with the line.
    """
    known = {term for passage in row.evidence.passages for term in terms(passage.text)}
    found = (terms(sentence) for sentence in _SENTENCE_END.split(row.answer))
    return tuple(sum(term in known for term in words) / len(words) for words in found if words)


def lowest(shares: Sequence[float]) -> float:
    """Return the smallest share, 1.0 without any: nothing in the answer is uncovered."""
    return min(shares, default=1.0)


def mean(shares: Sequence[float]) -> float:
    """Return the mean share, 1.0 without any."""
    return sum(shares) / len(shares) if shares else 1.0
