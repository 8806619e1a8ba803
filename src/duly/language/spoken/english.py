"""What duly says in English."""

from __future__ import annotations

from duly.language.spoken.form import DateTexts, MessageTexts, Spoken

MESSAGES = MessageTexts(
    done="Done",
    snooze="{minutes} min later",
    dismiss="Dismiss",
    answers="Answer",
    is_it_done="Is it done?",
    was_done="✓ Done: {text}",
    was_snoozed="⏰ I will remind you {moment}: {text}",
    asks_again="⏰ I will ask again {moment}: {text}",
    was_dismissed="✗ Dismissed: {text}",
    is_over="This reminder is over already: {text}",
    not_snoozed="This reminder cannot be put off, so it stays open: {text}",
    in_quiet_hours="That is in your quiet hours, so it comes {moment}.",
    paired="Hello {name}! Your reminders come here from now on.",
    undelivered="A reminder for {name} could not be delivered: {text}",
    unanswered="{name} did not answer a reminder: {text}",
)

DATES = DateTexts(
    at="at {time}",
    today="today {at}",
    tomorrow="tomorrow {at}",
    yesterday="yesterday {at}",
    on_weekday="on {weekday} {at}",
    on_date="on {weekday}, {day} {month} {at}",
    on_date_of_year="on {weekday}, {day} {month} {year} {at}",
    minutes=("{n} minute", "{n} minutes"),
    hours=("{n} hour", "{n} hours"),
    days=("{n} day", "{n} days"),
    ahead="in {length}",
    late="Late {length}",
)

SPOKEN = Spoken(messages=MESSAGES, dates=DATES)
