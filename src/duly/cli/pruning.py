"""`duly prune`: delete old runs and other old records now, beside a daemon that goes on."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from duly.cli.arguments import Parser, UsageError, add_common_arguments
from duly.cli.asking import AnyDuly, Here, with_duly
from duly.cli.output import CommandOutput, as_json
from duly.cli.progress import progress_line

if TYPE_CHECKING:
    from duly.clock import Clock
    from duly.service.pruning import PruneView

_DECLINED = "nothing was deleted\n"


def prune(parser: Parser, words: list[str], clock: Clock) -> str:
    """delete what is older than an age; engines do so every hour by `retention`"""
    parser.add_argument(
        "--older-than", metavar="AGE", required=True, help="delete what is older: 30d, 12w; at least 1d"
    )
    parser.add_argument("--dry-run", action="store_true", help="only count what would be deleted")
    parser.add_argument("--yes", action="store_true", help="delete without asking")
    add_common_arguments(parser)
    arguments = parser.read(words)
    is_asked = not (arguments.yes or arguments.dry_run)
    if is_asked and not sys.stdin.isatty():
        raise UsageError("duly prune asks before it deletes: say --yes, or --dry-run to see what it would delete")

    async def act(duly: AnyDuly) -> PruneView | None:
        from duly.operations.records import Prune

        if is_asked or arguments.dry_run:
            expected = await duly.ask(Prune(arguments.older_than, dry_run=True))
            if arguments.dry_run or not _agreed(expected):
                return expected if arguments.dry_run else None
        if isinstance(duly, Here):
            return await _prune_here(duly, arguments.older_than)
        return await duly.ask(Prune(arguments.older_than))

    done = with_duly(arguments, clock, act)
    if done is None:
        return CommandOutput(_DECLINED)
    if arguments.json:
        from duly.service.schedules.views import plain

        return as_json(plain(done))
    return f"{done}\n"


async def _prune_here(duly: Here, older_than: str) -> PruneView:
    """Delete in this process, to the end, and say how far it is.

    What is asked with `Prune` goes on after five seconds in the daemon that answers; here the process would end.
    """
    with progress_line() as line:
        return await duly.services.pruning.prune(
            duly.caller,
            older_than,
            heard=lambda so_far: line.show(f"deleted {so_far.runs:,} runs, {so_far.records:,} other records …"),
        )


def _agreed(expected: PruneView) -> bool:
    """Ask the person at the terminal."""
    sys.stderr.write(f"{expected}\ndelete? [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")
