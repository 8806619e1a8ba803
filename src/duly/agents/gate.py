"""Gates: a command decides whether there is anything to do before an agent is asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from duly.agents.assignment import PromptError
from duly.agents.capture import shorten
from duly.agents.environment import secrets_among, without
from duly.agents.spawn import GRACE, Command, run_command
from duly.clock import Clock
from duly.errors import InvalidInputError, RunSkippedError, RunTimeoutError
from duly.jobs.deadline import Deadline

_LAST_REFUSAL = 125  # beyond are: not executable, not found, killed
_OUTPUT_CAP = 32 * 1024
_LONGEST_REASON = 200


def check_gates(gates: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
    """The gates that configuration names, as argument lists; a schedule can choose one, never define one."""
    for name, argv in gates.items():
        if isinstance(argv, str) or not argv or "" in argv:
            raise InvalidInputError(f"gates.{name} must be a list of arguments, got {argv!r}")
    return {name: tuple(argv) for name, argv in gates.items()}


def gate_command(argv: Sequence[str], cwd: Path, env: Mapping[str, str]) -> Command:
    """What is run to ask a gate."""
    return Command(argv=argv, cwd=cwd, env=env, output_cap=_OUTPUT_CAP, grace=GRACE)


class Gates:
    """Asks gates."""

    def __init__(self, clock: Clock, timeout: float) -> None:
        self._clock = clock
        self._timeout = timeout

    async def ask(self, name: str, command: Command, within: float | None) -> str:
        """What the gate has to say to the prompt; raises `RunSkippedError` when there is nothing to do.

        `within` is how long the run may take: a gate may not take longer.
        """
        try:
            async with Deadline(self._clock, self._timeout if within is None else min(within, self._timeout)):
                ended = await run_command(command, self._clock)
        except RunTimeoutError as late:
            raise RunTimeoutError(late.seconds, f"gate {name!r}") from None
        secrets = secrets_among(command.env, {})
        if ended.code == 0:
            return without(secrets, ended.stdout.text.strip())
        said = shorten(without(secrets, ended.stderr.tail.strip() or ended.stdout.tail.strip()), _LONGEST_REASON)
        told = f": {said}" if said else ""
        if 1 <= ended.code <= _LAST_REFUSAL:
            summary = f"gate {name!r} found nothing to do (exit code {ended.code})"
            skipped = RunSkippedError(f"{summary}{told}")
            skipped.summary = summary
            raise skipped
        how = f"was killed by signal {-ended.code}" if ended.code < 0 else f"failed with exit code {ended.code}"
        summary = f"gate {name!r} {how}"
        raise PromptError(f"{summary}{told}", summary=summary)
