module github.com/octopus-framework/octopus/gremlin/gremlingrpcotel

go 1.25.6

require (
	github.com/octopus-framework/octopus/gremlin/gremlingrpc v0.1.0
	go.opentelemetry.io/otel v1.44.0
	go.opentelemetry.io/otel/metric v1.44.0
	go.opentelemetry.io/otel/sdk/metric v1.44.0
)
