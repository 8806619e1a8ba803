"""What a phrase of a reply can be to the whole."""

from __future__ import annotations

from enum import StrEnum


class Role(StrEnum):
    """The part a phrase plays; the whole reply is judged by the parts it is made of."""

    YES = "yes"
    """Consent without a word about the deed; the question asks whether it is done, so it says that it is."""
    HEARD = "heard"
    """Receipt or praise, "noted" or "great": not even consent, so nothing follows from it. Beside a no it is as much at
    odds with it as consent is."""
    DONE = "done"
    """A claim that it is done."""
    ALREADY = "already"
    """The same, so clearly in the past that a leading "no" cannot be its negation."""
    NO = "no"
    """A bare no: it is not done, so it is asked again."""
    CROSS = "cross"
    """A sign that crosses it out (❌): a no that wants no further question."""
    DROP = "drop"
    """An order to let it be."""
    REFUSE = "refuse"
    """Unwillingness to do it, which contradicts a claim that it is done."""
    LATER = "later"
    """Not yet; perhaps with a duration or a time."""
    REMIND = "remind"
    """A request to be asked again; perhaps with a duration or a time."""
    ASK = "ask"
    """The same as a polite question, the only one that is ever answered by itself."""
    AGO = "ago"
    """A duration that lies behind."""
    JOIN = "join"
    """But, and: what counts comes after it."""
    OTHER = "other"
    """Looks like one of the others and is none: "well done" is praise. Nothing is decided beside it."""
    MOCK = "mock"
    """Consent as it is said in disbelief: "yeah, right". Nothing is taken for done beside it."""
    PARTING = "parting"
    """See you later: a courtesy from someone who is done, a delay from anyone else."""
    POLITE = "polite"
    """Greetings, fillers: nothing changes without them."""
    THANKS = "thanks"
    """The same, except right after a no: "no, thanks" turns it down."""


CLAIMS = frozenset({Role.DONE, Role.ALREADY})
SNOOZES = frozenset({Role.LATER, Role.REMIND, Role.ASK})
_CONSENT = (Role.YES, Role.DONE, Role.ALREADY)
_DELAY = (Role.LATER, Role.REMIND, Role.ASK)
_REFUSAL = (Role.DROP, Role.REFUSE)


def clearest(roles: set[Role]) -> Role | None:
    """The clearest of several parts one phrase can play; None where they are at odds."""
    for family in (_CONSENT, _DELAY, _REFUSAL):
        if roles <= set(family):
            return max(roles, key=family.index)
    return roles.pop() if len(roles) == 1 else None
