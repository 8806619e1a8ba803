"""`duly run show`: one run with its attempts, its prompt and what it prints, also while it prints it."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from duly.cli.arguments import Parser, UsageError, add_common_arguments, whole_number
from duly.cli.asking import AnyDuly, with_duly
from duly.cli.output import as_json, table, warning_line, write_now
from duly.cli.schedule_lines import run_in_full, with_local_times
from duly.cli.steps import run_again
from duly.errors import InvalidInputError
from duly.model.run import Status
from duly.operations.runs import GetOutput, GetRun, WakeMe
from duly.service.schedules.views import plain
from duly.zones import Zone, iso

if TYPE_CHECKING:
    from argparse import Namespace

    from duly.clock import Clock
    from duly.service.executors.views import HandoverView
    from duly.service.runs.views import AttemptView, OutputChunk, RunDetail

_NUMBER = re.compile(r"\d{1,9}")
_LOOK_EVERY = 1.0  # seconds; output is written about as often
_AT_ONCE = 256 * 1024


def wake_me(parser: Parser, words: list[str], clock: Clock) -> str:
    """`duly wake-me WHEN`: let the session of an agent go on later."""
    add_common_arguments(parser)
    parser.add_argument("when", nargs="+", help="minutes, or words: 20, in 2 hours, tomorrow at 9")
    parser.add_argument("--note", metavar="TEXT", help="what to say to the session then")
    parser.add_argument("--run", metavar="RUN", help="the run whose session goes on (default: DULY_RUN_ID)")
    parser.add_argument("--session", metavar="ID", help="the session, where it belongs to no run; needs --target")
    parser.add_argument("--target", metavar="NAME", help="where it began: blog, shop/main (default: DULY_TARGET)")
    parser.add_argument("--spawner", metavar="NAME", help="which agent (default: that of the run, or the default one)")
    arguments = parser.read(words)
    said = " ".join(arguments.when)
    asked = WakeMe(
        note=arguments.note,
        minutes=int(said) if _NUMBER.fullmatch(said) else None,
        when=None if _NUMBER.fullmatch(said) else said,
        run_id=arguments.run,
        session=arguments.session,
        target=arguments.target,
        spawner=arguments.spawner,
    ).inside(os.environ)
    made = with_duly(arguments, clock, lambda duly: duly.ask(asked))
    if arguments.json:
        return as_json(plain(made))
    return f"✓ {made.name} · {iso(made.next_run_at)} · {made.id}\n{warning_line(made.warning)}"


def run(_parser: Parser, words: list[str], clock: Clock) -> str:
    """`duly run VERB …`. The first line of a verb's docstring is its help."""
    verb, *rest = words or ["--help"]
    if verb in ("-h", "--help"):
        lines = "\n".join(f"  {name:9} {command.__doc__}" for name, command in VERBS.items())
        return f"usage: duly run VERB ...\n\n{lines}\n"
    if verb not in VERBS:
        raise UsageError(f"no such verb: duly run {verb}; there are {', '.join(VERBS)}")
    parser = Parser(f"duly run {verb}", str(VERBS[verb].__doc__))
    add_common_arguments(parser)
    return VERBS[verb](parser, rest, clock)


def _show(parser: Parser, words: list[str], clock: Clock) -> str:
    """show a run with its attempts and its output; --follow goes on until it ends"""
    parser.add_argument("run", help="its id, run_…: duly schedule history shows it")
    parser.add_argument("-f", "--follow", action="store_true", help="go on with new output until the run ends")
    parser.add_argument("--target", metavar="NAME", help="the output at one target: shop, shop/main, or gate")
    parser.add_argument("--attempt", metavar="N", type=whole_number(1, 2**31), help="the output of an earlier attempt")
    arguments = parser.read(words)
    if arguments.follow and arguments.attempt:
        raise UsageError("--follow goes on with the latest attempt: leave out --attempt")
    return with_duly(arguments, clock, lambda duly: _look(duly, arguments))


async def _look(duly: AnyDuly, arguments: Namespace) -> str:
    detail = await duly.ask(GetRun(arguments.run))
    target = arguments.target if arguments.target is not None else _only_target(detail, asked=arguments.follow)
    zone = Zone.of((await duly.me()).timezone)
    if arguments.follow:
        await _follow(duly, arguments, target or None, zone)
        return ""
    if arguments.json:
        return as_json(plain(detail))
    shown = [run_in_full(detail.run, zone), _facts(detail, zone)]
    if target is None:
        names = ", ".join(sorted({each.target or "-" for each in detail.outputs}))
        shown.append(f"output of: {names}; --target NAME shows one\n" if names else "")
        return "\n".join(filter(None, shown))
    number = arguments.attempt or max((each.attempt for each in detail.outputs if each.target == target), default=0)
    offset = 0
    while number and (chunk := await _part(duly, arguments.run, target, number, offset)).lines:
        shown.append(_lines(chunk, zone))
        offset = chunk.next_offset
    return "\n".join(filter(None, shown[:2])) + ("\n" if shown[2:] else "") + "".join(shown[2:])


