module github.com/octopus-framework/octopus/conformance/gogo

go 1.25.6

require (
	github.com/gogo/protobuf v1.3.2
	github.com/octopus-framework/octopus v0.1.0
	github.com/octopus-framework/octopus/gremlin v0.1.0
	github.com/octopus-framework/octopus/internal/oracle v0.1.0
	google.golang.org/protobuf v1.36.12
)

require (
	github.com/bmatcuk/doublestar/v4 v4.10.4 // indirect
	github.com/rivo/uniseg v0.4.7 // indirect
	go.yaml.in/yaml/v3 v3.0.6 // indirect
)

replace (
	github.com/octopus-framework/octopus => ../../
	github.com/octopus-framework/octopus/gremlin => ../../gremlin
	github.com/octopus-framework/octopus/internal/oracle => ../../internal/oracle
)
