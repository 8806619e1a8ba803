"""Weigh a reply against the reminder it is to answer: what it claims, what it names, and what has to be asked.

A claim that names the reminder in its own words ("paid the rent") is read with a pronoun in their place; one beside
words of doubt ("I think I took it") is read without them, and asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise

from duly.language.lexicon import numbers_of
from duly.language.replies.claims.fitting import ClaimFit, ClaimReader, is_unwilling, objects_in, without, word_fit
from duly.language.replies.claims.form import Matter
from duly.language.replies.claims.lexicon import ClaimLexicon, Span, claim_lexicon, folded, subject_of
from duly.language.replies.claims.tails import says_back, tails_in
from duly.language.replies.claims.times import ClaimTime
from duly.language.replies.classify import (
    READERS,
    ReadReply,
    Reply,
    ReplyDoubt,
    ReplyKind,
    doubtful,
    own_code,
    read_reply,
)
from duly.language.replies.form import ReplyRole
from duly.language.replies.judgement import JudgedReply
from duly.language.replies.phrases import ReplyPhrase
from duly.language.replies.tokens import TokenizedReply, with_clocks
from duly.language.replies.vocabulary import reply_vocabulary

_MOST_WORDS_UNWILLING = 10
_CONSENT = ClaimFit(fits=True)
"""Of a yes and nothing else."""


class Weighing:
    """Weighs replies of a person against one reminder."""

    def __init__(self, lang: str | None, codes: Sequence[str], about: str) -> None:
        self._lang = lang
        self._codes = codes
        self._lexicons = [claim_lexicon(code) for code in codes]
        self._subject = subject_of(about)

    def weigh(self, tokens: TokenizedReply, time: ClaimTime) -> Reply:
        """Return what a reply means for the reminder."""
        found = self._weighed(tokens, time)
        if found.kind is ReplyKind.UNKNOWN and "h" in tokens.text and (clocks := with_clocks(tokens)) is not None:
            claimed = self._weighed(clocks, time)
            found = claimed if claimed.kind is ReplyKind.ACK else found
        if found.kind is ReplyKind.ACK and self._subject.numbers and self._names_other_number(tokens):
            return doubtful(ReplyDoubt.DONE, found.lang, found.named)
        return found

    def _names_other_number(self, tokens: TokenizedReply) -> bool:
        """Tell whether a reply says another number of what the reminder counts: one of two puffs."""
        words = [folded(token.word) for token in tokens.items]
        for word, follows in pairwise(words):
            is_number = word.isdecimal() or bool(numbers_of(word))
            if is_number and not self._subject.counts(word) and self._names([follows]):
                return True
        return False

    def _weighed(self, tokens: TokenizedReply, time: ClaimTime) -> Reply:
        read = read_reply(tokens, self._lang)
        if read.reply.kind is ReplyKind.UNKNOWN and (said := self._without_result(tokens)) is not None:
            tokens = said
            read = read_reply(said, self._lang)
        if read.reply.kind is ReplyKind.UNKNOWN and (bare := self._without_tails(tokens, time)) is not None:
            tokens, read = bare
        if read.reply.kind is ReplyKind.ACK:
            return self._claimed(tokens, read, time)
        if read.reply.kind is ReplyKind.DISMISS:
            return self._dropped(tokens, read)
        if read.reply.kind is ReplyKind.SNOOZE or tokens.asked or not tokens.items:
            return read.reply
        words = [folded(token.word) for token in tokens.items]
        if any(says_back(code, words, self._subject) for code in self._codes):
            return _acknowledged(self._lang, named=True, claimed=True)
        named = list(self._with_pronouns(tokens)) if self._names(words) else []
        found = self._named(tokens, named, time) if named else None
        if found is None and self._doubts(words):
            found = self._doubted(tokens, named)
        return found or self._unwilling(words, read.reply)

    def _without_result(self, tokens: TokenizedReply) -> TokenizedReply | None:
        """Leave out what was measured, "done, 6.2"; None where there is none, or no claim before it."""
        if Matter.MEASURE not in self._subject.matters or (said := _without_number(tokens)) is None:
            return None
        return said if read_reply(said, self._lang).reply.kind is ReplyKind.ACK else None

    def _without_tails(self, tokens: TokenizedReply, time: ClaimTime) -> tuple[TokenizedReply, ReadReply] | None:
        """Leave out with what it was done, and what came of it; None where nothing of that stands beside a claim."""
        if tokens.asked:
            return None
        words = [folded(token.word) for token in tokens.items]
        for code, lexicon in zip(self._codes, self._lexicons, strict=True):
            spans = tails_in(code, lexicon, tokens.items, words, self._subject)
            if not spans or not self._meals_fit(lexicon, words, spans, time):
                continue
            bare = tokens._replace(items=without(tokens.items, spans, None))
            read = read_reply(bare, self._lang, elsewhere=False)
            if read.reply.kind is ReplyKind.ACK:
                return bare, read
        return None

    @staticmethod
    def _meals_fit(lexicon: ClaimLexicon, words: Sequence[str], spans: Sequence[Span], time: ClaimTime) -> bool:
        """Tell whether the meals that are left out are of this time of day."""
        left_out = {place for start, end in spans for place in range(start, end)}
        meals = (tuple(words[start:end]) for start, end in lexicon.parts.spans(words) if start in left_out)
        return all(time.fits_part(lexicon.begins[meal]) for meal in meals)

    def _names(self, words: Sequence[str]) -> bool:
        """Tell whether a reply that is not understood names the reminder."""
        for lexicon in self._lexicons:  # no generators: this is asked of every such reply
            for word in words:
                if word_fit(lexicon, self._subject, word).names:
                    return True
        return False

    def _doubts(self, words: Sequence[str]) -> bool:
        """Tell whether a reply that is not understood has a word of doubt."""
        return any([lexicon.doubts.stands_in(words) for lexicon in self._lexicons])  # noqa: C419 - twice as fast

    def _claimed(self, tokens: TokenizedReply, read: ReadReply, time: ClaimTime, *, is_named: bool = False) -> Reply:
        named = is_named
        fits = True
        is_claimed = False
        for code, judged in read.readings.items():
            fit = self._fit(code, tokens, judged, time)
            fits = fits and fit.fits
            named = named or fit.is_named
            is_claimed = is_claimed or fit.is_claimed
        if not fits:
            return doubtful(ReplyDoubt.DONE, read.reply.lang, named)
        return _acknowledged(read.reply.lang, named, is_claimed)

    def _fit(self, code: str, tokens: TokenizedReply, judged: JudgedReply, time: ClaimTime) -> ClaimFit:
        if len(judged.phrases) == 1 and judged.phrases[0].role is ReplyRole.YES:
            return _CONSENT
        words = [folded(word) for word in judged.words]
        return ClaimReader(claim_lexicon(code), tokens.items, words, judged.phrases, self._subject, time).fit()

    def _dropped(self, tokens: TokenizedReply, read: ReadReply) -> Reply:
        for code, judged in read.readings.items():
            # Accents that were typed, and are not the word's: "enlevé" says that it is off, "enlève" that it shall be.
            if not tokens.text.isascii() and any(
                token.word.isalpha() and not token.word.isascii() and token.word != meant
                for token, meant in zip(tokens.items, judged.words, strict=True)
            ):
                return doubtful(ReplyDoubt.SKIP, read.reply.lang)
            phrases = [_without_reason(tokens, phrase) for phrase in judged.phrases]
            if is_unwilling(claim_lexicon(code), [folded(word) for word in judged.words], phrases):
                return doubtful(ReplyDoubt.SKIP, read.reply.lang)
        return read.reply

    def _names_at_edge(self, tokens: TokenizedReply) -> bool:
        """Tell whether the name stands first or last: "pill later" is an answer, "push the pill back" an order."""
        spans = [span for code in self._codes for span in self._objects(code, tokens)]
        return any(start == 0 or end == len(tokens.items) for start, end in spans)

    def _named(self, tokens: TokenizedReply, variants: Sequence[TokenizedReply], time: ClaimTime) -> Reply | None:
        """Read a reply that names the reminder in words of its text; None if that is no answer."""
        for variant in variants:
            read = read_reply(variant, self._lang)
            if read.reply.kind is ReplyKind.ACK:
                return self._claimed(variant, read, time, is_named=True)
            if read.reply.kind is ReplyKind.SNOOZE and self._names_at_edge(tokens):
                return replace(read.reply, named=True)
        return None

    def _doubted(self, tokens: TokenizedReply, named: Sequence[TokenizedReply]) -> Reply | None:
        """Ask about a claim beside words of doubt, or of another person; None if it is none without them."""
        for is_named, variant in [(False, tokens), *((True, each) for each in named)]:
            for code in self._codes:
                lexicon = claim_lexicon(code)
                words = [folded(token.word) for token in variant.items]
                persons = list(lexicon.persons.spans(words))
                spans = _apart([*persons, *lexicon.partly.spans(words), *lexicon.long_ago.spans(words)])
                if not spans:
                    continue
                mine = lexicon.given.as_mine if persons else {}
                items = [token._replace(word=mine.get(token.word, token.word)) for token in variant.items]
                for put in (None, lexicon.given.it):
                    rest = variant._replace(items=without(items, spans, put))
                    said = read_reply(rest, self._lang, elsewhere=False)
                    if said.reply.kind is ReplyKind.ACK:
                        return doubtful(ReplyDoubt.DONE, said.reply.lang, is_named)
        return None

    def _unwilling(self, words: Sequence[str], reply: Reply) -> Reply:
        is_short = len(words) <= _MOST_WORDS_UNWILLING
        if is_short and any([lexicon.unwilling.begins(words) for lexicon in self._lexicons]):  # noqa: C419 - as above
            return doubtful(ReplyDoubt.SKIP, reply.lang)
        return reply

    def _with_pronouns(self, tokens: TokenizedReply) -> Iterator[TokenizedReply]:
        """Yield the reply with a pronoun in the place of what it names, and without it."""
        for code in self._codes:
            spans = self._objects(code, tokens)
            if spans and sum(end - start for start, end in spans) < len(tokens.items):
                for put in (claim_lexicon(code).given.it, None):
                    yield tokens._replace(items=without(tokens.items, spans, put))

    def _objects(self, code: str, tokens: TokenizedReply) -> list[Span]:
        vocabulary = reply_vocabulary(code)
        words = [folded(token.word) for token in tokens.items]
        known = [vocabulary.word(token) is not None for token in tokens.items]
        return objects_in(claim_lexicon(code), words, known, self._subject)


def _without_number(tokens: TokenizedReply) -> TokenizedReply | None:
    """Leave out a number behind a comma at the end; None without one."""
    *before, last = tokens.items
    is_result = bool(before) and last.pause and last.word[0].isdecimal() and ":" not in last.word
    return tokens._replace(items=tuple(before)) if is_result else None


def _without_reason(tokens: TokenizedReply, phrase: ReplyPhrase) -> ReplyPhrase:
    """Leave out what stands behind a comma in an order to drop it: why."""
    pauses = (place for place in range(phrase.start + 1, phrase.end) if tokens.items[place].pause)
    return phrase._replace(end=next(pauses, phrase.end)) if phrase.role is ReplyRole.DROP else phrase


@lru_cache(maxsize=64)
def _acknowledged(lang: str | None, named: bool, claimed: bool) -> Reply:
    return Reply(ReplyKind.ACK, lang=lang, named=named, claimed=claimed)


@lru_cache(maxsize=512)
def weighing_of(lang: str | None, about: str) -> Weighing:
    """Return what weighs the replies of people who speak a language against a reminder."""
    own = own_code(lang)
    return Weighing(lang, READERS if own is None else (own,), about)


def _apart(spans: Sequence[Span]) -> list[Span]:
    """Join stretches that overlap, in order."""
    joined: list[Span] = []
    for start, end in sorted(spans):
        if joined and start < joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined
