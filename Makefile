# SPDX-License-Identifier: Apache-2.0
# The commands a newcomer would guess; meson and ninja do the work.

PREFIX ?= /usr/local
DESTDIR ?=
SOAK_SECONDS ?= 600
FUZZ_SECONDS ?= 600

.DEFAULT_GOAL := build

.PHONY: help
help: ## List these commands
	@awk -F':.*## ' '/^[a-z-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: setup
setup: ## Install what is missing to build, test and verify (Debian 12)
	@tools/setup.sh verify

# A warning stops the build with the compiler that the house is checked with; others warn of more.
STRICT ?= $(if $(filter 12,$(shell $(CC) -dumpversion 2>/dev/null)),--werror)

# Programs alone at first: they take a third of the time. 'make test' adds the tests.
build/build.ninja:
	meson setup build $(STRICT) -Dtests=false

# Sanitizers need a build of their own; it also counts coverage, so no third one is needed. Threads
# count at once: without atomic counters some come out negative, and gcovr gives up.
build-asan/build.ninja:
	meson setup build-asan --buildtype=debug -Doptimization=1 -Db_lundef=false \
		-Db_sanitize=address,undefined -Db_coverage=true -Dc_args=-fprofile-update=atomic

# tools/run_tests.sh builds only the tests of threaded code here.
build-tsan/build.ninja:
	meson setup build-tsan --buildtype=debug -Doptimization=1 -Db_lundef=false -Db_sanitize=thread

build-fuzz/build.ninja:
	CC=clang meson setup build-fuzz -Db_lundef=false -Db_sanitize=address,undefined \
		-Dtests=false -Dfuzz=true

.PHONY: build
build: build/build.ninja ## Build build/neuron-explorer, build/neuron-profile and build/lib/libnrt.so.1 (the default)
	@ninja -C build
	@if [ -x build/cli/neuron-explorer ]; then ln -sfn cli/neuron-explorer build/neuron-explorer; fi
	@ln -sfn neuron-explorer build/neuron-profile
	@mkdir -p build/lib && ln -sfn ../runtime/nrt/libnrt.so.1 build/lib/libnrt.so.1
	@ln -sfn ../runtime/profiler/libnxprofiler.so.1 build/lib/libnxprofiler.so.1
	@ln -sfn ../runtime/service/libnxservice.so.1 build/lib/libnxservice.so.1

.PHONY: duckdb
duckdb: build/build.ninja ## Fetch the DuckDB library, should the build not have got it
	@query/fetch_duckdb.sh build/lib/neuron-explorer

.PHONY: ui
ui: build/build.ninja ## Build the web pages, should the build have gone on without them
	@meson configure build -Dui=enabled
	@$(MAKE) --no-print-directory build

.PHONY: ui-types
ui-types: build/build.ninja ## Write the pages' types of the API from its description
	@ninja -C build tests/ui/print_api
	@build/tests/ui/print_api | node ui/make_types.mjs >ui/src/api/types.ts

.PHONY: build-asan
build-asan: build-asan/build.ninja
	@ninja -C build-asan

.PHONY: build-fuzz
build-fuzz: build-fuzz/build.ninja
	@ninja -C build-fuzz fuzz

.PHONY: build-tests
build-tests: build/build.ninja
	@meson configure build -Dtests=true
	@$(MAKE) --no-print-directory build

.PHONY: run
run: ## Install what is missing, build, make demo captures and serve them at http://localhost:3001
	@started=$$(date +%s) && tools/setup.sh build && $(MAKE) --no-print-directory build && \
		STARTED=$$started tools/run_demo.sh $(RUN_OPTIONS)

.PHONY: test
test: ## Install what is missing, build and run all tests
	@tools/setup.sh test
	@MAKE="$(MAKE)" tools/run_tests.sh test

.PHONY: verify
verify: ## Run the tests under sanitizers, measure coverage, fuzz for a minute, check the sources
	@tools/setup.sh verify
	@MAKE="$(MAKE)" tools/run_tests.sh verify

.PHONY: test-scale
test-scale: build-tests ## Test ClickHouse and InfluxDB alone, also the current ClickHouse (fetches 178 MB)
	@SCALE_CHDB=1 meson test -C build --no-rebuild --print-errorlogs --verbose scale

.PHONY: check check-layers check-format check-ui check-warnings check-tidy
check: check-layers check-format check-ui check-warnings check-tidy ## Check layers, format, pages, warnings (gcc, clang), clang-tidy

check-ui: build
	@meson test -C build --no-rebuild --print-errorlogs ui/lint ui/types

check-layers:
	@tools/check_layers.py
	@tools/check_paths.py

check-format:
	@tools/check_sources.py format

# A strict build has seen gcc's warnings already.
check-warnings: build-tests
	@tools/check_sources.py warnings build

# Asking ninja for its own file brings compile_commands.json up to date.
check-tidy: build/build.ninja
	@meson configure build -Dtests=true
	@ninja -C build build.ninja >/dev/null
	@tools/check_sources.py tidy build

.PHONY: format
format: ## Lay out all C files as .clang-format says
	@find . \( -name 'build*' -o -name '.git' -o -name node_modules -o -name third_party \) -prune \
		-o -name '*.[ch]' -print0 | xargs -0 clang-format -i

.PHONY: fuzz
fuzz: build build-fuzz ## Fuzz every target for FUZZ_SECONDS (600)
	@tools/run_fuzz.sh build-fuzz $(FUZZ_SECONDS) build/tests/make_capture

.PHONY: bench
bench: build-tests ## Measure speed and memory
	@if [ ! -x tests/bench/run.sh ]; then echo "make bench: tests/bench/run.sh is not there"; exit 1; fi
	@tests/bench/run.sh

.PHONY: soak
soak: build-tests ## Record two programs under load for SOAK_SECONDS (600): nothing lost, memory flat
	@tests/bench/soak.py build $(SOAK_SECONDS)

.PHONY: install
install: build ## Install below PREFIX (/usr/local), staged into DESTDIR if set
	@meson configure build --prefix '$(abspath $(PREFIX))'
	@meson install -C build $(if $(DESTDIR),--destdir '$(abspath $(DESTDIR))')

.PHONY: uninstall
uninstall: build ## Remove what install put below PREFIX and DESTDIR
	@meson configure build --prefix '$(abspath $(PREFIX))'
	@tools/uninstall.sh build '$(if $(DESTDIR),$(abspath $(DESTDIR)))'

.PHONY: generated
generated: build ## Write man pages and completions as the program prints them
	@for page in $$(build/neuron-explorer --print-man); do \
		build/neuron-explorer --print-man $$page >docs/man/$$page.1 || exit 1; done
	@build/neuron-explorer --print-completion bash >cli/completion/neuron-explorer.bash
	@build/neuron-explorer --print-completion zsh >cli/completion/_neuron-explorer
	@build/neuron-explorer --print-completion fish >cli/completion/neuron-explorer.fish

.PHONY: clean
clean: ## Remove everything that was built
	rm -rf build build-asan build-tsan build-fuzz
