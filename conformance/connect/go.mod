module github.com/octopus-framework/octopus/conformance/connect

go 1.26.0

require (
	connectrpc.com/connect/v2 v2.0.2
	github.com/octopus-framework/octopus v0.1.0
	github.com/octopus-framework/octopus/gremlin v0.1.0
	github.com/octopus-framework/octopus/gremlin/gremlinconnect v0.1.0
	github.com/octopus-framework/octopus/internal/oracle v0.1.0
)

require (
	github.com/rivo/uniseg v0.4.7 // indirect
	google.golang.org/protobuf v1.36.12 // indirect
)

replace (
	github.com/octopus-framework/octopus => ../..
	github.com/octopus-framework/octopus/gremlin => ../../gremlin
	github.com/octopus-framework/octopus/gremlin/gremlinconnect => ../../gremlin/gremlinconnect
	github.com/octopus-framework/octopus/internal/oracle => ../../internal/oracle
)
