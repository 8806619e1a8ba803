# Two commands matter: `make run` shows the product, `make test` proves it. Each installs what it needs, and no more.
#   make run PORT=9000 HOST=127.0.0.1            another port or address
#   make test WORKERS=4 ORDER=random SEED=7      as many processes; tests in random order, from a seed or a new one
#   make run PYTHON=python3.12                   another Python, if python3 is too old
.DEFAULT_GOAL := help
PYTHON ?= python3
WORKERS ?= 3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --disable-pip-version-check --no-compile  # only what is imported gets compiled
RUNTIME := $(VENV)/.runtime
DEVELOPMENT := $(VENV)/.development

# Compiled modules are kept, also where the environment says otherwise: the tests start hundreds of processes.
export PYTHONDONTWRITEBYTECODE :=

PYTEST := $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal

# Only what was written on the command line: an exported HOST or ORDER is usually about something else.
given = $(if $(filter command,$(firstword $(origin $(1)))),$($(1)))
ifneq ($(filter-out random,$(call given,ORDER)),)
$(error ORDER=$(ORDER) is unknown: write ORDER=random, or nothing to keep the order of the files)
endif
SHUFFLE := $(if $(call given,ORDER),-p randomly $(addprefix --randomly-seed=,$(call given,SEED)))

.PHONY: help run tour conformance browser pooler compiled test coverage quick check bench chaos format lock clean FORCE

help: ## this list
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## /  make \1\t/'

# The environment. One that no longer works, or was made by another Python than the one asked for, is made anew.
NEW_ENOUGH := import sys; sys.exit(sys.version_info < (3, 11))
VERSION := import sys; print(sys.version_info[:2])
SAME_AS_ASKED = [ "$$($(PYTHON) -c '$(VERSION)' 2>/dev/null)" = "$$($(BIN)/python -c '$(VERSION)')" ]
ASKED := $(strip make $(MAKECMDGOALS) $(filter-out PYTHON=%,$(MAKEOVERRIDES)))

$(VENV)/.python: FORCE
	@if $(BIN)/python -c '$(NEW_ENOUGH)' 2>/dev/null && $(if $(filter file,$(origin PYTHON)),true,$(SAME_AS_ASKED)); then \
	  test -e $@ || touch $@; exit 0; \
	fi; \
	if ! $(PYTHON) -c '$(NEW_ENOUGH)' 2>/dev/null; then \
	  what=$$(command -v $(PYTHON) >/dev/null && $(PYTHON) --version 2>&1 || echo "not installed"); \
	  echo "duly needs Python 3.11 or newer; $(PYTHON) is $$what." >&2; \
	  for each in python3.14 python3.13 python3.12 python3.11; do \
	    if $$each -c '$(NEW_ENOUGH)' 2>/dev/null; then echo "Try: $(ASKED) PYTHON=$$each" >&2; exit 1; fi; \
	  done; \
	  echo "Install one, then name it: $(ASKED) PYTHON=/path/to/python3" >&2; exit 1; \
	fi; \
	if ! $(PYTHON) -c 'import venv, ensurepip' 2>/dev/null; then \
	  echo "The venv module of $(PYTHON) is missing. On Debian: apt-get install python3-venv" >&2; exit 1; \
	fi; \
	if [ -e $(VENV) ]; then echo "$(VENV) does not work or belongs to another Python: making it anew"; fi; \
	rm -rf $(VENV) && echo "$(PYTHON) -m venv $(VENV)" && $(PYTHON) -m venv $(VENV) && touch $@

$(RUNTIME): $(VENV)/.python pyproject.toml
	@echo "Installing duly and what it needs to run into $(VENV)"
	$(PIP) -e .
	@touch $@

# The versions and hashes that were tested; what changed on its way from the package index is refused. The lock names
# everything, so nothing is looked up beside it: pip would ask for the newest `coverage[toml]`, which has no hash here.
$(DEVELOPMENT): $(RUNTIME) requirements-dev.lock
	@echo "Installing the tools, oracles and servers of the tests into $(VENV)"
	$(PIP) --require-hashes --no-deps -r requirements-dev.lock
	@$(BIN)/python -m pip check --disable-pip-version-check
	@touch $@

run: $(RUNTIME) ## start duly: engine, dashboard, API and MCP on one loopback port
	@$(BIN)/python -m duly up $(addprefix --host=,$(call given,HOST)) $(addprefix --port=,$(call given,PORT))

tour: $(RUNTIME) ## a short tour of what duly can do
	@PATH="$(CURDIR)/$(BIN):$$PATH" sh docs/tour.sh

