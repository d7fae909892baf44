"""Whatever stands at whatever key: a policy or faults, never a traceback."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from gatekeeper.config import policy_hash, read_draft
from gatekeeper.config.keys import (
    KEEP_KEYS,
    OUTCOMES_KEYS,
    POLICY_BOUNDS,
    POLICY_KEYS,
    REASONS,
    ROUTE_BOUNDS,
    ROUTE_KEYS,
    TARGETS_KEYS,
    TRIP_KEYS,
)
from gatekeeper.config.modefile import parse_mode_file
from gatekeeper.config.sources import SHARE_KEYS, SOURCE_KEYS
from gatekeeper.errors import ConfigurationError
from tests.config.policies import toml

VALUES = (
    *("0", "-1", "1", "2", "1.5", "nan", "inf", "-inf", "1e308", "9" * 40, "true", "false"),
    *('""', '"x"', '"/x"', '"0.5"', r'"\u0000"', r'"\ud7ff~"', "2000-01-01", "07:30:00"),
    *("[]", "[1]", '["x"]', '[""]', "[[]]", "[{}]", "{}", '{ default = "withhold" }', "{ x = {} }"),
)
SOURCES = sorted({*SOURCE_KEYS, *(key for keys in SOURCE_KEYS.values() for key in keys)})


def places() -> Iterator[tuple[str, str]]:
    """Yield each key with a pattern for what is written there."""
    yield from ((key, "{}") for key in ROUTE_KEYS)
    yield from (("bounds", f"{{{{ {key} = {{}} }}}}") for key in ROUTE_BOUNDS)
    yield from (("targets", f"{{{{ {key} = {{}} }}}}") for key in TARGETS_KEYS)
    yield from (("trip", f"{{{{ {key} = {{}} }}}}") for key in TRIP_KEYS)
    yield from (("share_key", f"{{{{ {key} = {{}} }}}}") for key in SHARE_KEYS)
    yield from (("context", f"[{{{{ {key} = {{}} }}}}]") for key in SOURCES)
    yield ("context", '[{{ roles = ["tool"], request = {} }}]')
    yield ("question", "{{ request = {} }}")
    for table, reasons in REASONS.items():
        yield from ((table, f"{{{{ {reason} = {{}} }}}}") for reason in ("default", *reasons))


@pytest.mark.parametrize(("key", "pattern"), [*places()])
def test_a_route_with_anything_anywhere(tmp_path: Path, key: str, pattern: str) -> None:
    """A start that ends in a traceback tells nobody what to mend."""
    path = tmp_path / "gatekeeper.toml"
    for value in VALUES:
        path.write_text(toml({key: pattern.format(value)}), encoding="utf-8")

        draft = read_draft(path, environment={})

        assert all(str(fault).isprintable() for fault in draft.faults), value
        assert len(policy_hash(draft.policy)) == 64


@pytest.mark.parametrize("key", [*POLICY_KEYS[1:], *POLICY_BOUNDS, "secret"])
def test_the_top_with_anything_anywhere(tmp_path: Path, key: str) -> None:
    """The same for what holds for all routes."""
    path = tmp_path / "gatekeeper.toml"
    pattern = "{}" if key not in POLICY_BOUNDS else f"{{{{ {key} = {{}} }}}}"
    name = "bounds" if key in POLICY_BOUNDS else key
    for value in VALUES:
        path.write_text(toml(**{name: pattern.format(value)}), encoding="utf-8")

        draft = read_draft(path, environment={})

        assert all(str(fault).isprintable() for fault in draft.faults), value


@pytest.mark.parametrize(
    "pattern",
    [
        *(f"{{{{ {key} = {{}} }}}}" for key in OUTCOMES_KEYS),
        *(f"{{{{ keep = {{{{ {key} = {{}} }}}} }}}}" for key in KEEP_KEYS),
    ],
)
def test_the_store_with_anything_anywhere(tmp_path: Path, pattern: str) -> None:
    """The same for the outcome store."""
    path = tmp_path / "gatekeeper.toml"
    for value in VALUES:
        path.write_text(toml(outcomes=pattern.format(value)), encoding="utf-8")

        draft = read_draft(path, environment={})

        assert all(str(fault).isprintable() for fault in draft.faults), value
        assert len(policy_hash(draft.policy)) == 64


@pytest.mark.parametrize("key", ["mode", "share", "trip", "resets", "x"])
@pytest.mark.parametrize(
    "value",
    ["0", "-1", "1.5", "9" * 40, "NaN", "Infinity", "true", "null", '""', "[]", "{}", '{"to": 1}'],
)
def test_a_run_time_file_with_anything_anywhere(key: str, value: str) -> None:
    """Every worker polls the file twice a second; none may die of it."""
    data = f'{{"format": 1, "routes": {{"/a": {{"{key}": {value}}}}}}}'.encode()
    try:
        share = parse_mode_file(data).override("/a").share
    except ConfigurationError:
        share = None

    assert share is None or 0 <= share <= 1
