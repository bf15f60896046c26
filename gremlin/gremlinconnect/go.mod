module github.com/octopus-framework/octopus/gremlin/gremlinconnect

go 1.26.0

require (
	connectrpc.com/connect/v2 v2.0.2
	github.com/octopus-framework/octopus/gremlin v0.1.0
	google.golang.org/protobuf v1.36.11
)
