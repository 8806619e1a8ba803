"""The caller over standard input and output: the local user, or the owner of the token in a file.

A file, because other users can read the arguments and the environment of a process.
"""

from __future__ import annotations

import stat
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from duly.errors import AccessDeniedError, ConfigError
from duly.service.access.scopes import Caller, Face

if TYPE_CHECKING:
    from duly.runtime.runtime import Runtime

_LARGEST = 4096


class Identity:
    """The caller over standard input and output. The token is looked up again with every request."""

    def __init__(self, runtime: Runtime, token_file: Path | None) -> None:
        self._runtime = runtime
        self._file = token_file
        self._secret = ""
        self._caller = runtime.local(Face.MCP)

    def caller_of(self, _request: Any) -> Caller:
        """Give the caller."""
        return self._caller

    async def confirm(self) -> None:
        """Look the token up; raise when it is not valid. Without a file the caller is the local user."""
        if self._file is None:
            return
        caller = await self._known(self._secret) or await self._known(self._read(self._file))
        if caller is None:
            raise AccessDeniedError(
                f"the token in {self._file} opens nothing: it was revoked, has expired or is not of this store. "
                f"The local user can connect again: duly connect CLIENT"
            )
        home = self._runtime.local(Face.MCP).home
        self._caller = replace(caller, home=home) if caller.scope.is_admin else caller

    def _read(self, file: Path) -> str:
        try:
            if not stat.S_ISREG(file.stat().st_mode):
                raise ConfigError("--token-file", f"{file} is not a file")  # reading a pipe would block
            self._secret = file.read_bytes()[:_LARGEST].decode().strip()
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError("--token-file", f"cannot read {file}: {error}") from error
        return self._secret

    async def _known(self, secret: str) -> Caller | None:
        return await self._runtime.services.tokens.caller(secret, Face.MCP) if secret else None

    async def __call__(self, ctx: Any, call_next: Callable[[Any], Awaitable[Any]]) -> Any:
        """Refuse a request whose token is not valid any more, with the reason. Middleware of the MCP server."""
        from mcp.shared.exceptions import MCPError
        from mcp.types import INVALID_REQUEST

        if not str(ctx.method).startswith("notifications/"):
            try:
                await self.confirm()
            except (AccessDeniedError, ConfigError) as error:
                raise MCPError(INVALID_REQUEST, str(error)) from error
        return await call_next(ctx)
