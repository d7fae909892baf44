"""Documentation that runs: every block of README and docs is executed, and each link leads on."""

import re
import sys
import tomllib
from collections.abc import Iterator
from configparser import ConfigParser
from pathlib import Path

import click
import pytest
from starlette.applications import Starlette

from gatekeeper.cli import cli
from gatekeeper.config import read_draft
from gatekeeper.observe.logs import EventLog
from gatekeeper.policy import Policy, Route
from gatekeeper.protocols import Control
from gatekeeper.scheduler import Scheduler
from gatekeeper.testing import FakeGate, FakeModel
from gatekeeper.verdict import NotCheckedReason, Outcome, UnresolvedReason
from tests.transcripts import ROOT, Block, Shell, blocks, commands, is_json, matches

PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
NAMES = [str(page.relative_to(ROOT)) for page in PAGES]
LANGUAGES = {"python", "console", "toml", "json", "ini"}

# An indented usage line of our program, with the lines that continue it.
_SYNOPSIS = re.compile(r"^    gatekeeper (\w+)((?:.*\n)(?: {8,}.*\n)*)", re.MULTILINE)


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shell]:
    """Run in an empty folder."""
    monkeypatch.chdir(tmp_path)
    shell = Shell(folder=tmp_path)
    yield shell
    shell.close()


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_every_block_of_a_page_runs(page: Path, shell: Shell) -> None:
    """A reader copies blocks; one that doesn't run, or says something else, costs their trust."""
    names: dict[str, object] = {"__name__": page.stem, **stand_ins()}

    for block in blocks(page.read_text(encoding="utf-8")):
        place = f"{page.name}:{block.line}"
        assert block.language in LANGUAGES, f"{place}: nobody runs {block.language!r}"
        if block.file is not None:
            (shell.folder / block.file).write_text(block.text, encoding="utf-8")
        run(block, place, shell, names)

    call_tests(names)


def stand_ins() -> dict[str, object]:
    """Return what a page may take as given: an app, and the parts of a middleware."""
    judge = Scheduler(FakeModel())
    return {
        "app": Starlette(),
        "policy": Policy(routes=()),
        "gate": FakeGate({}),
        "judge": judge,
        "controls": Configured(),
        "telemetry": EventLog(),
        "secret": b"",
        "close": judge.close,
    }


class Configured:
    """Controls that never change."""

    def now(self, route: Route) -> Control:
        """Return the mode of the policy."""
        return Control(mode=route.mode, share=route.share)

    def blocked(self, route: Route, *, was_blocked: bool) -> None:
        """Trip never."""


def run(block: Block, place: str, shell: Shell, names: dict[str, object]) -> None:
    """Run one block as its language wants it."""
    match block.language:
        case "python":
            code = compile(block.text, place, "exec")
            if block.file is None:  # a file is run by a command further down
                exec(code, names)  # noqa: S102 - our own pages
        case "console":
            for command, shown in commands(block.text):
                found = shell.run(command)
                assert found is None or matches(shown, found), f"{place}: {command}\n{found}"
        case "toml":
            check_toml(block, place, shell.folder)
        case "ini":
            ConfigParser(interpolation=None).read_string(block.text)
        case _:
            assert is_json(block.text), place


def check_toml(block: Block, place: str, folder: Path) -> None:
    """Load a block as the policy it is; a part of one has to be TOML at least."""
    tomllib.loads(block.text)
    if block.file is not None and "[[route]]" in block.text:
        draft = read_draft(folder / block.file, environment={})
        assert draft.faults == (), place


def call_tests(names: dict[str, object]) -> None:
    """Call the test functions a page defines, as pytest would."""
    for name, value in names.items():
        if name.startswith("test_") and callable(value):
            value()


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_commands_shown_exist(page: Path) -> None:
    """A synopsis with a command or an option that is gone sends people into an error."""
    text = page.read_text(encoding="utf-8")
    context = click.Context(cli)

    for synopsis in re.findall(
        r"^    gatekeeper (\w+)((?:.*\n)(?: {8,}.*\n)*)", text, re.MULTILINE
    ):
        command = cli.get_command(context, synopsis[0])
        assert command is not None, synopsis[0]
        if isinstance(command, click.Group) and (word := re.match(r" ([a-z]+) ", synopsis[1])):
            command = command.get_command(context, word[1])
            assert command is not None, synopsis
        known = {option for parameter in command.params for option in parameter.opts}
        assert set(re.findall(r"--[a-z-]+", synopsis[1])) <= known | {"--help"}


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_install_lines_install_this_project(page: Path) -> None:
    """The import name belongs to somebody else on the package index, who may put anything there."""
    text = page.read_text(encoding="utf-8")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

    for wanted in re.findall(r"^    pip install (.+)$", text, re.MULTILINE):
        found = re.fullmatch(r'"\.\[([\w,]+)\]"', wanted)
        assert found is not None, wanted
        assert set(found[1].split(",")) <= set(project["optional-dependencies"])
    assert project["name"] == "gatekeeper-claims"


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_what_a_page_imports_is_installed_on_it(page: Path) -> None:
    """A reader's environment has this package; a framework beside it is theirs to install."""
    text = page.read_text(encoding="utf-8")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    ours = {re.split(r"[^\w-]", line)[0].replace("-", "_") for line in project["dependencies"]}
    known = sys.stdlib_module_names | ours | {"gatekeeper"}
    python = [block for block in blocks(text) if block.language == "python"]
    files = {Path(block.file).stem for block in python if block.file}
    imported = "\n".join(block.text for block in python)
    names = {*re.findall(r"^(?:from|import) (\w+)", imported, re.MULTILINE)}

    missing = {name for name in names - files - known if f"`pip install {name}`" not in text}

    assert missing == set()


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_links_lead_somewhere(page: Path) -> None:
    """A link to a page or a heading that is gone is worse than none."""
    for target in re.findall(r"\]\((?!https?:)([^)\s]+)\)", page.read_text(encoding="utf-8")):
        name, _, heading = target.partition("#")
        linked = page.parent / name if name else page
        assert linked.exists(), target
        if heading:
            assert heading in headings(linked), target


def headings(page: Path) -> set[str]:
    """Return the anchors of a page as GitHub makes them."""
    titles = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def test_every_verdict_and_reason_is_explained() -> None:
    """What a counter can show must be found on the page that says what it means."""
    text = (ROOT / "docs/what-happens-when.md").read_text(encoding="utf-8")

    rows = set(re.findall(r"^\| `?(\w+)`? \|", text, re.MULTILINE))
    words = {*map(str, Outcome), *map(str, NotCheckedReason), *map(str, UnresolvedReason)}
    assert words - rows == set()


def test_readme_is_short() -> None:
    """One screen after another is a manual; a front page is read."""
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 120
