// Package rt is what generated code calls: the run-time part of gremlin. People use package gremlin, which has what they need
// under names that stay. What is here serves generated code alone: functions trust what the compiler knows, lengths and offsets
// among it, and change with the contract between the compiler and this package.
//
// # Verbs
//
// View and its getters get, List walks, Each yields, Collect reads a list or map out into a slice or map, Decoder decodes into
// Messages, Append writes, Size tells how much that will be.
//
// The build tag purego selects an implementation without package unsafe, with the same results.
package rt

// Version1 is what generated code refers to, so that it fails to compile with a runtime too old for it.
const Version1 = true
