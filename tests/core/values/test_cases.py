"""The guard on invented pairs of claim and evidence, one kind of trouble a table."""

import pytest

from gatekeeper.core.values import Relation, compare, index

STATED, DERIVED = Relation.STATED, Relation.DERIVED
CLASHING, ABSENT = Relation.CLASHING, Relation.ABSENT

# claim, evidence sentences, relation and rule of the finding that matters most
Case = tuple[str, list[str], Relation, str]

NOTATION: list[Case] = [
    ("The depot stores 1.25 million seeds.", ["The depot stores 1,250,000 seeds."], STATED, "same"),
    ("The depot stores 1250k seeds.", ["The depot stores 1.25 million seeds."], STATED, "same"),
    ("The depot stores 5k seeds.", ["The depot stores five thousand seeds."], STATED, "same"),
    ("The depot stores 5,000 seeds.", ["The depot stores 5k seeds."], STATED, "same"),
    ("The depot stores 1 250 000 seeds.", ["The depot stores 1,250,000 seeds."], STATED, "same"),
    ("The depot stores 1.250.000 seeds.", ["The depot stores 1250000 seeds."], STATED, "same"),
    ("The depot stores 1'250 seeds.", ["The depot stores 1,250 seeds."], STATED, "same"),
    ("The choir has twenty-one singers.", ["The choir has 21 singers."], STATED, "same"),
    ("The choir has 120 singers.", ["The choir has a hundred and twenty singers."], STATED, "same"),
    ("The choir has 12 singers.", ["The choir has a dozen singers."], STATED, "same"),
    ("The choir has two dozen singers.", ["The choir has 24 singers."], STATED, "same"),
    ("The fund holds half a million euros.", ["The fund holds 500,000 euros."], STATED, "same"),
    ("The fund holds 1.5 million euros.", ["The fund holds one and a half million euros."], STATED,
     "same"),
    ("The fund holds 2.5bn euros.", ["The fund holds 2,500 million euros."], STATED, "same"),
    ("Three quarters of the plots are let.", ["75 percent of the plots are let."], STATED, "same"),
    ("Two-thirds of the plots are let.", ["2/3 of the plots are let."], STATED, "same"),
    ("The rope is 2.5 metres long.", ["Das Seil ist 2,5 Meter lang."], STATED, "same"),
    ("The film dates from nineteen ninety-nine.", ["The film dates from 1999."], STATED, "same"),
    ("It has 3,200 inhabitants.", ["It has three thousand two hundred inhabitants."], STATED,
     "same"),
    ("The village has 26, 000 inhabitants.", ["The village has 26,000 inhabitants."], STATED,
     "same"),
    ("The village has 26,000 inhabitants.", ["The village has 26, 000 inhabitants."], STATED,
     "same"),
    ("The cake needs 1.5 cups of milk.", ["The cake needs 1 1/2 cups of milk."], STATED, "same"),
    ("The archive has 12,737 maps.", ["The archive has 12 737 maps."], STATED, "same"),
    ("Der Preis ist 1.250 Euro.", ["Der Preis ist 1250 Euro."], STATED, "same"),
    ("The dam holds 3 lakh litres.", ["The dam holds 300,000 litres."], STATED, "same"),
    ("It scored two point five.", ["It scored 2.5."], STATED, "same"),
]  # fmt: skip

