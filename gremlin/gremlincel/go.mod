module github.com/octopus-framework/octopus/gremlin/gremlincel

go 1.25.6

require (
	cel.dev/cel-go v0.33.2
	github.com/octopus-framework/octopus/gremlin v0.1.0
	google.golang.org/protobuf v1.36.12
)
