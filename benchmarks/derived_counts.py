"""Evidence and claims that follow from it by counting: sums, differences, shares, rounding."""

from collections.abc import Callable, Mapping
from fractions import Fraction
from random import Random

from benchmarks.spelling import spelled

Pick = Callable[[int, int], int]  # a real number between two
Made = tuple[list[str], str]  # sentences of evidence, claim

# One thing, another, verb of one and of both, what is counted, both.
_THINGS = (
    ("north hall", "south hall", "seats", "seat", "people", "halls"),
    ("upper store", "lower store", "holds", "hold", "crates", "stores"),
    ("old library", "new library", "lent", "lent", "books", "libraries"),
    ("east farm", "west farm", "sold", "sold", "lambs", "farms"),
    ("first ferry", "second ferry", "carried", "carried", "passengers", "ferries"),
    ("red team", "blue team", "planted", "planted", "trees", "teams"),
)
_NOUNS = (
    "brush scraper sponge cloth ladder bucket lantern rake shovel hammer chisel plane saw drill "
    "clamp file level mallet"
).split()
_TOWNS = "Elmsford Pilton Greywell Oxbow Sandhill Tarnside Millbrook Arnholt Corran Fell".split()
_STEPS = (
    "Hold the dial",
    "Wait for the tone",
    "Press the button",
    "Close the lid",
    "Turn the key",
    "Check the light",
)


def figure(number: int, random: Random) -> str:
    """Write a whole number in digits, or in words where it is short."""
    if number <= 20 and random.random() < 0.5:
        return spelled(number)
    return f"{number:,}"


def _sum(random: Random, pick: Pick) -> Made:
    one, other, verb, both_verb, noun, both = random.choice(_THINGS)
    a, b = pick(2, 5000), pick(2, 5000)
    total = figure(a + b, random)
    claims = (
        f"Together the two {both} {both_verb} {total} {noun}.",
        f"The {one} and the {other} {both_verb} {total} {noun} in total.",
        f"In all, the {both} {both_verb} {total} {noun}.",
    )
    first = f"The {one} {verb} {figure(a, random)} {noun}."
    second = f"The {other} {verb} {figure(b, random)} {noun}."
    return [first, second], random.choice(claims)


def _sum_of_three(random: Random, pick: Pick) -> Made:
    a, b, c = (pick(2, 400) for _ in range(3))
    told = f"The crew is made up of {a} deckhands, {figure(b, random)} engineers and {c} cooks."
    return [told], f"The crew has {a + b + c:,} members."


def _sum_of_money(random: Random, pick: Pick) -> Made:
    sign = random.choice("£€$")
    a, b = pick(2, 900) * 100 + random.randrange(0, 100, 5), pick(2, 900) * 100
    first, second, total = (f"{sign}{n / 100:,.2f}" for n in (a, b, a + b))
    told = f"Delivery costs {first} and assembly costs {second}."
    return [told], f"Delivery and assembly cost {total} together."


def _sum_of_bullets(random: Random, pick: Pick) -> Made:
    costs = [pick(2, 900) for _ in range(random.randint(2, 4))]
    items = random.sample(_NOUNS, len(costs))
    lines = "\n".join(f"- {item}: {cost:,} euros" for item, cost in zip(items, costs, strict=True))
    total = f"{sum(costs):,} euros"
    claims = (f"The tools cost {total} altogether.", f"In total the tools cost {total}.")
    return [f"Prices of the tools:\n{lines}\n"], random.choice(claims)


def _difference(random: Random, pick: Pick) -> Made:
    one, other, verb, _, noun, _ = random.choice(_THINGS)
    small = pick(2, 3000)
    big = small + pick(2, 900)
    apart = figure(big - small, random)
    claims = (
        f"The {one} {verb} {apart} more {noun} than the {other}.",
        f"The {other} {verb} {apart} fewer {noun} than the {one}.",
        f"The difference between the {one} and the {other} is {apart} {noun}.",
    )
    first = f"The {one} {verb} {figure(big, random)} {noun}."
    second = f"The {other} {verb} {figure(small, random)} {noun}."
    return [first, second], random.choice(claims)


def _fall(random: Random, pick: Pick) -> Made:
    low, by = pick(10, 900), pick(2, 500)
    unit = random.choice(("tonnes", "kilometres", "litres", "euros"))
    told = f"The yearly figure fell from {low + by:,} {unit} to {low:,} {unit}."
    return [told], f"The yearly figure fell by {by:,} {unit}."


def _count(random: Random, pick: Pick) -> Made:
    del pick
    n = random.randint(3, 9)
    items = random.sample(_NOUNS, n)
    listed = ", ".join(f"a {item}" for item in items[:-1]) + f" and a {items[-1]}"
    claims = (
        f"The kit includes {figure(n, random)} tools.",
        f"There are {spelled(n)} tools in the kit.",
    )
    return [f"The kit includes {listed}."], random.choice(claims)


def _count_of_names(random: Random, pick: Pick) -> Made:
    del pick
    names = random.sample(_TOWNS, random.randint(3, 8))
    told = f"The service runs in {', '.join(names[:-1])} and {names[-1]}."
    return [told], f"The service runs in {figure(len(names), random)} towns."


