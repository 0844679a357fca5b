# make demo    a running demonstration in the browser (what it needs is installed into .venv first)
# make test    everything that must hold: style, types, tests, browser tests
# make quick   what a change touches, in a minute or two: style, types, the tests of its rooms that name it (SINCE=HEAD~1: since that commit)
# make panel   what looks at the panel's JavaScript alone
# make coverage   which lines and branches of annotator/ the tests without a browser reach
# make site    the documents as a site of files, in build/site; it needs no network
# make pictures   the pictures of the documents anew
# make proofs  what alignment brings on planted texts, three seeds of each criterion (needs the extra models; about 20 minutes)
# make bench   how fast it is, as ratios
# make newest  all of `make test` with the newest versions that pyproject.toml allows, and which of them are new
# make constraints   constraints.txt anew, from what `make newest` installed
# make clean   take away .venv, .venv-newest, node_modules and what the tools left behind
#
# PYTHON=/path/to/python3.12 chooses the Python that .venv is made with.
# DEMO_ARGS="--port 9000 --no-browser" and PYTEST_ARGS="-x" are handed on.

PYTHON =
DEMO_ARGS =
PYTEST_ARGS =
SINCE =
PANEL = 1
WORKERS = -n auto --maxprocesses 4 --dist worksteal
UNIT_TESTS = tests annotator --ignore=annotator/web --ignore=tests/browser
DURATIONS = --durations=25 --durations-min=2

VENV = .venv
NEWEST = .venv-newest
CONSTRAINTS = constraints.txt
BIN = $(VENV)/bin
LOG = $(VENV)/install.log
PANEL_TOOLS = tools/panel
PANEL_BIN = $(PANEL_TOOLS)/node_modules/.bin
comma = ,

# Here hundreds of processes import the same packages; where this is set, each compiles them anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help demo test quick models newest constraints panel coverage site pictures proofs bench clean browser panel-tools

help:
	@sed -n 's/^# \{0,1\}//p;/^$$/q' Makefile

demo: $(VENV)/installed-run
	@exec $(BIN)/annotator demo $(DEMO_ARGS)

# Every check runs, also after one has failed, so that one run tells everything. What looks at the panel's JavaScript and at
# types runs beside the tests, so that no core waits for another; it is told afterwards. From annotator/ come the examples in
# docstrings; annotator/web is left out, since importing it begins to build a screen. Each worker of the browser tests has
# a browser of its own, and takes from the others what they have not begun, so that none waits for the last file. Tests that
# failed run once more, one after the other and with servers of their own; one that fails only once is named, and is a race to be
# found and mended. PANEL= leaves the panel's JavaScript out, for who has just run `make panel`.
test: $(VENV)/installed-test browser $(if $(PANEL),panel-tools)
	@$(begin_checks); \
	{ $(if $(PANEL),$(panel_checks),true); } >$(VENV)/panel.log 2>&1 & panel=$$!; \
	check $(BIN)/ruff check .; \
	check $(BIN)/ruff format --check .; \
	$(BIN)/mypy >$(VENV)/mypy.log 2>&1 & types=$$!; \
	check $(BIN)/pytest $(WORKERS) $(DURATIONS) $(PYTEST_ARGS) $(UNIT_TESTS); \
	wait $$types || failed="$$failed mypy"; echo "== mypy"; cat $(VENV)/mypy.log; \
	wait $$panel || failed="$$failed panel"; cat $(VENV)/panel.log; \
	echo "== browser tests"; browser="$(BIN)/pytest -o cache_dir=.pytest_cache/browser tests/browser"; \
	$$browser $(WORKERS) $(DURATIONS) $(PYTEST_ARGS) || if [ -n "$(strip $(PYTEST_ARGS))" ]; then failed="$$failed browser"; else \
	  echo "== THESE FAILED ONCE and run again; what passes now has a race"; \
	  check $$browser --last-failed --last-failed-no-failures none; \
	fi; \
	if [ -n "$$failed" ]; then echo "== FAILED:$$failed" >&2; exit 1; fi; \
	echo "== all is well"

quick: $(VENV)/installed-test
	@exec $(BIN)/python -m tools.quick $(SINCE)

# What looks at the panel's JavaScript, and needs Node; without it that is said, and nothing is looked at.
panel: panel-tools
	@$(begin_checks); $(panel_checks)

