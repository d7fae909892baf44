"""Kinds of error in a set's own words."""

import json

import pytest

from benchmarks.kinds import kinds_of
from tests.benchmarks.rows import claim, premise, row


@pytest.mark.parametrize(
    ("dataset", "meta", "kinds"),
    [
        ("summedits", {"edit_types": ["antonym_swap", "antonym_swap"]}, ("antonym_swap",)),
        (
            "aggrefact_cliff_goyal21",
            {"error_type": "['extrinsic-NP', 'intrinsic-NP']"},
            ("extrinsic-np", "intrinsic-np"),
        ),
        ("aggrefact_cliff_goyal21", {"error_type": None}, ()),
        ("qags", {"error_type": "['extrinsic-NP']"}, ()),
        ("summedits", {}, ()),
    ],
)
def test_kinds_are_read_as_each_set_writes_them(
    dataset: str, meta: dict[str, object], kinds: tuple[str, ...]
) -> None:
    """A list, or a list written as text; each kind once; a set without them has none."""
    one = row(claim(premise(0.5)), dataset=dataset, meta=json.dumps(meta))

    assert kinds_of(one) == kinds
