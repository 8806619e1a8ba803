"""Serbian, in the Latin alphabet. duly understands it with the words of Croatian, and Croatian with its words.

Only what duly says differs: the forms that `describe` says stand before those of Croatian, which include them.
"""

from __future__ import annotations

from dataclasses import replace

from duly.language.atoms import Unit
from duly.language.languages.croatian import LANGUAGE as CROATIAN
from duly.language.languages.form import words


def _led_by(said: str, tables: tuple[str, ...]) -> tuple[str, ...]:
    """Put the word that Serbian says before the forms of each table."""
    return tuple(f"{first}|{forms}" for first, forms in zip(words(said), tables, strict=True))


LANGUAGE = replace(
    CROATIAN,
    code="sr",
    ordinals={**CROATIAN.ordinals, -1: f"poslednji|poslednju|{CROATIAN.ordinals[-1]}"},
    units={
        **CROATIAN.units,
        Unit.MINUTE: f"minut|minuta|minuta|{CROATIAN.units[Unit.MINUTE]}",
        Unit.WEEK: f"sedmice|sedmice|sedmica|{CROATIAN.units[Unit.WEEK]}",
        Unit.MONTH: f"meseca|meseca|meseci|{CROATIAN.units[Unit.MONTH]}",
    },
    weekdays=_led_by("ponedeljak utorak sredu četvrtak petak subotu nedelju", CROATIAN.weekdays),
    habits=_led_by("ponedeljkom utorkom sredom četvrtkom petkom subotom nedeljom", CROATIAN.habits),
    months=_led_by(
        "januara februara marta aprila maja juna jula avgusta septembra oktobra novembra decembra", CROATIAN.months
    ),
    templates=replace(
        CROATIAN.templates,
        every={
            **CROATIAN.templates.every,
            Unit.MINUTE: CROATIAN.templates.every[Unit.HOUR],
            Unit.WEEK: ("svake {unit}", "svake {n} {few}", "svakih {n} {units}"),
            Unit.MONTH: ("svakog {unit}", "svaka {n} {few}", "svakih {n} {units}"),
        },
        in_months="u mesecima {numbers}",
        every_day="svakog dana",
        workdays="radnim danima",
        monthday="svakog {day} u mesecu",
        last_day="poslednjeg dana u mesecu",
        nth=("svaki {nth} {weekday} u mesecu", "svaku {nth} {weekday} u mesecu"),
        nth_of_months=("u {nth} {weekday} u mesecu",) * 2,
    ),
)
