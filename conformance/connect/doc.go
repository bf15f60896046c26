// Package connect holds the test that runs Connect's conformance suite against a handler and a
// client of gremlin's. It is a module of its own because of what the suite requires; nobody imports
// it.
package connect
