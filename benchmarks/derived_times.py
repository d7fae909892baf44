"""Evidence and claims that follow from it by time or by unit: durations, ages, conversions."""

import datetime as dt
from collections.abc import Callable, Mapping
from fractions import Fraction
from random import Random

from benchmarks.derived_counts import Made, Pick, figure
from benchmarks.meanings import MONTHS
from benchmarks.spelling import plain, spelled

_SIZES = (
    ("kilometres", "metres", 1000), ("km", "m", 1000), ("kilograms", "grams", 1000),
    ("kg", "grams", 1000), ("litres", "millilitres", 1000), ("metres", "centimetres", 100),
    ("weeks", "days", 7), ("hours", "minutes", 60), ("years", "months", 12), ("days", "hours", 24),
    ("tonnes", "kilograms", 1000), ("centimetres", "millimetres", 10), ("minutes", "seconds", 60),
)  # fmt: skip
_OF_TIME = frozenset({"weeks", "hours", "years", "days", "minutes"})


def _date(day: dt.date, random: Random) -> str:
    name = MONTHS[day.month - 1]
    forms = (f"{day.day} {name} {day.year}", f"{name} {day.day}, {day.year}", day.isoformat())
    return random.choice(forms)


def _years(random: Random, pick: Pick) -> Made:
    start, n = random.randint(1900, 2015), 2 + pick(0, 80)
    month = random.choice(("", f"{random.choice(MONTHS)} "))
    told = f"The lease started in {month}{start} and ended in {month}{start + n}."
    return [told], f"The lease lasted {figure(n, random)} years."


def _months(random: Random, pick: Pick) -> Made:
    del pick
    first, n, year = random.randint(1, 6), random.randint(2, 6), random.randint(1950, 2031)
    start, end = (f"1 {MONTHS[month - 1]} {year}" for month in (first, first + n))
    told = f"The trial began on {start} and ended on {end}."
    return [told], f"The trial took {figure(n, random)} months."


def _days(random: Random, pick: Pick) -> Made:
    start = dt.date(random.randint(1950, 2031), random.randint(1, 12), random.randint(1, 28))
    n = 2 + pick(0, 60)
    first, last = _date(start, random), _date(start + dt.timedelta(days=n), random)
    told = f"The strike began on {first} and was over on {last}."
    return [told], f"The strike lasted {figure(n, random)} days."


def _at(minutes: int) -> str:
    return f"{minutes // 60:02}:{minutes % 60:02}"


def _clock(random: Random, pick: Pick) -> Made:
    del pick
    start = random.randrange(6 * 60, 12 * 60, 15)
    length = random.randrange(30, 9 * 60, 15)
    told = f"The meeting began at {_at(start)} and ended at {_at(start + length)}."
    return [told], f"The meeting took {_spoken(length, random)}."


def _spoken(minutes: int, random: Random) -> str:
    """Say a length of time as people do."""
    hours, rest = divmod(minutes, 60)
    if not hours:
        return f"{rest} minutes"
    if not rest:
        return f"{figure(hours, random)} hours" if hours > 1 else "60 minutes"
    if rest == 30 and hours > 1:
        return random.choice((f"{spelled(hours)} and a half hours", f"{hours}.5 hours"))
    return f"{hours} hour{'s' * (hours > 1)} and {rest} minutes"


def _age(random: Random, pick: Pick) -> Made:
    born, age = random.randint(1850, 1990), 19 + pick(0, 60)
    told = f"Orla Finch was born in {born}. She founded the mill in {born + age}."
    return [told], f"Orla Finch was about {age} years old when she founded the mill."


def _same_day(random: Random, pick: Pick) -> Made:
    del pick
    start, hours = random.randrange(7 * 60, 12 * 60, 15), random.randint(2, 8)
    told = (
        f"The outage of the booking page began on 4 May at {_at(start)}. Service was restored on "
        f"the same day at {_at(start + 60 * hours)}."
    )
    return [told], f"The outage lasted {figure(hours, random)} hours."


def _opening(random: Random, pick: Pick) -> Made:
    del pick
    first, hours = random.randint(7, 10), random.randint(5, 9)
    last = first + hours
    end = f"{last - 12} pm" if last > 12 else "noon" if last == 12 else f"{last} am"
    told = f"The museum is open from {first} am to {end} every day."
    return [told], f"The museum is open for {figure(hours, random)} hours every day."


def _conversion(random: Random, pick: Pick) -> Made:
    big, small, size = random.choice(_SIZES)
    n = Fraction(pick(2, 400))
    if big not in _OF_TIME and random.random() < 0.4:
        n += Fraction(1, 2)
    forms = [f"{plain(n)} {big}", f"{plain(n * size)} {small}"]
    random.shuffle(forms)
    frame = (
        "The whole course takes {}." if big in _OF_TIME else "The tank and its stand come to {}."
    )
    return [frame.format(forms[0])], frame.format(forms[1])


TEMPLATES: Mapping[str, tuple[Callable[[Random, Pick], Made], ...]] = {
    "duration": (_years, _months, _days, _clock, _age, _same_day, _opening),
    "conversion": (_conversion,),
}
