"""Vendors' clients are imported here first, with their warnings: what they deprecate is not ours to fix."""

import importlib
import warnings
from collections.abc import Iterator

import pytest

from tests.leaks import lasting

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    importlib.import_module("apprise").Apprise().add("json://localhost")  # it loads its services when it needs one
    import discord  # noqa: F401
    import pywa  # noqa: F401
    import slack_sdk  # noqa: F401
    import telegram  # noqa: F401


@pytest.fixture
def apprise_threads() -> Iterator[None]:
    """For tests that send with Apprise: it sends in threads of its own and keeps them as long as the process lives."""
    with lasting():
        yield
