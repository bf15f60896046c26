package rt

import "sync"

// maxScratch is the largest scratch buffer that Marshal keeps for the next call, in bytes; what is
// kept goes with the next garbage collections.
const maxScratch = 1 << 20

// scratch is where a message is written before its size is known.
type scratch struct {
	buf   []byte
	large bool // the last message was too large for a buffer that is kept
}

var scratches = sync.Pool{New: func() any { return &scratch{buf: make([]byte, 0, 1024)} }}

// Marshal encodes m into a scratch buffer and returns a copy: for messages with structure one pass
// and a copy cost less than a pass for the size before. For messages of megabytes it is the other
// way round, as buffers of such a size are not kept. One message tells of the next.
func Marshal(m Message) []byte {
	s := scratches.Get().(*scratch)
	defer scratches.Put(s)
	if s.large {
		if n := m.Size(); n > maxScratch {
			return m.MarshalAppend(MakeBuffer(n))
		}
	}
	b := m.MarshalAppend(s.buf[:0])
	if s.large = cap(b) > maxScratch; s.large {
		return b
	}
	s.buf = b
	return copyOf(b)
}

// CopyOf returns a copy of b, which may be on the stack.
func CopyOf(b []byte) []byte { return copyOf(b) }

// CheckMessageEncoding checks what Marshal does not: UTF-8, nesting, and required fields. t is the
// table of m's type.
func CheckMessageEncoding(m Message, t *Table) (err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case *Error: // of Enter
			err = p
		default:
			panic(p)
		}
	}()
	b := m.Marshal()
	if err := validate(ptrOf(b), uint(len(b)), t); err != nil {
		return err
	}
	return CheckInitialized(m)
}

// CheckInitialized returns an error that names a required field which is not set, in m or a message
// in it. Types that cannot have such fields have no method for it.
func CheckInitialized(m Message) error {
	if m, ok := m.(interface{ CheckInitialized() error }); ok {
		return m.CheckInitialized()
	}
	return nil
}

// MarshalStable appends the encoding of m to b with the entries of maps sorted by key: equal
// messages give equal bytes.
func MarshalStable(b []byte, m Message) []byte {
	e := Encoder{Stable: true}
	return e.Finish(m.GremlinAppend(b, &e))
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
