"""Memory of the pinned runtime: bounded by the largest pass, not by how many there were.

Some releases of the runtime were reported to grow with each call.
"""

import subprocess
import sys
from pathlib import Path

import pytest

from gatekeeper.marks import SHIPPED_MODEL
from gatekeeper.runtime.manifest import model_folder

STATM = Path("/proc/self/statm")

SOAK = """
import os, random, sys
from pathlib import Path
from gatekeeper.protocols import EncodedPair
from gatekeeper.runtime.session import load

def resident_mb():
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6

def passes(count, draw):
    for _ in range(count):
        tokens = draw.randint(8, 250)
        ids = tuple(draw.randint(1000, 20000) for _ in range(tokens))
        pairs = [EncodedPair(ids=ids, type_ids=(0,) * tokens)] * max(1, 400 // tokens)
        session.score(pairs)

session = load(Path(sys.argv[1]), threads=1)
draw = random.Random(7)
passes(40, draw)
before = resident_mb()
passes(120, draw)
print(resident_mb() - before)
"""


@pytest.mark.skipif(not STATM.exists(), reason="resident memory is read from Linux's /proc")
def test_memory_does_not_grow_with_the_number_of_passes() -> None:
    """A worker that grows with every batch is killed at 3 a.m.; shapes vary as in real traffic."""
    done = subprocess.run(
        [sys.executable, "-c", SOAK, model_folder(SHIPPED_MODEL)],
        capture_output=True,
        text=True,
        check=True,
    )

    assert float(done.stdout) < 20.0
