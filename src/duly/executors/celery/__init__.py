"""Hands runs over to Celery workers. Celery is loaded when it is used first: it is in the extra `duly[celery]`."""

from duly.executors.celery.executor import CeleryExecutor
from duly.executors.celery.settings import CelerySettings
from duly.ports.executor_settings import ExecutorSettings, Resolve

__all__ = ["CeleryExecutor", "CelerySettings", "make_executor"]


def make_executor(table: ExecutorSettings, resolve: Resolve) -> CeleryExecutor:
    """Make the executor of a table of `duly.toml`."""
    return CeleryExecutor(CelerySettings.of(table, resolve))
