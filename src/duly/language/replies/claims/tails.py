"""What stands beside a claim and takes nothing from it: with what and how it was done, and what came of it.

"Took it with toast", "paid by app", "called, the appointment is on Thursday". All its words are of closed lists: with
any other word a reply is asked, for that may say that it was not done ("called, nobody answered").
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from duly.language.atoms import AtomKind, WordRole
from duly.language.lexicon import kinds_of, roles_of
from duly.language.replies.claims.form import Matter
from duly.language.replies.claims.lexicon import ClaimLexicon, ClaimSubject, PhraseSet, Span
from duly.language.replies.tokens import ReplyToken

_WHEN = frozenset(
    {
        AtomKind.WEEKDAY,
        AtomKind.WEEKDAYS,
        AtomKind.RELATIVE_DAY,
        AtomKind.MONTH,
        AtomKind.PART,
        AtomKind.NEXT,
        AtomKind.THIS,
        AtomKind.OCLOCK,
        AtomKind.NUMBER,
        AtomKind.UNIT,
    }
)
_NO_DATE = WordRole.EXCEPT | WordRole.INSTEAD
_ARRANGED = frozenset({Matter.CALL, Matter.BOOK, Matter.VISIT})
"""Of these an appointment comes."""


_RETURNS = {
    "en": ("back home returned", "walk", "just now we were i im got came from the our a with him her have weve ive"),
    "de": (
        "zurück heim wieder daheim",
        "gassi spaziergang",
        "wir ich sind bin grad gerade eben vom von der dem nach hause",
    ),
    "hr": ("vratili vratio vratila", "šetnje", "smo sam se iz sa s upravo sad sada tek baš maloprije malopre"),
    "es": ("volver vuelto volvimos", "paseo", "acabamos acabo de del he hemos ya"),
    "fr": ("rentrer rentré rentrés revenir", "balade promenade", "on vient je viens de la nous venons juste"),
    "it": ("tornati tornato tornata rientrati", "passeggiata", "siamo sono appena dalla ora adesso"),
}
"""That one is back, from what, and the words around it: of a walk that says that it is done."""


_ALONE = PhraseSet.of("online karticom aplikacijom internetom mobitelom telefonom")
"""Ways that need no word before them."""


@dataclass(frozen=True, slots=True)
class Tails:
    """The closed lists of a language."""

    ways: PhraseSet
    """Begin a circumstance: "with", "over"."""
    goods: PhraseSet
    """With which, where or how something is done."""
    results: PhraseSet
    """Name what comes of a call."""
    between: PhraseSet
    """Stand around that: "they gave me"."""


_TAILS = {
    "en": (
        "with via by through over on in at from using",
        (
            "toast bread bread coffee tea water juice milk yoghurt yogurt food snack biscuit sandwich banana "
            "glass breakfast lunch dinner app phone laptop computer online bank banking card website portal email "
            "mail post counter office home work car pharmacy shop paypal transfer eye eyes ear ears nose both"
        ),
        "appointment slot date booking booked",
        "is its i ive have got gave given they them me my for on at next the an a set made it was now to",
    ),
    "de": (
        "mit beim zum per über am im in an von aus via bei",
        (
            "brot toast kaffee tee wasser saft milch joghurt essen keks banane glas schluck frühstück mittagessen "
            "abendessen app handy telefon laptop computer bank karte paypal überweisung online portal internet "
            "mail e-mail email post schalter büro arbeit auto apotheke hause auge augen ohr ohren nase beide beiden"
        ),
        "termin termine",
        ("ist hab habe ich einen den am um für bekommen gekriegt steht ausgemacht vereinbart der nun jetzt sie er"),
    ),
    "hr": (
        "s sa uz preko putem na u kod iz",
        (
            "kruh kruhom kruha hljeb hleb hlebom kavu kavom kava kafu kafom čaj čajem vodu vodom vode sok sokom "
            "mlijeko mlijekom mleko mlekom jogurt jogurtom jelo hranu hranom doručak doručkom ručak ručkom večeru "
            "večerom aplikacije aplikaciju aplikacijom mobitela mobitel mobitelom telefona telefon telefonom "
            "interneta internet internetom banke banku banci kartice kartica karticom pošti poštu pošte poštom "
            "šalteru kući kuće poslu ureda ljekarni apoteci keksom oba oka oči uho uha nos"
        ),
        ("termin termina zakazao zakazala zakazano dogovorio dogovorila dogovoreno naručio naručila naručen naručena"),
        "je sam imam dobio dobila dali su mi se za u na javio javila",
    ),
    "es": (
        "con por desde en a vía mediante",
        (
            "pan tostada café té agua zumo jugo leche yogur comida galleta fruta vaso desayuno almuerzo cena app "
            "aplicación móvil celular teléfono ordenador internet banco tarjeta transferencia web bizum correo "
            "email ventanilla oficina casa trabajo coche farmacia ojo ojos oído oídos nariz ambos"
        ),
        "cita hora turno",
        "es tengo me dieron han dado la el para una mi queda quedó con",
    ),
    "fr": (
        "avec par via sur depuis au à en dans chez",
        (
            "pain toast tartine café thé eau jus lait yaourt yogourt repas biscuit verre déjeuner dîner appli "
            "application app téléphone portable ordinateur internet ligne banque carte virement site poste mail "
            "email guichet bureau maison travail voiture pharmacie yeux oreille oreilles nez deux"
        ),
        "rdv rendez rendezvous",
        "j ai ils m ont donné est pour le un c vous pris j'ai",
    ),
    "it": (
        "con da dal dalla dall tramite via in al alla a per",
        (
            "pane toast caffè tè acqua succo latte yogurt cibo biscotto frutta bicchiere colazione pranzo cena "
            "app applicazione cellulare telefono computer internet banca carta bonifico sito posta mail email "
            "sportello ufficio casa lavoro macchina farmacia online occhi orecchie naso entrambi"
        ),
        "appuntamento",
        "è ho mi hanno dato per il lo un l fissato preso",
    ),
}


@cache
def tails_of(code: str) -> Tails:
    """Compile the closed lists of a language."""
    return Tails(*map(PhraseSet.of, _TAILS[code]))


@cache
def _return_words(code: str) -> tuple[PhraseSet, PhraseSet, PhraseSet]:
    back, outing, around = map(PhraseSet.of, _RETURNS[code])
    return back, outing, around


def says_back(code: str, words: Sequence[str], subject: ClaimSubject) -> bool:
    """Tell whether a reply says that one is back from the walk, and nothing else."""
    if Matter.WALK not in subject.matters:
        return False
    back, outing, around = _return_words(code)
    return (
        any(word in back for word in words)
        and any(word in outing for word in words)
        and all(word in back or word in outing or word in around for word in words)
    )


def tails_in(
    code: str, lexicon: ClaimLexicon, tokens: Sequence[ReplyToken], words: Sequence[str], subject: ClaimSubject
) -> list[Span]:
    """Find the stretches of a reply, behind its first word, that say with what it was done, or what came of it."""
    tails = tails_of(code)
    spans: list[Span] = []
    at = 1
    while at < len(words):
        end = _result(code, tails, tokens, words, at, lexicon) if subject.matters & _ARRANGED else at
        if end == at and words[at] in _ALONE:
            end = at + 1
        if end == at and words[at] in tails.ways:
            end = _circumstance(tails, lexicon, words, at, subject)
        if end > at:
            spans.append((at, end))
        at = max(end, at + 1)
    return spans


def _circumstance(tails: Tails, lexicon: ClaimLexicon, words: Sequence[str], at: int, subject: ClaimSubject) -> int:
    """Return where "with some toast" ends; the same place where nothing of the kind begins."""
    end = at + 1
    while end < len(words) and words[end] in lexicon.articles and words[end] not in tails.goods:
        end += 1
    first = end
    while end < len(words) and words[end] in tails.goods and not subject.names(words[end]):
        end += 1
        if end + 1 < len(words) and words[end] in lexicon.articles and words[end + 1] in tails.goods:
            end += 1  # a glass of water
    return end if end > first else at


def _result(
    code: str, tails: Tails, tokens: Sequence[ReplyToken], words: Sequence[str], at: int, lexicon: ClaimLexicon
) -> int:
    """Return the end of the reply where all behind a pause says what came of a call; else the same place."""
    rest = words[at:]
    if not tokens[at].pause or not any(word in tails.results for word in rest):
        return at
    known = all(
        word in tails.results or word in tails.between or word in lexicon.articles or _says_when(word, code)
        for word in rest
    )
    return len(words) if known else at


def _says_when(word: str, code: str) -> bool:
    if word[0].isdecimal() or kinds_of(word, code) & _WHEN:
        return True
    role = roles_of(word, code)
    return bool(role) and not role & _NO_DATE
