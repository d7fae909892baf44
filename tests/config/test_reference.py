"""The policy reference says what is true: every key, every default, every block."""

import re
import tomllib
from dataclasses import fields
from pathlib import Path

import pytest

from gatekeeper.config.keys import (
    KEEP_KEYS,
    ON_FLAGGED,
    ON_NO_CLAIMS,
    OUTCOMES_KEYS,
    POLICY_BOUNDS,
    POLICY_KEYS,
    REACTIONS,
    REVIEW_KEYS,
    ROUTE_KEYS,
    TRIP_KEYS,
)
from gatekeeper.config.review import PATH, TOKENS
from gatekeeper.config.sources import SOURCE_KEYS
from gatekeeper.core.plan import Limits
from gatekeeper.policy import Bounds, Keep
from tests.config.policies import ROUTE, SECRET, faults, load, toml

DOCS = Path(__file__).parents[2] / "docs"
REFERENCE = (DOCS / "policy.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```toml\n(.*?)^```", REFERENCE, re.MULTILINE | re.DOTALL)
TOP = "# at the top\n"


def section(title: str, text: str = REFERENCE) -> str:
    """Return the part of the page under a heading, up to the next of any level."""
    [_, rest] = re.split(rf"^#+ {title}$", text, maxsplit=1, flags=re.MULTILINE)
    return re.split(r"^#", rest, maxsplit=1, flags=re.MULTILINE)[0]


def rows(text: str) -> dict[str, list[str]]:
    """Return the rows of the tables of a part by the key in their first cell."""
    found = re.findall(r"^\| `(\w+)` \|(.*)\|$", text, re.MULTILINE)
    return {key: [cell.strip() for cell in rest.split(" | ")] for key, rest in found}


@pytest.mark.parametrize("key", ["false_block", "accepted_error", "confidence"])
def test_targets_that_are_required_are_called_so(tmp_path: Path, key: str) -> None:
    """Who sets one alone finds it refused; readiness and the reference speak of the same table."""
    given = {"false_block": 0.05, "accepted_error": 0.1, "confidence": 0.9}
    rest = ", ".join(f"{name} = {value}" for name, value in given.items() if name != key)
    said = rows(section("Keys of a route"))["targets"][2]

    found = faults(tmp_path, toml({"targets": f"{{ {rest} }}"}))

    assert [fault.place.rpartition(".")[2] for fault in found] == [key] * len(found)
    assert bool(found) == (key in said.partition("required")[0])
    assert key in said


def test_tables_of_the_file_may_stand_behind_the_routes(tmp_path: Path) -> None:
    """As the reference says; plain keys there are those of a route."""
    ann = f'[[reviewer]]\nname = "ann"\nrole = "review"\nsha256 = "{"a" * 64}"\n'
    (tmp_path / TOKENS).write_text(ann, encoding="utf-8")
    stored = 'store_text = "none"\nretention_days = 9\n'

    tables = f"[outcomes]\n{stored}[review]\n[bounds]\npassages = 9\n"
    found = load(tmp_path, f"{toml()}\n{tables}", environment=SECRET)
    [slip, *_] = faults(tmp_path, f"{toml()}\nprobes_per_minute = 0\n")

    assert (found.outcomes is None, found.review is None) == (False, False)
    assert found.routes[0].bounds.passages == 9
    assert slip.place.endswith(".probes_per_minute")
    assert "`[outcomes]`, `[review]`" in section("Keys at the top of the file")


@pytest.mark.parametrize("block", BLOCKS)
def test_every_block_loads(tmp_path: Path, block: str) -> None:
    """A reader copies blocks; a part of a route is completed with what a route must have."""
    if "[[route]]" in block:
        text = block
    elif block.startswith(TOP):
        text = block + toml()
    else:
        given = tomllib.loads(block)
        by_shape: dict[str, str | None] = {"answer": None} if "shape" in given else {}
        left_out = dict.fromkeys(given.keys() & ROUTE.keys(), None)
        text = toml({**left_out, **by_shape}) + "\n" + block

    load(tmp_path, text, environment=SECRET)


