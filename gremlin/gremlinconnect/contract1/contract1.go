// Package contract1 is for generated code alone: Connect code that was made for contract 1 between
// the compiler and package gremlinconnect/rt imports it. A module gremlinconnect that does not have
// this package is too old for such code. See docs/compatibility.md.
package contract1
