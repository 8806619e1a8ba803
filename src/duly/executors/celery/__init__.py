"""Hands runs over to Celery workers. Celery is loaded when it is used first: it is in the extra `duly[celery]`."""

from duly.executors.celery.executor import CeleryExecutor

__all__ = ["CeleryExecutor"]
