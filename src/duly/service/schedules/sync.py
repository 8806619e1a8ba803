"""A butler's file and the store brought together: new entries made, changed ones updated, vanished ones disabled."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from duly.clock import Clock
from duly.errors import (
    EntryError,
    InvalidCronExpressionError,
    InvalidInputError,
    NotFoundError,
    PhraseError,
    UnknownTimezoneError,
)
from duly.model.action import Action
from duly.model.events import SCHEDULE_CREATED, Event
from duly.model.ids import RandomBits
from duly.model.trigger import Trigger
from duly.ports.codec import decode_trigger
from duly.ports.records import ScheduleFilter, StoredSchedule
from duly.ports.store import FullStore
from duly.recurrence import Once
from duly.service.access.access import ADMIN, Caller, Face
from duly.service.access.audit import audited, change_events
from duly.service.reminders.reminder_schedules import moved
from duly.service.schedules import forms, values
from duly.service.schedules.drafts import Draft, JobCheck, to_row
from duly.service.schedules.merging import update_existing
from duly.service.schedules.phrasing import read_words
from duly.service.schedules.resting import after_change
from duly.service.schedules.views import plain, schedule_view
from duly.service.schedules.zone_rule import ZoneRule, Zones

_PAGE = 500
_STATE = ("enabled", "disabled_by", "next_fire_at", "next_run_at")
_FIELDS = {"job": "job_name", "project": "targets", "project_id": "targets", "workspace": "targets"}
"""How errors call what an entry names otherwise."""
_FILE = Caller(ADMIN, "file", Face.CLI)


@dataclass(slots=True)
class SyncReport:
    """What a sync did, or would do, by name."""

    created: list[str] = field(default_factory=list)
    updated: list[str] = field(default_factory=list)
    enabled: list[str] = field(default_factory=list)
    """Came back into the file."""
    disabled: list[str] = field(default_factory=list)
    """Vanished from the file, or switched off in it."""
    taken_over: list[str] = field(default_factory=list)
    """Had been made at run time under the same name; the file's now."""
    unchanged: list[str] = field(default_factory=list)
    differences: dict[str, dict[str, tuple[Any, Any]]] = field(default_factory=dict)
    """Of those that were there: which fields differ, before and after."""

    @property
    def changes(self) -> int:
        return sum(map(len, (self.created, self.updated, self.enabled, self.disabled, self.taken_over)))


class Sync:
    """Brings one namespace in line with the entries of a file."""

    def __init__(
        self,
        store: FullStore,
        clock: Clock,
        check_job: JobCheck,
        random_bits: RandomBits,
        *,
        default_zone: str = "UTC",
        cron_zone: str | None = None,
        check_action: Callable[[Action], None] = lambda _action: None,
    ) -> None:
        """`check_action` refuses what could not be carried out here, before anything is stored.

        Words in the file mean the owner's zone, `default_zone` unless they have set another; cron means `cron_zone`.
        """
        self._store = store
        self._clock = clock
        self._check_job = check_job
        self._random_bits = random_bits
        self._check_action = check_action
        self._zones = ZoneRule(store.people, default_zone, cron_zone)

    async def sync_schedules(
        self, namespace: str, entries: Sequence[Mapping[str, Any]], *, spawner: str | None = None, dry_run: bool = False
    ) -> SyncReport:
        """One transaction, or, as a dry run, only the report."""
        now, zones = self._clock.now(), await self._zones.in_file(_FILE)
        there = await self._of_the_file(namespace)
        known = {row.name: row for row in there}
        declared: list[StoredSchedule] = []
        names: set[str] = set()
        for number, entry in enumerate(entries):
            with _naming(number, entry):
                name = values.name(entry.get("name"), "name")
                if name in names:
                    raise InvalidInputError(f"name {name!r} is in the file twice: names are unique")
                names.add(name)
            if name not in known and (found := await self._store.find(namespace, name)) is not None:
                known[name] = found
            form = {"spawner": spawner, **entry} if spawner and entry.get("prompt") is not None else dict(entry)
            with _naming(number, entry):
                declared.append(self._read(namespace, form, zones, known.get(name), now))
        vanished = [row for row in there if row.name not in {each.name for each in declared}]
        turn = _Turn({row.name for row in declared}, now)
        if dry_run:
            for row in (*declared, *vanished):
                turn.merge(known.get(row.name), row)
        elif declared or vanished:
            await self._store.save([*declared, *vanished], turn.merge, turn.told)
        return turn.report()

    def _read(
        self,
        namespace: str,
        form: Mapping[str, Any],
        zones: Zones,
        known: StoredSchedule | None,
        now: datetime,
    ) -> StoredSchedule:
        said, named = form.get("when"), form.get("cron_timezone")
        forms.check_together(form, form)
        draft = forms.read(
            form,
            lambda phrase, meant: (
                _as_understood(phrase, meant, known, is_named=named is not None) or read_words(phrase, now, meant)
            ),
            zones,
            namespace=namespace,
            source="toml",
            token_scope=str(ADMIN),
            original_text=None if said is None else _words(str(said), str(named or zones.of(str(said)))),
        )
        row = self._row(draft, known, now)
        self._check_action(draft.action)
        return row if draft.enabled else replace(row, disabled_by="file")

    def _row(self, draft: Draft, known: StoredSchedule | None, now: datetime) -> StoredSchedule:
        """The row of an entry. What was accepted once is not refused because its time has passed: it is over."""
        try:
            return to_row(draft, now, self._check_job, self._random_bits)
        except InvalidInputError:
            then = None if known is None else self._accepted_before(draft, known)
            if then is None:
                raise
        over = replace(then, enabled=False, disabled_by="finished", created_at=now, updated_at=now)
        return replace(over, next_fire_at=None, next_run_at=None)

    def _accepted_before(self, draft: Draft, known: StoredSchedule) -> StoredSchedule | None:
        """The row as it would have been made when the schedule was, if its times are still the same."""
        with suppress(InvalidInputError):
            then = to_row(draft, known.created_at, self._check_job, self._random_bits)
            if (then.trigger, then.until_at) == (known.trigger, known.until_at):
                return then
        return None

    async def _of_the_file(self, namespace: str) -> list[StoredSchedule]:
        rows: list[StoredSchedule] = []
        after: tuple[str, str] | None = None
        while True:
            wanted = ScheduleFilter(namespace=namespace, source="toml", after=after, limit=_PAGE)
            page = await self._store.schedules(wanted)
            rows += page
            if len(page) < _PAGE:
                return rows
            after = (page[-1].namespace, page[-1].name)


