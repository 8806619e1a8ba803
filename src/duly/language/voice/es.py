"""Spanish."""

from __future__ import annotations

from duly.language.atoms import Unit
from duly.language.voice import Voice

VOICE = Voice(
    conjunction="y",
    weekdays=("lunes", "martes", "miércoles", "jueves", "viernes", "sábado", "domingo"),
    habits=("lunes", "martes", "miércoles", "jueves", "viernes", "sábados", "domingos"),
    months=(
        *("enero", "febrero", "marzo", "abril", "mayo", "junio"),
        *("julio", "agosto", "septiembre", "octubre", "noviembre", "diciembre"),
    ),
    paces={
        Unit.SECOND: ("cada segundo", "cada {n} segundos"),
        Unit.MINUTE: ("cada minuto", "cada {n} minutos"),
        Unit.HOUR: ("cada hora", "cada {n} horas"),
        Unit.DAY: ("cada día", "cada {n} días"),
        Unit.WEEK: ("cada semana", "cada {n} semanas"),
        Unit.MONTH: ("cada mes", "cada {n} meses"),
    },
    ordinals={
        1: ("primer", "primera"),
        2: ("segundo", "segunda"),
        3: ("tercer", "tercera"),
        4: ("cuarto", "cuarta"),
        5: ("quinto", "quinta"),
        -1: ("último", "última"),
    },
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
    until="hasta {moment}",
)
