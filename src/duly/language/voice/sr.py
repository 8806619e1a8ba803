"""Serbian, in the Latin alphabet."""

from __future__ import annotations

from dataclasses import replace

from duly.language.atoms import Unit
from duly.language.voice import hr

VOICE = replace(
    hr.VOICE,
    weekdays=("ponedeljak", "utorak", "sredu", "četvrtak", "petak", "subotu", "nedelju"),
    habits=("ponedeljkom", "utorkom", "sredom", "četvrtkom", "petkom", "subotom", "nedeljom"),
    months=(
        *("januara", "februara", "marta", "aprila", "maja", "juna"),
        *("jula", "avgusta", "septembra", "oktobra", "novembra", "decembra"),
    ),
    paces={
        **hr.VOICE.paces,
        Unit.MINUTE: ("svaki minut", "svaka {n} minuta", "svakih {n} minuta"),
        Unit.WEEK: ("svake sedmice", "svake {n} sedmice", "svakih {n} sedmica"),
        Unit.MONTH: ("svakog meseca", "svaka {n} meseca", "svakih {n} meseci"),
    },
    ordinals={**hr.VOICE.ordinals, -1: ("poslednji", "poslednju")},
    in_months="u mesecima {numbers}",
    every_day="svakog dana",
    workdays="radnim danima",
    monthday="svakog {day} u mesecu",
    last_day="poslednjeg dana u mesecu",
    nth=("svaki {nth} {weekday} u mesecu", "svaku {nth} {weekday} u mesecu"),
    nth_of_months=("u {nth} {weekday} u mesecu",) * 2,
)
