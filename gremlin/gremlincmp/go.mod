module github.com/octopus-framework/octopus/gremlin/gremlincmp

go 1.25.0

require (
	github.com/google/go-cmp v0.7.0
	github.com/octopus-framework/octopus/gremlin v0.1.0
)
