module github.com/octopus-framework/octopus/internal/trace

go 1.25.0

require (
	github.com/octopus-framework/octopus/functrace v0.1.0
	github.com/octopus-framework/octopus/gremlin v0.1.0
	github.com/octopus-framework/octopus/internal/oracle v0.1.0
)
