"""Croatian."""

from __future__ import annotations

from duly.language.atoms import Unit
from duly.language.voice import Voice

VOICE = Voice(
    conjunction="i",
    weekdays=("ponedjeljak", "utorak", "srijedu", "četvrtak", "petak", "subotu", "nedjelju"),
    habits=("ponedjeljkom", "utorkom", "srijedom", "četvrtkom", "petkom", "subotom", "nedjeljom"),
    months=(
        *("siječnja", "veljače", "ožujka", "travnja", "svibnja", "lipnja"),
        *("srpnja", "kolovoza", "rujna", "listopada", "studenoga", "prosinca"),
    ),
    paces={
        Unit.SECOND: ("svaku sekundu", "svake {n} sekunde", "svakih {n} sekundi"),
        Unit.MINUTE: ("svaku minutu", "svake {n} minute", "svakih {n} minuta"),
        Unit.HOUR: ("svaki sat", "svaka {n} sata", "svakih {n} sati"),
        Unit.DAY: ("svaki dan", "svaka {n} dana", "svakih {n} dana"),
        Unit.WEEK: ("svaki tjedan", "svaka {n} tjedna", "svakih {n} tjedana"),
        Unit.MONTH: ("svaki mjesec", "svaka {n} mjeseca", "svakih {n} mjeseci"),
    },
    ordinals={
        1: ("prvi", "prvu"),
        2: ("drugi", "drugu"),
        3: ("treći", "treću"),
        4: ("četvrti", "četvrtu"),
        5: ("peti", "petu"),
        -1: ("zadnji", "zadnju"),
    },
    at="u {times}",
    every_day="svaki dan",
    workdays="radnim danom",
    weekend="vikendom",
    date="{day} {month} {year}.",
    yearly="svake godine {day} {month}",
    moment="u {weekday}, {date} u {time}",
    monthday="svakog {day} u mjesecu",
    last_day="zadnjeg dana u mjesecu",
    nth=("svaki {nth} {weekday} u mjesecu", "svaku {nth} {weekday} u mjesecu"),
    of_months="{day}",
    nth_of_months=("u {nth} {weekday} u mjesecu",) * 2,
    window="od {start} do {end}",
    start="počevši od {date}",
    numeral="{n}.",
    feminine=frozenset({2, 5, 6}),
    slavic_plural=True,
    minute_mark="u {n}. minuti",
    second_mark="u {n}. sekundi",
    only="samo {what}",
    in_months="u mjesecima {numbers}",
    now_then="sada, zatim {rest}",
    after_then="nakon {length}, zatim {rest}",
    then="{first}, zatim {rest}",
    at_most="najviše {n} puta",
    until="do {moment}",
)
