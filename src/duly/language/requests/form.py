"""The form of the words of requests in one language. Forms are separated by `|`, and are read without case and accents.

A form may have several words. `…` in a form of a verb stands for everything that is said between its two parts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product

from duly.language.text import fold, spellings

GAP = fold("…")
"""Stands in a form for the words between its two parts."""
Form = tuple[str, ...]
"""The folded words of one form."""


@dataclass(frozen=True, kw_only=True)
class RequestWords:
    """The words with which people ask for something in one language."""

    courtesies: str
    """Say nothing, before or after a request."""
    askings: str
    """Begin a request as a question: "can you"."""
    leads: str
    """Ask for a reminder; what to say and when follows."""
    joints: str
    """Stand between the lead, or the time, and the text: "to", "about"."""
    befores: str
    """Follow a length of time that counts from something else: "2 hours before the flight"."""
    danglers: str
    """Stand between the text and the time, and belong to the time: the "for" of "the dentist for Friday at 9"."""
    split_leads: str = ""
    """Ask for a reminder around its text and its time: "kannst du mich … erinnern"."""
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
    everything: str
    moves: str
    move_to: str
    """Stand before the new time."""
    cancels: str
    pauses: str
    resumes: str
    until: str
    for_length: str
    """Stand before a length of time: "for" a week."""
    from_now: str
    """Makes a moment of a length of time: "in"."""
    at_hour: str
    """Makes a time of day of a bare number: "at"."""
    articles: str
    """Stand before the name of a reminder."""
    pronouns: str
    """Stand for a reminder without naming it."""
    undos: str
    helps: str
    yes: str
    no: str

    def forms(self, field: str) -> frozenset[Form]:
        """Return the forms of a field, in every spelling."""
        return self._forms[field]

    @cached_property
    def _forms(self) -> dict[str, frozenset[Form]]:
        given = {name: getattr(self, name) for name in self.__dataclass_fields__ if name != "split_leads"}
        return {name: read_forms(value) for name, value in given.items()}

    @cached_property
    def splits(self) -> tuple[tuple[Form, Form], ...]:
        """The two parts of each split lead."""
        found: list[tuple[Form, Form]] = []
        for form in filter(None, self.split_leads.split("|")):
            first, _, last = form.partition("…")
            found += product(read_forms(first), read_forms(last))
        return tuple(found)


def read_forms(written: str) -> frozenset[Form]:
    """Read forms that are separated by `|`, in every spelling that their words allow."""
    found: set[Form] = set()
    for form in filter(None, written.split("|")):
        parts = form.replace("'", " ").replace("-", " ").replace("…", " … ").split()
        found.update(product(*(sorted(spellings(part)) for part in parts)))
    return frozenset(found)


def longest(forms: frozenset[Form], words: Sequence[str], at: int = 0) -> int:
    """Return how many words the longest form has that stands at a place; 0 for none."""
    there = (len(form) for form in forms if tuple(words[at : at + len(form)]) == form)
    return max(there, default=0)


def longest_end(forms: frozenset[Form], words: Sequence[str], end: int) -> int:
    """Return how many words the longest form has that ends before a place; 0 for none."""
    there = (len(form) for form in forms if len(form) <= end and tuple(words[end - len(form) : end]) == form)
    return max(there, default=0)
