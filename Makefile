.PHONY: help setup demo test test-all proof check house audit torture profiles calibrate-live bench format schemas example

WORKFLOWS = $(wildcard .github/workflows/*.yml)
TEMPLATES = $(wildcard gate/cli/github/*.yml)

PYTEST = .venv/bin/python -m pytest tests
# One more than processors: many tests wait for a program or a clock.
BESIDE = --numprocesses=$(shell expr $$(nproc) + 1) --dist=loadgroup
DEEP = --hypothesis-profile=deep

help: ## this list
	@sed -n "s/^\([a-z-]*\):.*## /\1\t/p" Makefile

setup: ## install what is missing: fio, hyperfine, .venv
	@.ci/setup.sh

demo: setup ## see the gate stay open and close, measured on this machine
	@.venv/bin/gate demo

test: ## what a change has to pass; installs what it needs
	@.ci/setup.sh tests
	$(PYTEST) $(BESIDE) --durations-file=.tools/durations.txt -m "not (night or proof or alone)"
	$(PYTEST) --durations-file=.tools/durations-alone.txt -m "alone and not (night or proof)"

test-all: ## what the night runs: every test, and more examples of each law
	@.ci/setup.sh tests
	$(PYTEST) $(BESIDE) $(DEEP) --durations-file=.tools/durations.txt -m "not (proof or alone)"
	$(PYTEST) $(DEEP) --durations-file=.tools/durations-alone.txt -m "alone and not proof"

proof: setup ## the long proofs, on a machine that is otherwise idle
	$(PYTEST) -m proof

check: ## lint, types, imports, schemas up to date, workflows
	@.ci/setup.sh lint
	.venv/bin/ruff check
	.venv/bin/ruff format --check
	.venv/bin/mypy
	.venv/bin/lint-imports
	.venv/bin/gate schema --check gate/schemas
	.venv/bin/python .ci/house.py
	.venv/bin/zizmor --persona=pedantic --offline --no-progress --quiet --config .github/zizmor.yml .github $(TEMPLATES)
	.tools/actionlint -config-file .github/actionlint.yaml $(WORKFLOWS) $(TEMPLATES)
	shellcheck -x .ci/run .ci/setup.sh .ci/audit.sh .ci/browser.sh .ci/kernel.sh .github/actions/*/*.sh

audit: setup ## the locked packages against a database of known vulnerabilities
	@.ci/audit.sh

torture: ## faults at every write, fsync, rename, fork and exec: nothing is lost
	@.ci/setup.sh torture
	.venv/bin/python .ci/torture.py

house: setup ## how the code is laid out: the table, and what misses its goal
	.venv/bin/python .ci/house.py

profiles: ## run every shipped profile in its small size, with the real programs
	@.ci/setup.sh profiles
	.venv/bin/python .ci/profiles.py

calibrate-live: setup ## real checks beside a noisy neighbour: how often the gate is right
	.venv/bin/python .ci/calibrate_live.py

bench: setup ## our own speed
	.venv/bin/python -m pytest tests/benchmarks --benchmark-enable --benchmark-only

format: setup ## format and mend what ruff can
	.venv/bin/ruff format
	.venv/bin/ruff check --fix

schemas: setup ## write the published JSON Schemas anew
	.venv/bin/gate schema --write gate/schemas

example: ## measure the example report anew
	@.ci/setup.sh tests
	reports/example/make.sh
