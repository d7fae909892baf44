# Everything a developer runs. Each target builds its own environment; nothing else is needed.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
DEMO := .venv-demo
WHEEL := $(CURDIR)/build/wheel
PORT ?= 8000
MODEL_OUT = $(or $(OUT),build/model)
# How measures weigh in the support of a claim (benchmarks/fit.py); only their ratios count.
WEIGHTS = entailment=0.5 calm=0.25 agreement=0.25

.PHONY: test env lint types wheel unit test-system bench demo model thresholds clean

# Order matters: the red step names the fault. The last lines are those of the longest step.
test: env lint types wheel unit

env: $(VENV)/ready

$(VENV)/ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --disable-pip-version-check \
		--constraint constraints.txt --group test --editable .
	touch $@

lint: $(VENV)/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/ready
	$(BIN)/mypy

# The tests that read files of the package, on the wheel, in a copy that has no source to fall
# back on.
wheel: $(VENV)/ready
	rm -rf $(WHEEL)
	$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir $(WHEEL)/dist .
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps \
		--target $(WHEEL)/installed $(WHEEL)/dist/*.whl
	git ls-files -z -- ':!gatekeeper' | tar --null -T - -cf - | tar -xf - -C $(WHEEL)
	cd $(WHEEL) && export PYTHONPATH=$(WHEEL)/installed && \
		$(abspath $(BIN))/python -c \
		"import gatekeeper as g; assert g.__path__ == ['$(WHEEL)/installed/gatekeeper']" && \
		$(abspath $(BIN))/pytest -q tests/cli tests/demo tests/observe tests/review

unit: $(VENV)/ready
	$(BIN)/pytest --cov --cov-report=term

# Real servers, proxies and clients. What is not there is installed with INSTALL=1 (root, Debian),
# or named and skipped.
test-system: $(VENV)/ready
	tests/system/prepare build/system prometheus chromium postgresql nginx nodejs npm curl
	$(BIN)/python -m pip install --quiet --disable-pip-version-check \
		--constraint constraints.txt --group system
	GATEKEEPER_SYSTEM=$(CURDIR)/build/system $(BIN)/pytest -q tests/system

# Labelled sets are not part of the project; BENCH names the folder that holds them, DATA that of
# real sentences for the value guard.
bench: $(VENV)/ready
	@test -n "$(BENCH)" || { echo "usage: make bench BENCH=folder-with-labelled-sets"; exit 2; }
	$(BIN)/python -m benchmarks.features "$(BENCH)" --scores build/scores.jsonl
	$(BIN)/python -m benchmarks.accuracy "$(BENCH)" --scores build/scores.jsonl
	$(BIN)/python -m benchmarks.streams --random 100000 --out benchmarks/results/streams.json
	$(BIN)/python -m benchmarks.calibrations -o benchmarks/results/calibrations.json
	$(BIN)/python -m benchmarks.outcomes --out benchmarks/results/outcomes.json
	$(BIN)/python -m benchmarks.candidates --out benchmarks/results/candidates.json
	$(BIN)/python -m benchmarks.recording --out benchmarks/results/recording.json
	@test -z "$(DATA)" || $(BIN)/python -m benchmarks.guard "$(DATA)"

# A help desk with a gate in front; needs nothing that only tests need.
demo: $(DEMO)/ready
	$(DEMO)/bin/gatekeeper demo --port $(PORT)

$(DEMO)/ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(DEMO)
	$(DEMO)/bin/python -m pip install --quiet --disable-pip-version-check \
		--constraint constraints.txt --editable ".[serve,outcomes]"
	touch $@

# Hours on a CPU, minutes on a GPU; the same command goes on where it was stopped. Data is not part
# of the project; DATA names the folder that holds it, INIT a checkpoint to start stage 2 from, BENCH a
# folder of labelled answers that weights' scale and thresholds are set on.
model: $(VENV)/ready
	@test -n "$(DATA)" || { echo "usage: make model DATA=folder [BENCH=folder] [INIT=checkpoint] [OUT=folder]"; exit 2; }
	$(BIN)/python -m pip install --quiet --disable-pip-version-check \
		--constraint constraints.txt --group train
	$(BIN)/python -m models.recipe "$(DATA)" "$(MODEL_OUT)" $(if $(INIT),--init "$(INIT)")
	$(if $(BENCH),$(MAKE) thresholds OUT="$(OUT)" DATA="$(DATA)" BENCH="$(BENCH)")

thresholds:
	$(BIN)/python -m benchmarks.features "$(BENCH)" --model "$(MODEL_OUT)/package" \
		--scores "$(MODEL_OUT)/scores.jsonl" --halves calibration
	$(BIN)/python -m benchmarks.fit --model "$(MODEL_OUT)/package" \
		--scores "$(MODEL_OUT)/scores.jsonl" --weights $(WEIGHTS) -o "$(MODEL_OUT)/aggregation.json"
	$(BIN)/python -m benchmarks.calibrate_public --model "$(MODEL_OUT)/package" \
		--scores "$(MODEL_OUT)/scores.jsonl" --pairs "$(DATA)/nli_eval.jsonl.gz" \
		-o "$(MODEL_OUT)/package/calibration.json"
	$(BIN)/python -m models.card "$(MODEL_OUT)" "$(DATA)"

clean:
	rm -rf $(VENV) $(DEMO) build dist .coverage .mypy_cache .pytest_cache .ruff_cache .hypothesis
