# octopus: all that a newcomer needs is Go and make.

GO ?= go

# The modules that go.work joins: a new one is a line there. The lab is not among them, see lab-test.
MODULES := $(shell awk '$$1 ~ /^\./ {print $$1}' go.work)

# The modules whose tests start MariaDB, PostgreSQL, Kafka and collectors.
SERVERS = ./nerve/sqllog ./nerve/kafkalog ./nerve/nervestorage ./nerve/nervecollector ./cmd/nerve

.DEFAULT_GOAL := help

help: ## Show what there is to make
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-15s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: ## Build the commands into bin/
	@mkdir -p bin
	$(GO) build -tags arrow -o bin/ ./cmd/... ./cmd/nerve

ASK = bin/nerve query demo/log --proto examples/deposits/shop/v1/deposit.proto --type shop.v1.Deposit

# Each step says what it shows and builds what it needs itself, the small parts first: the first result is there before the
# databases' drivers, CEL and gRPC are downloaded.
demo: ## Generate code, write and read a million events, read a real profile
	@mkdir -p bin
	@echo "== 1 of 8, gremlin generate: .proto in, Go out"
	@$(GO) build -o bin/ ./cmd/gremlin
	cd examples/deposits && ../../bin/gremlin generate
	cd examples/pproftop && ../../bin/gremlin generate
	@echo
	@echo "== 2 of 8, what did each user deposit? (examples/deposits)"
	@$(GO) build -o bin/ ./examples/deposits
	bin/deposits
	@echo
	@echo "== 3 of 8, two of the events as JSON, straight from their bytes (examples/deposits -json)"
	bin/deposits -json 2
	@echo
	@echo "== 4 of 8, the same through a queue, with a death in the middle (examples/deposits -queue, package nerve)"
	@rm -rf demo && mkdir demo
	bin/deposits -queue demo -stop-after 450000 || true
	bin/deposits -queue demo
	@echo
	@echo "== 5 of 8, where does the Go compiler spend its time? (examples/pproftop)"
	$(GO) run ./examples/pproftop
	@echo
	@echo "== 6 of 8, which chain of calls led to the failure? (examples/chains, functrace)"
	@$(GO) build -o bin/ ./cmd/functrace
	bin/functrace run -o demo/chains.functrace --args ./examples/chains || true
	bin/functrace report --func D demo/chains.functrace
	@echo
	@echo "== 7 of 8, what did each user deposit? One command over the queue (nerve query), checked against the program;"
	@echo "           and its page for 3 seconds, which make serve-demo keeps (nerve serve)"
	@$(GO) build -o bin/ ./cmd/nerve ./nerve/serve/internal/demo
	$(ASK) 'sum(amount), count() by user.id order -sum limit 3' --format table
	$(ASK) 'sum(amount) by user.id' --format csv | bin/deposits -queue demo -compare
	@rm -rf demo
	bin/demo -listen 127.0.0.1:0 -for 3s
	@echo
	@echo "== 8 of 8, orders over gRPC and with JSON, into a queue and out of it (examples/shop)"
	$(GO) run ./examples/shop

generate: build ## Generate all code that is checked in
	$(GO) run ./internal/wktgen gremlin
	@for c in examples/*/gremlin.yaml internal/trace/report/gremlin.yaml nerve/work/gremlin.yaml nerve/envelope/gremlin.yaml gremlin/gremlingrpc/gremlin.yaml gremlin/gremlinconnect/gremlin.yaml; do (cd $$(dirname $$c) && $(CURDIR)/bin/gremlin generate --prune) || exit 1; done

conformance-code: ## Generate the code of conformance's schemas, ours and protobuf-go's, which is not checked in
	@mkdir -p bin
	@$(GO) build -o bin/ ./cmd/gremlin
	@for c in conformance/gremlin.yaml conformance/*/gremlin.yaml; do (cd $$(dirname $$c) && $(CURDIR)/bin/gremlin generate --prune >/dev/null) || exit 1; done
	@cd conformance && $(GO) run ./internal/pbgen

