"""The form of what duly says to people in one language. Places in braces are filled in.

Every sentence that reaches a person in a chat or a message comes from one of these tables. Each language is one file.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class MessageTexts(NamedTuple):
    """What duly says to people about their reminders. Places in braces are filled in."""

    done: str
    snooze: str
    this_evening: str
    tomorrow_morning: str
    dismiss: str
    answers: str
    """The label that opens a list of answers."""
    is_it_done: str
    """The question of a reminder that wants an answer and has no question of its own."""
    is_coming: str
    """Ahead of the time of a reminder."""
    was_done: str
    was_snoozed: str
    asks_again: str
    """After a bare no: it is not done, and the person did not say when it will be."""
    was_dismissed: str
    was_done_by: str
    """To the other people of a shared reminder; `name` has done it."""
    was_dismissed_by: str
    is_over: str
    asks_until: str
    """When a reminder is made that wants an answer."""
    not_snoozed: str
    in_quiet_hours: str
    in_quiet_hours_of: str
    """The same, to another person who makes the reminder."""
    digest: str
    """Before several reminders in one message."""
    digest_today: str
    """The same, where all of them are of this day."""
    in_digest: str
    """When a reminder is made that will be a part of a digest."""
    in_digest_of: str
    other_reading: str
    """After a time that can be read in two ways, where duly cannot ask back."""
    paired: str
    undelivered: str
    unanswered: str
    done_late: str
    """To the admins who heard that a person did not answer: they have, after all."""
    dismissed_late: str
    snoozed_late: str
    unwilling: str
    """To the admins, of a critical reminder: `words` are what the person wrote."""


class DateTexts(NamedTuple):
    """How a person says moments and lengths of time."""

    at: str
    today: str
    tomorrow: str
    yesterday: str
    on_weekday: str
    """Within the next six days."""
    on_date: str
    on_date_of_year: str
    """In another year than this."""
    minutes: tuple[str, ...]
    """One, several; or one, two to four, many."""
    hours: tuple[str, ...]
    days: tuple[str, ...]
    ahead: str
    """So long from now."""
    late: str
    """The note before a reminder that comes too late."""
    at_one: str | None = None
    """For the hour of one, where it has an article of its own."""
    days_ahead: tuple[str, ...] | None = None
    """Days after the word of `ahead`, where they have another case."""


class ChatTexts(NamedTuple):
    """What duly answers in a chat. Examples in quotes can be sent as they are."""

    reminds: str
    reminds_often: str
    """`rule` says how often, `moment` is the next time."""
    reminds_people: str
    """The same for other people; `names` has one or more."""
    reminds_people_often: str
    only_yourself: str
    """To a person who asks for a reminder of others, and may not."""
    unknown_person: str
    comes_before: str
    """What comes ahead of a reminder; `lengths` has one or more."""
    comes_after: str
    """A reminder that comes again so long after it is done."""
    wants_answer: str
    """After a reminder that wants an answer; it says how to change that."""
    is_important: str
    """After one that is important and wants none."""
    answers_always: str
    """After the person has chosen for which reminders duly wants an answer."""
    answers_medicine: str
    answers_never: str
    asks_when: str
    asks_what: str
    asks_which: str
    """Before a numbered list of reminders."""
    asks_meaning: str
    """Before a numbered list of times, each with a text."""
    not_read: str
    """Words that may be of the time, and were not understood."""
    why_past: str
    """Why a time is refused; `text` is how it was said."""
    why_deadline: str
    why_doubtful: str
    why_impossible: str
    why_often: str
    """So many times a day, without the hours."""
    asks_done: str
    """After a claim that may be about something else."""
    asks_skip: str
    """After words of a person who does not want to."""
    asks_reading: str
    """Before a numbered list of times."""
    took_first: str
    """After a doubtful time, where the channel has no buttons to ask back; `moment` is the other reading."""
    offers: str
    answer_number: str
    """After a numbered list."""
    yes: str
    no: str
    nothing_done: str
    question_over: str
    """The button belongs to a question that was answered or forgotten."""
    today: str
    tomorrow: str
    week: str
    next_week: str
    weekend: str
    all: str
    list_none: str
    list_head: str
    list_line: str
    """When a reminder comes, and its text, or the other way round."""
    more: str
    paused_word: str
    """Beside a paused reminder in a list."""
    paused_next: str
    """The same, where the pause has an end."""
    put_off: str
    """Beside a reminder that came and was snoozed."""
    waits: str
    """Beside a reminder that came and waits for its answer."""
    moved: str
    moved_often: str
    moves_series: str
    """A series has no single time: `rule` says how often it comes."""
    removed: str
    removes_one: str
    skipped: str
    skips_next: str
    """To a person who wants to leave out another time than the next."""
    paused: str
    paused_all: tuple[str, ...]
    """One, several; or one, two to four, many."""
    goes_on: str
    """After a pause that has an end."""
    resumed: str
    resumed_all: tuple[str, ...]
    none_paused: str
    none_before: str
    """After a pause until a time before which no reminder comes."""
    say_undo: str
    undone: str
    nothing_to_undo: str
    not_undone: str
    not_found: str
    nearest: str
    none_yet: str
    not_understood: str
    courtesy: str
    """To a message that only thanks or greets."""
    only_text: str
    """To a picture, a voice message and the like."""
    understood_time: str
    example: str
    help: str
    no_button: str
    stranger: str
    """To a chat that belongs to no person yet."""
    chat_taken: str
    time_passed: str
    snooze_too_far: str
    too_many: str
    too_often: str
    """`length` is the shortest interval that is allowed."""
    too_long: str
    went_wrong: str


class NoticeTexts(NamedTuple):
    """What duly says about runs that ended."""

    failed: str
    failed_often: str
    """Several runs in a row."""
    failed_and_works: str
    """It works again by the time this is said."""
    failed_many: str
    """Several schedules for the same reason; their names follow."""
    works: str
    works_many: str
    next_attempt: str
    no_next_attempt: str
    no_reason: str
    no_answer: str
    and_more: str
    """After names, of which only the first are listed."""
    shortened: str
    """Instead of the end of a long answer."""
    cost: str
    session: str
    agent_silent: str
    """Why a run failed: its agent ended, and said nothing."""
    limit_until: str
    """Why a run failed: its agent has a usage limit that ends too late to wait for."""
    limit_reached: str
    """The same, where the agent does not say when its limit ends."""
    not_taken: str
    """Under a notice that a webhook did not take; `host` is its server."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spoken:
    """Everything duly says in one language."""

    messages: MessageTexts
    dates: DateTexts
    chat: ChatTexts
    notices: NoticeTexts
