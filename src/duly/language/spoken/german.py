"""What duly says in German."""

from __future__ import annotations

from duly.language.spoken.form import DateTexts, MessageTexts, Spoken

MESSAGES = MessageTexts(
    done="Erledigt",
    snooze="In {minutes} Min.",
    dismiss="Verwerfen",
    answers="Antworten",
    is_it_done="Ist es erledigt?",
    was_done="✓ Erledigt: {text}",
    was_snoozed="⏰ Ich erinnere dich {moment}: {text}",
    asks_again="⏰ Ich frage {moment} wieder: {text}",
    was_dismissed="✗ Verworfen: {text}",
    is_over="Diese Erinnerung ist schon vorbei: {text}",
    not_snoozed="Diese Erinnerung lässt sich nicht verschieben und bleibt offen: {text}",
    in_quiet_hours="Das liegt in deiner Ruhezeit, sie kommt {moment}.",
    paired="Hallo {name}! Deine Erinnerungen kommen ab jetzt hier an.",
    undelivered="Eine Erinnerung für {name} ließ sich nicht zustellen: {text}",
    unanswered="{name} hat auf eine Erinnerung nicht geantwortet: {text}",
)

DATES = DateTexts(
    at="um {time}",
    today="heute {at}",
    tomorrow="morgen {at}",
    yesterday="gestern {at}",
    on_weekday="am {weekday} {at}",
    on_date="am {weekday}, den {day} {month} {at}",
    on_date_of_year="am {weekday}, den {day} {month} {year} {at}",
    minutes=("{n} Minute", "{n} Minuten"),
    hours=("{n} Stunde", "{n} Stunden"),
    days=("{n} Tag", "{n} Tage"),
    ahead="in {length}",
    days_ahead=("{n} Tag", "{n} Tagen"),
    late="Verspätet um {length}",
)

SPOKEN = Spoken(messages=MESSAGES, dates=DATES)