# What a target needs and does not find is named in a line, or an error where OCTOPUS_REQUIRE asks for it (internal/oracle).
missing = case ",$$OCTOPUS_REQUIRE," in *,all,*|*,$(1),*) echo "$(1): $(2)" >&2; exit 1;; *) echo "skipped: $(1): $(2)";; esac
each = @for m in $(MODULES); do echo "$(1): $$m"; (cd $$m && $(2)) || exit 1; done

check: vet short ## Before every commit: vet, the short tests, tidiness, fresh code

test: vet unit ## What everybody runs: every module's tests, the short ones of conformance

test-all: race full race-full variants conformance alone soak test-servers page-test lab-test ## The rest: variants, emulated machines, corpora, oracles, servers, the lab

vet: conformance-code ## Run go vet in every module
	$(call each,go vet,$(GO) vet ./...)

short: conformance-code ## Run the short tests of the modules that need no servers and no suites of others
	@for m in $(filter-out ./conformance/% ./examples/% $(SERVERS),$(MODULES)); do echo "go test -short: $$m"; (cd $$m && $(GO) test -short ./...) || exit 1; done

# What needs servers or runs the test suites of others takes long: it has targets of its own.
unit: conformance-code ## Run the tests of every module, the short ones of conformance
	@for m in $(filter-out ./conformance% $(SERVERS),$(MODULES)); do echo "go test: $$m"; (cd $$m && $(GO) test ./...) || exit 1; done
	cd conformance && $(GO) test -short ./...

full: conformance-code ## Run what compiles and reads much: the conformance module's tests, corpora and random schemas among them
	@for m in $(filter ./conformance%,$(MODULES)); do (cd $$m && $(GO) test -timeout 20m ./...) || exit 1; done

race: ## Run what goroutines share under the race detector
	cd gremlin && $(GO) test -short -race ./rt ./json/...
	cd gremlin/gremlingrpc && $(GO) test -short -race .
	$(GO) test -race -short ./nerve/... ./functrace/... ./internal/trace/...
	cd nerve/query && $(GO) test -race -short -run Workers .

race-full: conformance-code ## Run more under the race detector
	cd gremlin && $(GO) test -race ./...
	cd conformance && $(GO) test -race -short ./...
	@for m in $(filter-out . ./gremlin ./nerve ./functrace ./internal/trace ./conformance%,$(MODULES)); do (cd $$m && $(GO) test -race -short ./...) || exit 1; done

variants: conformance-code ## Test the runtimes without unsafe, on 32 bits, with pointer checks, on arm64 and a big-endian machine
	cd gremlin && $(GO) test -tags purego ./...
	cd gremlin && GOARCH=386 $(GO) test ./json/...
	cd gremlin && $(GO) test -gcflags=all=-d=checkptr ./json/...
	cd conformance && $(GO) test -short -tags purego ./...
	cd conformance && $(GO) test -tags protolegacy -run MessageSet .
	cd conformance && GOARCH=386 $(GO) test -short ./...
	cd conformance && $(GO) test -short -gcflags=all=-d=checkptr ./...
	cd gremlin && GOARCH=s390x $(GO) vet ./...
	@for os in darwin freebsd windows; do echo "go build: gremlin, nerve for $$os"; GOOS=$$os $(GO) build ./gremlin/... ./nerve/... ./frame || exit 1; done
	@if command -v qemu-s390x >/dev/null; then cd gremlin && GOARCH=s390x $(GO) test -exec qemu-s390x ./...; \
	else $(call missing,qemu,there is no qemu-s390x; vetted only); fi
	GREMLIN_GUARD=pages $(GO) test -short ./nerve/...
	cd gremlin/gremlingrpc && GREMLIN_GUARD=pages $(GO) test -short .
	$(GO) test -tags trace ./functrace ./functrace/httpdebug
	GOARCH=arm64 $(GO) vet ./functrace/inject/rt
	@if command -v qemu-aarch64 >/dev/null; then GOARCH=arm64 $(GO) test -exec qemu-aarch64 ./functrace/inject/rt ./internal/trace/report; \
	else $(call missing,qemu,there is no qemu-aarch64; vetted only); fi

conformance: conformance-code ## Run the official conformance suite (installs it under .tools with npm)
	@if command -v npm >/dev/null; then sh conformance/runner.sh && cd conformance && $(GO) test -count=1 -run TestOfficial -v .; \
	else $(call missing,runner,the official conformance suite comes from npm); fi

