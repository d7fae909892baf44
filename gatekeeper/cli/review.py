"""``gatekeeper review``: tokens of the people who label."""

import secrets
from pathlib import Path

import click

from gatekeeper.cli.policyfile import config_option
from gatekeeper.cli.show import say, tell
from gatekeeper.config.policies import read_draft
from gatekeeper.config.reader import Faults
from gatekeeper.config.review import ROLES, name_fault, read_reviewers
from gatekeeper.errors import ConfigurationError, InputError

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
    faults = Faults()
    people = read_reviewers(path, place=str(path), faults=faults) if path.exists() else ()
    if faults.all:
        raise ConfigurationError(str(path), faults.all)
    if any(person.name.casefold() == name.casefold() for person in people):
        advice = f"another name, or the entry taken out of {path}"
        raise InputError("NAME", f"{name!r}, who has a token", advice)
    made = f"gkr_{secrets.token_urlsafe(_BYTES)}"
    entry = f'[[reviewer]]\nname = "{name}"\nrole = "{role}"\nsha256 = "{digest(made)}"\n'
    with path.open("a", encoding="utf-8") as file:
        file.write(f"\n{entry}" if people else entry)
    tell(f"{path}: {name} may {'review and undo' if role == 'admin' else 'review'}; the token is")
    say(made)


def _tokens(config: Path) -> Path:
    """Return the file that a policy names; other faults don't matter here."""
    draft = read_draft(config, imports=False)
    faults = [fault for fault in draft.faults if fault.place == "file"]
    if faults:
        raise ConfigurationError(str(config), faults)
    if draft.policy.review is None:
        raise InputError(f"{config}: review", "nothing", "a table [review]: see docs/policy.md")
    return Path(draft.policy.review.tokens)
