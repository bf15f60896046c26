module github.com/octopus-framework/octopus/lab/rpc

go 1.26.0

require (
	github.com/octopus-framework/octopus/gremlin v0.1.0
	github.com/octopus-framework/octopus/gremlin/gremlingrpc v0.1.0
	github.com/octopus-framework/octopus/lab v0.0.0
	google.golang.org/grpc v1.84.0
	google.golang.org/protobuf v1.36.12
)

require (
	github.com/octopus-framework/octopus/lab/worker v0.0.0 // indirect
	github.com/planetscale/vtprotobuf v0.6.1-0.20240319094008-0393e58bdf10 // indirect
	golang.org/x/net v0.57.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
	golang.org/x/text v0.43.0 // indirect
	google.golang.org/genproto/googleapis/rpc v0.0.0-20260706201446-f0a921348800 // indirect
)

replace (
	github.com/octopus-framework/octopus => ../../
	github.com/octopus-framework/octopus/functrace => ../../functrace
	github.com/octopus-framework/octopus/gremlin => ../../gremlin
	github.com/octopus-framework/octopus/gremlin/gremlingrpc => ../../gremlin/gremlingrpc
	github.com/octopus-framework/octopus/internal/oracle => ../../internal/oracle
	github.com/octopus-framework/octopus/internal/trace => ../../internal/trace
	github.com/octopus-framework/octopus/lab => ..
	github.com/octopus-framework/octopus/lab/worker => ../worker
	github.com/octopus-framework/octopus/nerve => ../../nerve
	github.com/octopus-framework/octopus/nerve/kafkalog => ../../nerve/kafkalog
	github.com/octopus-framework/octopus/nerve/sqllog => ../../nerve/sqllog
)
