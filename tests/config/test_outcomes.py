"""The table ``[outcomes]`` of the policy file: what must be said, and what can't be."""

from pathlib import Path

import pytest

from gatekeeper.policy import Keep
from tests.config.policies import SECRET, faults, load, toml

REQUIRED = 'store_text = "none", retention_days = 30'


def test_file_beside_the_policy_unless_said_otherwise(tmp_path: Path) -> None:
    """Where decisions go must not hang on the folder a server was started in."""
    found = load(tmp_path, toml(outcomes=f"{{ {REQUIRED} }}"), environment=SECRET).outcomes

    assert found is not None
    assert found.url == f"sqlite:///{tmp_path / 'outcomes.db'}"


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("sqlite:///kept/x.db", "sqlite:///{0}/kept/x.db"),
        ("sqlite:////var/x.db", "sqlite:////var/x.db"),
        ("postgresql://me@db/gate", "postgresql://me@db/gate"),
    ],
)
def test_address_is_that_of_the_file(tmp_path: Path, written: str, expected: str) -> None:
    """A relative path starts at the policy, everything else stays as it is."""
    text = toml(outcomes=f'{{ url = "{written}", {REQUIRED} }}')

    found = load(tmp_path, text, environment=SECRET).outcomes

    assert found is not None
    assert found.url == expected.format(tmp_path)


def test_each_share_reaches_the_policy(tmp_path: Path) -> None:
    """A share that is not named keeps its default."""
    text = toml(outcomes=f"{{ {REQUIRED}, keep = {{ blocked = 1, accepted_low = 0.3 }} }}")

    found = load(tmp_path, text, environment=SECRET).outcomes

    assert found is not None
    assert found.keep == Keep(blocked=1.0, accepted_low=0.3)


@pytest.mark.parametrize(
    ("written", "places"),
    [
        ("{}", ["outcomes.store_text", "outcomes.retention_days"]),
        ('{ store_text = "all", retention_days = 30 }', ["outcomes.store_text"]),
        ('{ store_text = "none", retention_days = 0 }', ["outcomes.retention_days"]),
        ('{ store_text = "none", retention_days = 500 }', ["outcomes.decision_days"]),
        (f"{{ {REQUIRED}, decision_days = 28 }}", ["outcomes.decision_days"]),
        (f'{{ {REQUIRED}, url = "mysql://root:hunter2@db/x" }}', ["outcomes.url"]),
        (f"{{ {REQUIRED}, keep = {{ blocked = 10 }} }}", ["outcomes.keep.blocked"]),
        (f"{{ {REQUIRED}, keep = {{ low = 1 }} }}", ["outcomes.keep.low"]),
        (f"{{ {REQUIRED}, text = 1 }}", ["outcomes.text"]),
        ("1", ["outcomes"]),
    ],
)
def test_faults_have_their_place(tmp_path: Path, written: str, places: list[str]) -> None:
    """What is stored of people's texts is never a guess; an address may hold a password."""
    found = faults(tmp_path, toml(outcomes=written), environment=SECRET)

    assert [fault.place for fault in found] == places
    assert not any("hunter2" in str(fault) for fault in found)


def test_store_needs_the_secret(tmp_path: Path) -> None:
    """Hashes without a key tell whoever reads them which short answer was given."""
    [fault] = faults(tmp_path, toml(outcomes=f"{{ {REQUIRED} }}"))

    assert fault.place == "outcomes"
    assert "openssl rand -hex 32" in fault.instead
