module github.com/octopus-framework/octopus/conformance

go 1.25.6

require (
	github.com/bufbuild/protocompile v0.14.2-0.20260716165721-bb5762d29672
	github.com/google/go-cmp v0.7.0
	github.com/octopus-framework/octopus/gremlin v0.1.0
	github.com/octopus-framework/octopus/gremlin/gremlincmp v0.1.0
	github.com/octopus-framework/octopus/internal/oracle v0.1.0
	google.golang.org/protobuf v1.36.12
)

require github.com/rivo/uniseg v0.4.7 // indirect

require (
	github.com/octopus-framework/octopus v0.1.0
	github.com/petermattis/goid v0.0.0-20260113132338-7c7de50cc741 // indirect
	golang.org/x/sync v0.20.0 // indirect
)

replace (
	github.com/octopus-framework/octopus => ../
	github.com/octopus-framework/octopus/gremlin => ../gremlin
	github.com/octopus-framework/octopus/gremlin/gremlincmp => ../gremlin/gremlincmp
	github.com/octopus-framework/octopus/internal/oracle => ../internal/oracle
)
