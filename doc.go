// Package octopus is the root of the repository: gremlin (protobuf), nerve (a queue), functrace
// (call chains) and lab (measurements). It holds no code, only the tests that keep the house in
// order; start with README.md.
package octopus
