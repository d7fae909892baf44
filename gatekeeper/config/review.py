"""The table ``[review]``: where people label decisions, and the file that says who may.

That file holds names, roles and the sha256 of tokens, never a token. It is read again while
workers run, so its faults are noted, not raised, there as at the start.
"""

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

from gatekeeper.asgi.paths import Paths
from gatekeeper.config.files import Folder, read_text
from gatekeeper.config.keys import REVIEW_KEYS, REVIEWER_KEYS
from gatekeeper.config.places import Part
from gatekeeper.config.reader import Faults, Table
from gatekeeper.config.rules import check_path
from gatekeeper.config.words import listed, named, shown
from gatekeeper.outcomes.words import Role
from gatekeeper.policy import Policy, Review

PATH = "/gatekeeper/review"
TOKENS = "reviewers.toml"
ROLES = {str(role): role for role in Role}

_EXAMPLE = f'{{ path = "{PATH}", tokens = "{TOKENS}" }}'
_ADVICE = "make one: gatekeeper review token NAME --role review"
_SHA256 = re.compile(r"[0-9a-f]{64}")
# It is stored with labels and shown to colleagues.
_NAME = re.compile(r"[^\W_](?:[\w .@+-]{0,58}[\w.+-])?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reviewer:
    """A person who labels; ``sha256`` is that of their token, hexadecimal."""

    name: str
    role: Role
    sha256: str


def read_review(top: Table, folder: Folder) -> Review | None:
    """Return the table, None without one: then there is no page."""
    table = top.table("review", _EXAMPLE)
    if table is None:
        return None
    table.refuse_unknown(REVIEW_KEYS)
    path, tokens = table.text("path"), table.text("tokens")
    return Review(
        path=PATH if path is None else path,
        tokens=folder.locate(TOKENS if tokens is None else tokens),
    )


def check_review(policy: Policy, top: Part) -> None:
    """Check the page against the rest of the policy, and the file of the people."""
    review, part = policy.review, top.below("review")
    if review is None:
        return
    if policy.outcomes is None:
        found = "a page without a table [outcomes]"
        top.note("review", found, "a store to review from", "write [outcomes]")
    check_path(review.path, part)
    if not part.faults.touch(f"{part.place}.path"):
        _check_own(policy, review.path, part)
    if not read_reviewers(Path(review.tokens), place=f"{part.place}.tokens", faults=part.faults):
        part.note("tokens", f"nobody in {named(review.tokens)}", "at least one reviewer", _ADVICE)


def read_reviewers(path: Path, *, place: str, faults: Faults) -> tuple[Reviewer, ...]:
    """Return the people of a file; where it has a fault, that is noted and nobody is returned."""
    if not _is_there(path):
        faults.note(place, f"no file {named(path)}", "a file with reviewers", _ADVICE)
        return ()
    text = read_text(path, place=place, faults=faults)
    return () if text is None else reviewers_in(path, text, place=place, faults=faults)


def reviewers_in(path: Path, text: str, *, place: str, faults: Faults) -> tuple[Reviewer, ...]:
    """Return the people of what stands in a file, or would, as ``read_reviewers`` does."""
    try:
        raw = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        advice = "mend it, or move it away and make tokens anew"
        faults.note(place, f"{named(path)}: no TOML ({error})", "TOML", advice)
        return ()
    top = Table(raw, place, faults)
    top.refuse_unknown(("reviewer",))
    entries = list(top.tables("reviewer", "[[reviewer]]"))
    people = tuple(_reviewer(entry) for entry in entries)
    for one in ("name", "sha256"):
        _refuse_twice(one, people, entries)
    return () if faults.touch(place) else people


def name_fault(name: str) -> str | None:
    """Say what is expected where a name is none."""
    if _NAME.fullmatch(name):
        return None
    return "1 to 60 letters, digits, blanks or . _ @ + -, the first one a letter or digit"


def free_path(taken: str) -> str:
    """Say where else the page may be."""
    if taken != PATH:
        return f'write path = "{PATH}"'
    return 'write another one, such as path = "/review"'


def _is_there(path: Path) -> bool:
    try:
        path.stat()
    except FileNotFoundError:
        return False
    except (OSError, ValueError):
        return True  # reading it says what is wrong
    return True


def _reviewer(entry: Table) -> Reviewer:
    entry.refuse_unknown(REVIEWER_KEYS)
    name, sha256 = entry.text("name"), entry.text("sha256")
    if "role" not in entry.raw:
        entry.missing("role", listed(ROLES), '"review"')
    expected = name_fault(name or "")
    if expected is not None and not entry.faults.touch(entry.at("name")):
        found = "nothing" if name is None else shown(name)
        entry.faults.note(entry.at("name"), found, expected)
    if not _SHA256.fullmatch(sha256 or "") and not entry.faults.touch(entry.at("sha256")):
        # Not shown: it may be the token itself.
        found = "nothing" if sha256 is None else "another string"
        entry.faults.note(entry.at("sha256"), found, "64 hexadecimal digits", _ADVICE)
    role = entry.choice("role", ROLES, Role.REVIEW)
    return Reviewer(name=name or "", role=role, sha256=sha256 or "")


def _refuse_twice(key: str, people: tuple[Reviewer, ...], entries: list[Table]) -> None:
    """Note what two people share: a name signs labels, a token tells who is there."""
    seen: dict[str, Table] = {}
    for person, entry in zip(people, entries, strict=True):
        value = str(getattr(person, key)).casefold()
        first = seen.setdefault(value, entry)
        if value and first is not entry:
            found = f"the {key} of {first.place} again"
            entry.faults.note(entry.at(key), found, "one of its own for each person")


def _check_own(policy: Policy, path: str, part: Part) -> None:
    """Refuse a path that would take requests from the app."""
    if path.endswith("/") or "//" in path or "/." in path:
        found, expected = shown(path), "a path of its own, without an end or parts that are empty"
        part.note("path", found, expected, free_path(path))
        return
    page = Paths([(path, True)])
    for position, route in enumerate(policy.routes):
        parts = route.path.rstrip("/").split("/")
        above = ("/".join(parts[:count]) for count in range(2, len(parts) + 1))
        if any(page.find({"path": one}) for one in above):
            found = f"{shown(path)}, where route[{position}] has {shown(route.path)}"
            part.note("path", found, "one that is no route's, nor above one", free_path(path))
