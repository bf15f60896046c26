// Package wire is the protocol nerve/1 between package nerve/remote and a
// server: its frames, what is in them, and errors as bytes. docs/format/nerve1.md
// draws them.
package wire

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/octopus-framework/octopus/nerve"
)

// Protocol is the name in the Upgrade header.
const Protocol = "nerve/1"

// Path is where a server takes connections.
const Path = "/nerve"

// Minor is the version within nerve/1 that is spoken here. Both ends speak the
// lower one of theirs.
const Minor = 2

// HeaderSize is the length of what is before the payload of a frame: its length
// (without these four bytes), type, flags, stream and CRC.
const HeaderSize = 12

// Sizes that both ends hold to, in bytes.
const (
	// MaxControl is the longest payload of all types but those of records.
	MaxControl = 1 << 20
	// AppendHead is before the packed records of an append: its sequence, and the
	// producer and sequence of its key.
	AppendHead = 24
	// OnceHead is before the packed records of an append with ids, if it has none:
	// its sequence and how many parts there are; PartSize is what each takes.
	OnceHead = 12
	PartSize = 24
	// BatchesHead is what a frame of batches begins with: the first and the last
	// id of the log.
	BatchesHead = 16
	// BatchHead is before the packed records of each batch: its first id, time,
	// and the length of the packed records in eight bytes.
	BatchHead = 24
	// FillBatch is up to where batches share a frame.
	FillBatch = 256 << 10
)

// MaxInFlight is how many appends of a connection may be without an answer.
const MaxInFlight = 64

// Type of a frame.
type Type uint8

// The types. Those that ask have the number of a stream which the answer has as
// well: the client draws it and may use it again after the answer.
const (
	Hello        Type = iota + 1 // client: who it is and which queue it wants
	Welcome                      // server: answer to Hello
	Append                       // client: sequence, key, packed records
	Appended                     // server: sequence, first id, time
	Read                         // client: opens a stream of records from an id, with credit
	Batch                        // server: records
	Credit                       // client: more credit for a stream
	Stop                         // client: closes a stream
	Bounds                       // server: first and last id, unasked
	Call                         // client: a request with an answer, its code first
	Answer                       // server: answer to Call
	Error                        // server: in place of an answer, or ends a stream
	Drain                        // server: it is about to end; connect again
	Bye                          // client: it is about to close; forget the session
	Refused                      // server: sequence of an append, and why it was not done
	AppendOnce                   // client: sequence, ids of parts, packed records; from minor 1 on
	AppendedOnce                 // server: sequence, first id, time, parts that were there before
	typeEnd
)

var typeNames = [...]string{"", "hello", "welcome", "append", "appended", "read", "batch",
	"credit", "stop", "bounds", "call", "answer", "error", "drain", "bye", "refused",
	"append once", "appended once"}

// String is the name in docs.
func (t Type) String() string {
	if t > 0 && t < typeEnd {
		return typeNames[t]
	}
	return fmt.Sprintf("type %d", uint8(t))
}

// Known reports whether there is such a type.
func (t Type) Known() bool { return t > 0 && t < typeEnd }

// Header is what a frame begins with.
type Header struct {
	Type   Type
	Stream uint16
	Size   int // size of the payload, in bytes
	crc    uint32
}

var little = binary.LittleEndian

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Begin appends room for a header, whose payload is to follow; Finish fills it.
func Begin(dst []byte) []byte { return append(dst, make([]byte, HeaderSize)...) }

// Finish writes the header of the frame that begins at start and takes up the
// rest of b.
func Finish(b []byte, start int, t Type, stream uint16) {
	head := b[start : start+HeaderSize]
	little.PutUint32(head, uint32(len(b)-start-4))
	head[4], head[5] = byte(t), 0
	little.PutUint16(head[6:], stream)
	crc := crc32.Update(0, castagnoli, head[:8])
	crc = crc32.Update(crc, castagnoli, b[start+HeaderSize:])
	little.PutUint32(head[8:], crc)
}

// FinishParts is Finish of a frame at the start of head, whose payload goes on in
// rest.
func FinishParts(head []byte, t Type, stream uint16, rest []byte) {
	little.PutUint32(head, uint32(len(head)+len(rest)-4))
	head[4], head[5] = byte(t), 0
	little.PutUint16(head[6:], stream)
	crc := crc32.Update(0, castagnoli, head[:8])
	crc = crc32.Update(crc, castagnoli, head[HeaderSize:])
	little.PutUint32(head[8:], crc32.Update(crc, castagnoli, rest))
}

// AppendFrame appends a frame whose payload fill appends.
func AppendFrame(dst []byte, t Type, stream uint16, fill func([]byte) []byte) []byte {
	start := len(dst)
	dst = Begin(dst)
	if fill != nil {
		dst = fill(dst)
	}
	Finish(dst, start, t, stream)
	return dst
}

// ReadHeader reads the header of the next frame. At the end it is io.EOF. A
// header that cannot be one is a ProtocolError; how long a payload may be is the
// business of the caller, before it takes memory for it.
func ReadHeader(in io.Reader, scratch *[HeaderSize]byte) (Header, error) {
	if _, err := io.ReadFull(in, scratch[:]); err != nil {
		return Header{}, err
	}
	return ParseHeader(scratch)
}

// ParseHeader reads a header.
func ParseHeader(b *[HeaderSize]byte) (Header, error) {
	size := little.Uint32(b[:])
	h := Header{Type: Type(b[4]), Stream: little.Uint16(b[6:]), crc: little.Uint32(b[8:])}
	switch {
	case size < HeaderSize-4:
		return h, protocolf("a frame of %d bytes is shorter than its header", size)
	case !h.Type.Known():
		return h, protocolf("a frame of %v is not known", h.Type)
	case b[5] != 0:
		return h, protocolf("flags %#x of a frame are not known", b[5])
	}
	h.Size = int(size) - (HeaderSize - 4)
	return h, nil
}

// Check compares the checksum with the header as it was read and the payload.
func (h Header) Check(head *[HeaderSize]byte, payload []byte) error {
	crc := crc32.Update(0, castagnoli, head[:8])
	if crc32.Update(crc, castagnoli, payload) != h.crc {
		return protocolf("the checksum of a frame of %s is wrong", h.Type)
	}
	return nil
}

func protocolf(format string, args ...any) error {
	return &nerve.ProtocolError{Reason: fmt.Sprintf(format, args...)}
}
