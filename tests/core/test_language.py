"""Which texts the model may be asked about."""

import pytest

from gatekeeper.core.language import is_english


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
