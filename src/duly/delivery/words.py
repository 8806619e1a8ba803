"""The few words duly says by itself to the people it reminds, in their language."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from duly.zones import Zone


class Words(NamedTuple):
    """One language. Places in braces are filled in."""

    done: str
    snooze: str
    dismiss: str
    was_done: str
    was_snoozed: str
    was_dismissed: str
    is_over: str
    not_snoozed: str
    in_quiet_hours: str
    paired: str
    undelivered: str
    unanswered: str


_ENGLISH = Words(
    done="Done",
    snooze="{minutes} min later",
    dismiss="Dismiss",
    was_done="✓ Done: {text}",
    was_snoozed="⏰ Until {time}: {text}",
    was_dismissed="✗ Dismissed: {text}",
    is_over="This reminder is over already: {text}",
    not_snoozed="This reminder cannot be put off: {text}",
    in_quiet_hours="That is in your quiet hours, so it comes at {time}.",
    paired="Hello {name}! Your reminders come here from now on.",
    undelivered="A reminder for {name} could not be delivered: {text}",
    unanswered="{name} did not answer a reminder: {text}",
)

_WORDS: dict[str, Words] = {
    "en": _ENGLISH,
    "de": Words(
        done="Erledigt",
        snooze="In {minutes} Min.",
        dismiss="Verwerfen",
        was_done="✓ Erledigt: {text}",
        was_snoozed="⏰ Bis {time}: {text}",
        was_dismissed="✗ Verworfen: {text}",
        is_over="Diese Erinnerung ist schon vorbei: {text}",
        not_snoozed="Diese Erinnerung lässt sich nicht verschieben: {text}",
        in_quiet_hours="Das liegt in deiner Ruhezeit, sie kommt um {time}.",
        paired="Hallo {name}! Deine Erinnerungen kommen ab jetzt hier an.",
        undelivered="Eine Erinnerung für {name} ließ sich nicht zustellen: {text}",
        unanswered="{name} hat auf eine Erinnerung nicht geantwortet: {text}",
    ),
    "hr": Words(
        done="Gotovo",
        snooze="Za {minutes} min",
        dismiss="Odbaci",
        was_done="✓ Gotovo: {text}",
        was_snoozed="⏰ Do {time}: {text}",
        was_dismissed="✗ Odbačeno: {text}",
        is_over="Ovaj podsjetnik je već završen: {text}",
        not_snoozed="Ovaj se podsjetnik ne može odgoditi: {text}",
        in_quiet_hours="To je u tvojim tihim satima, pa stiže u {time}.",
        paired="Bok, {name}! Tvoji podsjetnici odsad stižu ovamo.",
        undelivered="Podsjetnik za {name} nije se mogao dostaviti: {text}",
        unanswered="{name} ne odgovara na podsjetnik: {text}",
    ),
    "sr": Words(
        done="Gotovo",
        snooze="Za {minutes} min",
        dismiss="Odbaci",
        was_done="✓ Gotovo: {text}",
        was_snoozed="⏰ Do {time}: {text}",
        was_dismissed="✗ Odbačeno: {text}",
        is_over="Ovaj podsetnik je već završen: {text}",
        not_snoozed="Ovaj podsetnik ne može da se odloži: {text}",
        in_quiet_hours="To je u tvojim tihim satima, pa stiže u {time}.",
        paired="Zdravo, {name}! Tvoji podsetnici odsad stižu ovde.",
        undelivered="Podsetnik za {name} nije mogao da se dostavi: {text}",
        unanswered="{name} ne odgovara na podsetnik: {text}",
    ),
    "es": Words(
        done="Hecho",
        snooze="En {minutes} min",
        dismiss="Descartar",
        was_done="✓ Hecho: {text}",
        was_snoozed="⏰ Hasta las {time}: {text}",
        was_dismissed="✗ Descartado: {text}",
        is_over="Este recordatorio ya ha terminado: {text}",
        not_snoozed="Este recordatorio no se puede posponer: {text}",
        in_quiet_hours="Eso cae en tus horas de silencio: llegará a las {time}.",
        paired="¡Hola, {name}! Tus recordatorios llegarán aquí.",
        undelivered="No se pudo entregar un recordatorio para {name}: {text}",
        unanswered="{name} no ha respondido a un recordatorio: {text}",
    ),
    "fr": Words(
        done="Fait",
        snooze="Dans {minutes} min",
        dismiss="Ignorer",
        was_done="✓ Fait : {text}",
        was_snoozed="⏰ Jusqu'à {time} : {text}",
        was_dismissed="✗ Ignoré : {text}",
        is_over="Ce rappel est déjà terminé : {text}",
        not_snoozed="Ce rappel ne peut pas être reporté : {text}",
        in_quiet_hours="C'est pendant tes heures calmes : il arrivera à {time}.",
        paired="Bonjour {name} ! Tes rappels arriveront ici.",
        undelivered="Un rappel pour {name} n'a pas pu être remis : {text}",
        unanswered="{name} n'a pas répondu à un rappel : {text}",
    ),
    "it": Words(
        done="Fatto",
        snooze="Tra {minutes} min",
        dismiss="Ignora",
        was_done="✓ Fatto: {text}",
        was_snoozed="⏰ Fino alle {time}: {text}",
        was_dismissed="✗ Ignorato: {text}",
        is_over="Questo promemoria è già concluso: {text}",
        not_snoozed="Questo promemoria non si può rimandare: {text}",
        in_quiet_hours="È nelle tue ore di silenzio: arriverà alle {time}.",
        paired="Ciao {name}! I tuoi promemoria arriveranno qui.",
        undelivered="Un promemoria per {name} non è stato consegnato: {text}",
        unanswered="{name} non ha risposto a un promemoria: {text}",
    ),
}


def words(language: str | None) -> Words:
    """The words of a language (`de`, `de-AT`), English when it is not among ours."""
    return _WORDS.get((language or "").partition("-")[0].partition("_")[0].lower(), _ENGLISH)


def clock_time(moment: datetime, zone: Zone, now: datetime) -> str:
    """A moment on a person's clocks; with its date unless that is today."""
    local, today = zone.localize(moment), zone.localize(now).date()
    return f"{local:%H:%M}" if local.date() == today else f"{local:%Y-%m-%d %H:%M}"
