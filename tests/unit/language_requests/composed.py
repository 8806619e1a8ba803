"""Sentences that are composed, so that it is known what they say: frame × time × text, in every usual order and typing.

The texts hold what has been read as a time: doses, lengths, names with numbers, clocks in quotes, words of time inside
noun phrases. `composed` makes the sentences of a language from a seed.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from duly.language.requests import Doubt, Sentence, read_sentence
from duly.language.requests.tokens import Words
from duly.language.text import fold
from tests.unit.language_requests.reading import NOW, ZONE

Meaning = dict[str, Any]
NO_ACCENTS = str.maketrans(
    {"č": "c", "ć": "c", "š": "s", "ž": "z", "é": "e", "è": "e", "à": "a", "ê": "e", "ñ": "n", "í": "i", "ó": "o"}
    | {"á": "a", "ú": "u", "ì": "i", "ò": "o", "ù": "u", "ç": "c"}
)

MEANINGS: dict[str, Meaning] = {
    "tomorrow 9": {"kind": "at", "at": "2026-11-19T09:00:00+01:00"},
    "in 20 min": {"kind": "at", "at": "2026-11-18T10:40:00+01:00"},
    "friday 14:30": {"kind": "at", "at": "2026-11-20T14:30:00+01:00"},
    "daily 8": {"kind": "daily", "times": ["08:00"]},
    "daily 8 20": {"kind": "daily", "times": ["08:00", "20:00"]},
    "every 2 h": {"kind": "every", "seconds": 7200},
    "weekdays 7:30": {"kind": "weekly", "days": ["mon", "tue", "wed", "thu", "fri"], "times": ["07:30"]},
    "mornings": {"kind": "daily", "times": ["09:00"]},
    "evenings": {"kind": "daily", "times": ["19:00"]},
    "10 days": {"kind": "daily", "times": ["08:00"], "ends": "2026-11-28T23:59:59+01:00"},
    "every 8 h 6": {"kind": "daily", "times": ["06:00", "14:00", "22:00"]},
    "every 12 h 8": {"kind": "daily", "times": ["08:00", "20:00"]},
    "but sundays": {
        "kind": "smart",
        "rules": [
            {"days": ["mon", "tue", "wed", "thu", "fri", "sat"], "times": ["08:00"]},
            {"days": ["sun"], "times": ["10:00"]},
        ],
    },
}


@dataclass(frozen=True)
class Material:
    """What sentences of a language are composed of."""

    times: dict[str, str]
    """In one stretch."""
    split: dict[str, tuple[str, str]]
    """In two stretches, with the text between them."""
    frames: tuple[str, ...]
    """`{time}` and `{text}`; `{a}` and `{b}` for two stretches."""
    split_frames: tuple[str, ...]
    texts: tuple[str, ...]
    polite: tuple[str, ...]


class Composed(NamedTuple):
    """A sentence and what it says."""

    lang: str
    written: str
    text: str
    meaning: Meaning


MATERIAL: dict[str, Material] = {
    "en": Material(
        times={
            "tomorrow 9": "tomorrow at 9",
            "in 20 min": "in 20 minutes",
            "friday 14:30": "on friday at 14:30",
            "daily 8": "every day at 8",
            "daily 8 20": "every day at 8 and at 20",
            "every 2 h": "every 2 hours",
            "weekdays 7:30": "every weekday at 7:30",
            "mornings": "every morning",
            "evenings": "every evening",
            "10 days": "every day at 8 for 10 days",
            "every 8 h 6": "every 8 hours starting at 6am",
        },
        split={
            "tomorrow 9": ("tomorrow", "at 9"),
            "daily 8": ("every day", "at 8"),
            "10 days": ("every day at 8", "for 10 days"),
            "every 12 h 8": ("every 12 hours", "at 8"),
            "every 8 h 6": ("every 8 hours", "starting at 6am"),
            "but sundays": ("every day at 8", "but on sundays at 10"),
        },
        frames=(
            "remind me {time} to {text}",
            "remind me to {text} {time}",
            "{time} remind me to {text}",
            "{text} {time}",
            "{time} {text}",
            "remind me {time}: {text}",
            "can you remind me to {text} {time}",
            "don't let me forget to {text} {time}",
        ),
        split_frames=("remind me {a} to {text} {b}", "{a} {text} {b}", "remind me {a} to {text}, {b}"),
        texts=(
            "take ramipril 10",
            "take 2 pills",
            "30 drops of vitamin D",
            "take 400 mg ibuprofen",
            "take 1 pill and drink 2 glasses of water",
            "take half a tablet",
            "walk 10 minutes",
            "charge for 10 minutes",
            "stretch 20 min",
            "call Bob about U2",
            "take bus 8 home",
            "read chapter 5",
            'say "see you at 9"',
            "prepare the Monday report",
            "prepare tomorrow's meeting",
            "buy sun cream",
            "go to the 24 hour pharmacy",
            "take my pill after dinner",
            "check the daily figures",
            "water the plants",
            "buy 3 apples and 2 lemons",
            "pay invoice 20 to Sam",
            "pay 100 euros",
            "5 mg warfarin",
            "one tablet of ramipril",
            "test the smoke alarm",
            "send the payment reminder",
            "tell Bob to remind me",
            "say thanks",
            "tell my sister thank you",
        ),
        polite=(" please", " thanks", "", "", ".", "!", " 🙏"),
    ),
    "de": Material(
        times={
            "tomorrow 9": "morgen um 9 Uhr",
            "in 20 min": "in 20 Minuten",
            "friday 14:30": "am Freitag um 14:30",
            "daily 8": "jeden Tag um 8 Uhr",
            "daily 8 20": "jeden Tag um 8 und um 20 Uhr",
            "every 2 h": "alle 2 Stunden",
            "weekdays 7:30": "werktags um 7:30",
            "mornings": "jeden Morgen",
            "evenings": "jeden Abend",
            "10 days": "10 Tage lang jeden Tag um 8",
            "every 8 h 6": "alle 8 Stunden ab 6 Uhr",
        },
        split={
            "tomorrow 9": ("morgen", "um 9"),
            "daily 8": ("jeden Tag", "um 8"),
            "10 days": ("jeden Tag um 8", "10 Tage lang"),
            "every 12 h 8": ("alle 12 Stunden", "um 8"),
            "but sundays": ("jeden Tag um 8", "aber sonntags um 10"),
        },
        frames=(
            "erinner mich {time} an {text}",
            "erinnere mich {time} daran: {text}",
            "kannst du mich {time} an {text} erinnern",
            "{time} {text}",
            "{text} {time}",
        ),
        split_frames=("{a} {text} {b}", "erinner mich {a} an {text} {b}"),
        texts=(
            "Ramipril 10",
            "2 Tabletten",
            "20 Tropfen nehmen",
            "400 mg Ibuprofen",
            "10 Minuten laufen",
            "Bus 8 nehmen",
            "Kapitel 5 lesen",
            "Abendkurs",
            "Montagsbericht",
            "Sonnencreme kaufen",
            "Zahnarzt",
            "Blumen gießen",
            "„bis um 9“ sagen",
            "3 Äpfel und 2 Zitronen",
            "halbe Tablette",
            "5 mg Warfarin",
            "neuer Wecker",
            "Rechnung und Erinnerung",
        ),
        polite=(" bitte", "", "", ".", "!", " 🙏"),
    ),
    "hr": Material(
        times={
            "tomorrow 9": "sutra u 9",
            "in 20 min": "za 20 minuta",
            "friday 14:30": "u petak u 14:30",
            "daily 8": "svaki dan u 8",
            "daily 8 20": "svaki dan u 8 i u 20",
            "every 2 h": "svaka 2 sata",
            "weekdays 7:30": "radnim danom u 7:30",
            "mornings": "svako jutro",
            "evenings": "svaku večer",
            "10 days": "svaki dan u 8 tijekom 10 dana",
            "every 8 h 6": "svakih 8 sati počevši od 6h",
        },
        split={
            "tomorrow 9": ("sutra", "u 9"),
            "daily 8": ("svaki dan", "u 8"),
            "10 days": ("svaki dan u 8", "10 dana"),
            "every 12 h 8": ("svakih 12 sati", "u 8"),
            "but sundays": ("svaki dan u 8", "ali nedjeljom u 10"),
        },
        frames=(
            "podsjeti me {time} da {text}",
            "podsjeti me da {text} {time}",
            "{time} podsjeti me da {text}",
            "{text} {time}",
            "{time} {text}",
            "podsjeti me {time}: {text}",
        ),
        split_frames=("podsjeti me {a} da {text} {b}", "{a} {text} {b}"),
        texts=(
            "popijem ramipril 10",
            "uzmem 2 tablete",
            "popijem 20 kapi",
            "popijem 400 mg ibuprofena",
            "šetam 10 minuta",
            "čitam poglavlje 5",
            "nazovem zubara",
            "kupim kremu za sunce",
            "kupim 3 jabuke i 2 limuna",
            "popijem pola tablete",
            'kažem "vidimo se u 9"',
            "zalijem cvijeće",
            "pripremim sutrašnji sastanak",
            "popijem lijek poslije večere",
            "popijem jednu tabletu",
            "pošaljem podsjetnik",
        ),
        polite=(" molim te", "", "", ".", "!", " 🙏"),
    ),
    "sr": Material(
        times={
            "tomorrow 9": "sutra u 9",
            "in 20 min": "za 20 minuta",
            "friday 14:30": "u petak u 14:30",
            "daily 8": "svaki dan u 8",
            "every 2 h": "svaka 2 sata",
            "weekdays 7:30": "radnim danom u 7:30",
            "mornings": "svako jutro",
            "evenings": "svako veče",
        },
        split={
            "tomorrow 9": ("sutra", "u 9"),
            "daily 8": ("svaki dan", "u 8"),
            "10 days": ("svaki dan u 8", "10 dana"),
            "but sundays": ("svaki dan u 8", "ali nedeljom u 10"),
        },
        frames=(
            "podseti me {time} da {text}",
            "podseti me da {text} {time}",
            "{time} podseti me da {text}",
            "{text} {time}",
            "{time} {text}",
        ),
        split_frames=("podseti me {a} da {text} {b}", "{a} {text} {b}"),
        texts=(
            "popijem ramipril 10",
            "uzmem 2 tablete",
            "popijem 20 kapi",
            "šetam 10 minuta",
            "pročitam poglavlje 5",
            "pozovem zubara",
            "kupim kremu za sunce",
            "popijem pola tablete",
            "popijem lek posle večere",
            "zalijem cveće",
            "popijem jednu tabletu",
            "pošaljem podsetnik",
        ),
        polite=(" molim te", "", "", ".", "!", " hvala"),
    ),
    "es": Material(
        times={
            "tomorrow 9": "mañana a las 9",
            "in 20 min": "en 20 minutos",
            "friday 14:30": "el viernes a las 14:30",
            "daily 8": "todos los días a las 8",
            "daily 8 20": "todos los días a las 8 y a las 20",
            "every 2 h": "cada 2 horas",
            "weekdays 7:30": "entre semana a las 7:30",
            "10 days": "todos los días a las 8 durante 10 días",
            "every 8 h 6": "cada 8 horas a partir de las 6",
        },
        split={
            "tomorrow 9": ("mañana", "a las 9"),
            "daily 8": ("todos los días", "a las 8"),
            "10 days": ("todos los días a las 8", "durante 10 días"),
            "every 12 h 8": ("cada 12 horas", "a las 8"),
            "but sundays": ("todos los días a las 8", "pero los domingos a las 10"),
        },
        frames=(
            "recuérdame {time} {text}",
            "recuérdame {text} {time}",
            "{time} recuérdame {text}",
            "{text} {time}",
            "{time} {text}",
        ),
        split_frames=("recuérdame {a} {text} {b}", "{a} {text} {b}"),
        texts=(
            "tomar ramipril 10",
            "tomar 2 pastillas",
            "tomar 20 gotas",
            "tomar 400 mg de ibuprofeno",
            "caminar 10 minutos",
            "leer el capítulo 5",
            "llamar al dentista",
            "comprar crema de sol",
            "tomar media pastilla",
            "tomar la pastilla después de cenar",
            "comprar 3 manzanas y 2 limones",
            "preparar la reunión del lunes",
            "un comprimido de ramipril",
            "enviar el recordatorio",
        ),
        polite=(" por favor", "", "", ".", "!", " gracias"),
    ),
    "fr": Material(
        times={
            "tomorrow 9": "demain à 9h",
            "in 20 min": "dans 20 minutes",
            "friday 14:30": "vendredi à 14h30",
            "daily 8": "tous les jours à 8h",
            "daily 8 20": "tous les jours à 8h et à 20h",
            "every 2 h": "toutes les 2 heures",
            "weekdays 7:30": "en semaine à 7h30",
            "mornings": "tous les matins",
            "evenings": "tous les soirs",
            "10 days": "tous les jours à 8h pendant 10 jours",
            "every 8 h 6": "toutes les 8 heures à partir de 6h",
        },
        split={
            "tomorrow 9": ("demain", "à 9h"),
            "daily 8": ("tous les jours", "à 8h"),
            "10 days": ("tous les jours à 8h", "pendant 10 jours"),
            "every 12 h 8": ("toutes les 12h", "à 8h"),
            "but sundays": ("tous les jours à 8h", "mais le dimanche à 10h"),
        },
        frames=(
            "rappelle-moi {time} de {text}",
            "rappelle-moi de {text} {time}",
            "{time} rappelle-moi de {text}",
            "{text} {time}",
            "{time} {text}",
        ),
        split_frames=("rappelle-moi {a} de {text} {b}", "{a} {text} {b}"),
        texts=(
            "prendre ramipril 10",
            "prendre 2 comprimés",
            "prendre 20 gouttes",
            "prendre 400 mg de paracétamol",
            "marcher 10 minutes",
            "lire le chapitre 5",
            "payer le loyer",
            "chercher des fleurs",
            "préparer la réunion de lundi",
            "prendre mon médicament après le repas",
            "prendre un demi comprimé",
            "chercher 3 pommes et 2 citrons",
            "mettre de la crème solaire",
            "un demi comprimé de ramipril",
            "une tasse de thé",
            "envoyer un rappel",
        ),
        polite=(" stp", "", "", ".", "!", " merci"),
    ),
    "it": Material(
        times={
            "tomorrow 9": "domani alle 9",
            "in 20 min": "tra 20 minuti",
            "friday 14:30": "venerdì alle 14:30",
            "daily 8": "ogni giorno alle 8",
            "daily 8 20": "ogni giorno alle 8 e alle 20",
            "every 2 h": "ogni 2 ore",
            "weekdays 7:30": "nei giorni feriali alle 7:30",
            "mornings": "ogni mattina",
            "evenings": "ogni sera",
            "10 days": "ogni giorno alle 8 per 10 giorni",
            "every 8 h 6": "ogni 8 ore a partire dalle 6",
        },
        split={
            "tomorrow 9": ("domani", "alle 9"),
            "daily 8": ("ogni giorno", "alle 8"),
            "10 days": ("ogni giorno alle 8", "per 10 giorni"),
            "every 12 h 8": ("ogni 12 ore", "alle 8"),
            "but sundays": ("ogni giorno alle 8", "ma la domenica alle 10"),
        },
        frames=(
            "ricordami {time} di {text}",
            "ricordami di {text} {time}",
            "{time} ricordami di {text}",
            "{text} {time}",
            "{time} {text}",
        ),
        split_frames=("ricordami {a} di {text} {b}", "{a} {text} {b}"),
        texts=(
            "prendere ramipril 10",
            "prendere 2 pillole",
            "prendere 20 gocce",
            "prendere 400 mg di ibuprofene",
            "camminare 10 minuti",
            "leggere il capitolo 5",
            "andare dal meccanico",
            "comprare la crema solare",
            "prendere mezza pastiglia",
            "prendere la pillola dopo cena",
            "comprare 3 mele e 2 limoni",
            "preparare la riunione di lunedì",
            "una compressa di ramipril",
            "inviare il promemoria",
            "dire grazie",
        ),
        polite=(" per favore", "", "", ".", "!", " grazie"),
    ),
}


def composed(lang: str, seed: int, count: int) -> Iterator[Composed]:
    """Compose sentences of a language."""
    chance = random.Random(f"{lang} {seed}")
    material = MATERIAL[lang]
    for _ in range(count):
        yield _one(lang, material, chance)


def _one(lang: str, material: Material, chance: random.Random) -> Composed:
    text = chance.choice(material.texts)
    if chance.random() < 0.4:
        key = chance.choice(list(material.split))
        first, last = material.split[key]
        written = chance.choice(material.split_frames).format(a=first, b=last, text=text)
    else:
        key = chance.choice(list(material.times))
        written = chance.choice(material.frames).format(time=material.times[key], text=text)
    written += chance.choice(material.polite)
    typing = chance.choice(["as is", "as is", "lower", "plain", "upper first"])
    if typing == "lower":
        written = written.lower()
    elif typing == "plain":
        written = written.translate(NO_ACCENTS)
    elif typing == "upper first":
        written = written[:1].upper() + written[1:]
    return Composed(lang, written, text, MEANINGS[key])


def judge(said: Composed) -> str:
    """Read a sentence: "read" as composed, "asked", or what was read instead."""
    found = read_sentence(said.written, now=NOW, zone=ZONE, prefer=said.lang)
    return verdict(said, found)


def verdict(said: Composed, found: Sentence | Doubt | None) -> str:
    """Compare what was read with what was composed."""
    if not isinstance(found, Sentence):
        return "asked"
    same = _folded(found.text) == _folded(said.text)
    if same and found.phrase.canonical() == said.meaning:
        return "read"
    return f"{found.phrase.canonical()} {found.text!r}"


def _folded(text: str) -> list[str]:
    return [fold(word) for word in Words.of(text).folded]


PLAIN_TEXTS: dict[str, tuple[str, ...]] = {
    "en": ("call mom", "water the plants", "feed the cat", "pay the rent"),
    "de": ("Mama anrufen", "Blumen gießen", "Katze füttern", "Miete zahlen", "Zahnarzt", "Fenster putzen"),
    "hr": ("nazovem mamu", "zalijem cvijeće", "nahranim mačku", "platim stanarinu"),
    "sr": ("pozovem mamu", "zalijem cveće", "nahranim mačku", "platim kiriju", "operem kosu", "kupim hleb"),
    "es": ("llamar a mamá", "regar las plantas", "dar de comer al gato", "pagar la renta", "comprar pan"),
    "fr": ("appeler maman", "arroser les plantes", "nourrir le chat", "payer la facture"),
    "it": ("chiamare mamma", "annaffiare le piante", "portare fuori il cane", "pagare la bolletta"),
}
"""Without a word or a number that could be one of time."""

MUST_ASK: dict[str, tuple[str, ...]] = {
    "en": (
        "drops every 4 hours until the bottle is empty",
        "call mom tomorrow and in the evening",
        "yoga twice a week on tuesday at 18",
        "take 1 pill at 8 and 2 pills at 20 every day",
        "remind me every day at 8 to call mom at 20",
        "every day at 8 call mom at 20",
        "every day at 8 30 minutes walk",
        "my pill in the morning and in the evening",
        "take pill every day 3 times",
        "take the pill 3 times a day",
        "go running twice a week",
        "antibiotics 10 days at 8",
        "antibiotics for ten days at 8",
        "remind me every day at 8 to take the pill until the pack is empty",
        "remind me 2 hours after lunch to take the pill",
        "remind me every day at 8 to take the pill 2 hours after lunch",
        "remind me every day at 8 to take the pill but not on holidays",
        "remind me at 8 to take the pill in the evening",
        "remind me tomorrow at 9 to take the pill every evening",
        "every day 5 pushups",
        "30 minutes after the meal take gaviscon",
        "remind me tuesday wednesday to call the bank",
        "in the night from friday to saturday at 2 move the trail camera",
        "on sundays at 12 call aunt Jo until easter",
        "an hour after lunch check my sugar",
        "in 10 minutes in half an hour get up",
        "in 20 minutes in an hour call mom",
    ),
    "de": (
        "Tropfen alle 4 Stunden bis die Flasche leer ist",
        "morgen und übermorgen um 8 Tropfen",
        "täglich um 8 eine Tablette und um 20 Uhr zwei Tabletten nehmen",
        "Tablette täglich dreimal",
        "zweimal die Woche laufen gehen",
        "erinner mich jeden Tag um 8 an die Tablette bis die Packung leer ist",
        "erinner mich 2 Stunden nach dem Essen an die Tablette",
        "jeden Tag um 8 Tablette nehmen aber nicht an Feiertagen",
        "jeden Tag 5 Kniebeugen",
        "alle 2 Stunden 10 Minuten laufen",
        "nimm 2 morgens",
        "3x täglich 20 Tropfen",
        "eine Stunde nach dem Essen Blutzucker messen",
        "Dienstag Mittwoch die Bank anrufen",
        "bis Ostern sonntags um 12 Tante Jo anrufen",
        "jeden Tag um 18 Uhr Pflanzen gießen, 10 Mal",
        "in 10 Minuten in einer halben Stunde aufstehen",
        "jeden Montag um 10 nur einmal Müll",
    ),
    "hr": (
        "podsjeti me svaki dan u 8 da popijem tabletu u 20",
        "popij lijek 3 puta dnevno",
        "podsjeti me svaki dan u 8 da popijem lijek dok ne popijem sve",
        "trčanje dva puta tjedno",
        "radnim danom u 9, a petkom u 8 otvoriti dućan",
        "pola sata nakon jela popij gaviscon",
        "nedjeljom u podne zvati tetu do Uskrsa",
        "za 10 minuta za pola sata ustani",
    ),
    "sr": (
        "podseti me svaki dan u 8 da popijem tabletu u 20",
        "popij lek 3 puta dnevno",
        "podseti me svaki dan u 8 da popijem lek dok ne popijem sve",
        "радним данима у 9, а петком у 8 отвори радњу",
        "за 10 минута за пола сата устани",
        "sat vremena posle ručka izmeri šećer",
    ),
    "es": (
        "pastilla mañana y noche",
        "gotas cada 4 horas hasta que se acabe el frasco",
        "recuérdame todos los días a las 8 tomar la pastilla a las 20",
        "tomar la pastilla 3 veces al día",
        "tomar la pastilla 2 veces por semana",
        "recuérdame todos los días a las 8 tomar la pastilla hasta que se acabe la caja",
        "los miércoles a las 17 llevar a Lucía a natación menos en vacaciones",
        "media hora después de comer tomar la pastilla",
    ),
    "fr": (
        "le comprimé demain et le soir",
        "rappelle-moi tous les jours à 8h de prendre le comprimé à 20h",
        "prendre le médicament chaque jour 3 fois",
        "prendre le médicament 3 fois par jour",
        "rappelle-moi tous les jours à 8h de prendre le comprimé jusqu'à ce que la boîte soit vide",
        "30 minutes après le repas prendre le gaviscon",
    ),
    "it": (
        "gocce ogni 4 ore finché il flacone non è vuoto",
        "pillola domani e la sera",
        "ricordami ogni giorno alle 8 di prendere la pillola alle 20",
        "prendere la pillola 3 volte al giorno",
        "prendere la pillola due volte a settimana",
        "ricordami ogni giorno alle 8 di prendere la pillola finché la scatola è vuota",
        "un'ora dopo pranzo misurare la glicemia",
        "ricordami alle 16 della riunione di lunedì",
    ),
}
"""Two times, a time that cannot be built, or one that is not said in full."""

BESIDE: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "en": (
        ("an hour", "half an hour", "2 hours", "a quarter of an hour", "20 minutes", "one day"),
        ("after lunch", "before the meal"),
    ),
    "de": (
        ("eine Stunde", "eine halbe Stunde", "2 Stunden", "eine Viertelstunde", "20 Minuten", "einen Tag"),
        ("nach dem Essen", "vor dem Schlafen"),
    ),
    "hr": (("sat vremena", "pola sata", "2 sata", "20 minuta", "jedan dan"), ("nakon ručka", "prije jela")),
    "sr": (("sat vremena", "pola sata", "2 sata", "20 minuta", "jedan dan"), ("posle ručka", "pre jela")),
    "es": (
        ("una hora", "media hora", "2 horas", "un cuarto de hora", "20 minutos", "hora y media", "un día"),
        ("después de comer", "antes del desayuno"),
    ),
    "fr": (
        ("une heure", "une demi-heure", "2 heures", "un quart d'heure", "20 minutes", "un jour"),
        ("après le repas", "avant le déjeuner"),
    ),
    "it": (
        ("un'ora", "mezz'ora", "2 ore", "un quarto d'ora", "20 minuti", "un giorno"),
        ("dopo pranzo", "prima dei pasti"),
    ),
}
"""Lengths, and what they count from."""
