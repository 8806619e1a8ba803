"""How important a reminder of a chat is, and whether it wants an answer: by its words, or because the person says so.

What the person says stands at an edge of the message or before a colon ("call at 5, it's urgent", "wichtig: …").
Within it the same words belong to the text ("the important meeting").
"""

from __future__ import annotations

import re
from typing import NamedTuple

from duly.language.languages import code_of
from duly.language.replies.claims.form import Matter
from duly.language.replies.claims.lexicon import claim_lexicon, folded
from duly.language.text import fold
from duly.model.action import WantsAnswer

_IMPORTANT = (
    "very important|really important|important|very urgent|urgent|high priority",
    "sehr wichtig|ganz wichtig|wichtig|sehr dringend|dringend",
    "jako vazno|vrlo vazno|vazno|jako hitno|hitno",
    "muy importante|importante|muy urgente|urgente",
    "tres important|important|tres urgent|urgent",
    "molto importante|importante|molto urgente|urgente",
)
_CLAUSES = (
    "(?:it'?s|it is|this is|that'?s) (?:very |really )?(?:important|urgent)",
    "(?:es |das )?ist (?:sehr |ganz )?(?:wichtig|dringend)",
    "(?:to )?je (?:jako |vrlo )?(?:vazno|hitno)|(?:vazno|hitno) je",
    "es (?:muy )?(?:importante|urgente)",
    "c'?est (?:tres )?(?:important|urgent)",
    "e (?:molto )?(?:importante|urgente)",
)
_UNTIL = (
    r"(?:ask(?: me)?(?: again)?|keep asking(?: me)?|keep reminding me|nag me) until i (?:answer|reply|confirm|do it)",
    r"(?:ask|keep asking|keep reminding|nag) me until (?:i've|i have) (?:answered|confirmed|done it)",
    r"keep asking(?: me)?|nag me",
    r"(?:frage?|erinnere?|nerve?)(?: mich)?(?: so lange)?(?: nach)?,? bis ich (?:antworte|bestatige|geantwortet habe)",
    r"(?:pitaj|podsjecaj|podsecaj|gnjavi|smaraj)(?: me)? dok ne (?:odgovorim|potvrdim|napravim|uradim)",
    r"(?:preguntame|insiste|recuerdamelo|avisame) hasta que (?:responda|conteste|confirme|lo haga)",
    r"(?:re)?(?:demande|insiste|relance)(?:[ -]moi)? jusqu'?a (?:ce que je (?:reponde|confirme)|ma reponse)",
    r"(?:chiedimelo|chiedi|insisti|ricordamelo) finche non (?:rispondo|confermo|lo faccio)",
)
_WAKES = (
    "wake me|wake up|get me up|set an alarm|weck|aufwecken|aufstehen|probudi|budi me|budilica|despiertame|despertarme"
    "|despertador|reveille|reveil|svegliami|sveglia"
)
_ANSWERS = {
    WantsAnswer.ALWAYS: (
        "always ask for answers|always ask for an answer|frag immer nach|uvijek trazi odgovor|uvek trazi odgovor"
        "|pide siempre respuesta|demande toujours une reponse|chiedi sempre una risposta"
    ),
    WantsAnswer.MEDICINE: (
        "ask for answers only for medicine|frag nur bei medizin nach|trazi odgovor samo za lijekove"
        "|trazi odgovor samo za lekove|pide respuesta solo para medicinas"
        "|demande une reponse seulement pour les medicaments|chiedi una risposta solo per le medicine"
    ),
    WantsAnswer.NEVER: (
        "never ask for answers|dont ask for answers|frag nie nach|nikad ne trazi odgovor|no pidas respuesta"
        "|ne demande pas de reponse|non chiedere risposta"
    ),
}
_JOINT = "(?:and|und|i|a|y|et|e)"
_SAID = "|".join(_CLAUSES)
_WORDS = "|".join((*_CLAUSES, *_IMPORTANT))
_FEW = "{0,9}"
_SOME = "{1,9}"
"""How many marks or blanks a stretch may begin with. It is looked for everywhere: of a long run, all that follows would
be walked through from each place in it."""
_MOST_SAID = 9
_FIRST = re.compile(rf"(?:{_WORDS})\s*[:,;!.–—-]+\s+")
_LAST = re.compile(
    rf"(?:\s{_FEW}[,;:!.(–—-]{_SOME}\s{_FEW}(?:{_JOINT} )?(?:{_WORDS})|\s{_SOME}{_JOINT} (?:{_SAID}))\s*[.!)]*$"
)
_BEHIND_TIME = re.compile(rf"(?:(?<=[0-9hm])|(?<=uhr))\s+(?:{_SAID})\s*[.!]*$")
_BEFORE_COLON = re.compile(rf"\s{_SOME}(?:{'|'.join(_IMPORTANT)})\s*(?=:)")
_ASKING = re.compile(rf"\s{_FEW}[,;.!–—-]{_FEW}\s{_FEW}(?:{_JOINT}\s{_SOME})?(?:{'|'.join(_UNTIL)})\s*[.!]*$")
_WAKING = re.compile(rf"(?<!\w)(?:{_WAKES})(?!\w)")


