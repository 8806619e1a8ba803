"""The text of a trigger is kept for a while by its identity, and never taken for that of another one."""

from __future__ import annotations

import json

from duly import Cron, every
from duly.ports.codec import decode_trigger, encode_trigger
from duly.recurrence import as_trigger


def test_equal_triggers_keep_the_words_in_which_each_was_written() -> None:
    short, long = Cron("0 9 * * MON-FRI"), Cron("0 9 * * 1-5")
    assert [json.loads(encode_trigger(each))["expression"] for each in (short, long, short)] == [
        "0 9 * * MON-FRI",
        "0 9 * * 1-5",
        "0 9 * * MON-FRI",
    ]


def test_each_of_very_many_triggers_has_its_own_text() -> None:
    triggers = [as_trigger(every(number).minutes()) for number in range(1, 300)]
    for _ in range(2):
        assert [decode_trigger(encode_trigger(each)) for each in triggers] == triggers


def test_a_trigger_in_the_place_of_one_that_is_gone_has_its_own_text() -> None:
    for number in range(1, 300):  # their objects are made where the ones before were
        trigger = as_trigger(every(number).hours())
        assert decode_trigger(encode_trigger(trigger)) == trigger