UNITS: list[Case] = [
    ("The path is 3,000 metres long.", ["The path is 3 kilometres long."], STATED, "same"),
    ("The path is 3 km long.", ["The path is 3000 m long."], STATED, "same"),
    ("The bag is 0.6 m wide.", ["The bag is 60 cm wide."], STATED, "same"),
    ("The bag is 600 mm wide.", ["The 60-centimetre bag is wide."], STATED, "same"),
    ("The board is 12 inches wide.", ["The board is 1 foot wide."], STATED, "same"),
    ("The box weighs 1.5 kg.", ["The box weighs 1500 grams."], STATED, "same"),
    ("The flask holds 750 ml.", ["The flask holds 0.75 litres."], STATED, "same"),
    ("Keep it at 25 degrees Celsius.", ["Keep it at 77 degrees Fahrenheit."], STATED, "same"),
    ("Keep it at 20 °C.", ["Keep it at 20 degrees Celsius."], STATED, "same"),
    ("The disk holds 2 GB.", ["The disk holds 2,000 MB."], STATED, "same"),
    ("The disk holds 2 GB.", ["The disk holds 2048 MB."], STATED, "same"),
    ("The heater draws 2 kW.", ["The heater draws 2000 watts."], STATED, "same"),
    ("The limit is 50 km/h.", ["The limit is 50 kilometres per hour."], STATED, "same"),
    ("The limit is 30 mph.", ["The limit is 30 miles an hour."], STATED, "same"),
    ("The pump moves 60 litres per minute.", ["The pump moves 1 litre per second."], STATED,
     "same"),
    ("The desk is 5 feet 10 inches long.", ["The desk is 70 inches long."], STATED, "same"),
    ("The field covers 2 hectares.", ["The field covers 20,000 square metres."], STATED, "same"),
    ("The trek is about 5 km long.", ["The trek is 3.1 miles long."], DERIVED, "rounding"),
    ("Keep it at 25 degrees Fahrenheit.", ["Keep it at 25 degrees Celsius."], CLASHING, "differs"),
    ("The path is 3 miles long.", ["The path is 3 kilometres long."], CLASHING, "differs"),
    ("The pump moves 340 litres per minute.", ["The pump moves 340 litres per hour."], CLASHING,
     "differs"),
    ("The box weighs 15 kg.", ["The box weighs 1.5 kg."], CLASHING, "differs"),
    ("The disk holds 2 TB.", ["The disk holds 2 GB."], CLASHING, "differs"),
]  # fmt: skip

MONEY: list[Case] = [
    ("The permit costs $60.", ["The permit costs 60 dollars."], STATED, "same"),
    ("The permit costs USD 60.", ["The permit costs US$60."], STATED, "same"),
    ("The permit costs $60.", ["The permit costs 60 USD."], STATED, "same"),
    ("The permit costs €60.", ["The permit costs sixty euros."], STATED, "same"),
    ("The permit costs 60 EUR.", ["The permit costs 60 €."], STATED, "same"),
    ("The stamp costs 50 cents.", ["The stamp costs $0.50."], STATED, "same"),
    ("The deal is worth £1.2m.", ["The deal is worth 1.2 million pounds."], STATED, "same"),
    ("The fee is 15.", ["Size: Large, Fee: 15 euros"], STATED, "same"),
    ("The permit costs 60 dollars.", ["The permit costs 60 euros."], CLASHING, "differs"),
    ("The permit costs 60 AUD.", ["The permit costs 60 USD."], CLASHING, "differs"),
    ("The permit costs £60.", ["The permit costs £16."], CLASHING, "differs"),
    ("The deal is worth $1.2 billion.", ["The deal is worth $1.2 million."], CLASHING, "differs"),
    ("The permit costs 45 euros.", ["Permits are issued at the harbour office."], ABSENT, "absent"),
]

PERCENT: list[Case] = [
    ("Turnout was 40%.", ["Turnout was 40 per cent."], STATED, "same"),
    ("Turnout was forty percent.", ["Turnout was 40%."], STATED, "same"),
    ("Renewals rose by 10 points.", ["Renewals rose from 40 percent to 50 percent."], DERIVED,
     "difference"),
    ("Renewals rose by 10 percentage points.", ["Renewals rose from 40 percent to 50 percent."],
     DERIVED, "difference"),
    ("Renewals rose by 25 percent.", ["Renewals rose from 40 percent to 50 percent."], DERIVED,
     "change"),
    ("Renewals rose by 10 percent.", ["Renewals rose from 40 percent to 50 percent."], CLASHING,
     "points"),
    ("Renewals rose from 40% to 50%.", ["Renewals rose from 40 percent to 50 percent."], STATED,
     "same"),
    ("Visits rose by 25%.", ["Visits rose from 400 to 500."], DERIVED, "change"),
    ("Half of the plots are let.", ["50% of the plots are let."], STATED, "same"),
    ("25 percent of the plots are let.", ["Of the 80 plots, 20 are let."], DERIVED, "share"),
    ("Rates rose by 0.25 percentage points.", ["Rates rose by 25 basis points."], STATED, "same"),
    ("Turnout was 45%.", ["Turnout was 54%."], CLASHING, "differs"),
]  # fmt: skip

