// Package std is for generated code alone, that in the shape of gogo/protobuf. It encodes and
// decodes fields whose Go type is one of the standard library's: a time.Time where the schema says
// google.protobuf.Timestamp, a time.Duration where it says Duration, a plain number, string or
// []byte where it says a wrapper. There is no lock, nothing is looked up by reflection and nothing
// is allocated.
//
// Like gogo's code it writes backwards: a Put function writes the
// message with its length before it so that it ends before offset i of b, and returns where it
// starts. b must have the room that the Size function says. A read function is handed the message
// without its length; what a field that comes twice says last counts.
package std
