package rt

// A recording is an array of 8-byte words in the byte order of the machine that wrote it, grouped
// in chunks of ChunkSize bytes. The first chunk is the header, every other one belongs to one
// goroutine at a time:
//
//	header   Magic, 1 (byte order), start (Unix ns), process id, dropped, end (ticks, or 0), ns a tick (a float64),
//	         snapshot (ticks, or 0); last (ns, or 0), 1 for a flight recorder, number of Pieces (or 0);
//	         at HeaderProgram, HeaderGo and HeaderReason: a length, then bytes
//
//	chunk    first word                                         words after it
//	Piece    depth << 32 | kind                                 sequence, goroutine, parent, fork or 0, ticks since start
//	Enter    delta << 32 | function << 8 | kind
//	Exit     delta << 32 | outcome << 4 | kind
//	Fork     delta << 32 | kind                                 fork id
//	Text     length << 8 | which (TextArgs, ..) << 4 | kind     the bytes, padded
//	Func     function << 8 | kind                               line << 32 | name length << 16 | file length, both padded
//	Open     depth << 32 | function << 8 | kind                 ticks since start
//
// A delta is the time since the event before it in the chunk, in ticks; where it does not fit,
// another Piece stands between the two. A first word of 0 ends a chunk; it is stored last, so that
// a program killed between two stores leaves no half event. A chunk can serve several goroutines
// one after another, and a goroutine several chunks: each turn starts with a Piece, whose sequence
// number orders the turns of a goroutine. It carries the depth, the number of open calls, so that a
// reader finds its way again after a gap. Everything else is about the innermost open call.
//
// In a flight recorder new chunks take the place of the oldest. There a Piece is followed by an
// Open for each open call (the innermost MaxOpen), with the time of its entry, which may be gone. A
// copy that was made while the program went on has the time of the snapshot in its header; what is
// later counts no more. With last, neither does what is older than that before the end.
const (
	// Magic is the first word of a recording. The last digit is the version of the format.
	Magic = uint64(0x33_45_43_41_52_54_46_2e) // ".FTRACE3" as bytes, little-endian

	// Magic2 is that of the version before, which has no Open, no snapshot and no last.
	Magic2 = uint64(0x32_45_43_41_52_54_46_2e)

	// WordSize and ChunkSize are in bytes.
	WordSize  = 8
	ChunkSize = 4096

	// PieceWords, ForkWords and OpenWords are lengths of events in words.
	PieceWords = 6
	ForkWords  = 2
	OpenWords  = 2

	// Offsets of the header's fields, in bytes.
	HeaderMagic   = 0
	HeaderOrder   = 8
	HeaderStart   = 16
	HeaderPID     = 24
	HeaderDropped = 32
	HeaderEnd     = 40
	HeaderRate    = 48
	HeaderCut     = 56
	HeaderProgram = 64
	HeaderGo      = 1024
	HeaderReason  = 2048
	HeaderLast    = 3072
	HeaderRing    = 3080
	HeaderPieces  = 3088

	// MaxHeaderText bounds the two strings of the header, in bytes.
	MaxHeaderText = 512

	// MaxDepth bounds the depth of recorded calls. Deeper ones are dropped and counted.
	MaxDepth = 1 << 16

	// MaxName bounds the name of a function and of its file, each, in bytes. Longer ones lose their
	// beginning.
	MaxName = 1000

	// MaxOpen bounds the number of Opens behind a Piece.
	MaxOpen = 64

	// MaxText bounds one text (the arguments of one call, or one error), in bytes.
	MaxText = 240

	// MaxFuncs bounds the number of functions. Calls of others are dropped and counted.
	MaxFuncs = 1<<24 - 1
)

// Kind says what an event is.
type Kind uint8

// The kinds of events, see the drawing above.
const (
	KindNone Kind = iota
	KindPiece
	KindEnter
	KindExit
	KindFork
	KindText
	KindFunc
	KindOpen
)

// Outcome says how a call ended.
type Outcome uint8

// The outcomes of a call. Failed is a return with a non-nil error; Goexit is runtime.Goexit, which
// t.FailNow and t.Skip use.
const (
	Returned Outcome = iota
	Failed
	Panicked
	Goexit
)

// What a text belongs to: the arguments of the innermost open call, or the error it is about to
// return, or the traceparent (W3C) of the request that the call belongs to.
const (
	TextArgs  = 1
	TextError = 2
	TextTrace = 3
)

const (
	nibbleShift = 4
	idShift     = 8
	idMask      = 1<<24 - 1
	deltaShift  = 32
	maxDelta    = 1<<32 - 1
)

// first returns the first word of an event without its delta.
func first(k Kind, nibble uint8, id uint32) uint64 {
	return uint64(id&idMask)<<idShift | uint64(nibble&15)<<nibbleShift | uint64(k)
}

// First takes apart the first word of an event: its kind; an Outcome or what a text belongs to; the
// number of a function, or the length of a text in bytes; and the delta, or the depth of a Piece.
func First(w uint64) (k Kind, nibble uint8, id uint32, delta uint64) {
	return Kind(w & 15), uint8(w >> nibbleShift & 15), uint32(w >> idShift & idMask),
		w >> deltaShift
}

// FuncLengths takes apart the second word of a Func: the line, and the lengths of name and file in
// bytes.
func FuncLengths(w uint64) (line, name, file int) {
	return int(w >> 32), int(w >> 16 & 0xffff), int(w & 0xffff)
}

// Words returns how many words n bytes of text fill.
func Words(n int) int { return (n + WordSize - 1) / WordSize }
