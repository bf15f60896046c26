package nerve

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"time"
)

// DedupID is the id of an append by which a log recognises that it is sent
// again: see [Batch.Once]. It is made of what a sender sends again as well, the
// content of a request or the id of a delivery in its header, by [DedupIDOf].
// The zero DedupID is none.
type DedupID [16]byte

// DedupIDOf returns the id of what a sender sends again, such as the bytes of a
// request, or a name of the sender and its id of a delivery: the first 128 bits of
// the SHA-256 of the parts and their lengths. Nobody finds other bytes for the
// id of somebody's append, and two of a million million ids are equal by chance
// with a probability of 10^-15.
func DedupIDOf(parts ...[]byte) (id DedupID) {
	h := sha256.New()
	var size [8]byte
	for _, p := range parts {
		binary.LittleEndian.PutUint64(size[:], uint64(len(p)))
		h.Write(size[:])
		h.Write(p)
	}
	var sum [sha256.Size]byte
	copy(id[:], h.Sum(sum[:0]))
	return id
}

// String returns the id in hexadecimal.
func (id DedupID) String() string { return hex.EncodeToString(id[:]) }

// DedupWindow bounds what a log remembers of ids of appends. An id is forgotten when
// either bound is passed; an append with it is then stored as a new one.
type DedupWindow struct {
	// IDs is how many of the newest are remembered. Each takes some 100 bytes of
	// memory. Default 65,536, at most MaxDedupIDs.
	IDs int
	// Age is how long an id is remembered after its append: a repeated append that
	// comes later is stored as a new one. Default one hour.
	Age time.Duration
}

// Defaults and bounds of a DedupWindow.
const (
	DefaultDedupIDs = 1 << 16
	DefaultDedupAge = time.Hour
	MaxDedupIDs     = 1 << 22
)

// WithDefaults returns w with the defaults for what is not set.
func (w DedupWindow) WithDefaults() DedupWindow {
	if w.IDs <= 0 {
		w.IDs = DefaultDedupIDs
	}
	w.IDs = min(w.IDs, MaxDedupIDs)
	if w.Age <= 0 {
		w.Age = DefaultDedupAge
	}
	return w
}

// Deduplicator is a Log that remembers the ids of appends ([Batch.Once]), also
// after it was closed, killed or cut from power: an id is stored by the same
// commit as the records. An append with an id that it remembers stores nothing
// and returns where the records of the first one are, whatever bytes it has.
//
// A [Queue] over a log that is none refuses appends with ids with a [KeyError].
type Deduplicator interface {
	Log

	// DedupWindow returns how much the log remembers, the defaults filled in.
	DedupWindow() DedupWindow
}
