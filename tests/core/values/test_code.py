"""Code and commands, compared letter by letter."""

import pytest

from gatekeeper.core.values import index_code, literal_support


@pytest.mark.parametrize(
    ("code", "position"),
    [
        ("open_bin(path, locked=True)", 1),
        ("bin = open_bin(path,locked=True)", 1),
        ("bins = [open_bin(path, locked=True)]", None),
        ("$ mill   sync --all", 0),
        (">>> open_bin( path, locked = True )", 1),
        ("mill sync\n  --all", 0),
        ("mill sync \\\n  --all", 0),
        ("open_bin(path, locked=False)", None),
        ("size == 4", None),
        ("", None),
        (" \n ", None),
    ],
)
def test_code_is_found_blanks_apart(code: str, position: int | None) -> None:
    """One wrong argument makes a command wrong; loose blanks and the assigned name do not."""
    passages = ["Run `mill sync --all` at night.", "Call open_bin(path, locked=True) first."]

    assert literal_support(code, passages) == position
    assert literal_support(code, index_code(passages)) == position


@pytest.mark.parametrize(
    ("code", "passage"),
    [
        ("rm -r /", "Run rm -r /opt/mill/old to tidy up."),
        ("rm -r / opt", "Run rm -r /opt to tidy up."),
        ("set speed 40", "Type set speed 400 and press enter."),
        ("drop grain", "Type drop grain_old first."),
        ("sync --all", "Run pre-sync --all first."),
        ("sync --al", "Run sync --all first."),
        ("cd opt", "Type cd opt/mill first."),
        ("mill.open", "Call mill.open(3) first."),
        ("open(3)", "Call mill.open(3) first."),
        ("host mill", "Type host mill.example first."),
        ("ssh mill", "Type ssh mill:22 first."),
        ("HOME=/opt", "Look into /opt for it."),
        ("speed = 40", "At most 40 bags a day."),
        ('word = "oats"', 'Grains such as "oats" are milled.'),
    ],
)
def test_a_piece_of_a_longer_command_is_another_command(code: str, passage: str) -> None:
    """A path or a number that is cut short does something else, at worst to everything."""
    assert literal_support(code, [passage]) is None


@pytest.mark.parametrize(
    "passage",
    [
        "Run mill stop.", "Run mill stop (as root).", "Run mill stop, then wait.",
        "mill stop: stops it", "Do not wait; run mill stop.", "Do not wait, run mill stop.",
        "If it does not end, mill stop helps.", "If it has not ended run mill stop.",
        "It is not fast. Run mill stop.", "Not only mill stop works.",
        "Never hurry.\n\nmill stop", "Use the following:\n- mill stop", "```sh\nmill stop\n```",
        "Never run this:\n- mill go\n\nAfter that, run mill stop.",
        "Never run mill stop alone. At night run mill stop.", "(mill stop)", "'mill stop'",
        "To end what has not ended, run mill stop.",
    ],
)  # fmt: skip
def test_a_command_is_found_where_it_is_advised(passage: str) -> None:
    """Negations in other clauses, and stops and brackets behind, are nothing against it."""
    assert literal_support("mill stop", [passage]) == 0


@pytest.mark.parametrize(
    "passage",
    [
        "Never run mill stop.", "You must not, on any day, run mill stop.",
        "Don't run mill stop at night.", "Avoid mill stop.", "Use mill end instead of mill stop.",
        "`mill stop` must never be run.", "mill stop is dangerous.", "mill stop isn't there.",
        "If in doubt never run mill stop.", "If in doubt, do not run mill stop.",
        "Never run these:\n- mill go\n- mill stop", "Never run:\n```\nmill stop\n```",
        "Never run:\n```\nmill stop\nmill go\n```",
    ],
)  # fmt: skip
def test_a_warning_does_not_support_what_it_warns_of(passage: str) -> None:
    """The worst answer is the very command that the document forbids."""
    assert literal_support("mill stop", [passage]) is None


def test_lines_must_stand_where_commands_begin() -> None:
    """Halves of sentences put together as lines would say what nobody wrote."""
    passages = [
        "The mill runs oats and does not grind rye.",
        "First run mill init. Then run mill sync --all.",
        "Steps: 1. `mill init` 2. `mill sync --all`",
        "The mill is old and the barn is closed.",
    ]

    assert literal_support("The mill\ngrind rye", passages) is None
    assert literal_support("The mill\nis closed", passages) is None
    assert literal_support("mill init\nmill sync --all", passages) == 1
    assert literal_support("mill init\n\nmill sync --all", passages[2:]) == 0
    assert literal_support("mill init\nmill sync", passages) == 1
    assert literal_support("mill init\nmill halt", passages) is None


def test_lines_stand_in_one_passage() -> None:
    """Steps of two guides make up a third that nobody tried."""
    assert literal_support("mill init\nmill halt", ["Run mill init.", "Run mill halt."]) is None


@pytest.mark.parametrize("line", ["a", "a a", "no a:", "- a\n", "a\n\n", "( a ", ";a;"])
def test_many_places_of_a_line_stay_cheap(line: str) -> None:
    """A crafted passage full of near hits must not hold the worker; only some are looked at."""
    assert literal_support("a b\na c", [line * 20_000]) is None
