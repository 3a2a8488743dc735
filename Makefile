# Two commands: `make tune` and `make test`. Each sets up what it needs first (.ci/setup) and is quick when that is done.
#   make tune ARGS="--type f32 --n 2^20"   passes options to scantune
BUILD ?= build
JOBS ?= $(shell nproc)
ARGS ?=

export BUILD JOBS

bin := .venv/bin
cpp_files = $(shell git ls-files '*.h' '*.hpp' '*.cpp' '*.cu')
python_paths := tuner tests

.PHONY: help setup tune test test-long bench lint format clean

help:
	@echo "make tune        find the best kernels for this machine's GPU (or its CPU) and save them"
	@echo "make test        run every test that this machine can run"
	@echo "make test-long   run the tests that take minutes"
	@echo "make bench       measure compile speed and call overhead; on a GPU, compare with CUB"
	@echo "make lint        clang-format, clang-tidy, ruff, mypy"
	@echo "make format      rewrite the sources in the project's format"
	@echo "make clean       remove everything that was built or installed here"

setup:
	@.ci/setup

tune: setup
	@cmake --build $(BUILD) -j $(JOBS) --target scantune-worker
	@$(bin)/scantune $(ARGS)

test: setup
	@cmake --build $(BUILD) -j $(JOBS)
	@.ci/test

test-long: setup
	@cmake --build $(BUILD) -j $(JOBS)
	@.ci/test long

bench: setup
	@cmake --build $(BUILD) -j $(JOBS) --target bench

lint: setup
	$(bin)/clang-format --dry-run -Werror $(cpp_files)
	$(bin)/ruff check $(python_paths)
	$(bin)/ruff format --check $(python_paths)
	$(bin)/mypy

format: setup
	$(bin)/clang-format -i $(cpp_files)
	$(bin)/ruff check --fix $(python_paths)
	$(bin)/ruff format $(python_paths)

clean:
	rm -rf $(BUILD) .venv .deps
