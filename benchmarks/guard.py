"""The value guard alone, no model: ``python -m benchmarks.guard DATA``.

DATA is a folder of labelled pairs (see ``corpus``). Each trial is a real sentence and its
neighbours as evidence. Claim is the same sentence: with one value changed (caught: the guard says
clashing or absent), as it is, and with the value in another notation (false alarms). Then right
derived values in sentences of their own, the same made wrong, and the time of a pass by size. The
result file holds figures, no text; ``--examples`` writes what went wrong to a file of one's own.

Left out, and nothing else: questions; sets made from templates or tables; numbers of list items
and citations, bare "one", years that may be counts, pounds that may be weight, what stands in a
formula (``spots``); changes that follow all the same, under a bound towards it and under a hedge by
less than a fifth, counted as "excluded" (``implied``); other notations inside quotations, ranges,
names and beside another value (``renotate``); one identifier or address more than ten times.
"""

import argparse
import json
import math
import sys
from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TypeVar

from benchmarks.chance import seeded
from benchmarks.corpus import read_places
from benchmarks.derivations import Derived, derivations
from benchmarks.guard_time import pass_times
from benchmarks.implied import implied
from benchmarks.machine import describe
from benchmarks.mutations import Change, mutations
from benchmarks.spots import spots
from benchmarks.trials import WANTED, Trial, Trials, draw
from gatekeeper.core.evidence import build_index
from gatekeeper.core.rulings import Guard, build_facts
from gatekeeper.core.segment import segments
from gatekeeper.errors import GatekeeperError
from gatekeeper.verdict import Evidence, Passage

RESULT = Path(__file__).parent / "results" / "guard.json"
T = TypeVar("T")
OPEN_RULES = frozenset({"rounding", "bound"})
CAUGHT_TARGET, ALARM_TARGET = 95.0, 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """A claim and what the guard says: its reason, "" where it is silent."""

    kind: str
    way: str  # mutated, unmutated, renotated or derived
    sort: str
    generated: bool
    evidence: str
    claim: str
    reason: str

    @property
    def is_wrong(self) -> bool:
        """True for a changed value that is let through, and for a right one that is not."""
        return (self.way == "mutated") != bool(self.reason)


def open_guard(passages: Sequence[str]) -> Guard:
    """Read evidence into a guard, as the gate does; no word is unknown without a model."""
    evidence = Evidence(
        passages=tuple(Passage(id=str(n), text=text) for n, text in enumerate(passages))
    )
    index = _finished(build_index(evidence))
    return Guard(index, _finished(build_facts(index)), list(passages), lambda _: ())


def _finished(steps: Generator[None, None, T]) -> T:
    while True:
        try:
            next(steps)
        except StopIteration as end:
            found: T = end.value
            return found


def objection(guard: Guard, claim: str) -> str:
    """Return why the guard refuses a claim (a value clashes or is absent), "" if it does not."""
    reasons = []
    for segment in segments(claim):
        if not segment.is_claim:
            continue
        if segment.literal:
            _, ruling = guard.compare_literally(segment)
        else:
            ruling, _ = guard.rule(segment)
        if ruling.clashing or ruling.absent:
            reasons.append(ruling.reason)
    return "; ".join(reasons)


def try_mutated(trial: Trial) -> list[Tried]:
    """Try a changed sentence, and the unchanged one, on the same evidence."""
    evidence = trial.place.evidence(trial.place.sentence)
    guard = open_guard([evidence])
    return [
        _tried(trial, "mutated", evidence, trial.claim, guard),
        _tried(trial, "unmutated", evidence, trial.place.sentence, guard),
    ]


def try_renotated(trial: Trial) -> Tried:
    """Try a sentence whose value stands in another notation."""
    evidence = trial.place.evidence(trial.place.sentence)
    return _tried(trial, "renotated", evidence, trial.claim, open_guard([evidence]))


def _tried(trial: Trial, way: str, evidence: str, claim: str, guard: Guard) -> Tried:
    return Tried(
        kind=trial.spot.kind,
        way=way,
        sort=trial.change.sort if way != "unmutated" else "as it is",
        generated=trial.generated,
        evidence=evidence,
        claim=claim,
        reason=objection(guard, claim),
    )


def try_derived(made_claims: Iterable[Derived], seed: int) -> list[Tried]:
    """Try right derived values, of which none may be refused, and the same made wrong.

    A hedge or a bound leaves room for many values: such claims are tried only as they are.
    """
    tried = []
    for made in made_claims:
        guard = open_guard(made.passages)
        claims = [("derived", "as it is", made.claim)]
        if made.rule not in OPEN_RULES:
            claims += [("mutated", change.sort, text) for change, text in _made_wrong(made, seed)]
        tried += [
            Tried(
                kind=made.rule, way=way, sort=sort, generated=True,
                evidence="\n\n".join(made.passages), claim=claim, reason=objection(guard, claim),
            )
            for way, sort, claim in claims
        ]  # fmt: skip
    return tried


def _made_wrong(made: Derived, seed: int) -> Iterator[tuple[Change, str]]:
    """Change the only value of a claim; a claim with none or more of them is left out."""
    found = list(spots(made.claim))
    random = seeded(seed, made.claim)
    changes = mutations(found[0], random) if len(found) == 1 else []
    allowed = [change for change in changes if implied(found[0], made.claim, change) is None]
    if allowed:
        change = random.choice(allowed)
        yield change, found[0].put(made.claim, change.text)