# The tests of the dashboard drive a real Chromium. It is looked for before anything else: what is missing is said at once.
BROWSERS := chromium chromium-browser google-chrome
GET_BROWSER := apt-get update && apt-get install -y chromium
browser:
	@for each in $(BROWSERS); do command -v $$each >/dev/null && exit 0; done; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  echo "Installing Chromium for the tests of the dashboard: $(GET_BROWSER)"; \
	  export DEBIAN_FRONTEND=noninteractive; $(GET_BROWSER); exit; \
	fi; \
	echo "make test needs Chromium, and none of $(BROWSERS) is on the PATH." >&2; \
	echo "On Debian, as root: $(GET_BROWSER)" >&2; exit 1

# The tests of poolers run a real PgBouncer, each one of its own.
POOLERS := pgbouncer /usr/sbin/pgbouncer
GET_POOLER := apt-get update && apt-get install -y --no-install-recommends pgbouncer
pooler:
	@for each in $(POOLERS); do command -v $$each >/dev/null && exit 0; done; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  echo "Installing PgBouncer for the tests of poolers: $(GET_POOLER)"; \
	  export DEBIAN_FRONTEND=noninteractive; $(GET_POOLER); exit; \
	fi; \
	echo "make test needs PgBouncer, and there is none of $(POOLERS)." >&2; \
	echo "On Debian, as root: $(GET_POOLER)" >&2; exit 1

# Each test process would compile what the tests import for itself. One does it beside the checks.
compiled: $(DEVELOPMENT)
	@$(BIN)/python -m pytest --collect-only -qq >/dev/null 2>&1 &

test: browser pooler compiled check ## everything: the checks, then every test
	$(PYTEST) $(SHUFFLE)

coverage: browser pooler $(DEVELOPMENT) ## every test, measured: the lines of duly that none of them reaches
	$(PYTEST) $(SHUFFLE) --cov --cov-report=term

quick: $(DEVELOPMENT) ## in under a minute: the unit tests and the conformance tests on SQLite
	HYPOTHESIS_PROFILE=quick $(BIN)/python -m pytest -n 2 --dist worksteal -q -m 'not slow and not postgres' -k 'not memory' tests/unit tests/conformance/stores

# mypy waits three seconds for its workers. A busy machine may need longer to start them: then it works alone.
check: $(DEVELOPMENT) ## the fast checks: format, lint, types, layers
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy --num-workers 2 || { [ $$? = 2 ] && $(BIN)/mypy; }
	$(BIN)/lint-imports

bench: $(DEVELOPMENT) ## the benchmarks, beside their peers; writes bench/RESULTS.md
	$(BIN)/python -m bench

chaos: $(DEVELOPMENT) ## long campaigns: witnesses from outside and in Celery's tasks, new cases for every law, simulator seeds, kill loops, lost power, every zone
	$(BIN)/python -m tests.chaos.campaign --minutes $(or $(CAMPAIGN_MINUTES),15)
	$(BIN)/python -m tests.chaos.campaign --storm --minutes $(or $(STORM_MINUTES),5)
	$(BIN)/python -m tests.chaos.elsewhere.campaign --minutes $(or $(ELSEWHERE_MINUTES),30)
	HYPOTHESIS_PROFILE=explore $(PYTEST) -m 'hypothesis or explored'
	$(BIN)/python -m tests.unit.cron.sweep
	$(BIN)/python -m tests.sim.campaign --seeds $(or $(SEEDS),20000)
	$(BIN)/python -m tests.chaos.kill_loop --rounds $(or $(ROUNDS),1000)
	$(BIN)/python -m tests.chaos.power_loss --seeds $(or $(LOSSES),500)

conformance: $(DEVELOPMENT) ## foreign tools: MCP's suite and inspector, a Matrix server, Celery 5.5 to 5.7, RabbitMQ, Django's tables, PostgreSQL and PgBouncer of Debian
	$(BIN)/python -m tests.foreign.mcp_conformance
	$(BIN)/python -m tests.foreign.matrix_synapse
	$(BIN)/python -m tests.foreign.beat_tables
	$(BIN)/python -m tests.foreign.celery_versions
	$(BIN)/python -m tests.foreign.poolers

format: $(DEVELOPMENT) ## let ruff rewrite what it can
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

COMPILE := $(BIN)/uv pip compile --universal --python-version 3.11 --generate-hashes --upgrade --no-emit-index-url \
  --no-emit-find-links --custom-compile-command 'make lock' --quiet
lock: $(RUNTIME) ## newest allowed versions of what development and `make conformance` need, with hashes, into lock files
	$(PIP) 'uv>=0.9,<1'
	$(COMPILE) pyproject.toml --extra dev --extra postgres --output-file requirements-dev.lock
	for each in tests/foreign/locks/*.in; do $(COMPILE) $$each --output-file $${each%.in}.lock || exit 1; done

clean: ## forget the environment and every cache
	rm -rf $(VENV) .coverage .coverage.* htmlcov .pytest_cache .mypy_cache .ruff_cache .hypothesis artefacts
