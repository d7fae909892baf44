"""What a client sees of a stream in each mode: played out, and written as a page of the docs.

python -m tests.streams.matrix writes docs/streams-matrix.md.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from gatekeeper.config import read_draft
from gatekeeper.policy import Mode, Shape, StreamMode
from gatekeeper.protocols import Control
from gatekeeper.verdict import Action
from tests.asgi.wire import Controlled
from tests.config.policies import toml
from tests.streams.cutting import stage
from tests.streams.expecting import shown_by
from tests.streams.instant import run
from tests.streams.recorded import Recorded
from tests.streams.stage import ANSWERS, MEDIA, WITHHELD, Seen, Step
from tests.streams.writing import WRITERS, Style

PAGE = Path(__file__).parents[2] / "docs" / "streams-matrix.md"
ACTIONS = (Action.WITHHOLD, Action.BLOCK, Action.REDACT, Action.ANNOTATE)
PACE_S = 0.02
REFUSED = "refused at start"
TITLES = {
    "chat": "OpenAI chat completions",
    "responses": "OpenAI Responses",
    "events": "Events of JSON, text at a pointer",
    "said": "Events of text",
    "lines": "JSON lines, text at a pointer",
    "plain": "Plain text in pieces",
}
TEXTS = ("The library opens early.", "Members borrow books.", "Guests read outside.")
PIECES = ("The library", " opens early.", " Members", " borrow books.", " Guests read", " outside.")
PASSAGE = "A library opens early so that members borrow books and guests read outside."
FRAMES = {kind: [one.raw for one in write([PIECES], Style())] for kind, write in WRITERS.items()}
SHOWN = {
    kind: Recorded(
        name=kind,
        kind=kind,
        raw=b"".join(frames),
        choices=(TEXTS,),
        exempt=frozenset(),
        passage=PASSAGE,
        not_checked=None,
    )
    for kind, frames in FRAMES.items()
}


class Setting(NamedTuple):
    """A row: what the policy says. ``enforced`` is False for those outside of a share."""

    mode: Mode
    enforced: bool
    stream: StreamMode
    on_flagged: Action


class Column(NamedTuple):
    """A column: which sentence is false, None for none; or that the check itself fails."""

    title: str
    false: int | None = None
    fails: bool = False


COLUMNS = (
    Column("all supported"),
    Column("first sentence false", 0),
    Column("middle sentence false", 1),
    Column("last sentence false", 2),
    Column("check fails", fails=True),
)


def settings() -> Iterator[Setting]:
    """Yield every mode with every way to stream and every action."""
    for mode, enforced in (
        (Mode.OFF, False),
        (Mode.SHADOW, False),
        (Mode.ENFORCE, False),
        (Mode.ENFORCE, True),
    ):
        for stream in StreamMode:
            for action in ACTIONS:
                yield Setting(mode, enforced, stream, action)


def refused(recorded: Recorded, setting: Setting) -> bool:
    """Tell whether a policy that says this is refused at start."""
    answer = ANSWERS[recorded.kind]
    key = "shape" if isinstance(answer, Shape) else "answer"
    changes: dict[str, str | None] = {
        "answer": None,
        key: f'"{answer}"',
        "mode": '"enforce"',
        "accept_public_calibration": "true",
        "stream": f'"{setting.stream}"',
        "on_flagged": f'"{setting.on_flagged.lower()}"',
    }
    with TemporaryDirectory() as folder:
        path = Path(folder) / "gatekeeper.toml"
        path.write_text(toml(changes), encoding="utf-8")
        faults = read_draft(path, environment={}).faults
    return any("stream" in str(fault) or "on_flagged" in str(fault) for fault in faults)


def paced(kind: str) -> Iterator[Step]:
    """Yield a stream as a server sends it: frame by frame, with time between them."""
    for frame in FRAMES[kind]:
        yield frame
        yield PACE_S


async def play(recorded: Recorded, setting: Setting, column: Column) -> Seen:
    """Play a stream under a setting."""
    texts = recorded.choices[0]
    false = frozenset() if column.false is None else frozenset({texts[column.false]})
    changes = {
        "mode": setting.mode,
        "stream": setting.stream,
        "on_flagged": setting.on_flagged,
    }
    on = stage(recorded, false, **changes)
    on.model.fails = column.fails
    if setting.mode is Mode.ENFORCE and not setting.enforced:
        controls = on.services.controls
        assert isinstance(controls, Controlled)
        controls.set[on.routes[0].path] = Control(mode=Mode.ENFORCE, share=0.0)
    seen = await on.play(recorded.kind, list(paced(recorded.kind)))
    assert seen.raised is None
    assert on.last.enforced is setting.enforced
    return seen


def cell(recorded: Recorded, seen: Seen) -> str:
    """Say in a few words what a client has."""
    if seen.status != 200:
        return f"error {seen.status}"
    if seen.body == recorded.raw:
        is_told = "gatekeeper-verdict" in seen.headers
        return "as sent, verdict in headers" if is_told else "as sent"
    read = shown_by(recorded.kind, seen.body)
    text = read.text()
    whole = sum(sentence in text for sentence in recorded.choices[0])
    kept = f"{whole} of 3 sentences" if whole else "no sentence"
    if WITHHELD in text:
        return f"{kept}, withheld"
    if "[removed" in text:
        return f"{kept}, rest cut"
    if "response.incomplete" in read.ends:
        return f"{kept}, ended as incomplete"
    return f"{kept}, verdict added" if b"gatekeeper" in seen.body else kept


@cache
def rows(kind: str) -> Mapping[Setting, tuple[str, ...]]:
    """Return the cells of each setting."""
    recorded = SHOWN[kind]

    async def all_of_them() -> dict[Setting, tuple[str, ...]]:
        found = {}
        for setting in settings():
            if setting.enforced and refused(recorded, setting):
                found[setting] = (REFUSED,) * len(COLUMNS)
            else:
                seen = [await play(recorded, setting, column) for column in COLUMNS]
                found[setting] = tuple(cell(recorded, one) for one in seen)
        return found

    return run(all_of_them())


def table(kind: str) -> list[str]:
    """Return the table of a shape; where all that a mode can be told changes nothing, one row."""
    found = rows(kind)
    lines = [
        "| mode | `stream` | `on_flagged` | " + " | ".join(c.title for c in COLUMNS) + " |",
        "|---" * (3 + len(COLUMNS)) + "|",
    ]
    for mode, enforced, title in (
        (Mode.OFF, False, "off"),
        (Mode.SHADOW, False, "shadow"),
        (Mode.ENFORCE, False, "enforce, not in the share"),
    ):
        same = {c for setting, c in found.items() if setting[:2] == (mode, enforced)}
        assert len(same) == 1, f"{title} depends on what it should not"
        lines.append(_line(title, "any", "any", same.pop()))
    refusals = {setting for setting, cells in found.items() if cells[0] == REFUSED}
    for setting, cells in found.items():
        if setting.enforced and setting not in refusals:
            stream, action = f"`{setting.stream}`", f"`{setting.on_flagged.lower()}`"
            lines.append(_line("enforce", stream, action, cells))
    for stream in dict.fromkeys(setting.stream for setting in found):
        actions = [one.on_flagged.lower() for one in found if one in refusals and one[2] == stream]
        if actions:
            named = ", ".join(f"`{action}`" for action in actions)
            lines.append(_line("enforce", f"`{stream}`", named, [REFUSED] * len(COLUMNS)))
    return lines


def _line(mode: str, stream: str, action: str, cells: Sequence[str]) -> str:
    return f"| {mode} | {stream} | {action} | " + " | ".join(cells) + " |"


_HEAD = """# Streams: what a client sees

