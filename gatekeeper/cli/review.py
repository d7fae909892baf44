"""``gatekeeper review``: tokens of the people who label."""

import secrets
from pathlib import Path

import click

from gatekeeper.cli.configfile import config_option
from gatekeeper.cli.show import say, tell
from gatekeeper.config.files import read_text
from gatekeeper.config.policies import read_draft
from gatekeeper.config.reader import Faults
from gatekeeper.config.review import ROLES, Reviewer, name_fault, reviewers_in
from gatekeeper.errors import ConfigurationError, InputError
from gatekeeper.evaluation.replacing import replace_file

_BYTES = 32


@click.group("review")
def command() -> None:
    """Give people tokens for the review page."""


@command.command("token")
@click.argument("name")
@click.option("--role", type=click.Choice([*ROLES]), default="review", show_default=True)
@config_option
def token(name: str, *, role: str, config: Path) -> None:
    """Print a new token for NAME, once, and write its hash to the file of the page.

    The token is nowhere else: who loses it gets a new one, after the old entry was taken out.
    """
    from gatekeeper.review.people import digest  # noqa: PLC0415 - needs nothing of the extra

    path = _tokens(config)
    expected = name_fault(name)
    if expected is not None:
        raise InputError("NAME", repr(name), expected)
    text = _text(path) if path.exists() else ""
    if any(person.name.casefold() == name.casefold() for person in _people(path, text)):
        advice = f"another name, or the entry taken out of {path}"
        raise InputError("NAME", f"{name!r}, who has a token", advice)
    made = f"gkr_{secrets.token_urlsafe(_BYTES)}"
    sha256 = digest(made)
    entry = f'[[reviewer]]\nname = "{name}"\nrole = "{role}"\nsha256 = "{sha256}"\n'
    whole = _below(text, entry)
    if not _holds(path, whole, sha256):
        expected = "entries [[reviewer]], which another can be written below"
        raise InputError(str(path), "people in another form", expected)
    _write(path, whole)
    # Somebody else may have replaced it meanwhile, and who is given a token trusts it.
    if not _holds(path, _text(path), sha256):
        raise InputError(str(path), "it without the new token", "no other change; try again")
    tell(f"{path}: {name} may {'review and undo' if role == 'admin' else 'review'}; the token is")
    say(made)


def _text(path: Path) -> str:
    faults = Faults()
    text = read_text(path, place=str(path), faults=faults)
    if text is None:
        raise ConfigurationError(str(path), faults.all)
    return text


def _people(path: Path, text: str) -> tuple[Reviewer, ...]:
    faults = Faults()
    people = reviewers_in(path, text, place=str(path), faults=faults)
    if faults.all:
        raise ConfigurationError(str(path), faults.all)
    return people


def _below(text: str, entry: str) -> str:
    """Return a file with one more entry; the last line of what is there may lack its end."""
    end = "" if text.endswith("\n") or not text else "\n"
    return f"{text}{end}\n{entry}" if text else entry


def _holds(path: Path, text: str, sha256: str) -> bool:
    """Tell whether the page would find a token in what stands in the file."""
    people = reviewers_in(path, text, place=str(path), faults=Faults())
    return any(person.sha256 == sha256 for person in people)


def _write(path: Path, text: str) -> None:
    try:
        replace_file(path.resolve(), text.encode())
    except OSError as error:
        found = (error.strerror or "an error while writing").lower()
        expected = "a file in a folder that can be written: make it, or name another in [review]"
        raise InputError(str(path), found, expected) from error


def _tokens(config: Path) -> Path:
    """Return the file that a policy names; other faults don't matter here."""
    draft = read_draft(config, imports=False)
    faults = [fault for fault in draft.faults if fault.place == "file"]
    if faults:
        raise ConfigurationError(str(config), faults)
    if draft.policy.review is None:
        raise InputError(f"{config}: review", "nothing", "a table [review], which may be empty")
    return Path(draft.policy.review.tokens)
