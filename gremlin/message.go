package gremlin

import "github.com/octopus-framework/octopus/gremlin/rt"

// Message is a pointer to a generated Message, *Deposit. Methods whose names start with Gremlin are
// for generated code.
//
// Marshal and MarshalAppend return the encoding, of which nothing is shared with the message, and
// cannot fail. Unmarshal replaces the contents, keeps nothing of its input, and returns an *Error.
// A Message may be read by any number of goroutines while none writes.
type Message = rt.Message

// Reader is a pointer to a generated Reader, *DepositReader. Methods whose names start with Gremlin
// are for generated code.
//
// A Reader may be used by any number of goroutines while none calls Unmarshal.
type Reader interface {
	Type

	// Unmarshal makes the Reader read b, which it keeps: b must not change any more. It returns
	// the same error as Err.
	Unmarshal(b []byte) error
	// CheckEncoding checks the whole tree of messages, UTF-8 and required fields included, and
	// returns an *Error.
	CheckEncoding() error
	// Err tells what is wrong with the bytes on this level; nested messages are not looked into.
	Err() error
	// Raw returns the bytes, not a copy.
	Raw() []byte
}

// Type gives the table of a message type, as a pointer to a Message or Reader does, which may be
// nil: (*Deposit)(nil).
type Type = rt.Type

// ExtensionType is an extension as Types lists it: a pointer to a generated E_ variable.
type ExtensionType = rt.ExtensionType

// EnumType is an enum as generated code describes it, &shopv1.Status_info: its full name, and the
// names of its values by number.
type EnumType = rt.EnumInfo

// Types is what text and JSON may name beyond the fields of a message: the types of what an Any
// holds, and extensions. There is no registry; whoever wants them says which. Nil has none, and the
// zero value is ready to be filled:
//
//	gremlin.Types{
//		Messages:   []gremlin.Type{(*shopv1.Deposit)(nil)},
//		Extensions: []gremlin.ExtensionType{&shopv1.E_Region},
//	}
//
// It may be shared by any number of goroutines once it does not change any more.
type Types = rt.Types

// MarshalStable appends the encoding of m to b with the entries of maps sorted by key: equal
// messages give equal bytes. m.MarshalAppend, which writes them as they come, is faster.
func MarshalStable(b []byte, m Message) []byte { return rt.MarshalStable(b, m) }

// CheckInitialized returns an *Error that names a required field which is not set, in m or a
// message in it. Unmarshal checks it on the way in; Marshal does not.
func CheckInitialized(m Message) error { return rt.CheckInitialized(m) }

// Binary makes of a Message what encoding.BinaryMarshaler, BinaryAppender and BinaryUnmarshaler ask
// for: package gob, caches, clients of databases.
//
//	err := gob.NewEncoder(w).Encode(gremlin.Binary{Message: &deposit})
//	err = gob.NewDecoder(r).Decode(&gremlin.Binary{Message: &deposit})
type Binary struct{ Message }

// MarshalBinary returns the encoding; the error is always nil.
func (b Binary) MarshalBinary() ([]byte, error) { return b.Message.Marshal(), nil }

// AppendBinary appends the encoding to dst; the error is always nil.
func (b Binary) AppendBinary(dst []byte) ([]byte, error) {
	return b.Message.MarshalAppend(dst), nil
}

// UnmarshalBinary replaces the contents of the Message, which must be set, by those of an encoding.
func (b Binary) UnmarshalBinary(data []byte) error { return b.Message.Unmarshal(data) }

// UnmarshalWithin is m.Unmarshal(b) for input that nobody vouches for: it returns an error with the
// code TooMuchMemory, which names the field and the offset, and leaves m empty, where the message
// might take more than max bytes.
//
// A Message may take many times the memory of its encoding: an empty element of a list of messages
// is two bytes of input and a struct in memory, which may have a thousand. What the message would
// take is estimated before anything is allocated, in one walk over b, and not less than what
// Unmarshal allocates: lists of scalars and unknown fields are counted six times, because they may
// be copied as they grow, and so are lists of messages whose elements do not stand together. 64
// times the input and a MiB is ample for data that somebody wants to send. m itself is not counted,
// nor what it held before.
func UnmarshalWithin(b []byte, m Message, max int) error { return rt.UnmarshalWithin(b, m, max) }
