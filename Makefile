# CueMem Lab. `make` lists the targets; works with GNU Make 3.81 and later.

SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

VENV ?= .venv
# The interpreter a new environment is made from; the first of these that is Python 3.11 or later.
PYTHON ?= python3 python3.14 python3.13 python3.12 python3.11 python
# Extra arguments, e.g. make test ARGS="-k graph", make app ARGS="--server.port 8600".
ARGS ?=
# One benchmark instead of all: make bench BENCH=recall_grid
BENCH ?=

BIN := $(VENV)/bin
PY := $(BIN)/python
# An installation is marked by the content of its requirements, so it is redone when they change and only then.
app-stamp := $(VENV)/.stamp-app-$(shell cat requirements.txt | cksum | cut -d ' ' -f 1)
dev-stamp := $(VENV)/.stamp-dev-$(shell cat requirements.txt requirements-dev.txt | cksum | cut -d ' ' -f 1)

NEEDS_PYTHON := CueMem Lab needs Python 3.11 or later
IS_PYTHON_311 := -c 'import sys; sys.exit(sys.version_info < (3, 11))'

# Compiled modules are kept even where the environment says otherwise: every process would compile them again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help app sample install dev test check bench format clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z][a-z-]*:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

app: sample ## install what is missing, load the bundled conversations, open the app
	$(BIN)/streamlit run app.py $(ARGS)

sample: install ## load and build the bundled conversations (does nothing the second time)
	$(PY) -m cuemem sample

install: $(app-stamp) ## make .venv and install the app's packages

dev: $(dev-stamp) ## the same, with the tools for tests and checks

test: dev ## run the tests (installs a Chromium for the browser tests where it can)
	@browser="$$(bash scripts/ensure_browser.sh)" && CHROMIUM_PATH="$$browser" $(PY) -m pytest -n auto --dist loadfile --no-loadscope-reorder $(ARGS)

check: dev ## everything that must pass before a commit: format, lint, types, tests
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	@$(MAKE) test

bench: dev ## run the benchmarks (BENCH=name for one)
	@benchmarks="$(BENCH)"; \
	if [ -z "$$benchmarks" ]; then \
		benchmarks="$$(find bench -maxdepth 1 -name '[a-z]*.py' | sort | sed -e 's|.*/||' -e 's|\.py$$||')"; \
	fi; \
	if [ -z "$$benchmarks" ]; then echo "There is no benchmark in bench/." >&2; exit 1; fi; \
	for name in $$benchmarks; do echo "== $$name"; $(PY) -m "bench.$$name" $(ARGS) || exit 1; done

format: dev ## format the code and apply the safe fixes
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean: ## remove caches; keeps .venv and your data
	rm -rf .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . \( -name .git -o -path './$(VENV)' \) -prune -o -type d -name __pycache__ -exec rm -rf {} +

$(PY):
	@for candidate in $(PYTHON); do \
		if "$$candidate" $(IS_PYTHON_311) 2>/dev/null; then \
			echo "Making $(VENV) with $$("$$candidate" --version)"; \
			exec "$$candidate" -m venv $(VENV); \
		fi; \
	done; \
	echo "$(NEEDS_PYTHON), and none of these is one: $(PYTHON)." >&2; \
	echo "Install one, or name it: make $(MAKECMDGOALS) PYTHON=path/to/python3.12" >&2; \
	exit 1

$(app-stamp): | $(PY)
	$(call install,requirements.txt,app)

$(dev-stamp): | $(PY)
	$(call install,requirements-dev.txt,dev)

# $(call install,file,stamp name): pip runs inside the environment; ensurepip is for environments made without it.
define install
@if ! $(PY) $(IS_PYTHON_311); then \
	echo "$(NEEDS_PYTHON), but $(VENV) was made with $$($(PY) --version). Remove $(VENV) and run make again." >&2; \
	exit 1; \
fi
@$(PY) -m pip --version >/dev/null 2>&1 || $(PY) -m ensurepip --upgrade
@echo "Installing $(1) into $(VENV) (about 2 GB the first time, a few minutes) ..."
@$(PY) -m pip install --quiet --disable-pip-version-check -r $(1)
@rm -f $(VENV)/.stamp-$(2)-*
@touch $@
endef