alone: ## Build and test what requires nothing as its users get it, without the workspace
	@for m in gremlin functrace; do (cd $$m && GOWORK=off $(GO) build ./... && GOWORK=off $(GO) test ./...) || exit 1; done

# Each finds the servers that are on the machine, and skips in a line where they are not.

test-servers: ## Run nerve's backends against real servers, and collectors with nerve in them
	@for m in $(filter $(SERVERS),$(MODULES)); do echo "go test: $$m"; (cd $$m && $(GO) test -tags arrow -count=1 ./...) || exit 1; done

# PAGE_SHOTS is a folder for screenshots of every screen.
page-test: ## Test nerve's page in Chromium, 30 s of 100,000 events a second among it
	cd nerve/serve && PAGE_TEST=1 PAGE_LONG=1 $(GO) test -count=1 ./internal/web

serve-demo: ## Serve queues with events that keep coming, and print the address of their page
	$(GO) run ./nerve/serve/internal/demo $(DEMO)

migrate-corpus: ## Replace gogo's code in public projects and run their tests (downloads them; PROJECTS=raft,thanos: only these)
	cd conformance/gogo && $(GO) test -count=1 -timeout 120m -v -run TestProjects . -projects $(or $(PROJECTS),all)

released: ## Pack the modules into a module proxy and try them from empty modules, as the guides say (KEEP=folder: only pack, there)
	$(GO) run ./internal/released $(if $(KEEP),-keep $(KEEP))
	$(if $(KEEP),$(MAKE) -s tools-typescript && typescript/packed.sh $(KEEP)/npm)

release: ## Tag all modules with VERSION=v0.2.0: a dry run in a copy, RUN=1 does it here; pushes nothing
	$(GO) run ./internal/released -release $(VERSION) $(if $(RUN),-tag)

tidy: ## Run go mod tidy in every module
	$(GO) run ./internal/released -tidy
	cd conformance && GOWORK=off $(GO) mod tidy
	cd lab && GOWORK=off $(GO) mod tidy

lab-test: lab-code ## Vet and test the lab, a workspace of its own (downloads every peer)
	cd lab && $(GO) vet ./... ./worker/... && $(GO) test ./...
	cd lab/rpc && GOWORK=off $(GO) vet ./... && GOWORK=off $(GO) test ./...
	cd lab/serve && GOWORK=off $(GO) vet ./...
	cd lab/collector && GOWORK=off $(GO) vet ./...
	cd lab/legacy && GOWORK=off $(GO) vet ./...
	cd lab/stdtime && GOWORK=off $(GO) vet ./...

soak: ## Run the queue at full speed for a minute: memory, files and disk must stay flat; crash, kill and damage it often
	$(GO) test ./nerve/seglog -run TestSoak -soak 1m -timeout 10m
	$(GO) test ./nerve/seglog -run 'TestCrashSimulation|TestKill|TestDamage|TestVerifyAndRepair' -seeds 20000 -kills 50 -damages 30 -timeout 20m

nerve-soak: ## Run the queue at full speed for ten minutes: memory, files and disk must stay flat
	$(GO) test ./nerve/seglog -run TestSoak -soak 10m -timeout 20m -v

nerve-direct: ## Test appends that bypass the cache: crashes, kills, all else that way, and (as root) on file systems that it mounts
	$(GO) test ./nerve/seglog -run TestCrashSimulation -seeds 50000 -v
	$(GO) test ./nerve/seglog -run TestKill -kills 200 -v
	$(GO) test ./nerve/seglog -direct
	$(GO) test ./nerve/seglog -run TestFileSystems -filesystems

lab-nerve: ## Compare nerve with its peers; writes lab/out/nerve.json (NERVE=-quick: in about a minute)
	cd lab && $(GO) run ./nerve -out out/nerve.json $(NERVE)

lab-query: build lab-code tools-query ## Compare nerve query with its peers; writes lab/out/query.json (QUERY=-quick: in about a minute)
	@mkdir -p lab/out
	cd lab && $(GO) run ./query -out out/query.json $(QUERY)

