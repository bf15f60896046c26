// Package grpc holds the tests of gremlin's gRPC code against others: the interoperability cases of
// grpc-go both ways, servers with services of several kinds, clients and servers in Python, tools
// that work by reflection. It is a module of its own because of what these tests require; nobody
// imports it.
package grpc
