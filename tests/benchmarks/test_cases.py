"""Hard cases: what counts as right, and what the result holds."""

import asyncio
import json
from pathlib import Path

import pytest

from benchmarks.cases import OWN, Case, Tried, read_cases, record, show_misses, try_cases
from gatekeeper.core.aggregate import Thresholds
from gatekeeper.errors import InputError
from gatekeeper.testing import write_verdict
from gatekeeper.verdict import (
    Evidence,
    NotCheckedReason,
    Passage,
    UnresolvedReason,
    Verdict,
)
from tests.benchmarks.gates import checksum_gate

CASE = {
    "id": "c1",
    "context": "One.\n\nTwo.",
    "answer": "One.",
    "expected": "supported",
    "kind": "copy",
    "note": "",
    "policy_dependent": False,
    "language": "en",
}

PASSED = write_verdict("One.")
FLAGGED = write_verdict("One.", flagged=["One."])
OPEN = write_verdict("One.", unresolved=UnresolvedReason.BUDGET)
FOREIGN = Verdict(not_checked=NotCheckedReason.LANGUAGE)
NO_CONTEXT = Verdict(not_checked=NotCheckedReason.NO_CONTEXT)


def _file(folder: Path, *cases: object) -> Path:
    path = folder / "cases.jsonl"
    path.write_text("\n".join(json.dumps(case) for case in cases))
    return path


def _tried(
    verdict: Verdict,
    expected: str = "supported",
    language: str = "en",
    kind: str = "copy",
    *,
    policy: bool = False,
) -> Tried:
    case = Case(
        id="c1",
        evidence=Evidence(passages=(Passage(id="0", text="One."),)),
        answer="One.",
        expected=expected,
        kind=kind,
        policy_dependent=policy,
        language=language,
    )
    return Tried(case=case, verdict=verdict)


def test_cases_are_read(tmp_path: Path) -> None:
    """Chunks are passages; an empty context is none."""
    first, second = read_cases(_file(tmp_path, CASE, {**CASE, "context": ""}))

    assert [passage.text for passage in first.evidence.passages] == ["One.", "Two."]
    assert second.evidence.passages == ()


@pytest.mark.parametrize("case", [{"id": "c1"}, [], {**CASE, "expected": "yes"}])
def test_line_that_is_no_case_is_an_error(tmp_path: Path, case: object) -> None:
    """A percentage over fewer cases than the file has would mislead."""
    with pytest.raises(InputError, match=r"cases\.jsonl:1"):
        read_cases(_file(tmp_path, case))


@pytest.mark.parametrize(
    ("verdict", "expected", "language", "right"),
    [
        (PASSED, "supported", "en", True),
        (Verdict(), "supported", "en", True),
        (FLAGGED, "supported", "en", False),
        (FLAGGED, "unsupported", "en", True),
        (PASSED, "unsupported", "en", False),
        (Verdict(), "unsupported", "en", False),
        (OPEN, "supported", "en", False),
        (OPEN, "unsupported", "en", False),
        (NO_CONTEXT, "unsupported", "en", False),
        (FOREIGN, "supported", "other", True),
        (FOREIGN, "unsupported", "other", True),
        (FOREIGN, "unsupported", "en", False),
    ],
)
def test_right_is_what_the_rules_say(
    verdict: Verdict, expected: str, language: str, right: bool
) -> None:
    """An open verdict is never right; another language may be declined either way."""
    assert _tried(verdict, expected, language).is_right is right


def test_result_counts_policy_apart_and_holds_no_text() -> None:
    """Percentages, misses by kind, and harmless replies that were flagged."""
    tried = [
        _tried(PASSED),
        _tried(FLAGGED, kind="greeting"),
        _tried(PASSED, "unsupported", policy=True),
    ]

    found = record(
        tried, [_tried(FLAGGED)], checksum_gate(Thresholds(support=0.5, contradiction=0.9))
    )

    assert found["cases"] == {"n": 2, "right": 1, "percent": 50.0}
    assert found["policy_dependent"] == {"n": 1, "right": 0, "percent": 0.0}
    assert found["exempt_kinds_flagged"] == 1
    misses = found["misses"]
    assert isinstance(misses, list)
    assert [miss["kind"] for miss in misses] == ["greeting", "copy"]
    own = found["own"]
    assert isinstance(own, dict)
    assert own["cases"] == {"n": 1, "right": 0, "percent": 0.0}
    assert "One." not in json.dumps(found)


def test_own_cases_are_sixty_and_balanced() -> None:
    """Half hold and half do not, so that a gate which flags all, or nothing, gets half."""
    cases = read_cases(OWN)

    assert len({case.id for case in cases}) == len(cases) == 60
    assert sum(case.expected == "supported" for case in cases) == 30
    assert {case.language for case in cases} == {"en"}
    assert not any(case.policy_dependent for case in cases)


def test_without_a_file_only_own_cases_are_counted() -> None:
    """Nobody but the project has the other file; 0 of 0 right would be no figure."""
    gate = checksum_gate(Thresholds(support=0.5, contradiction=0.9))

    found = record([], [_tried(PASSED)], gate)

    assert "cases" not in found
    assert found["own"] == {
        "cases": {"n": 1, "right": 1, "percent": 100.0},
        "policy_dependent": {"n": 0, "right": 0, "percent": 0.0},
        "exempt_kinds_flagged": 0,
        "misses": [],
    }


def test_misses_are_shown_with_their_claims(capsys: pytest.CaptureFixture[str]) -> None:
    """Whoever mends the gate sees evidence, answer and finding together."""
    show_misses([_tried(PASSED), _tried(FLAGGED)])

    shown = capsys.readouterr().out
    assert shown.count("expected supported") == 1
    assert "UNSUPPORTED" in shown
    assert "evidence 0: One." in shown


def test_cases_go_through_the_gate(tmp_path: Path) -> None:
    """Each case has its verdict, in order."""
    gate = checksum_gate(Thresholds(support=0.5, contradiction=0.9))

    tried = asyncio.run(try_cases(gate, read_cases(_file(tmp_path, CASE))))

    assert [item.verdict.fingerprint for item in tried] == [gate.fingerprint]
