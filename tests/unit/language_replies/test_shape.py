"""The value of a reply, the choice of the language, and the patterns of phrases."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from typing import Any

import pytest

from duly.language.replies import Reply, ReplyKind, classify_reply, patterns
from duly.language.replies.form import ReplyRole
from duly.language.replies.patterns import PatternGraph, PatternNode, RolePatterns


def test_a_reply_is_a_frozen_value() -> None:
    reply: Any = classify_reply("in 10 minutes", "en")
    assert reply == Reply(ReplyKind.SNOOZE, minutes=10, until=None, lang="en")
    with pytest.raises(FrozenInstanceError):
        reply.minutes = 5


@pytest.mark.parametrize(
    ("text", "lang", "spoken"),
    [
        ("erledigt", None, "de"),
        ("popio sam", None, "hr"),
        ("popio sam", "sr", "sr"),
        ("попио сам", None, "sr"),
        ("попио сам", "sr-Cyrl", "sr"),
        ("erledigt", "de-AT", "de"),
        ("erledigt", "de_CH", "de"),
        ("ok", None, None),
        ("ok", "it", "it"),
        ("gibberish", "en", None),
    ],
)
def test_the_language_is_named_where_there_is_one(text: str, lang: str | None, spoken: str | None) -> None:
    assert classify_reply(text, lang).lang == spoken


def test_with_an_unknown_language_all_are_tried() -> None:
    assert classify_reply("ok", "pl").kind is ReplyKind.ACK
    assert classify_reply("erledigt", "xx").lang == "de"


def test_the_language_of_the_person_reads_first_and_then_the_others() -> None:
    assert classify_reply("erledigt", "fr").kind is ReplyKind.ACK
    assert classify_reply("erledigt", "fr").lang == "de"
    assert classify_reply("well done", "en").kind is ReplyKind.UNKNOWN  # understood, and so the others are not asked


def test_a_word_with_different_meanings_in_two_languages_is_unknown() -> None:
    """A donation in French is no completion in English, and a deadline in Italian none in French."""
    assert classify_reply("donne").kind is ReplyKind.UNKNOWN
    assert classify_reply("termine").kind is ReplyKind.UNKNOWN
    assert classify_reply("y", "en").kind is ReplyKind.ACK
    assert classify_reply("y").kind is ReplyKind.UNKNOWN


def test_a_reply_in_mixed_scripts_is_unknown() -> None:
    assert classify_reply("gotovo и ok је").kind is ReplyKind.UNKNOWN


def test_a_long_reply_is_unknown() -> None:
    assert classify_reply("yes " * 60).kind is ReplyKind.UNKNOWN
    assert classify_reply("yes " * 25).kind is ReplyKind.UNKNOWN


def test_patterns_have_options_and_alternatives() -> None:
    graph = PatternGraph([RolePatterns(ReplyRole.YES, "[a|b] (c|d e)")])
    for words in ("c", "d e", "a c", "b d e"):
        assert role_of(graph, words) is ReplyRole.YES
    assert graph.root.role is None
    assert graph.words() == {"a", "b", "c", "d", "e"}


def role_of(graph: PatternGraph, words: str) -> ReplyRole | None:
    """Follow the words through the graph; give the role of the phrase they are."""
    node: PatternNode = graph.root
    graph.grow(words.split()[0])
    for word in words.split():
        (node,) = node.edges[word]
    return node.role


def test_what_stands_around_the_patterns_of_a_role_stands_around_each() -> None:
    graph = PatternGraph([RolePatterns(ReplyRole.DROP, "a|b c", "{x}", "y|z")], {"x": "[u] w"})
    for words in ("a", "b c", "w a", "u w b c", "a y", "w b c z"):
        assert role_of(graph, words) is ReplyRole.DROP
    assert graph.words() == {"a", "b", "c", "u", "w", "y", "z"}


def test_only_the_patterns_are_compiled_with_which_a_reply_begins() -> None:
    graph = PatternGraph([RolePatterns(ReplyRole.YES, "a b|c")])
    assert not graph.root.edges
    graph.grow("a")
    graph.grow("x")
    assert list(graph.root.edges) == ["a"]


def test_macros_are_expanded_within_macros() -> None:
    graph = PatternGraph([RolePatterns(ReplyRole.YES, "{x} z")], {"x": "a|{y}", "y": "b"})
    assert role_of(graph, "a z") is role_of(graph, "b z") is ReplyRole.YES


@pytest.mark.parametrize("pattern", ["[a", "a]", "(a|b", "a)"])
def test_an_unbalanced_pattern_is_refused(pattern: str) -> None:
    with pytest.raises(ValueError, match="unbalanced"):
        PatternGraph([RolePatterns(ReplyRole.YES, pattern)]).grow("a")


def test_a_pattern_of_no_word_is_refused() -> None:
    with pytest.raises(ValueError, match="no word"):
        PatternGraph([RolePatterns(ReplyRole.YES, "a|[b]")]).grow("a")


@pytest.mark.parametrize(
    ("text", "lang", "minutes"),
    [
        ("on the phone with the plumber, buzz me in 20 min", "en", 20),
        ("bin grad im tram, in 20 min", "de", 20),
        ("na sastanku sam, cimaj me za 40 min", "hr", 40),
        ("nisam jos, probaj za sat vremena", "sr", 60),
        ("suis en réunion, redis moi dans 50 min", "fr", 50),
        ("sono al tel, risentiamoci fra 20 min", "it", 20),
        ("za 10 min molim te", "hr", 10),
    ],
)
def test_a_time_at_the_end_counts_whatever_the_excuse_is(text: str, lang: str, minutes: int) -> None:
    reply = classify_reply(text, lang)
    assert (reply.kind, reply.minutes) == (ReplyKind.SNOOZE, minutes)


@pytest.mark.parametrize(
    ("text", "lang"),
    [
        ("remind me to call mom in 10 minutes", "en"),
        ("do not buzz me in 20 minutes", "en"),
        ("the plumber comes in 20 minutes or in 30 minutes", "en"),
        ("blorp in 20 minutes?", "en"),
    ],
)
def test_a_time_behind_other_words_is_no_snooze(text: str, lang: str) -> None:
    assert classify_reply(text, lang).kind is ReplyKind.UNKNOWN


def test_a_phrase_that_another_thread_is_compiling_is_not_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = PatternGraph([RolePatterns(ReplyRole.DONE, "done now|done then")])
    merged = patterns._merged
    seen: list[bool] = []

    def while_it_is_made(targets: tuple[PatternNode, ...]) -> tuple[PatternNode, ...]:
        monkeypatch.undo()
        graph.grow("done")  # as another thread would
        seen.append("done" in graph.root.edges)
        return merged(targets)

    monkeypatch.setattr(patterns, "_merged", while_it_is_made)
    graph.grow("done")
    assert seen == [True]
