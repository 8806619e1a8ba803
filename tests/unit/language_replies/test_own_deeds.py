"""The reminder's own verb and state, and what is added to a claim: they are taken, and no false claim is."""

from __future__ import annotations

from itertools import product

import pytest

from duly.language.replies import Reply, ReplyKind, classify_reply
from tests.unit.language_replies.composing import COMPOSERS, EVERY, FIRED, NOW, composer_of
from tests.unit.language_replies.tables_of_replies import LANGUAGES

CLAIMS = {
    "en": {
        "Mop the floor": "mopped|mopped it|I mopped the floor|just mopped the floor|the floor is mopped",
        "Water the plants": "watered them|watered the plants|plants are all watered|the plants have been watered",
        "Take out the trash": "the trash is out|took the trash out|trash is already out",
        "Lock the front door": "locked it|the door is locked|it's locked|door's locked",
        "Call grandma": "called her|had a chat with her|talked to grandma|just got off the phone with her",
    },
    "de": {
        "Boden wischen": "gewischt|hab ihn gewischt|Boden ist gewischt|hab den Boden gewischt",
        "Blumen gießen": "gegossen|hab sie gegossen|Blumen sind gegossen|alle gegossen",
        "Müll rausbringen": "Müll ist draußen|hab ihn runtergebracht|ist draußen|Müll ist weg",
        "Haustür abschließen": "abgeschlossen|ist abgeschlossen|hab abgeschlossen",
        "Oma anrufen": "hab mit ihr telefoniert|hab gerade aufgelegt|mit Oma telefoniert",
    },
    "hr": {
        "Oboji ogradu": "obojio sam|obojila sam ogradu|ograda je obojena|obojeno",
        "Zalij cvijeće": "zalila sam|zalio sam ga|zaliveno je|cvijeće je zaliveno",
        "Iznesi smeće": "iznio sam|smeće je vani|izneseno|iznijela sam ga",
        "Nahrani mačku": "nahranila sam je|mačka je sita|nahranjena je",
    },
    "sr": {
        "Oboji ogradu": "obojio sam|obojila sam ogradu|ograda je obojena|обојио сам",
        "Zalij cveće": "zalila sam|zalio sam ga|заливено је|cveće je zaliveno",
        "Iznesi đubre": "izneo sam|đubre je napolju|izneto|изнела сам га",
    },
    "es": {
        "Barrer el patio": "barrido|ya lo barrí|he barrido el patio|el patio está barrido",
        "Riega las plantas": "regadas|ya las regué|las plantas están regadas|regué las plantas",
        "Sacar la basura": "la basura está fuera|ya la saqué|ya está fuera",
        "Cerrar la puerta con llave": "cerrada|ya la cerré|está cerrada|la puerta está cerrada",
        "Llamar a la abuela": "hablé con ella|he hablado con la abuela|la llamé",
    },
    "fr": {
        "Balayer la cour": "balayée|je l'ai balayée|la cour est balayée|j'ai balayé la cour",
        "Arroser les plantes": "arrosées|je les ai arrosées|les plantes sont arrosées",
        "Sortir les poubelles": "sorties|les poubelles sont dehors|j'ai sorti les poubelles",
        "Fermer la porte à clé": "fermée|la porte est fermée|je l'ai fermée à clé",
        "Appeler mamie": "j'ai parlé avec elle|je l'ai appelée|je viens de raccrocher",
    },
    "it": {
        "Spazzare il cortile": "spazzato|l'ho spazzato|il cortile è spazzato|ho spazzato il cortile",
        "Annaffiare le piante": "annaffiate|le ho annaffiate|le piante sono annaffiate",
        "Portare fuori la spazzatura": "è fuori|la spazzatura è fuori|l'ho portata giù",
        "Chiudere la porta a chiave": "chiusa|è chiusa|l'ho chiusa a chiave|la porta è chiusa",
        "Chiamare la nonna": "ho parlato con lei|l'ho sentita|ho appena messo giù",
    },
}
"""By reminder: how people say that it is done."""
ASIDES = {
    "en": (
        "sorry for the delay, {}",
        "{}, sorry for the late reply",
        "{} as always",
        "finally {}",
        "{}, thanks 🌱",
        "{} 💪",
    ),
    "de": ("sorry für die späte Antwort, {}", "{}, wie immer", "{}, keine Sorge", "{}, danke 🌷", "{}, endlich"),
    "hr": ("oprosti što kasnim, {}", "{}, kao i uvijek", "napokon {}", "{}, hvala 🌷", "{}, bez brige"),
    "sr": ("izvini što kasnim, {}", "{}, kao i uvek", "konačno {}", "{}, hvala 🌷", "{}, ne brini"),
    "es": ("perdón por la tardanza, {}", "{}, como siempre", "por fin {}", "{}, gracias 🌷", "{}, sin problema"),
    "fr": ("désolé du retard, {}", "{}, comme d'habitude", "enfin, {}", "{}, merci 🌷", "{}, pas de souci"),
    "it": ("scusa il ritardo, {}", "{}, come sempre", "finalmente {}", "{}, grazie 🌷", "{}, nessun problema"),
}
UNDONE = {
    "en": (
        "not {}|should have {}|will be {}|I haven't {}|must be {}|half {}|nearly {}|soon {}|wish I {}|if only I {}"
        "|never {}|{} by mum|{} by nobody|needs to be {}|{}?|{} tomorrow|{} not|don't think {}|who {}|ask if {}"
        "|{} but not all"
    ),
    "de": (
        "nicht {}|muss noch {}|wird noch {}|fast {}|nie {}|{} von Mama|{}?|wäre {}|hätte {}|{} morgen|noch nicht {}"
        "|kaum {}|gleich {}|{} wird es später|wenn {}|dass {}|{} nur halb|hab nicht {}|{} haben wir gestern"
    ),
    "hr": (
        "nisam {}|nije {}|skoro {}|treba biti {}|{}?|nikad {}|bila bih {}|{} bih|{} sutra|još nije {}|ako {}"
        "|nemam {}|ne {}|bit će {}|{} samo pola|{} jučer|kad {}|neka {}"
    ),
    "es": (
        "no {}|aún no {}|casi {}|ahorita {}|nunca {}|{}?|debería estar {}|será {}|{} mañana|si {}|hay que {}|ojalá {}"
        "|{} a medias|{} ayer|todavía no {}|creo que {}|{} por nadie"
    ),
    "fr": (
        "pas {}|pas encore {}|presque {}|jamais {}|{}?|doit être {}|sera {}|{} demain|si {}|il faut que {}"
        "|{} à moitié|{} hier|à peine {}|je crois que {}|{} par personne|non {}"
    ),
    "it": (
        "non {}|non ancora {}|quasi {}|mai {}|{}?|deve essere {}|sarà {}|{} domani|se {}|bisogna {}|magari {}"
        "|{} a metà|{} ieri|credo che {}|{} da nessuno|andrebbe {}"
    ),
}
"""What makes of a claim none that the person did it, now and wholly."""
BY_OTHERS = {
    "en": "mum mopped it|the floor was mopped by mum|my husband mopped it|she has mopped it",
    "de": "Mama hat ihn gewischt|mein Mann hat den Boden gewischt|von Mama gewischt|sie hat gewischt",
    "hr": "mama je obojila|obojio je tata|muž je obojio ogradu|mama obojila",
    "sr": "mama je obojila|obojio je tata|muž je obojio ogradu|mama obojila",
    "es": "mamá lo barrió|lo ha barrido mamá|mi marido ha barrido el patio|barrido por mamá",
    "fr": "maman l'a balayée|mon mari a balayé la cour|balayée par maman|elle l'a balayée",
    "it": "mamma l'ha spazzato|l'ha spazzato papà|mio marito ha spazzato il cortile|spazzato da mamma",
}
"""Of the first reminder of each language."""


