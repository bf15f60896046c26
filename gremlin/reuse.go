package gremlin

import "github.com/octopus-framework/octopus/gremlin/rt"

// How says what UnmarshalWith, a method of all generated Messages, shares with its input and with
// what the Message held before. The zero value is Unmarshal: the same contents, errors and checks
// come out of all of them.
type How = rt.How

// Borrow makes strings and bytes of a Message, nested ones too, memory of the input instead of
// copies. The input must not change while they are in use, and is kept alive by each of them.
// Lists of numbers, structs, maps and unknown fields are the Message's own. What is to outlive the
// input is copied: with strings.Clone, bytes.Clone, or Clone of the Message, which owns what it
// holds. Input that changes all the same gives wrong values, never a read outside of it. Built
// without package unsafe (tag purego), strings are copied.
//
// Reuse overwrites what the Message refers to: structs, lists, maps, nested Messages and members of
// oneofs of the last decoding are used again, so that messages of one kind, one after the other,
// take no memory at all. Who keeps a list, a map or a nested Message sees the next one in it.
// Strings and bytes stay: they are never written to. It is for Messages that nobody but
// UnmarshalWith has filled, and of which no part is shared. Empty lists and maps are not nil
// afterwards. After an error the Message may be used again; what is in it is not said.
// GREMLIN_GUARD=1 (package guard) overwrites what would be used again and takes fresh memory, so
// that a part that was kept shows.
//
// What a Message used again holds is what the largest inputs so far needed, in each of its parts,
// which for input of changing shape adds up. Reset lets go of it; [Reused] does so now and then,
// and is what should be used for input that nobody vouches for.
const (
	Borrow = rt.Borrow
	Reuse  = rt.Reuse
)

// UnmarshalWith is m.UnmarshalWith(b, how) for any Message. Those whose code was generated before
// there was such a method are read by Unmarshal, which is right for every how.
func UnmarshalWith(b []byte, m Message, how How) error {
	if w, ok := m.(interface{ UnmarshalWith([]byte, How) error }); ok {
		return w.UnmarshalWith(b, how)
	}
	return m.Unmarshal(b)
}

// Reusable is a pointer to a generated Message T.
type Reusable[T any] interface {
	*T
	Message
	UnmarshalWith(b []byte, how How) error
}

// Reused is a Message that is decoded again and again in the mode Reuse:
//
//	var r gremlin.Reused[shopv1.Deposit, *shopv1.Deposit]
//	for b := range inputs {
//		d, err := r.Unmarshal(b, gremlin.Borrow)
//		...
//	}
//
// Every 64th decoding begins with an empty Message, so that it holds no more than the last 64
// inputs needed, whatever came before. The Message and all that it refers to are good until the
// next Unmarshal or Reset. The zero value is ready. It is for one goroutine at a time, and not to
// be copied.
type Reused[T any, P Reusable[T]] struct {
	message T
	left    int // decodings until the next Reset
}

// resetEvery is how many decodings share memory.
const resetEvery = 64

// Unmarshal replaces the Message by that of the encoding b, and returns it. how is Borrow or 0.
// After an error the Message is what could be read, and not to be used.
func (r *Reused[T, P]) Unmarshal(b []byte, how How) (*T, error) {
	if r.left == 0 {
		r.Reset()
	}
	r.left--
	return &r.message, P(&r.message).UnmarshalWith(b, how|Reuse)
}

// Message returns what Unmarshal has returned.
func (r *Reused[T, P]) Message() *T { return &r.message }

// Reset makes the Message empty and lets go of its memory.
func (r *Reused[T, P]) Reset() {
	m := P(&r.message)
	rt.Guarded(m)
	m.Reset()
	r.left = resetEvery
}

// Lent is a Reused that borrows, with the method Unmarshal of a Reader: it can be what nerve.Typed
// and work.Typed decode, and gremlingrpc receives.
//
//	type Deposit = gremlin.Lent[shopv1.Deposit, *shopv1.Deposit]
//	for item, err := range nerve.Typed[Deposit](ctx, consumer) {
//		total += item.Value.Message().Cents
//	}
type Lent[T any, P Reusable[T]] struct{ reused Reused[T, P] }

// Unmarshal replaces the Message by that of the encoding b, of which it keeps strings and bytes.
func (l *Lent[T, P]) Unmarshal(b []byte) error {
	_, err := l.reused.Unmarshal(b, Borrow)
	return err
}

// Message returns the Message that was decoded last, which is good until the next Unmarshal.
func (l *Lent[T, P]) Message() *T { return l.reused.Message() }
