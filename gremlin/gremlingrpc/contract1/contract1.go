// Package contract1 is imported by generated gRPC code that was made for contract 1 between the
// compiler and package gremlingrpc. A module gremlingrpc that does not have this package is too old
// for such code. See docs/compatibility.md.
package contract1
