"""Actions and policies survive encoding and decoding; an error about damaged JSON names the field."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duly.errors import DecodeError, InvalidInputError
from duly.model.action import Job, Message, Priority, Prompt, SessionBehavior, Target
from duly.model.codec import from_plain, to_plain
from duly.model.policy import Backoff, CatchUp, Overlap, Policy, Retry
from duly.model.trigger import Trigger
from duly.ports.codec import (
    MAX_PAYLOAD,
    decode_action,
    decode_job,
    decode_policy,
    encode_action,
    encode_json,
    encode_policy,
)
from duly.recurrence import Once, trigger_from_dict

texts = st.text(min_size=1).filter(lambda text: bool(text.strip()))
lengths = st.timedeltas(min_value=timedelta(0), max_value=timedelta(days=10_000))
positive = st.timedeltas(min_value=timedelta(microseconds=1), max_value=timedelta(days=10_000))
plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
retries = st.builds(
    Retry,
    max_attempts=st.none() | st.integers(1, 1000),
    delay=lengths,
    backoff=st.sampled_from(Backoff),
    cap=lengths,
    jitter=st.floats(0, 1),
    superseded=st.booleans(),
)
policies = st.builds(
    Policy,
    overlap=st.sampled_from(Overlap),
    queue_limit=st.integers(0, 1000),
    max_parallel=st.none() | st.integers(1, 1000),
    catch_up=st.sampled_from(CatchUp),
    catch_up_window=st.none() | positive,
    misfire_grace=lengths,
    retry=retries,
    timeout=st.none() | positive,
    stagger_key=st.none() | st.text(min_size=1),
    max_stagger_seconds=st.integers(0, 10_000),
)
targets = st.builds(Target, texts, st.none() | texts)
actions = st.one_of(
    st.builds(Job, texts, st.dictionaries(st.text(), plain, max_size=3)),
    st.builds(
        Prompt,
        text=texts,
        targets=st.lists(targets, max_size=3, unique=True).map(tuple),
        session_behavior=st.sampled_from(SessionBehavior),
        spawner=texts,
    ),
    st.builds(
        Message,
        text=texts,
        channel=st.none() | st.text(),
        priority=st.sampled_from(Priority),
        require_ack=st.booleans(),
        ack_prompt=st.none() | st.text(),
        snooze_allowed=st.booleans(),
        max_retries=st.integers(0, 10),
        user_id=st.none() | st.text(),
        max_ack_reminders=st.integers(0, 10),
        via=st.none() | st.text(),
    ),
)


@given(policy=policies)
def test_decoding_an_encoded_policy_gives_the_same_policy(policy: Policy) -> None:
    assert decode_policy(encode_policy(policy)) == policy


@given(action=actions)
def test_decoding_an_encoded_action_gives_the_same_action(action: Job | Prompt | Message) -> None:
    text = encode_action(action)
    assert decode_action(text) == action
    assert type(decode_action(text)) is type(action)


@given(value=plain)
def test_a_value_is_encoded_as_the_standard_library_does(value: Any) -> None:
    assert encode_json(value, "x") == json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def test_a_value_that_contains_itself_is_refused_and_the_next_one_is_not() -> None:
    inner: dict[str, Any] = {"a": 1}
    ring: list[Any] = [inner, 1.5]
    ring.append(ring)
    for _ in range(2):
        with pytest.raises(InvalidInputError, match="Circular reference"):
            encode_json(ring, "result")
    assert encode_json(inner, "result") == '{"a":1}'


@given(job=st.builds(Job, name=texts, args=st.dictionaries(st.text(), plain)), space=st.sampled_from(["", " ", "\n\t"]))
def test_a_job_is_decoded_as_any_action_is(job: Job, space: str) -> None:
    text = space + encode_action(job) + space
    assert decode_job(text) == decode_action(text) == job


def test_arguments_belong_to_the_run_that_gets_them() -> None:
    text = encode_action(Job("a", {"numbers": [1]}))
    decode_job(text).args["numbers"].append(2)
    assert decode_job(text).args == {"numbers": [1]}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"kind": "job", "name": " ", "args": {"a": 1}}', "empty"),
        ('{"kind": "job", "name": "a", "args": [1]}', "args"),
        ('{"kind": "job", "name": "a", "text": 5}', "text"),
        ('{"kind": "job", "name": "a", "args": {}} {}', "Extra data"),
        ('{"kind": "message", "text": "hi"}', "not a job"),
        ("[1]", "object"),
        ("", "not JSON"),
    ],
)
def test_what_is_no_job_is_refused(text: str, words: str) -> None:
    with pytest.raises(InvalidInputError, match=words):
        decode_job(text)


def test_a_message_stored_by_the_first_version_is_decoded() -> None:
    old = '{"kind": "message", "text": "hi", "channel": "", "ack_prompt": "ok?", "max_retries": 2}'
    assert decode_action(old) == Message(text="hi", ack_prompt="ok?", max_retries=2)


def test_defaults_are_left_out() -> None:
    assert encode_policy(Policy()) == "{}"
    assert decode_policy("{}") == Policy()
    assert to_plain(Message(text="hi")) == {"text": "hi"}
    assert to_plain(Policy(retry=Retry(max_attempts=None))) == {"retry": {"max_attempts": None}}


def test_a_policy_is_encoded_as_plain_json() -> None:
    policy = Policy(overlap=Overlap.QUEUE, timeout=timedelta(minutes=1.5), retry=Retry(backoff=Backoff.CONSTANT))
    assert json.loads(encode_policy(policy)) == {
        "overlap": "queue",
        "timeout": 90.0,
        "retry": {"backoff": "constant"},
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Appointment:
    """A value with instants and a trigger."""

    at: datetime
    until: datetime | None = None
    trigger: Trigger | None = None


def test_an_instant_is_written_in_utc_and_a_trigger_as_it_writes_itself() -> None:
    at = datetime(2026, 11, 16, 9, tzinfo=timezone(timedelta(hours=9)))
    assert to_plain(Appointment(at=at)) == {"at": "2026-11-16T00:00:00Z"}
    whole = Appointment(at=at, until=at + timedelta(microseconds=1), trigger=Once(at))
    written = json.loads(json.dumps(to_plain(whole)))
    assert from_plain(Appointment, written, "x", lambda _path, raw: trigger_from_dict(raw)) == whole


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({"at": "2026-11-16T09:00:00"}, "x.at must be a time in ISO 8601 with an offset"),
        ({"at": "soon"}, "x.at must be a time in ISO 8601 with an offset"),
        ({"at": 5}, "x.at must be a time in ISO 8601 with an offset"),
        ({"at": "2026-11-16T09:00:00Z", "trigger": {"v": 1}}, "x.trigger is not a known field"),
    ],
)
def test_what_is_no_instant_is_refused(data: dict[str, Any], words: str) -> None:
    with pytest.raises(DecodeError, match=words):
        from_plain(Appointment, data, "x")


def test_text_is_stored_unescaped_so_that_it_can_be_searched() -> None:
    assert "Ärzte anrufen 🩺" in encode_action(Message(text="Ärzte anrufen 🩺"))


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("", "policy"),
        ("{", "policy"),
        ("null", "policy"),
        ("[]", "policy"),
        ('"text"', "policy"),
        ('{"overlap": "sometimes"}', "policy.overlap"),
        ('{"overlap": ["queue"]}', "policy.overlap"),
        ('{"overlap": null}', "policy.overlap"),
        ('{"queue_limit": "5"}', "policy.queue_limit"),
        ('{"queue_limit": 5.0}', "policy.queue_limit"),
        ('{"queue_limit": true}', "policy.queue_limit"),
        ('{"queue_limit": -1}', "policy"),
        ('{"max_parallel": 0}', "policy"),
        ('{"timeout": "5"}', "policy.timeout"),
        ('{"timeout": 0}', "policy"),
        ('{"timeout": NaN}', "policy.timeout"),
        ('{"timeout": Infinity}', "policy.timeout"),
        ('{"timeout": 1e300}', "policy.timeout"),
        ('{"misfire_grace": 1e999}', "policy.misfire_grace"),
        ('{"retry": 3}', "policy.retry"),
        ('{"retry": {"delay": [1]}}', "policy.retry.delay"),
        ('{"retry": {"jitter": 2}}', "policy.retry"),
        ('{"retry": {"jitter": NaN}}', "policy.retry"),
        ('{"retry": {"superseded": 1}}', "policy.retry.superseded"),
        ('{"surprise": 1}', "policy.surprise"),
        ('{"retry": {"surprise": 1}}', "policy.retry.surprise"),
    ],
)
def test_the_error_about_a_damaged_policy_names_the_field(text: str, place: str) -> None:
    with pytest.raises(DecodeError) as caught:
        decode_policy(text)
    assert caught.value.field == place
    assert place in str(caught.value)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("{}", "action.kind"),
        ('{"kind": "dance"}', "action.kind"),
        ('{"kind": ["job"]}', "action.kind"),
        ('{"kind": "job"}', "action"),
        ('{"kind": "job", "name": " "}', "action"),
        ('{"kind": "job", "name": 5}', "action.name"),
        ('{"kind": "job", "name": "a", "args": [1]}', "action.args"),
        ('{"kind": "job", "name": "a", "text": "b"}', "action.text"),
        ('{"kind": "prompt", "text": ""}', "action"),
        ('{"kind": "prompt", "text": "a", "targets": {"project_id": "p"}}', "action.targets"),
        ('{"kind": "prompt", "text": "a", "targets": [{"project_id": "p"}, 5]}', "action.targets[1]"),
        ('{"kind": "prompt", "text": "a", "targets": [{}]}', "action.targets[0]"),
        ('{"kind": "prompt", "text": "a", "targets": [{"project_id": "p"}, {"project_id": "p"}]}', "action"),
        ('{"kind": "message", "text": "a", "priority": "urgent"}', "action.priority"),
        ('{"kind": "message", "text": "a", "require_ack": "yes"}', "action.require_ack"),
    ],
)
def test_the_error_about_a_damaged_action_names_the_field(text: str, place: str) -> None:
    with pytest.raises(DecodeError) as caught:
        decode_action(text)
    assert caught.value.field == place


@given(data=plain, kind=st.sampled_from([Policy, Retry, Job, Message, Prompt]))
def test_any_json_is_decoded_or_refused_with_its_path(data: Any, kind: type[Any]) -> None:
    assert _fault(kind, data).startswith("row")


@given(data=st.fixed_dictionaries({}, optional=dict.fromkeys(("timeout", "overlap", "retry", "queue_limit"), plain)))
def test_any_json_in_a_field_is_decoded_or_refused_with_its_path(data: Any) -> None:
    assert _fault(Policy, data).startswith("row")


def _fault(kind: type[Any], data: Any) -> str:
    """Give the path that cannot be decoded; the whole row when nothing is wrong."""
    try:
        from_plain(kind, data, "row")
    except DecodeError as error:
        return error.field
    return "row"


@pytest.mark.parametrize("value", [{"at": timedelta(1)}, {1, 2}, object(), float("nan"), float("inf"), b"bytes"])
def test_a_value_that_is_not_json_is_refused(value: object) -> None:
    with pytest.raises(InvalidInputError, match="args"):
        encode_json(value, "args")


def test_half_a_surrogate_pair_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="args"):
        encode_json({"text": "\ud800"}, "args")


def test_json_over_the_size_limit_is_refused() -> None:
    assert encode_json("x" * (MAX_PAYLOAD - 2), "args")
    with pytest.raises(InvalidInputError, match=f"{MAX_PAYLOAD}"):
        encode_json("x" * (MAX_PAYLOAD - 1), "args")


def test_json_that_is_nested_too_deep_is_refused() -> None:
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(InvalidInputError, match="args"):
        encode_json(deep, "args")


@pytest.mark.parametrize(
    ("job", "text"),
    [
        (Job("tidy"), '{"kind":"job","name":"tidy"}'),
        (Job("tidy", {"to": "tape"}), '{"kind":"job","name":"tidy","args":{"to":"tape"}}'),
    ],
)
def test_a_job_without_an_executor_is_written_as_before_there_were_any(job: Job, text: str) -> None:
    """A duly of before reads it."""
    assert encode_action(job) == text
    assert decode_job(text) == decode_action(text) == job


def test_a_job_of_an_executor_says_only_what_was_given() -> None:
    assert encode_action(Job("tidy", executor="heavy")) == '{"kind":"job","name":"tidy","executor":"heavy"}'


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)


@given(
    st.builds(
        Job,
        st.sampled_from(["tidy", "proj.tasks.report"]),
        st.dictionaries(st.text(min_size=1), _VALUES, max_size=2),
        executor=st.just("heavy"),
        positional=st.lists(_VALUES, max_size=3).map(tuple),
        queue=st.none() | st.just("slow"),
        task_priority=st.none() | st.integers(0, 255),
    )
)
def test_a_job_of_an_executor_is_read_as_it_was_written(job: Job) -> None:
    text = encode_action(job)
    assert decode_job(text) == decode_action(text) == job
    assert encode_action(decode_action(text)) == text
