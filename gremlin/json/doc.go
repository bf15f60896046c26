// Package json is what people use of gremlin's JSON: options, and functions for every Message that
// was generated with JSON (option json: true). Generated code itself calls package gremlin/json/rt.
//
// Such Messages and their Readers have MarshalJSON and AppendJSON, Messages UnmarshalJSON too; for
// each message Deposit there is a function Deposit_JSONToWire, which turns JSON into an encoding
// without a Message in between.
//
// The same message gives the same bytes, always: fields come in the order of their numbers, the
// entries of a map sorted by key. All errors are *gremlin.Error with line, column and path.
package json
