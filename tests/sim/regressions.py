"""Seeds that found something, and what it was. Each is run again with every test run."""

REGRESSIONS: dict[int, str] = {}
