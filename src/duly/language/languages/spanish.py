"""Spanish."""

from __future__ import annotations

from duly.language.atoms import (
    AFTERNOON,
    COMING,
    DAWN,
    DEADLINE,
    DONE,
    EVERY,
    HALF,
    LEAD,
    MIDDAY,
    MIDNIGHT,
    MORNING,
    NEXT,
    NIGHT,
    NOON,
    NOW,
    OCLOCK,
    ORDINAL_MARK,
    PAST,
    PER_DAY,
    QUARTER,
    SHORT_MARK,
    THIS,
    THREE_QUARTERS,
    TIMES,
    VAGUE,
    WEEKEND,
    WORKDAYS,
    Atom,
    AtomKind,
    Atoms,
    Unit,
    WordRole,
    day,
    little,
    number,
    refused,
    span,
    unit,
)
from duly.language.languages.form import (
    Language,
    ReplyRole,
    ReplyWords,
    Templates,
    first_form,
    tens_and_units,
    words,
)

_UNITS = words("cero uno dos tres cuatro cinco seis siete ocho nueve")
_TEENS = words("diez once doce trece catorce quince dieciséis diecisiete dieciocho diecinueve")
_TWENTIES = words(
    "veinte veintiuno veintidós veintitrés veinticuatro veinticinco veintiséis veintisiete veintiocho veintinueve"
)
_TENS = words("veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa")
_ORDINALS = words("primer segund tercer cuart quint sext séptim octav noven décim")
_WEEKDAYS = (
    "lunes|lun",
    "martes|mar",
    "miércoles|mié|mier",
    "jueves|jue",
    "viernes|vie",
    "sábado|sab",
    "domingo|dom",
)
_DAYS = [first_form(forms) for forms in _WEEKDAYS]
_NUMBERS: dict[float, str] = {
    **dict(enumerate(_UNITS + _TEENS)),
    **tens_and_units(_TENS, _UNITS, "{ten} y {unit}"),
    **dict(enumerate(_TWENTIES, 20)),
    1: "un|uno|una",
    21: "veintiuno|veintiún|veintiuna",
    100: "cien|ciento",
}


def _alternating() -> dict[str, Atoms]:
    return {
        f"un {name} sí y otro no|un {name} sí, otro no|{name} alternos|cada segundo {name}": (
            EVERY,
            number(2),
            Atom(AtomKind.WEEKDAY, index),
        )
        for index, name in enumerate(_DAYS)
    }


