"""``calibration.json``: the thresholds that go with a model, and where they come from.

The shipped one is the threshold with the best mean balanced accuracy over public sets. It carries
no guarantee, and says so: ``guarantee`` is null. One that ``gatekeeper calibrate`` fits to a user's
own answers says what it promises.
"""

import json
import math
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from pathlib import Path
from statistics import fmean

from gatekeeper.core.aggregate import Thresholds
from gatekeeper.errors import InputError
from gatekeeper.evaluation.context import type_name
from gatekeeper.evaluation.replacing import replace_file

FORMAT = 1
PUBLIC = "public"
OWN = "own"
FALSE_BLOCK = "false_block_rate"
ACCEPTED_ERROR = "accepted_error"


# Thousandths: finer steps would fit the noise of a few thousand rows.
GRID = tuple(step / 1000 for step in range(1, 1000))


class Fit(StrEnum):
    """Where a gate's marks come from: a calibration fitted for its scorer, or from none.

    FOREIGN is a calibration.json that was fitted for another scorer: its marks are of scores that
    mean something else here, so it counts no more than none.
    """

    PUBLIC = "public"
    OWN = "own"
    NONE = "none"
    FOREIGN = "foreign"


@dataclass(frozen=True, slots=True, kw_only=True)
class Guarantee:
    """With ``confidence`` the rate is at most ``bound``, for answers drawn like the ``n`` counted.

    ``prevalence`` is the share of wrong answers that an accepted error was carried over to, None
    where it is that of the rows, or the rate does not depend on it.
    """

    rate: str
    target: float
    confidence: float
    bound: float
    n: int
    method: str
    prevalence: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """Thresholds in (0, 1) fitted for one model.

    ``fingerprint`` names what the thresholds were fitted for. ``sets`` says per data set how many
    rows were used. ``source`` is "public" (shipped with the model) or "own" (the user's rows).
    """

    source: str
    fingerprint: str
    support_threshold: float
    contradiction_threshold: float
    sets: Mapping[str, object] = field(default_factory=dict)
    created: str | None = None
    guarantee: Guarantee | None = None
    note: str = ""

    @property
    def thresholds(self) -> Thresholds:
        """The marks as the gate takes them."""
        return Thresholds(
            support=self.support_threshold, contradiction=self.contradiction_threshold
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ThresholdChoice:
    """The chosen threshold and the balanced accuracy there, mean and by set."""

    threshold: float
    mean_balanced_accuracy: float
    by_set: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Saved:
    """The saved score of one labelled answer: lowest claim support, 0 on a finding."""

    score: float
    wrong: bool


def read_calibration(path: Path) -> Calibration:
    """Read a calibration file.

    Raises:
        InputError: If the file is missing, no JSON, or says something impossible; ``place`` is
            the path and the key.
    """
    return parse_calibration(_read_json(path), place=str(path))


def parse_calibration(raw: Mapping[str, object], *, place: str) -> Calibration:
    """Turn a parsed calibration file into its value; unknown keys are ignored.

    Raises:
        InputError: As ``read_calibration``.
    """
    reader = _Reader(raw, place)
    reader.must_be("format", (FORMAT,))
    return Calibration(
        source=reader.must_be("source", (PUBLIC, OWN)),
        fingerprint=reader.text("fingerprint"),
        support_threshold=reader.share("support_threshold"),
        contradiction_threshold=reader.share("contradiction_threshold"),
        sets=reader.mapping("sets"),
        created=reader.text("created") if raw.get("created") is not None else None,
        guarantee=_guarantee(reader),
        note=reader.text("note", empty=True),
    )


def write_calibration(path: Path, calibration: Calibration) -> None:
    """Write a file that ``read_calibration`` reads back as the same value.

    A file is replaced whole, so that whoever reads it meanwhile, or breaks this off, has the old
    one. What is no file, such as a pipe, is written to.

    Raises:
        OSError: If it can't be written.
    """
    record: dict[str, object] = {
        "format": FORMAT,
        "source": calibration.source,
        "fingerprint": calibration.fingerprint,
        "support_threshold": calibration.support_threshold,
        "contradiction_threshold": calibration.contradiction_threshold,
        "sets": dict(calibration.sets),
        "created": calibration.created,
        "guarantee": None if calibration.guarantee is None else asdict(calibration.guarantee),
        "note": calibration.note,
    }
    kept = {key: value for key, value in record.items() if key != "created" or value is not None}
    text = json.dumps(kept, indent=2, allow_nan=False) + "\n"
    if path.exists() and not path.is_file():
        path.write_text(text, encoding="utf-8")
    else:
        replace_file(path.resolve(), text.encode())


def choose_threshold(rows_by_set: Mapping[str, Sequence[Saved]]) -> ThresholdChoice:
    """Return the threshold with the best mean balanced accuracy over the sets.

    An answer is blocked when its score lies below the threshold. Candidates are thousandths. Of
    several that are equally good the one nearest to the mean of them all is taken, the smaller
    one on a draw, so that a plateau gives its middle.

    Raises:
        ValueError: If there is no set, or one lacks wrong or correct answers.
    """
    if not rows_by_set:
        raise ValueError("no set to choose a threshold from")
    curves = {name: _balanced_curve(name, rows) for name, rows in rows_by_set.items()}
    means = [fmean(curve[i] for curve in curves.values()) for i in range(len(GRID))]
    best = max(means)
    # Sums in another order may differ in the last bit; such candidates are equally good.
    tied = [i for i, mean in enumerate(means) if math.isclose(mean, best, abs_tol=1e-12)]
    middle = fmean(tied)
    chosen = min(tied, key=lambda i: (abs(i - middle), i))
    return ThresholdChoice(
        threshold=GRID[chosen],
        mean_balanced_accuracy=means[chosen],
        by_set={name: curve[chosen] for name, curve in curves.items()},
    )


def smallest_exceeded_by(scores: Sequence[float], *, share: float) -> float:
    """Return the smallest thousandth that at most ``share`` of the scores reach.

    Used for the contradiction threshold: ``scores`` are P(contradiction) of pairs that hold no
    contradiction. The largest thousandth comes back where even that is reached too often.

    Raises:
        ValueError: If there are no scores.
    """
    if not scores:
        raise ValueError("no scores to set a threshold by")
    allowed = math.floor(share * len(scores))
    return next(
        (step for step in GRID if sum(score >= step for score in scores) <= allowed), GRID[-1]
    )


def _guarantee(reader: "_Reader") -> Guarantee | None:
    inner = reader.object_or_null("guarantee")
    if inner is None:
        return None
    return Guarantee(
        rate=inner.must_be("rate", (FALSE_BLOCK, ACCEPTED_ERROR)),
        target=inner.share("target"),
        confidence=inner.share("confidence"),
        bound=inner.share("bound"),
        n=inner.count("n"),
        method=inner.text("method"),
        prevalence=inner.share_or_null("prevalence"),
    )


def _balanced_curve(name: str, rows: Sequence[Saved]) -> list[float]:
    wrong = sorted(row.score for row in rows if row.wrong)
    correct = sorted(row.score for row in rows if not row.wrong)
    if not wrong or not correct:
        raise ValueError(f"set {name!r} needs wrong and correct answers")
    return [(_share_below(wrong, t) + 1.0 - _share_below(correct, t)) / 2.0 for t in GRID]


def _share_below(ordered: Sequence[float], threshold: float) -> float:
    return bisect_left(ordered, threshold) / len(ordered)


def _read_json(path: Path) -> Mapping[str, object]:
    try:
        value = json.loads(path.read_bytes())
    except OSError as error:
        found = (error.strerror or "an error while reading").lower()
        raise InputError(str(path), found, "a calibration file") from error
    except (ValueError, RecursionError) as error:
        raise InputError(str(path), f"no JSON ({error})", "a calibration file") from error
    if not isinstance(value, dict):
        raise InputError(str(path), type_name(value), "an object")
    return value


class _Reader:
    """Typed access to a calibration's keys; a fault names file and key."""

    def __init__(self, raw: Mapping[str, object], place: str) -> None:
        self._raw = raw
        self._place = place

    def must_be(self, key: str, allowed: tuple[object, ...]) -> str:
        """Return a value, as text, that has to be one of a few."""
        value = self._get(key)
        if not any(type(value) is type(item) and value == item for item in allowed):
            expected = " or ".join(json.dumps(item) for item in allowed)
            raise self._fault(key, f"{value!r:.60}", expected)
        return str(value)

    def text(self, key: str, *, empty: bool = False) -> str:
        """Return a string."""
        value = self._get(key)
        if not isinstance(value, str) or not (value or empty):
            raise self._fault(key, f"{value!r:.60}", "a string")
        return value

    def share(self, key: str) -> float:
        """Return a number between 0 and 1, both excluded."""
        value = self._get(key)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self._fault(key, type_name(value), "a number")
        if not 0 < value < 1:
            raise self._fault(key, f"{value!r:.60}", "a number between 0 and 1, ends excluded")
        return float(value)

    def mapping(self, key: str) -> Mapping[str, object]:
        """Return an object."""
        value = self._get(key)
        if not isinstance(value, dict):
            raise self._fault(key, type_name(value), "an object")
        return value

    def object_or_null(self, key: str) -> "_Reader | None":
        """Return access to an object inside; None for null."""
        value = self._get(key)
        if value is None:
            return None
        if not isinstance(value, dict):
            raise self._fault(key, type_name(value), "null or an object")
        return _Reader(value, f"{self._place}: {key}")

    def share_or_null(self, key: str) -> float | None:
        """Return a number between 0 and 1, both excluded; None for null."""
        return None if self._get(key) is None else self.share(key)

    def count(self, key: str) -> int:
        """Return a whole number above 0."""
        value = self._get(key)
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise self._fault(key, f"{value!r:.60}", "a whole number above 0")
        return value

    def _get(self, key: str) -> object:
        if key not in self._raw:
            raise self._fault(key, "nothing", "a value")
        return self._raw[key]

    def _fault(self, key: str, found: str, expected: str) -> InputError:
        return InputError(f"{self._place}: {key}", found, expected)
