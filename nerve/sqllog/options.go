package sqllog

import (
	"log/slog"
	"time"

	"github.com/octopus-framework/octopus/nerve"
)

// Defaults of Options.
const (
	DefaultMaxRecord = 4 << 20
	DefaultMaxBatch  = 8 << 20
	DefaultLease     = 10 * time.Second
	DefaultPollMax   = 50 * time.Millisecond
	DefaultReadAhead = 2 << 20
)

// Options of a Log. The zero value is useful.
type Options struct {
	// Queue is the name of the queue, see nerve.CheckName. It may be given as
	// queue=NAME in the URL instead. It is made when it does not exist.
	Queue string

	// Limits of records and batches. Zero fields mean 4 MiB and 8 MiB. A
	// batch of the limit must fit into max_allowed_packet of MySQL.
	Limits nerve.Limits

	// Dedup bounds what is remembered of the ids of appends
	// ([nerve.Batch.Once]), in a table.
	Dedup nerve.DedupWindow

	// NoCompression stores batches as they are. Without it they go through
	// s2, which makes a database faster: it is bound by bytes.
	NoCompression bool

	// Exclusive makes this the only writer, with a lease: Open is a
	// nerve.LockedError while another one has it, and whoever lost it, because
	// it was stopped for longer than the lease, gets a nerve.FencedError at
	// each append from then on.
	Exclusive bool

	// Lease is how long a claim of the writer or of a consumer lasts without
	// being renewed. Default 10 s. It is measured by the clock of the server.
	Lease time.Duration

	// ReadOnly opens a queue that exists for reading alone. Nothing is
	// written and no right to write is needed, except on MySQL without a
	// binary log, where a reader changes a counter in nerve_barriers.
	ReadOnly bool

	// AllowWeakDurability accepts a server that may lose what it has committed
	// when its machine fails, such as with innodb_flush_log_at_trx_commit=2 or
	// synchronous_commit=off.
	AllowWeakDurability bool

	// AllowRewound opens a queue although a consumer has acknowledged more
	// than there is: a backup was restored, or a replica took over without the
	// newest records. Pointers past the end are moved to the end. Without it
	// that is a [RewoundError].
	AllowRewound bool

	// NoMigration leaves the tables alone: a schema that is missing or of an
	// older version is a nerve.FormatError. See [Schema].
	NoMigration bool

	// PollMax is the longest pause between two looks for records that other
	// processes appended, while a cursor waits at the end. Pauses begin at
	// 1 ms and grow while nothing comes. Default 50 ms.
	PollMax time.Duration

	// ReadAhead is how much a cursor holds in memory, in bytes before
	// compression, over the batch that it yields. Default 2 MiB.
	ReadAhead int

	// Logger is told of connections that were lost. Nil is silent.
	Logger *slog.Logger
}

func (o *Options) setDefaults() {
	if o.Limits.Record <= 0 {
		o.Limits.Record = DefaultMaxRecord
	}
	if o.Limits.Batch <= 0 {
		o.Limits.Batch = DefaultMaxBatch
	}
	o.Dedup = o.Dedup.WithDefaults()
	if o.Lease <= 0 {
		o.Lease = DefaultLease
	}
	if o.PollMax <= 0 {
		o.PollMax = DefaultPollMax
	}
	if o.ReadAhead <= 0 {
		o.ReadAhead = DefaultReadAhead
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
}