class UrgentWords(NamedTuple):
    """A message without what it says about how important it is."""

    text: str
    is_urgent: bool


class Urgency(NamedTuple):
    """How a reminder is delivered that was asked for in a chat."""

    is_high: bool
    wants_answer: bool

    @property
    def options(self) -> dict[str, object]:
        """The fields of the message that this sets."""
        high = {"priority": "high"} if self.is_high else {}
        return {**high, **({"require_ack": True} if self.wants_answer else {})}


def without_urgency(text: str) -> UrgentWords:
    """Take what a person says about the importance off the edges of a message, or from before a colon."""
    rest = text
    for _ in range(_MOST_SAID):
        if (found := _found(rest)) is None:
            break
        rest = f"{rest[: found[0]]}{rest[found[1] :]}".strip()
    return UrgentWords(rest, is_urgent=True) if rest and rest != text else UrgentWords(text, is_urgent=False)


def _found(text: str) -> tuple[int, int] | None:
    """Find a stretch that is about the importance; by letters, so the text is folded one by one."""
    same = "".join(_letter(each) for each in text)
    first = _FIRST.match(same)
    if first is not None and first.end() < len(same):
        return 0, first.end()
    for pattern in (_ASKING, _LAST, _BEHIND_TIME, _BEFORE_COLON):
        found = pattern.search(same)
        if found is not None and found.start() > 0:
            return found.span()
    return None


def _letter(letter: str) -> str:
    plain = "'" if letter == "’" else fold(letter.lower())
    return plain if len(plain) == 1 else letter


def urgency_of(original: str, text: str, lang: str | None, wants: str | None) -> Urgency:
    """Tell how important a reminder is, from the message that asked for it, its text, and the person's own choice."""
    said = without_urgency(original).is_urgent
    medicine = is_medicine(text, lang)
    wakes = _WAKING.search(fold(original.lower())) is not None
    asks = said or wants == WantsAnswer.ALWAYS or (medicine and wants != WantsAnswer.NEVER)
    return Urgency(is_high=said or medicine or wakes, wants_answer=asks)


def is_medicine(text: str, lang: str | None) -> bool:
    """Tell whether a text has a word for medicine in a language. Vitamins are none."""
    code = code_of(lang) or "en"
    things = claim_lexicon("hr" if code == "sr" else code).things
    words = (folded(each) for each in re.findall(r"[^\W\d_]+(?:['’][^\W\d_]+)*", text))
    return any(Matter.MEDICINE in things.of(word) for word in words)


def wanted_answers(text: str) -> WantsAnswer | None:
    """Read for which reminders a person wants to be asked from now on; None when a text does not say that."""
    said = fold(text.lower()).replace("'", "").replace("’", "").strip(" .!")
    return next((wants for wants, forms in _ANSWERS.items() if said in forms.split("|")), None)
