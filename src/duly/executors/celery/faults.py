"""What is raised when a broker or its workers cannot be reached, and what of it people read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from duly.errors import ExecutorUnreachableError
from duly.executors.celery.apps import Apps


def faults(apps: Apps) -> tuple[type[BaseException], ...]:
    """Give the errors of a broker that does not answer, or that answers with an error."""
    from kombu.exceptions import KombuError

    transport = apps.connection().transport
    return (*transport.connection_errors, *transport.channel_errors, KombuError, OSError)


def unreachable(apps: Apps, error: BaseException) -> str:
    """Say that the broker cannot be reached. Its address is named without the password."""
    address = apps.connection().as_uri()
    return f"the broker {address} cannot be reached: {type(error).__name__}: {error}"


@contextmanager
def as_unreachable(apps: Apps) -> Iterator[None]:
    """Turn what a broker raises into `ExecutorUnreachableError`."""
    try:
        yield
    except faults(apps) as error:
        raise ExecutorUnreachableError(unreachable(apps, error)) from error
