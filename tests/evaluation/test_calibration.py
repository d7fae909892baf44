"""The calibration file, and the choice of a threshold over saved scores."""

import json
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from gatekeeper.errors import InputError
from gatekeeper.evaluation.calibration import (
    Calibration,
    Guarantee,
    Saved,
    choose_threshold,
    read_calibration,
    smallest_exceeded_by,
    write_calibration,
)

VALID = Calibration(
    source="public",
    fingerprint="abc",
    support_threshold=0.31,
    contradiction_threshold=0.9,
    sets={"one": {"rows": 10}},
    created="2025-01-31",
    note="no guarantee",
)

GUARANTEE = Guarantee(
    rate="false_block_rate", target=0.05, confidence=0.95, bound=0.049, n=59, method="exact"
)
PROMISED = asdict(GUARANTEE)
OWN = replace(VALID, source="own", guarantee=GUARANTEE)


def _file(tmp_path: Path, **changes: object) -> Path:
    path = tmp_path / "calibration.json"
    write_calibration(path, VALID)
    raw = json.loads(path.read_text())
    raw.update(changes)
    path.write_text(json.dumps({key: value for key, value in raw.items() if value != "GONE"}))
    return path


@pytest.mark.parametrize(
    "calibration",
    [
        VALID,
        replace(VALID, created=None),
        OWN,
        replace(OWN, guarantee=replace(GUARANTEE, rate="accepted_error", prevalence=0.3)),
    ],
)
def test_written_file_reads_back(tmp_path: Path, calibration: Calibration) -> None:
    """A threshold that changes on its way through the file changes verdicts."""
    path = tmp_path / "calibration.json"

    write_calibration(path, calibration)

    assert read_calibration(path) == calibration


def test_temperature_is_no_part_of_the_file(tmp_path: Path) -> None:
    """Scores are the model's, its manifest has their temperature: one here would be obeyed never.

    As any unknown key it is passed over, a number no float can hold too.
    """
    assert read_calibration(_file(tmp_path, temperature=10**400)) == VALID
    assert "temperature" not in _file(tmp_path).read_text()