def read(lang: str, text: str, about: str) -> Reply:
    return classify_reply(text, lang, about=about, fired=FIRED, now=NOW, every=EVERY)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_reminders_own_deed_is_a_claim_with_what_people_add_to_it(lang: str) -> None:
    asked = []
    said = 0
    for about, claims in CLAIMS[lang].items():
        for claim, aside in product(claims.split("|"), ("{}", *ASIDES[lang])):
            said += 1
            text = aside.format(claim)
            asked += [] if read(lang, text, about).kind is ReplyKind.ACK else [text]
    assert len(asked) <= 0.05 * said, asked


@pytest.mark.parametrize("lang", LANGUAGES)
def test_no_such_claim_is_taken_that_is_denied_or_not_whole_or_another_persons(lang: str) -> None:
    parts = composer_of(lang)
    frames = UNDONE["hr" if lang == "sr" else lang].split("|")
    frames += [f"{each} {{}}" for each in parts.hedges] + [f"{{}} {each}" for each in parts.too_early]
    ended = []
    for about, claims in CLAIMS[lang].items():
        for claim, frame, aside in product(claims.split("|"), frames, ("{}", *ASIDES[lang][:2])):
            if frame == "si {}" and " " not in claim:
                continue  # yes, without its accent
            text = aside.format(frame.format(claim))
            ended += [(about, text)] if read(lang, text, about).kind is ReplyKind.ACK else []
    about = next(iter(CLAIMS[lang]))
    ended += [(about, text) for text in BY_OTHERS[lang].split("|") if read(lang, text, about).kind is ReplyKind.ACK]
    assert ended == []


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_deed_of_another_reminder_ends_none(lang: str) -> None:
    abouts = list(CLAIMS[lang])
    others = [matter.texts[0] for name, matter in COMPOSERS["hr" if lang == "sr" else lang].matters.items()]
    ended = []
    for about, claims in CLAIMS[lang].items():
        for other in [*abouts, *others]:
            if other != about and not _is_alike(about, other):
                said = (claim for claim in claims.split("|") if "abgeschlossen" not in claim)  # finished, too
                ended += [(other, text) for text in said if read(lang, text, other).kind is ReplyKind.ACK]
    assert ended == []


