"""The shape of the package: imports point down, and each third-party library has one home."""

import ast
import subprocess
import sys
from pathlib import Path

import gatekeeper

PACKAGE = Path(gatekeeper.__file__).parent

# First match wins; a module may import from lower layers and from its own folder.
LAYERS = {
    "gatekeeper": 0,
    "gatekeeper.errors": 0,
    "gatekeeper.verdict": 0,
    "gatekeeper.policy": 0,
    "gatekeeper.protocols": 0,
    "gatekeeper.core": 1,
    "gatekeeper.runtime": 2,
    "gatekeeper.scheduler": 3,
    "gatekeeper.gate": 4,
    "gatekeeper.testing": 4,
    "gatekeeper.asgi": 5,
    "gatekeeper.outcomes": 5,
    "gatekeeper.observe": 5,
    "gatekeeper.evaluation": 5,
    "gatekeeper.config": 6,
    "gatekeeper.build": 6,
    "gatekeeper.front": 6,
    "gatekeeper.cli": 6,
    "gatekeeper.demo": 6,
}

HOMES = {
    "click": {"gatekeeper.cli"},
    "numpy": {"gatekeeper.runtime", "gatekeeper.evaluation"},
    "onnxruntime": {"gatekeeper.runtime"},
    "starlette": {"gatekeeper.asgi", "gatekeeper.demo", "gatekeeper.front"},
    "prometheus_client": {"gatekeeper.observe", "gatekeeper.front", "gatekeeper.demo"},
    "structlog": {"gatekeeper.observe"},
    "tokenizers": {"gatekeeper.runtime"},
    "uvicorn": {"gatekeeper.demo"},
}


def modules() -> dict[str, ast.Module]:
    """Parse every module of the package, by dotted name."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        found[name] = ast.parse(path.read_text(encoding="utf-8"))
    return found


def imports(tree: ast.Module) -> set[str]:
    """Return the dotted names a module imports anywhere, also inside functions."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def home(name: str) -> str:
    """Return the layer entry a module belongs to."""
    return max((entry for entry in LAYERS if is_in(name, entry)), key=len)


def is_in(name: str, entry: str) -> bool:
    """Tell whether a dotted name is an entry or lies in it."""
    return name == entry or name.startswith(entry + ".")


def test_imports_point_down() -> None:
    """A layer that knows the one above it can't be understood or tested alone."""
    upward = [
        f"{name} imports {target}"
        for name, tree in modules().items()
        for target in imports(tree)
        if is_in(target, "gatekeeper")
        and LAYERS[home(target)] >= LAYERS[home(name)]
        and home(target) != home(name)
        and LAYERS[home(name)] not in (0, 6)
    ]

    assert upward == []


def test_lowest_layer_imports_nothing_above_it() -> None:
    """The words of the product stand on nothing but themselves."""
    upward = [
        f"{name} imports {target}"
        for name, tree in modules().items()
        for target in imports(tree)
        if is_in(target, "gatekeeper") and LAYERS[home(name)] == 0 < LAYERS[home(target)]
    ]

    assert upward == []


def test_each_library_has_one_home() -> None:
    """Swapping a library must touch one folder."""
    strays = [
        f"{name} imports {library}"
        for name, tree in modules().items()
        for library in {target.split(".")[0] for target in imports(tree)}
        if library not in sys.stdlib_module_names | {"gatekeeper"}
        and not any(is_in(name, place) for place in HOMES.get(library, set()))
    ]

    assert strays == []


def test_import_is_light() -> None:
    """A command line that only prints its help must not wait for a model runtime."""
    heavy = sorted(HOMES)

    code = f"import gatekeeper, sys; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"
