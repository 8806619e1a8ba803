"""Spanish."""

from __future__ import annotations

from duly.language.atoms import Atom, Kind, Role, Unit
from duly.language.lexicon.numerals import tens_and_units
from duly.language.lexicon.source import (
    AFTERNOON,
    COMING,
    EVERY,
    HALF,
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
    THIS,
    THREE_QUARTERS,
    VAGUE,
    WEEKEND,
    WORKDAYS,
    Atoms,
    Source,
    day,
    little,
    number,
    span,
    unit,
)

_UNITS = ["cero", "uno", "dos", "tres", "cuatro", "cinco", "seis", "siete", "ocho", "nueve"]
_TEENS = ["diez", "once", "doce", "trece", "catorce", "quince", "dieciséis", "diecisiete", "dieciocho", "diecinueve"]
_TWENTIES = [
    "veinte",
    "veintiuno",
    "veintidós",
    "veintitrés",
    "veinticuatro",
    "veinticinco",
    "veintiséis",
    "veintisiete",
    "veintiocho",
    "veintinueve",
]
_TENS = ["veinte", "treinta", "cuarenta", "cincuenta", "sesenta", "setenta", "ochenta", "noventa"]
_ORDINALS = ["primer", "segund", "tercer", "cuart", "quint", "sext", "séptim", "octav", "noven", "décim"]
_DAYS = ("lunes", "martes", "miércoles", "jueves", "viernes", "sábado", "domingo")

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
            Atom(Kind.WEEKDAY, index),
        )
        for index, name in enumerate(_DAYS)
    }


SOURCE = Source(
    code="es",
    numbers=_NUMBERS,
    ordinals={
        **{value: f"{stem}o|{stem}a" for value, stem in enumerate(_ORDINALS, 1)},
        1: "primero|primera|primer|primeros",
        3: "tercero|tercera|tercer",
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
    },
    weekdays=(
        "lunes|lun",
        "martes|mar",
        "miércoles|mié|mier",
        "jueves|jue",
        "viernes|vie",
        "sábado|sab",
        "domingo|dom",
    ),
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
        Role.AT: "a las|a la|@",
        Role.AT | Role.TO | Role.ON: "a|al",
        Role.THE | Role.AT: "las|la",
        Role.THE | Role.ON: "el|el día|del día|día|el dia",
        Role.THE | Role.ON | Role.HABIT: "los|los días",
        Role.IN | Role.ON: "en",
        Role.IN: "dentro de|de aquí a|en el plazo de",
        Role.OF | Role.FROM: "de|del",
        Role.FROM | Role.START: "desde",
        Role.START: "a partir de|a partir del|empezando|empezando el|comenzando|comenzando el|empezando por"
        "|a contar del",
        Role.TO: "hasta|hasta las|hasta el",
        Role.BETWEEN: "entre",
        Role.AND | Role.PLUS: "y|e",
        Role.AND: "&|+|más|y también",
        Role.LESS | Role.EXCEPT: "menos",
        Role.EXCEPT: "excepto|salvo|excepto los|salvo los|menos los|excepto el|salvo el|pero no|quitando",
        Role.BEFORE: "para",
    },
    others={
        "veces al día|veces por día|x al día": (PER_DAY,),
        **_alternating(),
        "mañana": (day(1),),
        "mañana|de la mañana|por la mañana|en la mañana|a la mañana|mañana temprano|temprano|de la madrugada"
        "|de madrugada|por la madrugada|madrugada": (MORNING,),
        "cada|todos los|todas las|todo los|todos|todas|siempre|una vez cada": (EVERY,),
        "siempre a las|siempre a la": (EVERY, unit(Unit.DAY), little(Role.AT)),
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
        "pronto|luego|más tarde|después|algún día|alguna vez|unos|unas|unos pocos|unas pocas|varios|varias|un rato|o|u"
        "|quizás|tal vez|más o menos|aproximadamente|hacia|sobre|a veces|un par de|par|de vez en cuando": (VAGUE,),
    },
    glued={"o": (ORDINAL_MARK,), "a": (ORDINAL_MARK,), "er": (ORDINAL_MARK,), "ero": (ORDINAL_MARK,)},
)
