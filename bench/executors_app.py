"""The Celery app whose workers are measured. `DULY_BENCH_SHIM` says whether it has duly's line."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

from celery import Celery

app = Celery("bench", broker=os.environ["DULY_BENCH_BROKER"])
app.conf.broker_connection_retry_on_startup = True
if os.environ.get("DULY_BENCH_SHIM"):
    import duly.celery

    duly.celery.install(app)


@app.task(bind=True)  # type: ignore[untyped-decorator]
def note(self: Any, at: float) -> None:
    """Note how late it begins, and who sent it."""
    late = time.time() - at
    who = "plain" if self.request.get("duly-run") is None else "duly"
    with Path(os.environ["DULY_BENCH_NOTES"]).open("a", encoding="utf-8") as file:
        file.write(f"{who} {late}\n")
