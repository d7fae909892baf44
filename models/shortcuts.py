"""What predicts a set's label without reading it: the claim alone, and word overlap alone.

    python -m models.shortcuts TRAIN.jsonl.gz DEV.jsonl.gz OUT.json

For each source, and each kind made by construction: ROC-AUC of logistic regression on the claim's
words, and on four figures of overlap, learnt on TRAIN and measured on DEV. 0.5 is no shortcut.
"""

import argparse
import json
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.preprocessing import StandardScaler

from gatekeeper.core.terms import terms
from models.pairs import Pair, read_pairs

LEAST = 60  # pairs on the dev side below which no figure is given


def overlap(pair: Pair) -> list[float]:
    """Return shares of the claim's terms and words in the premise, its length, its numbers."""
    wanted, held = set(terms(pair.hypothesis)), set(terms(pair.premise))
    words, given = set(pair.hypothesis.lower().split()), set(pair.premise.lower().split())
    missing = [term for term in wanted - held if term[0].isdigit()]
    return [
        len(wanted & held) / max(1, len(wanted)),
        len(words & given) / max(1, len(words)),
        float(len(words)),
        float(len(missing)),
    ]


def shortcut(train: Sequence[Pair], dev: Sequence[Pair]) -> dict[str, float] | None:
    """Return both AUCs, None if either side has one label only or too few pairs."""
    truth = [[pair.label == "entailment" for pair in part] for part in (train, dev)]
    if len(dev) < LEAST or any(len(set(part)) < 2 for part in truth):
        return None
    words = HashingVectorizer(n_features=2**16, ngram_range=(1, 2), alternate_sign=False)
    claims = [words.transform([pair.hypothesis for pair in part]) for part in (train, dev)]
    by_claim = LogisticRegression(C=1.0, max_iter=200).fit(claims[0], truth[0])
    figures = [np.array([overlap(pair) for pair in part]) for part in (train, dev)]
    scaler = StandardScaler().fit(figures[0])
    by_overlap = LogisticRegression(max_iter=200).fit(scaler.transform(figures[0]), truth[0])
    return {
        "claim_only": float(roc_auc_score(truth[1], by_claim.decision_function(claims[1]))),
        "overlap_only": float(
            roc_auc_score(truth[1], by_overlap.decision_function(scaler.transform(figures[1])))
        ),
    }


def by_set(pairs: Sequence[Pair]) -> dict[str, list[Pair]]:
    """Return pairs by source, and those by construction by kind; kinds of summaries are one."""
    sets: defaultdict[str, list[Pair]] = defaultdict(list)
    for pair in pairs:
        kind = (
            "summary" if pair.kind.startswith("summary") or pair.kind == "elsewhere" else pair.kind
        )
        kind = "retold" if kind.startswith("retold") else kind
        kind = "presence" if kind in ("copied", "missing") else kind
        sets[f"made: {kind}" if kind else pair.source].append(pair)
    return dict(sorted(sets.items()))


def report(train: Sequence[Pair], dev: Sequence[Pair]) -> dict[str, dict[str, object]]:
    """Return counts by label and both shortcuts, for each set and for all together."""
    held_out = by_set(dev)
    found: dict[str, dict[str, object]] = {}
    for name, pairs in [*by_set(train).items(), ("all", list(train))]:
        figures = shortcut(pairs, dev if name == "all" else held_out.get(name, []))
        found[name] = {
            "pairs": len(pairs),
            "labels": dict(sorted(Counter(pair.label for pair in pairs).items())),
            **{key: round(value, 3) for key, value in (figures or {}).items()},
        }
    return found


def main() -> None:
    """Write the report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("train", type=Path)
    parser.add_argument("dev", type=Path)
    parser.add_argument("out", type=Path)
    given = parser.parse_args()
    found = report(list(read_pairs(given.train)), list(read_pairs(given.dev)))
    given.out.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
