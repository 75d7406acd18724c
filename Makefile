# Every target sets up what it needs: a Python environment in $(VENV), made from pyproject.toml.
VENV ?= .venv
WORKERS ?= 3

PY := $(VENV)/bin/python
STAMP := $(VENV)/.paimon-ksy-installed
FOR_DEMO := $(VENV)/.paimon-ksy-demo

.DEFAULT_GOAL := help
# Each target with a description makes no file of its name.
.PHONY: $(shell sed -n 's/^\([a-z-]*\):.*\#\# .*/\1/p' $(MAKEFILE_LIST))

# The targets of daily use come first, then those below each line `##@ GROUP`.
DAILY := demo test lint format generate
help: ## list the targets
	@awk -F ':.*## ' -v daily=" $(DAILY) " ' \
	    /^##@ / { group = substr($$0, 5); groups[++last] = group } \
	    /^[a-z-]+:.*## / { line = sprintf("  %-20s %s\n", $$1, $$2); \
	        if (index(daily, " " $$1 " ")) first = first line; else lines[group] = lines[group] line } \
	    END { printf "Every day\n%s", first; \
	        for (i = 1; i <= last; i++) printf "\n%s\n%s", groups[i], lines[groups[i]] }' $(MAKEFILE_LIST)

##@ Set up
setup: $(STAMP) ## create the Python environment
$(STAMP): pyproject.toml ksykit/pyproject.toml tools/venv.sh
	@sh tools/venv.sh "$(VENV)" dev
	@touch $(FOR_DEMO) $@

# The demo needs half of what developers need.
$(FOR_DEMO): pyproject.toml ksykit/pyproject.toml tools/venv.sh
	@sh tools/venv.sh "$(VENV)" spark
	@touch $@

demo: $(FOR_DEMO) ## show the main commands on Java's index, a new one, and a table that Spark indexes
	@$(PY) -m tools.demo

PYTEST := $(PY) -m pytest -n $(WORKERS) --dist worksteal
LAYERS := test-unit test-tables test-java test-docs

# Else each of the many processes that tests start compiles the project again.
test test-rest $(LAYERS) test-all: export PYTHONDONTWRITEBYTECODE =
test: $(STAMP) ## run the tests; of those in tests/shares.txt, a share
	@$(PYTEST) $(ARGS)

coverage: export COVERAGE_FILE = $(CURDIR)/.cache/coverage/data
##@ Tests
coverage: $(STAMP) ## run all tests, list the lines and branches that they miss, and fail below 95 %
	@rm -rf .cache/coverage
	@mkdir -p .cache/coverage
	@COVERAGE_PROCESS_START=$(CURDIR)/pyproject.toml $(PYTEST) --share=100 $(ARGS)
	@$(PY) -m coverage combine -q
	@$(PY) -m coverage report --fail-under=$(LEAST_COVERAGE)

unit-coverage: export COVERAGE_FILE = $(CURDIR)/.cache/coverage/units
unit-coverage: $(STAMP) ## list what unit tests missed in `make test ARGS="-p tests.support.unit_coverage"`
	@$(PY) -m coverage combine -q
	@$(PY) -m coverage report --include="$$(printf 'paimon_ksy/%s/*,' $(UNITS))" --fail-under=$(LEAST_UNIT_COVERAGE)

test-unit: ## run the tests that need no Java, network or browser, and no table
test-tables: ## run the tests of tables that need no Java
test-java: ## run the tests that need Java: Paimon's library and Spark
test-docs: ## run the tests of the generator, packages, pages and examples
$(LAYERS): $(STAMP)
	@$(PYTEST) -m $(@:test-%=%) $(ARGS)

SEED ?= $(shell date +%Y%m%d)
# What tests of the layer `unit` are for; of other packages, tests of tables run more.
UNITS := columns evaluation file_index java predicates roaring rows table_index types
# In percent of lines and branches: of all tests, and of tests of the layer `unit` in its packages.
LEAST_COVERAGE := 95
LEAST_UNIT_COVERAGE := 97
test-rest: $(STAMP) ## run a few of the tests that `make test` leaves out, those of today
	@$(PYTEST) --rest=3 --seed=$(SEED) $(ARGS)
