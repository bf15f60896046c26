// Package gremlincel checks the rules of buf.validate (protovalidate), those that are written in
// CEL among them.
package gremlincel
