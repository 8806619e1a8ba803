"""Rules about notices as people write them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duly.errors import InvalidInputError
from duly.model.notice import NotifyOn, NotifyRule
from duly.model.policy import Policy
from duly.ports.codec import decode_policy, encode_policy
from duly.service.schedules import values

RULES = {
    "always": NotifyRule(on="always"),
    "failure to ana": NotifyRule(on="failure", to="ana"),
    "change to Ana Marić via telegram": NotifyRule(on="change", to="Ana Marić", channel="telegram"),
    "success via mail": NotifyRule(on="success", channel="mail"),
    "failure to ana critical": NotifyRule(on="failure", to="ana", priority="critical"),
    "success to https://example.org/a?b=c": NotifyRule(on="success", to="https://example.org/a?b=c"),
    "never": NotifyRule(on="never"),
}


@pytest.mark.parametrize("text", RULES)
def test_a_rule_is_read_and_written_alike(text: str) -> None:
    assert NotifyRule.parse(text) == RULES[text]
    assert str(RULES[text]) == text
    assert NotifyRule.parse("always to owner") == NotifyRule(on="always")


WRONG = ["", "often", "always ana", "always to", "to ana", "never to ana", "success to https://a.example via mail"]


@pytest.mark.parametrize("text", WRONG)
def test_other_texts_are_refused_with_an_example(text: str) -> None:
    with pytest.raises(InvalidInputError, match="notify"):
        NotifyRule.parse(text)


_words = st.text("abcčš 1", min_size=1, max_size=8).map(str.strip).filter(bool)


@given(
    st.lists(
        st.builds(
            NotifyRule,
            on=st.sampled_from([each for each in NotifyOn if each is not NotifyOn.NEVER]),
            to=st.none() | _words,
            channel=st.none() | st.sampled_from(["mail", "telegram"]),
            priority=st.sampled_from(["normal", "critical"]),
        ),
        max_size=3,
        unique=True,
    )
)
def test_rules_survive_the_store_and_the_form(rules: list[NotifyRule]) -> None:
    policy = Policy(notify=tuple(rules), quiet_word="nothing")
    assert decode_policy(encode_policy(policy)) == policy
    assert values.notify([str(each) for each in rules], "notify") == tuple(rules)
    assert values.notify("; ".join(map(str, rules)), "notify") == tuple(rules)


def test_a_policy_without_rules_is_stored_as_before() -> None:
    assert encode_policy(Policy()) == "{}"


def test_objects_and_json_are_read_like_texts() -> None:
    rule = NotifyRule(on="always", to="ana", channel="mail")
    assert values.notify({"on": "always", "to": "ana", "channel": "mail"}, "notify") == (rule,)
    assert values.notify('["always to ana via mail"]', "notify") == (rule,)
    for wrong in ({"to": "ana"}, {"on": "always", "whom": "ana"}, [3], 3):
        with pytest.raises(InvalidInputError, match="notify"):
            values.notify(wrong, "notify")