Every mode with every way to stream, every action and every shape. This page is written by
`python -m tests.streams.matrix` from streams that are played through the gate, and a test holds
it to that. [Streams](streams.md) explains the words, [Policy](policy.md) the keys.

The streams have three sentences. *As sent* is the app's bytes, every one and no other. *Withheld*:
the fixed text of the route follows what was released, and the protocol's own words for an end;
the sections below show them. *Refused at start*: a policy that says so is an error. *Check fails*:
each pass of the model breaks, and `on_unresolved` is `withhold`. `expose` is `"id"`: an annotated
plain text, which has no place for a verdict, is as sent.
"""

_SENT = """## {title}: in bytes

{media}. What the app sends, piece by piece:

{sent}
"""
_GOT = """What the client has in the end where the middle sentence is false (`{stream}`, `withhold`,
`expose = "id"`):

{got}
"""


def page() -> str:
    """Return the page."""
    parts = [_HEAD]
    tables: dict[str, list[str]] = {}
    for kind, title in TITLES.items():
        tables.setdefault("\n".join(table(kind)), []).append(title)
    for text, titles in tables.items():
        parts.append(f"## {'; '.join(titles)}\n\n{text}\n")
    for kind, title in TITLES.items():
        sent = _quoted(SHOWN[kind].raw)
        parts.append(_SENT.format(title=title, media=f"`{MEDIA[kind]}`", sent=sent))
        for stream in StreamMode if kind == "chat" else (StreamMode.BY_SENTENCE,):
            setting = Setting(Mode.ENFORCE, True, stream, Action.WITHHOLD)
            seen = run(play(SHOWN[kind], setting, COLUMNS[2]))
            parts.append(_GOT.format(stream=stream, got=_quoted(seen.body)))
    return "\n".join(parts)


def _quoted(raw: bytes) -> str:
    """Return bytes as lines of a page; what can't be seen is escaped."""
    shown = raw.decode("utf-8").replace("\r", "\\r")
    shown = shown.replace("\u2028", "\\u2028").replace("\x85", "\\x85").replace("\ufeff", "\\ufeff")
    lines = shown.removesuffix("\n").split("\n")
    return "\n".join(f"    {line}".rstrip() for line in lines)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
