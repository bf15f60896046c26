package dynamic

import (
	"iter"

	"github.com/octopus-framework/octopus/gremlin/internal/wire"
	"github.com/octopus-framework/octopus/gremlin/rt"
)

// Reader reads an encoding where it lies: nothing is decoded until it is asked for. Unmarshal,
// which keeps its input, checks the structure of one level as that of generated Readers does. Any
// number of goroutines may use one that does not change any more.
type Reader struct {
	typ   *Type
	view  rt.View
	slots []uint32
}

// NewReader returns an empty Reader.
func NewReader(t *Type) *Reader { return &Reader{typ: t} }

// Type returns the type of what r reads.
func (r *Reader) Type() *Type { return r.typ }

// Unmarshal makes r read b, which it keeps. It checks the structure of this level.
func (r *Reader) Unmarshal(b []byte) error { return r.index(rt.First(b), uint(len(b))) }

func (r *Reader) index(p rt.Ptr, n uint) error {
	if r.slots == nil {
		r.slots = make([]uint32, r.typ.tables.slots)
	}
	clear(r.slots)
	r.view = rt.View{}
	off, _ := r.view.Start(p, n)
	for off < n {
		off, _ = r.view.Advance(off, r.slots, r.typ.tables.wire)
	}
	return r.view.Err(r.typ.tables.wire)
}

// Err returns what is wrong with a nested message that was opened on malformed bytes; it reads as
// empty.
func (r *Reader) Err() error { return r.view.Err(r.typ.tables.wire) }

// CheckEncoding checks the whole tree: structure at every level, UTF-8 and required fields.
func (r *Reader) CheckEncoding() error {
	if err := r.view.CheckEncoding(r.slots, r.typ.tables.wire); err != nil || !r.typ.needsInit {
		return err
	}
	return r.ToMessage().CheckInitialized()
}

// Raw returns the bytes that r reads; they are not a copy.
func (r *Reader) Raw() []byte { return r.view.Raw() }

// ToMessage decodes everything into a message of its own. Fields that are malformed are left out,
// and what stands behind them in their message.
func (r *Reader) ToMessage() *Message {
	m := New(r.typ)
	m.decode([]byte(string(r.view.Raw())), 0, 0)
	return m
}

// info returns the table's description of f, a field of r's type, and where its slots are.
func (r *Reader) info(f *Field) (info *rt.FieldInfo, slots []uint32) {
	if f.Parent != r.typ || f.Extension {
		panic("dynamic: " + f.FullName + " is no field of " + r.typ.Name)
	}
	if info = &r.typ.tables.wire.Fields[f.Index]; r.slots == nil {
		return info, make([]uint32, 2)
	}
	return info, r.slots[info.Slot:]
}

// Has tells whether f is there. A field without presence may be there and have the zero value, and
// a list may be there and empty.
func (r *Reader) Has(f *Field) bool {
	info, slots := r.info(f)
	if f.Kind == EnumKind && !f.Repeated {
		return r.view.HasEnum(slots[0], info.Enum)
	}
	return slots[0] != 0
}

// Get returns the value of a singular field that is a scalar, or its default. Text shares the
// memory of what r reads.
func (r *Reader) Get(f *Field) (s Scalar) {
	if !r.Has(f) {
		return f.Default
	}
	_, slots := r.info(f)
	switch {
	case f.Kind >= String:
		s.Text = r.view.String(slots[0], slots[1])
	case f.Kind <= EnumKind:
		s.Bits = bitsOf(f.Kind, r.view.Varint(slots[0]))
	case f.Kind <= Float:
		s.Bits = bitsOf(f.Kind, uint64(r.view.Fixed32(slots[0])))
	default:
		s.Bits = r.view.Fixed64(slots[0])
	}
	return s
}

// Message returns a Reader of a singular message field, which is empty when there is none; Err
// tells if it is malformed.
func (r *Reader) Message(f *Field) *Reader {
	info, slots := r.info(f)
	sub := NewReader(f.Message)
	if f.Message != nil && slots[0] != 0 {
		_ = sub.index(r.view.Message(slots[0], slots[1], uint(info.Tag())))
	}
	return sub
}

func (r *Reader) list(f *Field) rt.List {
	info, slots := r.info(f)
	return r.view.List(slots[0], info.Tag())
}

// Each yields the elements of a list of scalars. Text shares the memory of what r reads.
func (r *Reader) Each(f *Field) iter.Seq[Scalar] {
	return func(yield func(Scalar) bool) {
		l := r.list(f)
		number := func(x uint64) bool {
			return f.Kind == EnumKind && !f.Enum.Valid(int32(x)) ||
				yield(Scalar{Bits: bitsOf(f.Kind, x)})
		}
		switch {
		case f.Kind >= String:
			for s := range rt.EachString(l) {
				if !yield(Scalar{Text: s}) {
					return
				}
			}
		case wireType(f.Kind) == wire.Varint:
			rt.EachVarint[uint64](l)(number)
		case wireType(f.Kind) == wire.Fixed32:
			rt.EachFixed[uint32](l)(func(x uint32) bool { return number(uint64(x)) })
		default:
			rt.EachFixed[uint64](l)(number)
		}
	}
}

// Messages yields a Reader for each element of a list of messages; of a map the entries, as they
// come, also those that a later one with the same key replaces. It is a new Reader each time.
func (r *Reader) Messages(f *Field) iter.Seq[*Reader] {
	return func(yield func(*Reader) bool) {
		l := r.list(f)
		for p, n, ok := l.Next(); ok; p, n, ok = l.Next() {
			sub := NewReader(f.Message)
			_ = sub.index(p, n)
			if !yield(sub) {
				return
			}
		}
	}
}
