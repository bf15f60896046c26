// Package custom has types that schemas of tests name in customtype and casttype.
package custom

import (
	"bytes"
	"errors"
)

// ID is 16 bytes.
type ID [16]byte

// Size returns 16.
func (id ID) Size() int { return len(id) }

// Marshal returns the bytes.
func (id ID) Marshal() ([]byte, error) { return id[:], nil }

// MarshalTo writes the bytes.
func (id ID) MarshalTo(b []byte) (int, error) {
	if len(b) < len(id) {
		return 0, errors.New("custom: no room for an ID")
	}
	return copy(b, id[:]), nil
}

// Unmarshal reads the bytes.
func (id *ID) Unmarshal(b []byte) error {
	if len(b) != len(id) {
		return errors.New("custom: an ID has 16 bytes")
	}
	copy(id[:], b)
	return nil
}

// Equal tells whether two IDs are the same.
func (id ID) Equal(other ID) bool { return id == other }

// Compare orders IDs.
func (id ID) Compare(other ID) int { return bytes.Compare(id[:], other[:]) }

// Types that scalars, elements and keys are cast to.
type (
	// Name is for strings.
	Name string
	// Count is for integers of 64 bits.
	Count int64
	// Flag is for bools.
	Flag bool
	// Ratio is for doubles.
	Ratio float64
	// Blob is for bytes.
	Blob []byte
	// Wide is for unsigned integers of 64 bits.
	Wide uint64
	// Unsigned is for unsigned integers of 32 bits.
	Unsigned uint32
	// Small is for integers of 32 bits.
	Small int32
	// Key is for the keys of maps.
	Key string
)
