// Package celtypes shows messages of schemas that are known at run time, those of package dynamic,
// to cel-go: the types of their fields, and the messages as values that expressions read. How the
// fields of a message are read, and what that may cost, is left to types that implement Message.
//
// Package gremlincel and nerve's queries are made with it; nobody else needs to import it.
package celtypes
