"""Sync: bring the schedules of a namespace in line with the entries of a file.

New entries are created, changed ones updated, and schedules whose entries vanished disabled; `planning.lifecycle`
decides about each of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from duly.clock import Clock
from duly.entropy import random_bits
from duly.errors import (
    EntryError,
    InvalidCronExpressionError,
    InvalidInputError,
    NotFoundError,
    PhraseError,
    UnknownTimezoneError,
)
from duly.model.action import Action
from duly.model.codec import Json
from duly.model.schedule import Source
from duly.model.trigger import Trigger
from duly.planning import lifecycle
from duly.planning.lifecycle import SyncOutcome, SyncStep
from duly.ports.codec import decode_trigger
from duly.ports.records import ScheduleFilter, StoredSchedule
from duly.ports.row_reader import READER
from duly.ports.store import FullStore
from duly.recurrence import Once
from duly.service.access.scopes import ADMIN, Caller, Face
from duly.service.changes import Changes
from duly.service.reminders.requests import moved
from duly.service.schedules import forms, values
from duly.service.schedules.drafts import Draft, JobCheck, to_row
from duly.service.schedules.times import ZoneRule, Zones, read_words
from duly.service.schedules.views import plain, schedule_view

_PAGE = 500
_FIELDS = {"job": "job_name", "project": "targets", "project_id": "targets", "workspace": "targets"}
"""Words of error messages, and the fields of an entry that they are about."""
_FILE = Caller(ADMIN, "file", Face.CLI)


@dataclass(slots=True)
class SyncReport:
    """The names of schedules by what a sync did with them, or would do as a dry run."""

    created: list[str] = field(default_factory=list)
    updated: list[str] = field(default_factory=list)
    enabled: list[str] = field(default_factory=list)
    """Back in the file after they had vanished, or enabled in it again."""
    disabled: list[str] = field(default_factory=list)
    """Vanished from the file, or disabled in it."""
    taken_over: list[str] = field(default_factory=list)
    """Made at run time under the same name; from now on they are the file's."""
    unchanged: list[str] = field(default_factory=list)
    differences: dict[str, dict[str, tuple[Any, Any]]] = field(default_factory=dict)
    """Of schedules that existed: the fields that differ, with the values before and after."""

    @property
    def changes(self) -> int:
        return sum(map(len, (self.created, self.updated, self.enabled, self.disabled, self.taken_over)))


class Sync:
    """Brings one namespace in line with the entries of a file."""

    def __init__(
        self,
        store: FullStore,
        clock: Clock,
        zones: ZoneRule,
        check_job: JobCheck,
        check_action: Callable[[Action, bool], None] = lambda _action, _retries: None,
    ) -> None:
        """`check_action` refuses an action that this process cannot carry out, before anything is stored.

        Words in the file mean the owner's zone (the default of `zones` if the owner set none); cron means their cron
        zone.
        """
        self._store = store
        self._clock = clock
        self._zones = zones
        self._check_job = check_job
        self._check_action = check_action

    async def sync_schedules(
        self,
        namespace: str,
        entries: Sequence[Json],
        *,
        spawner: str | None = None,
        dry_run: bool = False,
        source: Source = Source.TOML,
        refused: dict[int, EntryError] | None = None,
    ) -> SyncReport:
        """Sync in one transaction; as a dry run, only report.

        Entries of a file belong to it, and what vanished from it is disabled. With the source `db` they are brought in
        once, and belong to people from then on. Entries with a fault raise, or are noted in `refused`, if it is given,
        by their number.
        """
        now = self._clock.now()
        zones = await self._zones.in_file(_FILE)
        stored = await self._stored(namespace) if source is Source.TOML else []
        known = {row.name: row for row in stored}
        declared: list[StoredSchedule] = []
        names: set[str] = set()
        for number, entry in enumerate(entries):
            if refused is not None and number in refused:
                continue
            with _naming(number, entry):
                name = values.name(entry.get("name"), "name")
                if name in names:
                    raise InvalidInputError(f"name {name!r} is in the file twice: names are unique")
                names.add(name)
            if name not in known and (found := await self._store.find(namespace, name)) is not None:
                known[name] = found
            form = {"spawner": spawner, **entry} if spawner and entry.get("prompt") is not None else dict(entry)
            try:
                with _naming(number, entry):
                    declared.append(self._read(namespace, form, zones, known.get(name), now, source))
            except EntryError as error:
                if refused is None:
                    raise
                refused[number] = error
        vanished = [row for row in stored if row.name not in {each.name for each in declared}]
        decisions = _Decisions({row.name for row in declared}, now, source)
        if dry_run:
            for row in (*declared, *vanished):
                decisions.merge(known.get(row.name), row)
        elif declared or vanished:
            await Changes(self._store, self._clock).save([*declared, *vanished], decisions.merge, _FILE)
        return decisions.report()

    def _read(
        self,
        namespace: str,
        form: Json,
        zones: Zones,
        known: StoredSchedule | None,
        now: datetime,
        source: Source,
    ) -> StoredSchedule:
        phrase = form.get("when")
        named_zone = form.get("cron_timezone")
        forms.check_together(form, form)
        draft = forms.read(
            form,
            lambda words, meant: (
                _as_understood(words, meant, known, is_named=named_zone is not None) or read_words(words, now, meant)
            ),
            zones,
            namespace=namespace,
            source=str(source),
            token_scope=str(ADMIN),
            original_text=_words(phrase, str(named_zone or zones.of(phrase))) if isinstance(phrase, str) else None,
            created_via=None if source is Source.TOML else str(Face.CLI),
        )
        row = self._row(draft, known, now)
        self._check_action(draft.action, draft.policy.retry.max_attempts != 1)
        return row if draft.enabled else replace(row, disabled_by="file" if source is Source.TOML else "person")

    def _row(self, draft: Draft, known: StoredSchedule | None, now: datetime) -> StoredSchedule:
        """Make the row of an entry. One that was accepted before and whose time has passed is finished."""
        try:
            return to_row(draft, now, self._check_job, random_bits)
        except InvalidInputError:
            then = None if known is None else self._accepted_before(draft, known)
            if then is None:
                raise
        return replace(lifecycle.finish(then), created_at=now, updated_at=now)

    def _accepted_before(self, draft: Draft, known: StoredSchedule) -> StoredSchedule | None:
        """Make the row as of the day the schedule was created, if its times are still the same."""
        with suppress(InvalidInputError):
            then = to_row(draft, known.created_at, self._check_job, random_bits)
            if (then.trigger, then.until_at) == (known.trigger, known.until_at):
                return then
        return None

    async def _stored(self, namespace: str) -> list[StoredSchedule]:
        rows: list[StoredSchedule] = []
        after: tuple[str, str] | None = None
        while True:
            wanted = ScheduleFilter(namespace=namespace, source="toml", after=after, limit=_PAGE)
            page = await self._store.schedules(wanted)
            rows += page
            if len(page) < _PAGE:
                return rows
            after = (page[-1].namespace, page[-1].name)


