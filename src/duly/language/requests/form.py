"""The form of the words of requests in one language. Forms are separated by `|`, and are read without case and accents.

A form may have several words. `(set/add) (a/) reminder` are four forms. `…` in a form of a verb stands for everything
that is said between its two parts, or before it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import product
from re import compile as pattern

from duly.language.forms import Form
from duly.language.text import fold, spellings

GAP = fold("…")
"""Stands in a form for the words between its two parts."""
_CHOICES = pattern(r"\(([^()]*)\)")


@dataclass(frozen=True, kw_only=True)
class RequestWords:
    """The words with which people ask for something in one language."""

    code: str
    """The language; Serbian has the words of Croatian."""
    courtesies: str
    """Say nothing, before or after a request."""
    courtesy_verbs: str = ""
    """Those of them that are also the verb of a text, before a thing: "dai il latte al gatto"."""
    greetings: str
    """Those of them that people also say to others, and ask for nothing with: "say thanks"."""
    sayings: str
    """Verbs of saying, writing and sending, before what is said."""
    tells_whom: str
    """Those of them that also name to whom first: "tell mom thanks"."""
    said_before: str = ""
    """Verbs of saying behind what is said: "danke sagen"."""
    unfinished: str
    """Begin what is not said whole without the next word: articles, "with"."""
    askings: str
    """Begin a request as a question: "can you"."""
    leads: str
    """Ask for a reminder; what to say and when follows."""
    others: str
    """Ask for a reminder of other people, whose names follow."""
    and_words: str
    """Stand between those names."""
    selves: str
    """The person who asks, among those names."""
    first_lead: str
    """A lead as it is written."""
    joints: str
    """Stand between the lead, or the time, and the text: "to", "about"."""
    befores: str
    """Follow a length of time that counts from something else: "2 hours before the flight"."""
    danglers: str
    """Stand between the text and the time, and belong to the time: the "for" of "the dentist for Friday at 9"."""
    before_times: str
    """Make another time of the one that follows: "last", "yesterday"."""
    behind_times: str
    """Make another time of the one before them ("ago"), or name an end of it that was not understood ("until")."""
    alternatives: str
    """Join two times of which one is meant: "or"."""
    parts_said: str
    """Parts of the day, as people say when: "in the morning". With the next three they are what the auditor knows."""
    part_nouns: str
    """Those that also begin the name of a thing: "night cream", "morning walk"."""
    part_things: str = ""
    """Behind a part of the day make the name of a thing of it, or are such a name: "cream"."""
    opens_end: str
    """Begin an end of a series: "until the pack is empty"."""
    opens_start: str
    """Begin a start, or a condition, of a series: "starting when", "as needed"."""
    opens_exception: str
    bounds: str
    """Bound a series as well, but only where a time or an occasion stands behind them: "not" on Sundays."""
    occasions: str
    """Days that no clock knows, and that such words may name: "easter", "the holidays"."""
    hangers: str = ""
    """Before a length of time these make a rhythm or an end of it, and belong to no text: "na 8 sati"."""
    infinitive: str = ""
    """Begins a text behind a time where nothing asked for a reminder: "every 2 hours to walk"."""
    doses: str
    """Follow a number that is a dose: "20 drops"."""
    thing_articles: str = ""
    """Stand before things and before no day of a month: behind them a number counts."""
    count_articles: str = ""
    """Stand before days and hours as well: behind them a number counts if several things follow."""
    plurals: str
    """Endings of a word that a number before it may count, separated by `|`."""
    titles: str
    """Stand before a name and nothing else: "Mr". A day or a month behind them is a name."""
    title_nouns: str
    """Titles that are also a word of their own: behind "Frau", a day may be a name."""
    days_small: bool = False
    """Whether days and months are written without a capital."""
    zone_nouns: str = ""
    """Follow the name of a place whose clock is meant: "Berlin time"."""
    split_leads: str = ""
    """Ask for a reminder around its text and its time: "kannst du mich … erinnern"."""
    weak_leads: str = ""
    """Ask for a reminder only where a time is said as well: "note to self"."""
    end_leads: str
    """Ask for a reminder behind its text and its time: "…, remind me"."""
    musts: str
    """Begin what a person has to do, before a reminder of it is asked for at the end: "I have to"."""
    wakes: str
    """Ask to be woken; they need no text, and mean the morning."""
    alarms: str
    """Ask for an alarm, which needs no text either."""
    alarm_text: str
    """The text of an alarm."""
    statements: str
    """Words of sentences that tell or ask something: a text that has one is no note, even if it names a time."""
    lone_statements: str
    """Words that tell something where they are all the text: "home at six"."""
    statement_ends: str
    """Endings of such words, as a regular expression."""
    asks_what: str
    """Ask what there is; without a day, today."""
    shows: str
    """Ask for a list; the word for reminders or a day follows."""
    list_fillers: str
    """May stand around the day of a question and mean nothing."""
    nouns: str
    """Reminders, in every form of the word."""
    today: str
    tomorrow: str
    week: str
    next_week: str
    weekend: str
    everything: str
    moves: str
    weak_moves: str
    """Verbs that move a reminder, but mean other things as well: "make", "set"."""
    earlier_moves: str
    """Those of the verbs that move a reminder to an earlier time by a length."""
    move_to: str
    """Stand before the new time."""
    weak_to: str
    """Those of them that count behind a verb that means other things as well."""
    move_by: str
    """Stand before the length by which a reminder is moved: "by", or nothing."""
    forwards: str = ""
    """Those of them that mean earlier or later: they are heeded only behind a verb that says which."""
    later: str
    """Stand behind that length: "later"."""
    earlier: str
    cancels: str
    cancel_it: str
    """Whole requests to remove the reminder that was spoken of last: "cancel it"."""
    move_it: str
    """Begin a request to move that reminder: "move it"; the new time follows."""
    skip_it: str
    """Begin a request to leave out its next time: "skip it"."""
    sure_cancels: str
    """Those of the verbs that mean nothing else: "delete"."""
    skips: str
    """Leave out one time of a reminder."""
    skip_ends: str
    """May follow what is left out: "next time"."""
    pauses: str
    weak_pauses: str
    """Verbs that pause only where an end is named: "be quiet until nine"."""
    resumes: str
    until: str
    for_length: str
    """Stand before a length of time: "for" a week."""
    from_now: str
    """Makes a moment of a length of time: "in"."""
    nows: str
    """Say this moment."""
    at_hour: str
    """Makes a time of day of a bare number: "at"."""
    articles: str
    """Stand before the name of a reminder."""
    determiners: str
    """Begin a sentence that tells something about a thing: "the shop closes at nine"."""
    pronouns: str
    """Stand for a reminder without naming it."""
    undos: str
    undo_fillers: str
    """May follow or precede the word that takes back: "that", "the last change"."""
    helps: str
    help_fillers: str
    verb_last: bool = False
    """Whether an order may stand behind what it is about: "zubara pomakni"."""
    yes: str
    no: str

    def forms(self, field: str) -> frozenset[Form]:
        """Return the forms of a field, in every spelling."""
        return self._forms[field]

    @cached_property
    def _forms(self) -> dict[str, frozenset[Form]]:
        given = {name: getattr(self, name) for name in self.__dataclass_fields__ if name not in _NO_FORMS}
        return {name: read_forms(value) for name, value in given.items()}

    @cached_property
    def splits(self) -> tuple[tuple[Form, Form], ...]:
        """The two parts of each split lead."""
        found: list[tuple[Form, Form]] = []
        for form in _spelled_out(self.split_leads):
            first, _, last = form.partition("…")
            found += product(read_forms(first), read_forms(last))
        return tuple(found)


_NO_FORMS = frozenset(
    {"code", "split_leads", "first_lead", "alarm_text", "statement_ends", "verb_last", "plurals", "days_small"}
)


def _spelled_out(written: str) -> list[str]:
    """List forms that are separated by `|`, each choice in brackets in turn."""
    found: list[str] = []
    for form in filter(None, written.split("|")):
        pieces = _CHOICES.split(form)
        choices = [piece.split("/") if place % 2 else [piece] for place, piece in enumerate(pieces)]
        found += ["".join(chosen) for chosen in product(*choices)]
    return found


def read_forms(written: str) -> frozenset[Form]:
    """Read forms that are separated by `|`, in every spelling that their words allow."""
    found: set[Form] = set()
    for form in _spelled_out(written):
        parts = form.replace("'", " ").replace("-", " ").replace("…", " … ").split()
        found.update(product(*(sorted(spellings(part)) for part in parts)))
    return frozenset(found)