DURATIONS: list[Case] = [
    ("The loan runs for two weeks.", ["The loan runs for 14 days."], STATED, "same"),
    ("The film lasts 90 minutes.", ["The film lasts 1.5 hours."], STATED, "same"),
    ("The film lasts an hour and a half.", ["The film lasts 90 minutes."], STATED, "same"),
    ("The film lasts 90 minutes.", ["The film lasts 1 hour and 30 minutes."], STATED, "same"),
    ("The lamp has a 24-month warranty.", ["The lamp has a two-year warranty."], STATED, "same"),
    ("The notice period is 30 days.", ["The notice period is one month."], DERIVED, "conversion"),
    ("The notice period is 12 months.", ["The notice period is a year."], STATED, "same"),
    ("Bake it for half an hour.", ["Bake it for 30 minutes."], STATED, "same"),
    ("The visit takes two and a half hours.", ["The visit takes 150 minutes."], STATED, "same"),
    ("The exile lasted ten years.", ["The exile lasted a decade."], STATED, "same"),
    ("The loan runs for 30 days.", ["The loan runs for 14 days."], CLASHING, "differs"),
    ("The loan runs for 14 business days.", ["The loan runs for 14 days."], CLASHING, "differs"),
    ("The loan runs for 14 days.", ["The loan runs for 14 working days."], STATED, "same"),
    ("The loan runs for 3 months.", ["The loan runs for 3 weeks."], CLASHING, "differs"),
    ("The notice period is 45 days.", ["The notice period is one month."], CLASHING, "differs"),
    ("The lease lasted three years.", ["The lease began in June 2030 and ended in June 2033."],
     DERIVED, "duration"),
    ("The lease lasted 36 months.", ["The lease began in June 2030 and ended in June 2033."],
     DERIVED, "duration"),
    ("The fair lasts ten days.", ["The fair runs from 1 July 2030 to 10 July 2030."], DERIVED,
     "duration"),
    ("The desk is open eight hours a day.", ["The desk is open from 9:00 to 17:00."], DERIVED,
     "duration"),
    ("The mill closed three years later, in 1987.", ["The mill opened in 1984.",
                                                     "It closed three years later."], DERIVED,
     "date"),
]  # fmt: skip

DATES: list[Case] = [
    ("It opened on July 1, 2024.", ["It opened on 1 July 2024."], STATED, "same"),
    ("It opened on 2024-07-01.", ["It opened on 1 July 2024."], STATED, "same"),
    ("It opened on 1.7.2024.", ["It opened on July 1st, 2024."], STATED, "same"),
    ("It opened on 1 July 2024.", ["It opened on 01/07/2024."], STATED, "same"),
    ("It opened on 7 January 2024.", ["It opened on 01/07/2024."], STATED, "same"),
    ("It opened in July 2024.", ["It opened on 1 July 2024."], STATED, "same"),
    ("It opened in 2024.", ["It opened on 1 July 2024."], STATED, "same"),
    ("It opened on 1 July.", ["It opened on the 1st of July 2024."], STATED, "same"),
    ("It opened in the 1990s.", ["It opened in 1994."], DERIVED, "bound"),
    ("It runs on 2 and 3 July 2024.", ["It runs on 2-3 July 2024."], STATED, "same"),
    ("It opened on 1 July 2024.", ["The 2024 season was short.", "It opened on 1 July."], DERIVED,
     "date"),
    ("The hall closes on Mondays.", ["The hall is closed every Monday."], STATED, "same"),
    ("It was built around 1850.", ["It was built in 1851."], DERIVED, "rounding"),
    ("Sales fell in Q3.", ["Sales fell in the third quarter."], STATED, "same"),
    ("It opened on 1 July 2023.", ["It opened on 1 July 2024."], CLASHING, "differs"),
    ("It opened on 1 June 2024.", ["It opened on 1 July 2024."], CLASHING, "differs"),
    ("It opened in 1998.", ["It opened in 1989."], CLASHING, "differs"),
    ("It opened on 3 July 2024.", ["It opened in July 2024."], ABSENT, "absent"),
    ("The hall closes on Sundays.", ["The hall closes on Mondays."], CLASHING, "differs"),
    ("The bridge dates from 1911.", ["The bridge is made of oak."], ABSENT, "absent"),
]  # fmt: skip

