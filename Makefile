# One command set; CI calls the same targets. `make help` lists them.
SHELL := /bin/bash
export GOEXPERIMENT := simd
export GOFLAGS := -buildvcs=false
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
LDFLAGS := -s -w -X main.version=$(VERSION)
GO_SOURCES := $(shell find . -name '*.go' -not -path './frontend/node_modules/*' -not -path './.cache/*')
TOOLS := .cache/bin
GOLANGCI := $(TOOLS)/golangci-lint
GOLANGCI_VERSION := v2.15.0
FUZZTIME ?= 30s

.PHONY: help demo test setup setup-test build desktop dev lint race fuzz bench accept generate verify clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 14

demo: setup bin/ibid ## set up, then plan, apply, search and ask over docs/
	@scripts/demo.sh

test: setup-test bin/ibid ## set up, then all tests
	@scripts/test.sh

setup: ## models and frontend
	@scripts/models.sh
	@scripts/frontend.sh

setup-test: setup ## what only the tests need
	@scripts/test-setup.sh

build: bin/ibid ## bin/ibid: command line and server

bin/ibid: $(GO_SOURCES) go.mod go.sum $(wildcard frontend/dist/index.html)
	go build -trimpath -ldflags '$(LDFLAGS)' -o $@ .

desktop: setup ## bin/ibid-desktop: the same with a window
	@VERSION='$(VERSION)' scripts/desktop.sh

dev: setup ## rebuild on demand, frontend with hot reload on top of a server
	@scripts/dev.sh

lint: $(GOLANGCI) ## golangci-lint: style and the directions between rooms
	$(GOLANGCI) run ./...

$(GOLANGCI): Makefile
	GOEXPERIMENT= GOBIN=$(CURDIR)/$(TOOLS) go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_VERSION)
	@touch $@

race: ## tests under the race detector
	go test -race -short ./...

fuzz: ## every fuzz target for FUZZTIME
	@scripts/fuzz.sh $(FUZZTIME)

bench: setup bin/ibid ## side by side with named references, as ratios
	@bench/run.sh

accept: setup-test bin/ibid ## the long campaigns
	@scripts/accept.sh

generate: ## rewrite generated files
	go generate ./...

verify: generate ## generated files and go.mod are as committed
	go mod tidy
	git diff --exit-code

clean: ## remove what was built; models stay
	rm -rf bin .cache/demo frontend/dist/assets frontend/dist/index.html
