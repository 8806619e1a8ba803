"""How people ask in Spanish."""

from __future__ import annotations

from duly.language.requests.form import RequestWords

WORDS = RequestWords(
    courtesies=(
        "por favor|porfa|porfis|pf|gracias|muchas gracias|oye|hola|ey|eh|ok|vale|bueno|duly|plis|pls|anda|venga"
        "|mira|buenas|buenos dias|buenas tardes|ahora|pues|xfa|x favor|mil gracias|oiga|che"
    ),
    askings=(
        "puedes|podrías|podrias|me puedes|me podrías|me podrias|puede|podría|quiero que|necesito que|quieres"
        "|me haces el favor de"
    ),
    leads=(
        "recuérdame|recuerdame|acuérdame|acuerdame|avísame|avisame|me recuerdas|recordarme|recordatorio|me avisas"
        "|avisarme|hazme acordar|pon un recordatorio|ponme un recordatorio|crea un recordatorio"
        "|añade un recordatorio|nuevo recordatorio|un recordatorio|haz un recordatorio|créame un recordatorio"
        "|recuérdeme|recuerdeme|me recuerde|me recuerdes|me avises|recordame|acordame|recuérdenme"
        "|hazme un recordatorio|agrega un recordatorio|no me dejes olvidar|me acuerdas"
    ),
    joints="de que|que|de|para|sobre|lo de|del|acerca de|que tengo que|de que tengo que|tengo que|para que|a",
    befores="antes|después|despues",
    danglers="para",
    asks_what=(
        "qué tengo|que tengo|qué hay|que hay|qué hay para|que hay para|tengo algo|hay algo|qué me toca|que me toca"
        "|qué toca|que toca|qué tenemos|que tenemos|qué recordatorios tengo|que recordatorios tengo"
        "|qué está programado|que esta programado|qué sigue|que sigue|qué viene|que viene|qué debo hacer"
        "|que debo hacer|cuál es el plan|cual es el plan|agenda|mi agenda|qué pendientes tengo|que pendientes tengo"
        "|qué planes tengo|que planes tengo|tengo algún recordatorio|tengo algun recordatorio|tengo recordatorios"
        "|q tengo|q hay|q toca|ke tengo"
    ),
    shows=(
        "muestra|muéstrame|muestrame|enséñame|ensename|lista|dame|ver|dime|listar|mostrar|enseña|pásame|mostrame"
        "|a ver|quiero ver"
    ),
    list_fillers=(
        "para|en|el|la|los|las|mis|mi|todos|todas|todo|de|que hacer|pendiente|pendientes|programado|programados"
        "|recordatorios|recordatorio|agenda|tareas|lista|planeado|hay|tengo|activos|por hacer|previsto|me"
        "|calendario"
    ),
    nouns="recordatorios|recordatorio|agenda|tareas|lista|pendientes|calendario",
    today="hoy|esta noche|esta tarde|hoy dia",
    tomorrow="mañana|manana",
    week=(
        "esta semana|semana|la semana|los próximos 7 días|los proximos 7 dias|los próximos siete días|próximos 7 días"
    ),
    everything=(
        "todo|todos|todas|todos los recordatorios|todos mis recordatorios|mis recordatorios|los recordatorios"
        "|recordatorios|cada recordatorio|las notificaciones|todas las notificaciones|los avisos|todos los avisos"
    ),
    moves=(
        "mueve|mover|muéveme|mueveme|cambia|cambiar|cámbiame|cambiame|pasa|pasar|pásame|pasame|aplaza|aplazar"
        "|pospón|pospon|posponer|reprograma|reprogramar|retrasa|adelanta|pon|mové|move|corre|postergá|posterga|pasá"
        "|cambiá"
    ),
    move_to="a|al|a la|para|para el|para la|hasta|hasta el|a el|a las",
    cancels=(
        "cancela|cancelar|cancélame|cancelame|borra|borrar|elimina|eliminar|quita|quitar|anula|anular|suprime"
        "|bórrame|borrame|no me recuerdes más|no me recuerdes mas|deja de recordarme|ya no me recuerdes|cancelá"
        "|borrá|eliminá|sacá"
    ),
    pauses=(
        "pausa|pausar|pon en pausa|pon…en pausa|poner…en pausa|silencia|silenciar|suspende|suspender|detén|deten"
        "|detener|pausá|frena"
    ),
    resumes=(
        "reanuda|reanudar|reactiva|reactivar|continúa|continua|continuar|activa|activar|retoma|retomar|sigue con"
        "|vuelve a activar|despausa|quita la pausa de|vuelve a poner|seguí con|reanudá"
    ),
    until="hasta|hasta el|hasta la|hasta las|hasta que sea",
    for_length="por|durante|los próximos|las próximas|por los próximos",
    from_now="en",
    at_hour="a las",
    articles=(
        "el|la|los|las|lo|mi|mis|un|una|del|de|recordatorio|recordatorios|el recordatorio de|el recordatorio del"
        "|lo de|para|sobre|que|con|cita|ese|esa|este|esta|aviso|al"
    ),
    pronouns="lo|la|los|las|eso|esto|ese|esa|ello|el último|la última",
    undos=(
        "deshacer|deshaz|deshazlo|deshaz eso|undo|desházlo|revertir|revierte|revierte eso|atrás|atras|vuelve atrás"
        "|vuelve atras|me equivoqué|me equivoque|ups|deshacer eso|deshacé|deshaz lo último|deshaz lo ultimo"
        "|deshacer lo ultimo|anula lo último|anula lo ultimo|revierte lo ultimo"
    ),
    helps=(
        "ayuda|ayúdame|ayudame|help|?|qué puedes hacer|que puedes hacer|qué puedo decir|que puedo decir"
        "|cómo funciona|como funciona|cómo se usa|como se usa|comandos|qué sabes hacer|que sabes hacer"
        "|necesito ayuda|start|socorro|instrucciones|como te uso|qué haces|menú|menu|cómo funciona esto"
        "|como funciona esto"
    ),
    yes=(
        "sí|si|s|claro|vale|ok|okay|correcto|exacto|eso es|dale|sí por favor|si por favor|por supuesto|de acuerdo"
        "|hazlo|así es"
    ),
    no=(
        "no|n|nop|qué va|mejor no|no gracias|cancela|cancelar|déjalo|dejalo|ninguno|ninguna|mal|incorrecto|olvídalo"
        "|olvidalo|nada"
    ),
)
