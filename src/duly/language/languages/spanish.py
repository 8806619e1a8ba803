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
    INCLUDED,
    LEAD,
    MIDDAY,
    MIDNIGHT,
    MORNING,
    NEXT,
    NIGHT,
    NOON,
    NOW,
    OCLOCK,
    ONWARD,
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
    Templates,
    at_most,
    first_form,
    tens_and_units,
    until_end,
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
        Unit.MINUTE: "minuto|minutos|minutito|minutitos|min|mins",
        Unit.HOUR: "hora|horas|horita|horitas|h|hs|hrs|hr",
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
        WordRole.EXCEPT: "menos los|pero no|pero no los|pero no el|quitando",
        WordRole.EXCEPT | WordRole.INSTEAD: "excepto|salvo|excepto los|salvo los|excepto el|salvo el",
        WordRole.INSTEAD: "pero",
        WordRole.BEFORE: "para",
        WordRole.AROUND: "hacia|sobre|hacia las|sobre las|hacia la|sobre la|a eso de las|a eso de la|alrededor de las"
        "|alrededor de la|más o menos a las|aproximadamente a las|aproximadamente|a eso del|hacia el|sobre el",
        WordRole.LASTING: "durante|por|durante las próximas|durante los próximos|como máximo|en total"
        "|durante las|durante los",
    },
    others={
        "en el plazo de|en un plazo de|antes de|antes del|a más tardar|como muy tarde": (DEADLINE,),
        "antes|de antelación|con antelación|de anticipación|previamente": (LEAD,),
        "el día antes|el día anterior|la víspera": (number(1), unit(Unit.DAY), LEAD),
        "después de hacerlo|después de que esté hecho|después de hacerla|después de terminar|después de terminarlo"
        "|después de completarlo|después de que lo haga|después de haberlo hecho|una vez hecho|tras hacerlo"
        "|después de acabar": (DONE,),
        "en adelante|y en adelante": (ONWARD,),
        "inclusive|incluido|incluida|inclusivamente": (INCLUDED,),
        **until_end(
            "hasta|hasta el|hasta la|hasta los",
            "fin de|fin del|fines de|fines del|final de|final del|finales de|finales del",
        ),
        "veces|veces en total|veces como máximo": (TIMES,),
        "una vez": (number(1), TIMES),
        **at_most("días semanas meses", "máximo máx"),
        "quince días": (number(2), unit(Unit.WEEK)),
        "hasta fin de semana|hasta el fin de semana|hasta este fin de semana": (
            refused("hasta el fin de semana may end before it or with it: name the day"),
        ),
        "ocho días": (refused("ocho días may be a week or eight days: say una semana or 8 días"),),
        "veces al día|veces por día|x al día": (PER_DAY,),
        **_alternating(),
        "mañana": (day(1),),
        "mañana|de la mañana|por la mañana|en la mañana|a la mañana|mañana temprano|temprano"
        "|tempranito|bien temprano": (MORNING,),
        "de la madrugada|de madrugada|por la madrugada|madrugada|madrugadas": (DAWN,),
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
        "que viene|que entra|entrante|q viene|k viene|que biene": (COMING,),
        "este|esta|estos|estas": (THIS,),
        "hoy": (day(0),),
        "pasado mañana": (day(2),),
        "ayer|anteayer|antes de ayer|hace|anoche|pasado|pasada": (PAST,),
        "mañanas|las mañanas|por las mañanas|todas las mañanas|cada mañana": (EVERY, MORNING),
        "tardes|las tardes|por las tardes|todas las tardes|cada tarde": (EVERY, AFTERNOON),
        "noches|las noches|por las noches|todas las noches|cada noche": (EVERY, NIGHT),
        "tarde|tardecita|de la tardecita|de la tarde|por la tarde|en la tarde|a la tarde": (AFTERNOON,),
        "noche|nochecita|de la nochecita|de la noche|por la noche|en la noche|a la noche|de noche": (NIGHT,),
        "mediodía|al mediodía|a mediodía|medio día": (NOON,),
        "del mediodía|de mediodía": (MIDDAY,),
        "medianoche|media noche|a medianoche|a media noche": (MIDNIGHT,),
        "en punto": (OCLOCK,),
        "media|medio": (HALF,),
        "cuarto|un cuarto": (QUARTER,),
        "cuarto de hora|cuartito de hora": (span(900),),
        "media horita|media horilla": (span(1800),),
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
    "|vale|otra vez|de nuevo|de acuerdo|te parece|sale|bueno",
    night_has_hour=True,
    hour_marks={"h": SHORT_MARK, "hs": SHORT_MARK},
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
        at_most="en total {n} veces",
        until="hasta el {moment}",
    ),
)
