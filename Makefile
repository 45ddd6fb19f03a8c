# Builds, tests and installs Apollo for SCIP. Why a Makefile: cargo builds the code, but somebody
# has to fetch libscip and ONNX Runtime first, and to put the results where they belong.
#
# Settings (make NAME=value, or the environment):
#   SCIPOPTDIR       your own SCIP 10 (lib/libscip.so in it) instead of the fetched one
#   ORT_DYLIB_PATH   your own ONNX Runtime library instead of the fetched one
#   PREFIX, DESTDIR  where `make install` puts things
PYTHON ?= python3
CARGO ?= cargo
PREFIX ?= /usr/local
DESTDIR ?=

ifeq ($(shell uname -s),Darwin)
PLUGIN := libheur_apollo.dylib
else
PLUGIN := libheur_apollo.so
endif

# The results are always in target/, and what is set above reaches cargo and tools/fetch.py.
export CARGO_TARGET_DIR := $(CURDIR)/target
ifdef SCIPOPTDIR
export SCIPOPTDIR
endif
ifdef ORT_DYLIB_PATH
export ORT_DYLIB_PATH
endif
# RUSTFLAGS hides the flags in .cargo/config.toml: say again the one that the plugin needs.
ifneq ($(origin RUSTFLAGS),undefined)
override RUSTFLAGS += -C relro-level=partial
export RUSTFLAGS
endif

.PHONY: help fetch build demo test smoke lint install uninstall build-system-scip clean distclean

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-18s %s\n", $$1, $$2 }' Makefile

fetch: ## fetch libscip and ONNX Runtime into .deps/ (once)
	@$(PYTHON) tools/fetch.py

# Two commands: in one, the plugin would be built with everything the command line tool needs.
build: fetch ## build target/release/apollo and the plugin target/release/libheur_apollo.so
	$(CARGO) build --release --locked
	$(CARGO) build --release --locked -p apollo-scip-plugin
	@cp -f "target/release/$(PLUGIN)" plugin/python/apollo_scip/ # for `pip install plugin/python`

demo: build ## solve a small example with and without Apollo, into demo/
	target/release/apollo demo --out demo

test: build ## build, then run all tests, also those inside Python
	@$(PYTHON) tools/fetch.py --python
	APOLLO_PLUGIN="$(CURDIR)/target/release/$(PLUGIN)" \
	APOLLO_PYTHON="$(CURDIR)/.deps/python/bin/python" \
	$(CARGO) test --release --locked

smoke: build ## measure the smallest suite, into apollo-bench/smoke (two minutes)
	rm -rf apollo-bench/smoke
	target/release/apollo bench bench/smoke.toml

# The plugin by itself, too: without the command line tool other code is unused.
lint: ## formatting, clippy and documentation without a single warning, figures as they were measured
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets --locked -- -D warnings
	$(CARGO) clippy --package apollo-scip-plugin --locked -- -D warnings
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --no-deps --locked
	$(PYTHON) tools/tables.py --check

# Run `make build` first: this only copies, so that `sudo make install` starts no compiler.
install: ## copy what `make build` made to PREFIX (/usr/local); DESTDIR is respected
	@test -f target/release/apollo && test -f "target/release/$(PLUGIN)" || \
		{ echo "nothing to install yet: run make build" >&2; exit 1; }
	set -e; to="$(DESTDIR)$(PREFIX)"; \
	install -d "$$to/bin" "$$to/lib/apollo" "$$to/include" "$$to/share/apollo/settings"; \
	install -m 755 target/release/apollo "$$to/bin/"; \
	install -m 755 "target/release/$(PLUGIN)" "$$to/lib/"; \
	install -m 644 plugin/include/heur_apollo.h "$$to/include/"; \
	install -m 644 scip_settings/*.set "$$to/share/apollo/settings/"; \
	if [ -d models ]; then rm -rf "$$to/share/apollo/models"; \
		cp -R models "$$to/share/apollo/models"; fi; \
	install -d "$$to/share/apollo/python/apollo_scip"; \
	install -m 644 plugin/python/apollo_scip/*.py "$$to/share/apollo/python/apollo_scip/"; \
	if [ -z "$$SCIPOPTDIR" ]; then cp -RPf .deps/scip/lib/. "$$to/lib/apollo/"; fi; \
	if [ -z "$$ORT_DYLIB_PATH" ]; then cp -RPf .deps/onnxruntime/lib/. "$$to/lib/apollo/"; fi

uninstall: ## remove what `make install` put there
	set -e; to="$(DESTDIR)$(PREFIX)"; \
	rm -f "$$to/bin/apollo" "$$to/lib/$(PLUGIN)" "$$to/include/heur_apollo.h"; \
	rm -rf "$$to/lib/apollo" "$$to/share/apollo"

# Started in /, because cargo reads .cargo/config.toml from the current folder, and with the
# DOCS_RS set there scip-sys would ignore the headers. Only the command line tool: scip-sys then
# links libscip, which the plugin must not.
build-system-scip: ## build the CLI with bindings from the headers of your SCIPOPTDIR (needs libclang)
	@test -f "$$SCIPOPTDIR/include/scip/scip.h" || \
		{ echo "set SCIPOPTDIR to a SCIP 10 with include/scip/scip.h and lib/libscip" >&2; exit 1; }
	SCIPOPTDIR="$$(cd "$$SCIPOPTDIR" && pwd)" && export SCIPOPTDIR && cd / && \
	$(CARGO) build --release --locked --manifest-path "$(CURDIR)/Cargo.toml" \
		--features system-scip --target-dir "$(CURDIR)/target/system-scip"

clean: ## remove what was built
	rm -rf target demo plugin/python/apollo_scip/libheur_apollo.*

distclean: clean ## also remove what was fetched
	rm -rf .deps
