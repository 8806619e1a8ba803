"""Executors as people see them: how they are, what waits for them, and what a run does there."""