async def _part(duly: AnyDuly, run_id: str, target: str | None, attempt: int | None, offset: int) -> OutputChunk:
    return await duly.ask(GetOutput(run_id, attempt=attempt, target=target, offset=offset, limit=_AT_ONCE))


def _only_target(detail: RunDetail, *, asked: bool) -> str | None:
    """Choose the target whose output is meant; None where there are several."""
    names = sorted({each.target for each in detail.targets})
    if len(names) > 1 and asked:
        raise InvalidInputError(f"the run has several targets: say which with --target: {', '.join(names)}")
    return None if len(names) > 1 else next(iter(names), "")


async def _follow(duly: AnyDuly, arguments: Namespace, target: str | None, zone: Zone) -> None:
    """Write output as it comes, attempt after attempt, until the run ends."""
    done: set[tuple[int, str]] = set()
    attempt: int | None = None
    place = target
    offset = 0
    while True:
        now = (await duly.ask(GetRun(arguments.run))).run
        chunk = await _part(duly, arguments.run, place, attempt, offset)
        is_new = (chunk.attempt, chunk.target) not in done
        if is_new and arguments.json:
            write_now("".join(as_json({"attempt": chunk.attempt, **plain(line)}, indent=None) for line in chunk.lines))
        elif is_new:
            write_now(_lines(chunk, zone))
        if chunk.complete and Status(now.status).final:
            break
        if chunk.complete or not chunk.total:  # what prints next is not known yet
            done |= {(chunk.attempt, chunk.target)} if chunk.complete else set()
            attempt = None
            place = target
            offset = 0
        else:
            attempt = chunk.attempt
            place = chunk.target
            offset = chunk.next_offset
        if not (is_new and chunk.lines):
            await duly.clock.sleep(_LOOK_EVERY)
    write_now(
        "" if arguments.json else f"{now.status}{f': {now.error or now.reason}' if now.error or now.reason else ''}\n"
    )


def _lines(chunk: OutputChunk, zone: Zone) -> str:
    cut = f"          … {chunk.left_out} bytes were not kept …\n" if chunk.left_out else ""
    return cut + "".join(f"{_clock(line.at, zone)}  {line.text}\n" for line in chunk.lines)


def _clock(at: datetime | None, zone: Zone) -> str:
    return "-" if at is None else f"{zone.localize(at):%H:%M:%S}"


def _facts(detail: RunDetail, zone: Zone) -> str:
    """Show the attempts in a table, and how to go on with each session."""
    rows = [_attempt_row(each, zone) for each in detail.attempts]
    headings = ["ATTEMPT", "STATUS", f"BEGAN ({zone.name})", "ENDED", "WAITED", "NODE", "ERROR"]
    sessions = [f"resume  {each.resume_command}\n" for each in detail.targets if each.resume_command]
    waits = detail.run.status == "pending" and detail.run.reason
    said = f"{with_local_times(waits, zone)} ({zone.name})\n" if waits else ""
    return (table(headings, rows) if rows else "") + _handed_over(detail.handovers, zone) + "".join(sessions) + said


def _handed_over(handovers: Sequence[HandoverView], zone: Zone) -> str:
    """Show in a table what became of a run elsewhere, each time that it was handed over."""
    rows = [
        [
            str(each.number),
            each.state,
            each.executor,
            each.queue or "-",
            each.worker or "-",
            _clock(each.handed_over_at, zone),
            _seconds(each.queue_seconds),
            _seconds(each.run_seconds),
            str(each.sent),
        ]
        for each in handovers
    ]
    headings = ["HANDOVER", "STATE", "EXECUTOR", "QUEUE", "WORKER", f"AT ({zone.name})", "QUEUED", "RAN", "SENT"]
    return table(headings, rows) if rows else ""


def _seconds(seconds: float | None) -> str:
    return "-" if seconds is None else f"{seconds:.0f} s"


def _attempt_row(each: AttemptView, zone: Zone) -> list[str]:
    return [
        str(each.number),
        each.status,
        _clock(each.started_at, zone),
        _clock(each.ended_at, zone),
        _seconds(each.waited_seconds),
        each.node_id or "-",
        " ".join((each.error or "").split()),
    ]


VERBS = {"show": _show, "again": run_again}
