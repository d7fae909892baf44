"""The one place that knows concrete classes: puts a gate together from a model folder."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from gatekeeper.core.aggregate import Thresholds
from gatekeeper.errors import SelfTestError
from gatekeeper.evaluation.calibration import Fit, read_calibration
from gatekeeper.gate import Gate, Settings
from gatekeeper.protocols import EncodedPair, Model, PairScore
from gatekeeper.runtime.manifest import model_folder, read_manifest
from gatekeeper.runtime.selftest import SelfTestReport, quick_test, self_test
from gatekeeper.runtime.session import LoneSession, Session, load
from gatekeeper.scheduler import Scheduler

SHIPPED_MODEL = "minilm-l6-nli"

# For a model folder without a calibration of its scorer: even odds for support, and contradiction
# only where the model has next to no doubt. A start for trying a model, not a calibration.
UNCALIBRATED = Thresholds(support=0.5, contradiction=0.95)


def open_gate(
    model: Path | None = None, *, threads: int | None = None, tested: bool = False
) -> Gate:
    """Load a model and return a gate over it; the caller closes it.

    Args:
        model: A model folder; None for the one that ships with the package.
        threads: Threads of one forward pass; None for what this process may use.
        tested: Run the whole self-test and run pairs alone where it says so. It takes many times
            as long as the check of one answer, so it is left to what runs long. Otherwise label
            order, direction and stored scores are proven, which takes some 50 ms: no manifest is
            taken at its word, not the shipped one's either, which nothing holds to a hash.

    Raises:
        ModelError: If the folder, its manifest or a file of it is not what it should be, or the
            self-test fails.
        InputError: If its calibration.json can't be read as one.
    """
    folder = model_folder(SHIPPED_MODEL) if model is None else model
    session = load(folder, threads=threads)
    if not tested:
        quick_test(session, session.manifest)
    ready = prove(session).accepted() if tested else session
    return Gate(ready, Scheduler(ready), Settings(thresholds=thresholds_of(folder)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Proven:
    """A model that went through the self-test; ``model`` is the one to use here.

    ``report.largest_shift`` is of the model as loaded, ``report.largest_difference`` of ``model``.
    """

    model: Model
    report: SelfTestReport

    def accepted(self) -> Model:
        """Return the model if its scores are the stored ones.

        Raises:
            SelfTestError: If they are not.
        """
        if not self.report.matches:
            fault = f"scores are {self.report.largest_difference:.3f} from the stored ones"
            raise SelfTestError(fault, "see `gatekeeper doctor`")
        return self.model


def prove(session: Session) -> Proven:
    """Test a model on this machine; where its scores move with the batch, run each pair alone.

    Raises:
        SelfTestError: If label order or direction are wrong, or good and bad pairs are not told
            apart.
        InferenceError: If a pass fails.
    """
    report = self_test(session, session.manifest)
    if report.is_invariant:
        return Proven(model=session, report=report)
    alone = LoneSession(session)
    again = self_test(alone, session.manifest)
    return Proven(model=alone, report=replace(again, largest_shift=report.largest_shift))


class LateModel:
    """The model as the gate sees it: known by its manifest at once, at work when it is loaded."""

    def __init__(self, fingerprint: str, scheduler: Scheduler) -> None:
        self.fingerprint = fingerprint
        self._scheduler = scheduler

    def encode(self, premise: str, hypothesis: str) -> EncodedPair | None:
        """Encode with the loaded model."""
        return self._scheduler.model.encode(premise, hypothesis)

    def unknown_words(self, text: str) -> tuple[str, ...]:
        """Ask the loaded model."""
        return self._scheduler.model.unknown_words(text)

    def score(self, pairs: Sequence[EncodedPair]) -> list[PairScore]:
        """Score with the loaded model, past the scheduler."""
        return self._scheduler.model.score(pairs)


@dataclass(frozen=True, slots=True, kw_only=True)
class Marks:
    """What claims are held against, and where it comes from."""

    thresholds: Thresholds
    fit: Fit


def marks_of(folder: Path) -> Marks:
    """Return the marks of the folder's calibration.json if they were fitted for its scorer.

    Otherwise those for an uncalibrated model: what was fitted for other scores says nothing of
    these, and may support anything.

    Raises:
        ModelError: If the manifest is not what it should be.
        InputError: If calibration.json can't be read as one, a link that leads nowhere included.
    """
    path = folder / "calibration.json"
    if not os.path.lexists(path):
        return Marks(thresholds=UNCALIBRATED, fit=Fit.NONE)
    found = read_calibration(path)
    fingerprint = scorer_fingerprint(read_manifest(folder).fingerprint, found.thresholds)
    if found.fingerprint != fingerprint:
        return Marks(thresholds=UNCALIBRATED, fit=Fit.FOREIGN)
    return Marks(thresholds=found.thresholds, fit=Fit(found.source))


def thresholds_of(folder: Path) -> Thresholds:
    """Return the thresholds of ``marks_of``."""
    return marks_of(folder).thresholds


def scorer_fingerprint(model: str, thresholds: Thresholds) -> str:
    """Return the fingerprint of a gate over a model of this fingerprint, which is not loaded."""
    scheduler = Scheduler(load=_never)
    return Gate(LateModel(model, scheduler), scheduler, Settings(thresholds=thresholds)).fingerprint


def _never() -> Model:
    raise NotImplementedError  # pragma: no cover - nothing is ever started