def test_file_is_replaced_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever breaks off, or has no room left, still has the old one and no litter."""
    path = tmp_path / "calibration.json"
    write_calibration(path, VALID)

    def break_off(_descriptor: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("os.fsync", break_off)
    with pytest.raises(KeyboardInterrupt):
        write_calibration(path, OWN)

    assert read_calibration(path) == VALID
    assert list(tmp_path.iterdir()) == [path]


def test_file_can_be_read_by_others_and_keeps_what_it_was_given(tmp_path: Path) -> None:
    """Workers run as another user; and a link goes on pointing at one file for all of them."""
    path, link = tmp_path / "calibration.json", tmp_path / "link.json"
    link.symlink_to(path)

    write_calibration(path, VALID)
    assert path.stat().st_mode & 0o777 == 0o644
    path.chmod(0o600)
    write_calibration(link, OWN)

    assert path.stat().st_mode & 0o777 == 0o600
    assert link.is_symlink()
    assert read_calibration(path) == OWN


def test_pipe_takes_a_calibration() -> None:
    """``-o /dev/stdout`` has nothing to replace."""
    write_calibration(Path("/dev/null"), VALID)

    assert Path("/dev/null").is_char_device()


def test_file_claims_no_guarantee(tmp_path: Path) -> None:
    """The shipped one fits public rows and promises nothing; the file has to say so itself."""
    raw = json.loads(_file(tmp_path).read_text())

    assert raw["guarantee"] is None
    assert raw["format"] == 1


@pytest.mark.parametrize(
    "key",
    (
        "format source fingerprint support_threshold contradiction_threshold sets guarantee note"
    ).split(),
)
def test_missing_key_is_named(tmp_path: Path, key: str) -> None:
    """A threshold left out must not become a default that nobody chose."""
    with pytest.raises(InputError, match=rf"calibration.json: {key}: found nothing"):
        read_calibration(_file(tmp_path, **{key: "GONE"}))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": 2}, "format: found 2, expected 1"),
        ({"format": True}, "format: found True, expected 1"),
        ({"source": "mine"}, 'source: found \'mine\', expected "public" or "own"'),
        ({"guarantee": 0.95}, "guarantee: found the number 0.95, expected null or an object"),
        ({"guarantee": {}}, "guarantee: rate: found nothing"),
        ({"guarantee": {**PROMISED, "rate": "error"}}, "guarantee: rate: found 'error'"),
        ({"guarantee": {**PROMISED, "target": 5}}, "guarantee: target: found 5"),
        ({"guarantee": {**PROMISED, "confidence": 1}}, "guarantee: confidence: found 1"),
        ({"guarantee": {**PROMISED, "bound": None}}, "guarantee: bound: found null"),
        ({"guarantee": {**PROMISED, "n": 0}}, "guarantee: n: found 0, expected a whole number"),
        ({"guarantee": {**PROMISED, "n": True}}, "guarantee: n: found True"),
        ({"guarantee": {**PROMISED, "method": ""}}, "guarantee: method: found ''"),
        ({"guarantee": {**PROMISED, "prevalence": 0}}, "guarantee: prevalence: found 0"),
        ({"fingerprint": ""}, "fingerprint: found '', expected a string"),
        ({"fingerprint": 5}, "fingerprint: found 5, expected a string"),
        ({"support_threshold": 0}, "support_threshold: found 0, expected a number between 0 and 1"),
        ({"support_threshold": 1.0}, "support_threshold: found 1.0"),
        ({"support_threshold": float("nan")}, "support_threshold: found nan"),
        ({"support_threshold": True}, "support_threshold: found true or false"),
        ({"support_threshold": "0.5"}, "support_threshold: found a string"),
        ({"contradiction_threshold": -0.1}, "contradiction_threshold: found -0.1"),
        ({"support_threshold": 10**400}, "support_threshold: found 1000"),
        ({"sets": []}, "sets: found a list"),
        ({"created": 2025}, "created: found 2025"),
        ({"note": None}, "note: found None"),
    ],
)
def test_impossible_values_are_faults(
    tmp_path: Path, changes: dict[str, object], message: str
) -> None:
    """A gate with a nonsense threshold would pass or stop everything."""
    with pytest.raises(InputError) as caught:
        read_calibration(_file(tmp_path, **changes))

    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"{", "no JSON"), (b"\xff", "no JSON"), (b"[]", "a list"), (b"[" * 100_000, "no JSON")],
)
def test_file_that_is_no_object_is_a_fault(tmp_path: Path, content: bytes, message: str) -> None:
    """The message says what the file holds instead."""
    path = tmp_path / "calibration.json"
    path.write_bytes(content)

    with pytest.raises(InputError, match=message):
        read_calibration(path)


def test_missing_file_is_a_fault(tmp_path: Path) -> None:
    """Whoever named the file learns that it is not there."""
    with pytest.raises(InputError, match="no such file"):
        read_calibration(tmp_path / "calibration.json")


def _saved(correct: list[float], wrong: list[float]) -> list[Saved]:
    rows = [Saved(score=score, wrong=False) for score in correct]
    return rows + [Saved(score=score, wrong=True) for score in wrong]


def test_threshold_lies_in_the_middle_of_the_gap() -> None:
    """Every threshold from 0.201 to 0.8 separates; the middle one leaves most room both ways."""
    choice = choose_threshold({"a": _saved([0.8, 0.9], [0.1, 0.2])})

    assert choice.mean_balanced_accuracy == 1.0
    assert choice.threshold == 0.5


def test_sets_count_alike_whatever_their_size() -> None:
    """A large set must not drown a small one: the mean is over sets, not rows."""
    large = _saved([0.6] * 100, [0.5] * 60 + [0.7] * 40)
    small = _saved([0.3, 0.45], [0.1, 0.2])
    choice = choose_threshold({"large": large, "small": small})

    assert choice.by_set == {"large": 0.5, "small": 1.0}
    assert choice.threshold == 0.25
    assert choice.mean_balanced_accuracy == 0.75


def test_findings_stay_blocked_at_every_threshold() -> None:
    """A score of 0 lies below every candidate, as in the live gate."""
    choice = choose_threshold({"a": _saved([0.0, 0.9], [0.0, 0.1])})

    assert choice.by_set["a"] == 0.75


@pytest.mark.parametrize("rows", [_saved([0.5], []), _saved([], [0.5]), []])
def test_set_of_one_kind_is_refused(rows: list[Saved]) -> None:
    """Balanced accuracy is undefined there; leaving the set out in silence would be worse."""
    with pytest.raises(ValueError, match="needs wrong and correct"):
        choose_threshold({"a": rows})


def test_no_set_is_refused() -> None:
    """There is no best threshold for nothing."""
    with pytest.raises(ValueError, match="no set"):
        choose_threshold({})


@pytest.mark.parametrize(
    ("scores", "share", "mark"),
    [
        ([0.1] * 98 + [0.6, 0.7], 0.02, 0.101),
        ([0.1] * 98 + [0.6, 0.7], 0.01, 0.601),
        ([0.1] * 98 + [0.6, 0.7], 0.0, 0.701),
        ([1.0, 1.0], 0.0, 0.999),
    ],
)
def test_contradiction_mark_is_reached_by_a_small_share(
    scores: list[float], share: float, mark: float
) -> None:
    """The mark is reached by no more than the share of pairs that contradict nothing."""
    assert smallest_exceeded_by(scores, share=share) == mark


def test_contradiction_mark_needs_scores() -> None:
    """No pairs, no mark."""
    with pytest.raises(ValueError, match="no scores"):
        smallest_exceeded_by([], share=0.02)