class _Turn:
    """Decides row by row. A store may ask again for the same row; the last answer counts."""

    def __init__(self, declared: set[str], now: datetime) -> None:
        self._declared = declared
        self._now = now
        self._verdicts: dict[str, str] = {}
        self._differences: dict[str, dict[str, tuple[Any, Any]]] = {}
        self.told: list[Event] = []

    def merge(self, before: StoredSchedule | None, incoming: StoredSchedule) -> StoredSchedule | None:
        verdict, after = self._judge(before, incoming)
        if incoming.name in self._verdicts:
            self.told[:] = [event for event in self.told if event.data.get("name") != incoming.name]
        self._verdicts[incoming.name] = verdict
        self._differences.pop(incoming.name, None)
        if before is not None and after is not None:
            self._differences[incoming.name] = self._compared(before, after)
        if after is not None:
            if before is None:
                self.told.append(audited(SCHEDULE_CREATED, self._now, _FILE, None, after))
            else:
                self.told += change_events(self._now, _FILE, before, after)
        return after

    def _judge(self, before: StoredSchedule | None, incoming: StoredSchedule) -> tuple[str, StoredSchedule | None]:
        if incoming.name not in self._declared:
            return self._vanished(before)
        if before is None:
            return "created", incoming
        after = update_existing(before, incoming)
        off = before.enabled and incoming.disabled_by == "file"
        if before.source != "toml":
            taken = replace(after or before, created_by=None, changed_by=None, token_scope=incoming.token_scope)
            return "taken_over", self._off(taken) if off else taken
        if off:
            return "disabled", self._off(after or before)
        if before.disabled_by == "file" and incoming.enabled:
            state = {name: getattr(incoming, name) for name in _STATE}
            back = replace(after or before, **state, version=before.version + 1, updated_at=self._now)
            return "enabled", after_change(before, back)
        return ("unchanged", None) if after is None else ("updated", after)

    def _compared(self, before: StoredSchedule, after: StoredSchedule) -> dict[str, tuple[Any, Any]]:
        old, new = (plain(schedule_view(row, ADMIN, self._now)) for row in (before, after))
        pairs = {name: (old.get(name), new.get(name)) for name in ("source", *forms.FIELDS)}
        return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}

    def _vanished(self, before: StoredSchedule | None) -> tuple[str, StoredSchedule | None]:
        if before is None or before.disabled_by in ("file", "person", "finished") or before.source != "toml":
            return "unchanged", None
        return "disabled", self._off(before)

    def _off(self, row: StoredSchedule) -> StoredSchedule:
        off = replace(row, enabled=False, disabled_by="file", updated_at=self._now, version=row.version + 1)
        return replace(off, next_fire_at=None, next_run_at=None)

    def report(self) -> SyncReport:
        report = SyncReport(differences=self._differences)
        for name, verdict in self._verdicts.items():
            if verdict != "unchanged" or name in self._declared:
                getattr(report, verdict).append(name)
        return report


@contextmanager
def _naming(number: int, entry: Mapping[str, Any]) -> Iterator[None]:
    """A fault says which entry it is in, and which field."""
    try:
        yield
    except (InvalidInputError, NotFoundError) as error:
        raise EntryError(number, entry.get("name"), _field(entry, error), str(error)) from error


def _field(entry: Mapping[str, Any], error: Exception) -> str | None:
    """The field that an error is about: the first of the entry that it names."""
    if isinstance(error, InvalidCronExpressionError):
        return "cron" if "cron" in entry else "when"
    if isinstance(error, UnknownTimezoneError):
        return next((name for name, value in entry.items() if value == error.name), None)
    if isinstance(error, PhraseError):
        return "when"
    named = (_FIELDS.get(word, word) for word in re.findall(r"\w+", str(error)))
    return next((name for name in named if name in entry), None)


def _words(phrase: str, zone: str) -> str:
    """Words and the zone they are meant in, as they are kept beside what they were understood as."""
    return f"{phrase} ({zone})"


def _as_understood(phrase: str, zones: Zones, known: StoredSchedule | None, *, is_named: bool) -> Trigger | None:
    """What the same words meant when they were first read: "tomorrow" in a file stays the day it was.

    They are read again when the entry names another zone. Where it names none and its owner's zone is another now, as
    on a journey, a moment stays the moment it was, and times of day move to the new clocks without counting anew.
    """
    if known is None or known.original_text is None:
        return None
    zone, before = zones.of(phrase), known.original_text.removeprefix(f"{phrase} (").removesuffix(")")
    if known.original_text != _words(phrase, before) or (is_named and before != zone):
        return None
    with suppress(ValueError):  # a damaged row, or a zone that is no longer known, is read anew
        trigger = decode_trigger(known.trigger)
        if before == zone or isinstance(trigger, Once):
            return trigger
        there = moved(trigger, before, zone)
        return None if there == trigger else there
    return None
