"""Whether a word says that the deed of a reminder was done: the past of one of its own verbs.

"Gegossen" is the past of "gießen", "regué" of "regar", "zalila" of "zalij". Endings are cut off both, and what is left
is compared; verbs that change their stem are in closed lists. Only forms of the first person, and those that name no
person, are such a past.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache, lru_cache

from duly.language.replies.claims.lexicon import folded

_SHORTEST_STEM = 3
_IRREGULAR = {
    "en": (
        "take took taken|feed fed|buy bought|bring brought|send sent|hang hung|sweep swept"
        "|write wrote written|make made"
        "|get got|give gave given|drive drove driven|pay paid|ring rang rung|speak spoke spoken|eat ate eaten|put put"
        "|drink drank drunk|run ran|wear wore worn|leave left|meet met|bathe bathed|wind wound|tell told|sell sold"
        "|shut shut|draw drew drawn|throw threw thrown|change changed|do did done|mow mowed mown|wash washed|hold held"
    ),
    "de": (
        "gieß gegossen|giess gegossen|nimm genommen|nehmen genommen|bringen gebracht|schließen geschlossen"
        "|hängen gehängt gehangen|schreiben geschrieben|rufen gerufen|lesen gelesen|geben gegeben|waschen gewaschen"
        "|tragen getragen|sprechen gesprochen|streichen gestrichen|schneiden geschnitten|ziehen gezogen|essen gegessen"
        "|werfen geworfen|fahren gefahren|laufen gelaufen|trinken getrunken|messen gemessen|reiben gerieben"
        "|heben gehoben|leihen geliehen|senden gesendet gesandt|weisen gewiesen|gießen gegossen|backen gebacken"
        "|treffen getroffen|saugen gesaugt|schieben geschoben|gehen gegangen|stellen gestellt|sehen gesehen"
    ),
    "hr": (
        "pošalji posla poslan poslat|operi opra opran|uzmi uze uzet|pozovi pozva pozvan|nazovi nazva nazvan"
        "|obriši obrisa obrisan|napiši napisa napisan|iznesi iznio iznijela iznijeli izneo iznela iznet iznesen"
        "|donesi donio donijela doneo donela donet donesen|odnesi odnio odnijela odneo odnela odnet odnesen"
        "|odvedi odveo odvela odveden|odvezi odveza odvezen|zalij zaliven|plati plaćen|objesi obješen|okači okačen"
        "|očisti očišćen|ugasi ugašen|isključi isključen|kupi kupljen|naruči naručen|promijeni promijenjen"
        "|prostri prostr prostrt prostro prostrla|prostrijeti prostr prostrt prostro prostrla"
        "|oboji obojen|posuši osušen|ispuni ispunjen|spremi spremljen|pospremi pospremljen|vrati vraćen"
        "|izvadi izvađen|napuni napunjen"
        "|iznijeti iznio iznijela iznesen|izmeri izmeren|izmjeri izmjeren|nahrani nahranjen|skuhaj skuhan"
    ),
    "es": (
        "hacer hice hecho|haz hice hecho|poner puse puesto|pon puse puesto|abrir abierto|escribir escrito|ver visto"
        "|volver vuelto|traer traje traído|dar di dado|da di dado|decir dicho|romper roto|cubrir cubierto|freír frito"
        "|devolver devuelto|tender tendido|resolver resuelto|imprimir impreso|leer leído"
    ),
    "fr": (
        "prendre pris|prends pris|mettre mis|mets mis|ouvrir ouvert|ouvre ouvert|éteindre éteint|éteins éteint"
        "|écrire écrit|écris écrit|faire fait|fais fait|lire lu|lis lu|boire bu|bois bu|sors sorti|étends étendu"
        "|remplis rempli|nourris nourri|remettre remis|descendre descendu|rends rendu|peindre peint|remets remis"
        "|conduire conduit|finis fini|reprendre repris|souscrire souscrit|transmettre transmis"
    ),
    "it": (
        "chiudere chiuso|chiudi chiuso|prendere preso|prendi preso|spegnere spento|spegni spento"
        "|mettere messo|metti messo"
        "|scrivere scritto|scrivi scritto|leggere letto|leggi letto|aprire aperto|apri aperto|rispondere risposto"
        "|rispondi risposto|stendere steso|stendi steso|accendere acceso|accendi acceso|fare fatto"
        "|fai fatto|bere bevuto"
        "|bevi bevuto|togliere tolto|togli tolto|raccogliere raccolto|raccogli raccolto|rendere reso|cuocere cotto"
        "|scegliere scelto|muovere mosso|ungere unto|dire detto|vedere visto|chiedere chiesto|correre corso|da dato"
    ),
}
"""A form of a reminder, and the pasts of the same verb; adjectives without the ending of gender and number."""
_APART = (
    "raus|runter|rein|hinaus|hinunter|herunter|heraus|weg|ab|an|auf|aus|ein|vor|zu|zurück|mit|um|nach|los|fest|hoch"
    "|her|hin"
)
_AWAY = frozenset({"raus", "runter", "hinaus", "hinunter", "heraus", "herunter", "weg"})
"""Parts of a verb that people use for one another: "den Müll runterbringen"."""
_WHOLE = ("be", "ver", "er", "ent", "zer", "uber", "unter", "miss", "hinter")
"""Parts of a verb with which there is no "ge"."""
_GERMAN_APART = re.compile(rf"({'|'.join(sorted(map(folded, _APART.split('|')), key=len, reverse=True))})?(.+)")
_NUMBER = {"es": ("os", "as", "o", "a"), "fr": ("es", "e", "s", ""), "it": ("o", "a", "i", "e")}
_SOFT = (
    *(("t", "c"), ("d", "d"), ("d", "dj"), ("n", "nj"), ("l", "lj")),
    *(("p", "plj"), ("b", "blj"), ("v", "vlj"), ("m", "mlj")),
)
_L_PARTICIPLE = re.compile(r"(.+?)(?:o|la|li|lo|le)")
_PASSIVE = re.compile(r"(.+?)(?:[aieou])?")


@cache
def _irregular(code: str) -> dict[str, frozenset[str]]:
    rows = (folded(row).split() for row in _IRREGULAR[code].split("|"))
    return {form: frozenset(pasts) for form, *pasts in rows}


def _english(word: str, said: str) -> bool:
    stem = said[:-3] if said.endswith("ing") and len(said) > 2 * _SHORTEST_STEM else said
    regular = {stem + "ed", stem + "d", stem + stem[-1] + "ed", stem[:-1] + "ied" if stem.endswith("y") else ""}
    return word in regular or word in _irregular("en").get(said, ())


def _german(word: str, said: str) -> bool:
    known = _irregular("de")
    if word in known.get(said, ()):
        return True
    for apart, base in {("", said), _split(said)}:
        stem = base.removesuffix("en").removesuffix("n") if base.endswith("n") else base
        pasts = {f"ge{stem}t", f"ge{stem}et", *known.get(base, ())}
        if base.startswith(_WHOLE) and not apart:
            pasts |= {f"{stem}t", f"{stem}et"}
            pasts |= {
                part + past.removeprefix("ge") for part in _WHOLE for past in known.get(base.removeprefix(part), ())
            }
        if base.endswith("ieren"):
            pasts.add(f"{stem}t")
        fronts = _AWAY if apart in _AWAY else {apart}
        if any(word == front + past for front in fronts for past in pasts):
            return True
    return False


def _split(said: str) -> tuple[str, str]:
    found = _GERMAN_APART.fullmatch(said)
    return ("", said) if found is None else (found[1] or "", found[2])


def _croatian(word: str, said: str) -> bool:
    stems = {said}
    for ending in ("ti", "ći", "jem", "m", "j", "š"):
        if said.endswith(folded(ending)):
            stems.add(said.removesuffix(folded(ending)))
    pasts = _irregular("hr").get(said, frozenset())
    if word in pasts:
        return True
    done = _L_PARTICIPLE.fullmatch(word)
    if done is not None and done[1] in (stems | pasts) and done[1][-1] in "aeiou":
        return True
    passive = _PASSIVE.fullmatch(word)
    soft = {each for stem in stems if stem.endswith("i") for each in _softened(stem[:-1])}
    ends = soft | {f"{stem}n" for stem in stems} | {f"{stem}ven" for stem in stems} | pasts
    return passive is not None and passive[1][-1] in "nt" and passive[1] in ends


def _softened(stem: str) -> set[str]:
    """Give the passive of a verb in -iti: "namesti" is "namešten", "plati" is "plaćen"; folded, as all words here."""
    found = {f"{stem}en"}
    for hard, soft in _SOFT:
        if stem.endswith(hard):
            found.add(f"{stem.removesuffix(hard)}{soft}en")
    return found


def in_gender(code: str, past: str) -> set[str]:
    """Give the forms of a past that agrees with its thing: "annaffiato" and "annaffiate"."""
    if code in ("es", "it"):
        return _in_gender(code, past)
    return {past + ending for ending in _NUMBER[code]} if code == "fr" and past.endswith("e") else {past}


def _spanish(word: str, said: str) -> bool:
    if any(word == past or word in _in_gender("es", past) for past in _irregular("es").get(said, ())):
        return True
    said = re.sub(r"(?:me|te|se|la|lo|las|los)$", "", said) if said.endswith(("arla", "arlo", "arse", "arte")) else said
    stems = {_plain(said[:-2]) if said.endswith(("ar", "er", "ir")) else _plain(said[:-1])}
    for ending in ("ado", "ada", "ados", "adas", "ido", "ida", "idos", "idas", "e", "i"):
        if word.endswith(ending) and _plain(word.removesuffix(ending)) in stems and word != said:
            return True
    return False


def _plain(stem: str) -> str:
    """Write a Spanish stem in one way: "riega" and "regué", "saca" and "saqué", "cierra" and "cerrar"."""
    stem = re.sub("gu$", "g", re.sub("qu$", "c", re.sub("z$", "c", stem)))
    return re.sub("ue", "o", re.sub("ie", "e", stem))


def _french(word: str, said: str) -> bool:
    pasts = set(_irregular("fr").get(said, ()))
    if said.endswith(("er", "ir")):
        pasts.add(said[:-1])
    elif said.endswith("re"):
        pasts.add(said[:-2] + "u")
    elif said.endswith("e"):
        return word in {said + ending for ending in ("e", "es", "s")} and word != said
    return any(word in {past + ending for ending in _NUMBER["fr"]} and word != said for past in pasts)


def _italian(word: str, said: str) -> bool:
    pasts = set(_irregular("it").get(said, ()))
    said = re.sub(r"(?:la|lo|le|li|si|ti|mi)$", "e", said) if re.search(r"[aei]r(?:la|lo|le|li|si|ti)$", said) else said
    for infinitive, past in (("are", "ato"), ("ere", "uto"), ("ire", "ito")):
        if said.endswith(infinitive):
            pasts.add(said.removesuffix(infinitive) + past)
    if said.endswith("a"):
        pasts.add(f"{said}to")
    elif said.endswith("i"):
        pasts |= {f"{said}to", f"{said[:-1]}uto"}
    return any(word in _in_gender("it", past) for past in pasts)


def _in_gender(code: str, past: str) -> set[str]:
    return {past[:-1] + ending for ending in _NUMBER[code]} if past.endswith("o") else {past}


_PASTS: dict[str, Callable[[str, str], bool]] = {
    "en": _english,
    "de": _german,
    "hr": _croatian,
    "es": _spanish,
    "fr": _french,
    "it": _italian,
}


@lru_cache(maxsize=8192)
def is_past_of(code: str, word: str, said: Sequence[str]) -> bool:
    """Tell whether a folded word is the past of a verb among the folded words of a reminder."""
    if len(word) < _SHORTEST_STEM:
        return False
    past = _PASTS[code]
    return any(past(word, each) for each in said if len(each) >= _SHORTEST_STEM)
