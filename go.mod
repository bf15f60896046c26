module github.com/octopus-framework/octopus

go 1.25.6