def whole_numbers(trials: Trials) -> list[int]:
    """Return the whole numbers among the values drawn, in their order."""
    found = [trial.spot.meaning[0] for trial in trials.mutated]
    return [int(n) for n in found if isinstance(n, Fraction) and n.denominator == 1]


def share(count: int, n: int) -> dict[str, float]:
    """Return a share in percent with its 95 % interval.

    Source: Wilson (1927), as in Brown, Cai and DasGupta (2001), equation 4.
    """
    if not n:
        return {"n": 0, "count": 0}
    z = 1.959964
    p, spread = count / n, z * z / n
    centre = (p + spread / 2) / (1 + spread)
    half = z / (1 + spread) * math.sqrt(p * (1 - p) / n + spread / (4 * n))
    low, high = max(0.0, centre - half), min(1.0, centre + half)
    return {
        "n": n, "count": count, "percent": round(100 * p, 2),
        "low": round(100 * low, 2), "high": round(100 * high, 2),
    }  # fmt: skip


def summary(tried: Iterable[Tried]) -> dict[str, object]:
    """Count by kind, real values and made-up ones apart and together."""
    kinds: dict[str, list[Tried]] = {}
    for item in tried:
        kinds.setdefault(item.kind, []).append(item)
    found: dict[str, object] = {}
    for kind, items in kinds.items():
        parts = {
            "all": items,
            "real": [item for item in items if not item.generated],
            "made_up": [item for item in items if item.generated],
        }
        found[kind] = {name: _figures(part) for name, part in parts.items() if part}
    return found


_FIGURES = {
    "mutated": "caught",
    "unmutated": "false_alarms",
    "renotated": "false_alarms_renotated",
    "derived": "false_alarms",
}


def _figures(items: Sequence[Tried]) -> dict[str, object]:
    found: dict[str, object] = {}
    for way, name in _FIGURES.items():
        of_way = [item for item in items if item.way == way]
        if not of_way:
            continue
        found[name] = share(sum(bool(item.reason) for item in of_way), len(of_way))
        if way in {"mutated", "renotated"}:
            n = Counter(item.sort for item in of_way)
            refused = Counter(item.sort for item in of_way if item.reason)
            found[f"{name}_by_sort"] = {
                sort: {"n": n[sort], "count": refused[sort]} for sort in sorted(n)
            }
    return found


def table(kinds: Mapping[str, object]) -> list[str]:
    """Return the figures as lines for people."""
    lines = ["kind         values        n caught      n alarms      n re-notated"]
    for kind, parts in kinds.items():
        for part, figures in parts.items():  # type: ignore[attr-defined]
            shares = [figures.get(name, {}) for name in dict.fromkeys(_FIGURES.values())]
            cells = [f"{one.get('n', 0):>6} {one.get('percent', '-'):>6}" for one in shares]
            lines.append(f"{kind:12} {part:8} {' '.join(cells)}")
    return lines


def write_examples(path: Path, tried: Iterable[Tried]) -> None:
    """Write what went wrong, one object a line."""
    with path.open("w", encoding="utf-8") as file:
        for item in tried:
            if item.is_wrong:
                fields = ("kind", "way", "sort", "generated", "evidence", "claim", "reason")
                row = {name: getattr(item, name) for name in fields}
                file.write(json.dumps(row, ensure_ascii=False) + "\n")


def main() -> int:
    """Run all; 0 whatever the figures, 2 if the data can't be read."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, help="processes; one a core unless told")
    parser.add_argument("--share", type=float, default=1.0, help="of the trials of each kind")
    parser.add_argument("--examples", type=Path, help="file for what went wrong; holds text")
    parser.add_argument("-o", "--output", type=Path, default=RESULT)
    arguments = parser.parse_args()
    try:
        places = read_places(arguments.data)
    except (OSError, GatekeeperError) as error:
        print(error, file=sys.stderr)
        return 2
    wanted = {kind: math.ceil(n * arguments.share) for kind, n in WANTED.items()}
    drawn = draw(places, wanted, seed=arguments.seed)
    tried = []
    with ProcessPoolExecutor(arguments.workers) as pool:
        for trials in drawn.values():
            for pair in pool.map(try_mutated, trials.mutated, chunksize=50):
                tried += pair
            tried += pool.map(try_renotated, trials.renotated, chunksize=50)
    made = derivations(whole_numbers(drawn["number"]), seed=arguments.seed)
    derived = try_derived(made, arguments.seed)
    result = {
        "benchmark": "guard",
        "machine": describe(),
        "seed": arguments.seed,
        "targets": {"caught_percent": CAUGHT_TARGET, "false_alarm_percent": ALARM_TARGET},
        "kinds": summary(tried),
        "excluded": {kind: dict(sorted(t.excluded.items())) for kind, t in drawn.items()},
        "derived": summary(derived),
        "time": pass_times(open_guard, objection),
    }
    if arguments.examples:
        write_examples(arguments.examples, [*tried, *derived])
    arguments.output.parent.mkdir(exist_ok=True)
    arguments.output.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    print("\n".join([*table(summary(tried)), "", *table(summary(derived))]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
