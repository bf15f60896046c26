module github.com/octopus-framework/octopus/conformance/validate

go 1.26.0

require (
	github.com/octopus-framework/octopus/gremlin v0.1.0
	github.com/octopus-framework/octopus/gremlin/gremlincel v0.1.0
	github.com/octopus-framework/octopus/internal/oracle v0.1.0
)

require (
	github.com/bmatcuk/doublestar/v4 v4.10.4 // indirect
	github.com/rivo/uniseg v0.4.7 // indirect
)

require (
	cel.dev/cel-go v0.33.2 // indirect
	cel.dev/expr v0.25.1 // indirect
	github.com/antlr4-go/antlr/v4 v4.13.1 // indirect
	github.com/octopus-framework/octopus v0.1.0
	go.yaml.in/yaml/v3 v3.0.6 // indirect
	golang.org/x/exp v0.0.0-20250911091902-df9299821621 // indirect
	golang.org/x/text v0.22.0 // indirect
	google.golang.org/genproto/googleapis/api v0.0.0-20240826202546-f6391c0de4c7 // indirect
	google.golang.org/genproto/googleapis/rpc v0.0.0-20240826202546-f6391c0de4c7 // indirect
	google.golang.org/protobuf v1.36.12
)

replace (
	github.com/octopus-framework/octopus => ../..
	github.com/octopus-framework/octopus/gremlin => ../../gremlin
	github.com/octopus-framework/octopus/gremlin/gremlincel => ../../gremlin/gremlincel
	github.com/octopus-framework/octopus/internal/oracle => ../../internal/oracle
)
