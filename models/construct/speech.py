"""Chats and meetings: who said what, retold in the third person, and speakers under other names."""

import re

FIRST_NAMES = (
    "Amanda Jerry Olivia Tom Hannah Betty Eric Rob Lenny Bob Will Emma Ollie Jane Benjamin Hilary "
    "Max Payton Rita Tina Edward Becky Wyatt Kyle Ricky Yvonne Maria Ashley Simon Sarah Lucas Demi "
    "Igor John Clara Gary Lara Iris Petra Ali Mohammad Nick Ella Jesse Melvin Ann Greg Lily Ross "
    "Judy Janice Mia Oscar Nina Daniel Paula Ian Carla Diana Steven Vic Sam Naomi Freddie Luke"
).split()
SPEAKER = re.compile(r"\A([A-Z][\w .'-]{0,30}): (?=\S)")
_HANDLE = re.compile(r"\s*(?:@\w+|\^\w+\b|\d/\d\Z|https?://\S+|<\w+>|&lt;|&gt;)\s*")
_FILLER = re.compile(
    r"\b(?:um+|uh+|erm*|mm+(?:-hmm)?|yeah|okay|'kay|well|like|you know|I mean|so)\b,? ?",
    re.IGNORECASE,
)
_FIRST_PERSON = re.compile(
    r"\A(?:(?:and|but|so|because|well|yes|no|ok|okay|hi|hello|also)\b,? )*"
    r"(?:I|We)(?:'(ve|m|ll|d|re))? (\w+)\b(.{8,160})\Z",
    re.IGNORECASE,
)
_THIRD = {"ve": "has", "m": "is", "ll": "will", "d": "would", "re": "is", "am": "is",
          "have": "has", "are": "is", "were": "was", "do": "does", "don't": "doesn't",
          "haven't": "hasn't", "try": "tries"}  # fmt: skip
_UNCHANGED = frozenset(
    "was had will would can could should must did might may didn't can't couldn't won't lost got "
    "bought went took made found told said saw heard gave came sent paid left put thought "
    "knew".split()
)
_ADD_S = frozenset(
    "need want think know get use live work love hate like see feel hope prefer suggest".split()
)


def renamed(texts: list[str], old: tuple[str, ...], new: tuple[str, ...]) -> list[str]:
    """Return texts in which each of some speakers has another name; "the customer" too."""
    changed = []
    for text in texts:
        told = text
        for one, other in zip(old, new, strict=True):
            named = rf"\b(?:[Tt]he )?(?:{one}|{one.lower()})"
            told = re.sub(rf"{named}\b(?!')", other, told)
            told = re.sub(rf"{named}'s\b", f"{other}'s", told)
        changed.append(told)
    return changed


def speakers(context: str) -> tuple[str, ...]:
    """Return who speaks in a transcript, in order of first turn."""
    found = [hit.group(1) for line in context.split("\n") if (hit := SPEAKER.match(line.strip()))]
    return tuple(dict.fromkeys(found))


def retold(turn: str, names: tuple[str, ...]) -> tuple[str, str] | None:
    """Return who spoke and their words in the third person, None if that isn't easily done.

    "Ann: I lost my keys" is ("Ann", "Ann lost Ann's keys."); "you" is the other one of two.
    """
    spoken = SPEAKER.match(turn)
    if not spoken or "?" in turn or spoken.group(1) not in names:
        return None
    name = spoken.group(1)
    said = _FILLER.sub("", _HANDLE.sub(" ", turn[spoken.end() :])).strip()
    found = _FIRST_PERSON.match(said)
    if not found:
        return None
    start = _in_third_person(found.group(1), found.group(2).lower())
    rest = _addressed(_without_first_person(found.group(3), name), name, names)
    if start is None or rest is None:
        return None
    return name, f"{name} {start}{rest.rstrip(' .!')}."


def _in_third_person(short: str | None, verb: str) -> str | None:
    """Return a verb as another one's doing; ``short`` is "ve" of "I've"."""
    if short:
        return f"{_THIRD[short.lower()]} {verb}"
    if verb in _THIRD:
        return _THIRD[verb]
    if verb in _UNCHANGED or verb.endswith("ed"):
        return verb
    return f"{verb}s" if verb in _ADD_S else None


def _without_first_person(rest: str, name: str) -> str:
    rest = re.sub(r"\b(?:my|our|mine|ours)\b", f"{name}'s", rest)
    rest = re.sub(r"\b(?:I'm|we're)\b", f"{name} is", rest)
    return re.sub(r"\b(?:me|us|myself)\b", name, rest)


def _addressed(rest: str, name: str, names: tuple[str, ...]) -> str | None:
    """Put the other one's name for "you"; None if that is not one, or an "I" is left."""
    if re.search(r"\b(?:I|we|i)\b|\bI'", rest):
        return None
    if not re.search(r"\byour?s?\b", rest, re.IGNORECASE):
        return rest
    others = [other for other in names if other != name]
    if len(others) != 1:
        return None
    return re.sub(r"\byou\b", others[0], re.sub(r"\byours?\b", f"{others[0]}'s", rest))


def without_handles(context: str) -> str:
    """Return a chat without the handles, signatures and counters that its service adds."""
    lines = (re.sub(r"(?:(?<=: )|\A)(?:@\w+ ?)+", "", line) for line in context.split("\n"))
    lines = (re.sub(r"\s(?:\^\w+|\d/\d)(?= |\Z)", "", line.replace("&amp;", "&")) for line in lines)
    return "\n".join(line for line in lines if not re.fullmatch(r"[\w .]+:\s*", line))
