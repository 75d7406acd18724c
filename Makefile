# Every target sets up what it needs: a Python environment in $(VENV), made from pyproject.toml.
VENV ?= .venv
WORKERS ?= 3

PY := $(VENV)/bin/python
STAMP := $(VENV)/.paimon-ksy-installed

.DEFAULT_GOAL := help
# Each target with a description makes no file of its name.
.PHONY: $(shell sed -n 's/^\([a-z-]*\):.*\#\# .*/\1/p' $(MAKEFILE_LIST))

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "%-20s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(STAMP) ## make the Python environment
$(STAMP): pyproject.toml tools/venv.sh
	@sh tools/venv.sh "$(VENV)"
	@touch $@

demo: $(STAMP) ## run `paimon-ksy demo`, then query Java's index and index a table on Spark
	@$(PY) -m tools.demo

PYTEST := $(PY) -m pytest -n $(WORKERS) --dist worksteal
LAYERS := test-unit test-tables test-java test-docs

# Else each of the many processes that tests start compiles the project again.
test $(LAYERS) test-today: export PYTHONDONTWRITEBYTECODE =
test: $(STAMP) ## run all tests
	@$(PYTEST) $(ARGS)

coverage: export COVERAGE_FILE = $(CURDIR)/.cache/coverage/data
coverage: $(STAMP) ## run all tests, and list the lines and branches that they leave out
	@rm -rf .cache/coverage
	@mkdir -p .cache/coverage
	@COVERAGE_PROCESS_START=$(CURDIR)/pyproject.toml $(PYTEST) $(ARGS)
	@$(PY) -m coverage combine -q
	@$(PY) -m coverage report

unit-coverage: export COVERAGE_FILE = $(CURDIR)/.cache/coverage/units
unit-coverage: $(STAMP) ## list what unit tests left out in `make test ARGS="-p tests.support.unit_coverage"`
	@$(PY) -m coverage combine -q
	@$(PY) -m coverage report --include="$$(printf 'paimon_ksy/%s/*,' $(UNITS))" --fail-under=$(LEAST_COVERAGE)

test-unit: ## run the tests that need no Java, network or browser, and no table
test-tables: ## run the tests of tables that need no Java
test-java: ## run the tests that need Java: Paimon's library and Spark
test-docs: ## run the tests of the generator, packages, pages and examples
$(LAYERS): $(STAMP)
	@$(PYTEST) -m $(@:test-%=%) $(ARGS)

SEED ?= $(shell date +%Y%m%d)
# What tests of the layer `unit` are for; of other packages, tests of tables run more.
UNITS := columns evaluation file_index java predicates roaring rows table_index types
LEAST_COVERAGE := 97
test-today: export HYPOTHESIS_PROFILE = today
test-today: $(STAMP) ## run property tests with examples of the day; SEED=20261123 repeats those of a day
	@echo "To repeat: make test-today SEED=$(SEED)"
	@$(PYTEST) -m "hypothesis and unit" --hypothesis-seed=$(SEED) --seed=$(SEED) \
		$(UNITS:%=tests/%) $(ARGS)

# mypy does not run the `__path__` of paimon_ksy/generated, so it finds generated/ by a link here.
TYPES := .cache/types/paimon_ksy

lint: $(STAMP) ## check style, types, layers and prose
	@mkdir -p $(TYPES) && touch $(TYPES)/__init__.py && ln -sfn ../../../generated $(TYPES)/generated
	@status=0; \
	$(PY) -m ruff check . || status=1; \
	$(PY) -m ruff format --check . || status=1; \
	$(PY) -m mypy || status=1; \
	$(VENV)/bin/lint-imports --no-logo --cache-dir .cache/import-linter || status=1; \
	$(PY) -m tools.prose || status=1; \
	exit $$status

format: $(STAMP) ## format the code
	@$(PY) -m ruff check --fix .
	@$(PY) -m ruff format .

generate: $(STAMP) ## write generated/ from specs/ (needs the network the first time)
	@$(PY) -m tools.ksy generate

