"""The shape of the package: imports point down, and each third-party library has one home."""

import ast
import re
import subprocess
import sys
import tomllib
from itertools import chain
from pathlib import Path

import gatekeeper

ROOT = Path(__file__).parent.parent
PACKAGE = Path(gatekeeper.__file__).parent

# The longest entry that fits holds; a module may import from lower layers and from its own entry.
LAYERS = {
    "gatekeeper": 0,
    "gatekeeper.errors": 0,
    "gatekeeper.verdict": 0,
    "gatekeeper.policy": 0,
    "gatekeeper.protocols": 0,
    "gatekeeper.core": 1,
    "gatekeeper.runtime": 2,
    "gatekeeper.scheduler": 3,
    "gatekeeper.means": 3,
    "gatekeeper.check": 4,
    "gatekeeper.gate": 5,
    "gatekeeper.testing": 5,
    "gatekeeper.asgi": 6,
    "gatekeeper.observe": 6,
    "gatekeeper.evaluation": 6,
    "gatekeeper.outcomes": 6,
    "gatekeeper.marks": 7,
    "gatekeeper.build": 8,
    "gatekeeper.recording": 8,
    "gatekeeper.probing": 8,
    "gatekeeper.config": 8,
    "gatekeeper.review": 9,
    "gatekeeper.parts": 10,
    "gatekeeper.front": 11,
    "gatekeeper.demo": 12,
    "gatekeeper.cli": 13,
}

HOMES: dict[str, set[str]] = {
    "click": {"gatekeeper.cli"},
    "jinja2": {"gatekeeper.review"},
    "numpy": {"gatekeeper.runtime", "gatekeeper.evaluation", "gatekeeper.outcomes"},
    "onnxruntime": {"gatekeeper.runtime"},
    "starlette": {"gatekeeper.asgi", "gatekeeper.demo", "gatekeeper.front", "gatekeeper.review"},
    "psycopg": set(),  # sqlalchemy loads it for an address of a PostgreSQL server
    "prometheus_client": {
        "gatekeeper.observe",
        "gatekeeper.parts",  # for a type
        "gatekeeper.front",
        "gatekeeper.demo",
    },
    "sqlalchemy": {"gatekeeper.outcomes"},
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
    """Return the layer entry a module, or a name in one, belongs to."""
    return max((entry for entry in LAYERS if is_in(name, entry)), key=len)


def is_in(name: str, entry: str) -> bool:
    """Tell whether a dotted name is an entry or lies in it."""
    return name == entry or name.startswith(entry + ".")


def may_import(entry: str, target: str) -> bool:
    """Tell whether modules of one entry may use another; the types at the bottom are one entry."""
    if target == entry or LAYERS[entry] == LAYERS[target] == 0:
        return True
    return LAYERS[target] < LAYERS[entry]


def test_every_module_has_a_layer() -> None:
    """What was forgotten would count as the bottom, and could import nothing and be used by all."""
    homeless = [name for name in modules() if home(name) == "gatekeeper" != name]

    assert homeless == []
    assert {home(name) for name in modules()} == set(LAYERS)


def test_imports_point_down() -> None:
    """A layer that knows the one above it can't be understood or tested alone."""
    upward = [
        f"{name} imports {target}"
        for name, tree in modules().items()
        for target in imports(tree)
        if is_in(target, "gatekeeper") and not may_import(home(name), home(target))
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


def test_homes_are_those_of_the_declared_libraries() -> None:
    """A library that is installed for nobody, or used without being declared, must show."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    declared = [*project["dependencies"], *chain(*project["optional-dependencies"].values())]
    names = {re.split(r"[^\w-]", line)[0].replace("-", "_") for line in declared}

    assert names == set(HOMES)


def test_no_home_stands_empty() -> None:
    """A permission that nobody uses is one that nobody watches."""
    used = {
        (target.split(".")[0], place)
        for name, tree in modules().items()
        for target in imports(tree)
        for place in HOMES.get(target.split(".")[0], set())
        if is_in(name, place)
    }

    assert used == {(library, place) for library, places in HOMES.items() for place in places}


def test_import_is_light() -> None:
    """A command line that only prints its help must not wait for a model runtime."""
    heavy = sorted(HOMES)

    code = f"import gatekeeper, sys; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"


def test_switching_a_route_needs_no_model_runtime() -> None:
    """At 3 a.m. the runtime may be what is broken, and `gatekeeper mode` must still work."""
    code = "import gatekeeper.cli.mode, sys; print('onnxruntime' in sys.modules)"

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "False"
