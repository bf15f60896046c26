// Package schema names the messages of the .proto files beside it that workloads consist of.
package schema

// Types are the messages that have loops of their own; the others are parts of them.
var Types = []string{"AllTypes", "Blob", "DeepNested", "Deposit", "Feed", "Moments", "Node", "OneString", "PackedDoubles",
	"PackedInts", "PrimitiveBlock", "Profile", "Smalls", "Submit", "TenDoubles", "TenInts", "TenStrings", "Tile",
	"Wide1", "Wide4", "Wide16", "Wide64", "Wide256"}

// Paths are the messages that the operation readpath is for: from the root down, the plain fields of each message and then
// its last message field that is not a list.
var Paths = []string{"DeepNested", "Deposit", "Node"}

// TwoFields are the fields of the root that the operation read2 reads. A message without two plain fields has none.
var TwoFields = map[string][2]string{
	"AllTypes": {"a_int64", "a_string"}, "DeepNested": {"id", "version"}, "Deposit": {"type", "amount"}, "Node": {"id", "name"},
	"PrimitiveBlock": {"granularity", "lat_offset"}, "Profile": {"time_nanos", "period"}, "Submit": {"destination", "submitted_at"},
	"TenDoubles": {"b", "i"}, "TenInts": {"b", "i"}, "TenStrings": {"b", "i"},
	"Wide4": {"f1", "f4"}, "Wide16": {"f2", "f15"}, "Wide64": {"f2", "f63"}, "Wide256": {"f2", "f255"},
}
