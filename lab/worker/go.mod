module github.com/octopus-framework/octopus/lab/worker

go 1.26.0
