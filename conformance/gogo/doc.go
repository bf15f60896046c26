// Package gogo has tests of code in the shape of gogo/protobuf against gogo/protobuf itself: its
// test suite with our code in place of its own, and a comparison of both generators on schemas of
// every kind of field. The module is never published.
package gogo
