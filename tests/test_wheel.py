"""The built wheel, in an environment that holds nothing else."""

import json
import subprocess
import sys
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel, install it into an empty environment, return its command."""
    folder = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    subprocess.run([*pip, "wheel", "--no-deps", "--wheel-dir", folder, ROOT], check=True)
    venv.create(folder / "env", with_pip=False)
    (wheel,) = folder.glob("gatekeeper_claims-*.whl")
    constraints = ROOT / "constraints.txt"
    python = folder / "env" / "bin" / "python"
    subprocess.run([*pip, "--python", python, "install", "-c", constraints, wheel], check=True)
    return folder / "env" / "bin" / "gatekeeper"


def test_wheel_checks_an_answer(program: Path, tmp_path: Path) -> None:
    """A user has the wheel and nothing else: the model must be in it and be found."""
    context, answer = tmp_path / "context.txt", tmp_path / "answer.txt"
    context.write_text("The lamp has a warranty of two years.")
    answer.write_text("The lamp has a warranty of five years.")

    done = subprocess.run(
        [program, "check", "--context", context, "--answer", answer, "--json"],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )

    assert done.returncode == 3, done.stderr
    assert json.loads(done.stdout)["verdict"] == "FLAGGED"
