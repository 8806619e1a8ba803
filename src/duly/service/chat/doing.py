"""Carry out what a person asked for in a chat. Every change can be taken back with "undo"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING

from duly.entropy import random_bits
from duly.errors import ConflictError, InvalidInputError, NotFoundError, SnoozeRangeError
from duly.language.requests import Move, OthersAsked, Remind, read_named
from duly.language.requests.urgency import Urgency, urgency_of
from duly.model.action import Message, Priority, WantsAnswer
from duly.model.reminder import Response
from duly.phrases import Phrase
from duly.planning import lifecycle
from duly.planning.reach import MAX_AHEAD
from duly.ports.changes import Change, Edited
from duly.ports.codec import decode_trigger, encode_trigger
from duly.ports.people import LOCAL_USER, User, namespace_of
from duly.ports.records import StoredSchedule
from duly.ports.row_reader import READER
from duly.recurrence import Once
from duly.service.access.audit import acting
from duly.service.access.scopes import ADMIN
from duly.service.changes import Changed, Recording
from duly.service.chat.finding import Meant, reminders_of
from duly.service.chat.listing import line_of
from duly.service.chat.pausing import PauseEnd, brought_back, own_time, put_off
from duly.service.chat.questions import ChatStep, kept_answer
from duly.service.chat.talk import Talk
from duly.service.chat.topics import ChatTopics
from duly.service.reminders.sharing import own, shared_among
from duly.service.reminders.timing import Addressee, delivery_note
from duly.service.schedules.fields import ReminderView
from duly.service.schedules.manual_fires import skip_recording
from duly.service.steps import way_back

if TYPE_CHECKING:
    from duly.service.services import Services


_MOST_SKIPS = 6
"""A time, and the most that may come ahead of it."""


class ChatActions:
    """Makes and changes reminders on behalf of a person in a chat, and says what was done."""

    def __init__(self, services: Services, topics: ChatTopics) -> None:
        self._find = services.schedules.find
        self._store = services.store
        self._service = services.reminder_service
        self._undo = services.undo
        self._topics = topics

    async def all_of(self, talk: Talk) -> list[Meant]:
        """List the person's reminders that may still come."""
        return await reminders_of(self._store, self._service.lists, talk.user, talk.now)

    async def perform(self, talk: Talk, step: ChatStep) -> str:
        """Carry out a step that was kept with a question."""
        if step.do == "nothing":
            return talk.texts.nothing_done
        if step.do == "remind":
            return await self.remind(talk, step)
        if step.do == "answer":
            handled = await self._service.replies.give(talk.user, *kept_answer(step))
            return handled.reply or talk.texts.question_over
        meant = next((each for each in await self.all_of(talk) if each.id == step.schedule_id), None)
        if meant is None:
            return talk.texts.question_over
        await self._topics.note(talk, [] if step.do == "cancel" else [meant.id])
        return await self._change(talk, meant, step)

    async def _change(self, talk: Talk, meant: Meant, step: ChatStep) -> str:
        if step.do == "move":
            return await self.move(talk, meant, step)
        if step.do == "cancel":
            return await self.cancel(talk, meant)
        if step.do == "skip":
            return await self.skip(talk, meant, None if step.until is None else date.fromisoformat(step.until))
        if step.do == "resume":
            return await self.resume(talk, [meant])
        until = None if step.until is None else datetime.fromisoformat(step.until)
        return await self.pause(talk, [meant], None if until is None else talk.pause_end(until, step.original))

    async def for_others(self, talk: Talk, asked: OthersAsked) -> tuple[ChatStep, Remind] | str | None:
        """Read whom a message asks to remind: the step that does so and what was asked for, or why that is refused.

        None: it asks nothing of the kind. A person who may not name others is refused before
        a name is looked up, so that the answer does not say who there is.
        """
        texts = talk.texts
        if not (talk.caller.scope.is_admin or talk.user.id == LOCAL_USER):
            return None if asked.with_self else texts.only_yourself
        ids = {each.name: each.id for each in await self._store.people.all()}
        named = asked.names(list(ids))
        if named is None:
            return None
        if named.unknown is not None:
            return texts.unknown_person.format(name=named.unknown)
        request = read_named(named, asked.lang, now=talk.now, zone=talk.zone, day_parts=talk.day_parts)
        if request is None:
            return None
        own = [talk.user.id] if named.with_self else []
        people = tuple(dict.fromkeys([*own, *(ids[each] for each in named.names)]))
        return ChatStep(do="remind", text=request.text, original=talk.text, people=people), request

    async def remind(self, talk: Talk, step: ChatStep) -> str:
        """Make a reminder."""
        if step.trigger is None:
            raise InvalidInputError("a reminder needs a time")
        trigger = decode_trigger(step.trigger)
        who = [(await self._service.people.get(each)).user for each in step.people] or [talk.user]
        urgency = urgency_of(step.original, step.text, talk.tag, talk.user.wants_answer)
        options = {
            **urgency.options,
            **step.options,
            **shared_among(step.people),
        }

        # Not the next run: what comes ahead of a reminder is one, too.
        at = trigger.at if isinstance(trigger, Once) else trigger.get_next_occurrence(talk.now) or talk.now
        texts = talk.texts
        said = {
            "moment": talk.moment(at),
            "zone": talk.zone.name,
            "text": step.text,
            "names": ", ".join(each.name for each in who),
        }
        if isinstance(trigger, Once):
            answer = (texts.reminds_people if step.people else texts.reminds).format(**said)
        else:
            often = texts.reminds_people_often if step.people else texts.reminds_often
            answer = often.format(**said, rule=talk.rule(trigger))

        async def create(name: str) -> ReminderView:
            return await self._service.create(
                who[0].id,
                trigger,
                step.text,
                name=name,
                created_via="chat",
                original_text=step.original,
                scope=ADMIN if step.people else talk.caller.scope,  # who may not name others was refused before
                via=talk.channel if talk.user in who else None,
                way=way_back(talk.caller, "create", answer),
                **options,
            )

        names = self._find
        view = await names.create_under_free_name(namespace_of(who[0].id), step.text, create)
        await self._topics.note(talk, [view.id])
        notes = dict.fromkeys(self._note(talk, view, at, each) for each in who)
        return f"{answer}{talk.company(view)}{_urgency_note(talk, urgency)}{''.join(notes)}"

    async def set_wants_answer(self, talk: Talk, wants: WantsAnswer) -> str:
        """Set for which reminders of a chat the person wants to be asked from now on."""
        await self._service.people.update(talk.user.id, wants_answer=str(wants))
        texts = talk.texts
        said = {
            WantsAnswer.ALWAYS: texts.answers_always,
            WantsAnswer.MEDICINE: texts.answers_medicine,
            WantsAnswer.NEVER: texts.answers_never,
        }
        return said[wants]

    def _note(self, talk: Talk, view: ReminderView, at: datetime, user: User | None = None) -> str:
        """Say when a reminder comes that does not come at its time, in the script in which the person writes."""
        to = Addressee(
            user=user or talk.user,
            zone=talk.zone,
            tag=talk.tag,
            usual_digest=self._service.lists.digest_at,
            in_person=user is None or user.id == talk.user.id,
        )
        message = Message(text=view.message, priority=Priority(view.priority), require_ack=view.require_ack)
        note = delivery_note(to, message, at, talk.now)
        return "" if note is None else f"\n{note}"

    async def move(self, talk: Talk, meant: Meant, step: ChatStep) -> str:
        """Give a reminder another time."""
        if step.trigger is None:
            raise InvalidInputError("a move needs a time")
        trigger = decode_trigger(step.trigger)
        texts = talk.texts
        if isinstance(trigger, Once) and meant.can_be_snoozed:
            return await self._answer(talk, meant, Response.SNOOZE, trigger.at)
        if isinstance(trigger, Once) and not isinstance(meant.trigger, Once):
            return texts.moves_series.format(text=meant.shown, rule=talk.rule(meant.trigger))

        def moved(row: StoredSchedule) -> str:
            said = {"moment": talk.moment(own_time(row) or talk.now), "zone": talk.zone.name, "text": meant.shown}
            if isinstance(trigger, Once):
                return texts.moved.format(**said)
            return texts.moved_often.format(**said, rule=talk.rule(trigger))

        way = way_back(talk.caller, "update", lambda edited: moved(edited[0].after))
        view = await self._service.update(
            talk.user.id, meant.id, way=way, schedule=trigger, enabled=True, scope=talk.caller.scope
        )
        [row] = await self._rows([meant])
        return f"{moved(row)}{talk.company(view)}{self._note(talk, view, own_time(row) or talk.now)}"

    async def cancel(self, talk: Talk, meant: Meant) -> str:
        """Remove a reminder; one of which only a run is left that waits for its answer is dismissed."""
        if meant.only_waits:
            return await self._answer(talk, meant, Response.DISMISS)
        answer = talk.texts.removed.format(text=meant.shown)
        await self._service.remove(talk.user.id, meant.id, way=way_back(talk.caller, "delete", answer))
        return f"{answer}\n{talk.texts.say_undo}"

    async def skip(self, talk: Talk, meant: Meant, day: date | None) -> str:
        """Leave out the next time of a series, with what comes ahead of it; what comes once is removed."""
        texts = talk.texts
        at = meant.next_run_at
        if at is None or not meant.enabled:
            return line_of(talk, meant)
        said = {"moment": talk.moment(at), "zone": talk.zone.name, "text": meant.shown}
        if day is not None and talk.zone.localize(at).date() != day:
            return texts.skips_next.format(**said)
        if isinstance(meant.trigger, Once):
            return await self.cancel(talk, meant)
        answer = texts.skipped.format(**said)
        way = way_back(talk.caller, "skip_next", answer)
        recording = skip_recording(talk.now, random_bits, Recording(way=way))
        changed = await self._edit(talk, [meant.id], lambda row: _skipped(row, at), recording)
        [row] = changed.rows
        following = own_time(row)
        lines = [answer]
        if following is not None:
            lines.append(texts.goes_on.format(moment=talk.moment(following), zone=talk.zone.name))
        return "\n".join([*lines, *([] if changed.undo is None else [texts.say_undo])])

    async def _answer(self, talk: Talk, meant: Meant, response: Response, until: datetime | None = None) -> str:
        """Answer the run of a reminder that waits, as the words of an answer do."""
        run = None if meant.waiting is None else meant.waiting.run_id
        texts = talk.texts
        try:
            given = await self._service.answer(talk.user.id, response, run, until=until, channel=talk.channel)
        except SnoozeRangeError as error:
            too_far = texts.snooze_too_far.format(days=MAX_AHEAD.days)
            return too_far if error.until > talk.now else texts.time_passed
        except InvalidInputError as error:  # over, or not to be snoozed: the person gets the reason
            return str(error)
        return f"{given.text}\n{texts.say_undo}"

    async def pause(self, talk: Talk, reminders: Sequence[Meant], end: PauseEnd | None) -> str:
        """Stop reminders, until a time or until they are resumed; say how many that were, and when they go on.

        A run that waits for its answer is not paused, and the answer says so; until a time, one alone is snoozed.
        """
        left = [f"\n{line_of(talk, each)}" for each in reminders if each.only_waits]
        if end is not None and len(reminders) == 1 and reminders[0].only_waits:
            return await self._answer(talk, reminders[0], Response.SNOOZE, end.at)
        reminders = [each for each in reminders if not each.only_waits]
        shown = {each.id: each.shown for each in reminders}
        texts = talk.texts

        def said(edited: Sequence[Edited]) -> str:
            if len(edited) == 1:
                return texts.paused.format(text=shown[edited[0].after.id])
            return talk.counted(len(edited), texts.paused_all)

        changed = await self._edit(
            talk,
            list(shown),
            lambda row: lifecycle.pause(row, talk.now) if end is None else put_off(row, talk.now, end),
            Recording(way=way_back(talk.caller, "pause", said)),
        )
        if not changed.edited:
            return "".join([texts.none_before if reminders else texts.none_paused, *left])
        answer = said(changed.edited)
        times = [at for each in changed.edited if (at := own_time(each.after)) is not None]
        if times:
            answer += f"\n{texts.goes_on.format(moment=talk.moment(min(times)), zone=talk.zone.name)}"
        return "".join([answer, *left, f"\n{texts.say_undo}"])

    async def resume(self, talk: Talk, reminders: Sequence[Meant]) -> str:
        """Let reminders come again from now on that were paused, with or without an end."""
        texts = talk.texts
        shown = {each.id: each.shown for each in reminders}

        def said(edited: Sequence[Edited]) -> str:
            if len(edited) > 1:
                return talk.counted(len(edited), texts.resumed_all)
            row = edited[0].after
            moment = talk.moment(own_time(row) or talk.now)
            return texts.resumed.format(moment=moment, zone=talk.zone.name, text=shown[row.id])

        recording = Recording(way=way_back(talk.caller, "resume", said))
        changed = await self._edit(talk, list(shown), lambda row: brought_back(row, talk.now), recording)
        return said(changed.edited) if changed.edited else texts.none_paused

    async def undo(self, talk: Talk) -> str:
        """Take back the last step."""
        texts = talk.texts
        await self._topics.note(talk, [])
        last = await self._undo.last(talk.caller)
        if last is None:
            return texts.nothing_to_undo
        # What the owner of the machine made for others is theirs to take back.
        caller = replace(talk.caller, scope=ADMIN) if talk.user.id == LOCAL_USER else talk.caller
        try:
            await self._undo.undo(caller, last.token)
        except (ConflictError, InvalidInputError, NotFoundError):
            return texts.not_undone
        return texts.undone.format(text=last.sentence)

    # rows

    async def _rows(self, reminders: Sequence[Meant]) -> list[StoredSchedule]:
        found = [await self._store.get(each.id) for each in reminders]
        return [row for row in found if row is not None]

    async def _edit(self, talk: Talk, ids: Sequence[str], decide: Change, recording: Recording) -> Changed:
        """Change reminders of the person."""
        return await self._service.changes.edit(ids, own(talk.user, decide), acting(), recording)


