"""Sentences with bounds: start × end × exception × rhythm × text, in every order, with commas and leads.

Each is composed of pieces of which it is known what they say, so that its fires are known as well. `bounded` makes the
sentences of a language from a seed; the pieces of `unbuilt` begin a bound that no series can have.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import NamedTuple

from duly.language.requests import Doubt, Sentence, read_sentence
from duly.language.requests.tokens import Words
from duly.service.schedules.times import preview
from tests.unit.language_requests.composed import PLAIN_TEXTS
from tests.unit.language_requests.reading import NOW, ZONE

_MOST_FIRES = 30
_TODAY = NOW.date()
_TUESDAY = 1
_SATURDAY = 5
_SUNDAY = 6
_FIRST_DAYS = {
    "tomorrow": date(2026, 11, 19),
    "monday": date(2026, 11, 23),
    "the 25th": date(2026, 11, 25),
    "1 december": date(2026, 12, 1),
}
_LAST_DAYS = {"20 december": date(2026, 12, 20), "the end of december": date(2026, 12, 31)}
_COUNTS = {"10 times": 10}
_DAYS_LONG = {"14 days": 14}
_LEFT_OUT = {"sundays": {_SUNDAY}, "weekends": {_SATURDAY, _SUNDAY}}
_DAYS_OF = {"daily": set(range(7)), "tuesdays": {_TUESDAY}}


@dataclass(frozen=True)
class BoundWords:
    """How a language bounds a series: for each meaning, the words with bars between them."""

    often: dict[str, str]
    """`|` between what says the rhythm and what says the hour, which may stand apart."""
    starts: dict[str, str]
    ends: dict[str, str]
    exceptions: dict[str, str]
    unbuilt: str
    leads: tuple[str, ...]
    """`{}` stands for the text, and `…` for all else."""


class Bounded(NamedTuple):
    """A sentence, and what it says."""

    lang: str
    written: str
    text: str
    often: str
    start: str
    end: str
    exception: str


@dataclass
class _Pieces:
    chance: random.Random
    found: list[str] = field(default_factory=list)

    def one_of(self, table: dict[str, str], likely: float) -> str:
        """Choose a meaning, and put one of its wordings among the pieces."""
        if self.chance.random() >= likely:
            return ""
        key = self.chance.choice(list(table))
        self.found.append(self.chance.choice(table[key].split("|")))
        return key


def bounded(lang: str, seed: int, count: int) -> Iterator[Bounded]:
    """Compose sentences of a language."""
    chance = random.Random(f"bounds {lang} {seed}")
    for _ in range(count):
        yield _one(lang, chance)


def _one(lang: str, chance: random.Random) -> Bounded:
    words = BOUNDS[lang]
    pieces = _Pieces(chance)
    start = pieces.one_of(words.starts, 0.7)
    end = pieces.one_of(words.ends, 0.4)
    exception = pieces.one_of(words.exceptions, 0.2 if start or end else 1)
    often = chance.choice(list(words.often))
    rhythm = words.often[often].split("|")
    pieces.found += rhythm if chance.random() < 0.3 else [" ".join(rhythm)]
    chance.shuffle(pieces.found)
    text = chance.choice(PLAIN_TEXTS[lang])
    return Bounded(lang, _written(pieces.found, text, words, chance), text, often, start, end, exception)


def _written(pieces: list[str], text: str, words: BoundWords, chance: random.Random) -> str:
    at = chance.randrange(len(pieces) + 1)
    lead = chance.choice(("{}", "{}", *words.leads))
    front, behind = (", " if chance.random() < 0.15 else " " for _ in range(2))
    before, after = " ".join(pieces[:at]), " ".join(pieces[at:])
    if "…" in lead:
        first, _, last = lead.partition("…")
        begin = f"{first.strip()} {before} {last.strip().format(text)}".replace("  ", " ")
    else:
        begin = f"{before}{front if before else ''}{lead.format(text)}"
    return f"{begin}{behind if after else ''}{after}"


def unbuilt(lang: str) -> Iterator[str]:
    """Yield a sentence with every bound that no series can have, in every place."""
    words = BOUNDS[lang]
    for piece in words.unbuilt.split("|"):
        for often in list(words.often.values()):
            time = often.replace("|", " ")
            for text in PLAIN_TEXTS[lang][:2]:
                for order in (
                    "{time} {text} {piece}",
                    "{piece} {text} {time}",
                    "{text} {time} {piece}",
                    "{time} {text}, {piece}",
                    "{piece} {time} {text}",
                    "{text} {piece} {time}",
                ):
                    yield order.format(time=time, text=text, piece=piece)


def judge(said: Bounded) -> str:
    """Read a sentence: "read" as composed, "asked", or what was read instead."""
    found = read_sentence(said.written, now=NOW, zone=ZONE, prefer=said.lang)
    return verdict(said, found)


def verdict(said: Bounded, found: Sentence | Doubt | None) -> str:
    """Compare the fires of what was read with those that were said."""
    if not isinstance(found, Sentence):
        return "asked"
    fires = [ZONE.localize(each) for each in preview(found.phrase.trigger, NOW, _MOST_FIRES)]
    same = Words.of(found.text).folded == Words.of(said.text).folded
    if same and _are_said(fires, said):
        return "read"
    return f"{found.text!r}: {len(fires)} from {fires[0]:%m-%d %H:%M} to {fires[-1]:%m-%d %H:%M}"


def _are_said(fires: list[datetime], said: Bounded) -> bool:
    if said.often == "every 8 hours":
        return _are_within(fires, said)
    return fires == _expected(said)


def _are_within(fires: list[datetime], said: Bounded) -> bool:
    """Tell whether a series of hours keeps its bounds; its hours are another law."""
    first = _FIRST_DAYS.get(said.start, _TODAY)
    last = _LAST_DAYS.get(said.end)
    if said.end in _DAYS_LONG:
        last = first + timedelta(days=_DAYS_LONG[said.end])
    left_out = _LEFT_OUT.get(said.exception, set())
    if said.end in _COUNTS and len(fires) != _COUNTS[said.end]:
        return False
    begins = not said.start or fires[0].date() == first or (first + timedelta(days=1) == fires[0].date())
    ends = last is None or len(fires) == _MOST_FIRES or fires[-1].date() <= last
    return begins and ends and not any(each.weekday() in left_out for each in fires)


def _expected(said: Bounded) -> list[datetime]:
    """Count the days that were said."""
    days = _DAYS_OF[said.often] - _LEFT_OUT.get(said.exception, set())
    day = _FIRST_DAYS.get(said.start, _TODAY + timedelta(days=1))
    last = _LAST_DAYS.get(said.end, day + timedelta(days=400))
    found: list[datetime] = []
    while day <= last and len(found) < _COUNTS.get(said.end, _MOST_FIRES):
        if day.weekday() in days:
            found.append(ZONE.localize(datetime(day.year, day.month, day.day, 7, tzinfo=NOW.tzinfo)).replace(hour=8))
            if said.end in _DAYS_LONG:
                last = min(last, found[0].date() + timedelta(days=_DAYS_LONG[said.end] - 1))
        day += timedelta(days=1)
    return found


BOUNDS: dict[str, BoundWords] = {
    "en": BoundWords(
        often={"daily": "every day|at 8:00", "tuesdays": "every tuesday|at 8am", "every 8 hours": "every 8 hours"},
        starts={
            "tomorrow": "from tomorrow|starting tomorrow|beginning tomorrow|as of tomorrow|from tomorrow on",
            "monday": "from monday|starting monday|starting on monday|beginning monday|as of monday|from monday on"
            "|starting from monday|from next monday|commencing monday|effective monday|from monday onwards",
            "the 25th": "from the 25th|starting the 25th|starting on the 25th|as of the 25th|beginning the 25th",
            "1 december": "from 1 december|from december 1|from the 1st of december|starting december 1"
            "|as of 1 december|beginning on december 1st"
            "|from 1 december on|starting from 1 dec|from dec 1st onwards|from december",
        },
        ends={
            "20 december": "until 20 december|till december 20|through december 20|until the 20th of december"
            "|up to and including 20 december|up until december 20|ending december 20|ending on 20 december",
            "the end of december": "until the end of december|till the end of december|through december",
            "14 days": "for 14 days|for two weeks|for 14 days in total",
            "10 times": "10 times|10 times in total",
        },
        exceptions={
            "sundays": "except sundays|but not on sundays|except on sundays|excluding sundays|apart from sundays"
            "|other than sundays|not on sundays|without sundays|minus sundays|save sundays|skipping sundays",
            "weekends": "except weekends|but not on weekends|excluding weekends|except on weekends|not on weekends"
            "|except saturday and sunday",
        },
        unbuilt="until the doctor calls|until further notice|until easter|as long as it hurts|from when i am back"
        "|except on holidays|but not on holidays|unless it rains|until i say stop|till i am well"
        "|except when i am away|except during the holidays|starting after easter|from easter|not on holidays",
        leads=("remind me … to {}", "remind me to {}", "please remind me … to {}"),
    ),
    "de": BoundWords(
        often={"daily": "jeden Tag|um 8 Uhr", "tuesdays": "jeden Dienstag|um 8:00", "every 8 hours": "alle 8 Stunden"},
        starts={
            "tomorrow": "ab morgen|von morgen an|beginnend morgen|angefangen morgen|startend morgen",
            "monday": "ab Montag|ab nächsten Montag|von Montag an|beginnend am Montag|ab dem Montag|startend am Montag"
            "|angefangen am Montag|mit Beginn am Montag|ab kommendem Montag",
            "the 25th": "ab dem 25.|vom 25. an|ab 25.|beginnend am 25.",
            "1 december": "ab 1. Dezember|ab dem 1. Dezember|vom 1. Dezember an|ab 1.12.|ab dem 1.12."
            "|von 1. Dezember an|beginnend am 1. Dezember|ab Dezember|ab dem 1.12.2026",
        },
        ends={
            "20 december": "bis 20. Dezember|bis zum 20. Dezember|bis 20.12.|bis einschließlich 20. Dezember"
            "|bis zum 20.12.|bis inklusive 20. Dezember|endend am 20. Dezember",
            "the end of december": "bis Ende Dezember|bis zum Ende Dezember|bis Jahresende",
            "14 days": "14 Tage lang|für 14 Tage|für zwei Wochen|zwei Wochen lang",
            "10 times": "10 Mal|insgesamt 10 Mal|zehnmal",
        },
        exceptions={
            "sundays": "außer sonntags|aber nicht sonntags|ausgenommen sonntags|außer am Sonntag|ohne Sonntag"
            "|nur nicht sonntags|bis auf Sonntag|nicht sonntags|ohne sonntags|mit Ausnahme von Sonntag",
            "weekends": "außer am Wochenende|aber nicht am Wochenende|ohne Wochenende|nicht am Wochenende"
            "|ausgenommen am Wochenende|außer samstags und sonntags",
        },
        unbuilt="bis der Arzt anruft|bis auf Weiteres|bis Ostern|solange es weh tut|sobald ich zurück bin"
        "|außer an Feiertagen|aber nicht an Feiertagen|außer wenn es regnet|bis ich stopp sage|ab Ostern"
        "|ab den Ferien|außer in den Ferien|nicht an Feiertagen|nicht in den Ferien|bis zu den Ferien",
        leads=("erinner mich … an {}", "erinnere mich an {}", "bitte erinnere mich … an {}"),
    ),
    "hr": BoundWords(
        often={"daily": "svaki dan|u 8:00", "tuesdays": "svaki utorak|u 8h", "every 8 hours": "svakih 8 sati"},
        starts={
            "tomorrow": "od sutra|počevši od sutra|počevši sutra|krenuvši od sutra|od sutra nadalje",
            "monday": "od ponedjeljka|počevši od ponedjeljka|od ponedjeljka nadalje|počevši s ponedjeljkom"
            "|od sljedećeg ponedjeljka|s početkom u ponedjeljak|krenuvši od ponedjeljka|od ponedjeljka pa nadalje",
            "the 25th": "od 25.|počevši od 25.|od 25. nadalje",
            "1 december": "od 1. prosinca|počevši od 1. prosinca|od 1.12.|od prvog prosinca|s početkom 1. prosinca"
            "|od prosinca|od 1. prosinca nadalje",
        },
        ends={
            "20 december": "do 20. prosinca|sve do 20. prosinca|zaključno s 20. prosincem|do 20.12."
            "|do uključivo 20. prosinca|do 20. prosinca zaključno",
            "the end of december": "do kraja prosinca|sve do kraja prosinca|do kraja godine",
            "14 days": "tijekom 14 dana|idućih 14 dana|14 dana|u trajanju od 14 dana",
            "10 times": "10 puta|ukupno 10 puta",
        },
        exceptions={
            "sundays": "osim nedjelje|osim nedjeljom|izuzev nedjelje|sem nedjelje|ali ne nedjeljom|bez nedjelje"
            "|ne nedjeljom|samo ne nedjeljom|s iznimkom nedjelje|osim u nedjelju",
            "weekends": "osim vikendom|ali ne vikendom|osim vikenda|bez vikenda|ne vikendom|osim subotom i nedjeljom",
        },
        unbuilt="dok liječnik ne nazove|do daljnjega|do Uskrsa|dok god boli|čim se vratim|osim praznicima"
        "|ali ne praznicima|osim ako pada kiša|dok ne kažem stop|od Uskrsa|osim za vrijeme praznika|osim kad putujem",
        leads=("podsjeti me … da {}", "podsjeti me da {}", "molim te podsjeti me … da {}"),
    ),
    "sr": BoundWords(
        often={"daily": "svakog dana|u 8:00", "tuesdays": "svakog utorka|u 8h", "every 8 hours": "svakih 8 sati"},
        starts={
            "tomorrow": "od sutra|počevši od sutra|počev od sutra|od sutra pa nadalje",
            "monday": "od ponedeljka|počevši od ponedeljka|počev od ponedeljka|od ponedeljka pa nadalje"
            "|od sledećeg ponedeljka|sa početkom u ponedeljak|krenuvši od ponedeljka",
            "the 25th": "od 25.|počevši od 25.|od 25. pa nadalje",
            "1 december": "od 1. decembra|počevši od 1. decembra|počev od 1.12.|od 1.12.|od prvog decembra|od decembra"
            "|sa početkom 1. decembra",
        },
        ends={
            "20 december": "do 20. decembra|sve do 20. decembra|zaključno sa 20. decembrom|do 20.12."
            "|do 20. decembra zaključno",
            "the end of december": "do kraja decembra|sve do kraja decembra|do kraja godine",
            "14 days": "tokom 14 dana|narednih 14 dana|14 dana|u trajanju od 14 dana",
            "10 times": "10 puta|ukupno 10 puta",
        },
        exceptions={
            "sundays": "osim nedelje|osim nedeljom|izuzev nedelje|sem nedelje|ali ne nedeljom|bez nedelje|ne nedeljom"
            "|samo ne nedeljom|sa izuzetkom nedelje|osim u nedelju",
            "weekends": "osim vikendom|ali ne vikendom|sem vikenda|bez vikenda|ne vikendom|osim subotom i nedeljom",
        },
        unbuilt="dok doktor ne pozove|do daljnjeg|do Uskrsa|dok god boli|čim se vratim|osim praznicima"
        "|ali ne praznicima|osim ako pada kiša|dok ne kažem stop|od Vaskrsa|osim kad putujem",
        leads=("podseti me … da {}", "podseti me da {}", "molim te podseti me … da {}"),
    ),
    "es": BoundWords(
        often={
            "daily": "todos los días|a las 8:00",
            "tuesdays": "cada martes|a las 8",
            "every 8 hours": "cada 8 horas",
        },
        starts={
            "tomorrow": "desde mañana|a partir de mañana|empezando mañana|comenzando mañana|de mañana en adelante",
            "monday": "desde el lunes|a partir del lunes|empezando el lunes|comenzando el lunes|del lunes en adelante"
            "|desde este lunes|a partir del próximo lunes|a contar del lunes|iniciando el lunes|con inicio el lunes",
            "the 25th": "desde el 25|desde el día 25|a partir del 25|del 25 en adelante|empezando el 25",
            "1 december": "desde el 1 de diciembre|a partir del 1 de diciembre|empezando el 1 de diciembre"
            "|del 1 de diciembre en adelante|desde el 1/12|comenzando el 1 de diciembre|desde diciembre"
            "|a partir del primero de diciembre",
        },
        ends={
            "20 december": "hasta el 20 de diciembre|hasta el 20/12|hasta el día 20 de diciembre"
            "|hasta el 20 de diciembre inclusive|al 20 de diciembre|terminando el 20 de diciembre",
            "the end of december": "hasta fin de diciembre|hasta finales de diciembre|hasta fin de año",
            "14 days": "durante 14 días|por 14 días|durante dos semanas|14 días",
            "10 times": "10 veces|10 veces en total",
        },
        exceptions={
            "sundays": "excepto los domingos|salvo los domingos|menos los domingos|pero no los domingos|sin domingos"
            "|quitando los domingos|a excepción de los domingos|excepto el domingo|no los domingos"
            "|exceptuando domingos",
            "weekends": "excepto los fines de semana|menos los fines de semana|pero no los fines de semana"
            "|salvo sábados y domingos|sin fines de semana|no los fines de semana",
        },
        unbuilt="hasta que llame el médico|hasta nuevo aviso|hasta Pascua|mientras duela|en cuanto vuelva"
        "|excepto festivos|pero no en festivos|salvo si llueve|hasta que diga basta|desde Pascua|menos en vacaciones"
        "|a partir de las vacaciones|no los festivos",
        leads=("recuérdame … {}", "recuérdame {}", "por favor recuérdame … {}"),
    ),
    "fr": BoundWords(
        often={
            "daily": "tous les jours|à 8h",
            "tuesdays": "chaque mardi|à 8h00",
            "every 8 hours": "toutes les 8 heures",
        },
        starts={
            "tomorrow": "à partir de demain|dès demain|à compter de demain|en commençant demain",
            "monday": "à partir de lundi|dès lundi|à compter de lundi|à partir de lundi prochain|en commençant lundi"
            "|depuis lundi|débutant lundi|à dater de lundi|commençant lundi",
            "the 25th": "à partir du 25|dès le 25|à compter du 25",
            "1 december": "à partir du 1er décembre|dès le 1er décembre|à compter du 1 décembre"
            "|en commençant le 1er décembre|à partir du 1/12|à partir de décembre|dès décembre"
            "|débutant le 1er décembre",
        },
        ends={
            "20 december": "jusqu'au 20 décembre|jusqu'au 20/12|jusqu'au 20 décembre inclus|au 20 décembre"
            "|se terminant le 20 décembre|jusque 20 décembre",
            "the end of december": "jusqu'à fin décembre|jusqu'à la fin décembre|jusqu'à la fin de l'année",
            "14 days": "pendant 14 jours|durant 14 jours|pendant deux semaines|pour 14 jours",
            "10 times": "10 fois|10 fois en tout",
        },
        exceptions={
            "sundays": "sauf le dimanche|excepté le dimanche|mais pas le dimanche|hormis le dimanche|à part le dimanche"
            "|à l'exception du dimanche|hors dimanche|pas le dimanche|sans le dimanche|sauf dimanche",
            "weekends": "sauf le week-end|mais pas le week-end|hors week-end|pas le week-end|sans le week-end"
            "|sauf le samedi et le dimanche",
        },
        unbuilt="jusqu'à ce que le médecin appelle|jusqu'à nouvel ordre|jusqu'à Pâques|tant que ça fait mal"
        "|dès que je rentre|sauf les jours fériés|mais pas les jours fériés|sauf s'il pleut|à partir de Pâques"
        "|dès les vacances|sauf pendant les vacances|pas les jours fériés",
        leads=("rappelle-moi … de {}", "rappelle-moi de {}", "stp rappelle-moi … de {}"),
    ),
    "it": BoundWords(
        often={"daily": "ogni giorno|alle 8:00", "tuesdays": "ogni martedì|alle 8", "every 8 hours": "ogni 8 ore"},
        starts={
            "tomorrow": "da domani|a partire da domani|iniziando domani|cominciando da domani|da domani in poi",
            "monday": "da lunedì|a partire da lunedì|da lunedì in poi|iniziando lunedì|cominciando lunedì"
            "|a partire da lunedì prossimo|con inizio lunedì|a decorrere da lunedì|dal prossimo lunedì",
            "the 25th": "dal 25|a partire dal 25|dal 25 in poi|iniziando il 25",
            "1 december": "dal 1 dicembre|dal 1° dicembre|a partire dal 1 dicembre|iniziando il 1 dicembre|dal 1/12"
            "|dal primo dicembre|da dicembre|dal 1 dicembre in poi|con inizio il 1 dicembre",
        },
        ends={
            "20 december": "fino al 20 dicembre|sino al 20 dicembre|fino al 20/12|fino al 20 dicembre compreso"
            "|al 20 dicembre|terminando il 20 dicembre|fin al 20 dicembre",
            "the end of december": "fino a fine dicembre|fino alla fine di dicembre|fino alla fine dell'anno",
            "14 days": "per 14 giorni|durante 14 giorni|per due settimane|14 giorni",
            "10 times": "10 volte|10 volte in tutto",
        },
        exceptions={
            "sundays": "tranne la domenica|eccetto la domenica|salvo la domenica|ma non la domenica|escluso la domenica"
            "|a parte la domenica|ad eccezione della domenica|fuorché la domenica|meno la domenica|non la domenica"
            "|senza la domenica|esclusa domenica",
            "weekends": "tranne il fine settimana|ma non nel fine settimana|escluso il weekend|tranne sabato e domenica"
            "|non nel fine settimana",
        },
        unbuilt="finché il medico non chiama|fino a nuovo ordine|fino a Pasqua|finché fa male|appena torno"
        "|tranne i festivi|ma non nei festivi|a meno che non piova|da Pasqua|a partire dalle vacanze"
        "|tranne quando viaggio|fino alle vacanze|non nei festivi",
        leads=("ricordami … di {}", "ricordami di {}", "per favore ricordami … di {}"),
    ),
}
