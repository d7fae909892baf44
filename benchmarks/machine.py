"""What a result file says about where and with what it was measured."""

import os
import platform
from importlib.metadata import version
from pathlib import Path

from gatekeeper.evaluation.versions import LIBRARIES

# Instruction sets that decide how fast, and whether exactly, int8 products are computed.
INT8_FLAGS = ("avx2", "avx512f", "avx512_vnni", "avx_vnni", "amx_int8")


def describe() -> dict[str, object]:
    """Return processor, usable cores, its int8 instruction sets, and versions.

    "vnni" is None where the system doesn't tell its flags.
    """
    facts = _processor_facts()
    flags = facts.get("flags", "").split()
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return {
        "cpu": facts.get("model name", platform.processor()),
        "cpu_family_model": f"{facts.get('cpu family', '?')}/{facts.get('model', '?')}",
        "cores": usable,
        "vnni": any(flag.endswith("vnni") for flag in flags) if flags else None,
        "int8_flags": [flag for flag in INT8_FLAGS if flag in flags],
        "system": platform.system(),
        "python": platform.python_version(),
        **{name: version(name) for name in LIBRARIES},
    }


def _processor_facts() -> dict[str, str]:
    """Return the first processor's entries of /proc/cpuinfo, nothing off Linux."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return {}
    lines = (line.partition(":") for line in text.partition("\n\n")[0].splitlines())
    return {key.strip(): value.strip() for key, _, value in lines}
