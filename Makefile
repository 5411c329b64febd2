# The targets that people call; "make" alone lists them.
GO ?= go
PREFIX ?= /usr/local
FUZZTIME ?= 20s
SOAK_TIME ?= 10m
SOAK_SEED ?= 0
SOAK_ONLY ?=
SOAK_CASES ?= 0

WRAPPERS := ampicxx ampic++ ampif77 ampif90 ampifort
TEST_TIMEOUT := 40m # a bound for what hangs, also on a slow machine

# Go's build cache does not look at headers outside of a package's own folder: a change of one changes the flags.
HEADERS := $(shell cat isomalloc/*.h vrank/*/*.h ampi/*.h ampi/*/*.h codeseg/*.h shim/*.h shim/include/*.h | cksum | cut -d ' ' -f 1)
export CGO_CFLAGS := -O2 -g -DAMPIRUN_HEADERS=$(HEADERS)

.DEFAULT_GOAL := help
.PHONY: help deps compilers build demo test test-long test-systems dist lint check bench fuzz soak install clean

help: ## list the targets
	@echo "make TARGET [PREFIX=/usr/local] [DESTDIR=] [FUZZTIME=20s] [SOAK_TIME=10m] [SOAK_SEED=N]"
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 14 | sed 's/^/  /'

deps: ## install what is missing to build and test: compilers, make, cmake, binutils (apt-get)
	@scripts/deps test

compilers:
	@scripts/deps

build: compilers ## build bin/ampirun and bin/ampicc with its links
	@$(GO) build $(if $(LINKFLAGS),-ldflags "$(LINKFLAGS)") -o bin/ampirun ./cmd/ampirun
	@$(GO) build -o bin/ampicc ./cmd/ampicc
	@for name in $(WRAPPERS); do ln -sf ampicc bin/$$name; done

demo: build ## run examples/legacy-mpi as 256 ranks in two processes and show what happens
	@scripts/demo

test: deps ## run all tests
	$(GO) vet ./...
	$(GO) test -timeout $(TEST_TIMEOUT) ./...

lint: compilers ## formatting, go vet, staticcheck, deadcode, C compiled with warnings as errors
	@scripts/lint

check: lint build ## lint; generated files and docs are what the sources make of them
	$(GO) generate ./...
	bin/ampirun --docs-options > docs/options.md
	bin/ampirun --docs-variables > docs/variables.md
	@scripts/clean-tree
	@scripts/docs-links

test-long: deps ## the tests of whole jobs once more, with all that is random repeated and all ways tried
	$(GO) test -timeout 2h ./conformance -args -long

test-systems: ## build and test in clean roots of Debian 11 to sid, as root; writes docs/systems.md
	@scripts/deps systems
	@scripts/systems

dist: ## an archive that runs on all supported systems, in build/bullseye; as root
	@scripts/deps systems
	@scripts/dist

bench: build ## print "name value unit" lines, with mpich beside us where it is installed
	@$(GO) run ./bench

fuzz: compilers ## run each fuzz target for FUZZTIME
	@scripts/fuzz $(FUZZTIME)

soak: build ## attack at random for SOAK_TIME: kills, moves, spoiled files, deadlocks (docs/testing.md)
	@$(GO) run ./soak -time "$(SOAK_TIME)" -seed "$(SOAK_SEED)" -only "$(SOAK_ONLY)" -cases "$(SOAK_CASES)"

install: build ## copy ampirun and the wrappers to $(DESTDIR)$(PREFIX)/bin
	install -d "$(DESTDIR)$(PREFIX)/bin"
	install bin/ampirun bin/ampicc "$(DESTDIR)$(PREFIX)/bin"
	for name in $(WRAPPERS); do ln -sf ampicc "$(DESTDIR)$(PREFIX)/bin/$$name"; done

clean: ## remove bin and build
	$(RM) -r bin build
