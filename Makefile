# Two commands: `make tune` and `make test`. Each sets up what it needs first (.ci/setup) and is quick when that is done.
# ARGS passes options on, as in  make tune ARGS="--type f32 --n 2^20".
BUILD ?= build
JOBS ?= $(shell nproc)
ARGS ?=
PREFIX ?= /usr/local

export BUILD JOBS

bin := .venv/bin

.PHONY: help setup setup-user tune wheel quick test test-long test-libraries designs campaign fuzz kills bench docs lint format install clean

help:
	@echo "make tune        find the best kernels for this machine's GPU (or its CPU) and save them"
	@echo "make quick       check format, types and structure, and run the tests that a change touches: 90 seconds"
	@echo "make test        run the tests that this machine can run, the same each time (FRESH=1: those that passed, too)"
	@echo "make test-long   run them, and those that take minutes"
	@echo "make test-libraries  run the tests that need torch and JAX, fetched into .deps (5 GB)"
	@echo "make designs     write the tables of the tests' cases anew (tests/designs), after a change of what may be combined"
	@echo "make fuzz        feed mutated databases, texts and lines to the library, for a minute, under sanitizers"
	@echo "make kills       kill every command that writes, 20 times, and run it again"
	@echo "make campaign    look for new faults for MINUTES=30, by chance: fuzz, kills, processes, long tests, mutants, lint"
	@echo "make bench       measure compile times; on a GPU also call overhead, and the kernels against CUB"
	@echo "make docs        build the documentation as a site, in build/docs/site"
	@echo "make lint        clang-format, ruff, mypy, structure, and clang-tidy on what has changed (ALL=1: on everything)"
	@echo "make install     put library, headers, worker and a link to the command into PREFIX (default: /usr/local)"
	@echo "make wheel       build a source archive and a wheel of it, in dist"
	@echo "make format      rewrite the sources in the project's format"
	@echo "make clean       remove everything that was built or installed here"

setup:
	@.ci/setup

# Without what only tests and lint use.
setup-user:
	@.ci/setup user

tune: setup-user
	@cmake --build $(BUILD) -j $(JOBS) --target scantune-worker
	@$(bin)/scantune $(ARGS)

quick: setup
	@.ci/quick

test: setup
	@cmake --build $(BUILD) -j $(JOBS)
	@.ci/test

test-long: setup
	@cmake --build $(BUILD) -j $(JOBS) --target all other_tests
	@.ci/test long

designs: setup
	@cmake --build $(BUILD) -j $(JOBS) --target designs

fuzz:
	@.ci/setup fuzz
	@.ci/fuzz $(ARGS)

test-libraries: setup
	@.ci/test-libraries

kills: setup
	@cmake --build $(BUILD) -j $(JOBS) --target scantune-worker
	@$(bin)/python tests/campaign/kill_and_resume.py $(ARGS)

campaign: setup
	@cmake --build $(BUILD) -j $(JOBS) --target all other_tests
	@.ci/campaign

bench: setup
	@.ci/bench $(ARGS)

docs: setup
	@$(bin)/python .ci/pages.py $(BUILD)/docs

lint: setup
	@.ci/lint $(if $(ALL),all)

install: setup-user
	@cmake --build $(BUILD) -j $(JOBS) --target scantune scantune_static scantune-worker
	@cmake --install $(BUILD) --prefix $(PREFIX)
	@command="$(DESTDIR)$(PREFIX)/bin/scantune"; was=$$(readlink "$$command" || true); \
	if [ -z "$(DESTDIR)" ] && { [ "$${was%/.venv/bin/scantune}" != "$$was" ] || { [ ! -e "$$command" ] && [ ! -L "$$command" ]; }; }; then \
	  ln -sfn "$(CURDIR)/.venv/bin/scantune" "$$command" && echo "-- Linked: $$command, to the tuner of this checkout"; \
	else echo "-- Left alone: $$command; the tuner of this checkout is $(CURDIR)/.venv/bin/scantune"; fi

wheel: setup
	@.ci/wheel

format: setup
	git ls-files -z '*.h' '*.hpp' '*.c' '*.cpp' '*.cu' | xargs -0 $(bin)/clang-format -i
	$(bin)/ruff check --fix tuner tests .ci
	$(bin)/ruff format tuner tests .ci

clean:
	rm -rf $(BUILD) .venv .deps dist
