# Everything a person needs to run junbi from a clone: Python >= 3.11 and make.
PYTHON ?= python3
BIN := .venv/bin
export ALIBABA_CLOUD_ECS_METADATA_DISABLED := true

.PHONY: demo test crashes simulate chaos up bench lint format docs lock clean

demo: .venv/demo.stamp  ## the local PAI trains a real model from a real upload
	$(BIN)/python examples/demo.py

up: .venv/demo.stamp  ## the local PAI, the functions and the console, until you press Ctrl-C
	$(BIN)/junbi up --config junbi.yaml

test: .venv/dev.stamp .venv/runtime/stamp lint  ## the whole suite
	$(BIN)/pytest -n 4 --dist worksteal $(ARGS)

crashes: .venv/dev.stamp  ## every flow killed at every moment, and again at every moment of its recovery
	JUNBI_ALL_CRASHES=1 $(BIN)/pytest -n 4 --dist worksteal tests/pipeline/test_crash_pairs.py $(ARGS)

SEEDS ?= 1000
simulate: .venv/dev.stamp  ## function instances in a cloud that misbehaves, SEEDS times; SEED=n replays one
	$(BIN)/python -m tests.simulation $(if $(SEED),--seed $(SEED),--seeds $(SEEDS)) $(if $(LEDGER),--ledger $(LEDGER))

chaos: .venv/dev.stamp  ## 8 workers and 128 clients on one PostgreSQL, killed, paused and cut off; SEED=n repeats a plan
	$(BIN)/python -m tests.processes $(if $(SEED),--seed $(SEED)) $(ARGS)

lint: .venv/dev.stamp  ## style, types and the import contracts
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: .venv/dev.stamp
	$(BIN)/ruff check --fix-only --quiet .
	$(BIN)/ruff format .

docs: .venv/dev.stamp  ## the parts of docs/ that the code knows best
	$(BIN)/python infra/write_docs.py

bench: .venv/dev.stamp .venv/runtime/stamp .venv/peers/stamp  ## the budgets, side by side with what you would pick instead, as ratios
	$(BIN)/python -m tests.performance $(ARGS)

# What Function Compute gets and nothing else: cold starts are judged there.
# peers: what junbi is measured beside, kept away from both.
.venv/runtime/stamp .venv/peers/stamp: .venv/%/stamp: infra/locks/%.txt
	@$(PYTHON) -m venv .venv/$*
	@.venv/$*/bin/pip install --quiet --disable-pip-version-check --require-hashes -r infra/locks/$*.txt
	@touch $@

.venv/%.stamp: infra/locks/%.txt pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@echo "Installing what infra/locks/$*.txt pins (once)…"
	@$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r infra/locks/$*.txt
	@$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

lock:  ## pin the newest releases, with hashes; needs uv
	uv pip compile pyproject.toml --extra postgres --python-version 3.11 --generate-hashes --no-emit-index-url --quiet -o infra/locks/runtime.txt
	uv pip compile pyproject.toml --extra cli --group demo --group build --python-version 3.11 --generate-hashes --no-emit-index-url --quiet -o infra/locks/demo.txt
	uv pip compile pyproject.toml --extra cli --group demo --group build --group test --group lint --python-version 3.11 --generate-hashes --no-emit-index-url --quiet -o infra/locks/dev.txt
	uv pip compile --group peers --python-version 3.11 --generate-hashes --no-emit-index-url --quiet -o infra/locks/peers.txt

clean:
	rm -rf .venv .junbi
