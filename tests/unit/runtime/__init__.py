"""The composition root: one process put together from settings."""
