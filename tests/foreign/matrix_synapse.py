"""The Matrix channel against a real synapse in a throw-away environment: `python -m tests.foreign.matrix_synapse`."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from duly.channels.matrix import MatrixChannel
from duly.errors import ChannelPermanentError, ChannelTemporaryError
from duly.ports.channels import Outgoing

_NAME = "localhost"
_MOST_SENDS = 60


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="duly-synapse-") as folder, _synapse(Path(folder)) as (url, secret):
        asyncio.run(_converse(url, secret))
    print("matrix: a real synapse took, recognised, edited and limited our messages")


@contextmanager
def _synapse(folder: Path) -> Iterator[tuple[str, str]]:
    python = _environment(folder)
    port, secret = _free_port(), "shared-for-registration"
    config = folder / "homeserver.yaml"
    making = ["-m", "synapse.app.homeserver", "--server-name", _NAME, "--config-path", str(config)]
    subprocess.run(
        [str(python), *making, "--generate-config", "--report-stats=no"], check=True, cwd=folder, capture_output=True
    )
    text = config.read_text().replace("port: 8008", f"port: {port}")
    config.write_text(f"{text}\nregistration_shared_secret_path: null\n" if "registration_shared" not in text else text)
    override = folder / "override.yaml"
    override.write_text(f'registration_shared_secret: "{secret}"\nrc_message: {{per_second: 1, burst_count: 8}}\n')
    server = subprocess.Popen(
        [str(python), "-m", "synapse.app.homeserver", "-c", str(config), "-c", str(override)],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        url = f"http://127.0.0.1:{port}"
        _wait_for(url, server)
        yield url, secret
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait(20)


def _environment(folder: Path) -> Path:
    """An environment with synapse in it; `DULY_SYNAPSE_PYTHON` names one that is there already."""
    ready = os.environ.get("DULY_SYNAPSE_PYTHON")
    if ready:
        return Path(ready)
    print("matrix: installing synapse (about 240 MB) ...", flush=True)
    subprocess.run([sys.executable, "-m", "venv", str(folder / "venv")], check=True)
    python = folder / "venv" / "bin" / "python"
    subprocess.run([str(python), "-m", "pip", "install", "--quiet", "matrix-synapse"], check=True)
    return python


def _free_port() -> int:
    import socket

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_for(url: str, server: subprocess.Popen[bytes]) -> None:
    for _ in range(300):
        if server.poll() is not None:
            raise SystemExit(f"synapse ended with code {server.returncode} before it answered")
        try:
            if httpx.get(f"{url}/health").status_code == httpx.codes.OK:
                return
        except httpx.TransportError:
            time.sleep(0.2)
    raise SystemExit("synapse did not answer within a minute")


async def _converse(url: str, secret: str) -> None:
    async with httpx.AsyncClient(base_url=url) as client:
        token = await _register(client, secret, "duly")
        room = await _room(client, token)
        channel = MatrixChannel(url, token)
        try:
            await _check(channel, room, client, token)
        finally:
            await channel.close()


async def _register(client: httpx.AsyncClient, secret: str, name: str) -> str:
    nonce = (await client.get("/_synapse/admin/v1/register")).json()["nonce"]
    parts = [nonce, name, "a-password", "notadmin"]
    mac = hmac.new(secret.encode(), "\0".join(parts).encode(), hashlib.sha1).hexdigest()
    body = {"nonce": nonce, "username": name, "password": "a-password", "admin": False, "mac": mac}
    answer = await client.post("/_synapse/admin/v1/register", json=body)
    answer.raise_for_status()
    return str(answer.json()["access_token"])


async def _room(client: httpx.AsyncClient, token: str) -> str:
    headers = {"Authorization": f"Bearer {token}"}
    answer = await client.post("/_matrix/client/v3/createRoom", json={"preset": "private_chat"}, headers=headers)
    answer.raise_for_status()
    return str(answer.json()["room_id"])


async def _check(channel: MatrixChannel, room: str, client: httpx.AsyncClient, token: str) -> None:
    assert await channel.check() == f"@duly:{_NAME}"
    first = await channel.send(room, Outgoing(text="take medicine", key="run/1"))
    again = await channel.send(room, Outgoing(text="take medicine", key="run/1"))
    assert first.message_id == again.message_id, "the same key must be the same event"
    other = await channel.send(room, Outgoing(text="take medicine", key="run/2"))
    assert other.message_id != first.message_id
    assert await channel.edit(room, str(first.message_id), "done: take medicine")
    headers = {"Authorization": f"Bearer {token}"}
    event = await client.get(f"/_matrix/client/v3/rooms/{room}/event/{first.message_id}", headers=headers)
    newest = event.json()["unsigned"]["m.relations"]["m.replace"]["content"]["m.new_content"]
    assert newest["body"] == "done: take medicine", event.text
    with pytest.raises(ChannelPermanentError):
        await channel.send("!nowhere:localhost", Outgoing(text="x", key="run/3"))
    await _is_limited(channel, room)


async def _is_limited(channel: MatrixChannel, room: str) -> None:
    async def many() -> None:
        for number in range(_MOST_SENDS):
            await channel.send(room, Outgoing(text="again", key=f"many/{number}"))

    with pytest.raises(ChannelTemporaryError) as limited:
        await many()
    assert (limited.value.retry_after or 0) > 0, "the server says how long to wait"


if __name__ == "__main__":
    main()