# What only other processes run (long work, killed servers) is not counted, nor what only a browser reaches.
coverage: $(VENV)/installed-test
	@exec $(BIN)/pytest $(WORKERS) -q --cov --cov-report=term --cov-report=json:.coverage.json $(PYTEST_ARGS) $(UNIT_TESTS)

site: $(VENV)/installed-test
	@$(BIN)/python -m sphinx -W -q -c tools/site -d build/doctrees . build/site && echo "The site begins at build/site/index.html."

pictures: $(VENV)/installed-test browser
	@exec $(BIN)/pytest -q tests/browser/stories/test_pictures.py --pictures docs/pictures

proofs: $(VENV)/installed-test
	@exec $(BIN)/python -m tests.training.proofs

bench: $(VENV)/installed-test browser
	@exec $(BIN)/python -m benchmarks

# Torch keeps its version here: its builds differ by machine, and the newest one brings gigabytes for graphics cards.
newest:
	@grep '^torch==' constraints.txt >.torch-version
	@$(MAKE) --no-print-directory VENV=$(NEWEST) CONSTRAINTS=.torch-version models
	@$(MAKE) --no-print-directory VENV=$(NEWEST) CONSTRAINTS=.torch-version test && tested=0 || tested=1; \
	echo "== newer (+) than in constraints.txt (-)"; \
	$(call versions,$(NEWEST)) | diff -U0 constraints.txt - | grep '^[-+][a-zA-Z]' || echo "nothing"; \
	rm -f .torch-version; exit $$tested

constraints:
	@[ -x $(NEWEST)/bin/python ] || { echo "Run 'make newest' first: what it installed and tried is written down." >&2; exit 1; }
	@$(call versions,$(NEWEST)) >.constraints.txt && mv .constraints.txt constraints.txt

# $(call versions,environment): what is installed there, a line each, and the same on every machine. Ray and the window, which
# are tried by hand, keep their versions.
versions = { sed '/^[^\#]/,$$d' constraints.txt; { grep -E '^(ray|msgpack|bottle|proxy_tools|PyQt6[A-Za-z0-9_-]*|pywebview|QtPy)==' constraints.txt; \
  $(1)/bin/python -m pip freeze --exclude-editable | sed -n 's/^\([A-Za-z0-9._-]*==[^ +]*\).*/\1/p'; } | LC_ALL=C sort -fu; }

clean:
	rm -rf $(NEWEST) $(VENV) $(PANEL_TOOLS)/node_modules $(PANEL_TOOLS)/install.log build dist .coverage .coverage.json .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# A stamp is older than pyproject.toml or constraints.txt when the dependencies may have changed; only then is anything installed.
$(VENV)/installed-run: pyproject.toml constraints.txt | $(BIN)/python
	@$(call install,-e .)
	@touch $@

$(VENV)/installed-test: pyproject.toml constraints.txt | $(BIN)/python
	@$(call install,-e ".[test$(comma)chinese-words]")
	@touch $(VENV)/installed-run $@

# torch by itself first: asked for by its version alone it comes as the CPU build where one is at hand, without CUDA's packages.
models: $(BIN)/python
	@$(call install,torch)
	@$(call install,-e ".[models]")

# Runs when there is no .venv: takes the first Python that is new enough and has the venv module.
$(BIN)/python:
	@found=; for python in $(or $(PYTHON),python3 python3.13 python3.12 python3.11 python3.14 python); do \
	  if "$$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then found=$$python; break; fi; \
	done; \
	if [ -z "$$found" ]; then \
	  echo "Python 3.11 or newer is missing$(if $(PYTHON), ($(PYTHON) is not it)): install it (Debian: apt-get install python3 python3-venv) or name one with 'make PYTHON=/path/to/python3.11 ...'." >&2; \
	  exit 1; \
	fi; \
	if ! "$$found" -c 'import ensurepip, venv' >/dev/null 2>&1; then \
	  echo "The venv module of $$found is missing: install it (Debian: apt-get install python3-venv) and repeat the command." >&2; \
	  exit 1; \
	fi; \
	echo "Making $(VENV) with $$("$$found" --version 2>&1)."; \
	"$$found" -m venv $(VENV) || { rm -rf $(VENV); exit 1; }

