"""Plain words to triggers and back: the public names of `duly.language`."""

from duly.errors import PhraseError
from duly.language.describe import describe
from duly.language.moments import DayParts
from duly.language.parsing import Phrase, parse, parse_schedule, parse_time_expression
from duly.language.replies import classify_reply

__all__ = [
    "DayParts",
    "Phrase",
    "PhraseError",
    "classify_reply",
    "describe",
    "parse",
    "parse_schedule",
    "parse_time_expression",
]
