"""Which sentences the guard is tried on: values of each kind, changed, kept and written otherwise.

Deterministic by seed. Where a kind has too few real values, made-up ones are set into real
sentences and marked as such.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random

from benchmarks.chance import seeded
from benchmarks.corpus import Place
from benchmarks.implied import implied
from benchmarks.mutations import Change, mutations
from benchmarks.renotate import renotations
from benchmarks.spots import Spot, spots

WANTED: Mapping[str, int] = {
    "number": 5000,
    "date": 5000,
    "duration": 5000,
    "percentage": 5000,
    "currency": 5000,
    "unit": 5000,
    "identifier": 1000,
    "url": 1000,
    "time": 500,
    "email": 500,
}
# The sets hold some names very often: COVID-19 would be a third of all identifiers.
MOST_OF_ONE = {"identifier": 10, "url": 10, "email": 10}


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """A sentence with one value in it, and the other text that is tried in its place."""

    place: Place
    spot: Spot
    change: Change
    generated: bool

    @property
    def claim(self) -> str:
        """The sentence with the value changed."""
        return self.spot.put(self.place.sentence, self.change.text)


@dataclass(slots=True, kw_only=True)
class Trials:
    """What was drawn of one kind; ``excluded`` counts changes that may be no change."""

    mutated: list[Trial] = field(default_factory=list)
    renotated: list[Trial] = field(default_factory=list)
    excluded: Counter[str] = field(default_factory=Counter)
    spare: list[tuple[Place, Spot]] = field(default_factory=list)
    seen: Counter[str] = field(default_factory=Counter)

    def is_full(self, wanted: int) -> bool:
        """True if nothing more is needed."""
        return min(len(self.mutated), len(self.renotated)) >= wanted

    def add(self, place: Place, spot: Spot, *, wanted: int, seed: int, generated: bool) -> None:
        """Try one value: one of its changes, and one of its other notations, drawn by chance."""
        random = seeded(seed, spot.kind, spot.start, place.sentence)
        if len(self.mutated) < wanted:
            allowed = []
            for change in mutations(spot, random):
                why = implied(spot, place.sentence, change)
                if why is None:
                    allowed.append(change)
                else:
                    self.excluded[why] += 1
            if allowed:
                self.mutated.append(_trial(place, spot, random.choice(allowed), generated))
        if len(self.renotated) < wanted:
            forms = renotations(spot, place.sentence)
            if forms:
                self.renotated.append(_trial(place, spot, random.choice(forms), generated))


def _trial(place: Place, spot: Spot, change: Change, generated: bool) -> Trial:  # noqa: FBT001
    return Trial(place=place, spot=spot, change=change, generated=generated)


def draw(
    places: Sequence[Place], wanted: Mapping[str, int] = WANTED, *, seed: int = 0
) -> dict[str, Trials]:
    """Draw values of each kind: one a sentence first, further ones where those run out."""
    found = {kind: Trials() for kind in wanted}
    order = list(places)
    seeded(seed).shuffle(order)
    for place in order:
        if all(trials.is_full(wanted[kind]) for kind, trials in found.items()):
            break
        _add_place(place, found, wanted, seed)
    for kind, trials in found.items():
        for place, spot in trials.spare:
            if trials.is_full(wanted[kind]):
                break
            trials.add(place, spot, wanted=wanted[kind], seed=seed, generated=False)
    _fill(found, order, wanted, seed)
    return found


def _add_place(
    place: Place, found: dict[str, Trials], wanted: Mapping[str, int], seed: int
) -> None:
    used = set()
    for spot in spots(place.sentence):
        trials = found.get(spot.kind)
        if trials is None or trials.is_full(wanted[spot.kind]):
            continue
        trials.seen[spot.text] += 1
        if trials.seen[spot.text] > MOST_OF_ONE.get(spot.kind, len(spot.text) * 1000):
            continue
        if spot.kind in used:
            trials.spare.append((place, spot))
            continue
        used.add(spot.kind)
        trials.add(place, spot, wanted=wanted[spot.kind], seed=seed, generated=False)


def _fill(
    found: dict[str, Trials], order: Sequence[Place], wanted: Mapping[str, int], seed: int
) -> None:
    """Set made-up values into real sentences where the real ones have run out."""
    for kind, trials in found.items():
        random = seeded(seed, "made up", kind)
        for place in order:
            if trials.is_full(wanted[kind]) or kind not in MADE_UP:
                break
            made = set_into(place, kind, random)
            if made is not None:
                trials.add(*made, wanted=wanted[kind], seed=seed, generated=True)


def set_into(place: Place, kind: str, random: Random) -> tuple[Place, Spot] | None:
    """Put a made-up value before the full stop of a sentence that has none of its kind."""
    sentence = place.sentence
    if not sentence.endswith(".") or any(spot.kind == kind for spot in spots(sentence)):
        return None
    head, tail = random.choice(_CARRIERS[kind])
    value = MADE_UP[kind](random)
    longer = f"{sentence[:-1]}{head}{value}{tail}."
    start = len(sentence) - 1 + len(head)
    for spot in spots(longer):
        if spot.kind == kind and spot.start == start:
            changed = Place(
                sentence=longer, before=place.before, after=place.after, source=place.source
            )
            return changed, spot
    return None


_CARRIERS = {
    "identifier": (
        (" (reference ", ")"), (", filed under ", ""), (" (case ", ")"), (", see order ", ""),
    ),
    "url": ((" (see ", ")"), (", as told at ", ""), (", with more at ", "")),
    "email": ((" (write to ", ")"), (", as told by ", "")),
    "currency": ((", at a cost of ", ""), (", which cost ", " in all"), (" (worth ", ")")),
    "unit": ((", ", " from there"), (", with a total of ", ""), (" (measured at ", ")")),
    "time": ((", at ", ""), (", from ", " on"), (" (published at ", ")")),
}  # fmt: skip
_LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ"


def _identifier(random: Random) -> str:
    def letters(n: int) -> str:
        return "".join(random.choice(_LETTERS) for _ in range(n))

    def digits(n: int) -> str:
        return "".join(random.choice("0123456789") for _ in range(n))

    return random.choice(
        (
            f"{letters(2)}-{digits(5)}-{letters(1)}",
            f"{letters(3)}-20{digits(2)}-{digits(5)}",
            f"{letters(1)}{digits(8)}",
            f"{letters(2)}{digits(4)}{letters(2)}",
            f"{letters(2)}/{digits(4)}/{digits(3)}",
            f"{digits(3)}-{letters(2)}{digits(3)}",
        )
    )


_WORDS = (
    "river garden permit meter account orchard lantern harbour meadow ticket archive reader bridge "
    "notice supply window market pillar summit copper"
).split()


def _url(random: Random) -> str:
    front = random.choice(("", "www.", "forms.", "help."))
    host = f"{front}{random.choice(_WORDS)}-{random.choice(_WORDS)}"
    parts = [random.choice(_WORDS) for _ in range(random.randint(1, 3))]
    tail = random.choice(
        ("", "", f"?id={random.randint(10, 9999)}", f"/{random.randint(2, 400)}", ".html")
    )
    return f"https://{host}.example/{'/'.join(parts)}{tail}"


def _email(random: Random) -> str:
    one, two, three, four = (random.choice(_WORDS) for _ in range(4))
    return f"{one}.{two}@{three}-{four}.example"


def _currency(random: Random) -> str:
    amount = random.choice(
        (
            str(random.randint(2, 99)),
            f"{random.randint(2, 400)}.{random.randint(0, 99):02}",
            f"{random.randint(1, 900) * 1000:,}",
            f"{random.randint(1000, 99999):,}",
            f"{random.randint(2, 99)} million",
            f"{random.randint(1, 9)}.{random.randint(1, 9)} billion",
        )
    )
    return random.choice(
        (f"${amount}", f"£{amount}", f"€{amount}", f"{amount} euros", f"{amount} dollars")
    )


def _unit(random: Random) -> str:
    number = random.choice(
        (
            str(random.randint(2, 90)),
            f"{random.randint(1, 99)}.{random.randint(1, 9)}",
            f"{random.randint(1, 90) * 50}",
        )
    )
    names = "km kg mm cm metres miles litres grams feet kilometres hectares mg"
    return f"{number} {random.choice(names.split())}"


def _time(random: Random) -> str:
    hour, minute = random.randint(1, 12), random.randrange(0, 60, 5)
    half = random.choice(("am", "pm", " am", " pm", " a.m", " p.m"))
    dots = "." if "." in half else ""
    return random.choice(
        (f"{hour}:{minute:02}{half}{dots}", f"{hour}{half}{dots}", f"{hour % 11 + 13}:{minute:02}")
    )


MADE_UP: Mapping[str, Callable[[Random], str]] = {
    "identifier": _identifier,
    "url": _url,
    "email": _email,
    "currency": _currency,
    "unit": _unit,
    "time": _time,
}