lab-compile: build tools ## Compare gremlin's compiler with protoc and buf, on googleapis (npm); writes lab/out/compile.json (COMPILE=-quick: in a minute)
	@mkdir -p lab/out
	cd lab && $(GO) run ./compile -out out/compile.json $(COMPILE)

lab-serve: lab-code ## Measure nerve serve and its client; writes lab/out/serve.json (SERVE=-quick: in a minute)
	@mkdir -p lab/out
	cd lab/serve && GOWORK=off $(GO) run . -out ../out/serve.json $(SERVE)

lab-rpc: lab-code ## Compare codecs over grpc-go, in 12 minutes; writes lab/out/rpc.json (RPC=-quick: in one minute)
	@mkdir -p lab/out
	cd lab/rpc && GOWORK=off $(GO) run . -out ../out/rpc.json $(RPC)

lab-frames: lab-code ## Whether messages are worth compressing, on real data, in half a minute; writes lab/out/frames.* (FRAMES=-quick)
	@mkdir -p lab/out
	cd lab && $(GO) run ./frames -out out $(FRAMES)

lab-stdtime: lab-code ## Times in messages, by many goroutines, and the shape of gogo beside gogofaster; writes lab/out/stdtime.json and dropin.json (STDTIME=-quick: in two minutes)
	@mkdir -p lab/out
	cd lab/stdtime && GOWORK=off $(GO) run . -out ../out/stdtime.json $(STDTIME)
	cd lab && $(GO) run ./cmd/workloads -out out/workloads
	cd lab/stdtime && GOWORK=off $(GO) run ./dropin -workloads ../out/workloads -out ../out/dropin.json $(STDTIME)

lab-collector: ## Compare nerve_storage with file_storage under the collector's queue, in 8 minutes; writes lab/out/collector.json (COLLECTOR=-quick: in a minute)
	@mkdir -p lab/out
	cd lab/collector && GOWORK=off $(GO) run . -out ../out/collector.json $(COLLECTOR)

lab-ts: lab-code tools tools-typescript ## Compare TypeScript with its peers (npm) in Node and Chromium, in a minute; writes lab/out/ts-*.txt (TS=-quick)
	lab/ts/lab.sh $(TS)

lab-quick: lab-code ## Compare gremlin with its peers, in less than 4 minutes; writes lab/out/quick.json
	cd lab && $(GO) run . quick

lab: lab-code ## Compare gremlin with its peers at length, with real data if it is there; writes lab/out
	cd lab && $(GO) run . full

lab-code: ## Generate the lab's code, peers' and ours, if what it is made from has changed (downloads the peers' protoc plugins)
	cd lab && $(GO) run ./generate

bench-functrace: ## What a recorded call costs, beside the way of parsing runtime.Stack
	$(GO) test -run=- -bench='Call|Off|Cheaper|Snapshot' ./functrace/inject/rt ./functrace

# What is below .tools is ignored by git and left alone by make clean. MAVEN fetches one artifact into a folder.
PROTOC = 4.33.2
BUF = 1.75.0
GRPCIO = 1.85.1
PYARROW = 21.0.0
DUCKDB = 1.3.2
MAVEN = mvn -q -B org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy -DoutputDirectory=$(CURDIR)/.tools/maven

tools: .tools/bin/protoc .tools/bin/buf .tools/python .tools/conformance/runner ## Install protoc (with mvn), buf and the official conformance suite (npm), Python's grpcio (pip) into .tools, for tests

.tools/bin/protoc:
	@mkdir -p .tools/bin .tools/include
	$(MAVEN) -Dartifact=com.google.protobuf:protoc:$(PROTOC):exe:linux-x86_64
	$(MAVEN) -Dartifact=com.google.protobuf:protobuf-java:$(PROTOC)
	unzip -q -o .tools/maven/protobuf-java-$(PROTOC).jar 'google/protobuf/*.proto' -d .tools/include
	chmod +x .tools/maven/protoc-$(PROTOC)-linux-x86_64.exe
	ln -sf ../maven/protoc-$(PROTOC)-linux-x86_64.exe $@

.tools/bin/buf:
	@mkdir -p .tools/bin
	npm install --silent --no-audit --no-fund --ignore-scripts --prefix .tools/npm @bufbuild/buf@$(BUF)
	ln -sf ../npm/node_modules/.bin/buf $@

