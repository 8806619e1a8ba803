"""The cursor over a row of atoms. A reader moves it forward, or puts it back and returns None."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from duly.language.atoms import END, Atom, AtomKind, Unit, WordRole
from duly.language.languages.form import Language

NO_ROLE = 0
_ANNOUNCING = WordRole.AT | WordRole.IN
_OF_A_DAY = WordRole.ON | WordRole.THE
_LEADING = ~(WordRole.TO | WordRole.AFTER | WordRole.BEFORE | WordRole.LESS | WordRole.PLUS)


def _is_lost(role: int, before: int) -> bool:
    """Tell whether a little word makes no sense behind another: "at at", "on at", "within on"."""
    if not role & _LEADING:
        return True
    if (role & _ANNOUNCING and role == before) or (before == WordRole.IN and role & (WordRole.ON | WordRole.AT)):
        return True
    return bool(role & WordRole.AT and before & _OF_A_DAY) and not (role & _OF_A_DAY or before & WordRole.AT)


class MisreadError(Exception):
    """These atoms make no sentence; another reading of the words may."""

    def __init__(self, at: int, reason: str) -> None:
        super().__init__(reason)
        self.at = at
        self.reason = reason


class ImpossibleError(Exception):
    """The sentence is understood and there is no such time, or it could mean two: no other reading is tried.

    `fault` is the reason for programs, as `PhraseError` has it.
    """

    def __init__(self, reason: str, fault: str = "impossible") -> None:
        super().__init__(reason)
        self.fault = fault


class UnsaidError(ImpossibleError):
    """A series whose hours or days are not said: there is a usual choice, which can be offered."""


class HowOftenError(UnsaidError):
    """So many times a day or a week, without the hours or the days: they are asked for."""

    def __init__(self, count: int, unit: Unit) -> None:
        what = "hours" if unit is Unit.DAY else "days"
        super().__init__(f"{count} times a {unit.value} needs as many {what}: say which", "doubtful")
        self.count = count
        self.unit = unit


_LIST = 3
"""So many numbers with a comma are a list: "a las 8, 14 y 20"."""


class Cursor:
    """A row of atoms and how far it has been read."""

    __slots__ = ("at", "beside", "kinds", "language", "recurring", "usual", "values")

    def __init__(self, atoms: Sequence[Atom], language: Language, *, usual: bool = False) -> None:
        self.kinds = kinds = [atom.kind for atom in atoms]
        kinds += (AtomKind.END,) * 3  # so that readers can look two atoms ahead without a test for the end
        self.values: list[Any] = [atom.value for atom in atoms]
        self.values += (END.value,) * 3
        self.at = 0
        self.language = language
        # Whether what is not said of a series is read as people usually mean it.
        self.usual = usual
        # Rare, and asked for behind each "and": is there a length that stands beside a time?
        self.beside = AtomKind.LEAD in kinds or AtomKind.DONE in kinds
        # Whether the phrase recurs is known before its first atom is read: "8 y 9" are two times of a series, but 8:09
        # of a single day.
        self.recurring = AtomKind.EVERY in kinds or AtomKind.WEEKDAYS in kinds or AtomKind.PER_DAY in kinds
        if usual and AtomKind.COMMA in kinds and kinds.count(AtomKind.NUMBER) >= _LIST:
            self.recurring = True

    @property
    def kind(self) -> AtomKind:
        return self.kinds[self.at]

    @property
    def value(self) -> Any:
        return self.values[self.at]

    def on(self, kind: AtomKind) -> bool:
        """Tell whether an atom of this kind stands here."""
        return self.kinds[self.at] is kind

    def ahead(self, by: int = 1) -> AtomKind:
        """Return the kind of an atom further on."""
        return self.kinds[self.at + by] if self.at + by < len(self.kinds) else AtomKind.END

    def role(self, by: int = 0) -> int:
        """Return the roles of the little word that stands here; none if another atom does."""
        at = self.at + by
        return self.values[at] if at < len(self.kinds) and self.kinds[at] is AtomKind.LITTLE else NO_ROLE

    def take(self) -> Any:
        """Return the value of the atom and pass over it."""
        value = self.values[self.at]
        self.at += 1
        return value

    def skip(self, kind: AtomKind) -> bool:
        """Pass over an atom of a kind, if it is there."""
        if self.kinds[self.at] is kind:
            self.at += 1
            return True
        return False

    def skip_role(self, roles: int) -> bool:
        """Pass over a little word that can play one of these roles, if it is there."""
        if self.kinds[self.at] is AtomKind.LITTLE and self.values[self.at] & roles:
            self.at += 1
            return True
        return False

    def skip_one(self) -> None:
        """Pass over "a" or "one", if it is there: "half an hour", "an hour and a half"."""
        if self.kinds[self.at] is AtomKind.NUMBER and self.values[self.at].value == 1:
            self.at += 1

    def take_weekday(self) -> int:
        """Return the weekday that stands here, the first one of a habit, and pass over it."""
        named = self.take()
        return named if isinstance(named, int) else int(named[0])

    def skip_articles(self) -> None:
        """Pass over articles and the prepositions of days, but not over those of hours."""
        while self.kinds[self.at] is AtomKind.LITTLE:
            role = self.values[self.at]
            if role & _ANNOUNCING or not role & _OF_A_DAY:
                break
            self.at += 1

    def little_words(self) -> int:
        """Pass over the little words that stand here, up to an "and", and return all roles they can play together."""
        roles = before = NO_ROLE
        while self.kinds[self.at] is AtomKind.LITTLE:
            role = self.values[self.at]
            if role & WordRole.AND:
                break
            roles |= role | WordRole.STRAY if _is_lost(role, before) else role
            before = role
            self.at += 1
        return roles

    def separator(self) -> bool:
        """Pass over commas and "and", if there are any."""
        start = self.at
        while self.kinds[self.at] is AtomKind.COMMA or (
            self.kinds[self.at] is AtomKind.LITTLE and self.values[self.at] & WordRole.AND
        ):
            self.at += 1
        return self.at > start

    def misread(self, reason: str) -> MisreadError:
        """Make the error for what stands here."""
        return MisreadError(self.at, reason)