check-generated: $(STAMP) ## check that generated/ is what specs/ gives
	@$(PY) -m tools.ksy check

specs: $(STAMP) ## compile specs/ for all target languages
	@$(PY) -m tools.ksy specs

gallery: $(STAMP) ## write build/gallery: the Roaring specs for the gallery of Kaitai Struct
	@$(PY) -m tools.ksy gallery

specs-conformance: $(STAMP) ## let readers in other languages read all golden files (needs node, Java 17, Go; ARGS=--help: also C++, Rust)
	@$(PY) -m tools.languages $(ARGS)

bench: $(STAMP) ## measure against the Java library (needs Java 17 and the network)
	@$(PY) -m tools.bench $(ARGS)

bench-tables: $(STAMP) ## measure queries on a table against other readers (Spark needs Java 17)
	@$(PY) -m tools.bench_tables $(ARGS)

bench-scale: $(STAMP) ## measure plans and audits of a million data files (takes about 20 minutes)
	@$(PY) -m tools.bench_tables --only scale $(ARGS)

conformance: $(STAMP) ## let the Java library read what we build (needs Java 17 and the network)
	@$(PY) -m tools.conformance $(ARGS)

conformance-kit: $(STAMP) ## write conformance/ with the Java library again (needs a JDK 17 and the network)
	@$(PY) -m tools.conformance.kit $(ARGS)

conformance-matrix: $(STAMP) ## run the kit with each library, and write docs/reference/conformance.md
	@$(PY) -m tools.conformance.matrix

fuzz: $(STAMP) ## look for input that breaks a promise, for MINUTES (5); guided if atheris is installed
	@$(PY) -m tools.fuzz --minutes $(or $(MINUTES),5) $(ARGS)

mutants: $(STAMP) ## change code in one place at a time, MINUTES (5) for each group; SEED orders changes
	@$(PY) -m tools.mutants --minutes $(or $(MINUTES),5) --seed $(SEED) $(ARGS)

mutants-specs: $(STAMP) ## change fields of specs/, and list the golden tests that notice (takes an hour)
	@$(PY) -m tools.mutants_specs $(ARGS)

matrix: $(STAMP) ## run tests with the lowest and newest dependencies, and Spark 4.0 to 4.3 (needs the network)
	@$(PY) -m tools.matrix $(ARGS)

chaos: $(STAMP) ## write, delete, index and audit one table at once, with processes killed at random
	@$(PY) -m tools.chaos $(ARGS)

faults: $(STAMP) ## fail each call to the file system of each job that changes a table
	@$(PY) -m tools.faults $(ARGS)

frozen: $(STAMP) ## write tests/golden/written-VERSION.tar.xz, once for each release
	@$(PY) -m tools.frozen

licences: $(STAMP) ## write docs/project/licences.md from the installed packages
	@$(PY) -m tools.licences

example-data: $(STAMP) ## write examples/ with the Java library again (needs a JDK 17 and the network)
	@$(PY) -m tools.examples
	@for name in orders worked; do \
		$(PY) -m paimon_ksy webide examples/$$name/orders.parquet.index --overwrite \
			--schema-file examples/$$name/orders.schema.json --folder examples/$$name; \
	done

releases: $(STAMP) ## write tests/golden/releases.tar.xz with each release of Paimon (needs a JDK 17 and the network)
	@$(PY) -m tools.releases

docs: $(STAMP) ## build the documentation into build/site, and check its links
	@$(PY) -m tools.docs

pictures: $(STAMP) ## make the pictures in README.md again (needs Chromium)
	@$(PY) -m tools.pictures

dist: $(STAMP) ## build sdist and wheel into dist/, twice the same bytes, and check them
	@$(PY) -m tools.dist $(ARGS)

release-notes: $(STAMP) ## print what CHANGELOG.md has about this version
	@$(PY) -m tools.release_notes $(ARGS)

clean: ## remove everything that was made
	@rm -rf "$(VENV)" build dist *.egg-info .cache .pytest_cache .mypy_cache .ruff_cache .hypothesis
