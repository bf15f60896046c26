// Package column holds the values of many rows side by side: what a query reads records into and
// what it yields.
package column

import "github.com/octopus-framework/octopus/gremlin/dynamic"

// Kind is what the values of a column are.
type Kind uint8

// The kinds, and where their values are.
const (
	Null     Kind = iota // no values: every row is null
	Bool                 // Ints, 0 and 1
	Int                  // Ints
	Uint                 // Ints, as the bits of a uint64
	Float                // Floats
	String               // Strings, valid UTF-8
	Bytes                // Strings
	Enum                 // Ints, numbers of Enum
	Time                 // Ints, nanoseconds since 1970 in UTC
	Duration             // Ints, nanoseconds
	Message              // Strings, encodings of Message
	List                 // Offsets into Elem
)

var kindNames = [...]string{"null", "bool", "int", "uint", "double", "string", "bytes", "enum",
	"timestamp", "duration", "message", "list"}

// String returns the name of the kind as CEL has it, where it has one.
func (k Kind) String() string { return kindNames[k] }

// Type is what a column holds, the same in all batches of a result.
type Type struct {
	Kind    Kind
	Width   int           // set for Int, Uint and Float: 32 or 64 bits
	Enum    *dynamic.Enum // set for Enum
	Message *dynamic.Type // set for Message
	// Map is the field of a List of the entries of a map, as Messages. Of entries
	// with one key the last is meant.
	Map  *dynamic.Field
	Elem *Type // set for List: the type of its elements
}

// Column is the values of one column. Which of the slices has them, Kind says; row i is at index i.
// A slice may alias memory of the log: it is valid as long as the batch.
type Column struct {
	Type
	Ints    []int64
	Floats  []float64
	Strings []string
	Valid   []bool   // false where a row is null; nil when none is
	Offsets []uint32 // set for List: row i is Elem's rows Offsets[i] up to Offsets[i+1]
	Elem    *Column  // set for List: the elements of all rows
}

// Null tells whether row i is null.
func (c *Column) Null(i int) bool {
	return c.Kind == Null || c.Valid != nil && !c.Valid[i]
}

// Batch is rows of a result. Its memory is valid until the next batch is taken, unless it says
// otherwise.
type Batch struct {
	Names   []string
	Columns []*Column
	Rows    int
}