@pytest.mark.parametrize(
    ("title", "keys"),
    [("Keys at the top of the file", POLICY_KEYS), ("Keys of a route", ROUTE_KEYS)],
)
def test_every_key_is_described_and_no_other(title: str, keys: tuple[str, ...]) -> None:
    """A key nobody described is not found; one that is gone is a fault at the next start."""
    assert set(rows(section(title))) == {*keys}


@pytest.mark.parametrize("key", sorted(rows(section("Keys of a route"))))
def test_defaults_of_a_route_are_those_of_the_code(tmp_path: Path, key: str) -> None:
    """Writing the default of the table changes nothing; what is required is a fault if missing."""
    default = rows(section("Keys of a route"))[key][1]
    if default.startswith("`"):
        written = load(tmp_path, toml({key: default.strip("`")}))
        assert written == load(tmp_path, toml())
    else:
        assert default.split(",")[0] in ("required", "none", "see [limits](limits.md#bounds)")
        assert (default == "required") == (key in ROUTE and key != "answer")


@pytest.mark.parametrize("key", ["url", "decision_days"])
def test_defaults_of_the_store_are_those_of_the_code(tmp_path: Path, key: str) -> None:
    """Writing the default changes nothing."""
    default = rows(section("The outcome store"))[key][1].strip("`")
    required = 'store_text = "none", retention_days = 30'

    written, bare = (
        load(tmp_path, toml(outcomes=f"{{ {keys} }}"), environment=SECRET)
        for keys in (f"{required}, {key} = {default}", required)
    )

    assert written == bare


def test_keys_of_the_store_are_described() -> None:
    """Every key has its row, and the shares their numbers."""
    described = rows(section("The outcome store"))

    assert tuple(described) == OUTCOMES_KEYS
    shares = dict(re.findall(r"`(\w+)` ([\d.]+)", described["keep"][2]))
    assert shares == {key: f"{getattr(Keep(), key):g}" for key in KEEP_KEYS}


def test_keys_of_the_page_are_described() -> None:
    """Every key has its row, with the default of the code."""
    described = rows(section("The review page"))

    assert tuple(described) == REVIEW_KEYS
    assert [cells[1].strip('`"') for cells in described.values()] == [PATH, TOKENS]


def test_actions_of_the_table_are_those_of_the_code() -> None:
    """Which action can stand where is one table in the code as well."""
    described = {key: cells[0].split(", ") for key, cells in rows(section("Actions")).items()}

    assert described == {
        "on_flagged": [*ON_FLAGGED],
        "on_unresolved": sorted(REACTIONS["on_unresolved"], key=[*ACTION_ORDER].index),
        "on_not_checked": [*REACTIONS["on_not_checked"]],
        "on_no_claims": [*ON_NO_CLAIMS],
    }


ACTION_ORDER = ("withhold", "block", "redact", "annotate", "release")


def test_sources_and_trip_keys_are_described() -> None:
    """Every kind of source and every key of a trip has its row."""
    assert rows(section("Where the evidence comes from")).keys() == {*SOURCE_KEYS, "roles"}
    assert tuple(rows(section("The trip"))) == TRIP_KEYS


def test_bounds_of_the_table_are_those_of_the_code() -> None:
    """All bounds in one table, each with the number that holds."""
    table = rows(section("Bounds", (DOCS / "limits.md").read_text(encoding="utf-8")))
    numbers = {key: float(cells[0].replace(",", "")) for key, cells in table.items()}

    defaults = {field.name: float(getattr(Bounds(), field.name)) for field in fields(Bounds)}
    expected = {
        key.replace("_s", "_ms") if key in ("resolver_s", "send_s") else key: value
        for key, value in defaults.items()
    }
    expected["resolver_ms"] *= 1000
    expected["send_ms"] *= 1000
    assert numbers == expected
    assert table.keys() == {*POLICY_BOUNDS}


def test_limits_of_a_check_are_those_of_the_code() -> None:
    """What one check may use is told beside the bounds of a request."""
    text = section("Bounds", (DOCS / "limits.md").read_text(encoding="utf-8"))
    limits = Limits()

    assert f"{limits.claims} claims" in text
    assert f"{limits.pair_tokens:,} tokens" in text
    assert f"{limits.windows} windows" in text
