"""Serbian. It is understood with Croatian's words, and Croatian with its; only what is said back differs."""

from __future__ import annotations

from dataclasses import replace

from duly.language.lexicon import hr

SOURCE = replace(hr.SOURCE, code="sr")
