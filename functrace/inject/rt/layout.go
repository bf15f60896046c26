package rt

// A recording is an array of 16-byte slots in the byte order of the machine that wrote it, grouped in chunks of
// ChunkSize bytes. The first chunk is the header, every other one belongs to one goroutine at a time:
//
//	         +0        +8                    +0         +8
//	header   Magic     1 (byte order)        start, Unix ns   process id
//	         dropped   end, ns or 0          (program: length, then bytes) (Go version: length, then bytes)
//
//	chunk    a (8 bytes)            w (8 bytes): id<<32 | depth<<8 | outcome<<4 | kind
//	Piece    goroutine id           sequence<<8 | kind
//	         parent goroutine id    fork id or 0          (second slot)
//	Enter    ns since start         function, depth
//	Exit     ns since start         function, depth, outcome
//	Fork     ns since start         depth
//	         fork id                0                     (second slot)
//	Text     which (TextArgs, ..)   length<<32 | depth    then the bytes, padded to whole slots
//	Func     line<<32 | name length<<16 | file length     id, then name and file, padded
//
// A slot whose w is 0 ends its chunk. w is stored last, so that a program killed between two stores leaves no half
// event. A chunk can serve several goroutines one after another, and a goroutine several chunks: each turn starts with a
// Piece, whose sequence number orders the turns of a goroutine. Every event carries its depth, so a reader finds its way
// again after a gap.
const (
	// Magic is the first word of a recording. The last digit is the version of the format.
	Magic = uint64(0x31_45_43_41_52_54_46_2e) // ".FTRACE1" as bytes, little-endian

	// SlotSize and ChunkSize are in bytes.
	SlotSize  = 16
	ChunkSize = 4096

	// Offsets of the header's fields, in bytes.
	HeaderMagic   = 0
	HeaderOrder   = 8
	HeaderStart   = 16
	HeaderPID     = 24
	HeaderDropped = 32
	HeaderEnd     = 40
	HeaderProgram = 64
	HeaderGo      = 1024

	// MaxHeaderText bounds the two strings of the header, in bytes.
	MaxHeaderText = 512

	// MaxDepth bounds the depth of recorded calls. Deeper ones are dropped and counted.
	MaxDepth = 1 << 16

	// MaxName bounds the name of a function and of its file, each, in bytes. Longer ones lose their beginning.
	MaxName = 1000

	// MaxText bounds one text (the arguments of one call, or one error), in bytes.
	MaxText = 240
)

// Kind says what a slot holds.
type Kind uint8

// The kinds of slots, see the drawing above.
const (
	KindNone Kind = iota
	KindPiece
	KindEnter
	KindExit
	KindFork
	KindText
	KindFunc
)

// Outcome says how a call ended.
type Outcome uint8

// The outcomes of a call. Failed is a return with a non-nil error; Goexit is runtime.Goexit, which t.FailNow and
// t.Skip use.
const (
	Returned Outcome = iota
	Failed
	Panicked
	Goexit
)

// What a text belongs to: the arguments of the innermost open call, or the error it is about to return.
const (
	TextArgs  = 1
	TextError = 2
)

const (
	outcomeShift = 4
	depthShift   = 8
	depthMask    = 1<<24 - 1
	idShift      = 32
	seqShift     = 8
)

type slot struct{ a, w uint64 }

func word(k Kind, o Outcome, depth, id uint32) uint64 {
	return uint64(id)<<idShift | uint64(depth&depthMask)<<depthShift | uint64(o)<<outcomeShift | uint64(k)
}

// Word takes apart the second word of a slot.
func Word(w uint64) (k Kind, o Outcome, depth, id uint32) {
	return Kind(w & 15), Outcome(w >> outcomeShift & 15), uint32(w >> depthShift & depthMask), uint32(w >> idShift)
}

// PieceSequence returns the sequence number in the second word of a Piece.
func PieceSequence(w uint64) uint64 { return w >> seqShift }

// textSlots returns how many slots n bytes fill.
func textSlots(n int) int { return (n + SlotSize - 1) / SlotSize }
