// Package contract1 is for generated code alone: code in the shape of gogo/protobuf that was made
// for contract 1 between the compiler and packages gremlin/gogo and gremlin/std imports it. A
// module gremlin that does not have this package is too old for such code. See
// docs/compatibility.md.
package contract1