# $(call install,what): pip's own words go to a file; the person reads one sentence. Python compiles what is imported when it is
# imported first, which is a small part.
define install
echo "Installing into $(VENV) (a few minutes the first time) ..."; \
if ! $(BIN)/python -m pip install --no-compile --disable-pip-version-check --retries 1 --timeout 15 -c $(CONSTRAINTS) $(1) >$(LOG) 2>&1; then \
  if grep -qiE 'connection|resol|timed out|timeout|ssl|proxy|retries|network is unreachable' $(LOG); then \
    echo "The packages could not be downloaded: check the network (and pip's own settings) and repeat the command; $(LOG) has the details." >&2; \
  else \
    echo "The packages could not be installed; the end of $(LOG) says why." >&2; \
  fi; \
  exit 1; \
fi
endef

# Debian's chromium if it is there, else Playwright's own, else the browser tests skip themselves, and say so.
browser: $(VENV)/installed-test
	@for path in "$$CHROMIUM" /usr/bin/chromium-headless-shell /usr/bin/chromium /usr/bin/chromium-browser; do \
	  if [ -x "$$path" ]; then exit 0; fi; \
	done; \
	if ls -d "$${PLAYWRIGHT_BROWSERS_PATH:-$$HOME/.cache/ms-playwright}"/chromium* >/dev/null 2>&1; then exit 0; fi; \
	echo "No Chromium here; trying to download Playwright's ..."; \
	if $(BIN)/playwright install chromium >$(VENV)/browser.log 2>&1; then exit 0; fi; \
	if [ "$$ANNOTATOR_REQUIRE_BROWSER" = 1 ]; then \
	  echo "A browser is missing and ANNOTATOR_REQUIRE_BROWSER is 1: install one (Debian: apt-get install chromium)." >&2; \
	  exit 1; \
	fi; \
	echo "******** NO BROWSER: the browser tests will be SKIPPED. Install one (Debian: apt-get install chromium). ********" >&2

# Only what checks the panel's JavaScript needs Node; the program itself does not. Debian 12's is new enough.
has_node = node -e 'const [a, b] = process.versions.node.split("."); process.exit(a > 18 || (a == 18 && b >= 18) ? 0 : 1)' >/dev/null 2>&1 && npm --version >/dev/null 2>&1

begin_checks = failed=; check() { echo "== $$*"; "$$@" || failed="$$failed $$(basename "$$1")"; }

define panel_checks
if $(has_node); then \
check $(PANEL_BIN)/eslint --config $(PANEL_TOOLS)/eslint.config.js annotator/web/panel tests/panel; \
check $(PANEL_BIN)/prettier --config $(PANEL_TOOLS)/prettier.config.js --check "annotator/web/panel/**/*.js" "tests/panel/*.mjs"; \
check $(PANEL_BIN)/tsc -p $(PANEL_TOOLS); \
check node --test $(wildcard tests/panel/*.test.mjs); \
fi; [ -z "$$failed" ]
endef

panel-tools:
	@if $(has_node); then $(MAKE) --no-print-directory -s $(PANEL_TOOLS)/node_modules/installed; \
	elif [ "$$ANNOTATOR_REQUIRE_NODE" = 1 ]; then \
	  echo "Node 18.18 or newer, or its npm, is missing and ANNOTATOR_REQUIRE_NODE is 1: install them (Debian: apt-get install nodejs npm)." >&2; \
	  exit 1; \
	else \
	  echo "******** NO NODE: the panel's JavaScript will NOT BE CHECKED. Install Node 18.18 or newer (Debian: apt-get install nodejs npm). ********" >&2; \
	fi

# npm begins by taking the folder away, and the stamp with it, so that a stamp never speaks of half an installation.
$(PANEL_TOOLS)/node_modules/installed: $(PANEL_TOOLS)/package.json $(PANEL_TOOLS)/package-lock.json
	@echo "Installing into $(PANEL_TOOLS)/node_modules ..."
	@if ! npm ci --prefix $(PANEL_TOOLS) --no-audit --no-fund >$(PANEL_TOOLS)/install.log 2>&1; then \
	  echo "The tools that check the panel's JavaScript could not be installed: check the network (and npm's own settings) and repeat the command; $(PANEL_TOOLS)/install.log has the details." >&2; \
	  exit 1; \
	fi
	@touch $@
