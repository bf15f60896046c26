module github.com/octopus-framework/octopus/conformance/gogo

go 1.25.0

require (
	github.com/gogo/protobuf v1.3.2
	github.com/octopus-framework/octopus v0.1.0
	github.com/octopus-framework/octopus/gremlin v0.1.0
	google.golang.org/protobuf v1.36.12
)

require (
	buf.build/gen/go/bufbuild/protodescriptor/protocolbuffers/go v1.36.11-20250109164928-1da0de137947.1 // indirect
	buf.build/gen/go/bufbuild/protovalidate/protocolbuffers/go v1.36.11-20240920164238-5a7b106cbb87.1 // indirect
	github.com/bufbuild/protocompile v0.14.2-0.20260716165721-bb5762d29672 // indirect
	github.com/petermattis/goid v0.0.0-20260113132338-7c7de50cc741 // indirect
	github.com/rivo/uniseg v0.4.7 // indirect
	github.com/tidwall/btree v1.8.1 // indirect
	golang.org/x/exp v0.0.0-20250911091902-df9299821621 // indirect
	golang.org/x/sync v0.20.0 // indirect
)

replace (
	github.com/octopus-framework/octopus => ../../
	github.com/octopus-framework/octopus/gremlin => ../../gremlin
)
