"""A daemon that is asked to stop does so in order and soon, even with open streams."""

from __future__ import annotations

import asyncio
import signal
from pathlib import Path

from tests.integration.agents.installation import CURRENT, LEGACY, Installation


async def test_open_streams_do_not_delay_the_stop(tmp_path: Path) -> None:
    installation = Installation(tmp_path)
    with installation.daemon() as daemon:
        async with (
            installation.over_http(daemon.url, LEGACY) as older,
            installation.over_http(daemon.url, CURRENT) as newer,
            newer.listen(tools_list_changed=True),
        ):
            assert (await older.list_tools()).tools
            daemon.process.send_signal(signal.SIGTERM)
            assert await asyncio.to_thread(daemon.process.wait, 60) == 0
    log = (tmp_path / "daemon.log").read_text(encoding="utf-8")
    assert "Traceback" not in log
    assert "ASGI callable" not in log, "the streams came to an end that their clients can tell from a torn connection"
    assert "graceful shutdown exceeded" not in log, "it did not wait until it lost patience with its connections"
    assert (installation.data / "daemon.lock").read_text(encoding="utf-8") == ""
