"""Support-desk texts and tables with values filled in, and claims about them.

The texts are made up, as are the claims: they teach what a condition, a field or the header of a
column means, not how people write.
"""

import random
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from models.construct.documents import read_document, text_of
from models.construct.edits import CONTRADICTION, ENTAILMENT
from models.construct.speech import FIRST_NAMES
from models.pairs import Pair

CASES = tomllib.loads(Path(__file__).with_name("support.toml").read_text(encoding="utf-8"))["case"]
THINGS = (
    "router headset laptop charger subscription ticket voucher parcel invoice warranty keyboard "
    "printer licence camera monitor mattress bicycle kettle blender jacket suitcase tablet watch "
    "speaker".split()
)
PLANS = (
    "Basic Plus Premium Team Starter Business Family Student Gold Silver Standard Pro Lite "
    "Max".split()
)
CITIES = (
    "Leeds Porto Ghent Bergen Turin Lyon Graz Cork Malmo Bilbao Tampa Austin Boston Denver".split()
)
DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
MONTHS = "January March April June July August September October November December".split()
TEAMS = ("billing", "support", "shipping", "returns", "security", "sales", "technical")
FAULTS = (
    "does not turn on", "arrived broken", "keeps losing the connection", "shows an error",
    "was never delivered", "is the wrong colour", "makes a loud noise", "was charged twice",
    "stopped working", "overheats",
)  # fmt: skip
COLUMNS = (
    "Price", "Users", "Storage", "Support hours", "Delivery days", "Devices", "Visitors",
)  # fmt: skip
SAYINGS = (
    "The {column} of {name} is {value}.",
    "{name} has {value} as {column}.",
    "For {name}, {column} is {value}.",
    "{name}: {column} {value}.",
)
ROWS = 3
CLAIMS = 3  # drawn of each text


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A text, and claims about it, label first."""

    text: str
    claims: tuple[tuple[str, str], ...]


def support_case(draw: random.Random) -> Case:
    """Return a text of a support desk with values filled in."""
    thing, other = draw.sample(THINGS, 2)
    n, m = draw.sample(range(2, 60), 2)
    plan, plan2 = draw.sample(PLANS, 2)
    one, two = draw.sample(FIRST_NAMES, 2)
    day, day2 = draw.sample(DAYS, 2)
    month, month2 = draw.sample(MONTHS, 2)
    team, team2 = draw.sample(TEAMS, 2)
    fault, fault2 = draw.sample(FAULTS, 2)
    city, city2 = draw.sample(CITIES, 2)
    week = DAYS.index(day) < DAYS.index(day2)
    values = {
        "thing": thing, "other": other, "n": n, "m": m, "most": max(n, m), "total": n + m,
        "plan": plan, "plan2": plan2, "one": one, "two": two, "day": day, "day2": day2,
        "month": month, "month2": month2, "team": team, "team2": team2, "fault": fault,
        "fault2": fault2, "city": city, "city2": city2, "date": draw.randrange(1, 29),
        "repair": draw.randrange(2, 9), "ticket": draw.randrange(1000, 9999),
        "status": draw.choice(("open", "pending")),
        "hours": f"It is open from {day} to {day2}." if week else f"It is closed on {day}s.",
    }  # fmt: skip
    case = draw.choice(CASES)
    return Case(
        text=case["text"].format(**values),
        claims=tuple((label, claim.format(**values)) for label, claim in case["claims"]),
    )


def table_case(draw: random.Random) -> Case:
    """Return a table or list of fields, and claims that read its cells rightly or not."""
    names = draw.sample(PLANS if draw.random() < 0.5 else CITIES, ROWS)
    columns = draw.sample(COLUMNS, ROWS)
    cells = [draw.sample(range(2, 99), ROWS) for _ in names]
    text = _layout(names, columns, cells, as_table=draw.random() < 0.5)
    row, column = draw.randrange(ROWS), draw.randrange(ROWS)
    row2 = draw.choice([n for n in range(ROWS) if n != row])
    column2 = draw.choice([n for n in range(ROWS) if n != column])
    saying = draw.choice(SAYINGS)
    name, header = names[row], columns[column].lower()
    right = cells[row][column]

    def say(value: int, under: str) -> str:
        return saying.format(name=name, column=under, value=value)

    claims = [(ENTAILMENT, say(right, header))]
    wrong = sorted({cells[row2][column], cells[row][column2]} - {right})
    claims.extend((CONTRADICTION, say(value, header)) for value in wrong)
    same = cells[row][column2] == right
    claims.append((_truth(holds=same), say(right, columns[column2].lower())))
    here = [line[column] for line in cells]
    named = draw.choice((here.index(min(here)), row2))
    lowest = here[named] == min(here)
    claims.append((_truth(holds=lowest), f"{names[named]} has the lowest {header}."))
    more = here[row] > here[row2]
    claims.append((_truth(holds=more), f"{name} has a higher {header} than {names[row2]}."))
    return Case(text=text, claims=tuple(claims))


def _truth(*, holds: bool) -> str:
    return ENTAILMENT if holds else CONTRADICTION


def _layout(names: list[str], columns: list[str], cells: list[list[int]], *, as_table: bool) -> str:
    if as_table:
        rows = [["Name", *columns], ["---"] * (ROWS + 1)]
        rows += [[name, *map(str, line)] for name, line in zip(names, cells, strict=True)]
        return "\n".join("| " + " | ".join(row) + " |" for row in rows)
    fields = (
        ", ".join(f"{column.lower()} {value}" for column, value in zip(columns, line, strict=True))
        for line in cells
    )
    return "\n".join(f"- {name}: {said}" for name, said in zip(names, fields, strict=True))


def pairs(draw: random.Random, *, cases: int = 1400, tables: int = 1100) -> Iterator[Pair]:
    """Yield pairs over both; the premise is what the gate would make of the text."""
    for kind, number, make in (("support", cases, support_case), ("table", tables, table_case)):
        for count in range(number):
            case = make(draw)
            document = read_document(kind, "", case.text)
            whole = text_of(document, range(len(document.lines)))
            for label, claim in draw.sample(case.claims, min(CLAIMS, len(case.claims))):
                yield Pair(
                    premise=whole,
                    hypothesis=claim,
                    label=label,
                    source="templates",
                    kind=kind,
                    # Spread over the hexadecimal numbers, so that some are held out.
                    group=f"{count * 2654435761 % 2**32:08x}{kind}",
                )
