"""What duly says in Serbian, in the Latin alphabet."""

from __future__ import annotations

from duly.language.spoken.form import DateTexts, MessageTexts, Spoken

MESSAGES = MessageTexts(
    done="Gotovo",
    snooze="Za {minutes} min",
    dismiss="Odbaci",
    answers="Odgovori",
    is_it_done="Da li je gotovo?",
    was_done="✓ Gotovo: {text}",
    was_snoozed="⏰ Podsećam te {moment}: {text}",
    asks_again="⏰ Pitam opet {moment}: {text}",
    was_dismissed="✗ Odbačeno: {text}",
    is_over="Ovaj podsetnik je već završen: {text}",
    not_snoozed="Ovaj podsetnik ne može da se odloži i ostaje otvoren: {text}",
    in_quiet_hours="To je u tvojim tihim satima, pa stiže {moment}.",
    paired="Zdravo, {name}! Tvoji podsetnici odsad stižu ovde.",
    undelivered="Podsetnik za {name} nije mogao da se dostavi: {text}",
    unanswered="{name} ne odgovara na podsetnik: {text}",
)

DATES = DateTexts(
    at="u {time}",
    today="danas {at}",
    tomorrow="sutra {at}",
    yesterday="juče {at}",
    on_weekday="u {weekday} {at}",
    on_date="u {weekday}, {day} {month} {at}",
    on_date_of_year="u {weekday}, {day} {month} {year}. {at}",
    minutes=("{n} minut", "{n} minuta", "{n} minuta"),
    hours=("{n} sat", "{n} sata", "{n} sati"),
    days=("{n} dan", "{n} dana", "{n} dana"),
    ahead="za {length}",
    late="Kasni {length}",
)

SPOKEN = Spoken(messages=MESSAGES, dates=DATES)
