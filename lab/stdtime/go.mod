module github.com/octopus-framework/octopus/lab/stdtime

go 1.26.0

require (
	github.com/gogo/protobuf v1.3.2
	github.com/octopus-framework/octopus/gremlin v0.1.0
	google.golang.org/protobuf v1.36.12
)

replace github.com/octopus-framework/octopus/gremlin => ../../gremlin
