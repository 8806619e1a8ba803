"""Usage limits in the words of the tools: which ends are a spent window, and when it resets."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duly.agents import PRESETS, profile_from
from duly.agents.limits import LimitPattern, ResetForm, SpentWindow, limit_reset, reset_value, spent_window
from duly.errors import ConfigError

NOW = datetime(2026, 11, 16, 10, tzinfo=UTC)
HERE = "Europe/Berlin"  # 11:00
RATE_LIMITED = '429 {"type":"error","error":{"type":"rate_limit_error","message":"This request would exceed your …"}}'
SPENT = [
    ("claude", "Claude AI usage limit reached|1794830400", "2026-11-16 12:00"),
    ("claude", "You've hit your limit · resets 3pm (Europe/Zagreb)", "2026-11-16 14:00"),
    ("claude", "You've hit your session limit · resets 8:30am (America/Los_Angeles)", "2026-11-16 16:30"),
    ("claude", "5-hour limit reached ∙ resets 3pm", "2026-11-16 14:00"),
    ("claude", "Weekly limit reached · resets 10am (Asia/Seoul) · /upgrade to Max", "2026-11-17 01:00"),
    ("claude", "Opus weekly limit reached ∙ resets Nov 20, 1pm", "2026-11-20 12:00"),
    ("claude", "You've hit your weekly limit · resets Nov 18 at 7pm", "2026-11-18 18:00"),
    ("claude", "You've hit your weekly limit · resets Jan 2, 2am (UTC)", "2027-01-02 02:00"),
    ("claude", "You've hit your limit - resets Nov 17, 11am (Asia/Seoul)/login to switch …", "2026-11-17 02:00"),
    ("claude", "You’ve hit your limit for Claude messages. Limits will reset at 9:30 AM.  View …", "2026-11-17 08:30"),
    ("claude", "Claude usage limit reached. Your limit will reset at 5pm (Europe/Warsaw).", "2026-11-16 16:00"),
    ("claude", "You're out of extra usage · resets 3pm (Asia/Tokyo)", "2026-11-17 06:00"),
    (
        "claude",
        "You have reached your specified API usage limits. You will regain access on 2026-12-01 at 00:00 UTC.",
        "2026-12-01 00:00",
    ),
    ("claude", "5-hour limit reached ∙ resets 10:55am", "2026-11-16 09:55"),  # five minutes ago: it is about to
    ("claude", f"API Error: {RATE_LIMITED}", None),
    ("claude", "You've hit your limit · resets soon", None),
    ("claude", "You've hit your limit · resets 3pm (Middle/Earth)", None),
    (
        "codex",
        "You've hit your usage limit. Upgrade to Pro (https://…) or try again in 2 days 17 hours 14 minutes.",
        "2026-11-19 03:14",
    ),
    ("codex", "You've hit your usage limit. … or try again in 2 hours 30 minutes.", "2026-11-16 12:30"),
    (
        "codex",
        "You've hit your usage limit. To get more access, send a request … or try again at 12:16 PM.",
        "2026-11-16 11:16",
    ),
    (
        "codex",
        "You've hit your usage limit. Visit https://… to get more credits or try again at Nov 18th, 2026 11:52 PM.",
        "2026-11-18 22:52",
    ),
    (
        "codex",
        "You've hit your usage limit for GPT-5-Spark. Switch to another model now, or try again at 1:05 PM.",
        "2026-11-16 12:05",
    ),
    ("codex", '{"type":"usage_limit_reached","resets_at":1794830400,"eligible_promo":null}', "2026-11-16 12:00"),
    ("codex", '{"type":"usage_limit_reached","plan_type":"plus","resets_in_seconds":7200}', "2026-11-16 12:00"),
    (
        "codex",
        "Rate limit reached for gpt-5 on tokens per min. Please try again in 90s. Visit https://…",
        "2026-11-16 10:01:30",
    ),
    ("codex", "You've hit your usage limit. Try again later.", None),
    ("codex", "You've hit your usage limit. Upgrade your plan, or try again at 10 de jul. de 2026, 11:52.", None),
    ("codex", "exceeded retry limit, last status: 429 Too Many Requests", None),
    (
        "gemini",
        "[API Error: You have exhausted your capacity on this model. Your quota will reset after 8h44m7s.]",
        "2026-11-16 18:44:07",
    ),
    (
        "gemini",
        "Attempt 1 failed: … Your quota will reset after 5s.. Retrying\n… Your quota will reset after 1h0m0s.",
        "2026-11-16 11:00",
    ),  # the last word counts
    (
        "gemini",
        '{"error":{"code":429,"message":"You exceeded your … Please retry in 23h12m.","status":"RESOURCE_EXHAUSTED"}}',
        "2026-11-17 09:12",
    ),
    (
        "gemini",
        r"{\"@type\": \"type.googleapis.com/google.rpc.RetryInfo\",\n \"retryDelay\": \"34s\"}",
        "2026-11-16 10:00:34",
    ),
    ("gemini", "You have exhausted your daily quota on this model.", "2026-11-17 08:00"),
    (
        "gemini",
        "Quota exceeded for quota metric '…' and limit 'Gemini 2.5 Pro Requests per day per user per tier'",
        "2026-11-17 08:00",
    ),
    ("gemini", "Resource has been exhausted (e.g. check quota).", None),
    ("opencode", "Free usage exceeded, subscribe to Go", None),
    ("opencode", "Too Many Requests", None),
    ("opencode", "The usage limit has been reached", None),
    ("opencode", "You've hit your limit · resets 3pm (Europe/Zagreb)", "2026-11-16 14:00"),
    ("aider", "litellm.RateLimitError: Rate limit reached. Please try again in 6m0s.", "2026-11-16 10:06"),
]
OTHER_FAILURES = [
    ("claude", "Not logged in · Please run /login"),
    ("claude", "Credit balance is too low"),
    ("claude", "Reached maximum budget ($0.5)"),
    ("claude", "API Error: 529 overloaded_error"),
    ("codex", "unexpected status 401 Unauthorized: Missing bearer or basic authentication in header"),
    ("codex", "Your workspace is out of credits. Add credits to continue."),
    ("codex", "Quota exceeded. Check your plan and billing details."),
    ("gemini", "Please set an Auth method in your settings.json"),
    ("opencode", "API key is missing"),
    ("aider", "litellm.AuthenticationError: AnthropicException - invalid x-api-key"),
]


@pytest.mark.parametrize(("tool", "said", "reset"), SPENT)
def test_a_spent_window_is_recognised_with_its_reset(tool: str, said: str, reset: str | None) -> None:
    expected = None if reset is None else datetime.fromisoformat(reset).replace(tzinfo=UTC)
    assert spent_window(PRESETS[tool].limit_patterns, said, NOW, HERE) == SpentWindow(reset=expected)


@pytest.mark.parametrize(("tool", "said"), OTHER_FAILURES)
def test_other_failures_are_none(tool: str, said: str) -> None:
    assert spent_window(PRESETS[tool].limit_patterns, said, NOW, HERE) is None


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("", ResetForm.CLOCK),
        ("15", ResetForm.CLOCK),
        ("13pm", ResetForm.CLOCK),
        ("25:00", ResetForm.CLOCK),
        ("Feb 30, 3pm", ResetForm.CLOCK),
        ("2026-02-30 at 10:00", ResetForm.CLOCK),
        ("Foo 3, 3pm", ResetForm.CLOCK),
        ("", ResetForm.LENGTH),
        ("3 parsecs", ResetForm.LENGTH),
        ("5 minutes or so", ResetForm.LENGTH),
        ("99999 days", ResetForm.LENGTH),
        ("17", ResetForm.EPOCH),
        ("9999999999", ResetForm.EPOCH),
        ("3pm", ResetForm.NONE),
    ],
)
def test_words_that_cannot_be_read_for_certain_name_no_reset(text: str, form: ResetForm) -> None:
    assert limit_reset(text, NOW, HERE, form) is None


@pytest.mark.parametrize(
    ("value", "reset"),
    [
        (1794830400, NOW + timedelta(hours=2)),
        (1794830400000, NOW + timedelta(hours=2)),
        ("120", NOW + timedelta(minutes=2)),
        (1.5, NOW + timedelta(seconds=1.5)),
        ("Wed, 21 Oct 2026 07:28:00 GMT", None),
        (True, None),
        ({}, None),
        (10**30, None),
    ],
)
def test_a_reset_that_is_told_as_a_number(value: object, reset: datetime | None) -> None:
    assert reset_value(value, NOW) == reset


@pytest.mark.parametrize(
    ("text", "days"), [("Monday 12:30pm", 0), ("Mon 8am", 7), ("Tue 8am", 1), ("tomorrow at 8am", 1)]
)
def test_days_of_the_week_mean_the_next_one(text: str, days: int) -> None:
    reset = limit_reset(text, NOW, HERE, ResetForm.CLOCK)
    assert reset is not None
    assert (reset.astimezone(ZoneInfo(HERE)).date() - NOW.date()).days == days


moments = st.datetimes(datetime(2024, 1, 1), datetime(2030, 1, 1)).map(  # noqa: DTZ001  made aware here
    lambda moment: moment.replace(second=0, microsecond=0, tzinfo=UTC)
)
zones = st.sampled_from(["Europe/Zagreb", "America/Los_Angeles", "Asia/Kolkata", "Australia/Lord_Howe", "UTC"])
TWELVE = "%I:%M%p"


@given(moments, zones, st.integers(0, 23 * 60 + 50))
def test_a_time_of_day_within_a_day_is_read_back(now: datetime, zone: str, minutes: int) -> None:
    reset = now + timedelta(minutes=minutes)
    local = reset.astimezone(ZoneInfo(zone))
    read = limit_reset(f"{local.strftime(TWELVE)} ({zone})", now, "UTC", ResetForm.CLOCK)
    assert read is not None
    if local.replace(fold=0).utcoffset() == local.replace(fold=1).utcoffset():  # else it is told in two ways
        offsets = {moment.astimezone(ZoneInfo(zone)).utcoffset() for moment in (now - timedelta(days=1), now, reset)}
        assert read == reset or len(offsets) > 1
    assert read.astimezone(ZoneInfo(zone)).strftime("%M") == local.strftime("%M")


@given(moments, zones, st.integers(0, 150 * 24 * 60))
def test_a_date_with_a_time_is_read_back(now: datetime, zone: str, minutes: int) -> None:
    local = (now + timedelta(minutes=minutes)).astimezone(ZoneInfo(zone)).replace(fold=0)
    meant = local.astimezone(UTC)
    for text in (
        local.strftime("%b %d, %I:%M%p"),
        local.strftime("%b %dth, %Y %I:%M %p"),
        local.strftime("%Y-%m-%dT%H:%M"),
    ):
        assert limit_reset(text, now, zone, ResetForm.CLOCK) == meant


@given(moments, st.integers(0, 9), st.integers(0, 23), st.integers(0, 59), st.integers(0, 59))
def test_a_length_is_read_back(now: datetime, days: int, hours: int, minutes: int, seconds: int) -> None:
    meant = now + timedelta(days=days, hours=hours, minutes=minutes, seconds=seconds)
    words = f"{days} days, {hours} hours {minutes} minutes and {seconds} seconds"
    for text in (f"{days}d{hours}h{minutes}m{seconds}s", words, str(int((meant - now).total_seconds()))):
        assert limit_reset(text, now, "UTC", ResetForm.LENGTH) == meant


@given(st.text(max_size=200), st.sampled_from(list(ResetForm)))
def test_no_text_is_too_strange(text: str, form: ResetForm) -> None:
    reset = limit_reset(text, NOW, HERE, form)
    assert reset is None or abs(reset - NOW) <= timedelta(days=400)


@given(st.text(alphabet="You've hit limt·reset 0123456789apm(/)|:,", max_size=400), st.sampled_from(sorted(PRESETS)))
def test_no_complaint_is_too_strange(text: str, tool: str) -> None:
    spent_window(PRESETS[tool].limit_patterns, text, NOW, HERE)


def test_a_profile_has_words_of_its_own() -> None:
    patterns = [{"match": r"come back at (\S+)", "reset": "clock"}, {"match": "sated"}]
    mine = profile_from("mine", {"preset": "claude", "limit_patterns": patterns, "limit_wait": "6h"}, PRESETS)
    assert mine.limit_patterns == (
        LimitPattern(match=r"come back at (\S+)", reset=ResetForm.CLOCK),
        LimitPattern(match="sated"),
    )
    assert mine.limit_wait == 6 * 3600
    assert spent_window(mine.limit_patterns, "I am sated", NOW, HERE) == SpentWindow(reset=None)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"limit_patterns": "spent"}, "limit_patterns: must be a list of tables such as"),
        ({"limit_patterns": ["spent"]}, "limit_patterns: has tables such as"),
        ({"limit_patterns": [{"match": "("}]}, r"match: is no regular expression"),
        ({"limit_patterns": [{"match": "x", "reset": "clock"}]}, "needs one group, around the reset"),
        ({"limit_patterns": [{"match": "x", "reset": "never"}]}, "must be one of 'epoch', 'clock', 'length', 'none'"),
        ({"limit_patterns": [{"match": "x", "until": "3pm"}]}, "limit_patterns.until"),
        ({"limit_wait": "long"}, "limit_wait: must be seconds or text"),
        ({"limit_wait": -1}, "limit_wait: must be seconds or text"),
        ({"limit_note": 3}, "limit_note: must be a text"),
        ({"limit_path": "a:b:c"}, "limit_path: must be a path"),
    ],
)
def test_a_wrong_setting_is_refused_by_name(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(ConfigError) as refused:
        profile_from("mine", {"preset": "claude", **settings}, PRESETS)
    assert words in str(refused.value)