.tools/conformance/runner: conformance/runner.sh
	rm -f $@
	sh $< install
	touch $@

# The peer of gremlin's gRPC code in another language.
.tools/python:
	python3 -m venv $@.new
	$@.new/bin/pip install -q grpcio==$(GRPCIO) grpcio-tools==$(GRPCIO) googleapis-common-protos
	mv $@.new $@

# What reads back the Arrow and Parquet files that nerve query writes.
tools-query: .tools/python-query ## Install pyarrow and duckdb (with pip) into .tools, for the tests of nerve query

.tools/python-query:
	python3 -m venv $@.new
	$@.new/bin/pip install -q pyarrow==$(PYARROW) duckdb==$(DUCKDB)
	mv $@.new $@

PERFETTO = 0.59.1
OTLP = 1.45.2
SPEEDSCOPE = 1.25.0

# What reads back what functrace exports.
tools-trace: .tools/python-trace .tools/npm/node_modules/speedscope ## Install the formats of Perfetto and OpenTelemetry (with pip) and speedscope's schema (npm) into .tools, for the tests of functrace

.tools/python-trace:
	python3 -m venv $@.new
	$@.new/bin/pip install -q perfetto==$(PERFETTO) opentelemetry-proto==$(OTLP) jsonschema
	mv $@.new $@

.tools/npm/node_modules/speedscope:
	npm install --silent --no-audit --no-fund --ignore-scripts --prefix .tools/npm speedscope@$(SPEEDSCOPE)

KAFKA = 4.3.1

tools-kafka: .tools/kafka/kafka_2.13-$(KAFKA).jar ## Install Apache Kafka (with mvn) into .tools, for the tests of nerve/kafkalog

.tools/kafka/kafka_2.13-$(KAFKA).jar: internal/oracle/kafkatest/pom.xml
	rm -rf .tools/kafka
	mvn -q -B -f internal/oracle/kafkatest/pom.xml org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies \
		-DincludeScope=runtime -DoutputDirectory=$(CURDIR)/.tools/kafka
	touch $@

# The compiler and bundler of TypeScript, and the peer that ours is compared with.
tools-typescript: .tools/typescript ## Install typescript, esbuild and protobuf-es (with npm) into .tools, for test-typescript

.tools/typescript:
	npm install --silent --no-audit --no-fund --prefix $@ typescript@7.0.2 esbuild@0.28.2 @bufbuild/protobuf@2.17.0 @types/node@20.19.0

.PHONY: tools-typescript test-typescript
test-typescript: ## Build, test and pack the npm package of TypeScript: types, units, protobuf-es, the official suite, a browser, Deno, Bun
	@if command -v npm >/dev/null && command -v node >/dev/null; then $(MAKE) -s tools-typescript .tools/conformance/runner && typescript/test.sh && typescript/packed.sh; \
	else $(call missing,node,TypeScript is tested with node and npm); fi

corpus: ## Generate and compile the code of public schema sets, googleapis among them (downloads them; takes minutes)
	$(GO) run ./internal/corpus

GOLANGCI = v2.15.0

.tools/bin/golangci-lint-$(GOLANGCI):
	@mkdir -p .tools/bin
	GOWORK=off GOBIN=$(CURDIR)/.tools/bin $(GO) install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI)
	mv .tools/bin/golangci-lint $@

lint: .tools/bin/golangci-lint-$(GOLANGCI) conformance-code ## Run golangci-lint with the linters of .golangci.yaml, and gremlin-vet, in every module (builds it into .tools)
	$(call each,golangci-lint,$(CURDIR)/$< run ./...)
	@$(GO) build -o bin/ ./cmd/gremlin-vet
	$(call each,gremlin-vet,$(CURDIR)/bin/gremlin-vet ./...)

clean: ## Remove what was built
	rm -rf bin

.PHONY: conformance-code lab-collector lab-ts lab-compile lab-query tools-query tools-trace lab-serve page-test serve-demo lab-stdtime lab-rpc lab-frames help build demo generate check test test-all vet short unit full race race-full variants conformance alone test-servers released release tidy lab-test soak nerve-soak nerve-direct lab-nerve lab-quick lab lab-code bench-functrace tools tools-kafka corpus lint clean
