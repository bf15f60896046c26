package gremlin

import "sync"

// maxScratch is the largest scratch buffer that Marshal keeps for the next call, in bytes. A larger message grows a buffer of
// its own, which costs several allocations; what is kept goes with the next garbage collections.
const maxScratch = 1 << 20

var scratch = sync.Pool{New: func() any { b := make([]byte, 0, 1024); return &b }}

// Marshal encodes m into a scratch buffer and returns a copy: for messages with structure one pass and a copy cost less
// than a pass for the size before.
func Marshal(m Message) []byte {
	buf := scratch.Get().(*[]byte)
	b := m.MarshalAppend((*buf)[:0])
	out := copyOf(b)
	if cap(b) <= maxScratch {
		*buf = b
		scratch.Put(buf)
	}
	return out
}

// ValidateMessage checks what Marshal does not: UTF-8, nesting, and required fields. t is the table of m's type.
func ValidateMessage(m Message, t *Table) error {
	b := m.Marshal()
	if err := validate(ptrOf(b), uint(len(b)), t); err != nil {
		return err
	}
	return m.CheckInitialized()
}

// Or returns p, or none where p is nil. Getters are nil-safe by it.
func Or[T any](p, none *T) *T {
	if p == nil {
		return none
	}
	return p
}

// Deref returns what p points to, or def where p is nil.
func Deref[T any](p *T, def T) T {
	if p == nil {
		return def
	}
	return *p
}

// BytesOr returns b, or a copy of def where b is nil.
func BytesOr(b, def []byte) []byte {
	if b == nil {
		return append([]byte(nil), def...)
	}
	return b
}
