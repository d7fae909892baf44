"""Hard cases through the shipped gate: ``python -m benchmarks.cases [CASES.jsonl]``.

The project's own cases (``data/own_cases.jsonl``) are run in any case, and counted apart from
those of the file.

One object a line: id, context (chunks split by a blank line), answer, expected, kind, language,
policy_dependent. Right is: expected "supported" and verdict SUPPORTED or NO_CLAIMS, expected
"unsupported" and verdict FLAGGED; UNRESOLVED and NOT_CHECKED are never right, except NOT_CHECKED
with the reason "language" where the language is not English. Cases that depend on policy are
counted apart. The result file holds ids and kinds, no text.
"""

import argparse
import asyncio
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.machine import describe
from gatekeeper.build import open_gate
from gatekeeper.cli.show import say, verdict_lines, visible
from gatekeeper.errors import GatekeeperError, InputError
from gatekeeper.evaluation.context import split_passages
from gatekeeper.evaluation.versions import package_versions
from gatekeeper.gate import Gate
from gatekeeper.verdict import Evidence, NotCheckedReason, Outcome, Verdict

RESULT = Path(__file__).parent / "results" / "cases.json"
OWN = Path(__file__).parent / "data" / "own_cases.jsonl"

# Answers, or parts of answers, that assert nothing: flagging one would stop a harmless reply.
EXEMPT_KINDS = frozenset(
    {"greeting", "closing_offer", "refusal_paraphrase", "opinion", "instruction_echo", "heading"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A case as written."""

    id: str
    evidence: Evidence
    answer: str
    expected: str
    kind: str
    policy_dependent: bool
    language: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """A case and what the gate made of it."""

    case: Case
    verdict: Verdict

    @property
    def is_right(self) -> bool:
        """True if the verdict is the expected one, by the rules at the head of this file."""
        if self.verdict.not_checked is NotCheckedReason.LANGUAGE:
            return self.case.language != "en"
        if self.case.expected == "supported":
            return self.verdict.outcome in {Outcome.SUPPORTED, Outcome.NO_CLAIMS}
        return self.verdict.outcome is Outcome.FLAGGED


def read_cases(path: Path) -> list[Case]:
    """Read the file.

    Raises:
        InputError: If a line is no case.
    """
    cases = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        try:
            raw = json.loads(line)
            if raw["expected"] not in {"supported", "unsupported"}:
                raise InputError(f"{path}:{number}", repr(raw["expected"]), "(un)supported")
            cases.append(
                Case(
                    id=raw["id"],
                    evidence=Evidence(passages=split_passages(raw["context"])),
                    answer=raw["answer"],
                    expected=raw["expected"],
                    kind=raw["kind"],
                    policy_dependent=raw["policy_dependent"],
                    language=raw["language"],
                )
            )
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(f"{path}:{number}", f"{error!r}", "a case") from error
    return cases


async def try_cases(gate: Gate, cases: Sequence[Case]) -> list[Tried]:
    """Check every case."""
    return [
        Tried(case=case, verdict=await gate.check(case.answer, case.evidence)) for case in cases
    ]


def record(tried: Sequence[Tried], own: Sequence[Tried], gate: Gate) -> dict[str, object]:
    """Return the result file's content; without cases of a file, those figures are not in it."""
    return {
        "benchmark": "cases",
        "machine": describe(),
        "versions": package_versions(),
        "scorer": gate.fingerprint,
        "thresholds": {
            "support": gate.thresholds.support,
            "contradiction": gate.thresholds.contradiction,
        },
        **(_figures(tried) if tried else {}),
        "own": _figures(own),
    }


def _figures(tried: Sequence[Tried]) -> dict[str, object]:
    exempt = [item for item in tried if item.case.kind in EXEMPT_KINDS]
    return {
        "cases": _share([item for item in tried if not item.case.policy_dependent]),
        "policy_dependent": _share([item for item in tried if item.case.policy_dependent]),
        "exempt_kinds_flagged": sum(item.verdict.outcome is Outcome.FLAGGED for item in exempt),
        "misses": [
            {
                "id": item.case.id,
                "kind": item.case.kind,
                "expected": item.case.expected,
                "verdict": str(item.verdict.outcome),
                "policy_dependent": item.case.policy_dependent,
            }
            for item in tried
            if not item.is_right
        ],
    }


def show_misses(tried: Sequence[Tried]) -> None:
    """Print each miss with its claims."""
    for item in tried:
        if item.is_right:
            continue
        case = item.case
        apart = ", policy dependent" if case.policy_dependent else ""
        print(f"\n{case.id} {case.kind}: expected {case.expected}{apart}")
        for passage in case.evidence.passages:
            say(f"  evidence {passage.id}: {visible(passage.text)[:300]}")
        say(f"  answer: {visible(case.answer)[:300]}")
        for line in verdict_lines(item.verdict, elapsed_s=0.0):
            say(f"  {line}")


def main() -> int:
    """Run the cases; 0 whatever the figures, 2 if the file can't be read."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", type=Path, nargs="?", help="beside the project's own")
    parser.add_argument("--model", type=Path)
    parser.add_argument("-o", "--output", type=Path, default=RESULT)
    arguments = parser.parse_args()
    try:
        cases = read_cases(arguments.cases) if arguments.cases else []
        own = read_cases(OWN)
        gate = open_gate(arguments.model)
    except (OSError, GatekeeperError) as error:
        print(error, file=sys.stderr)
        return 2
    try:
        tried = asyncio.run(try_cases(gate, [*cases, *own]))
        result = record(tried[: len(cases)], tried[len(cases) :], gate)
    finally:
        gate.close()
    show_misses(tried)
    arguments.output.parent.mkdir(exist_ok=True)
    arguments.output.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    for name in ("cases", "policy_dependent", "exempt_kinds_flagged"):
        if name in result:
            print(f"{name.replace('_', ' ')} {result[name]}")
    print(f"own cases {_share(tried[len(cases) :])}")
    return 0


def _share(items: Sequence[Tried]) -> dict[str, float]:
    right = sum(item.is_right for item in items)
    return {"n": len(items), "right": right, "percent": round(100 * right / max(len(items), 1), 1)}


if __name__ == "__main__":
    sys.exit(main())
