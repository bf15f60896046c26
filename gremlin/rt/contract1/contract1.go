// Package contract1 is for generated code alone: what was made for contract 1 between the compiler
// and package gremlin/rt imports it. A module gremlin that does not have this package is too old
// for such code. See docs/compatibility.md.
package contract1
