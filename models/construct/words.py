"""Words that edits swap: groups of one kind, opposites, and words that start sentences."""

SMALL = "one two three four five six seven eight nine ten eleven twelve".split()
GROUPS = (
    "January February March April May June July August September October November December".split(),
    "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split(),
    SMALL,
    "first second third fourth fifth".split(),
    "seconds minutes hours days weeks months years".split(),
    "red blue green black white yellow brown grey".split(),
    "thousand million billion".split(),
)
CALENDAR = frozenset(GROUPS[0] + GROUPS[1])
OPPOSITES = tuple(
    tuple(pair.split("/"))
    for pair in """increase/decrease increased/decreased increases/decreases increasing/decreasing
    higher/lower more/fewer greater/smaller larger/smaller highest/lowest before/after
    above/below over/under better/worse best/worst improved/worsened won/lost wins/loses
    winning/losing rose/fell rises/falls accepted/rejected accept/reject allowed/forbidden
    agreed/refused agrees/refuses agree/refuse opened/closed open/closed early/late earlier/later
    earliest/latest first/last old/young older/younger oldest/youngest bought/sold buy/sell
    began/ended begins/ends start/stop started/stopped starts/stops positive/negative
    success/failure successful/unsuccessful successfully/unsuccessfully possible/impossible
    always/never everyone/nobody everything/nothing with/without male/female man/woman
    husband/wife father/mother son/daughter brother/sister king/queen north/south east/west
    northern/southern eastern/western left/right strong/weak stronger/weaker long/short
    longer/shorter high/low fast/slow faster/slower easy/difficult easier/harder happy/unhappy
    same/different similar/different significant/insignificant significantly/insignificantly
    majority/minority maximum/minimum includes/excludes including/excluding included/excluded
    supported/opposed supports/opposes inside/outside upper/lower rich/poor safe/dangerous
    public/private legal/illegal domestic/foreign arrived/left found/lost remembered/forgot
    working/broken enabled/disabled enable/disable available/unavailable able/unable
    correct/incorrect true/false day/night morning/evening up/down love/hate loved/hated
    gained/lost approved/denied approve/deny confirmed/denied guilty/innocent
    permanent/temporary optional/required free/paid online/offline senior/junior""".split()
)
# Opposites that say in which order things happened.
ORDER = frozenset("before after first last earlier later".split())
# Capitalised at the start of a sentence, and no names.
OPENERS = frozenset(
    """the a an in on at for from by with when while after before as if this that these those it
    he she they we his her their its there here however although but and so then also most some
    many all both each every what who why how where which yes no during since until despite
    because either our your my""".split()
)
