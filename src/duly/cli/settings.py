"""The options every command with a store has, and the settings they lead to."""

from __future__ import annotations

import os
from argparse import Namespace
from dataclasses import replace
from typing import TYPE_CHECKING

from duly.cli.parser import Parser

if TYPE_CHECKING:
    from duly.config.settings import Settings


def add_settings_arguments(parser: Parser) -> None:
    parser.add_argument("--config", metavar="FILE", help="settings (duly.toml here, or in the data directory)")
    parser.add_argument("--data-dir", metavar="DIR", help="where schedules are kept (or DULY_DATA_DIR)")


def read_settings(arguments: Namespace) -> Settings:
    from duly.config.reading import load

    settings = load(os.environ, config=arguments.config, data_dir=arguments.data_dir)
    host, port = getattr(arguments, "host", None), getattr(arguments, "port", None)
    return replace(settings, host=host or settings.host, port=settings.port if port is None else port)
