# Two commands do everything: `make run` and `make test`.  The others: see `make help`.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --disable-pip-version-check --quiet
NATIVE := $(shell find core src examples -name '*.hpp' -o -name '*.cpp' -o -name '*.inc') CMakeLists.txt
VIEWER := $(shell find viewer/src viewer/public -type f) $(wildcard viewer/*.json viewer/*.js viewer/*.html viewer/build.py)
JOBS   ?= $(shell getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
# Tests wait for programs, clocks, disks and pages too: meanwhile two more of them can run.
WORKERS ?= $(shell expr $(JOBS) + 2)

.DEFAULT_GOAL := build
PYTHONS ?= python3.11 python3.12
.PHONY: run test test-deep test-plain check format bench docs clean build wheels schema help
# The pages are built, and what others made is installed, beside the core.
MAKEFLAGS += --jobs=3

run: $(VENV)/build.ready $(VENV)/packages.ready $(VENV)/viewer.ready ## Open the arena: watch and play in the browser
	@$(BIN)/spielleiter arena $(ARGS)

# Where Python may not write bytecode, hundreds of processes would compile the package again. Pytest compiles tests itself.
test: $(VENV)/test.ready ## Run all tests (a few minutes)
	@$(BIN)/python -m compileall -q -j 0 -x '/test_[a-z_]*[.]py$$' src/spielleiter tests
	@$(BIN)/python -m pytest -q -n $(WORKERS) --dist worksteal -m "not deep"

test-deep: $(VENV)/test.ready $(VENV)/deep.ready $(VENV)/wheels.ready ## Long random games, deep perft, sanitizers, fuzzing (a few hours)
	@$(BIN)/python -m pytest -q -n $(JOBS)
	@$(MAKE) test-plain
	@PATH="$(CURDIR)/$(BIN):$$PATH" tests/deep/sanitize.sh
	@PATH="$(CURDIR)/$(BIN):$$PATH" tests/deep/fuzz.sh

test-plain: $(VENV)/test.ready ## The suite once more without native modules, as where no wheel fits
	@SPIELLEITER_FLAVOUR=plain $(BIN)/python -m pytest -q -n $(JOBS) --dist worksteal -m "not deep and not native"

check: $(VENV)/check.ready ## Formatting, lint, types, C++ analysis: all without a complaint
	@$(BIN)/ruff format --check . && $(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/clang-format --dry-run --Werror $$(git ls-files '*.hpp' '*.cpp')
	@PATH="$(CURDIR)/$(BIN):$$PATH" tests/tidy.sh
	@$(BIN)/python tests/duplicates.py
	@$(BIN)/python viewer/build.py check

format: $(VENV)/check.ready ## Format everything
	@$(BIN)/ruff format . && $(BIN)/ruff check --fix . && $(BIN)/clang-format -i $$(git ls-files '*.hpp' '*.cpp')
	@$(BIN)/python viewer/build.py format

bench: $(VENV)/test.ready ## Measure the speed, as ratios to a calibration loop
	@$(BIN)/python -m benchmarks

docs: $(VENV)/docs.ready ## Build the documentation into docs/_build/html
	@PATH="$(CURDIR)/$(BIN):$$PATH" docs/build.sh

schema: $(VENV)/build.ready $(VENV)/packages.ready ## Describe the arena's HTTP API anew, for the viewer
	@$(BIN)/python -m spielleiter.web viewer/openapi.json
	@$(BIN)/python viewer/build.py types

build: $(VENV)/flavours.ready $(VENV)/packages.ready $(VENV)/viewer.ready ## Build only (the default)

wheels: $(VENV)/wheels.ready $(VENV)/viewer.ready ## Build the wheels of a release for Linux into dist/
	@$(BIN)/python core/wheels.py $(PYTHONS)
	@SPIELLEITER_PURE=1 $(PIP) wheel . --no-deps --no-build-isolation --wheel-dir dist

clean: ## Remove everything that was made
	rm -rf $(VENV) build dist viewer/node_modules src/spielleiter/web/pages docs/_build .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

help: ## This list
	@sed -n 's/^\([a-z-]*\):.*## /  make \1\t/p' Makefile | expand -t 20

# Where Python has a pip it installs a new one into the environment, which else would begin with an old one: 3 s.
NEW_PIP := install -c constraints.txt 'pip>=25.1'
VENV_WITH_PIP = $(PYTHON) -m venv --without-pip $(VENV) && $(PYTHON) -m pip --python $(BIN)/python --quiet $(NEW_PIP)
$(VENV)/tools.ready: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || \
	  { echo "Spielleiter needs Python 3.11 or newer: install it with 'apt-get install python3' or name it with 'make PYTHON=…'."; exit 1; }
	@$${CXX:-c++} --version >/dev/null 2>&1 || \
	  { echo "Spielleiter needs a C++20 compiler: install one with 'apt-get install g++' (Debian), 'xcode-select --install' (Mac)."; exit 1; }
	@echo "installing what the build needs …"
	@$(VENV_WITH_PIP) 2>/dev/null || $(PYTHON) -m venv $(VENV) || \
	  { echo "Python cannot make virtual environments here: install that part with 'apt-get install python3-venv'."; exit 1; }
	@$(PIP) $(NEW_PIP)
	@$(PIP) install -c constraints.txt --group build
	@$(BIN)/python viewer/build.py node >/dev/null 2>&1 || $(PIP) install -c constraints.txt --group node || true
	@touch $@

# The arena needs one flavour of the core, the one for this processor. Hand-ins want all of them. Tests compare it with
# the others: where these are not built yet, twins of them are enough, which are compiled quickly and run slowly.
COMPARED := $(if $(filter-out test test-plain check,$(or $(MAKECMDGOALS),build))$(wildcard $(VENV)/flavours.ready),flavours,twins)
FLAVOURS := $(if $(filter run,$(MAKECMDGOALS)),here,$(COMPARED:flavours=all))
INSTALL := $(BIN)/python core/build.py $(BIN)/python -m pip --disable-pip-version-check -v install --no-deps \
	  --no-build-isolation --config-settings=cmake.build-type=Release -e . --config-settings=cmake.define.SPIELLEITER_FLAVOURS
$(VENV)/build.ready: $(VENV)/tools.ready $(NATIVE)
	@echo "building the native core …"
	@$(INSTALL)=$(FLAVOURS)
	@touch $@ && if [ $(FLAVOURS) != here ]; then touch $(VENV)/$(COMPARED).ready; fi

$(VENV)/flavours.ready $(VENV)/twins.ready: $(VENV)/build.ready
	@if [ ! -e $@ ] || [ $< -nt $@ ]; then echo "building it for other processors too …"; $(INSTALL)=$(COMPARED:flavours=all); fi
	@touch $@

# What the package imports: none of it is needed to compile, so it is installed meanwhile.
$(VENV)/packages.ready: $(VENV)/tools.ready
	@$(BIN)/python -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["dependencies"], sep="\n")' \
	  >$(VENV)/dependencies.txt
	@$(PIP) install -c constraints.txt -r $(VENV)/dependencies.txt
	@touch $@

# Without a way to Node or its packages everything but the pages still works, and the arena says so.
$(VENV)/viewer.ready: $(VENV)/tools.ready $(VIEWER)
	@echo "building the pages …"
	@if $(BIN)/python viewer/build.py; then touch $@; fi

# Large packages of which a test or two import a part: compiling all of them takes most of their installation.
RARE := /(open_spiel|pyarrow|scipy)/
$(VENV)/test-packages.ready: $(VENV)/packages.ready
	@$(PIP) install -c constraints.txt --no-compile --group test
	@$(BIN)/python -m compileall -q -x '$(RARE)' $(VENV)/lib >/dev/null 2>&1 || true
	@touch $@

$(VENV)/test.ready: $(VENV)/$(COMPARED).ready $(VENV)/test-packages.ready $(VENV)/viewer.ready
	@touch $@

$(VENV)/deep.ready: $(VENV)/test.ready
	@$(PIP) install -c constraints.txt --group deep
	@touch $@

$(VENV)/check.ready: $(VENV)/test.ready
	@$(PIP) install -c constraints.txt --group check
	@touch $@

$(VENV)/wheels.ready: $(VENV)/tools.ready
	@$(PIP) install -c constraints.txt --group wheels
	@touch $@

$(VENV)/docs.ready: $(VENV)/build.ready $(VENV)/packages.ready
	@$(PIP) install -c constraints.txt --group docs
	@touch $@
