"""Courtesies that are also the verb of a text: "dai, domani alle 8 il latte" and "dai il latte al gatto"."""

from __future__ import annotations

from duly.language.forms import longest
from duly.language.lexicon import kinds_of
from duly.language.requests.form import RequestWords


def orders_thing(folded: tuple[str, ...], at: int, known: RequestWords) -> bool:
    """Tell whether a courtesy is the verb of a text: behind it stands a thing with its article, or a dose.

    A day has an article, too ("mira el lunes"), and so has what asks for a reminder ("senti un promemoria").
    """
    if (folded[at],) not in known.forms("courtesy_verbs") or at + 2 >= len(folded):
        return False
    doses = known.forms("doses")
    first = at + 1
    if longest(doses, folded, first) or (folded[first][:1].isdecimal() and longest(doses, folded, first + 1)):
        return True
    thing = first + longest(known.forms("articles") | known.forms("determiners"), folded, first)
    if thing in (first, len(folded)) or kinds_of(folded[thing]) or folded[thing][:1].isdecimal():
        return False
    asks = ("leads", "weak_leads", "end_leads", "wakes", "alarms", "nouns")
    return not any(longest(known.forms(each), folded, place) for each in asks for place in (first, thing))
