"""The one place that knows concrete classes: puts a gate together from a model folder."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from gatekeeper.errors import SelfTestError
from gatekeeper.gate import Gate, Settings
from gatekeeper.marks import SHIPPED_MODEL, thresholds_of
from gatekeeper.protocols import EncodedPair, Model, PairScore
from gatekeeper.runtime.aggregation import weighing_of
from gatekeeper.runtime.manifest import model_folder
from gatekeeper.runtime.selftest import SelfTestReport, quick_test, self_test
from gatekeeper.runtime.session import LoneSession, Session, load
from gatekeeper.scheduler import Scheduler


def open_gate(
    model: Path | None = None,
    *,
    threads: int | None = None,
    tested: bool = False,
    calibration: Path | None = None,
) -> Gate:
    """Load a model and return a gate over it; the caller closes it.

    Args:
        model: A model folder; None for the one that ships with the package.
        threads: Threads of one forward pass; None for what this process may use.
        tested: Run the whole self-test and run pairs alone where it says so. It takes many times
            as long as the check of one answer, so it is left to what runs long. Otherwise label
            order, direction and stored scores are proven, which takes some 50 ms: no manifest is
            taken at its word, not the shipped one's either, which nothing holds to a hash.
        calibration: A calibration file; None for the folder's own.

    Raises:
        ModelError: If the folder, its manifest or a file of it is not what it should be, or the
            self-test fails.
        InputError: If the calibration can't be read as one.
    """
    folder = model_folder(SHIPPED_MODEL) if model is None else model
    session = load(folder, threads=threads)
    if not tested:
        quick_test(session, session.manifest)
    ready = prove(session).accepted() if tested else session
    settings = Settings(thresholds=thresholds_of(folder, calibration), weighing=weighing_of(folder))
    return Gate(ready, Scheduler(ready), settings)


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