TIMES: list[Case] = [
    ("The desk opens at 3 pm.", ["The desk opens at 15:00."], STATED, "same"),
    ("The desk opens at 1500 hours.", ["The desk opens at 3 p.m."], STATED, "same"),
    ("The desk opens at 6.", ["The desk opens at six."], STATED, "same"),
    ("The desk opens at 6 pm.", ["The desk opens at six."], STATED, "same"),
    ("The desk opens at half past six.", ["The desk opens at 18:30."], STATED, "same"),
    ("The desk opens at noon.", ["The desk opens at 12:00."], STATED, "same"),
    ("The desk opens at six o'clock.", ["The desk opens at 6 am."], STATED, "same"),
    ("The desk opens at quarter to nine.", ["The desk opens at 8:45."], STATED, "same"),
    ("The desk opens around 3 pm.", ["The desk opens at 15:10."], DERIVED, "rounding"),
    ("The desk opens at 9 am.", ["The desk opens from 9 am to 5 pm."], STATED, "same"),
    ("The desk opens at 3 am.", ["The desk opens at 15:00."], CLASHING, "differs"),
    ("The desk opens at 8:30.", ["The desk opens at 9:30."], CLASHING, "differs"),
]

RANGES: list[Case] = [
    ("Delivery takes 3-5 working days.", ["Delivery takes three to five working days."], STATED,
     "same"),
    ("Delivery takes between 3 and 5 days.", ["Delivery takes 3 to 5 days."], STATED, "same"),
    ("Delivery takes at most 7 days.", ["Delivery takes 5 to 7 days."], DERIVED, "bound"),
    ("Delivery takes at least 5 days.", ["Delivery takes 5 to 7 days."], DERIVED, "bound"),
    ("Delivery takes 2 to 8 days.", ["Delivery takes 5 to 7 days."], DERIVED, "bound"),
    ("The ticket is valid within 10 years.", ["The ticket is valid for 7 years."], DERIVED,
     "bound"),
    ("More than 500 people came.", ["523 people came."], DERIVED, "bound"),
    ("Fewer than 20 people came.", ["Some 14 people came."], DERIVED, "bound"),
    ("The room seats up to 40 people.", ["The room seats 40 people."], STATED, "same"),
    ("Visitors must be 18 or older.", ["Visitors must be at least 18."], STATED, "same"),
    ("Costs go from $90 million to $100 million.", ["Costs range: $90 million to $100 million."],
     STATED, "endpoint"),
    ("Delivery takes three working days.", ["Delivery takes three to five working days."],
     CLASHING, "narrowed"),
    ("Delivery takes at most 5 business days.", ["Delivery takes 5 to 7 business days."],
     CLASHING, "narrowed"),
    ("A refund arrives in at most 5 business days.", ["Money goes back in 5 to 7 business days."],
     CLASHING, "narrowed"),
    ("Delivery takes 4 to 5 days.", ["Delivery takes 3 to 5 days."], CLASHING, "narrowed"),
    ("Delivery takes at most 4 days.", ["Delivery takes at least 4 days."], CLASHING, "differs"),
    ("More than 600 people came.", ["523 people came."], CLASHING, "differs"),
]  # fmt: skip

