"""The few words duly says by itself to the people it reminds, in their language."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from duly.model.action import Message
from duly.zones import Zone


class Words(NamedTuple):
    """One language. Places in braces are filled in."""

    done: str
    snooze: str
    dismiss: str
    is_it_done: str
    """The question of a reminder that wants an answer and has no question of its own."""
    was_done: str
    was_snoozed: str
    asks_again: str
    """After a bare no: it is not done, and nobody said when it will be."""
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
    is_it_done="Is it done?",
    was_done="✓ Done: {text}",
    was_snoozed="⏰ Until {time}: {text}",
    asks_again="⏰ I will ask again at {time}: {text}",
    was_dismissed="✗ Dismissed: {text}",
    is_over="This reminder is over already: {text}",
    not_snoozed="This reminder cannot be put off, so it stays open: {text}",
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
        is_it_done="Ist es erledigt?",
        was_done="✓ Erledigt: {text}",
        was_snoozed="⏰ Bis {time}: {text}",
        asks_again="⏰ Ich frage um {time} wieder: {text}",
        was_dismissed="✗ Verworfen: {text}",
        is_over="Diese Erinnerung ist schon vorbei: {text}",
        not_snoozed="Diese Erinnerung lässt sich nicht verschieben und bleibt offen: {text}",
        in_quiet_hours="Das liegt in deiner Ruhezeit, sie kommt um {time}.",
        paired="Hallo {name}! Deine Erinnerungen kommen ab jetzt hier an.",
        undelivered="Eine Erinnerung für {name} ließ sich nicht zustellen: {text}",
        unanswered="{name} hat auf eine Erinnerung nicht geantwortet: {text}",
    ),
    "hr": Words(
        done="Gotovo",
        snooze="Za {minutes} min",
        dismiss="Odbaci",
        is_it_done="Je li gotovo?",
        was_done="✓ Gotovo: {text}",
        was_snoozed="⏰ Do {time}: {text}",
        asks_again="⏰ Pitam opet u {time}: {text}",
        was_dismissed="✗ Odbačeno: {text}",
        is_over="Ovaj podsjetnik je već završen: {text}",
        not_snoozed="Ovaj se podsjetnik ne može odgoditi i ostaje otvoren: {text}",
        in_quiet_hours="To je u tvojim tihim satima, pa stiže u {time}.",
        paired="Bok, {name}! Tvoji podsjetnici odsad stižu ovamo.",
        undelivered="Podsjetnik za {name} nije se mogao dostaviti: {text}",
        unanswered="{name} ne odgovara na podsjetnik: {text}",
    ),
    "sr": Words(
        done="Gotovo",
        snooze="Za {minutes} min",
        dismiss="Odbaci",
        is_it_done="Da li je gotovo?",
        was_done="✓ Gotovo: {text}",
        was_snoozed="⏰ Do {time}: {text}",
        asks_again="⏰ Pitam opet u {time}: {text}",
        was_dismissed="✗ Odbačeno: {text}",
        is_over="Ovaj podsetnik je već završen: {text}",
        not_snoozed="Ovaj podsetnik ne može da se odloži i ostaje otvoren: {text}",
        in_quiet_hours="To je u tvojim tihim satima, pa stiže u {time}.",
        paired="Zdravo, {name}! Tvoji podsetnici odsad stižu ovde.",
        undelivered="Podsetnik za {name} nije mogao da se dostavi: {text}",
        unanswered="{name} ne odgovara na podsetnik: {text}",
    ),
    "es": Words(
        done="Hecho",
        snooze="En {minutes} min",
        dismiss="Descartar",
        is_it_done="¿Está hecho?",
        was_done="✓ Hecho: {text}",
        was_snoozed="⏰ Hasta las {time}: {text}",
        asks_again="⏰ Volveré a preguntar a las {time}: {text}",
        was_dismissed="✗ Descartado: {text}",
        is_over="Este recordatorio ya ha terminado: {text}",
        not_snoozed="Este recordatorio no se puede posponer y sigue abierto: {text}",
        in_quiet_hours="Eso cae en tus horas de silencio: llegará a las {time}.",
        paired="¡Hola, {name}! Tus recordatorios llegarán aquí.",
        undelivered="No se pudo entregar un recordatorio para {name}: {text}",
        unanswered="{name} no ha respondido a un recordatorio: {text}",
    ),
    "fr": Words(
        done="Fait",
        snooze="Dans {minutes} min",
        dismiss="Ignorer",
        is_it_done="C'est fait ?",
        was_done="✓ Fait : {text}",
        was_snoozed="⏰ Jusqu'à {time} : {text}",
        asks_again="⏰ Je redemanderai à {time} : {text}",
        was_dismissed="✗ Ignoré : {text}",
        is_over="Ce rappel est déjà terminé : {text}",
        not_snoozed="Ce rappel ne peut pas être reporté et reste ouvert : {text}",
        in_quiet_hours="C'est pendant tes heures calmes : il arrivera à {time}.",
        paired="Bonjour {name} ! Tes rappels arriveront ici.",
        undelivered="Un rappel pour {name} n'a pas pu être remis : {text}",
        unanswered="{name} n'a pas répondu à un rappel : {text}",
    ),
    "it": Words(
        done="Fatto",
        snooze="Tra {minutes} min",
        dismiss="Ignora",
        is_it_done="È fatto?",
        was_done="✓ Fatto: {text}",
        was_snoozed="⏰ Fino alle {time}: {text}",
        asks_again="⏰ Lo richiedo alle {time}: {text}",
        was_dismissed="✗ Ignorato: {text}",
        is_over="Questo promemoria è già concluso: {text}",
        not_snoozed="Questo promemoria non si può rimandare e resta aperto: {text}",
        in_quiet_hours="È nelle tue ore di silenzio: arriverà alle {time}.",
        paired="Ciao {name}! I tuoi promemoria arriveranno qui.",
        undelivered="Un promemoria per {name} non è stato consegnato: {text}",
        unanswered="{name} non ha risposto a un promemoria: {text}",
    ),
}


def words(language: str | None) -> Words:
    """The words of a language (`de`, `de-AT`), English when it is not among ours."""
    return _WORDS.get((language or "").partition("-")[0].partition("_")[0].lower(), _ENGLISH)


def question(message: Message, language: str | None) -> str | None:
    """What a reminder asks: its own question, else whether it is done; None when it wants no answer.

    Words of consent ("ok", "vale") count as done, so the question has to be one to which they say that.
    """
    if not message.require_ack:
        return None
    return message.ack_prompt or words(language).is_it_done


def clock_time(moment: datetime, zone: Zone, now: datetime) -> str:
    """A moment on a person's clocks; with its date unless that is today."""
    local, today = zone.localize(moment), zone.localize(now).date()
    return f"{local:%H:%M}" if local.date() == today else f"{local:%Y-%m-%d %H:%M}"
