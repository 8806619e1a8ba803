"""A typed client for the API of a daemon, for programs that wait (`Client`) and for coroutines (`AsyncClient`)."""

from duly.client.client import AsyncClient, Client
from duly.client.exchange import ServerUnreachableError

__all__ = ["AsyncClient", "Client", "ServerUnreachableError"]
