.PHONY: help setup demo test proof check profiles bench format schemas example

WORKFLOWS = $(wildcard .github/workflows/*.yml)
TEMPLATES = $(wildcard gate/cli/github/*.yml)

help: ## this list
	@sed -n "s/^\([a-z]*\):.*## /\1\t/p" Makefile

setup: ## install what is missing: fio, hyperfine, .venv
	@.ci/setup.sh

demo: setup ## see the gate stay open and close, measured on this machine
	@.venv/bin/gate demo

test: ## the one test command; installs what it needs
	@.ci/setup.sh tests
	.venv/bin/python .ci/tests.py

proof: setup ## the long proofs, on a machine that is otherwise idle
	.venv/bin/python -m pytest tests -m proof

check: ## lint, types, imports, schemas up to date, workflows
	@.ci/setup.sh lint
	.venv/bin/ruff check
	.venv/bin/ruff format --check
	.venv/bin/mypy
	.venv/bin/lint-imports
	.venv/bin/gate schema --check gate/schemas
	.venv/bin/zizmor --persona=pedantic --offline --no-progress --quiet --config .github/zizmor.yml .github $(TEMPLATES)
	.tools/actionlint -config-file .github/actionlint.yaml $(WORKFLOWS) $(TEMPLATES)
	shellcheck -x .ci/run .ci/setup.sh .ci/browser.sh .ci/kernel.sh .github/actions/*/*.sh

profiles: ## run every shipped profile in its small size, with the real programs
	@.ci/setup.sh profiles
	.venv/bin/python .ci/profiles.py

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