_MACROS = {
    "did": (
        "tomé|hice|terminé|acabé|bebí|comí|completé|pagué|llamé|envié|mandé|compré|cumplí|realicé|tragué|regué"
        "|limpié|lavé|reservé|entregué|cerré|tomamos|hicimos|terminamos"
    ),
    "done": (
        "tomado|hecho|terminado|acabado|bebido|comido|completado|pagado|llamado|enviado|mandado|comprado|cumplido"
        "|realizado|tragado|regado|limpiado|lavado|reservado|entregado|cerrado"
    ),
    "bare": (
        "hecho|listo|lista|terminado|acabado|completado|completo|cumplido|realizado|tomado|tomada|tomadas|pagado"
        "|enviado|entregado|finalizado|hecha|solucionado"
    ),
    "medicine": (
        "pastilla|pastillas|medicina|medicinas|medicamento|medicamentos|píldora|píldoras|vitamina|vitaminas|dosis"
        "|gotas|agua|tableta|tabletas|remedio"
    ),
    "yes": "=sí|si",
    "them": "lo|la|los|las|me lo|me la|me los|me las|se lo|le|les|me",
    "thing": "todo|eso|esto|(la|las|el|los|mi|mis|mis dos) {medicine}",
    "have": "he|hemos",
    "just": "ahora mismo|recién|justo|justo ahora|por fin|hoy|esta mañana",
    "already": "ya|ya mismo",
    "again": "otra vez|de nuevo|nuevamente|por favor|porfa|porfavor",
    "about": "unos|unas|como|aproximadamente|más o menos|otros|otras|quizás|quizá|solo|otro|otra",
    "when": "(en|dentro de) [{about}] <duration>|(por|durante|tras) [{about}] <duration>|<time>",
    "soon": (
        "luego|dentro de un (rato|ratito|momento)"
        "|más tarde|después|un poco más tarde|tal vez luego|quizás luego|quizás más tarde|tal vez más tarde"
        "|pronto|ahorita|en un (rato|ratito|momento|momentito|rato más)|al rato|en seguida|enseguida|en breve"
        "|en unos minutos|otro día|en otro momento"
    ),
    "now": "ahora|ahora mismo|ahorita|por ahora|en este momento|de momento|por el momento",
    "could": "puedes|puede|podrías|podría|puedes por favor|podrías por favor",
    "reminder": "lo|esto|eso|el recordatorio|recordatorio|este recordatorio|la alarma|alarma",
    "act": "hago|tomo|haré|tomaré|termino|terminaré|hacerlo|tomarlo|tomarla|tomármela|tomármelo|hacer|tomar",
    "drop": (
        "cancela|cancelar|cancélalo|cancele|para|parar|stop|detén|detente|basta|omite|omitir|omítelo|salta|saltar"
        "|sáltalo|sáltatelo|detenlo|olvida|olvídalo|olvídate|ignora|ignorar|ignóralo|déjalo|borra|bórralo|borrar"
        "|elimina|eliminar|elimínalo|descarta|descartar|descártalo|quita|quítalo|anula|anular|anúlalo|termina ya"
        "|suspende|páralo|apágalo|alto|déjalo estar|sáltala|sáltatela|cancélala|bórrala|olvídala|quítala"
    ),
}
_PHRASES = {
    ReplyRole.YES: """
ya|=sí|si|sip|sipi|claro|claro que sí|por supuesto|vale|de acuerdo|bueno|bien|correcto|exacto
está bien|todo bien|todo en orden|todo ok|confirmado|confirmo|así es|seguro|desde luego|dale|eso es|cierto|ándale|yes
{yes} (claro|señor|señora|por supuesto|ya)""",
    ReplyRole.HEARD: """
entendido|[lo] entiendo|comprendido|recibido|anotado|tomo nota
muy bien|perfecto|genial|estupendo|excelente|fantástico|suena bien|qué bien""",
    ReplyRole.DONE: """
[todo|está|ya está|todo está|tarea] {bare} [todo|gracias]|ya (está|esta) [{bare}]|todo (está|esta) {bare}
ya (estuvo|quedó)|eso ya está|misión cumplida
({them}) {did} [{thing}]|(tomé|bebí|hice|terminé|pagué|llamé|envié|acabé) [{thing}]
(tome|hice) (la|las|mi|mis) {medicine}
[{them}] {have} {done} [{thing}]|[la|las|mi|mis|el|los] {medicine} (tomada|tomadas|tomado|tomados)""",
    ReplyRole.ALREADY: """
[ya] [yo] ya [{them}] {did} [{thing}] [ya|hoy|esta mañana|todo]
ya [{them}] (tome|termine|acabe|pague|llame|complete) [{thing}]|[yo] ({them}) {did} [{thing}] [ya|{just}]
ya [{them}] {have} {done} [{thing}]|[{them}] {have} {done} ya [{thing}]|ya (está|estaba|quedó|están) {bare}
(acabo|acabamos) de (hacerlo|tomarlo|tomarla|tomármelo|tomármela|tomarlas|tomar {thing}|terminar|terminarlo)
(acabo|acabamos) de (hacer eso|hacer)|[{them}] acabo de (tomar|hacer|terminar)|recién [{them}] {did} [{thing}]
yo ya {bare}|ya {bare}|{bare} ya
[ya] [{them}] ({did}|{have} {done}) [{thing}] hace [{about}] <duration>
hace [{about}] <duration> [que] [ya] [{them}] ({did}|{have} {done}) [{thing}]|{bare} hace [{about}] <duration>
[ya] ({them}) tome hace <duration>|[ya] {bare} esta mañana|(hoy|esta mañana) [ya] {them} {did} [{thing}]""",
    ReplyRole.NO: "no|nop|nope|nel",
    ReplyRole.DROP: """
[hoy] {drop} [{reminder}] [por favor|ya|así|hoy|por hoy|esta vez|ahora]
no [me] hace falta [ya|hoy|gracias]|no es necesario|no es [ya] necesario|ya no [me] hace falta|ya no es necesario
no hay necesidad|no se necesita|ya no|[ya] no lo necesito [más|ya]|no necesito [{thing}|nada]
innecesario
no importa|da igual
déjame (en paz|tranquilo|tranquila)|(deja|para) de (recordarme|recordármelo|molestar|molestarme)
no me lo recuerdes [más]
no me recuerdes [más]|no más|ya basta|me da igual""",
    ReplyRole.REFUSE: """
no hoy|hoy no|por hoy no|esta vez no|no lo quiero [más]|no quiero [{thing}|más|hacerlo|tomarlo|tomarla]
no me interesa|paso|no lo haré
no voy a (hacerlo|tomarlo|tomarla)|nada de eso""",
    ReplyRole.LATER: """
{soon}|{now} no|no {now}|[no] aún no|[no] todavía no|no todavía|no aún|por ahora no|no por ahora|no de momento
no puedo {now}|{now} no puedo|no puedo|no en este momento|mejor {soon}|mejor {when}|en otro rato
más adelante|ahora no gracias|más ratito|un rato|un ratito
[estoy|ando|sigo] [muy|un poco|algo|ahora] (ocupado|ocupada|liado|liada) [{now}]|{now} estoy (ocupado|ocupada)
no tengo tiempo [{now}]|sin tiempo|estoy en una reunión|en una reunión|estoy conduciendo
(espera|espere|espérame|espérate|aguarda|aguanta) [un (momento|poco|segundo|rato|ratito|minutito)|{when}|<duration>]
un (momento|momentito|segundo|segundito|instante) [por favor]|momento|un poco más [de tiempo]|más tiempo
dame [{about}] (<duration>|un (momento|rato|segundo|poco|ratito|poco más)|más tiempo|unos minutos) [más]
necesito [{about}] (<duration>|más tiempo|un (momento|rato|poco más)|unos minutos) [más]
[en|dentro de] unos (minutos|minutitos) [más]|[en|dentro de] (unos|algunos|pocos) minutos
[solo|otros|otras|otra|otro] [{about}] <duration> [más|después|más tarde|por favor]
[solo|mejor|tal vez|quizás|pero|otra vez] {when} [más|otra vez|por favor|mejor]
(aún|todavía) no [{them}] ({did}|{have} {done}|tome|termine|está {bare}|{have} {bare}|estoy {bare}) [{thing}]
(aún|todavía) no [{them}] terminado [{thing}]|no [{them}] ({did}|{have} {done}) [{thing}] (aún|todavía)
(aún|todavía) no (está|estoy) [{bare}]|no (está|estoy) {bare} (aún|todavía)|(aún|todavía) no {bare}
no [{them}] {have} {done} (aún|todavía)|sigo sin (hacerlo|tomarlo|tomarla)
(aún|todavía) no [{them}] {have} [{thing}] {done}
[estoy|está|ya] casi ({bare}|termino|acabo|{have} {done}|está)|casi [casi]|medio {bare}
[estaré|estoy|estará] {bare} {when}|{bare} en [{about}] <duration>|[estaré|estará] {bare} {soon}
[{them}] {act} [{them}|{thing}] ({soon}|{when}|{now})|({soon}|{when}|{now}) [{them}] {act} [{thing}]|ya voy|voy
voy a (hacerlo|tomarlo|tomarla|hacer eso|tomar {thing}) [{soon}|{when}|{now}]|ahora (voy|mismo voy)|lo haré
lo hago ahora|estoy en (eso|ello|camino)|[lo] estoy haciendo|haciéndolo|[ya] {them} (hago|tomo|haré|tomaré)
(pospón|posponer|pospónlo|aplaza|aplazar|aplázalo|retrasa|retrasar|retrásalo) ({when}|{soon}|<duration>|<number>)
(atrasa|posterga|postergar|postérgalo|snooze|déjalo para|déjalo) ({when}|{soon}|<duration>|<number>)
(pospón|posponer|pospónlo|aplaza|aplazar|aplázalo|retrasa|retrasar) [{reminder}] [{when}|{soon}|<duration>|<number>]
(posterga|postergar) [{reminder}] [{when}|{soon}|<duration>|<number>]""",
    ReplyRole.REMIND: """
(recuérdame|recuérdamelo|recordarme|recuérdeme|avísame|pregúntame|despiértame) [{again}] [{when}|{soon}] [{again}]
vuelve a (recordármelo|recordarme|preguntar|preguntarme|avisarme|avisar) [{again}] [{when}|{soon}] [{again}]
(recuérdalo|repite|repítelo|insiste) [{again}] [{when}|{soon}] [{again}]
(otra vez|de nuevo|nuevamente) [{when}|{soon}]
({when}|{soon}) (recuérdame|recuérdamelo|avísame|me lo recuerdas|me avisas) [{again}]""",
    ReplyRole.ASK: """
[me] [lo] {could} (recordar|avisar|recordarlo|recordármelo|recordarme|avisarme) [{again}] [{when}|{soon}] [{again}]
(me lo recuerdas|me recuerdas|me avisas|me preguntas) [{again}] [{when}|{soon}] [{again}]
(me das|puedes darme|me puedes dar|podrías darme) [{about}] <duration> [más]""",
    ReplyRole.AGO: "hace [{about}] <duration>|hace (un rato|un momento|poco)|recién",
    ReplyRole.JOIN: "pero|y|aunque",
    ReplyRole.OTHER: """
[muy|qué|tan|todo] (bien|mal|medio) ({bare}|{done})|vale la pena|de hecho|estoy (listo|lista)|para nada
si [ya] [yo] [{them}] ({did}|{have}|está|estaba|están|tome|termine|acabe|acabo)|ya está (bien|bueno)
que ({yes}|ya|está)""",
    ReplyRole.MOCK: """
ya [,] (claro|seguro)|{yes} [,] (seguro|hombre|cómo no)|ay {yes} [,] ay {yes}
(oh|ah|uf|jaja|jajaja|haha|lol) [,] (claro|seguro|genial|perfecto|estupendo|excelente|super|qué bien)""",
    ReplyRole.PARTING: "hasta luego|nos vemos [luego]|hasta pronto",
    ReplyRole.THANKS: "gracias|muchas gracias|mil gracias|muchísimas gracias|te lo agradezco",
    ReplyRole.POLITE: """
por favor|porfa|porfavor|perdón|perdona
disculpa|lo siento|gracias por (avisar|recordar|recordarme|recordármelo|el recordatorio)
hola|buenas|buenos días|buenas (tardes|noches)|adiós|chao|ciao|eh|ay|uf|pues|bueno pues|entonces|mira
oye|amigo|amiga|cariño|tío|hombre|jaja|jajaja""",
}
LANGUAGE = Language(
    code="es",
    numbers=_NUMBERS,
    ordinals={
        **{value: f"{stem}o|{stem}a" for value, stem in enumerate(_ORDINALS, 1)},
        1: "primer|primero|primera|primeros",
        3: "tercer|tercero|tercera",
        -1: "último|última|últimos",
    },
    units={
        Unit.SECOND: "segundo|segundos|seg|segs",
        Unit.MINUTE: "minuto|minutos|min|mins",
        Unit.HOUR: "hora|horas|h|hs|hrs|hr",
        Unit.DAY: "día|días",
        Unit.WEEK: "semana|semanas|sem",
        Unit.MONTH: "mes|meses",
        Unit.YEAR: "año|años",
        Unit.WORKDAY: "día hábil|días hábiles|día laborable|días laborables",
    },
    weekdays=_WEEKDAYS,
    habits=("", "", "", "", "", "sábados", "domingos"),
    months=(
        "enero|ene",
        "febrero|feb",
        "marzo|mar",
        "abril|abr",
        "mayo|may",
        "junio|jun",
        "julio|jul",
        "agosto|ago",
        "septiembre|setiembre|sep|sept",
        "octubre|oct",
        "noviembre|nov",
        "diciembre|dic",
    ),
    little={
        WordRole.AT: "a las|a la|@",
        WordRole.AT | WordRole.TO | WordRole.ON: "a|al",
        WordRole.THE | WordRole.AT: "las|la",
        WordRole.THE | WordRole.ON: "el|el día|del día|día|el dia",
        WordRole.THE | WordRole.ON | WordRole.HABIT: "los|los días",
        WordRole.IN | WordRole.ON: "en",
        WordRole.IN: "dentro de|de aquí a",
        WordRole.OF | WordRole.FROM: "de|del",
        WordRole.FROM | WordRole.START: "desde",
        WordRole.START: "a partir de|a partir del|empezando|empezando el|comenzando|comenzando el|empezando por"
        "|a contar del",
        WordRole.TO: "hasta|hasta las|hasta el",
        WordRole.BETWEEN: "entre",
        WordRole.AND | WordRole.PLUS: "y|e",
        WordRole.AND: "&|+|más|y también",
        WordRole.LESS | WordRole.EXCEPT: "menos",
        WordRole.EXCEPT: "excepto|salvo|excepto los|salvo los|menos los|excepto el|salvo el|pero no|quitando",
        WordRole.BEFORE: "para",
        WordRole.AROUND: "hacia|sobre|hacia las|sobre las|hacia la|sobre la|a eso de las|a eso de la|alrededor de las"
        "|alrededor de la|más o menos a las|aproximadamente a las|aproximadamente|a eso del|hacia el|sobre el",
        WordRole.LASTING: "durante|por|durante las próximas|durante los próximos|como máximo|durante las|durante los",
    },
    others={
        "en el plazo de|en un plazo de|antes de|antes del|a más tardar|como muy tarde": (DEADLINE,),
        "antes|de antelación|con antelación|de anticipación|previamente": (LEAD,),
        "el día antes|el día anterior|la víspera": (number(1), unit(Unit.DAY), LEAD),
        "después de hacerlo|después de que esté hecho|después de hacerla|después de terminar|después de terminarlo"
        "|después de completarlo|después de que lo haga|después de haberlo hecho|una vez hecho|tras hacerlo"
        "|después de acabar": (DONE,),
        "veces": (TIMES,),
        "quince días": (number(2), unit(Unit.WEEK)),
        "ocho días": (refused("ocho días may be a week or eight days: say una semana or 8 días"),),
        "veces al día|veces por día|x al día": (PER_DAY,),
        **_alternating(),
        "mañana": (day(1),),
        "mañana|de la mañana|por la mañana|en la mañana|a la mañana|mañana temprano|temprano": (MORNING,),
        "de la madrugada|de madrugada|por la madrugada|madrugada": (DAWN,),
        "cada|todos los|todas las|todo los|todos|todas|siempre|una vez cada": (EVERY,),
        "siempre a las|siempre a la": (EVERY, unit(Unit.DAY), little(WordRole.AT)),
        "diario|diariamente|a diario|todos los días|todo los días|cada día|una vez al día|una vez por día|diarios": (
            EVERY,
            unit(Unit.DAY),
        ),
        "una vez por hora|una vez a la hora|por hora": (EVERY, unit(Unit.HOUR)),
        "semanalmente|semanal|una vez a la semana|una vez por semana|por semana|a la semana": (EVERY, unit(Unit.WEEK)),
        "quincenalmente|una semana sí y otra no|en semanas alternas": (EVERY, number(2), unit(Unit.WEEK)),
        "mensualmente|mensual|una vez al mes|una vez por mes": (EVERY, unit(Unit.MONTH)),
        "trimestralmente|cada trimestre": (EVERY, number(3), unit(Unit.MONTH)),
        "anualmente|una vez al año": (EVERY, unit(Unit.YEAR)),
        "un día sí y otro no|un día sí, otro no|días alternos|en días alternos|día por medio": (
            EVERY,
            number(2),
            unit(Unit.DAY),
        ),
        "entre semana|días laborables|día laborable|días de semana|días de entre semana|días hábiles|día hábil"
        "|días de trabajo|laborables|los días laborables|los días de semana|los días hábiles|en días laborables"
        "|en días hábiles|durante la semana|días de diario|los días de diario": (WORKDAYS,),
        "fin de semana|fines de semana|finde|findes|los fines de semana|el fin de semana|en fin de semana|los findes": (
            WEEKEND,
        ),
        "próximo|próxima|próximos|siguiente": (NEXT,),
        "que viene|que entra|entrante": (COMING,),
        "este|esta|estos|estas": (THIS,),
        "hoy": (day(0),),
        "pasado mañana": (day(2),),
        "ayer|anteayer|antes de ayer|hace|anoche|pasado|pasada": (PAST,),
        "mañanas|las mañanas|por las mañanas|todas las mañanas|cada mañana": (EVERY, MORNING),
        "tardes|las tardes|por las tardes|todas las tardes|cada tarde": (EVERY, AFTERNOON),
        "noches|las noches|por las noches|todas las noches|cada noche": (EVERY, NIGHT),
        "tarde|de la tarde|por la tarde|en la tarde|a la tarde": (AFTERNOON,),
        "noche|de la noche|por la noche|en la noche|a la noche|de noche": (NIGHT,),
        "mediodía|al mediodía|a mediodía|medio día": (NOON,),
        "del mediodía|de mediodía": (MIDDAY,),
        "medianoche|media noche|a medianoche|a media noche": (MIDNIGHT,),
        "en punto": (OCLOCK,),
        "media|medio": (HALF,),
        "cuarto|un cuarto": (QUARTER,),
        "tres cuartos": (THREE_QUARTERS,),
        "hora y media": (span(5400),),
        "hora y cuarto": (span(4500),),
        "a partir de ahora|desde ahora": (NOW,),
        "cuanto antes|lo antes posible"
        "|pronto|luego|más tarde|después|algún día|alguna vez|unos|unas|unos pocos|unas pocas|varios|varias|un rato|o|u"
        "|quizás|tal vez|más o menos|a veces|un par de|par|de vez en cuando": (VAGUE,),
    },
    glued={"o": (ORDINAL_MARK,), "a": (ORDINAL_MARK,), "er": (ORDINAL_MARK,), "ero": (ORDINAL_MARK,)},
    courtesies="por favor|porfa|porfis|xfa|x favor|gracias|muchas gracias|oye|hola|venga|si puedes|si se puede|entonces"
    "|vale|otra vez|de nuevo",
    night_has_hour=True,
    hour_marks={"h": SHORT_MARK, "hs": SHORT_MARK},
    replies=ReplyWords(
        phrases=_PHRASES,
        macros=_MACROS,
        negations="no|aún|todavía|ahora|hoy|ya",
        future="en",
        at="a las",
        until="hasta las|hasta|no antes de",
        openers="a|las|la|el|este|esta|próximo|próxima|hoy",
        days="mañana|pasado|noche|tarde|mediodía|medianoche",
        inner="a|las|la|el|al|por|de|en|y|media|cuarto|menos|am|pm|h|hrs|horas|hoy|semana|próxima|que|viene",
        plus="y",
        half="media",
        more="más",
        lengths={
            15: "cuarto de hora|un cuarto de hora",
            30: "media hora|media horita|otra media hora|una media hora",
            45: "tres cuartos de hora",
            90: "hora y media|una hora y media",
        },
        numbers={1: "otra|otro"},
        typed={"xfa": "porfa", "dps": "después", "toy": "estoy", "despues": "después"},
        units={Unit.MINUTE: "minutito|minutitos", Unit.HOUR: "horita"},
        no_negates=True,
    ),
    templates=Templates(
        conjunction="y",
        every=dict.fromkeys(Unit, ("cada {unit}", "cada {n} {units}")),
        at="a las {times}",
        every_day="todos los días",
        workdays="entre semana",
        weekend="los fines de semana",
        on_habits="los {days}",
        date="{day} de {month} de {year}",
        yearly="cada año el {day} de {month}",
        moment="el {weekday}, {date} a las {time}",
        monthday="el día {day} de cada mes",
        last_day="el último día de cada mes",
        nth=("el {nth} {weekday} de cada mes",) * 2,
        of_months="el día {day}",
        nth_of_months=("el {nth} {weekday} del mes",) * 2,
        window="de {start} a {end}",
        start="a partir del {date}",
        minute_mark="en el minuto {n}",
        second_mark="en el segundo {n}",
        only="solo {what}",
        in_months="en {names}",
        now_then="ahora, después {rest}",
        after_then="después de {length}, después {rest}",
        then="{first}, después {rest}",
        at_most="como máximo {n} veces",
        until="hasta el {moment}",
    ),
)
