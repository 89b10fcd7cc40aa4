# Two commands do all their own set-up in .venv: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
# A model of your own for the demo: make demo MODEL=openai/NAME BASE_URL=http://localhost:8000/v1
MODEL ?=
BASE_URL ?=
BIN := $(VENV)/bin

.PHONY: demo test lint types docs bench clean

$(VENV)/.core: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("Tolman needs Python 3.11 or newer; set PYTHON=") if sys.version_info < (3, 11) else 0'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --editable ".[simulate,generate]"
	@touch $@

$(VENV)/.dev: $(VENV)/.core
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	@touch $@

demo: $(VENV)/.core
	$(BIN)/python -m tolman.demo $(if $(MODEL),--model '$(MODEL)') $(if $(BASE_URL),--base-url '$(BASE_URL)')

test: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python -m pytest

docs: $(VENV)/.dev
	$(BIN)/python -m pip install --quiet --editable '.[docs]'
	$(BIN)/mkdocs build --strict

bench: $(VENV)/.dev
	$(BIN)/python benchmarks/scoring.py

clean:
	rm -rf $(VENV) demo site .mypy_cache .ruff_cache .pytest_cache
