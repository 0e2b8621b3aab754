# make run    set up and watch a disordered stream being answered
# make test   set up and run the tests
# `make help` lists the rest.

PYTHON  ?= python3
VENV    := .venv
BIN     := $(VENV)/bin
READY   := $(VENV)/.ready
# One Spark per worker, two cores each: more workers only fight for the machine.
WORKERS ?= 2
ARGS    ?=
PYTEST   = $(BIN)/python -m pytest -n $(WORKERS) --dist loadfile
LONG    := slow or kill or papers

# Debian's package, or a word on how to get it.
install  = { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y $(1); } || { \
	  echo "slackwater: $(1) is missing and cannot be installed. way out: install it (Debian: apt-get install $(1)), as root" >&2; \
	  exit 1; }

.DEFAULT_GOAL := help
.PHONY: help setup run test test-long test-deep test-full test-cluster test-services services services-demo lint check bench docs constraints clean

help:            ## this list
	@grep -hE '^[a-z-]+: .*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):[^#]*## /\1\t/' | expand -t 16

setup: $(READY)  ## create .venv with pinned versions; instant when nothing changed

$(READY): pyproject.toml constraints.txt scripts/check_machine.py
	@command -v $(PYTHON) >/dev/null || { \
	  echo "slackwater: there is no '$(PYTHON)'. way out: install Python 3.11+, or make setup PYTHON=/path/to/python" >&2; \
	  exit 1; }
	@$(PYTHON) scripts/check_machine.py
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $@

run: setup       ## the demo: about a minute, live view (ARGS='--seconds 20')
	$(BIN)/slackwater demo $(ARGS)

test: setup      ## the tests for every change (ARGS='-k windows')
	$(PYTEST) -m 'not ($(LONG))' $(ARGS)

test-long: setup ## what make test leaves out: slow ones, kills, papers
	$(PYTEST) -m '$(LONG)' $(ARGS)

test-deep: setup ## properties, with ten times the examples
	EXAMPLES=many $(PYTEST) -m deep --timeout 1800 $(ARGS)

test-full: test test-long test-deep test-cluster test-services  ## all of them

test-cluster: setup  ## the tests on a standalone master with two workers, on loopback
	$(BIN)/python -m pytest -m cluster $(ARGS)

services-demo: setup services  ## from a real broker into a real database, on loopback: a minute (ARGS=20: seconds)
	$(BIN)/python -m tests.services.demo $(ARGS)

test-services: setup services  ## the tests on a real PostgreSQL (installed if missing, Debian) and Kafka (fetched by Maven), on loopback
	$(BIN)/python -m pytest -m services $(ARGS)

services: setup  # what tests and demo need; says what it does, and why it cannot
	@ls /usr/lib/postgresql/*/bin/postgres >/dev/null 2>&1 || command -v postgres >/dev/null || $(call install,postgresql)
	@command -v mvn >/dev/null || $(call install,maven)
	$(BIN)/python -m tests.services.broker

lint: setup      ## style, types, layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

check: lint test ## style, types, layers and the tests for every change

bench: setup     ## windows: plain Spark against Slackwater (ARGS='--quick')
	$(BIN)/slackwater bench windows $(ARGS)

docs: setup      ## the manual, into site/
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

constraints: setup  ## renew constraints.txt from the newest versions allowed
	$(BIN)/python scripts/constraints.py

clean:           ## remove everything that was built, .venv too
	rm -rf $(VENV) site dist build .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis
	rm -rf spark-warehouse metastore_db derby.log artifacts
