// Package rt is for generated code alone: it is the run-time part of gremlin's JSON, which turns
// messages into the JSON mapping of protobuf and back. People use package gremlin/json. It needs
// neither encoding/json nor reflection, and a program whose schemas were generated without JSON
// does not link it.
//
// Messages are written and read by generated code, field by field. A Reader is written by such code
// too, so that encoded bytes become JSON without a Message in between; its lists go by tables, and
// so do extensions and the way back, X_JSONToWire.
//
// Writing appends compact text and never looks back: each field is `,"name":value`, and at the end
// the first comma becomes the brace. Indentation is a second pass over the compact text. The same
// message gives the same bytes, always: fields come in the order of their numbers, the entries of a
// map sorted by key.
//
// Reading is one pass over the text without tokens in between. A message's fields are expected in
// the order of their numbers, so that a name is usually found by one comparison. Offset and code of
// the first error are kept; line, column and path are found by reading up to it once more, so that
// success pays nothing for them.
package rt