def _skipped(row: StoredSchedule, at: datetime) -> StoredSchedule:
    """Leave out a time, and what comes ahead of it."""
    for _ in range(_MOST_SKIPS):
        if own_time(row) != at:
            break
        row = lifecycle.skip_next(row, READER)
    return row


def _urgency_note(talk: Talk, urgency: Urgency) -> str:
    """Say that an answer is wanted, or that a reminder is important, and how to change it."""
    if urgency.wants_answer:
        return f"\n{talk.texts.wants_answer}"
    return f"\n{talk.texts.is_important}" if urgency.is_high else ""


def later_step(talk: Talk, request: Move, meant: Meant) -> ChatStep:
    """Make the step that moves a reminder by a length of time."""
    at = meant.later(request.shift or timedelta(0), talk.now)
    if at is None or at <= talk.now:
        raise OverflowError("that is in the past")
    return ChatStep(do="move", schedule_id=meant.id, trigger=encode_trigger(Once(at)))


def moving_step(talk: Talk, request: Move, phrase: Phrase, meant: Meant) -> ChatStep:
    """Make the step that moves a reminder; where only a time of day was said, the day stays."""
    trigger = phrase.trigger
    keeps_day = request.clock_only and not meant.can_be_snoozed
    if keeps_day and isinstance(trigger, Once) and meant.next_run_at is not None:
        its_day = talk.zone.localize(meant.next_run_at).replace(hour=0, minute=0, second=0, microsecond=0)
        kept = talk.time(phrase.text, max(its_day, talk.now), request.lang)
        trigger = trigger if kept is None else kept.trigger
    return ChatStep(do="move", schedule_id=meant.id, trigger=encode_trigger(trigger))
