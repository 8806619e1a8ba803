# Two commands matter: `make run` shows the product, `make test` proves it. Each installs what it needs.
.DEFAULT_GOAL := help
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: help run tour conformance test check bench chaos format clean

help: ## this list
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## /  make \1\t/'

$(STAMP): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "duly needs Python 3.11 or newer; $(PYTHON) is $$($(PYTHON) --version 2>&1). Try: make PYTHON=python3.12" >&2; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || \
	  { echo "Python's venv module is missing. On Debian: apt-get install python3-venv" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev,postgres]'
	@touch $@

run: $(STAMP) ## start duly: engine and MCP on one loopback port
	@$(BIN)/duly up

tour: $(STAMP) ## a short tour of what duly can do
	@PATH="$(CURDIR)/$(BIN):$$PATH" sh docs/tour.sh

test: check ## everything: the checks, then every test with coverage
	$(BIN)/python -m pytest -n 3 --dist worksteal --cov --cov-report=term

check: $(STAMP) ## the fast checks: format, lint, types, layers
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(STAMP) ## the benchmarks, beside their peers; writes bench/RESULTS.md
	$(BIN)/python -m bench

chaos: $(STAMP) ## long campaigns: new cases for every law, simulator seeds, kill loops, every zone and transition
	HYPOTHESIS_PROFILE=explore $(BIN)/python -m pytest -n 3 --dist worksteal -m hypothesis
	$(BIN)/python -m tests.unit.cron.sweep
	$(BIN)/python -m tests.sim.campaign --seeds $(or $(SEEDS),20000)
	$(BIN)/python -m tests.chaos.kill_loop --rounds $(or $(ROUNDS),1000)

conformance: $(STAMP) ## foreign tools: the MCP conformance suite and inspector, a real Matrix server
	$(BIN)/python -m tests.foreign.mcp_conformance
	$(BIN)/python -m tests.foreign.matrix_synapse

format: $(STAMP) ## let ruff rewrite what it can
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean: ## forget the environment and every cache
	rm -rf $(VENV) .coverage .coverage.* htmlcov .pytest_cache .mypy_cache .ruff_cache .hypothesis
