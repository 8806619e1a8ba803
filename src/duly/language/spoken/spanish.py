"""What duly says in Spanish."""

from __future__ import annotations

from duly.language.spoken.form import DateTexts, MessageTexts, Spoken

MESSAGES = MessageTexts(
    done="Hecho",
    snooze="En {minutes} min",
    dismiss="Descartar",
    answers="Responder",
    is_it_done="¿Está hecho?",
    was_done="✓ Hecho: {text}",
    was_snoozed="⏰ Te lo recuerdo {moment}: {text}",
    asks_again="⏰ Volveré a preguntar {moment}: {text}",
    was_dismissed="✗ Descartado: {text}",
    is_over="Este recordatorio ya ha terminado: {text}",
    not_snoozed="Este recordatorio no se puede posponer y sigue abierto: {text}",
    in_quiet_hours="Eso cae en tus horas de silencio: llegará {moment}.",
    paired="¡Hola, {name}! Tus recordatorios llegarán aquí.",
    undelivered="No se pudo entregar un recordatorio para {name}: {text}",
    unanswered="{name} no ha respondido a un recordatorio: {text}",
)

DATES = DateTexts(
    at="a las {time}",
    at_one="a la {time}",
    today="hoy {at}",
    tomorrow="mañana {at}",
    yesterday="ayer {at}",
    on_weekday="el {weekday} {at}",
    on_date="el {weekday}, {day} de {month}, {at}",
    on_date_of_year="el {weekday}, {day} de {month} de {year}, {at}",
    minutes=("{n} minuto", "{n} minutos"),
    hours=("{n} hora", "{n} horas"),
    days=("{n} día", "{n} días"),
    ahead="dentro de {length}",
    late="Con {length} de retraso",
)

SPOKEN = Spoken(messages=MESSAGES, dates=DATES)
