"""The table ``[outcomes]``: where decisions are stored, what of them, and for how long."""

import re
from dataclasses import fields

from gatekeeper.config.files import Folder
from gatekeeper.config.keys import KEEP_KEYS, OUTCOMES_KEYS, STORE_TEXT
from gatekeeper.config.places import Part
from gatekeeper.config.reader import Table
from gatekeeper.config.words import listed, shown
from gatekeeper.policy import SQLITE, Keep, Outcomes, sqlite_file

_STORE = "outcomes.db"
_SERVER = re.compile(r"postgresql(\+psycopg)?://\S+")
_EXAMPLE = '{ store_text = "none", retention_days = 30 }'
_KEEP = Keep()

# Windows of four weeks need the weeks before for their score bands.
_FEWEST_DECISION_DAYS = 42
_MOST_DAYS = 3650


def read_outcomes(top: Table, folder: Folder) -> Outcomes | None:
    """Return the table, None without one; what is stored of people's texts has no default."""
    table = top.table("outcomes", _EXAMPLE)
    if table is None:
        return None
    table.refuse_unknown(OUTCOMES_KEYS)
    if "store_text" not in table.raw:
        table.missing("store_text", listed(STORE_TEXT), '"none"')
    if "retention_days" not in table.raw:
        table.missing("retention_days", "how many days stored texts are kept", "30")
    decision_days = table.integer("decision_days", 400)
    return Outcomes(
        url=_located(table.text("url"), folder),
        store_text=table.choice("store_text", STORE_TEXT, "none"),
        retention_days=table.integer("retention_days", 1),
        decision_days=decision_days,
        keep=_keep(table),
    )


def check_outcomes(outcomes: Outcomes, part: Part) -> None:
    """Check ranges and words. An address is never shown: there may be a password in it."""
    if outcomes.store_text not in STORE_TEXT:
        part.note("store_text", shown(outcomes.store_text), listed(STORE_TEXT))
    part.within("retention_days", outcomes.retention_days, 1, _MOST_DAYS)
    part.within("decision_days", outcomes.decision_days, _FEWEST_DECISION_DAYS, _MOST_DAYS)
    if outcomes.decision_days < outcomes.retention_days:
        expected = f"at least retention_days = {outcomes.retention_days}"
        part.note(
            "decision_days", shown(outcomes.decision_days), expected, rests_on="retention_days"
        )
    if not sqlite_file(outcomes.url) and not _SERVER.fullmatch(outcomes.url):
        expected = "sqlite:///PATH or postgresql://USER@HOST/NAME"
        part.note("url", "another address", expected, f'write url = "{SQLITE}{_STORE}"')
    for field in fields(Keep):
        part.below("keep").fraction(field.name, getattr(outcomes.keep, field.name), ends=True)


def _located(url: str | None, folder: Folder) -> str:
    """Return the address, a relative path of a file from the folder of the policy."""
    if url is None:
        return f"{SQLITE}{folder.locate(_STORE)}"
    path = sqlite_file(url)
    return url if not path else f"{SQLITE}{folder.locate(path)}"


def _keep(table: Table) -> Keep:
    given = table.table("keep", "{ blocked = 0.1, accepted_low = 0.1 }")
    if given is None:
        return _KEEP
    given.refuse_unknown(KEEP_KEYS)
    return Keep(**{key: float(given.number(key, getattr(_KEEP, key))) for key in KEEP_KEYS})
