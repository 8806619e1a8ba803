"""What stands behind a comma: the reason of an order to drop it, and the result of a measurement."""

from __future__ import annotations

from itertools import product

import pytest

from duly.language.replies import ReplyKind, classify_reply

ORDERS = {
    "en": ("skip it today", "cancel it", "no need today"),
    "de": ("lass es heute ausfallen", "brauche ich heute nicht", "nicht nötig"),
    "fr": ("plus la peine", "pas besoin aujourd'hui", "annule"),
    "it": ("annulla", "oggi non serve", "non è necessario"),
    "es": ("cancélalo", "hoy no hace falta", "ya no es necesario"),
    "hr": ("ne treba danas", "otkaži", "preskoči"),
}
REASONS = {
    "en": ("class is cancelled", "it's been called off", "I'm sick", "I have a cold"),
    "de": ("bin erkältet", "ich bin krank", "der Kurs fällt aus", "ist abgesagt"),
    "fr": ("on annule", "c'est annulé", "je suis malade", "le cours est annulé"),
    "it": ("è stata annullata", "sono malata", "ho la febbre"),
    "es": ("la clase está cancelada", "estoy enfermo", "se canceló"),
    "hr": ("otkazan je", "trening je otkazan", "bolesna sam"),
}
CANCELLED = "c'est annulé"
"""By itself it is an order as well."""
CLAIMS = {
    "en": ("yes", "done", "ok", "I went", "👍"),
    "de": ("ja", "erledigt", "ok", "war dort", "👍"),
    "fr": ("oui", "c'est fait", "ok", "j'y suis allé", "👍"),
    "it": ("sì", "fatto", "ok", "👍"),
    "es": ("sí", "hecho", "ok", "👍"),
    "hr": ("da", "gotovo", "ok", "👍"),
}
OPEN = {
    "en": ("not yet", "I forgot", "later", "remind me again"),
    "de": ("noch nicht", "vergessen", "später", "erinnere mich nochmal"),
    "fr": ("pas encore", "oublié", "plus tard", "oublie"),
    "it": ("non ancora", "dimenticato", "più tardi", "dimentica"),
    "es": ("todavía no", "se me olvidó", "más tarde"),
    "hr": ("još ne", "zaboravila sam", "kasnije"),
}
ABOUT = {
    "en": "Go to the gym class",
    "de": "Zum Sport gehen",
    "fr": "Aller à la gym",
    "it": "Andare in palestra",
    "es": "Ir al gimnasio",
    "hr": "Idi na trening",
}
MEASURED = {
    "en": ("measured", "Measure your blood sugar", "Take your pill"),
    "de": ("gemessen", "Blutzucker messen", "Tablette nehmen"),
    "fr": ("mesurée", "Mesure ta glycémie", "Prends ton médicament"),
    "it": ("misurata", "Misura la glicemia", "Prendi la pillola"),
    "hr": ("izmjerila", "Izmjeri šećer", "Popij tabletu"),
    "sr": ("izmerila", "Izmeri šećer", "Popij tabletu"),
}


@pytest.mark.parametrize("code", ORDERS)
def test_an_order_to_drop_it_may_give_its_reason(code: str) -> None:
    for order, reason in product(ORDERS[code], REASONS[code]):
        assert classify_reply(f"{order}, {reason}", code, about=ABOUT[code]).kind is ReplyKind.DISMISS, (order, reason)


@pytest.mark.parametrize("code", ORDERS)
def test_a_reason_is_neither_an_order_nor_a_claim(code: str) -> None:
    for said, reason in product(("", *CLAIMS[code], *OPEN[code]), REASONS[code]):
        reply = classify_reply(f"{said}, {reason}", code, about=ABOUT[code])
        assert reply.kind not in (ReplyKind.ACK, ReplyKind.DISMISS) or reason == CANCELLED, (said, reason)


@pytest.mark.parametrize("code", MEASURED)
@pytest.mark.parametrize("result", ["6,2", "120", "5.4"])
def test_a_number_behind_what_was_measured_is_its_result(code: str, result: str) -> None:
    deed, about, other = MEASURED[code]
    assert classify_reply(f"{deed}, {result}", code, about=about).kind is ReplyKind.ACK
    assert classify_reply(f"{deed}, {result}", code, about=other).kind is ReplyKind.UNKNOWN
    assert classify_reply(f"{result}, {deed}", code, about=other).kind is ReplyKind.UNKNOWN
    assert classify_reply(result, code, about=other).kind is ReplyKind.UNKNOWN


@pytest.mark.parametrize(
    ("code", "text", "about", "other"),
    [
        ("en", "locked 👍", "Lock the garage", "Call mom"),
        ("en", "paid with my phone", "Pay the rent", "Call mom"),
        ("it", "steso", "Stendi il bucato", "Prendi la pillola"),
        ("it", "pagata col telefono", "Paga la bolletta", "Chiama la mamma"),
        ("it", "chiusa a chiave", "Chiudi la porta", "Prendi la pillola"),
        ("es", "tendida", "Tender la ropa", "Toma la pastilla"),
        ("es", "cerrada con llave", "Cierra la puerta", "Toma la pastilla"),
    ],
)
def test_a_bare_deed_ends_only_a_reminder_of_that_deed(code: str, text: str, about: str, other: str) -> None:
    assert classify_reply(text, code, about=about).kind is ReplyKind.ACK
    assert classify_reply(text, code, about=other).kind is ReplyKind.UNKNOWN
