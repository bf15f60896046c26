// Package contract1 is for generated code alone: gRPC code that was made for contract 1 between the
// compiler and package gremlingrpc/rt imports it. A module gremlingrpc that does not have this
// package is too old for such code. See docs/compatibility.md.
package contract1
