"""Carrying prompts out: agents' command lines, webhooks and functions, each target by itself."""

from duly.dispatch.prompts.assignment import PromptError, PromptFailedError
from duly.dispatch.prompts.dispatcher import PromptDispatcher
from duly.dispatch.prompts.presets import PRESETS
from duly.dispatch.prompts.profile import Kind, SpawnerProfile, profile_from
from duly.dispatch.prompts.projects import Projects
from duly.dispatch.prompts.reaper import reap
from duly.dispatch.prompts.rules import PromptRules

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
