"""What the settings say about executors, as far as handing over and watching need it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Protocol

from duly.model.action import Job
from duly.ports.executors import Executor


class Terms(Protocol):
    """How long a handover to one executor may take; None sets no limit."""

    @property
    def lease(self) -> timedelta:
        """Without a sign of life for so long, a handover that has begun is lost."""
        ...

    @property
    def expires(self) -> timedelta | None:
        """A run that no worker has begun after so long is missed."""
        ...

    @property
    def not_begun_after(self) -> timedelta | None:
        """People hear of a run that no worker has begun after so long."""
        ...

    @property
    def time_limit(self) -> timedelta | None:
        """How long a run may take at its worker; the timeout of its schedule may be shorter."""
        ...


class Executors(Protocol):
    """The executors that the settings name."""

    @property
    def settings(self) -> Mapping[str, Terms]: ...

    def check(self, job: Job) -> None:
        """Refuse a job that may not be handed over, or that its executor could not carry out."""
        ...

    def get(self, name: str) -> Executor:
        """Give an executor; raise `NotFoundError` for a name that the settings do not have."""
        ...
