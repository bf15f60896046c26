package main

// set is a collection of .proto files that belong together.
type set struct {
	name   string
	pieces []piece
	// known are files that protoc compiles and we do not; they are left out, and each has its
	// reason beside it.
	known []string
}

// piece is a folder of .proto files in a package of a public registry, or in a folder of this
// machine.
type piece struct {
	from string // "npm:NAME@VERSION", "go:MODULE@VERSION", "maven:GROUP:NAME:VERSION" or a path
	dir  string // folder in the package; empty means all of it
	at   string // where the folder lies below the root that imports are relative to
	skip string // folder below dir that is left out
}

// sets are the public sets; the shared corpora come in addition, where they are beside the
// repository.
var sets = []set{
	{name: "googleapis", pieces: []piece{{from: "npm:google-proto-files@5.0.3"}}, known: []string{
		// Test data of another language: two files of one folder with the same names, which one Go
		// package cannot have.
		"google/protobuf/compiler/ruby/ruby_generated_pkg_explicit.proto",
		"google/protobuf/compiler/ruby/ruby_generated_pkg_implicit.proto",
	}},
	{name: "kubernetes", pieces: []piece{
		{from: "go:k8s.io/api@v0.37.2", at: "k8s.io/api"},
		{from: "go:k8s.io/apimachinery@v0.37.2", at: "k8s.io/apimachinery"},
	}},
	{name: "envoy", pieces: []piece{
		{from: "maven:io.envoyproxy.controlplane:api:1.0.49"},
		{from: "npm:google-proto-files@5.0.3", dir: "google/api", at: "google/api"},
		{from: "npm:google-proto-files@5.0.3", dir: "google/rpc", at: "google/rpc"},
	}},
	{name: "opentelemetry",
		pieces: []piece{{from: "maven:io.opentelemetry.proto:opentelemetry-proto:1.8.0-alpha"}}},
	{name: "istio", pieces: []piece{
		{from: "go:istio.io/api@v1.31.1", skip: "common-protos"},
		{from: "go:istio.io/api@v1.31.1", dir: "common-protos"},
	}},
	{name: "cosmos", pieces: []piece{
		{from: "go:github.com/cosmos/cosmos-sdk@v0.55.0", dir: "proto"},
		{from: "go:github.com/cosmos/cosmos-sdk@v0.55.0", dir: "contrib/proto", at: "cosmos"},
		{from: "go:github.com/cosmos/ibc-go/v10@v10.7.0", dir: "proto"},
		{from: "go:github.com/cosmos/cosmos-proto@v1.0.0-beta.5", dir: "proto"},
		{from: "go:github.com/cosmos/gogoproto@v1.7.2", dir: "gogoproto", at: "gogoproto"},
		{from: "npm:google-proto-files@5.0.3", dir: "google/api", at: "google/api"},
	}},
	{name: "cometbft", pieces: []piece{
		{from: "go:github.com/cometbft/cometbft@v1.0.1", dir: "proto"},
		{from: "go:github.com/cosmos/gogoproto@v1.7.2", dir: "gogoproto", at: "gogoproto"},
	}},
	{name: "containerd", pieces: []piece{
		{from: "go:github.com/containerd/containerd/api@v1.12.0"},
		{from: "npm:google-proto-files@5.0.3", dir: "google/rpc", at: "google/rpc"},
	}},
	{name: "protobuf-go-tests", pieces: []piece{{from: "go:google.golang.org/protobuf@v1.36.12",
		dir: "internal/testprotos", at: "internal/testprotos"}}},
}
