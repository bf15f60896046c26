module github.com/octopus-framework/octopus/lab/legacy

go 1.26.0

require (
	github.com/gogo/protobuf v1.3.2
	github.com/golang/protobuf v1.3.5
	github.com/octopus-framework/octopus/lab/worker v0.0.0
)

replace github.com/octopus-framework/octopus/lab/worker => ../worker
