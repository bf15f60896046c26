// Package validate holds the test that runs protovalidate's conformance suite against generated
// code and package gremlincel. It is a module of its own because of what the suite requires; nobody
// imports it.
package validate
