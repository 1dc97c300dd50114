# Two commands matter: `make run` starts the site, `make test` checks everything
# that needs no GPU. Every other target is a step of one of them, or rarer.

PYTHON ?= python3
PORT ?= 8000
STATE_DIR ?= var
VENV := .venv
BIN := $(VENV)/bin
export PORT STATE_DIR

.PHONY: run test published lock lint figures translations
.DEFAULT_GOAL := run

run: $(VENV)/.site
	@$(BIN)/python -m leaderboard.start

test: $(VENV)/.tests
	@$(BIN)/python -m tests

published: $(VENV)/.site
	@test -n "$(DIR)" || { echo "Name the directory of PTXBench's tables: make published DIR=PTXBench/benchmark/plot_viewer_v1/data"; exit 2; }
	@$(BIN)/python manage.py migrate --verbosity 0
	@$(BIN)/python manage.py import_ptxbench "$(DIR)"

# The bundled figures, made anew from an import that is in the database.
figures: $(VENV)/.site
	@$(BIN)/python manage.py bundle_figures

lint: $(VENV)/.tests
	@$(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/mypy . && $(BIN)/lint-imports

# The Spanish texts: gather what is marked in pages and Python, then compile it. What came
# anew is empty or fuzzy in the .po until somebody translates it; the tests find it.
LOCALE := leaderboard/locale/es/LC_MESSAGES/django.po
translations: $(VENV)/.site
	@command -v xgettext >/dev/null || \
		{ echo "GNU gettext is missing. On Debian: apt-get install gettext"; exit 2; }
	@$(BIN)/python manage.py makemessages --locale es --no-wrap --no-location --no-obsolete \
		$(foreach folder,$(VENV) tests var,--ignore $(folder))
	@sed -i '/^"POT-Creation-Date:/d; /^"Report-Msgid-Bugs-To:/d' $(LOCALE)
	@$(BIN)/python manage.py compilemessages --locale es --ignore $(VENV)

COMPILE := uv pip compile --quiet --universal --python-version 3.11 --no-emit-index-url --no-emit-find-links
lock: $(VENV)/.tests
	@$(BIN)/$(COMPILE) requirements.in -o requirements.txt
	@$(BIN)/$(COMPILE) -c requirements.txt tests/requirements.in -o tests/requirements.txt

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Python 3.11 or later is needed. Name one: make PYTHON=python3.12 run"; exit 1; }
	@echo "Creating the environment in $(VENV) ..."
	@$(PYTHON) -m venv $(VENV) || \
		{ rm -rf $(VENV); echo "Python's venv module is missing. On Debian: apt-get install python3-venv"; exit 1; }

$(VENV)/.site: requirements.txt | $(VENV)/bin/python
	@echo "Installing what the site needs ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
	@touch $@

$(VENV)/.tests: tests/requirements.txt $(VENV)/.site
	@echo "Installing what the checks need ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -r tests/requirements.txt
	@touch $@
