# Everything here works offline but the Go module proxy and apt. Start with: make demo, make test.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c

# The Podman bindings pull in C libraries for things that a client never does; these tags leave them out. They hold for
# every go command, so they stand here once. buildvcs=false: git refuses a tree that another user owns.
TAGS := containers_image_openpgp,remote,exclude_graphdriver_btrfs,exclude_graphdriver_devicemapper,exclude_graphdriver_overlay
export GOFLAGS := -buildvcs=false -tags=$(TAGS)

VERSION := $(shell git describe --always --dirty --tags 2>/dev/null || echo unknown)
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
GOTESTSUM := gotest.tools/gotestsum@v1.13.0
ENGINE ?= unix:///var/run/docker.sock
# What the checks look at.
PKGS ?= ./...

# The binary that the smokes run. To Fairlead itself FAIRLEAD_… is configuration and FAIRLEAD_TEST_… an unknown key, so
# whoever starts it takes these out of its environment.
export FAIRLEAD_TEST_BIN := $(CURDIR)/bin/fairlead

# In the recipe, so that a failing list fails the target and does not leave go test with nothing to do.
UNIT = packages=$$(go list ./... | grep -v /integration)
# RUN=TestName chooses among the smokes, ENGINES="docker rootless" among the engines. Engines and machines have hiccups:
# a smoke that fails gets one more try, and the report at the end names it; one that fails twice fails the run.
SMOKE = scripts/engines.sh each go run $(GOTESTSUM) --format standard-quiet --rerun-fails=1 \
	--rerun-fails-max-failures=5 --rerun-fails-run-root-test --packages ./integration/... -- -count=1 -timeout 15m -run '$(RUN)'

# The machine's cores are the compiler's; steps that fail should fail one by one.
.NOTPARALLEL:
.PHONY: build demo demo-image image test unit race smoke check fmt vet staticcheck goflags engines env clean help

build: ## bin/fairlead, one static binary
	CGO_ENABLED=0 go build -trimpath -ldflags "-s -w -X main.version=$(VERSION)" -o bin/fairlead .

demo: ## start Fairlead in front of three demo apps, on the engine that is there or on a new Podman
	scripts/demo.sh

demo-image: ## build the demo app's images on ENGINE
	go run ./integration/image/cmd -engine $(ENGINE)

image: build ## build Fairlead's own image on ENGINE
	scripts/image.sh $(ENGINE)

test: check build ## everything: checks, unit tests, smokes on Docker, Podman and rootless Podman (root)
	scripts/engines.sh run $(MAKE) --no-print-directory race simulate smoke-here

unit: ## unit tests alone; needs no engine
	$(UNIT); go test $$packages

# The packages whose tests live in testing/synctest. All timers of a bubble share one context of the race detector, and two
# threads that fire them at once crash it (golang/go#78156); on one processor they cannot, and a race is seen there just
# as well.
BUBBLES = $$(grep -rl '"testing/synctest"' --include='*_test.go' . | xargs -n1 dirname | sort -u | grep -v /integration)

race: ## unit tests with the race detector (needs gcc); engine contracts run where env names an engine
	bubbles=$$(go list $(BUBBLES)) && others=$$(go list ./... | grep -v /integration | grep -vxF "$$bubbles") && \
		CGO_ENABLED=1 go test -race -count=1 -timeout 15m $$others && \
		CGO_ENABLED=1 go test -race -count=1 -timeout 15m -cpu 1 $$bubbles

.PHONY: simulate soak
simulate: ## 10,000 random scripts against the truth, without the race detector, which makes each many times as long
	go test -count=1 ./liveness/simulation

SCRIPTS ?= 1000000
soak: ## SCRIPTS random scripts that nobody has played before, until one fails
	FAIRLEAD_SCRIPTS=$(SCRIPTS) FAIRLEAD_SEED=$$(date +%s%N) go test -count=1 -timeout 0 -run TestScripts ./liveness/simulation

smoke: build ## the smokes alone, on the three engines (root)
	scripts/engines.sh run $(MAKE) --no-print-directory smoke-here

.PHONY: smoke-here
smoke-here: # in an environment that names the engines
	$(SMOKE)

.PHONY: bench
bench: build ## figures beside nginx, haproxy and caddy, on Docker and on what env names
	scripts/packages.sh haproxy nginx-light libnginx-mod-stream wrk nghttp2-client
	go run ./bench/http -write
	go run ./bench/l4 -write
	go run ./bench/recovery -write
	go run ./bench/figures -write

check: fmt vet staticcheck ## what needs no running

fmt: ## fails when a file is not as gofmt writes it
	@unformatted=$$(gofmt -l .); if [ -n "$$unformatted" ]; then echo "gofmt -w" $$unformatted; exit 1; fi

vet:
	go vet $(PKGS)

staticcheck:
	go run $(STATICCHECK) $(PKGS)

goflags: ## print what to export for go commands by hand
	@echo 'export GOFLAGS="$(GOFLAGS)"'

engines: ## set up and start the engines for the tests (root)
	scripts/engines.sh start

env: goflags ## print the environment of the tests, for eval
	@scripts/engines.sh env

clean: ## remove what make and the tests made; scripts/engines.sh stop ends the engines
	rm -rf bin build .demo
	-scripts/engines.sh clean

help:
	@sed -nE 's/^([a-z-]+):.*## (.*)/\1\t\2/p' Makefile | expand -t 14
