"""Weigh a reply against the reminder it is to answer: what it claims, what it names, and what has to be asked.

A claim that names the reminder in its own words ("paid the rent") is read with a pronoun in their place; one beside
words of doubt ("I think I took it") is read without them, and asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from duly.language.replies.claims.fitting import ClaimFit, ClaimReader, is_unwilling, objects_in, without, word_fit
from duly.language.replies.claims.lexicon import Span, claim_lexicon, folded, subject_of
from duly.language.replies.claims.times import ClaimTime
from duly.language.replies.classify import ReadReply, Reply, ReplyDoubt, ReplyKind, doubtful, read_reply
from duly.language.replies.form import ReplyRole
from duly.language.replies.tokens import TokenizedReply
from duly.language.replies.vocabulary import reply_vocabulary

_MOST_WORDS_UNWILLING = 10
_CONSENT = ClaimFit(fits=True)
"""Of a yes and nothing else."""


class Weighing:
    """Weighs replies of a person against one reminder."""

    def __init__(self, lang: str | None, codes: Sequence[str], about: str, time: ClaimTime) -> None:
        self._lang = lang
        self._codes = codes
        self._subject = subject_of(about)
        self._time = time

    def weigh(self, tokens: TokenizedReply) -> Reply:
        """Return what a reply means for the reminder."""
        read = read_reply(tokens, self._lang)
        if read.reply.kind is ReplyKind.ACK:
            return self._claimed(tokens, read)
        if read.reply.kind is ReplyKind.DISMISS:
            return self._dropped(tokens, read)
        if read.reply.kind is ReplyKind.SNOOZE or tokens.asked or not tokens.items:
            return read.reply
        names, doubts = self._says_more(tokens)
        named = list(self._with_pronouns(tokens)) if names else []
        found = self._named(tokens, named) if named else None
        if found is None and doubts:
            found = self._doubted(tokens, named)
        return found or self._unwilling(tokens, read.reply)

    def _says_more(self, tokens: TokenizedReply) -> tuple[bool, bool]:
        """Tell whether a reply that is not understood names the reminder, and whether it has a word of doubt."""
        words = [folded(token.word) for token in tokens.items]
        lexicons = [claim_lexicon(code) for code in self._codes]
        names = any(word_fit(lexicon, self._subject, word).names for lexicon in lexicons for word in words)
        return names, any(lexicon.doubts.stands_in(words) for lexicon in lexicons)

    def _claimed(self, tokens: TokenizedReply, read: ReadReply, *, is_named: bool = False) -> Reply:
        fits = [self._fit(code, tokens, read) for code in read.readings]
        named = is_named or any(fit.is_named for fit in fits)
        if not all(fit.fits for fit in fits):
            return doubtful(ReplyDoubt.DONE, read.reply, named=named)
        is_claimed = any(fit.is_claimed for fit in fits)
        return Reply(ReplyKind.ACK, lang=read.reply.lang, named=named, claimed=is_claimed)

    def _fit(self, code: str, tokens: TokenizedReply, read: ReadReply) -> ClaimFit:
        judged = read.readings[code]
        if len(judged.phrases) == 1 and judged.phrases[0].role is ReplyRole.YES:
            return _CONSENT
        words = [folded(word) for word in judged.words]
        return ClaimReader(claim_lexicon(code), tokens.items, words, judged.phrases, self._subject, self._time).fit()

    def _dropped(self, tokens: TokenizedReply, read: ReadReply) -> Reply:
        for code, judged in read.readings.items():
            # Accents that were typed, and are not the word's: "enlevé" says that it is off, "enlève" that it shall be.
            typed = zip((token.word for token in tokens.items), judged.words, strict=True)
            if not tokens.text.isascii() and any(
                word.isalpha() and not word.isascii() and word != meant for word, meant in typed
            ):
                return doubtful(ReplyDoubt.SKIP, read.reply)
            if is_unwilling(claim_lexicon(code), [folded(word) for word in judged.words], judged.phrases):
                return doubtful(ReplyDoubt.SKIP, read.reply)
        return read.reply

    def _names_at_edge(self, tokens: TokenizedReply) -> bool:
        """Tell whether the name stands first or last: "pill later" is an answer, "push the pill back" an order."""
        spans = [span for code in self._codes for span in self._objects(code, tokens)]
        return any(start == 0 or end == len(tokens.items) for start, end in spans)

    def _named(self, tokens: TokenizedReply, variants: Sequence[TokenizedReply]) -> Reply | None:
        """Read a reply that names the reminder in words of its text; None if that is no answer."""
        for variant in variants:
            read = read_reply(variant, self._lang)
            if read.reply.kind is ReplyKind.ACK:
                return self._claimed(variant, read, is_named=True)
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
                    said = read_reply(rest, self._lang)
                    if said.reply.kind is ReplyKind.ACK:
                        return doubtful(ReplyDoubt.DONE, said.reply, named=is_named)
        return None

    def _unwilling(self, tokens: TokenizedReply, reply: Reply) -> Reply:
        if len(tokens.items) <= _MOST_WORDS_UNWILLING:
            words = [folded(token.word) for token in tokens.items]
            if any(claim_lexicon(code).unwilling.begins(words) for code in self._codes):
                return doubtful(ReplyDoubt.SKIP, reply)
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


def _apart(spans: Sequence[Span]) -> list[Span]:
    """Join stretches that overlap, in order."""
    joined: list[Span] = []
    for start, end in sorted(spans):
        if joined and start < joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined
