"""Composes replies of which it is known whether they claim that a reminder is done, in every language.

A reply is a claim with a deed, an object, a doer, a time and a hedge. It is honest only if all of them fit.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

FIRED = datetime(2026, 11, 16, 20, tzinfo=UTC)
NOW = FIRED + timedelta(minutes=20)
EVERY = timedelta(days=1)


class Matter(NamedTuple):
    """What a reminder is about, and how a person says that it is done."""

    texts: Sequence[str]
    things: Sequence[str]
    """How the reply may name it."""
    claims: Sequence[str]
    """With `{o}` for the object."""
    bare: Sequence[str]
    """Claims that name no object."""


@dataclass(frozen=True, kw_only=True)
class Composer:
    """The parts of replies of one language."""

    matters: Mapping[str, Matter]
    plain: Sequence[str]
    """Claims that fit every reminder."""
    others: Sequence[str]
    """Claims of a deed that is about none of the reminders."""
    by_others: Sequence[str]
    """Claims whose doer is another person."""
    people: Sequence[str]
    """People whom no reminder names, as the object of a claim."""
    fits: Sequence[str]
    """Times behind a claim that fit a reminder of 20:00, twenty minutes later."""
    too_early: Sequence[str]
    hedges: Sequence[str]
    """Words before a claim that make it none."""
    parts: Sequence[str]
    """Replies that claim a part, or an accident."""
    unwilling: Sequence[str]
    nothing: Sequence[str]
    """Replies that claim nothing."""
    polite: Sequence[str]


class Composed(NamedTuple):
    """A reply, the reminders that wait, and which of them it ends: None if none, or if it is not known which."""

    text: str
    waiting: Sequence[str]
    ends: int | None
    """The place of the reminder that may be acknowledged; -1: any, for it does not say which."""


COMPOSERS: Mapping[str, Composer] = {
    "en": Composer(
        matters={
            "pill": Matter(
                ["Take your pill", "Time for your medicine", "take ramipril 10"],
                ["my pill", "the pills", "my medicine", "my meds"],
                ["took {o}", "I took {o}", "just took {o}", "I've taken {o}", "{o} taken"],
                ["took it", "I took it", "swallowed it", "I've taken it", "just took it"],
            ),
            "vitamins": Matter(
                ["take vitamins", "vitamins"],
                ["my vitamins", "the vitamins"],
                ["took {o}", "I took {o}", "just took {o}", "{o} taken"],
                ["took them", "I've taken them"],
            ),
            "rent": Matter(
                ["pay the rent", "Pay rent to Mr Smith"],
                ["the rent", "rent"],
                ["paid {o}", "I paid {o}", "{o} paid"],
                ["paid it", "I've paid it", "paid"],
            ),
            "call": Matter(
                ["call the dentist", "phone the dentist about friday"],
                ["the dentist"],
                ["called {o}", "I called {o}", "phoned {o}"],
                ["called", "called them", "I phoned them"],
            ),
        },
        plain=["done", "all done", "I did it", "finished", "already done", "done it"],
        others=["I've eaten", "sent it", "washed it", "watered them", "signed it", "fed the cat", "took it off"],
        by_others=["mum took it", "my wife took it", "she paid it", "my husband did it", "the nurse took it"],
        people=["mum", "dad", "my sister", "my boss"],
        fits=["10 minutes ago", "just now", "at 20:10", "half an hour ago", "two hours ago"],
        too_early=["3 weeks ago", "2 days ago", "yesterday", "at 8", "this morning", "last week", "15 hours ago"],
        hedges=["I think", "maybe", "I hope", "probably", "almost", "I guess"],
        parts=["took half", "half of it", "took the wrong one", "took one of two", "I threw up", "took two by mistake"],
        unwilling=["I don't want to", "don't feel like it", "I won't", "doctor told me to stop", "can't be bothered"],
        nothing=["all good thanks and you", "I'm fine", "sounds good", "what is it?", "they're finished", "ok google"],
        polite=["", "", "thanks, ", "hey, ", "oh "],
    ),
    "de": Composer(
        matters={
            "pill": Matter(
                ["Tablette nehmen", "Zeit für deine Medizin", "Ramipril 10 nehmen"],
                ["die Tablette", "meine Tabletten", "die Medizin"],
                ["hab {o} genommen", "{o} genommen", "ich habe {o} genommen", "{o} schon genommen"],
                ["genommen", "hab sie genommen", "schon genommen", "eingenommen", "runtergeschluckt"],
            ),
            "vitamins": Matter(
                ["Vitamine nehmen", "Vitamine"],
                ["die Vitamine", "meine Vitamine"],
                ["hab {o} genommen", "{o} genommen"],
                ["genommen", "hab sie genommen"],
            ),
            "rent": Matter(
                ["Miete überweisen", "die Miete zahlen"],
                ["die Miete"],
                ["hab {o} überwiesen", "{o} bezahlt", "{o} ist bezahlt"],
                ["überwiesen", "bezahlt", "hab sie bezahlt"],
            ),
            "call": Matter(
                ["Zahnarzt anrufen", "beim Zahnarzt anrufen wegen Freitag"],
                ["den Zahnarzt", "beim Zahnarzt"],
                ["hab {o} angerufen", "{o} angerufen"],
                ["angerufen", "hab angerufen"],
            ),
        },
        plain=["erledigt", "gemacht", "fertig", "hab ich gemacht", "schon erledigt", "alles erledigt"],
        others=["gegessen", "abgeschickt", "gewaschen", "gegossen", "unterschrieben", "Katze gefüttert", "ausgezogen"],
        by_others=[
            "Mama hat sie genommen",
            "meine Frau hat es gemacht",
            "mein Mann hat bezahlt",
            "er hat angerufen",
            "hat Mama genommen",
        ],
        people=["Mama", "Papa", "meine Schwester", "meinen Chef"],
        fits=["vor 10 Minuten", "gerade eben", "vor einer halben Stunde", "vor 2 Stunden"],
        too_early=["vor 3 Wochen", "vor 2 Tagen", "gestern", "heute morgen", "um 8", "vor 15 Stunden", "letzte Woche"],
        hedges=["glaub ich", "vielleicht", "hoffentlich", "wahrscheinlich", "fast", "ich glaube"],
        parts=["halbe genommen", "die Hälfte", "die falsche genommen", "eine von zwei", "hab mich übergeben"],
        unwilling=["keine Lust", "ich will nicht", "kein Bock", "der Arzt hat gesagt ich soll aufhören", "mag nicht"],
        nothing=["alles gut und dir", "mir geht's gut", "klingt gut", "was ist das?", "sind alle", "ok google"],
        polite=["", "", "danke, ", "hey, ", "oh, "],
    ),
    "hr": Composer(
        matters={
            "pill": Matter(
                ["popij lijek", "Vrijeme je za tabletu", "popiti ramipril 10"],
                ["tabletu", "lijek", "svoju tabletu"],
                ["popila sam {o}", "popio sam {o}", "uzela sam {o}"],
                ["popila sam", "popio sam ga", "uzeo sam", "već sam popila"],
            ),
            "vitamins": Matter(
                ["popij vitamine", "vitamini"], ["vitamine"], ["popila sam {o}", "uzeo sam {o}"], ["popila sam ih"]
            ),
            "rent": Matter(
                ["plati stanarinu", "platiti stanarinu"],
                ["stanarinu"],
                ["platila sam {o}", "platio sam {o}"],
                ["platila sam", "plaćeno", "platio"],
            ),
            "call": Matter(
                ["nazovi zubara", "nazvati zubara zbog petka"],
                ["zubara"],
                ["nazvala sam {o}", "nazvao sam {o}"],
                ["nazvala sam", "nazvao sam ga"],
            ),
        },
        plain=["gotovo", "obavljeno", "jesam", "napravila sam", "sve gotovo", "već sam obavio"],
        others=["pojela sam", "poslala sam", "oprala sam", "zalila sam", "potpisao sam", "nahranila sam mačku"],
        by_others=[
            "mama je popila",
            "moja žena je platila",
            "muž je nazvao",
            "sestra je uzela",
            "moj muž je popio",
            "popila mama",
            "uzela sestra",
        ],
        people=["mamu", "tatu", "baka", "sestru"],
        fits=["prije 10 minuta", "upravo", "prije pola sata", "prije 2 sata"],
        too_early=["prije 3 tjedna", "prije 2 dana", "jučer", "jutros", "u 8", "sinoć", "prije 15 sati"],
        hedges=["mislim da", "možda", "valjda", "skoro", "nadam se da", "vjerojatno"],
        parts=["pola", "popila sam pola", "popila sam krivu", "jednu od dvije", "povratila sam"],
        unwilling=["neću", "ne da mi se", "ne želim", "doktor je rekao da prestanem", "nemam volje"],
        nothing=["dobro, a ti", "dobro sam", "zvuči dobro", "što je to?", "nema više", "ok google"],
        polite=["", "", "hvala, ", "hej, ", "evo, "],
    ),
    "es": Composer(
        matters={
            "pill": Matter(
                ["Toma tu pastilla", "Hora de tu medicina", "tomar ramipril 10"],
                ["la pastilla", "mi pastilla", "la medicina"],
                ["tomé {o}", "ya tomé {o}", "he tomado {o}", "me tomé {o}"],
                ["ya la tomé", "me la tomé", "la he tomado", "tomada"],
            ),
            "vitamins": Matter(
                ["toma las vitaminas", "vitaminas"],
                ["las vitaminas", "mis vitaminas"],
                ["tomé {o}", "ya tomé {o}", "me tomé {o}"],
                ["ya las tomé", "me las tomé"],
            ),
            "rent": Matter(
                ["pagar el alquiler", "paga el alquiler"],
                ["el alquiler"],
                ["pagué {o}", "he pagado {o}", "ya pagué {o}"],
                ["pagado", "ya lo pagué", "lo he pagado"],
            ),
            "call": Matter(
                ["llamar al dentista", "llama al dentista por lo del viernes"],
                ["al dentista"],
                ["llamé {o}", "he llamado {o}", "ya llamé {o}"],
                ["ya llamé", "lo llamé", "llamado"],
            ),
        },
        plain=["hecho", "listo", "ya está", "ya lo hice", "terminado", "ya está hecho"],
        others=["ya comí", "lo envié", "lo lavé", "las regué", "lo firmé", "ya le di de comer al gato"],
        by_others=[
            "mi mujer la tomó",
            "mamá la tomó",
            "mi marido lo hizo",
            "ella lo pagó",
            "la enfermera la tomó",
            "la tomó mamá",
        ],
        people=["a mamá", "a papá", "a mi hermana"],
        fits=["hace 10 minutos", "ahora mismo", "hace media hora", "hace 2 horas"],
        too_early=["hace 3 semanas", "hace 2 días", "ayer", "esta mañana", "a las 8", "hace 15 horas", "anoche"],
        hedges=["creo que", "quizás", "espero que", "casi", "supongo que", "tal vez"],
        parts=["la mitad", "media pastilla", "tomé la equivocada", "una de dos", "la vomité"],
        unwilling=["no quiero", "no tengo ganas", "no me apetece", "el médico me dijo que la deje", "me niego"],
        nothing=["bien y tú", "estoy bien", "suena bien", "¿qué es?", "se acabaron", "ok google"],
        polite=["", "", "gracias, ", "hola, ", "uf, "],
    ),
    "fr": Composer(
        matters={
            "pill": Matter(
                ["Prends ton cachet", "C'est l'heure de ton médicament", "prendre ramipril 10"],
                ["mon cachet", "le médicament", "mon médicament"],
                ["j'ai pris {o}", "{o} pris", "j'ai déjà pris {o}"],
                ["pris", "je l'ai pris", "c'est pris", "je l'ai déjà pris", "avalé"],
            ),
            "vitamins": Matter(
                ["prends tes vitamines", "vitamines"],
                ["mes vitamines", "les vitamines"],
                ["j'ai pris {o}", "j'ai déjà pris {o}"],
                ["je les ai prises", "prises"],
            ),
            "rent": Matter(
                ["payer le loyer", "paie le loyer"],
                ["le loyer"],
                ["j'ai payé {o}", "{o} payé", "j'ai réglé {o}"],
                ["payé", "c'est payé", "je l'ai payé"],
            ),
            "call": Matter(
                ["appeler le dentiste", "appelle le dentiste pour vendredi"],
                ["le dentiste"],
                ["j'ai appelé {o}", "j'ai déjà appelé {o}"],
                ["je l'ai appelé", "appelé", "j'ai appelé"],
            ),
        },
        plain=["fait", "c'est fait", "terminé", "je l'ai fait", "déjà fait", "tout est fait"],
        others=["j'ai mangé", "je l'ai envoyé", "je l'ai lavé", "je les ai arrosées", "je l'ai signé", "enlevé"],
        by_others=[
            "maman l'a pris",
            "ma femme l'a pris",
            "mon mari l'a fait",
            "elle l'a payé",
            "l'infirmière l'a pris",
            "pris par maman",
        ],
        people=["papa", "maman", "ma sœur", "mon frère"],
        fits=["il y a 10 minutes", "à l'instant", "il y a une demi-heure", "il y a 2 heures"],
        too_early=["il y a 3 semaines", "il y a 2 jours", "hier", "ce matin", "à 8h", "il y a 15 heures", "hier soir"],
        hedges=["je crois que", "peut-être que", "j'espère que", "presque", "je pense que", "sans doute"],
        parts=["la moitié", "j'en ai pris la moitié", "j'ai pris le mauvais", "un sur deux", "j'ai vomi"],
        unwilling=["j'ai pas envie", "je veux pas", "la flemme", "le médecin m'a dit d'arrêter", "oublie"],
        nothing=["bien et toi", "je vais bien", "ça me va, et toi", "c'est quoi ?", "elles sont finies", "ok google"],
        polite=["", "", "merci, ", "salut, ", "ah, "],
    ),
    "it": Composer(
        matters={
            "pill": Matter(
                ["Prendi la pillola", "È ora della medicina", "prendere ramipril 10"],
                ["la pillola", "la medicina", "la mia medicina"],
                ["ho preso {o}", "ho già preso {o}", "{o} presa"],
                ["presa", "l'ho presa", "già presa", "l'ho già presa", "ingoiata"],
            ),
            "vitamins": Matter(
                ["prendi le vitamine", "vitamine"],
                ["le vitamine", "le mie vitamine"],
                ["ho preso {o}", "ho già preso {o}"],
                ["prese", "le ho prese"],
            ),
            "rent": Matter(
                ["pagare l'affitto", "paga l'affitto"],
                ["l'affitto"],
                ["ho pagato {o}", "{o} pagato", "ho già pagato {o}"],
                ["pagato", "l'ho pagato"],
            ),
            "call": Matter(
                ["chiamare il dentista", "chiama il dentista per venerdì"],
                ["il dentista"],
                ["ho chiamato {o}", "ho già chiamato {o}"],
                ["chiamato", "l'ho chiamato"],
            ),
        },
        plain=["fatto", "finito", "già fatto", "l'ho fatto", "tutto fatto", "è fatto"],
        others=["ho mangiato", "l'ho inviato", "l'ho lavato", "le ho annaffiate", "l'ho firmato", "tolto"],
        by_others=[
            "mamma l'ha presa",
            "mia moglie l'ha presa",
            "mio marito l'ha fatto",
            "lei ha pagato",
            "lui l'ha presa",
            "l'ha presa mamma",
            "ha pagato papà",
        ],
        people=["papà", "mamma", "mia sorella", "mio fratello"],
        fits=["10 minuti fa", "proprio ora", "mezz'ora fa", "2 ore fa"],
        too_early=["3 settimane fa", "2 giorni fa", "ieri", "stamattina", "alle 8", "15 ore fa", "ieri sera"],
        hedges=["credo che", "forse", "spero che", "quasi", "penso che", "probabilmente"],
        parts=["metà", "ne ho presa metà", "ho preso quella sbagliata", "una su due", "l'ho vomitata"],
        unwilling=["non mi va", "non voglio", "non ho voglia", "il medico mi ha detto di smettere", "mi rifiuto"],
        nothing=["bene e tu", "sto bene", "suona bene", "cos'è?", "sono finite", "ok google"],
        polite=["", "", "grazie, ", "ciao, ", "oh, "],
    ),
}
_SERBIAN = {"tjedna": "nedelje", "jučer": "juče", "vjerojatno": "verovatno", "što": "šta", "lijek": "lek"}


def _serbian(text: str) -> str:
    for croatian, serbian in _SERBIAN.items():
        text = text.replace(croatian, serbian)
    return text.replace("Vrijeme", "Vreme").replace("prije", "pre").replace("dvije", "dve").replace("željim", "želim")


def composer_of(lang: str) -> Composer:
    """Give the parts of a language; those of Serbian are the Croatian ones in Serbian words."""
    if lang != "sr":
        return COMPOSERS[lang]
    given = COMPOSERS["hr"]

    def all_of(texts: Sequence[str]) -> list[str]:
        return [_serbian(text) for text in texts]

    matters = {name: Matter(*(all_of(part) for part in matter)) for name, matter in given.matters.items()}
    lists = {
        name: all_of(getattr(given, name))
        for name in (
            "plain",
            "others",
            "by_others",
            "people",
            "fits",
            "too_early",
            "hedges",
            "parts",
            "unwilling",
            "nothing",
            "polite",
        )
    }
    return Composer(matters=matters, **lists)


def _typed(text: str, chance: random.Random) -> str:
    """Type a text as people do: without capitals, with a mark or a sign behind it."""
    if chance.random() < 0.4:
        text = text.lower()
    elif chance.random() < 0.1:
        text = text.upper()
    return text + chance.choice(["", "", "", ".", "!", " 👍", " 🙂"])


def composed(lang: str, chance: random.Random) -> Composed:
    """Compose a reply to one to three reminders that wait."""
    parts = composer_of(lang)
    names = chance.sample(sorted(parts.matters), chance.choice([1, 1, 2, 3]))
    waiting = [chance.choice(parts.matters[name].texts) for name in names]
    meant = chance.choice(sorted(parts.matters))
    matter = parts.matters[meant]
    kind = chance.choice(
        ["object", "object", "bare", "bare", "plain", "other", "doer", "person", "part", "unwilling", "nothing"]
    )
    polite = chance.choice(parts.polite)
    ends: int | None
    if kind in ("other", "doer", "part", "unwilling", "nothing"):
        found = {
            "other": parts.others,
            "doer": parts.by_others,
            "part": parts.parts,
            "unwilling": parts.unwilling,
            "nothing": parts.nothing,
        }[kind]
        said = chance.choice(found)
        if kind == "other" and chance.random() < 0.3:
            said = f"{said} {chance.choice(parts.fits)}"
        polite = "" if kind == "doer" else polite  # "oh, mum took it" and "oh mum, took it" differ by a pause
        return Composed(_typed(polite + said, chance), waiting, None)
    if kind == "person":
        said = chance.choice(parts.matters["call"].claims).format(o=chance.choice(parts.people))
        return Composed(_typed(polite + said, chance), waiting, None)
    if kind == "plain":
        said, ends = chance.choice(parts.plain), -1
    elif kind == "bare":
        said, ends = chance.choice(matter.bare), -1
        same_deed = {"pill", "vitamins"} if meant in ("pill", "vitamins") else {meant}
        ends = -1 if same_deed & set(names) else None
    else:
        said = chance.choice(matter.claims).format(o=chance.choice(matter.things))
        ends = names.index(meant) if meant in names else None
    how = chance.choice(["", "", "", "fits", "too early", "hedged"])
    if how == "fits":
        said = f"{said} {chance.choice(parts.fits)}"
    elif how == "too early":
        said, ends = f"{said} {chance.choice(parts.too_early)}", None
    elif how == "hedged":
        said, ends = f"{chance.choice(parts.hedges)} {said}", None
    return Composed(_typed(polite + said, chance), waiting, ends)
