"""Property tests draw the same cases on every run of `make test`, so that a change breaks it and luck does not.

New cases are looked for on purpose, by `make chaos`: what they find becomes an `@example`.
"""

from __future__ import annotations

import os

from hypothesis import settings

settings.register_profile("repeatable", derandomize=True)
settings.register_profile("explore", derandomize=False)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))
