# Two commands are enough: `make demo` and `make test`. Both build .venv when it is missing.
PYTHON ?= python3
VENV   ?= .venv
LOWEST := .venv-lowest
BIN    := $(VENV)/bin

.PHONY: demo test lint docs test-lowest clean

demo: $(VENV)/.installed
	$(BIN)/wpfs-bench run --config demo.yaml
	$(BIN)/wpfs-bench report --results results/demo

test: lint
	$(BIN)/python -m pytest -n 2 --dist worksteal

lint: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

docs: $(VENV)/.installed-dev
	$(BIN)/zensical build --clean --strict

# The short part of the suite that meets the libraries, with the oldest versions of them all.
test-lowest: $(LOWEST)/.installed
	$(LOWEST)/bin/python -m pytest -n 2 --dist worksteal -m "not slow and not realdata" \
	  tests/baselines/_shared tests/baselines/test_linear.py tests/baselines/test_trees_and_svm.py \
	  tests/wpfs/test_estimator.py tests/wpfs/test_embeddings.py \
	  $(addprefix tests/benchmark/,datasets genes models plan report results run/test_execute.py run/test_metrics.py) \
	  $(addprefix tests/benchmark/cli/,test_completion.py test_fill.py test_results.py test_run.py)

$(VENV)/.installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable .
	touch $@

$(VENV)/.installed-dev: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[dev]'
	touch $@

$(LOWEST)/.installed: pyproject.toml constraints-lowest.txt
	$(PYTHON) -m venv $(LOWEST)
	$(LOWEST)/bin/python -m pip install --quiet --constraint constraints-lowest.txt --editable '.[test]'
	touch $@

clean:
	rm -rf $(VENV) $(LOWEST) .cache site results/demo
