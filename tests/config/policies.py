"""Policy files for tests: a small valid one, changed key by key."""

from pathlib import Path

from gatekeeper.config import read_draft
from gatekeeper.config.policies import CalibrationOf
from gatekeeper.errors import Fault
from gatekeeper.evaluation.calibration import Calibration
from gatekeeper.policy import Policy, Route

PLACE = 'route[0] "/v1/answer"'
OWN = Calibration(source="own", fingerprint="f", support_threshold=0.5, contradiction_threshold=0.9)
SECRET = {"GATEKEEPER_SECRET": "0123456789abcdef0123456789abcdef"}

ROUTE = {
    "path": '"/v1/answer"',
    "mode": '"shadow"',
    "answer": '"/answer"',
    "context": '[{ state = "passages" }]',
    "on_flagged": '"withhold"',
    "on_unresolved": '{ default = "withhold" }',
    "on_not_checked": '{ default = "withhold" }',
}


def toml(*routes: dict[str, str | None], **top: str) -> str:
    """Write a policy file; each route is the valid one with keys changed, None takes one out."""
    lines = [f"{key} = {value}" for key, value in top.items()]
    for changes in routes or ({},):
        lines.append("[[route]]")
        merged = {**ROUTE, **changes}
        lines += [f"{key} = {value}" for key, value in merged.items() if value is not None]
    return "\n".join(lines)


def load(
    folder: Path,
    text: str,
    *,
    environment: dict[str, str] | None = None,
    calibration_of: CalibrationOf | None = None,
) -> Policy:
    """Return the policy of a file without a fault."""
    path = folder / "gatekeeper.toml"
    path.write_text(text, encoding="utf-8")
    draft = read_draft(path, environment=environment or {}, calibration_of=calibration_of)
    assert [str(fault) for fault in draft.faults] == []
    return draft.policy


def route(folder: Path, changes: dict[str, str | None], **environment: str) -> Route:
    """Return the one route of a valid file with keys changed."""
    return load(folder, toml(changes), environment=environment).routes[0]


def faults(
    folder: Path,
    text: str,
    *,
    environment: dict[str, str] | None = None,
    calibration_of: CalibrationOf | None = None,
) -> list[Fault]:
    """Return the faults of a file."""
    path = folder / "gatekeeper.toml"
    path.write_text(text, encoding="utf-8")
    draft = read_draft(path, environment=environment or {}, calibration_of=calibration_of)
    return list(draft.faults)
