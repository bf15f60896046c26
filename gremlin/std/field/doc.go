// Package field is for generated code alone. It gives types of Go, time.Time and *string, what
// generated Messages have: the methods that the Message around them calls. Fields of well-known
// types that the configuration maps to types of Go are converted to these, which costs nothing.
//
// What is out of the range of a Timestamp or Duration is written as it is, as package wkt does;
// JSON refuses it. A Duration that does not fit in 292 years reads as the longest or shortest.
package field
