"""What ``doctor`` and ``models verify`` look at, one finding at a time.

Nothing here raises: a fault is a finding. Libraries are imported inside the look at them, because
one that can't be imported is exactly what these commands have to report.
"""

import os
import platform
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, cast

from gatekeeper import __version__
from gatekeeper.errors import GatekeeperError
from gatekeeper.evaluation.calibration import Calibration, read_calibration
from gatekeeper.evaluation.versions import LIBRARIES, installed

if TYPE_CHECKING:
    from gatekeeper.runtime.selftest import SelfTestReport

CALIBRATION = "calibration.json"
OLDEST_PYTHON = (3, 11)

# A library that is broken fails in its own way when it is imported or first used.
_FAULTS = (
    GatekeeperError, ImportError, OSError, ValueError, ArithmeticError, RuntimeError, AttributeError
)  # fmt: skip

# Instructions that multiply bytes in one step: on x86, and on Arm.
_BYTE_FLAGS = ("avx512_vnni", "avx_vnni", "asimddp", "i8mm")
_CPU_INFO = Path("/proc/cpuinfo")


class State(StrEnum):
    """How a finding bears on the gate: ``warn`` works but not as it could, ``fail`` does not."""

    OK = "ok"
    WARN = "warn"
    FAIL = "fail"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One line: what was looked at and what was found."""

    state: State
    name: str
    text: str

    def __str__(self) -> str:
        return f"{self.state:<4}  {self.name:<12}  {self.text}"


Look = Callable[[], Iterator[Finding]]


def machine_looks() -> tuple[tuple[str, Look], ...]:
    """Return the looks at interpreter, libraries and processor, by name."""
    return (
        ("python", _python),
        ("libraries", _libraries),
        ("threads", _threads),
        ("int8", _byte_instructions),
    )


def model_looks(
    folder: Path | None, calibration: Path | None = None
) -> tuple[tuple[str, Look], ...]:
    """Return the looks at a model: its folder, files, scores and calibration.

    Args:
        folder: None for the shipped one.
        calibration: A calibration file; None for the folder's own.
    """
    return (
        ("files", lambda: _files(_resolve(folder))),
        ("self-test", lambda: _self_test(_resolve(folder))),
        ("calibration", lambda: _calibration(_resolve(folder), calibration)),
    )


def findings(looks: tuple[tuple[str, Look], ...]) -> Iterator[Finding]:
    """Yield what each look finds; one that fails is a finding itself."""
    for name, look in looks:
        try:
            yield from look()
        except _FAULTS as error:
            yield Finding(state=State.FAIL, name=name, text=str(error) or type(error).__name__)


def _python() -> Iterator[Finding]:
    state = State.OK if sys.version_info >= OLDEST_PYTHON else State.FAIL
    text = f"{platform.python_version()}, gatekeeper {__version__}, {platform.platform()}"
    yield Finding(state=state, name="python", text=text)


def _libraries() -> Iterator[Finding]:
    for name in LIBRARIES:
        found = installed(name)
        try:
            import_module(name)
        except _FAULTS as error:
            yield Finding(state=State.FAIL, name=name, text=f"can't be imported: {error}")
        else:
            yield Finding(state=State.OK, name=name, text=found or "version unknown")


def _threads() -> Iterator[Finding]:
    threads = import_module("gatekeeper.runtime.threads").usable_threads()
    text = f"{threads} a forward pass, by affinity and cgroup quota"
    yield Finding(state=State.OK, name="threads", text=text)


def _byte_instructions() -> Iterator[Finding]:
    try:
        words = set(_CPU_INFO.read_text(encoding="utf-8", errors="replace").split())
    except OSError:
        yield Finding(state=State.WARN, name="int8", text=f"unknown: no {_CPU_INFO} here")
        return
    found = [flag for flag in _BYTE_FLAGS if flag in words]
    if found:
        yield Finding(state=State.OK, name="int8", text=f"instructions: {', '.join(found)}")
    else:
        text = "no instructions for it: the int8 model runs slower here"
        yield Finding(state=State.WARN, name="int8", text=text)


def _files(folder: Path) -> Iterator[Finding]:
    manifest = import_module("gatekeeper.runtime.manifest").verify(folder)
    text = f"{manifest.name} in {folder}, {len(manifest.files)} files as in the manifest"
    yield Finding(state=State.OK, name="files", text=text)
    yield Finding(state=State.OK, name="fingerprint", text=f"model {manifest.fingerprint}")


def _self_test(folder: Path) -> Iterator[Finding]:
    session = import_module("gatekeeper.runtime.session").load(folder)
    report = import_module("gatekeeper.build").prove(session).report
    yield _scores_kept(report)
    yield _invariance(report)


def _scores_kept(report: "SelfTestReport") -> Finding:
    text = f"{report.pairs} pairs, at most {report.largest_difference:.2g} from the stored scores"
    state = State.OK if report.matches else State.FAIL
    return Finding(state=state, name="self-test", text=text)


def _invariance(report: "SelfTestReport") -> Finding:
    text = f"alone, batched and padded at most {report.largest_shift:.2g} apart"
    if report.is_invariant:
        return Finding(state=State.OK, name="invariance", text=text)
    text += ": served apps run each pair alone at full length, which is slower"
    return Finding(state=State.WARN, name="invariance", text=text)


def _calibration(folder: Path, named: Path | None) -> Iterator[Finding]:
    path = folder / CALIBRATION if named is None else named
    if not os.path.lexists(path):
        text = f"no {path}: thresholds are those of an uncalibrated model"
        yield Finding(state=State.WARN, name="calibration", text=text)
        return
    found = read_calibration(path)
    yield _compared(found, _scorer(folder, found))


def _compared(calibration: Calibration, scorer: str) -> Finding:
    text = (
        f"{calibration.source}, support {calibration.support_threshold:g}, "
        f"contradiction {calibration.contradiction_threshold:g}"
    )
    if calibration.guarantee is not None:
        promised = calibration.guarantee
        text += (
            f"; {promised.rate} at most {promised.target:g} with {promised.confidence:g} confidence"
            f" by {promised.n} answers"
        )
    if calibration.fingerprint == scorer:
        return Finding(state=State.OK, name="calibration", text=text)
    text += f"; not used: fitted for {calibration.fingerprint:.12}, this scorer is {scorer:.12}"
    return Finding(state=State.WARN, name="calibration", text=text)


def _scorer(folder: Path, calibration: Calibration) -> str:
    """Return the fingerprint that a calibration has to be fitted for."""
    model = import_module("gatekeeper.runtime.manifest").read_manifest(folder).fingerprint
    fingerprint = import_module("gatekeeper.core.versions").scorer_fingerprint
    return cast("str", fingerprint(model, calibration.thresholds))


def _resolve(folder: Path | None) -> Path:
    if folder is not None:
        return folder
    shipped = import_module("gatekeeper.build").SHIPPED_MODEL
    return cast("Path", import_module("gatekeeper.runtime.manifest").model_folder(shipped))
