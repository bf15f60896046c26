module github.com/octopus-framework/octopus/functrace

go 1.25.0
