// Package gremlin is what people use of code that the gremlin compiler generates from .proto files:
// protobuf without reflection, registries, locks or code that runs at program start. Generated code
// itself calls package gremlin/rt.
//
// # Two types a message
//
// For message Deposit the compiler writes two types.
//
// DepositReader reads. Unmarshal notes where each field of one level starts, keeps the bytes and
// copies nothing; GetX decodes a field when it is asked for. A nested message is a Reader of its
// own, opened when it is asked for. Reading never writes, so any number of goroutines may share a
// Reader, and nothing is allocated that the caller does not ask for as a slice or map.
//
// Deposit is a plain struct for building messages. It may be copied and its zero value is ready.
// Marshal cannot fail. Unmarshal decodes everything at once and keeps nothing of its input.
//
// # Who owns the bytes
//
// A Reader keeps the slice that Unmarshal was given. Strings and byte slices that come out of it
// share that memory, also those from nested Readers. The caller must therefore leave the slice
// alone for as long as any of them is in use; Detach makes the Reader independent by copying the
// bytes once. If the bytes do change, values come out wrong, but no getter panics, loops, or reads
// outside the slice. A Message, also one that ToMessage made, shares memory with nobody; its own
// short values lie together in pieces of up to 1 KiB, so that a string that is kept longer than its
// message is better cloned.
//
// # What is checked, and when
//
// Reader.Unmarshal checks the structure of its own level. A nested message that is malformed reads
// as empty, and the nested Reader's Err tells. Reader.CheckEncoding checks the whole tree at once:
// structure at every level, UTF-8, required fields. Message.Unmarshal checks the same. Both accept
// what google.golang.org/protobuf accepts, and nothing else, with these exceptions: what messages
// nested more than 100 levels deep may take is limited (MaxDepth); a number that a closed enum does
// not have is an unknown field, as the specification says; and extensions, which nobody has
// registered, are unknown fields, whose contents are not checked. All errors are *Error. A Message
// may take many times the memory of its encoding; UnmarshalWithin decodes what nobody vouches for
// within a limit.
//
// # Opening levels
//
// Each GetUser call indexes the nested message anew: keep the result instead of chaining from the
// root for every field.
//
//	u := r.GetUser()
//	id, name := u.GetId(), u.GetName()
//
// # Builds
//
// The build tag purego selects an implementation without package unsafe, with the same results.
package gremlin
