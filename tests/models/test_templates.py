"""Support-desk texts and tables: the claims agree with the values filled in."""

import random
import re

from models.construct.templates import CASES, pairs, support_case, table_case
from models.pairs import LABELS


def dice(seed: int) -> random.Random:
    """Return dice that fall the same way each time."""
    return random.Random(seed)  # noqa: S311  # not for secrets


def test_every_case_has_true_and_false_claims() -> None:
    """A text whose claims are all true teaches that its kind of text is always right."""
    for case in CASES:
        labels = {label for label, _ in case["claims"]}
        assert "entailment" in labels
        assert labels - {"entailment"}
        assert labels <= LABELS


def test_every_place_is_filled_in() -> None:
    """A brace that is left would be read as part of the text."""
    for seed in range(60):
        case = support_case(dice(seed))
        assert not re.search(r"[{}]", case.text + " ".join(claim for _, claim in case.claims))


def test_a_cell_is_claimed_under_its_own_header_and_row() -> None:
    """The label of a claim about a cell follows from the table, whatever was drawn."""
    checked = 0
    for seed in range(80):
        case = table_case(dice(seed))
        table = cells_of(case.text)
        for label, claim in case.claims:
            if hit := re.fullmatch(r"The (.+) of (\w+) is (\d+)\.", claim):
                column, name, value = hit.groups()
                assert (table[name][column] == value) == (label == "entailment"), case.text
                checked += 1
            elif hit := re.fullmatch(r"(\w+) has the lowest (.+)\.", claim):
                name, column = hit.groups()
                lowest = min(int(row[column]) for row in table.values())
                assert (int(table[name][column]) == lowest) == (label == "entailment")
                checked += 1
    assert checked > 80


def cells_of(text: str) -> dict[str, dict[str, str]]:
    """Read a table or a list of fields back, by row and column."""
    lines = text.split("\n")
    if lines[0].startswith("|"):
        header, _, *rows = ([cell.strip() for cell in line.split("|")[1:-1]] for line in lines)
        names = [column.lower() for column in header[1:]]
        return {row[0]: dict(zip(names, row[1:], strict=True)) for row in rows}
    found = {}
    for line in lines:
        name, fields = line.removeprefix("- ").split(": ")
        found[name] = dict(field.rsplit(" ", 1) for field in fields.split(", "))
    return found


def test_pairs_say_what_the_gate_would_show() -> None:
    """A table's header is read into its rows, as it is when an answer is checked."""
    made = list(pairs(dice(1), cases=20, tables=20))

    assert made == list(pairs(dice(1), cases=20, tables=20))
    assert {pair.kind for pair in made} == {"support", "table"}
    assert any("Name: " in pair.premise for pair in made if pair.kind == "table")
