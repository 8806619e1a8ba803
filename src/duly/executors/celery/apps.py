"""The two apps of Celery that an executor knows: that of the user, and one of its own, which speaks with the broker.

The own app has the routes and queues of the user's, but connects within seconds or not at all, writes JSON only, and
reads JSON only. That of the user is looked at and never changed.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from duly.errors import InvalidInputError
from duly.jobs.functions import load_object
from duly.outbound.secrets import secrets_in_urls
from duly.ports.executor_settings import ExecutorSettings, Resolve

if TYPE_CHECKING:
    from celery import Celery
    from celery.backends.base import Backend

CONNECT_WITHIN = 3.0
ANSWER_WITHIN = 5.0
"""Seconds."""
_MISSING = "needs Celery: pip install 'celery[redis]'"
_TAKEN_OVER = ("task_", "broker_", "result_", "control_", "redis_", "database_", "cassandra_", "mongodb_", "cache_")
_BOUNDED = {
    "max_retries": 1,
    "interval_start": 0,
    "interval_step": 0.2,
    "interval_max": 0.2,
    "connect_retries_timeout": CONNECT_WITHIN,
}


class AppNotLoadedError(InvalidInputError):
    """Raised where modules of the user's app cannot be imported. Repair them, and start duly again."""


@dataclass(frozen=True, slots=True)
class Apps:
    """An app of the user, if one is named, and the own app."""

    users: Celery | None
    own: Celery
    broker: str
    backend: Backend | None
    """Where results are; None where there is no result backend that could be asked."""

    def connection(self) -> Any:
        """Make a connection to the broker, which is opened when it is used first."""
        return self.own.connection_for_write(self.broker)

    def task(self, name: str) -> Any:
        """Give a task of the user's app; None where it has none of that name, or there is no app."""
        return None if self.users is None else self.users.tasks.get(name)


def load_apps(settings: ExecutorSettings, resolve: Resolve) -> Apps:
    """Import the app of the user, and make the own one. Nothing is connected."""
    try:
        import celery
    except ImportError as error:
        raise InvalidInputError(f"executor {settings.name!r} {_MISSING} ({error})") from error
    users = None if settings.app is None else _users_app(settings, settings.app)
    own = celery.Celery("duly", set_as_current=False, fixups=())
    if users is not None:
        own.conf.update({key: users.conf[key] for key in users.conf if key.startswith(_TAKEN_OVER)})
    given = {key: None if text is None else resolve(text) for key, text in _addresses(settings).items()}
    broker = given["broker"] or (users.conf.broker_write_url if users is not None else None)
    if not broker:
        raise InvalidInputError(f"executor {settings.name!r} needs a broker: {settings.app!r} has no broker_url")
    own.conf.update(
        broker_url=broker,
        broker_write_url=broker,
        broker_read_url=broker,
        broker_connection_timeout=CONNECT_WITHIN,
        broker_transport_options={**(own.conf.broker_transport_options or {}), **_BOUNDED, **_timeouts(broker)},
        task_serializer="json",
        accept_content=["json"],
        result_accept_content=["json"],
        result_backend=given["result_backend"] or (users.conf.result_backend if users is not None else None),
        task_always_eager=False,
    )
    own.control.mailbox.producer_pool = None  # the pools of kombu belong to all apps of the process
    return Apps(users, own, broker, _backend(own))


def secrets_of(apps: Apps) -> set[str]:
    """Give the passwords of the broker and of the result backend."""
    backend = apps.own.conf.result_backend
    return secrets_in_urls(apps.broker) | secrets_in_urls(backend if isinstance(backend, str) else "")


def _addresses(settings: ExecutorSettings) -> dict[str, str | None]:
    return {"broker": settings.broker, "result_backend": settings.result_backend}


def _users_app(settings: ExecutorSettings, place: str) -> Celery:
    import celery

    module, _, name = place.partition(":")
    with _as_before():
        found = load_object(f"{module}:{name or 'app'}", settings.folder)
        if not isinstance(found, celery.Celery):
            raise InvalidInputError(f"{place!r} of executor {settings.name!r} is no Celery app")
        try:  # settings, tasks and models, which Celery and Django find by their names: any code of the user's
            found.loader.import_default_modules()
            found.finalize()
        except (Exception, SystemExit) as error:
            reason = str(error) if isinstance(error, ImportError) else f"{type(error).__name__}: {error}"
            raise AppNotLoadedError(
                f"cannot load what {place!r} of executor {settings.name!r} uses: {reason}"
            ) from error
    return found


@contextmanager
def _as_before() -> Iterator[None]:
    """Keep the time zone and the log of this process, which Django takes for its own when it is set up."""
    zone = os.environ.get("TZ")
    heard = [each for each in _own_loggers() if not each.disabled]
    try:
        yield
    finally:
        if os.environ.get("TZ") != zone:
            os.environ.pop("TZ", None)
            os.environ.update({} if zone is None else {"TZ": zone})
            time.tzset()
        for each in heard:
            each.disabled = False


def _own_loggers() -> list[logging.Logger]:
    known = [logging.getLogger(name) for name in list(logging.root.manager.loggerDict) if name.split(".")[0] == "duly"]
    return [logging.getLogger("duly"), *known]


def _timeouts(broker: str) -> dict[str, float]:
    """How long to wait for an answer, as the transport calls it."""
    if urlsplit(broker).scheme.startswith(("redis", "sentinel", "valkey")):
        return {"socket_timeout": ANSWER_WITHIN, "socket_connect_timeout": CONNECT_WITHIN}
    if urlsplit(broker).scheme.startswith(("amqp", "pyamqp")):
        return {"read_timeout": ANSWER_WITHIN, "write_timeout": ANSWER_WITHIN}
    return {}


def _backend(own: Celery) -> Backend | None:
    """The result backend, if there is one that any process may ask."""
    from celery.app.backends import by_url
    from celery.backends.base import DisabledBackend

    address = own.conf.result_backend
    if not address or str(address).startswith("rpc"):
        return None
    kind, url = by_url(address, own.loader)
    if issubclass(kind, DisabledBackend):
        return None
    backend = kind(app=own, url=url, accept=["json"])
    parameters = getattr(backend, "connparams", None)
    if isinstance(parameters, dict):  # Redis
        parameters.update(socket_timeout=ANSWER_WITHIN, socket_connect_timeout=CONNECT_WITHIN)
    return backend


def close_apps(apps: Apps) -> None:
    """Close what the own app has opened."""
    connections = getattr(getattr(apps.backend, "client", None), "connection_pool", None)  # Redis
    if connections is not None:
        connections.disconnect()
    apps.own.close()
