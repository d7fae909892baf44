"""Units and currencies: what may follow a number, and its size in the base unit.

Exact factors from the international definitions (BIPM, the SI Brochure; NIST SP 811 appendix B for
inch, foot, mile, pound, ounce, acre). Units that differ between countries (gallon, pint, cup) are
dimensions of their own and never converted.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain

MINUTE, HOUR, DAY = 60, 3600, 86400
# Mean Gregorian month and year in seconds; whole years and months convert exactly between them.
YEAR = Fraction(31556952)
MONTH = YEAR / 12


@dataclass(frozen=True, slots=True)
class Unit:
    """A dimension (or currency) and the size of the unit in its base unit.

    ``offset`` is added after scaling (temperatures); ``per`` is set for units that are rates
    themselves ("mph"), in seconds.
    """

    dimension: str
    factor: Fraction
    offset: Fraction = Fraction(0)
    per: Fraction = Fraction(0)


# "dimension: factor names; factor names; ...", names separated by commas.
_TABLE = """
length: 1 m,metre,metres,meter,meters; 1000 km,kilometre,kilometres,kilometer,kilometers; 1/100 cm,centimetre,centimetres,centimeter,centimeters; 1/1000 mm,millimetre,millimetres,millimeter,millimeters; 1609.344 mile,miles,mi; 0.9144 yard,yards,yd; 0.3048 foot,feet,ft; 0.0254 inch,inches; 1852 nautical mile,nautical miles
area: 1 square metre,square metres,square meter,square meters,sq m,sqm,m2; 1000000 square kilometre,square kilometres,square kilometer,square kilometers,sq km,km2; 2589988.110336 square mile,square miles,sq mi; 0.09290304 square foot,square feet,sq ft; 4046.8564224 acre,acres; 10000 hectare,hectares,ha
volume: 1 l,litre,litres,liter,liters; 1/1000 ml,millilitre,millilitres,milliliter,milliliters; 1/100 cl,centilitre,centilitres; 1000 cubic metre,cubic metres,cubic meter,cubic meters,m3
mass: 1 kg,kilo,kilos,kilogram,kilograms,kilogramme,kilogrammes; 1/1000 g,gram,grams,gramme,grammes; 1/1000000 mg,milligram,milligrams; 0.45359237 lb,lbs,pound,pounds; 0.028349523125 oz,ounce,ounces; 1000 t,tonne,tonnes,ton,tons; 907.18474 ton,tons; 1016.0469088 ton,tons; 6.35029318 stone
data: 1 byte,bytes; 1000 kb,kilobyte,kilobytes; 1024 kb,kib,kilobyte,kilobytes; 1000000 mb,megabyte,megabytes; 1048576 mb,mib,megabyte,megabytes; 1000000000 gb,gigabyte,gigabytes; 1073741824 gb,gib,gigabyte,gigabytes; 1000000000000 tb,terabyte,terabytes; 1099511627776 tb,tib,terabyte,terabytes
power: 1 w,watt,watts; 1000 kw,kilowatt,kilowatts; 1000000 mw,megawatt,megawatts; 1000000000 gw,gigawatt,gigawatts; 745.69987158227 hp,horsepower
energy: 1 j,joule,joules; 1000 kj,kilojoule,kilojoules; 3600 wh,watt hours; 3600000 kwh,kilowatt hour,kilowatt hours; 3600000000 mwh,megawatt hours; 4184 kcal,kilocalorie,kilocalories,calories
voltage: 1 v,volt,volts; 1000 kv,kilovolt,kilovolts
current: 1 amp,amps,ampere,amperes; 1/1000 ma,milliamps
frequency: 1 hz,hertz; 1000 khz,kilohertz; 1000000 mhz,megahertz; 1000000000 ghz,gigahertz
pressure: 1 pa,pascal,pascals; 100 hpa,mbar,millibar,millibars; 1000 kpa; 100000 bar,bars; 6894.757293168 psi
duration: 1/1000 ms,millisecond,milliseconds; 1 s,sec,secs,second,seconds; 60 min,mins,minute,minutes; 3600 h,hr,hrs,hour,hours; 86400 day,days,calendar day,calendar days,night,nights; 604800 week,weeks,wk,wks; 1209600 fortnight,fortnights; 2629746 month,months,calendar month,calendar months; 31556952 year,years,yr,yrs; 315569520 decade,decades; 3155695200 century,centuries
workdays: 1 working day,working days,business day,business days,workday,workdays,weekday,weekdays
gallons: 1 gallon,gallons,gal
pints: 1 pint,pints
cups: 1 cup,cups
spoons: 1 teaspoon,teaspoons,tsp; 3 tablespoon,tablespoons,tbsp
barrels: 1 barrel,barrels,bbl
bitrate: 1000000 mbps,mbit/s; 1000 kbps; 1000000000 gbps
angle: 1 degree,degrees,°
percent: 1 %,percent,per cent,pct
points: 1 percentage point,percentage points,percent points,pp,%-points; 1/100 basis point,basis points,bps
EUR: 1 €,eur,euro,euros; 1/100 cent,cents
$: 1 $,dollar,dollars; 1/100 cent,cents,¢
USD: 1 usd,us$,us dollar,us dollars,u.s. dollars
AUD: 1 aud,australian dollars,a$,au$
CAD: 1 cad,canadian dollars,c$,ca$
GBP: 1 £,gbp,pound,pounds,pounds sterling,quid; 1/100 p,pence,penny
JPY: 1 jpy,yen
CNY: 1 cny,yuan,renminbi,rmb
¥: 1 ¥,円
INR: 1 ₹,inr,rupee,rupees
CHF: 1 chf,franc,francs,swiss francs
SEK: 1 sek,swedish kronor
NOK: 1 nok,norwegian kroner
DKK: 1 dkk,danish kroner
PLN: 1 pln,zloty
krone: 1 kr,krone,kroner,krona,kronor
"""  # noqa: E501 - a table of data: one dimension a line

_NOT_CURRENCY = frozenset(
    line.partition(":")[0] for line in _TABLE.split("\nEUR:", maxsplit=1)[0].strip().splitlines()
)
_DOLLARS = frozenset({"$", "USD", "AUD", "CAD"})
_SAME = (_DOLLARS, frozenset({"¥", "JPY", "CNY"}), frozenset({"krone", "SEK", "NOK", "DKK"}))
_SPECIFIC = frozenset({"USD", "AUD", "CAD", "JPY", "CNY", "SEK", "NOK", "DKK"})


def _rows() -> Iterator[tuple[str, Unit]]:
    for line in _TABLE.strip().splitlines():
        dimension, _, entries = line.partition(": ")
        for entry in entries.split("; "):
            factor, _, names = entry.partition(" ")
            for name in names.split(","):
                yield name, Unit(dimension, Fraction(factor))


def _temperatures() -> Iterator[tuple[str, Unit]]:
    kelvin = Fraction("273.15")
    for prefix in ("°", "° ", "degree ", "degrees ", "deg ", ""):
        for name in ("c", "celsius", "centigrade"):
            yield prefix + name, Unit("temperature", Fraction(1), kelvin)
        for name in ("f", "fahrenheit"):
            yield prefix + name, Unit("temperature", Fraction(5, 9), kelvin - Fraction(160, 9))
    yield "kelvin", Unit("temperature", Fraction(1))
    # Bare degrees are an angle first, and a temperature of either scale.
    for name in ("degree", "degrees", "°"):
        yield name, Unit("temperature", Fraction(1), kelvin)
        yield name, Unit("temperature", Fraction(5, 9), kelvin - Fraction(160, 9))


def _speeds() -> Iterator[tuple[str, Unit]]:
    for name, metres in (("mph", "1609.344"), ("kph", "1000"), ("kmh", "1000"), ("knots", "1852")):
        yield name, Unit("length", Fraction(metres), per=Fraction(HOUR))


def _table() -> dict[str, tuple[Unit, ...]]:
    units: dict[str, tuple[Unit, ...]] = {}
    for name, unit in chain(_rows(), _temperatures(), _speeds()):
        units[name] = (*units.get(name, ()), unit)
    return units


UNITS = _table()
LONGEST_NAME = 5  # tokens in a name: "u.s. dollars"
TIME_UNITS = frozenset(
    name for name, units in UNITS.items() if any(u.dimension == "duration" for u in units)
)
# A number in words is followed by whole words only: "six p" is no sum of money.
MIN_LETTERS_AFTER_WORDS = 3


def is_currency(dimension: str) -> bool:
    """True for the dimensions that are money."""
    return bool(dimension) and dimension not in _NOT_CURRENCY and dimension != "temperature"


def same_unit(one: str, other: str) -> bool:
    """True if two dimensions can be meant for the same thing ("$" and "USD")."""
    if one == other:
        return True
    if one in _SPECIFIC and other in _SPECIFIC:
        return False
    return any(one in group and other in group for group in _SAME)


def same_dimension(one: str, other: str) -> bool:
    """True if values of the two can take each other's place: all money is one dimension."""
    if is_currency(one) or is_currency(other):
        return is_currency(one) and is_currency(other)
    return one == other or {one, other} in ({"duration", "workdays"}, {"angle", "temperature"})