@pytest.mark.parametrize(
    ("lang", "order", "reasons", "others"),
    [
        (
            "en",
            "skip it",
            "class is cancelled|the bin men are on strike",
            "I'll do it at nine|not that one|in ten minutes",
        ),
        ("de", "überspringen", "der Kurs fällt aus|es regnet", "mach ich morgen|in 10 Minuten"),
        ("hr", "preskoči", "nema računa|pala kiša|susjed je popravio", "sutra|za 10 minuta"),
        ("sr", "прескочи", "нема рачуна|пала киша", "сутра|за 10 минута"),
        ("es", "sáltatelo", "ha llovido|el gato ya está bien", "mañana lo hago|en 10 minutos"),
        ("fr", "annule", "il est en panne|il a plu", "je le fais demain|dans 10 minutes"),
        ("it", "annulla", "ha piovuto|ha fatto tutto la nonna", "lo faccio domani|tra 10 minuti"),
    ],
)
def test_a_clear_order_drops_with_any_reason_and_not_with_another_time(
    lang: str, order: str, reasons: str, others: str
) -> None:
    about = next(iter(CLAIMS[lang]))
    for reason in reasons.split("|"):
        assert read(lang, f"{order}, {reason}", about).kind is ReplyKind.DISMISS, reason
        assert read(lang, reason, about).kind is not ReplyKind.DISMISS
    for other in others.split("|"):
        assert read(lang, f"{order}, {other}", about).kind not in (ReplyKind.DISMISS, ReplyKind.ACK), other


def test_a_claim_in_the_reminders_words_beside_an_order_to_drop_it_ends_nothing() -> None:
    reply = read("es", "cancélalo, el gato ya está bien", "Llevar al gato al veterinario")
    assert reply.kind is not ReplyKind.ACK


def _is_alike(about: str, other: str) -> bool:
    calls = ("call", "anruf", "nazov", "pozov", "llamar", "appel", "chiam")
    return all(any(each in text.casefold() for each in calls) for text in (about, other))
