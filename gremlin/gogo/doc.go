// Package gogo is for generated code alone, that in the shape of gogo/protobuf: its bytes, its
// decoding and its errors, without reflection and without gogo/protobuf. Programs use the errors
// and OnInvalidUTF8 and need to call nothing else.
//
// Writing goes backwards, from the end of a buffer that was sized before: the place and order of
// everything is then gogo's by construction, and a message of another package is called by the same
// contract, MarshalToSizedBuffer, whoever generated it. Reading goes forward. A function that reads
// takes the buffer and an offset and returns the next one; when something is wrong it returns a
// negative offset, which all others hand on, so that generated code asks once, at the end.
package gogo
