// Package dynamic is types of messages that are known at run time only: from a FileDescriptorSet,
// as protoc, buf and the compiler of this project write it, to a Schema whose types can be asked
// for fields by number, name or path.
//
//	schema, err := dynamic.Load(set)
//	deposit := schema.Message("shop.v1.Deposit")
//	field := deposit.Field(3)
//
//	r := dynamic.NewReader(deposit) // reads an encoding where it lies
//	m := dynamic.New(deposit)       // a message that can be changed
//
// Readers and Messages have the verdicts, errors, encodings, text and JSON of generated code: they
// go by the same tables.
//
// Everything that a reader of encodings needs is a plain fact of a Field: presence, packing,
// whether an enum is closed, whether UTF-8 is checked. Where it comes from, syntax or features of
// an edition, is resolved once.
package dynamic