ROUNDING: list[Case] = [
    ("The reply took roughly 5 minutes.", ["The reply took 4.97 minutes."], DERIVED, "rounding"),
    (
        "The archive has about 1.25 million maps.",
        ["The archive has 1,253,210 maps."],
        DERIVED,
        "rounding",
    ),
    ("Nearly 200 people came.", ["196 people came."], DERIVED, "rounding"),
    ("About 20 people came.", ["19 people came."], DERIVED, "rounding"),
    ("The reply took 5 minutes.", ["The reply took 4.97 minutes."], DERIVED, "rounding"),
    ("The archive has 1.3 million maps.", ["The archive has 1,253,210 maps."], DERIVED, "rounding"),
    ("The reply took exactly 5 minutes.", ["The reply took 4.97 minutes."], CLASHING, "differs"),
    ("The reply took about 5 minutes.", ["The reply took 9 minutes."], CLASHING, "differs"),
    ("195 people came.", ["196 people came."], CLASHING, "differs"),
    ("About 300 people came.", ["196 people came."], CLASHING, "differs"),
]

ARITHMETIC: list[Case] = [
    ("The halls seat 200 people in total.", ["The north hall seats 120, the south hall 80."],
     DERIVED, "sum"),
    ("The halls seat 200 people in total.", ["The north hall seats 120 people.",
                                             "The south hall seats 80 people."], DERIVED, "sum"),
    ("The halls seat 250 people.", ["The halls seat 120, 80 and 50 people."], DERIVED,
     "sum"),
    ("The ferry is 15 euros cheaper.", ["The ferry costs 30 euros and the train 45 euros."],
     DERIVED, "difference"),
    ("The box has 36 pens.", ["The box has 3 packs of 12 pens."], DERIVED, "product"),
    ("The kit includes four tools.", ["The kit includes a brush, a scraper, a sponge and a cloth."],
     DERIVED, "count"),
    ("Both courses are taught by two people.", ["Ada Brook and Finn Marsh teach the courses."],
     DERIVED, "count"),
    ("The mayor was 34 years old then.", ["Born in 1990, the mayor took office in 2024."], DERIVED,
     "difference"),
]  # fmt: skip

LITERALS: list[Case] = [
    ("Forms are at https://a.example.org/garden.", ["See https://a.example.org/garden/."], STATED,
     "same"),
    ("Forms are at a.example.org/garden.", ["See https://a.example.org/garden."], STATED, "same"),
    ("See https://a.example.org for forms.", ["See https://a.example.org/garden/apply."], DERIVED,
     "part"),
    ("Forms are at https://a.example.org/garden/new.", ["See https://a.example.org/garden."],
     CLASHING, "differs"),
    ("Forms are at https://b.example.net/x.", ["Forms are at the desk."], ABSENT, "absent"),
    ("Write to desk@example.org.", ["Write to Desk@Example.org."], STATED, "same"),
    ("Write to help@example.org.", ["Write to desk@example.org."], CLASHING, "differs"),
    ("Write to help@example.org.", ["Write to the desk."], ABSENT, "absent"),
    ("Fit part A-113 first.", ["Fit part A-113 first."], STATED, "same"),
    ("Fit part A 113.", ["Fit part A-113."], STATED, "words"),
    ("Leave by gate B2.", ["Leave by gate B1."], CLASHING, "differs"),
    ("Fit part A-131 first.", ["Fit part A-113 first."], CLASHING, "differs"),
    ("Order ORD-2024-17 was sent.", ["Order ORD-2024-17 was sent."], STATED, "same"),
    ("Call +44 20 7946 0001.", ["Call +44 20 7946 0000."], CLASHING, "differs"),
    ("Install version 2.3.1.", ["Install version 2.3.1."], STATED, "same"),
    ("Install version 2.3.", ["Install version 2.3.1."], DERIVED, "part"),
    ("Install version 2.4.1.", ["Install version 2.3.1."], CLASHING, "differs"),
    ('The guide says "rinse it twice before drying".', ['It says: "Rinse it twice before drying."'],
     STATED, "verbatim"),
    ('The guide says "rinse it twice ... before drying".', ["Rinse it twice, gently, before drying."
                                                            ], STATED, "verbatim"),
    ('The guide says "rinse the cloth gently before drying".',
     ["Rinse the cloth before gently drying it."], CLASHING, "quotation"),
    ('The guide says "never leave the kiln alone".', ["Kilns get hot."], ABSENT, "quotation"),
]  # fmt: skip

