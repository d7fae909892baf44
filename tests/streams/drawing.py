"""Random streams: good ones, and those that a server, a proxy or a cut line has damaged."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from random import Random

from tests.streams.sayings import Saying, claim, exempt
from tests.streams.stage import ANSWERS, Step
from tests.streams.writing import WRITERS, Frame, Style

KINDS = tuple(kind for kind in WRITERS if kind in ANSWERS)
_SEVERAL = frozenset({"chat", "responses"})
_EVENTS = frozenset({"chat", "responses", "events", "said"})
_BETWEEN = (" ", " ", " ", "\n", "\n\n")
_BLANKS = (b": beat\n\n", b"\n\n", b"id\n\n")
_STRAYS = (
    *_BLANKS,
    b"event: ping\ndata: {}\n\n",
    b'data: {"type":"text"}\n\n',
    b"data: 7\n\n",
    b"data: []\n\n",
    b'data: {"error":null}\n\n',
)
_NOISE = (
    b"\xff\xfe",
    b"\x00",
    b"\r",
    b"\n\n",
    b"data: {broken\n\n",
    b"{",
    b'"',
    b"\xf0\x9f",
    b"\xc3",
)


class Damage(StrEnum):
    """What has become of a stream on its way. With the first two it is as good as new."""

    NONE = "none"
    STRAY = "stray"
    CUT = "cut"
    DIED = "died"
    NOISE = "noise"
    LOST = "lost"
    TWICE = "twice"
    SWAPPED = "swapped"
    RECODED = "recoded"


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """One random stream: what was to be said, by choice, the bytes, and how they are sent.

    ``texts`` are the answers as a client puts them together if nothing is damaged.
    """

    kind: str
    sayings: tuple[tuple[Saying, ...], ...]
    texts: tuple[str, ...]
    raw: bytes
    steps: tuple[Step, ...]
    damage: Damage

    @property
    def is_good(self) -> bool:
        """True if a client shows the texts."""
        return self.damage in (Damage.NONE, Damage.STRAY)

    @property
    def is_true(self) -> bool:
        """True if all that is said may be released."""
        return all(saying.is_true for told in self.sayings for saying in told)


def draw(seed: int) -> Drawn:
    """Return the stream of a seed."""
    random = Random(seed)  # noqa: S311 - nothing here is a secret
    kind = random.choice(KINDS)
    choices = random.choice((1, 1, 2, 3)) if kind in _SEVERAL else 1
    told = [_sayings(random, 40 * seed + 10 * n) for n in range(choices)]
    texts = [_joined(random, sayings) for sayings in told]
    style = Style(
        eol=random.choice(("\n", "\n", "\r\n", "\r")),
        space=random.choice((" ", "")),
        spread=random.random() < 0.2,
        is_ascii=random.random() < 0.3,
        named=random.random() < 0.2,
    )
    pieces = [list(_cut_text(random, text)) for text in texts]
    more = {"usage": random.random() < 0.3}
    frames = list(WRITERS[kind](pieces, style, **more))
    damage = random.choice((Damage.NONE, Damage.NONE, *Damage))
    raw = _damaged(random, frames, damage, kind)
    if kind in _EVENTS and random.random() < 0.1:
        raw = b"\xef\xbb\xbf" + raw
    steps: list[Step] = list(_chunks(random, raw))
    if random.random() < 0.2:
        steps.insert(random.randint(0, len(steps)), random.choice((1.0, 30.0)))
    if damage is Damage.DIED:
        steps.append(RuntimeError("the app died"))
    return Drawn(
        kind=kind,
        sayings=tuple(map(tuple, told)),
        texts=tuple(texts),
        raw=raw,
        steps=tuple(steps),
        damage=damage,
    )


def _sayings(random: Random, number: int) -> list[Saying]:
    count = random.choice((1, 2, 2, 3))
    told = [claim(number + n, is_true=random.random() < 0.8) for n in range(count)]
    return [exempt(number), *told] if random.random() < 0.2 else told


def _joined(random: Random, sayings: Sequence[Saying]) -> str:
    text = sayings[0].text
    for saying in sayings[1:]:
        text += random.choice(_BETWEEN) + saying.text
    return text + random.choice(("", "", "\n"))


def _cut_text(random: Random, text: str) -> Iterator[str]:
    """Cut a text into deltas: of some characters, or of whole sentences and more."""
    longest = random.choice((4, 15, 40, 200, 200))
    at = 0
    while at < len(text):
        size = random.randint(1, longest)
        yield text[at : at + size]
        at += size


def _chunks(random: Random, raw: bytes) -> Iterator[bytes]:
    """Cut bytes into messages, anywhere."""
    longest = random.choice((1, 20, 100, 400, 4000, 4000))
    if len(raw) > 100 * longest:  # a byte at a time is for the short ones
        longest = 100
    at = 0
    while at < len(raw):
        size = random.randint(0 if random.random() < 0.1 else 1, longest)
        yield raw[at : at + size]
        at += size


def _damaged(random: Random, frames: list[Frame], damage: Damage, kind: str) -> bytes:
    parts = [frame.raw for frame in frames]
    n = random.randrange(len(parts))
    if damage is Damage.STRAY and kind in _EVENTS:
        parts.insert(n, random.choice(_BLANKS if kind == "said" else _STRAYS))
    elif damage is Damage.TWICE:
        parts.insert(n, parts[n])
    elif damage is Damage.SWAPPED:
        other = random.randrange(len(parts))
        parts[n], parts[other] = parts[other], parts[n]
    raw = b"".join(parts)
    at = random.randrange(len(raw) + 1)
    match damage:
        case Damage.CUT | Damage.DIED:
            return raw[:at]
        case Damage.NOISE:
            return raw[:at] + random.choice(_NOISE) + raw[at:]
        case Damage.LOST:
            return raw[:at] + raw[at + random.randint(1, 20) :]
        case Damage.RECODED:
            text = raw.decode("utf-8", "surrogatepass")
            return text.encode(random.choice(("latin-1", "utf-16", "utf-8-sig")), "replace")
        case _:
            return raw
