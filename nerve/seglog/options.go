package seglog

import (
	"log/slog"
	"time"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/vfs"
)

// Durability says when an append returns, and so what a crash can lose. In
// every mode the death of the process alone loses nothing that was
// acknowledged, a segment is synced when it is full, and Close syncs.
type Durability uint8

const (
	// SyncAlways returns from an append when the disk has it: a power cut
	// loses no acknowledged record. The default.
	SyncAlways Durability = iota
	// SyncInterval returns when the operating system has the batch and syncs
	// every Options.SyncEvery: a power cut loses at most the records of the
	// last interval, from the end of the log.
	SyncInterval
	// SyncNever leaves the moment to the operating system, often half a minute
	// later: a power cut loses the records since then, from the end of the
	// log, at most one segment of them.
	SyncNever
)

// Limits and their defaults, in bytes unless said otherwise.
const (
	DefaultSegmentSize = 64 << 20
	MinSegmentSize     = 4 << 10
	MaxSegmentSize     = 1 << 30

	DefaultMaxRecord   = 8 << 20
	DefaultMaxBatch    = 16 << 20
	DefaultCompressMin = 1 << 10
	DefaultSyncEvery   = 200 * time.Millisecond
	DefaultTailMemory  = 16 << 20

	// maxBatchLimit bounds what a header may claim, whatever the options are
	// now: the log may have been written under others.
	maxBatchLimit = 256 << 20
	// indexSpacing is the distance of index entries: what a search walks.
	indexSpacing = 64 << 10
	// MaxConsumers is how many pointers a log stores.
	MaxConsumers = 4096
	// readChunk is how much a cursor reads at a time: it stays in the second
	// cache of one core, which is why it is faster than a mapping.
	readChunk = 128 << 10
	// checkPiece is how much is checked at a time: it stays in the first cache.
	checkPiece = 16 << 10
	// readAlign is what the addresses that are read to are a multiple of.
	readAlign = 64
	// retainEvery is how often retention by age looks.
	retainEvery = 10 * time.Second
	// pollEvery is how often a read-only log looks for what the writer in
	// another process did.
	pollEvery = 50 * time.Millisecond
)

// Options of a Log. The zero value is useful.
type Options struct {
	// ReadOnly opens without the lock, beside a writer in another process if
	// there is one, and follows it. It changes nothing on disk, never repairs,
	// and opens damaged logs too.
	ReadOnly bool

	// Durability of appends. Default SyncAlways.
	Durability Durability
	// SyncEvery is the interval of SyncInterval. Default 200 ms.
	SyncEvery time.Duration

	// SegmentSize is the size of the files, from MinSegmentSize to
	// MaxSegmentSize, in steps of 4 KiB; a batch that is larger gets a file of its own. Default
	// 64 MiB. The first file of a log has 1 MiB, and each later one may be four times as large as
	// the data in the one before, up to this size.
	SegmentSize int64
	// NoSpare makes segments when they are needed instead of ahead of time.
	// Without it the log keeps one or two more files, which it
	// fills with zeros in the background: syncs are then faster and depend
	// less on what else is being written, but what goes there is written twice.
	// While batches of 128 KiB or more come without a pause, none are made.
	NoSpare bool
	// NoDirect keeps all appends in the cache of the system. Without it, in
	// SyncAlways, on Linux and where the file system allows it, large batches
	// bypass the cache while the mean of the last eight is 64 KiB or more, which
	// is faster. Stats says whether, and why not.
	NoDirect bool
	// TailMemory is how much memory a log has from which large batches are
	// written and consumers near the end read, in bytes, outside the heap. It is
	// taken with the first large batch and given back when none came for ten
	// seconds. All logs of a process have at most 256 MiB together; those that
	// find none left append through the cache. Default 16 MiB.
	TailMemory int64
	// MaxRecord is the size of the largest record, which must fit into a batch.
	// Default 8 MiB.
	MaxRecord int
	// MaxBatch is the size of the largest batch. Default 16 MiB, at most
	// 256 MiB.
	MaxBatch int

	// Compression of batches. Default none: the disk is usually faster than
	// the compressor.
	Compression Compression
	// CompressMin is the batch size below which compression is not tried.
	// Default 1 KiB.
	CompressMin int

	// MaxBytes bounds the size of all segments together: an append that would make them larger
	// gets a nerve.FullError, until records are trimmed. SegmentSize is at most an eighth
	// of it then, since space comes back by segments, and MaxBatch at most half. 0 is no
	// bound.
	MaxBytes int64
	// RetainBytes trims the oldest segments while all together are larger.
	// 0 keeps everything. The segment that is appended to always stays.
	RetainBytes int64
	// RetainAge trims segments whose newest record is older. 0 keeps
	// everything. The segment that is appended to always stays.
	RetainAge time.Duration

	// Dedup bounds what is remembered of the ids of appends ([nerve.Batch.Once]),
	// in memory and in a file of 40 bytes for each, which is written anew with
	// each segment.
	Dedup nerve.DedupWindow

	// Lease is how long a claim of a consumer's name lasts unless it is renewed, for
	// servers, whose clients come and go. 0 is until it is released or the log is
	// closed: the consumers of a process die with it.
	Lease time.Duration
	// Now is the clock of leases. Nil is time.Now.
	Now func() time.Time

	// FS is the disk. Nil is the operating system's.
	FS vfs.FS
	// Logger is told of recoveries, retention and failures. Nil is silent.
	Logger *slog.Logger

	// firstSegment is the limit of the first segment, another one in tests.
	firstSegment int64
	// chooseDirect decides instead of the sizes of batches, in tests.
	chooseDirect func() bool
}

func (o Options) withDefaults() Options {
	if o.SyncEvery <= 0 {
		o.SyncEvery = DefaultSyncEvery
	}
	if o.SegmentSize <= 0 {
		o.SegmentSize = DefaultSegmentSize
	}
	if o.MaxBytes > 0 {
		o.MaxBytes = max(o.MaxBytes, 8*MinSegmentSize)
		o.SegmentSize = min(o.SegmentSize, o.MaxBytes/8)
	}
	o.SegmentSize = min(max(o.SegmentSize, MinSegmentSize), MaxSegmentSize)
	o.SegmentSize = blockEnd(o.SegmentSize)
	if o.firstSegment <= 0 {
		o.firstSegment = firstSegment
	}
	if o.TailMemory <= 0 {
		o.TailMemory = DefaultTailMemory
	}
	o.TailMemory = blockEnd(min(max(o.TailMemory, minTailMemory), maxTailMemory))
	if o.MaxBatch <= 0 {
		o.MaxBatch = DefaultMaxBatch
	}
	o.MaxBatch = min(o.MaxBatch, maxBatchLimit)
	if o.MaxBytes > 0 {
		o.MaxBatch = int(min(int64(o.MaxBatch), o.MaxBytes/2))
	}
	if o.MaxRecord <= 0 {
		o.MaxRecord = DefaultMaxRecord
	}
	o.MaxRecord = min(o.MaxRecord, o.MaxBatch-4)
	if o.CompressMin <= 0 {
		o.CompressMin = DefaultCompressMin
	}
	o.Dedup = o.Dedup.WithDefaults()
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.FS == nil {
		o.FS = vfs.OS{}
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return o
}