SLOTS: list[Case] = [
    ("The Tamsin trail was the first route.", ["The Tamsin trail was the third route."], CLASHING,
     "differs"),
    ("The Tamsin trail was the 3rd route.", ["The Tamsin trail was the third route."], STATED,
     "same"),
    ("The cabin has 76 windows.", ["The cabin has 67 windows."], CLASHING, "differs"),
    ("The cabin has 76 windows.", ["The cabin has 67 windows.", "The barn has 76 windows."],
     CLASHING, "differs"),
    ("The large size costs 11.", ["Size: Small, Price: 8", "Size: Medium, Price: 11",
                                  "Size: Large, Price: 15"], CLASHING, "differs"),
    ("The medium size costs 11.", ["Size: Small, Price: 8", "Size: Medium, Price: 11",
                                   "Size: Large, Price: 15"], STATED, "same"),
    ("The Heron canoe weighs 14 kilograms.", ["The Wren canoe weighs 14 kilograms.",
                                              "The Heron canoe weighs 22 kilograms."], CLASHING,
     "differs"),
    ("The Wren canoe weighs 14 kilograms.", ["The Wren is a canoe.", "It weighs 14 kilograms.",
                                             "The Heron weighs 22 kilograms."], STATED, "same"),
    ("The pool closes at 20:00.", ["Leaflet A: the pool closes at 20:00.",
                                   "Leaflet B: the pool closes at 21:00."], STATED, "same"),
    ("Gate 4 is the exit.", ["Gate 3 is the entrance.", "Gate 4 is the exit."], STATED, "same"),
]  # fmt: skip

NEGATION: list[Case] = [
    ("Dogs are allowed on the lower deck.", ["Dogs are not allowed on the lower deck."], CLASHING,
     "negation"),
    ("Yes, dogs are welcome on the lower deck.", ["Dogs aren't allowed on the lower deck."],
     CLASHING, "negation"),
    ("Dogs are prohibited on the lower deck.", ["Dogs are allowed on the lower deck."], CLASHING,
     "negation"),
    ("The pass includes towels.", ["The pass does not include parking, meals or towels."],
     CLASHING, "negation"),
    ("The pass includes parking.", ["The pass does not include parking, meals or towels."],
     CLASHING, "negation"),
    ("The pass excludes meals.", ["The pass includes meals."], CLASHING, "negation"),
    ("The well runs dry in July.", ["It is a myth that the well runs dry in July."], CLASHING,
     "negation"),
    ("The bylaw covers the east yard.", ["The council denied that the bylaw covers the east yard."],
     CLASHING, "negation"),
    ("Fees are not refunded after 60 days.", ["Fees are not refunded after 14 days."], CLASHING,
     "differs"),
    ("The fee is no more than 60 euros.", ["The fee is 90 euros."], CLASHING, "differs"),
    ("The vault was never opened.", ["The vault was opened."], CLASHING, "negation"),
    ("All of the beds are watered automatically.", ["Some of the beds are watered automatically."],
     CLASHING, "quantifier"),
    ("Visitors must park in the east yard.", ["Visitors may park in the east yard."], CLASHING,
     "quantifier"),
    ("The gate is always locked.", ["The gate is usually locked."], CLASHING, "quantifier"),
]  # fmt: skip

