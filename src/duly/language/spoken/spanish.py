"""What duly says in Spanish."""

from __future__ import annotations

from duly.language.spoken.form import ChatTexts, DateTexts, MessageTexts, NoticeTexts, Spoken

MESSAGES = MessageTexts(
    done="Hecho",
    snooze="En {minutes} min",
    this_evening="Esta noche",
    tomorrow_morning="Mañana por la mañana",
    dismiss="Descartar",
    answers="Responder",
    is_it_done="¿Está hecho?",
    is_coming="{ahead}: {text}",
    was_done="✓ Hecho: {text}",
    was_snoozed="⏰ Te lo recuerdo {moment}: {text}",
    asks_again="⏰ Volveré a preguntar {moment}: {text}",
    was_dismissed="✗ Descartado: {text}",
    was_done_by="✓ {name} ya lo ha hecho: {text}",
    was_dismissed_by="✗ {name} lo ha descartado: {text}",
    is_over="Este recordatorio ya ha terminado: {text}",
    asks_until="Volveré a preguntar hasta que respondas.",
    not_snoozed="Este recordatorio no se puede posponer y sigue abierto: {text}",
    in_quiet_hours="Eso cae en tus horas de silencio: llegará {moment}.",
    in_quiet_hours_of="Eso cae en las horas de silencio de {name}: llegará {moment}.",
    digest="{count} cosas:",
    digest_today="Hoy, {count} cosas:",
    in_digest="Llegará con tu resumen {moment}.",
    in_digest_of="Llegará con el resumen de {name} {moment}.",
    other_reading="Si querías decir {moment}, escríbelo así.",
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

CHAT = ChatTexts(
    reminds="⏰ Te lo recuerdo {moment} ({zone}): {text}",
    reminds_often="⏰ Te lo recuerdo {rule}, la próxima vez {moment} ({zone}): {text}",
    reminds_people="⏰ Se lo recuerdo a {names} {moment} ({zone}): {text}",
    reminds_people_often="⏰ Se lo recuerdo a {names} {rule}, la próxima vez {moment} ({zone}): {text}",
    only_yourself=(
        "Aquí solo puedo recordarte cosas a ti. Quien lleva duly puede crear recordatorios para otras personas."
    ),
    unknown_person="No conozco a ninguna persona llamada «{name}», así que no he creado nada.",
    comes_before="También {lengths} antes.",
    comes_after="Y otra vez {length} después de que esté hecho.",
    asks_when="¿Cuándo te recuerdo «{text}»? Escribe por ejemplo: «mañana a las 9».",
    asks_what=("¿Qué te recuerdo {moment}? Escríbelo en una frase: «recuérdame llamar al banco mañana a las 10»."),
    asks_which="¿A cuál te refieres?",
    asks_meaning="¿A qué te refieres?",
    not_read="No he entendido «{text}».",
    why_past="«{text}» ya ha pasado.",
    why_deadline="«{text}» dice hasta cuándo, pero no cuándo tengo que avisarte.",
    why_doubtful="«{text}» puede significar dos cosas.",
    why_impossible="Esa hora o fecha no existe: «{text}».",
    why_often="«{text}» no dice exactamente cuándo.",
    asks_reading="¿A qué hora te refieres para «{text}»?",
    took_first="Si querías decir {moment}, escribe: «mueve {text} a …».",
    offers="¿Te lo recuerdo {moment} ({zone}): {text}?",
    answer_number="Responde con el número.",
    yes="Sí",
    no="No",
    nothing_done="Vale, no se ha cambiado nada.",
    question_over="Esta pregunta está cerrada. Pregunta otra vez.",
    today="Hoy",
    tomorrow="Mañana",
    week="Los próximos 7 días",
    next_week="La próxima semana",
    weekend="El fin de semana",
    all="Tus recordatorios",
    list_none="{span}: nada.",
    list_head="{span} ({zone}):",
    list_line="• {first}: {second}",
    more="… y {count} más",
    paused_word="en pausa",
    paused_next="en pausa, la próxima vez {moment}",
    put_off="{moment}, aplazado",
    waits="espera tu respuesta",
    moved="✓ Cambiado, ahora llega {moment} ({zone}): {text}",
    moved_often="✓ Cambiado, ahora llega {rule}, la próxima vez {moment} ({zone}): {text}",
    moves_series=(
        "«{text}» se repite ({rule}). Dime la nueva regla, por ejemplo: «mueve {text} a todos los días a las 9»."
    ),
    removed="✗ Borrado: {text}",
    removes_one="Borro los recordatorios de uno en uno: dime cuál. «pausa todo» los silencia todos.",
    skipped="⏭ Omitido {moment} ({zone}): {text}",
    skips_next="Solo puedo omitir la próxima vez, {moment}: {text}",
    paused="⏸ En pausa: {text}",
    paused_all=("⏸ {n} recordatorio está en pausa.", "⏸ {n} recordatorios están en pausa."),
    goes_on="Sigue {moment} ({zone}).",
    resumed="▶ Activo otra vez, la próxima vez {moment} ({zone}): {text}",
    resumed_all=("▶ {n} recordatorio está activo otra vez.", "▶ {n} recordatorios están activos otra vez."),
    none_paused="No hay nada en pausa.",
    none_before="Hasta entonces no llega nada, así que no se ha pausado nada.",
    say_undo="«deshacer» lo revierte.",
    undone="↩ Deshecho: {text}",
    nothing_to_undo="No hay nada que deshacer: guardo los pasos durante una hora.",
    not_undone="Eso ya no se puede deshacer, porque ha cambiado desde entonces.",
    not_found="No encuentro ningún recordatorio sobre «{target}».",
    nearest="El más parecido es: {text}",
    none_yet="Todavía no tienes recordatorios.",
    not_understood="Lo siento, no lo he entendido.",
    courtesy="🙂 «ayuda» muestra lo que entiendo.",
    only_text="Solo sé leer texto. Escríbeme, por favor, lo que quieres decir.",
    understood_time="He entendido la hora ({moment}), pero no qué hacer entonces.",
    example=("Escribe por ejemplo: «recuérdame llamar al banco mañana a las 10». «ayuda» muestra qué más entiendo."),
    help=(
        "Puedes escribirme así:\n"
        "• «recuérdame llamar al banco mañana a las 10»\n"
        "• «recuérdame tomar las vitaminas todos los días a las 8»\n"
        "• «¿qué tengo hoy?», «¿qué tengo esta semana?»\n"
        "• «mueve el dentista al viernes a las 9»\n"
        "• «borra el dentista»\n"
        "• «pausa todo hasta el lunes», «reanuda todo»\n"
        "• «deshacer»\n"
        "A un recordatorio puedes responder «hecho», «en 10 minutos» o «déjalo»."
    ),
    no_button="Este botón ya no pertenece a ningún recordatorio tuyo.",
    stranger=("Todavía no conozco este chat. Pide un código a la persona que se ocupa de duly y envíamelo aquí."),
    chat_taken="Este chat ya es de otra persona.",
    time_passed="Esa hora ya ha pasado. Di una más tarde.",
    snooze_too_far="Puedo aplazarlo como mucho {days} días. Di una hora anterior.",
    too_many="Ya tienes todos los recordatorios que puedes tener. Borra uno primero.",
    too_often="Eso es demasiado a menudo. El intervalo más corto: {length}.",
    too_long="Eso es demasiado largo para un recordatorio. Dilo con menos palabras.",
    went_wrong="No ha funcionado y no se ha cambiado nada. Inténtalo de nuevo más tarde.",
)

NOTICES = NoticeTexts(
    failed="✗ {name} falló {moment}: {reason}",
    failed_often="✗ {name} falló {moment}, {count} veces seguidas: {reason}",
    failed_and_works="✗ {name} falló {moment} y ya funciona de nuevo: {reason}",
    failed_many="✗ Fallaron {count} programaciones: {reason}",
    works="✓ {name} funciona de nuevo.",
    works_many="✓ Funcionan de nuevo {count} programaciones: {names}",
    next_attempt="Próximo intento: {moment}.",
    no_next_attempt="No está previsto otro intento.",
    no_reason="no se conoce el motivo",
    no_answer="Terminó sin respuesta.",
    and_more="y {count} más",
    shortened="… {count} caracteres más",
    cost="Coste: {cost}",
    session="Sesión: {session}",
    agent_silent="el agente no respondió",
    limit_until="el agente alcanzó su límite de uso, vuelve a trabajar {moment}",
    limit_reached="el agente alcanzó su límite de uso y no dice hasta cuándo",
    not_taken="{host} no aceptó este mensaje, por eso está aquí.",
)

SPOKEN = Spoken(messages=MESSAGES, dates=DATES, chat=CHAT, notices=NOTICES)
