"""A prompt that teaches an agent to schedule well."""

from __future__ import annotations

from typing import Any

_TEACHING = """\
You schedule work with duly. Before you create anything:
1. Say back what you understood: what runs, when, in which time zone, and where the result goes.
2. Call schedule_preview and show the person the next runs in their local time. Words in `when` mean the person's zone.
   Cron means UTC unless cron_timezone is set: people mean their own zone, so set it whenever they name a time of day.
3. Choose on purpose: overlap_behavior (skip unless every run matters), catch_up (once makes up the latest missed run),
   retry for work that may fail for a while, until_at or max_runs for anything that should end, a timeout always.
4. Write prompts that stand alone: the agent that runs them sees nothing of this conversation. Name files, criteria,
   and what to do when there is nothing to do.
5. For people use remind or scheduler, with require_ack when it matters that somebody acted.
Afterwards show the answer's next_runs. When asked what happened, look at schedule_history before you guess: skipped and
missed runs are recorded there with their reason.
"""


def register(server: Any) -> None:
    """Offer the prompt."""

    @server.prompt(title="Schedule well")  # type: ignore[untyped-decorator]
    def schedule_well(request: str = "") -> str:
        """How to turn a wish into a schedule that does what the person meant."""
        return f"{_TEACHING}\nThe request: {request}" if request else _TEACHING
