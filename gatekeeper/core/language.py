"""Language: is a text English, which is what the shipped model reads?

Pure. Two signs, both of which need no table of words to speak of: the script of its letters, and
for Latin script the small words that no sentence does without. A text is taken for English unless
there is evidence of another language: a name or a quotation must not make an answer unreadable.
"""

import re

# Half of the letters: below it most of what a sentence says is in another script.
LATIN_SHARE = 0.5
LAST_LATIN = 0x24F  # end of Latin Extended-B
# One foreign article may be part of a name ("El Paso", "La Scala"); two are a language.
LEAST_FOREIGN = 2
# Names and titles of a page in English stay below this, a page in another language far above it.
FOREIGN_MAJORITY = 2
# Enough of a long text to tell, and a bound on the work.
READ_CHARS = 20_000

_WORD = re.compile(r"[^\W\d_]+")

_ENGLISH = frozenset(
    """the a an of and to is are was were be been it its this that these those for with not from by
    on at as or has have had will would can could do does did but if you your we our they their he
    she his her there which who when what where than then no only into about after before all any
    also so how i my me us them up out over under per must may should in""".split()
)

# Small words that are common in the language and no words of English.
_FOREIGN = {
    "German": "der das und ist nicht ein eine einen dem den des im mit auf für von sich auch wird "
    "werden sind wie oder bei nach aus über wenn sie ihr ich wir haben kann zum zur einer die",
    "French": "le les des et est une dans pour que qui pas sur avec au aux du ce cette il elle "
    "sont ne vous nous leur mais ou plus par la un en",
    "Spanish": "el los las que y una por con para se del al como está son su más pero sin esta "
    "ser lo también de la en un es",
    "Italian": "il lo gli di che è per con sono del della nel alla dei delle una anche più si da "
    "questo non un la",
    "Portuguese": "os que uma para com não do da dos das em um por mais como mas foi ao ele ela "
    "são está de",
    "Dutch": "het een van niet met voor zijn dat op te en wordt door ook naar bij uit deze worden "
    "kan er maar de",
    "Swedish": "och att det som på är av för inte med den till ett om har jag vi kan en",
    "Polish": "się nie jest na że do od jak ale czy tylko przez oraz są może dla po za",
    "Turkish": "ve bir bu için ile de da çok olarak daha ne gibi olan",
}
_LISTS = {name: frozenset(words.split()) for name, words in _FOREIGN.items()}


def is_english(text: str) -> bool:
    """Tell whether a text may be put to a model that reads English; True without letters."""
    words = _WORD.findall(text[:READ_CHARS].lower())
    letters = sum(map(len, words))
    latin = sum(ord(letter) <= LAST_LATIN for word in words for letter in word)
    if letters and latin / letters < LATIN_SHARE:
        return False
    english = sum(word in _ENGLISH for word in words)
    foreign = max(sum(word in small for word in words) for small in _LISTS.values())
    return foreign < LEAST_FOREIGN or foreign <= FOREIGN_MAJORITY * english
