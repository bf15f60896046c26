// Package rt is for generated code alone: it is the run-time part of gremlin, and you do not call
// it. People use package gremlin, which has what they need under names that stay. Functions here
// trust what the compiler knows, lengths and offsets among it, and change with the contract between
// the compiler and this package.
//
// # Verbs
//
// View and its getters get, List walks, Each yields, Collect reads a list or map out into a slice
// or map, Decoder decodes into Messages, Append writes, Size tells how much that will be.
//
// # The contract
//
// What generated code uses of this package and of gremlin/json/rt is a contract with a number.
// Generated code imports the package contractN beside this one that it was made for, so that code
// and runtime that do not go together are one error of the go command. The list of what is used is
// contractN/api.txt. docs/compatibility.md of the repository has the rules.
//
// The build tag purego selects an implementation without package unsafe, with the same results.
package rt
