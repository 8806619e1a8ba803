"""Carrying prompts out: agents' command lines, webhooks and functions, each target by itself."""

from duly.agents.assignment import PromptError, PromptFailedError
from duly.agents.dispatcher import PromptDispatcher
from duly.agents.presets import PRESETS
from duly.agents.profile import Kind, SpawnerProfile, profile_from
from duly.agents.projects import Projects
from duly.agents.reaper import reap
from duly.agents.rules import PromptRules

__all__ = [
    "PRESETS",
    "Kind",
    "Projects",
    "PromptDispatcher",
    "PromptError",
    "PromptFailedError",
    "PromptRules",
    "SpawnerProfile",
    "profile_from",
    "reap",
]
