"""Plain words to triggers and back, in English, German, Croatian, Serbian, Spanish, French and Italian.

One grammar, a lexicon per language. The whole of a phrase is understood or it is refused; what recurs never becomes
a single moment. Everything here is pure: the present is an argument.
"""

from duly.errors import PhraseError
from duly.language.describe import describe
from duly.language.parsing import Phrase, parse, parse_schedule, parse_time_expression
from duly.language.replies import classify_reply

__all__ = ["Phrase", "PhraseError", "classify_reply", "describe", "parse", "parse_schedule", "parse_time_expression"]
