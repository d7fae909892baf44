"""``gatekeeper review token``: a token that opens the page, and a file that does not hold it."""

from pathlib import Path

import pytest

from gatekeeper.cli import main
from gatekeeper.config import load_policy
from gatekeeper.config.reader import Faults
from gatekeeper.config.review import read_reviewers
from gatekeeper.outcomes.words import Role
from gatekeeper.review.people import People, digest
from tests.config.policies import SECRET, toml


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """Write a policy with a page that nobody may open yet."""
    path = tmp_path / "gatekeeper.toml"
    text = toml(outcomes='{ store_text = "none", retention_days = 30 }', review="{}")
    path.write_text(text, encoding="utf-8")
    return path


def token(config: Path, name: str, *more: str) -> int:
    """Ask for a token."""
    return main(["review", "token", name, *more, "-c", str(config)])


def test_token_is_printed_once_and_its_hash_kept(
    config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The first one makes the policy a valid one; the page knows whose it is."""
    assert token(config, "Ann Lee") == 0
    assert token(config, "bob", "--role", "admin") == 0

    ann, bob = capsys.readouterr().out.splitlines()
    file = config.parent / "reviewers.toml"
    assert ann not in file.read_text(encoding="utf-8")
    assert len(ann) >= 40
    assert ann != bob
    people = read_reviewers(file, place="x", faults=Faults())
    assert [(one.name, one.role) for one in people] == [
        ("Ann Lee", Role.REVIEW),
        ("bob", Role.ADMIN),
    ]
    assert [one.sha256 for one in people] == [digest(ann), digest(bob)]
    found = People(file, lambda *_, **__: None).by_token(bob)
    assert found is not None
    assert found.name == "bob"
    assert load_policy(config, environment=SECRET).review is not None


def test_name_that_has_a_token_is_refused(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two people of one name would label as one."""
    token(config, "ann")
    before = (config.parent / "reviewers.toml").read_bytes()

    assert token(config, "Ann") == 2

    assert "who has a token" in capsys.readouterr().err
    assert (config.parent / "reviewers.toml").read_bytes() == before


@pytest.mark.parametrize("name", ["", "-x", 'a"b', "a\nb"])
def test_name_is_one(config: Path, name: str) -> None:
    """It is written into a file that is read as TOML."""
    assert main(["review", "token", "-c", str(config), "--", name]) == 2
    assert not (config.parent / "reviewers.toml").exists()


def test_broken_file_is_left_alone(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is appended to it would be lost with the rest."""
    file = config.parent / "reviewers.toml"
    file.write_text("[[reviewer", encoding="utf-8")

    assert token(config, "ann") == 2

    assert "no TOML" in capsys.readouterr().err
    assert file.read_text(encoding="utf-8") == "[[reviewer"


@pytest.mark.parametrize(
    "held",
    [
        "# our reviewers",
        "# our reviewers\n",
        "# one\r\n# two",
        "\ufeff# ours",
        f'[[reviewer]]\nname = "bob"\nrole = "admin"\nsha256 = "{"0" * 64}"',
    ],
)
def test_token_works_whatever_the_file_ends_in(
    config: Path, capsys: pytest.CaptureFixture[str], held: str
) -> None:
    """An entry on the line of a comment breaks the file, and nobody can sign in any more."""
    file = config.parent / "reviewers.toml"
    file.write_bytes(held.encode())
    file.chmod(0o640)

    assert token(config, "ann") == 0

    made = capsys.readouterr().out.strip()
    found = People(file, lambda *_, **__: None).by_token(made)
    assert found is not None
    assert found.name == "ann"
    text = file.read_bytes().decode("utf-8-sig")
    assert text.startswith(held.removeprefix("\ufeff"))
    assert file.stat().st_mode & 0o777 == 0o640
    assert {one.name for one in config.parent.iterdir()} == {config.name, file.name}


def test_people_in_another_form_are_left_alone(
    config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """TOML takes no entry below a list that is closed; a token printed would open nothing."""
    file = config.parent / "reviewers.toml"
    held = f'reviewer = [{{ name = "bob", role = "admin", sha256 = "{"0" * 64}" }}]\n'
    file.write_text(held, encoding="utf-8")

    assert token(config, "ann") == 2

    said = capsys.readouterr()
    assert "entries [[reviewer]]" in said.err
    assert said.out == ""
    assert file.read_text(encoding="utf-8") == held


def test_folder_that_is_missing_is_told_with_what_to_do(
    config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whoever runs it has to know which folder, and whose path it is."""
    text = toml(
        outcomes='{ store_text = "none", retention_days = 30 }', review='{ tokens = "no/r.toml" }'
    )
    config.write_text(text, encoding="utf-8")

    assert token(config, "ann") == 2

    said = capsys.readouterr()
    assert f"{config.parent / 'no' / 'r.toml'}: found no such file or directory" in said.err
    assert "make it, or name another in [review]" in said.err
    assert said.out == ""


@pytest.mark.parametrize("text", [toml(), "[["])
def test_policy_without_a_page_says_so(
    config: Path, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    """A token for nothing is no use."""
    config.write_text(text, encoding="utf-8")

    assert token(config, "ann") == 2
    said = capsys.readouterr().err
    assert "a table [review]" in said or "no TOML" in said
