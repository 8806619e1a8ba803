"""RabbitMQ of Debian as a process of the test, on free ports and in a folder of its own."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

SERVER = Path("/usr/lib/rabbitmq/bin/rabbitmq-server")
"""Not the one on the PATH, which insists on the user and the folders of the service."""
GET_SERVER = "apt-get update && apt-get install -y --no-install-recommends rabbitmq-server"
_PATIENCE = 180.0


def missing() -> str | None:
    """Install the server where that is possible; gives what is missing otherwise, and how to get it."""
    if SERVER.exists():
        return None
    if os.geteuid() == 0 and shutil.which("apt-get"):
        print(f"installing RabbitMQ: {GET_SERVER}", flush=True)
        quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        subprocess.run(["sh", "-c", GET_SERVER], check=False, env=quiet)
        if SERVER.exists():
            return None
    return f"RabbitMQ is not installed ({SERVER} is missing). On Debian, as root: {GET_SERVER}"


@contextmanager
def rabbitmq(folder: Path) -> Iterator[str]:
    """Run a server; gives its URL. Everything it writes is in the folder."""
    port, peers, names = _free_ports(3)
    (folder / "rabbitmq.conf").write_text(f"listeners.tcp.default = 127.0.0.1:{port}\n", encoding="utf-8")
    (folder / "plugins").write_text("[].\n", encoding="utf-8")
    environment = {
        **os.environ,
        "HOME": str(folder),
        "ERL_EPMD_ADDRESS": "127.0.0.1",
        "ERL_EPMD_PORT": str(names),
        "RABBITMQ_NODENAME": "duly@localhost",
        "RABBITMQ_DIST_PORT": str(peers),
        "RABBITMQ_CONFIG_FILE": str(folder / "rabbitmq.conf"),
        "RABBITMQ_CONF_ENV_FILE": str(folder / "none"),
        "RABBITMQ_ENABLED_PLUGINS_FILE": str(folder / "plugins"),
        "RABBITMQ_MNESIA_BASE": str(folder / "data"),
        "RABBITMQ_LOG_BASE": str(folder / "log"),
        "RABBITMQ_PID_FILE": str(folder / "pid"),
    }
    output = folder / "output"
    with output.open("wb") as file:
        server = subprocess.Popen([str(SERVER)], env=environment, cwd=folder, stdout=file, stderr=subprocess.STDOUT)
    try:
        _wait(server, port, output)
        yield f"amqp://127.0.0.1:{port}//"
    finally:
        server.terminate()
        server.wait(_PATIENCE)
        subprocess.run(["epmd", "-port", str(names), "-kill"], env=environment, check=False, capture_output=True)


def _wait(server: subprocess.Popen[bytes], port: int, output: Path) -> None:
    until = time.monotonic() + _PATIENCE
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            if server.poll() is not None or time.monotonic() > until:
                raise SystemExit(f"RabbitMQ did not start:\n{output.read_text(errors='replace')[-3000:]}") from None
            time.sleep(0.1)
        else:
            return


def _free_ports(number: int) -> list[int]:
    with ExitStack() as stack:
        probes = [stack.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(number)]
        return [each.getsockname()[1] for each in probes]
