"""What notices say: answers, failures and recoveries, in the language of the recipient. Pure."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from duly.language.spoken import spoken
from duly.language.spoken.form import NoticeTexts
from duly.language.spoken.moments import say_moment
from duly.model.notice import NoticeKind
from duly.model.run import Run
from duly.ports.notices import Notice
from duly.ports.records import StoredSchedule
from duly.zones import Zone, with_instants_said

RunLink = Callable[[str], str | None]
"""Makes the link to a run; None where no server can be reached."""
_LONGEST_REASON = 400
_MOST_NAMES = 10
_MOST_PARTS = 8
_OWN_ERRORS = re.compile(r"^(?:LimitTooLong|PromptFailed|Prompt|RunFailed|RunTimeout)Error: ")
"""Names of our own errors: they say nothing to a person. Those of jobs may."""
_LIMIT = re.compile(r"limit resets at (\S+Z), and a run waits for it")
_SPENT = re.compile(r"limit is reached, and a run waits for it")
_SILENT = re.compile(r"^(?:[^:;]+: )?ended without an answer$")
_EDGES = re.compile(r"^[\W_]+|[\W_]+$")


def no_run_link(_run_id: str) -> None:
    """Make no link: for installations that cannot be reached from outside."""


class NoticedRun(NamedTuple):
    """A notice with what it is about."""

    notice: Notice
    run: Run
    schedule: StoredSchedule

    @property
    def works(self) -> bool:
        """Whether the schedule works at present."""
        return self.schedule.failing_since is None


@dataclass(frozen=True, slots=True, kw_only=True)
class NoticeVoice:
    """How one recipient is spoken to."""

    language: str | None
    zone: Zone
    now: datetime
    longest: int
    link: RunLink

    @property
    def texts(self) -> NoticeTexts:
        return spoken(self.language).notices

    def moment(self, at: datetime) -> str:
        return say_moment(at, self.zone, self.now, self.language)


# answers


class TargetAnswer(NamedTuple):
    """The answer of one target, or of a job."""

    target: str
    text: str
    session: str | None = None


def answers_of(result: Any) -> list[TargetAnswer]:
    """Read the answers out of the result of a run: one for each target of a prompt, one for a job."""
    targets = result.get("targets") if isinstance(result, Mapping) else None
    if not isinstance(targets, list) or not all(isinstance(each, Mapping) for each in targets):
        return [TargetAnswer("", _as_text(result))]
    return [
        TargetAnswer(
            target="/".join(str(part) for part in (each.get("project_id"), each.get("workspace_id")) if part),
            text=str(each.get("text") or "").strip(),
            session=each.get("session_id"),
        )
        for each in targets
    ]


def _as_text(result: Any) -> str:
    if result is None:
        return ""
    return result.strip() if isinstance(result, str) else json.dumps(result, ensure_ascii=False, indent=1)


def is_quiet(text: str, quiet_word: str) -> bool:
    """Tell whether an answer is only the quiet word; its case and the marks around it do not count."""
    return bool(text) and _plain_words(text) == _plain_words(quiet_word)


def _plain_words(text: str) -> str:
    return " ".join(_EDGES.sub("", text).casefold().split())


def digest_of(answers: Sequence[TargetAnswer]) -> str:
    """Make the digest by which a changed answer is recognised: of the words, not of sessions and costs."""
    words = json.dumps([[each.target, " ".join(each.text.split())] for each in answers])
    return hashlib.sha256(words.encode(errors="backslashreplace")).hexdigest()[:32]


def say_answer(about: NoticedRun, answers: Sequence[TargetAnswer], voice: NoticeVoice) -> str:
    """Say what a run answered, shortened, with its cost, its sessions and its link."""
    texts = voice.texts
    room = max(voice.longest // max(len(answers), 1), 80)
    parts = [_one_answer(each, room, texts, named=len(answers) > 1) for each in answers]
    return "\n".join([f"✓ {about.schedule.name}", *parts, *_details(about, answers, voice)])


def _one_answer(answer: TargetAnswer, room: int, texts: NoticeTexts, *, named: bool) -> str:
    said = answer.text or texts.no_answer
    if len(said) > room:
        said = f"{said[:room].rstrip()}\n{texts.shortened.format(count=len(said) - room)}"
    return f"{answer.target}: {said}" if named and answer.target else said


def _details(about: NoticedRun, answers: Sequence[TargetAnswer], voice: NoticeVoice) -> list[str]:
    texts = voice.texts
    cost = about.run.result.get("cost_usd") if isinstance(about.run.result, Mapping) else None
    facts = [texts.cost.format(cost=f"${cost:.2f}")] if isinstance(cost, int | float) else []
    facts += [texts.session.format(session=each.session) for each in answers if each.session]
    link = voice.link(about.run.id)
    return [*([" · ".join(facts)] if facts else []), *([link] if link else [])]


# failures and recoveries


def say_ends(about: Sequence[NoticedRun], voice: NoticeVoice) -> str:
    """Say which schedules failed and which work again: those that failed for one reason together."""
    by_reason: dict[str, list[NoticedRun]] = {}
    recovered = [each for each in about if each.notice.kind is NoticeKind.RECOVERY]
    for each in about:
        if each.notice.kind is NoticeKind.FAILURE:
            by_reason.setdefault(_reason(each, voice), []).append(each)
    parts = [_say_failures(reason, group, voice) for reason, group in by_reason.items()]
    left = sum(map(len, list(by_reason.values())[_MOST_PARTS:]))
    more = [voice.texts.and_more.format(count=left)] if left else []
    return "\n\n".join([*parts[:_MOST_PARTS], *more, *_say_recoveries(recovered, voice)])


def _reason(about: NoticedRun, voice: NoticeVoice) -> str:
    """Say why a run failed; what duly itself found out about an agent, in the words of the recipient."""
    texts = voice.texts
    said = _OWN_ERRORS.sub("", about.run.error or about.run.reason or texts.no_reason)
    line = " ".join(said.split())
    if limit := _LIMIT.search(line):
        line = texts.limit_until.format(moment=voice.moment(datetime.fromisoformat(limit[1])))
    elif _SPENT.search(line):
        line = texts.limit_reached
    elif _SILENT.search(line):
        line = texts.agent_silent
    line = with_instants_said(line, voice.moment)
    return line if len(line) <= _LONGEST_REASON else f"{line[:_LONGEST_REASON].rstrip()} …"


def _say_failures(reason: str, group: Sequence[NoticedRun], voice: NoticeVoice) -> str:
    texts = voice.texts
    if len(group) > 1:
        names = _names([each.schedule.name for each in group], texts)
        return "\n".join([texts.failed_many.format(count=len(group), reason=reason), names])
    first = group[0]
    row = first.schedule
    values = {
        "name": row.name,
        "reason": reason,
        "moment": voice.moment(first.run.finished_at or first.notice.created_at),
    }
    if first.works:
        lines = [texts.failed_and_works.format(**values)]
    elif row.consecutive_failures > 1:
        lines = [texts.failed_often.format(**values, count=row.consecutive_failures), _next(row, voice)]
    else:
        lines = [texts.failed.format(**values), _next(row, voice)]
    link = voice.link(first.run.id)
    return "\n".join([*lines, *([link] if link else [])])


def _next(row: StoredSchedule, voice: NoticeVoice) -> str:
    if row.next_run_at is None or not row.enabled:
        return voice.texts.no_next_attempt
    return voice.texts.next_attempt.format(moment=voice.moment(row.next_run_at))


def _say_recoveries(recovered: Sequence[NoticedRun], voice: NoticeVoice) -> list[str]:
    texts = voice.texts
    if not recovered:
        return []
    names = [each.schedule.name for each in recovered]
    if len(names) == 1:
        return [texts.works.format(name=names[0])]
    return [texts.works_many.format(count=len(names), names=_names(names, texts))]


def _names(names: Sequence[str], texts: NoticeTexts) -> str:
    listed = ", ".join(names[:_MOST_NAMES])
    left = len(names) - _MOST_NAMES
    return f"{listed} {texts.and_more.format(count=left)}" if left > 0 else listed