test-all: $(STAMP) ## run all tests with all random examples, those of the day; SEED=20261123 repeats one
	@$(PYTEST) --share=100 --seed=$(SEED) $(ARGS)

# mypy does not run the `__path__` of paimon_ksy/generated, so it finds all modules by links here.
TYPES := .cache/types/paimon_ksy

# Licences that put no condition on programs that use the package, or a part of their text.
FREE := MIT;BSD;Apache;ISC;PSF;Python Software;MPL;Mozilla;Unlicense;permission is hereby granted

lint: $(STAMP) ## check style, types, layers, prose, and the licences of installed packages
	@rm -rf $(TYPES) && mkdir -p $(TYPES)
	@ln -s $(CURDIR)/paimon_ksy/* $(TYPES) && ln -sfn $(CURDIR)/generated $(TYPES)
	@status=0; \
	$(PY) -m ruff check . || status=1; \
	$(PY) -m ruff format --check . || status=1; \
	$(PY) -m mypy || status=1; \
	$(VENV)/bin/lint-imports --no-logo --cache-dir .cache/import-linter || status=1; \
	$(PY) -m tools.prose || status=1; \
	$(PY) -m piplicenses --with-system --partial-match --allow-only="$(FREE)" >/dev/null || status=1; \
	exit $$status

format: $(STAMP) ## format the code
	@$(PY) -m ruff check --fix .
	@$(PY) -m ruff format .

generate: $(STAMP) ## write generated/ from specs/ (needs the network the first time)
	@$(PY) -m tools.ksy generate

##@ Specs and generated code
check-generated: $(STAMP) ## check that generated/ matches specs/, and parts of pages the specs and the code
	@$(PY) -m tools.ksy check
	@$(PY) -m tools.docs --check

specs: $(STAMP) ## compile specs/ for all target languages
	@$(PY) -m tools.ksy specs

specs-conformance: $(STAMP) ## read all golden files with readers in other languages (needs node, Java 17, Go)
	@$(PY) -m tools.languages $(ARGS)

##@ Measure
bench: $(STAMP) ## measure against the Java library (needs Java 17 and the network)
	@$(PY) -m tools.bench index $(ARGS)

bench-tables: $(STAMP) ## measure queries on a table against other readers (Spark needs Java 17)
	@$(PY) -m tools.bench tables $(ARGS)

##@ Compare with other readers
conformance: $(STAMP) ## read our indexes with the Java library (needs Java 17 and the network)
	@$(PY) -m tools.conformance $(ARGS)

conformance-kit: $(STAMP) ## regenerate conformance/ with the Java library (needs a JDK 17 and the network)
	@$(PY) -m tools.conformance.kit $(ARGS)

conformance-matrix: $(STAMP) ## run the kit with each library, and write docs/reference/conformance.md
	@$(PY) -m tools.conformance.matrix

##@ Search for defects
fuzz: $(STAMP) ## search for input that breaks the code, with EXAMPLES (2000) for each promise
	@$(PYTEST) tests/project/test_fuzz.py --timeout 0 --seed=$(SEED) \
	    --share=$$(($(or $(EXAMPLES),2000) * 4)) $(ARGS)

MODULES ?= paimon_ksy/evaluation
TESTS ?= $(MODULES:paimon_ksy/%=tests/%)
MUTANTS := .cache/mutants
# Not installed with the other tools, for its own environment is enough: the tests run in ours.
COSMIC_RAY := cd $(MUTANTS) && $(CURDIR)/$(PY) -m uv tool run --quiet --from cosmic-ray==8.7.*
define MUTANTS_TOML
[cosmic-ray]
module-path = [$(foreach module,$(MODULES),"$(module)",)]
excluded-modules = []
test-command = "$(CURDIR)/$(PY) -m pytest -x -q -p no:cacheprovider --seed=0 $(TESTS)"
timeout = 120.0
distributor.name = "local"
# `|` is mostly part of a type.
filters.operators-filter.exclude-operators = ["core/ReplaceBinaryOperator_BitOr_.*"]
endef

mutants: export PYTHONPATH = $(CURDIR)/$(MUTANTS)
mutants: export MUTANTS_TOML := $(MUTANTS_TOML)
mutants: $(STAMP) ## change MODULES in one place at a time, for MINUTES (5), and list what TESTS miss
	@rm -rf $(MUTANTS) && mkdir -p $(MUTANTS) && ln -s $(CURDIR)/.cache $(MUTANTS)/.cache
	@git ls-files -z --cached --others --exclude-standard | tar -c --null -T - | tar -x -C $(MUTANTS)
	@printf '%s\n' "$$MUTANTS_TOML" > $(MUTANTS)/mutants.toml
	@$(COSMIC_RAY) cosmic-ray baseline mutants.toml
	@$(COSMIC_RAY) cosmic-ray init mutants.toml mutants.sqlite
	@$(COSMIC_RAY) cr-filter-operators mutants.sqlite mutants.toml
	@$(COSMIC_RAY) timeout $(or $(MINUTES),5)m cosmic-ray exec mutants.toml mutants.sqlite || true
	@$(COSMIC_RAY) cr-report --surviving-only --show-diff mutants.sqlite

matrix: $(STAMP) ## run tests with the lowest and newest dependencies, and Spark 4.0 to 4.3 (needs the network)
	@$(PY) -m tools.matrix $(ARGS)

conditions: $(STAMP) ## compare 20,000 random conditions with Spark's answers (needs Java 17)
	@$(PY) -m tools.conditions --seed $(SEED) $(ARGS)

random-specs: $(STAMP) ## compare readers of 5,000 random specs with Kaitai's parser
	@$(PY) ksykit/tools/random_specs.py --seed $(SEED) $(ARGS)

chaos: $(STAMP) ## write, delete, index and audit one table concurrently, and kill processes at random
	@$(PY) -m tools.chaos $(ARGS)

faults: $(STAMP) ## fail each file system call of each job that changes a table
	@$(PY) -m tools.faults $(ARGS)

NIGHTLY := bench chaos conditions conformance coverage faults fuzz matrix random-specs test-all specs-conformance
nightly: ## run what `.github/workflows/nightly.yml` runs at night (takes hours)
	@for target in $(NIGHTLY); do $(MAKE) --no-print-directory $$target || failed="$$failed $$target"; done; \
	[ -z "$$failed" ] || { echo "FAILED:$$failed"; exit 1; }

frozen: $(STAMP) ## write tests/golden/written-VERSION.tar.xz, once for each release
	@$(PY) -m tools.frozen

##@ Data, documents and releases
releases: $(STAMP) ## write tests/golden/releases.tar.xz with each release of Paimon (needs a JDK 17 and the network)
	@$(PY) -m tools.releases

docs: $(STAMP) ## write parts of docs/ from the specs and the code, build the site in build/site, check its links
	@$(PY) -m tools.docs

dist: $(STAMP) ## build both sdists and wheels, and paimon_ksy.zip, into dist/; check them, and prove that they are reproducible
	@$(PY) -m tools.dist $(ARGS)

VERSION = $(shell sed -n 's/^__version__ = "\(.*\)"/\1/p' paimon_ksy/__init__.py)
release-notes: ## print the section of CHANGELOG.md about this version, for TAG only if it has a date
	@[ -z "$$TAG" ] || { [ "$$TAG" = "v$(VERSION)" ] && grep -qE '^## $(VERSION) \([0-9]{4}-[0-9]{2}-[0-9]{2}\)' CHANGELOG.md; } || \
	    { echo "$$TAG is not v$(VERSION), or CHANGELOG.md has no date of it" >&2; exit 1; }
	@awk -v head='## $(VERSION) (' '/^## / { found = index($$0, head) == 1; next } \
	    found { print; words += NF } END { exit !words }' CHANGELOG.md

clean: ## remove all generated files and environments
	@rm -rf "$(VENV)" build dist *.egg-info .cache .pytest_cache .mypy_cache .ruff_cache .hypothesis
