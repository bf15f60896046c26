// Package contract1 is imported by generated Connect code so that the go command says it where
// package gremlinconnect is too old for it. It has nothing else. See docs/compatibility.md.
package contract1
