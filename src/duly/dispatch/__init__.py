"""Carrying runs out: Python jobs here, prompts for agents in `prompts/`, each to whoever serves it by `routing`."""
