"""What ``import gatekeeper`` brings along, by Python's own account."""

import subprocess
import sys

# At most three; none so far. Whoever adds one says here what for.
THIRD_PARTY: frozenset[str] = frozenset()


def imported(statement: str) -> set[str]:
    """Return the modules that a fresh interpreter imports for a statement, by ``importtime``."""
    command = [sys.executable, "-X", "importtime", "-c", statement]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stderr
    lines = [line for line in told.splitlines() if line.startswith("import time:")]
    return {line.rpartition("|")[2].strip() for line in lines[1:]}


def tops(modules: set[str]) -> set[str]:
    """Return the top-level names of modules that belong to others."""
    names = {module.partition(".")[0] for module in modules}
    return names - set(sys.stdlib_module_names) - {"gatekeeper"}


def test_import_takes_at_most_three_libraries() -> None:
    """Whoever imports the package for its version must not wait for a model runtime."""
    before = imported("pass")  # what the environment itself brings, such as editable installs

    found = imported("import gatekeeper") - before

    assert "gatekeeper" in found
    assert tops(found) == THIRD_PARTY
    assert len(THIRD_PARTY) <= 3


def test_account_shows_what_is_not_on_the_list() -> None:
    """The test above would see a library if there was one."""
    assert tops(imported("import gatekeeper.scheduler, gatekeeper.runtime.tokens")) >= {
        "tokenizers"
    }
