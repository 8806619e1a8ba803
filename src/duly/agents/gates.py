"""Gates: commands of the configuration that decide before each run whether an agent has anything to do."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path

from duly.agents.assignment import PromptError
from duly.agents.environment import secrets_among
from duly.agents.output import shorten
from duly.agents.spawn import GRACE, EndedProcess, Invocation, run_command
from duly.clock import Clock
from duly.errors import InvalidInputError, RunSkippedError, RunTimeoutError
from duly.jobs.waiting import Deadline
from duly.outbound.masking import Mask
from duly.sealed import scripts_of

_LAST_REFUSAL = 125  # the exit codes above mean: not executable, not found, killed by a signal
OUTPUT_CAP = 32 * 1024
_LONGEST_REASON = 200


def check_gates(gates: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
    """Return the gates of the configuration as argument lists. A schedule can choose a gate, but never define one."""
    for name, argv in gates.items():
        if isinstance(argv, str) or not argv or "" in argv:
            raise InvalidInputError(f"gates.{name} must be a list of arguments, got {argv!r}")
    return {name: tuple(argv) for name, argv in gates.items()}


def gate_command(name: str, argv: Sequence[str], cwd: Path, env: Mapping[str, str]) -> Invocation:
    """Return the command that asks a gate; raise if its script is missing, which an interpreter tells by any code."""
    for script in scripts_of(argv, cwd).values():
        if not Path(script).exists():
            raise PromptError(f"gate {name!r} cannot be asked: its script {script} does not exist", summary=None)
    return Invocation(argv=argv, cwd=cwd, env=env, output_cap=OUTPUT_CAP, grace=GRACE)


class Gates:
    """Asks gates, each for a limited time."""

    def __init__(self, clock: Clock, timeout: float) -> None:
        self._clock = clock
        self._timeout = timeout

    async def ask(self, name: str, command: Invocation, within: float | None) -> str:
        """Return the text that a gate adds to the prompt; raise `RunSkippedError` when there is nothing to do.

        `within` is the timeout of the run, which limits the gate as well.
        """
        secrets = await asyncio.to_thread(Mask, secrets_among(command.env, {}))
        try:
            async with Deadline(self._clock, self._timeout if within is None else min(within, self._timeout)):
                ended = await run_command(command, self._clock, secrets=secrets)
        except RunTimeoutError as late:
            raise RunTimeoutError(late.seconds, f"gate {name!r}") from None
        if ended.code == 0:
            return ended.stdout.text.strip()
        raise _refusal(name, ended)


def _refusal(name: str, ended: EndedProcess) -> RunSkippedError | PromptError:
    said = shorten(ended.stderr.tail.strip() or ended.stdout.tail.strip(), _LONGEST_REASON)
    reason = f": {said}" if said else ""
    if 1 <= ended.code <= _LAST_REFUSAL:
        summary = f"gate {name!r} found nothing to do (exit code {ended.code})"
        skipped = RunSkippedError(f"{summary}{reason}")
        skipped.summary = summary
        return skipped
    how = f"was killed by signal {-ended.code}" if ended.code < 0 else f"failed with exit code {ended.code}"
    summary = f"gate {name!r} {how}"
    return PromptError(f"{summary}{reason}", summary=summary)
