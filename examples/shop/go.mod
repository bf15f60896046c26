module github.com/octopus-framework/octopus/examples/shop

go 1.26.0

require (
	connectrpc.com/connect/v2 v2.0.2
	github.com/octopus-framework/octopus/gremlin v0.1.0
	github.com/octopus-framework/octopus/gremlin/gremlinconnect v0.1.0
	github.com/octopus-framework/octopus/gremlin/gremlingrpc v0.1.0
	github.com/octopus-framework/octopus/nerve v0.1.0
	google.golang.org/grpc v1.84.0
)

require (
	github.com/klauspost/compress v1.20.3 // indirect
	github.com/pierrec/lz4/v4 v4.1.33 // indirect
	golang.org/x/net v0.57.0 // indirect
	golang.org/x/sync v0.22.0 // indirect
	golang.org/x/sys v0.47.0 // indirect
	golang.org/x/text v0.40.0 // indirect
	google.golang.org/genproto/googleapis/rpc v0.0.0-20260706201446-f0a921348800 // indirect
	google.golang.org/protobuf v1.36.12 // indirect
)
