module github.com/octopus-framework/octopus/gremlin

go 1.25
