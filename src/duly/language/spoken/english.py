"""What duly says in English."""

from __future__ import annotations

from duly.language.spoken.form import ChatTexts, DateTexts, MessageTexts, NoticeTexts, Spoken

MESSAGES = MessageTexts(
    done="Done",
    snooze="{minutes} min later",
    this_evening="This evening",
    tomorrow_morning="Tomorrow morning",
    dismiss="Dismiss",
    answers="Answer",
    is_it_done="Is it done?",
    is_coming="{ahead}: {text}",
    was_done="✓ Done: {text}",
    was_snoozed="⏰ I will remind you {moment}: {text}",
    asks_again="⏰ I will ask again {moment}: {text}",
    was_dismissed="✗ Dismissed: {text}",
    was_done_by="✓ {name} has done it: {text}",
    was_dismissed_by="✗ {name} has dismissed it: {text}",
    is_over="This reminder is over already: {text}",
    asks_until="I will ask again until you answer.",
    not_snoozed="This reminder cannot be put off, so it stays open: {text}",
    in_quiet_hours="That is in your quiet hours, so it comes {moment}.",
    in_quiet_hours_of="That is in {name}'s quiet hours, so it comes {moment}.",
    digest="{count} things:",
    digest_today="Today, {count} things:",
    in_digest="It comes with your digest {moment}.",
    in_digest_of="It comes with {name}'s digest {moment}.",
    other_reading="If you meant {moment}, write that instead.",
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

CHAT = ChatTexts(
    reminds="⏰ I will remind you {moment} ({zone}): {text}",
    reminds_often="⏰ I will remind you {rule}, next {moment} ({zone}): {text}",
    reminds_people="⏰ I will remind {names} {moment} ({zone}): {text}",
    reminds_people_often="⏰ I will remind {names} {rule}, next {moment} ({zone}): {text}",
    only_yourself=("I can only remind you yourself here. The person who runs duly can make reminders for others."),
    unknown_person="I do not know a person called “{name}”, so I made no reminder.",
    comes_before="Also {lengths} before.",
    comes_after="And again {length} after it is done.",
    asks_when="When should I remind you of “{text}”? Say for example: “tomorrow at 9”.",
    asks_what=(
        "What should I remind you of {moment}? Say it in one sentence: “remind me to call the bank tomorrow at 10”."
    ),
    asks_which="Which one do you mean?",
    asks_meaning="What do you mean?",
    not_read="I did not understand “{text}”.",
    why_past="“{text}” has passed already.",
    why_deadline="“{text}” says until when, but not when I should remind you.",
    why_doubtful="“{text}” may mean two things.",
    why_impossible="There is no such time: “{text}”.",
    why_often="“{text}” does not say exactly when.",
    asks_reading="Which time do you mean for “{text}”?",
    took_first="If you meant {moment}, say: “move {text} to …”.",
    offers="Should I remind you {moment} ({zone}): {text}?",
    answer_number="Answer with the number.",
    yes="Yes",
    no="No",
    nothing_done="OK, nothing was changed.",
    question_over="This question is closed. Just ask again.",
    today="Today",
    tomorrow="Tomorrow",
    week="The next 7 days",
    next_week="Next week",
    weekend="The weekend",
    all="Your reminders",
    list_none="{span}: nothing.",
    list_head="{span} ({zone}):",
    list_line="• {first}: {second}",
    more="… and {count} more",
    paused_word="paused",
    paused_next="paused, next {moment}",
    put_off="{moment}, put off",
    waits="waits for your answer",
    moved="✓ Moved, it now comes {moment} ({zone}): {text}",
    moved_often="✓ Moved, it now comes {rule}, next {moment} ({zone}): {text}",
    moves_series=(
        "“{text}” comes again and again ({rule}). Tell me the new rule, for example: “move {text} to every day at 9”."
    ),
    removed="✗ Removed: {text}",
    removes_one="I remove one reminder at a time: tell me which. “pause everything” silences them all.",
    skipped="⏭ Left out {moment} ({zone}): {text}",
    skips_next="I can only leave out the next time, {moment}: {text}",
    paused="⏸ Paused: {text}",
    paused_all=("⏸ {n} reminder is paused.", "⏸ {n} reminders are paused."),
    goes_on="It continues {moment} ({zone}).",
    resumed="▶ On again, next {moment} ({zone}): {text}",
    resumed_all=("▶ {n} reminder is on again.", "▶ {n} reminders are on again."),
    none_paused="Nothing is paused.",
    none_before="Nothing comes before then, so nothing was paused.",
    say_undo="“undo” takes it back.",
    undone="↩ Taken back: {text}",
    nothing_to_undo="There is nothing to take back: I keep steps for an hour.",
    not_undone="That cannot be taken back any more, because it has changed since.",
    not_found="I found no reminder about “{target}”.",
    nearest="The nearest one is: {text}",
    none_yet="You have no reminders yet.",
    not_understood="Sorry, I did not understand that.",
    courtesy="🙂 “help” shows what I understand.",
    only_text="I can only read text. Please write to me what you want to say.",
    understood_time="I understood the time ({moment}), but not what to do then.",
    example=("Say for example: “remind me to call the bank tomorrow at 10”. “help” shows what else I understand."),
    help=(
        "You can write to me like this:\n"
        "• “remind me to call the bank tomorrow at 10”\n"
        "• “remind me every day at 8 to take my vitamins”\n"
        "• “what's on today?”, “what's on this week?”\n"
        "• “move the dentist to Friday at 9”\n"
        "• “cancel the dentist”\n"
        "• “pause everything until Monday”, “resume everything”\n"
        "• “undo”\n"
        "To a reminder you can answer “done”, “in 10 minutes” or “skip it”."
    ),
    no_button="This button belongs to no reminder of yours any more.",
    stranger=("I do not know this chat yet. Ask the person who runs duly for a pairing code, and send it to me here."),
    chat_taken="This chat already belongs to another person.",
    time_passed="That time has passed. Say a later one.",
    snooze_too_far="I can put it off for at most {days} days. Say an earlier time.",
    too_many="You have as many reminders as you may have. Remove one first.",
    too_often="That is too often. The shortest interval is {length}.",
    too_long="That is too long for a reminder. Say it in fewer words.",
    went_wrong="That did not work, and nothing was changed. Please try again later.",
)

NOTICES = NoticeTexts(
    failed="✗ {name} failed {moment}: {reason}",
    failed_often="✗ {name} failed {moment}, {count} times in a row: {reason}",
    failed_and_works="✗ {name} failed {moment}, and works again: {reason}",
    failed_many="✗ {count} schedules failed: {reason}",
    works="✓ {name} works again.",
    works_many="✓ {count} schedules work again: {names}",
    next_attempt="Next attempt {moment}.",
    no_next_attempt="No further attempt is planned.",
    no_reason="no reason is known",
    no_answer="It ended without an answer.",
    and_more="and {count} more",
    shortened="… {count} more characters",
    cost="Cost: {cost}",
    session="Session: {session}",
    agent_silent="the agent gave no answer",
    limit_until="the usage limit of the agent is reached, it works again {moment}",
    limit_reached="the usage limit of the agent is reached, and it does not say for how long",
    not_taken="{host} did not take this message, so it is here.",
)

SPOKEN = Spoken(messages=MESSAGES, dates=DATES, chat=CHAT, notices=NOTICES)