class _Decisions:
    """Decides row by row. A store may ask again about the same row; the last answer counts."""

    def __init__(self, declared: set[str], now: datetime, source: Source) -> None:
        self._source = source
        self._declared = declared
        self._now = now
        self._outcomes: dict[str, SyncOutcome] = {}
        self._differences: dict[str, dict[str, tuple[Any, Any]]] = {}

    def merge(self, before: StoredSchedule | None, incoming: StoredSchedule) -> StoredSchedule | None:
        name = incoming.name
        step = self._decide(before, incoming)
        self._outcomes[name] = step.outcome
        self._differences.pop(name, None)
        after = step.row
        if after is None:
            return None
        if before is not None:
            self._differences[name] = self._compared(before, after)
        return after

    def _decide(self, before: StoredSchedule | None, incoming: StoredSchedule) -> SyncStep:
        if self._source is Source.DB:
            after = lifecycle.merge(before, incoming, READER)
            changed = SyncOutcome.UNCHANGED if after is None else SyncOutcome.UPDATED
            return SyncStep(SyncOutcome.CREATED if before is None else changed, after)
        if incoming.name in self._declared:
            return lifecycle.sync(before, incoming, self._now, READER)
        return lifecycle.sync_vanished(before, self._now)

    def _compared(self, before: StoredSchedule, after: StoredSchedule) -> dict[str, tuple[Any, Any]]:
        old, new = (plain(schedule_view(row, ADMIN, self._now)) for row in (before, after))
        pairs = {name: (old.get(name), new.get(name)) for name in ("source", *forms.FIELDS)}
        return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}

    def report(self) -> SyncReport:
        report = SyncReport(differences=self._differences)
        for name, outcome in self._outcomes.items():
            if outcome is not SyncOutcome.UNCHANGED or name in self._declared:
                getattr(report, outcome).append(name)
        return report


@contextmanager
def _naming(number: int, entry: Json) -> Iterator[None]:
    """Add the entry, and the field if one alone is at fault, to an error."""
    try:
        yield
    except (InvalidInputError, NotFoundError) as error:
        raise EntryError(number, entry.get("name"), _field(entry, error), str(error)) from error


def _field(entry: Json, error: Exception) -> str | None:
    """Find the field that an error is about: the first field of the entry that its message names."""
    if isinstance(error, InvalidCronExpressionError):
        return "cron" if "cron" in entry else "when"
    if isinstance(error, UnknownTimezoneError):
        return next((name for name, value in entry.items() if value == error.name), None)
    if isinstance(error, PhraseError):
        return "when"
    named = (_FIELDS.get(word, word) for word in re.findall(r"\w+", str(error)))
    return next((name for name in named if name in entry), None)


def _words(phrase: str, zone: str) -> str:
    """Write a phrase and its zone as `original_text` keeps them."""
    return f"{phrase} ({zone})"


def _as_understood(phrase: str, zones: Zones, known: StoredSchedule | None, *, is_named: bool) -> Trigger | None:
    """Give the trigger that the same phrase was read as before: "tomorrow" in a file stays the day it was.

    None reads the phrase again, as when the entry names another zone. Where it names no zone and the owner's zone has
    changed, an instant stays the instant it was, and times of day move to the new zone without counting anew.
    """
    if known is None or known.original_text is None:
        return None
    zone = zones.of(phrase)
    before = known.original_text.removeprefix(f"{phrase} (").removesuffix(")")
    if known.original_text != _words(phrase, before) or (is_named and before != zone):
        return None
    with suppress(ValueError):  # a damaged row, or a zone that is no longer known, is read anew
        trigger = decode_trigger(known.trigger)
        if before == zone or isinstance(trigger, Once):
            return trigger
        there = moved(trigger, before, zone)
        return None if there == trigger else there
    return None