def _count_of_bullets(random: Random, pick: Pick) -> Made:
    del pick
    names = random.sample(_TOWNS, random.randint(3, 8))
    mark = random.choice(("- ", "* ", "• "))
    lines = "\n".join(f"{mark}{name}" for name in names)
    told = f"These branches have a workshop:\n{lines}\n"
    return [told], f"{spelled(len(names)).capitalize()} branches have a workshop."


def _count_of_rows(random: Random, pick: Pick) -> Made:
    names = random.sample(_TOWNS, random.randint(2, 6))
    rows = "\n".join(f"| {name} | {pick(2, 300)} |" for name in names)
    told = f"| Branch | Members |\n|---|---|\n{rows}\n"
    return [told], f"The table lists {figure(len(names), random)} branches."


def _count_of_steps(random: Random, pick: Pick) -> Made:
    del pick
    steps = random.sample(_STEPS, random.randint(3, 6))
    lines = "\n".join(f"{n}. {step}." for n, step in enumerate(steps, 1))
    told = f"To reset the meter:\n{lines}\n"
    return [told], f"Resetting the meter takes {figure(len(steps), random)} steps."


def _rounding(random: Random, pick: Pick) -> Made:
    number = pick(101, 99_999)
    scale = 10 ** (len(str(number)) - random.choice((1, 2)))
    near = round(number / scale) * scale
    if near == number or abs(near - number) > 0.05 * number:
        near = round(number / 10) * 10
    words = ["about", "around", "roughly", "approximately"]
    if near > number:
        words += ["nearly", "almost"]
    elif near < number:
        words += ["just over", "a little over"]
    told = f"The survey was answered by {number:,} households."
    return [told], f"The survey was answered by {random.choice(words)} {near:,} households."


def _rounded_decimal(random: Random, pick: Pick) -> Made:
    number = Fraction(pick(2, 90)) + Fraction(random.choice((3, 4, 8, 9, 11, 88, 92, 97)), 100)
    unit = random.choice(("minutes", "kilometres", "percent", "kilograms"))
    word = random.choice(("about", "roughly", "around", "approximately"))
    told = f"The mean in the trial was {float(number):.2f} {unit}."
    return [told], f"The mean in the trial was {word} {round(number)} {unit}."


def _millions(random: Random, pick: Pick) -> Made:
    number = pick(100, 990) * 10_000 + random.randint(-2000, 2000)
    sign = random.choice("£€$")
    told = f"The bridge cost {sign}{number:,}."
    return [told], f"The bridge cost about {sign}{number / 10**6:.1f} million."


def _bound(random: Random, pick: Pick) -> Made:
    number = pick(20, 9000)
    scale = 10 ** (len(str(number)) - 1)
    low, high = number // scale * scale, (number // scale + 1) * scale
    words = [f"at least {low:,}", f"fewer than {high:,}", f"no more than {high:,}"]
    if low < number:
        words.append(f"more than {low:,}")
    told = f"The depot keeps {number:,} spare wheels."
    return [told], f"The depot keeps {random.choice(words)} spare wheels."


def _points(random: Random, pick: Pick) -> Made:
    low, up = pick(5, 60), pick(2, 30)
    verb, first, last = random.choice((("rose", low, low + up), ("fell", low + up, low)))
    told = f"Turnout {verb} from {first} percent to {last} percent."
    return [told], f"Turnout {verb} by {figure(up, random)} percentage points."


def _share(random: Random, pick: Pick) -> Made:
    words = (("half", 1, 2), ("a quarter", 1, 4), ("a third", 1, 3), ("two thirds", 2, 3),
             ("three quarters", 3, 4), ("a fifth", 1, 5), ("one in ten", 1, 10))  # fmt: skip
    said, top, bottom = random.choice(words)
    part = pick(4, 300)
    if random.random() < 0.4 and 100 * top % bottom == 0:
        said = f"{100 * top // bottom} percent"
    told = f"Of the {part * bottom:,} seedlings, {part * top:,} survived the frost."
    tail = random.choice((" the frost", ""))
    return [told], f"{said[0].upper()}{said[1:]} of the seedlings survived{tail}."


def _multiple(random: Random, pick: Pick) -> Made:
    n, k = pick(4, 900), random.randint(2, 4)
    word = {2: "doubled", 3: "tripled", 4: "quadrupled"}[k]
    told = f"The number of members was {n:,} in 2029 and {n * k:,} in 2031."
    return [told], f"The number of members {word} between 2029 and 2031."


def _relative(random: Random, pick: Pick) -> Made:
    old, by = 20 * pick(2, 400), random.choice((5, 10, 15, 20, 25, 50))
    told = f"The yearly output rose from {old:,} tonnes to {old + old * by // 100:,} tonnes."
    return [told], f"The yearly output rose by {by} percent."


TEMPLATES: Mapping[str, tuple[Callable[[Random, Pick], Made], ...]] = {
    "sum": (_sum, _sum, _sum_of_three, _sum_of_money, _sum_of_bullets),
    "difference": (_difference, _difference, _fall),
    "count": (_count, _count_of_names, _count_of_bullets, _count_of_rows, _count_of_steps),
    "rounding": (_rounding, _rounded_decimal, _millions),
    "bound": (_bound,),
    "points": (_points,),
    "share": (_share, _share, _multiple, _relative),
}
