module github.com/octopus-framework/octopus/gremlin/gremlingrpcprom

go 1.25.6

require (
	github.com/octopus-framework/octopus/gremlin/gremlingrpc v0.1.0
	github.com/prometheus/client_golang v1.23.0
)