# Claims without any finding that speaks against them.
QUIET: list[tuple[str, list[str]]] = [
    ("The pass does not include meals.", ["The pass does not include parking, meals or towels."]),
    ("The pass includes towels.", ["The pass includes towels but does not include parking."]),
    ("The pool is heated.", ["The pool is heated and is not open in winter."]),
    ("Downloads cannot be returned after 14 days.", ["Downloads can be returned for 14 days."]),
    ("The pool opens at nine.", ["The pool does not open until nine."]),
    ("Entry is not free after six.", ["Entry is free before six."]),
    ("Some of the beds are watered.", ["All of the beds are watered."]),
    ("Visitors may park in the yard.", ["Visitors must park in the yard."]),
    ("The shop is not only open but heated.", ["The shop is open and heated."]),
    ("One of the two canoes is red.", ["The Wren canoe is red.", "The Heron canoe is blue."]),
    ("The choir did not sign in 2018.", ["In 2014 the choir signed its contract."]),
    ("Mara Venn was not the first keeper.", ["Mara Venn was the second keeper."]),
    ("The barn did not exist in 1035.", ["The barn was built by the abbey."]),
    ("The mill produced zero waste.", ["The mill produced no waste."]),
    ("On the one hand, it is old.", ["It is old."]),
    ("At first, the mill was small.", ["The mill was small."]),
    ("First of all, rinse the cloth.", ["Rinse the cloth."]),
    ("1. Rinse the cloth.", ["Rinse the cloth."]),
    ("Step 2: rinse the cloth.", ["Rinse the cloth."]),
    ("The dye is fixed with salt [1].", ["The dye is fixed with salt."]),
    ("This one is older.", ["The mill is older than the barn."]),
    ("The two halls are old.", ["The north hall is old.", "The south hall is old."]),
    ("He may march again.", ["He will walk again."]),
    ("Thus, the mill closed.", ["So the mill closed."]),
    ("The room shows a 3D model.", ["The room shows a model in relief."]),
    ("The plane is written as Z2.", ["The plane is written as a square."]),
    ("No, the trail is not paved.", ["The trail is not paved."]),
    ("The mill, once small, grew.", ["The small mill grew."]),
    ("The vault is on the second floor.", ["The vault is on the second floor."]),
    ("The fee is charged a second time.", ["The fee is charged again."]),
    ("A third party runs the mill.", ["Another company runs the mill."]),
    ("Is the mill 90 years old?", ["The mill is 90 years old."]),
    ("", ["The mill is 90 years old."]),
    ("The mill is old.", []),
]

TABLES = [*NOTATION, *UNITS, *MONEY, *PERCENT, *DURATIONS, *DATES, *TIMES, *RANGES, *ROUNDING,
          *ARITHMETIC, *LITERALS, *SLOTS, *NEGATION]  # fmt: skip
WORST_FIRST = (CLASHING, ABSENT, DERIVED, STATED)


@pytest.mark.parametrize(("claim", "evidence", "relation", "rule"), TABLES)
def test_worst_finding_of_a_claim(
    claim: str, evidence: list[str], relation: Relation, rule: str
) -> None:
    """The worst finding decides the claim, so it must be the expected one, by the rule named."""
    findings = compare(claim, claim, index(evidence))

    worst = min(findings, key=lambda finding: WORST_FIRST.index(finding.relation))

    assert (worst.relation, worst.rule) == (relation, rule)


@pytest.mark.parametrize(("claim", "evidence"), QUIET)
def test_silent_where_nothing_is_wrong(claim: str, evidence: list[str]) -> None:
    """A false alarm blocks a right answer; idioms, steps and scopes must not set one off."""
    findings = compare(claim, claim, index(evidence))

    assert not [f for f in findings if f.relation in (CLASHING, ABSENT)]
