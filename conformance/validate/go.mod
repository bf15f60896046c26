module github.com/octopus-framework/octopus/conformance/validate

go 1.26.0

require (
	github.com/octopus-framework/octopus v0.1.0
	github.com/octopus-framework/octopus/gremlin v0.1.0
	github.com/octopus-framework/octopus/gremlin/gremlincel v0.1.0
)

replace (
	github.com/octopus-framework/octopus => ../..
	github.com/octopus-framework/octopus/gremlin => ../../gremlin
	github.com/octopus-framework/octopus/gremlin/gremlincel => ../../gremlin/gremlincel
)
