"""What duly says in Croatian."""

from __future__ import annotations

from duly.language.spoken.form import DateTexts, MessageTexts, Spoken

MESSAGES = MessageTexts(
    done="Gotovo",
    snooze="Za {minutes} min",
    dismiss="Odbaci",
    answers="Odgovori",
    is_it_done="Je li gotovo?",
    was_done="✓ Gotovo: {text}",
    was_snoozed="⏰ Podsjećam te {moment}: {text}",
    asks_again="⏰ Pitam opet {moment}: {text}",
    was_dismissed="✗ Odbačeno: {text}",
    is_over="Ovaj podsjetnik je već završen: {text}",
    not_snoozed="Ovaj se podsjetnik ne može odgoditi i ostaje otvoren: {text}",
    in_quiet_hours="To je u tvojim tihim satima, pa stiže {moment}.",
    paired="Bok, {name}! Tvoji podsjetnici odsad stižu ovamo.",
    undelivered="Podsjetnik za {name} nije se mogao dostaviti: {text}",
    unanswered="{name} ne odgovara na podsjetnik: {text}",
)

DATES = DateTexts(
    at="u {time}",
    today="danas {at}",
    tomorrow="sutra {at}",
    yesterday="jučer {at}",
    on_weekday="u {weekday} {at}",
    on_date="u {weekday}, {day} {month} {at}",
    on_date_of_year="u {weekday}, {day} {month} {year}. {at}",
    minutes=("{n} minutu", "{n} minute", "{n} minuta"),
    hours=("{n} sat", "{n} sata", "{n} sati"),
    days=("{n} dan", "{n} dana", "{n} dana"),
    ahead="za {length}",
    late="Kasni {length}",
)

SPOKEN = Spoken(messages=MESSAGES, dates=DATES)
