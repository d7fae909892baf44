"""Which texts the model may be asked about."""

import pytest

from gatekeeper.core.language import is_english, is_readable


@pytest.mark.parametrize(
    "text",
    [
        "The lamp has a warranty of two years.",
        "Refunds: 14 days",
        "",
        "42 / 7",
        "Doors open daily.",
        "La Scala reopened.",
        "The song 'La vie en rose' was recorded in 1947 and is still played.",
        "El Paso lies on the border; Los Angeles and Las Vegas do not.",
        "Café opening hours changed.",
        "The sign says 出口, which means exit.",
        "Van de Velde Ltd. delivers on Mondays.",
        "A lamp on a desk is a hub for a plan.",
        "Max, Jan, Om and Ha work in Den Haag and Sao Paulo.",
        "Vitamin C and K, size S to L, plan A or V: see the i-on app.",
        "Error: E-101\nStatus: on\nMode: van / do / para",
        "| SKU | Max | Min |\n|---|---|---|\n| A-1 | 5 | 3 |",
    ],
)
def test_english_is_read(text: str) -> None:
    """A name or a quotation in another language must not make an answer unreadable."""
    assert is_english(text)


@pytest.mark.parametrize(
    "text",
    [
        "Die Lampe ist zwei Jahre lang gegen Defekte versichert und wird ersetzt.",
        "Le délai de retour est de quatorze jours pour les clients.",
        "El plazo de devolución es de catorce días para los clientes.",
        "Il termine per la restituzione è di quattordici giorni.",
        "O prazo de devolução é de catorze dias para os clientes e não mais.",
        "De lamp heeft een garantie van twee jaar en wordt niet vervangen.",
        "Lampan har två års garanti och det är inte mer.",
        "Lampen har to års garanti, og det er ikke mere end det.",
        "Lampen har to års garanti, og det skal ikke være mer enn det.",
        "Lampulla on kahden vuoden takuu, mutta se ei ole voimassa, jos lamppu on rikki.",
        "A lámpára két év garancia van, de ez nem érvényes, ha a lámpa eltört.",
        "Na lampu je záruka dva roky, ale není platná, pokud se lampa rozbije.",
        "Lampa are o garanție de doi ani și nu este valabilă pentru baterii.",
        "Lampa ima jamstvo od dvije godine, ali nije za baterije koje su u njoj.",
        "Lampu ini memiliki garansi dua tahun dan tidak untuk baterai yang rusak.",
        "Đèn này có bảo hành hai năm và không được đổi khi đã dùng.",
        "El termini de devolució és de catorze dies per als clients i no més.",
        "Lambanın iki yıl garantisi var ve bu süre bir yıl daha uzatılabilir.",
        "Lampa nie jest objęta gwarancją, ale można ją oddać do sklepu.",
        "返品は14日以内に可能です。",
        "Возврат возможен в течение 14 дней.",
        "الإرجاع ممكن خلال 14 يوما.",
    ],
)
def test_other_languages_are_told(text: str) -> None:
    """The model finds support in texts it can't read; then it must not be asked."""
    assert not is_english(text)


def test_long_text_is_read_in_part() -> None:
    """Twenty thousand characters are enough to tell, and a megabyte costs no more."""
    assert is_english("The lamp is red. " * 2_000 + "Die Lampe ist rot und das ist gut. " * 50_000)


def unknown(text: str) -> list[str]:
    """Stand in for a vocabulary that spells ASCII only."""
    return [word for word in text.split() if not word.isascii()]


@pytest.mark.parametrize(
    "text",
    [
        "The lamp is red.",
        "Ready ✅ Set ✅ Go! The lamp is on and the hub is off now.",
        "✅ ✅",
        "",
    ],
)
def test_decoration_is_read(text: str) -> None:
    """Ticks and stars stand in many answers, and in short ones they are most of the words."""
    assert is_readable(text, unknown)


def test_many_words_that_can_not_be_spelt_are_told() -> None:
    """The model would see the same token for each of them, and find support among them."""
    assert not is_readable("The 🜁🜂 is 🜃🜄 and 🜅🜆 was 🜇🜈.", unknown)


class Asked:
    """A vocabulary that spells everything and notes how much it was asked to."""

    def __init__(self) -> None:
        self.lengths: list[int] = []

    def __call__(self, text: str) -> list[str]:
        """Note the length of the text."""
        self.lengths.append(len(text))
        return []


def test_other_language_is_not_asked_about_its_words() -> None:
    """What is known costs no second look."""
    asked = Asked()

    assert not is_readable("Die Lampe ist rot und das ist gut.", asked)
    assert asked.lengths == []


def test_vocabulary_is_asked_about_a_bounded_text() -> None:
    """Evidence of a megabyte must not be put through the tokenizer for this."""
    asked = Asked()

    assert is_readable("The lamp is red. " * 50_000, asked)
    assert asked.lengths == [20_000]
