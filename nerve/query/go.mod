module github.com/octopus-framework/octopus/nerve/query

go 1.25.6

require (
	cel.dev/cel-go v0.33.2
	github.com/octopus-framework/octopus v0.1.0
	github.com/octopus-framework/octopus/gremlin v0.1.0
	google.golang.org/protobuf v1.36.12
)
