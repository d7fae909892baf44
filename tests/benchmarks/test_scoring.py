"""Saved scores: from them follows what the gate would do at any thresholds and any weighing."""

import asyncio
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.replay import Rules, replay
from benchmarks.scoring import SavedScores, ScoredRow, pairs_key, score_rows
from benchmarks.sets import CALIBRATION, TEST
from gatekeeper.core.aggregate import Thresholds
from gatekeeper.core.plan import Limits
from gatekeeper.core.support import MEASURES, Weighing
from gatekeeper.evaluation.rows import Label, Row
from gatekeeper.gate import Gate
from gatekeeper.runtime.manifest import model_folder
from gatekeeper.verdict import Evidence, Outcome, Passage
from tests.benchmarks.gates import checksum_gate

SENTENCES = (
    "The hut has 12 beds. ",
    "The hut has 15 beds. ",
    "The trail is open in summer. ",
    "The trail is not open in summer. ",
    "Rooms cost 40 euros. ",
    "The keeper serves soup. ",
    "Dogs may stay in the barn. ",
)
MARKS = Thresholds(support=0.5, contradiction=0.9)

texts = st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=4).map("".join)
weighings = st.none() | st.builds(
    Weighing, weights=st.dictionaries(st.sampled_from(MEASURES), st.floats(0, 2))
)


def _row(answer: str, *passages: str, name: str = "a", group: str = "0") -> Row:
    evidence = Evidence(
        passages=tuple(Passage(id=str(i), text=text) for i, text in enumerate(passages))
    )
    return Row(
        line=1,
        id=name,
        evidence=evidence,
        answer=answer,
        label=Label.UNSUPPORTED,
        group=group,
        raw={"meta": {"kind": "swap"}},
    )


def _score(*rows: Row, saved: SavedScores | None = None, key: str = "k") -> list[ScoredRow]:
    saved = saved or SavedScores(None)
    return asyncio.run(score_rows(checksum_gate(MARKS), "one", rows, saved, key=key))


@settings(deadline=None, derandomize=True, max_examples=80)
@given(
    texts,
    st.lists(texts, min_size=1, max_size=3),
    st.floats(0.05, 0.95),
    st.floats(0.05, 0.95),
    weighings,
)
def test_verdict_by_any_rules_follows_from_saved_scores(
    answer: str,
    passages: list[str],
    support: float,
    contradiction: float,
    weighing: Weighing | None,
) -> None:
    """Thresholds and weights are chosen over saved scores: these must give what the gate does."""
    marks = Thresholds(support=support, contradiction=contradiction)
    row = _row(answer, *passages)
    gate = checksum_gate(marks)
    live = Gate(gate.model, gate.judge, replace(gate.settings, weighing=weighing))

    (scored,) = _score(row)
    verdict = asyncio.run(live.check(row.answer, row.evidence))

    (found,) = replay([scored], Rules(thresholds=marks, weighing=weighing))
    assert [claim.status for claim in found.claims] == [claim.status for claim in verdict.claims]
    assert [claim.score for claim in found.claims] == pytest.approx(
        [claim.score for claim in verdict.claims]
    )
    assert found.judged is not None
    assert found.judged.blocked == (verdict.outcome is Outcome.FLAGGED)


def test_answer_that_was_not_checked_says_why() -> None:
    """Without evidence nothing was checked, and the row is no verdict."""
    (scored,) = _score(_row("The hut has 12 beds."))

    assert (scored.unchecked, scored.claims) == ("no_context", ())


def test_clash_is_asked_about_all_the_same() -> None:
    """Without these numbers nobody could tell what the guard is worth."""
    (scored,) = _score(_row("The hut has 12 beds.", "The hut has 15 beds."))

    (claim,) = scored.claims
    assert (claim.clashing, claim.fixed) == (True, "CONTRADICTED")
    assert len(claim.premises) == 1


def test_saved_rows_are_not_scored_again(tmp_path: Path) -> None:
    """A run that was stopped goes on; rows of another scorer don't count."""
    path = tmp_path / "scores.jsonl"
    rows = [_row("The keeper serves soup.", "Soup.", name=name) for name in "ab"]
    first = _score(*rows, saved=SavedScores(path))
    written = path.read_text()

    again = _score(*rows, saved=SavedScores(path))
    unchanged = path.read_text()
    _score(rows[0], saved=SavedScores(path), key="other")

    assert again == first
    assert unchanged == written
    assert len(path.read_text().splitlines()) == 3


def test_saved_rows_are_given_back_by_half(tmp_path: Path) -> None:
    """A weighing is fitted on one half and judged on the other: they must not mix."""
    path = tmp_path / "scores.jsonl"
    rows = [_row("Soup.", "Soup.", name=name, group=name) for name in ("7a", "8b", "0c")]
    _score(*rows, saved=SavedScores(path))

    saved = SavedScores(path)

    assert [row.id for row in saved.of("one", "k", CALIBRATION)] == ["7a", "0c"]
    assert [row.id for row in saved.of("one", "k", TEST)] == ["8b"]
    assert len(saved.of("one", "k")) == 3
    assert saved.of("one", "other") == saved.of("two", "k") == []


def test_saved_file_holds_no_text(tmp_path: Path) -> None:
    """Texts of the sets must not leave their folder."""
    path = tmp_path / "scores.jsonl"

    _score(_row("The keeper serves soup.", "Soup is served."), saved=SavedScores(path))

    assert not {"keeper", "soup"} & set(re.findall("[a-z]+", path.read_text()))


def test_progress_goes_to_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    """A long run shows that it lives, and standard output stays for results."""
    _score(_row("The keeper serves soup.", "Soup."))

    shown = capsys.readouterr()
    assert (shown.out, shown.err) == ("", "one: 1 of 1\n")


def test_key_changes_with_the_plan_and_not_with_the_weighing(tmp_path: Path) -> None:
    """Pairs are scored once for all weighings, and anew when other pairs are asked about."""
    folder = model_folder("minilm-l6-nli")
    text = (folder / "manifest.toml").read_text(encoding="utf-8")
    kept = [line for line in text.splitlines() if not line.startswith('"aggregation.json"')]
    bare, weighed = tmp_path / "bare", tmp_path / "weighed"
    for place, extra in ((bare, []), (weighed, [f'"aggregation.json" = "{"0" * 64}"'])):
        place.mkdir()
        at = kept.index("[files]") + 1
        lines = [*kept[:at], *extra, *kept[at:]]
        (place / "manifest.toml").write_text("\n".join(lines), encoding="utf-8")

    assert pairs_key(bare) == pairs_key(weighed)
    assert pairs_key(bare, Limits(windows=4)) != pairs_key(bare)
