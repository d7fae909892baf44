"""Saved scores: from them follows what the gate would do at any thresholds."""

import asyncio
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.scoring import OPEN, SavedScores, ScoredClaim, ScoredRow, score_rows, with_marks
from gatekeeper.core.aggregate import Thresholds
from gatekeeper.evaluation.rows import Label, Row
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

texts = st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=4).map("".join)


def _row(answer: str, *passages: str, name: str = "a") -> Row:
    evidence = Evidence(
        passages=tuple(Passage(id=str(i), text=text) for i, text in enumerate(passages))
    )
    return Row(
        line=1, id=name, evidence=evidence, answer=answer, label=Label.UNSUPPORTED, group="0"
    )


def _score(marks: Thresholds, *rows: Row, saved: SavedScores | None = None) -> list[ScoredRow]:
    saved = saved or SavedScores(None)
    return asyncio.run(score_rows(checksum_gate(marks), "one", rows, saved))


@settings(deadline=None, derandomize=True, max_examples=80)
@given(
    texts,
    st.lists(texts, min_size=1, max_size=3),
    st.floats(0.05, 0.95),
    st.floats(0.05, 0.95),
)
def test_side_at_any_marks_follows_from_open_scores(
    answer: str, passages: list[str], support: float, contradiction: float
) -> None:
    """Thresholds are chosen over saved scores, so these must give what the gate would do."""
    marks = Thresholds(support=support, contradiction=contradiction)
    row = _row(answer, *passages)

    (scored,) = _score(OPEN, row)
    (live,) = _score(marks, row)

    judged = scored.judged(marks)
    assert judged is not None
    assert judged.blocked == (live.outcome == Outcome.FLAGGED)


def test_undecided_rows_have_no_side() -> None:
    """Without evidence nothing was checked."""
    (scored,) = _score(OPEN, _row("The hut has 12 beds."))

    assert (scored.outcome, scored.reason) == ("NOT_CHECKED", "no_context")
    assert scored.judged(OPEN) is None


def test_unresolved_claim_beside_a_flagged_one_leaves_no_score() -> None:
    """The answer is blocked all the same; its place in a ranking is unknown."""
    (scored,) = _score(OPEN, _row("The hut has 12 beds.", "The hut has 15 beds."))
    open_claim = ScoredClaim(status="UNRESOLVED", support=None, contradiction=None, by_guard=False)

    judged = replace(scored, claims=(*scored.claims, open_claim)).judged(OPEN)

    assert judged is not None
    assert (judged.blocked, judged.score, judged.finding) == (True, None, True)


def test_saved_rows_are_not_scored_again(tmp_path: Path) -> None:
    """A run that was stopped goes on; rows of another scorer don't count."""
    path = tmp_path / "scores.jsonl"
    rows = [_row("The keeper serves soup.", "Soup.", name=name) for name in "ab"]
    first = _score(OPEN, *rows, saved=SavedScores(path))
    written = path.read_text()

    again = _score(OPEN, *rows, saved=SavedScores(path))
    unchanged = path.read_text()
    _score(Thresholds(support=0.5, contradiction=0.5), rows[0], saved=SavedScores(path))

    assert again == first
    assert unchanged == written
    assert len(path.read_text().splitlines()) == 3


def test_saved_file_holds_no_text(tmp_path: Path) -> None:
    """Texts of the sets must not leave their folder."""
    path = tmp_path / "scores.jsonl"

    _score(OPEN, _row("The keeper serves soup.", "Soup is served."), saved=SavedScores(path))

    assert not {"keeper", "served"} & set(re.findall("[a-z]+", path.read_text()))


def test_cost_is_counted() -> None:
    """Pairs and tokens of the row stand beside its scores."""
    (scored,) = _score(OPEN, _row("The keeper serves soup.", "The keeper cooks soup daily."))

    assert scored.pairs >= 1
    assert scored.tokens > scored.pairs


def test_progress_goes_to_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    """A long run shows that it lives, and standard output stays for results."""
    _score(OPEN, _row("The keeper serves soup.", "Soup."))

    shown = capsys.readouterr()
    assert (shown.out, shown.err) == ("", "one: 1 of 1\n")


def test_other_marks_make_another_scorer() -> None:
    """Rows scored at other thresholds must not be mixed up with these."""
    gate = checksum_gate(OPEN)

    other = with_marks(gate, Thresholds(support=0.5, contradiction=0.5))

    assert other.fingerprint != gate.fingerprint
    assert other.model is gate.model
