"""Language: is a text English, which is what the shipped model reads?

Pure. Three signs, none of which needs a table of words to speak of: the script of its letters, for
Latin script the small words that no sentence does without, and words that the model's vocabulary
can't spell. A text is taken for English unless there is evidence of another language: a name or a
quotation must not make an answer unreadable.
"""

import re
from collections.abc import Callable, Sequence

# Half of the letters: below it most of what a sentence says is in another script.
LATIN_SHARE = 0.5
LAST_LATIN = 0x24F  # end of Latin Extended-B
# One foreign article may be part of a name ("El Paso", "La Scala"); two are a language.
LEAST_FOREIGN = 2
# Names and titles of a page in English stay below this, a page in another language far above it.
FOREIGN_MAJORITY = 2
# A few odd signs are decoration; with more, the model reads one and the same token over and over.
MOST_UNKNOWN = 0.25
LEAST_UNKNOWN = 3
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
    "Danish": "og det som på er af ikke med den til et om har jeg vi kan en fra eller skal",
    "Norwegian": "og det som på er av ikke med den til et om har jeg vi kan en fra eller skal",
    "Finnish": "ja on ei se että oli olla hän mutta tai kun niin myös ovat voi kuin jos tämä sen",
    "Hungarian": "az és de hogy nem is egy van ez meg csak ha már mint vagy nincs kell lehet volt",
    "Czech": "se je na že není ale jako pro do od nebo jsou být bude také která který za až při",
    "Romanian": "și nu este în la pe cu pentru care din mai sunt de un să se fi ca sau",
    "Croatian": "je se na da nije za koji koja sa od su ili ali kao može biti samo do",
    "Indonesian": "yang dan di ini itu dengan untuk tidak dari dalam pada adalah ke akan atau oleh",
    "Vietnamese": "và là của có không được trong cho một với các những này khi đã người để từ",
    "Catalan": "els les que i és una per amb del no al dels més però són com el la de un",
}
_LISTS = {name: frozenset(words.split()) for name, words in _FOREIGN.items()}


def is_readable(text: str, unknown_words: Callable[[str], Sequence[str]]) -> bool:
    """Tell whether a text may be put to a model that reads English.

    Args:
        text: An answer, or evidence.
        unknown_words: Gives the words of a text that the model's vocabulary can't spell.
    """
    if not is_english(text):
        return False
    read = text[:READ_CHARS]
    unknown = len(unknown_words(read))
    return unknown < LEAST_UNKNOWN or unknown <= MOST_UNKNOWN * len(read.split())


def is_english(text: str) -> bool:
    """Tell whether a text is English by its letters and small words; True without letters."""
    words = _WORD.findall(text[:READ_CHARS].lower())
    letters = sum(map(len, words))
    latin = sum(ord(letter) <= LAST_LATIN for word in words for letter in word)
    if letters and latin / letters < LATIN_SHARE:
        return False
    english = sum(word in _ENGLISH for word in words)
    foreign = max(sum(word in small for word in words) for small in _LISTS.values())
    return foreign < LEAST_FOREIGN or foreign <= FOREIGN_MAJORITY * english
