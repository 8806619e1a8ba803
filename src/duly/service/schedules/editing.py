"""Updates of a schedule as callers give them: read the fields, merge them into the stored form, check the whole."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from duly.errors import ConflictError, InvalidInputError
from duly.model.codec import Json
from duly.planning import lifecycle
from duly.ports.codec import decode_schedule
from duly.ports.records import StoredSchedule
from duly.ports.row_reader import READER
from duly.service.schedules import forms
from duly.service.schedules.drafts import Draft
from duly.service.schedules.fields import shown
from duly.service.schedules.times import Zones


@dataclass(frozen=True, slots=True)
class FormReader:
    """How a face reads a form: words, the zone of a time that names none, and a draft into a row."""

    words: forms.ReadsWords
    zones: Zones
    to_row: Callable[[Draft, datetime], StoredSchedule]
    """Checks a draft and gives the row of a new schedule."""


def check_version(row: StoredSchedule, version: int | None, changes: Json) -> None:
    """Refuse a change of a schedule that has changed since the caller read this version of it; None is not checked.

    The error has the stored values of the fields that the caller wanted to change and that differ from the caller's.
    """
    if version is None or version == row.version:
        return
    stored = shown(forms.of_schedule(decode_schedule(row), enabled=row.enabled)) if changes else {}
    theirs = {name: stored.get(name) for name, value in changes.items() if stored.get(name) != value}
    raise ConflictError(
        f"{row.name!r} was changed meanwhile: you read version {version}, and version {row.version} is stored; read it "
        "again, then decide",
        current_version=row.version,
        changed=theirs,
    )


def changed(row: StoredSchedule, changes: Json, now: datetime, reader: FormReader) -> StoredSchedule:
    """Apply an update to a row, and check the result as a whole.

    Fields that the update does not name were checked when they were set: a series that is over may still be renamed.
    """
    if row.source == "toml" and set(changes) - {"enabled"}:
        raise InvalidInputError(
            f"{row.name!r} comes from a file: change it there. Here only enabled may change, got {', '.join(changes)}"
        )
    form = forms.merged(forms.of_schedule(decode_schedule(row), enabled=row.enabled), changes)
    forms.check_together(changes, form)
    new_until = "until_at" in changes
    if not new_until:
        form.pop("until_at", None)
    new_when = bool(changes.keys() & {*forms.WHEN})
    draft = forms.read(form, reader.words, reader.zones)
    fresh = reader.to_row(draft, now if new_when or new_until else row.created_at)
    return lifecycle.edit(
        row,
        fresh,
        now,
        READER,
        new_when=new_when,
        new_words=changes.get("cron") is not None or changes.get("when") is not None,
        new_until=new_until,
    )
