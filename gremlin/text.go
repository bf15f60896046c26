package gremlin

import "github.com/octopus-framework/octopus/gremlin/rt"

// TextOptions say how the text format of protobuf is written and read; the zero value is useful.
//
//	text := gremlin.TextOptions{Indent: "  "}.Append(nil, m)
//	err := gremlin.TextOptions{}.Unmarshal(text, m)
//
// Append appends the text of a Message, Format that of an encoding, and Unmarshal reads text into a
// Message; its errors have line, column and path. The fields are documented in package gremlin/rt.
//
// The text of a message is the same for ever, so that it may be compared. Fields come in the order
// of their numbers, maps sorted by key, extensions and unknown fields behind them.
type TextOptions = rt.TextOptions
