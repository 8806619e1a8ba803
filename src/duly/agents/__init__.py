"""Prompts, carried out by agents: command lines, webhooks and functions, each target by itself."""

from duly.agents.assignment import PromptError, PromptFailedError
from duly.agents.dispatcher import PromptDispatcher
from duly.agents.presets import PRESETS
from duly.agents.profile import SpawnerKind, SpawnerProfile, profile_from
from duly.agents.projects import Projects
from duly.agents.rules import PromptRules
from duly.agents.run_processes import reap

__all__ = [
    "PRESETS",
    "Projects",
    "PromptDispatcher",
    "PromptError",
    "PromptFailedError",
    "PromptRules",
    "SpawnerKind",
    "SpawnerProfile",
    "profile_from",
    "reap",
]
