package kafkalog

import (
	"log/slog"
	"time"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/twmb/franz-go/pkg/kgo"
)

// Defaults of Options.
const (
	DefaultFetchBytes      = 4 << 20
	DefaultMaxDecompressed = 128 << 20
	DefaultLease           = 10 * time.Second
	DefaultMaxMessage      = 32 << 20
)

// maxFetch leaves room for a batch below what a client takes as an answer.
const maxFetch = 64 << 20

// Options of a Log. The zero value opens a topic that exists, for reading and
// writing.
type Options struct {
	// ReadOnly refuses everything that writes. It needs the rights Read,
	// Describe and DescribeConfigs alone.
	ReadOnly bool

	// Create makes the topic if it does not exist, with settings that keep the
	// contract, and one partition more than the number of the one to open.
	Create bool
	// Replicas of a topic that is created. 0 is as many as there are brokers, 3
	// at most.
	Replicas int
	// MaxMessage is the largest record batch of a topic that is created, in
	// bytes. Default 32 MiB.
	MaxMessage int

	// AllowUnsynced opens a topic for writing whose acknowledged records a
	// single machine can lose: one that neither is stored twice before an append
	// returns nor synced to disk. A topic that is created with one replica is then
	// not synced. See [Durability].
	AllowUnsynced bool

	// Compression of appended batches. Default None.
	Compression Codec

	// Envelope makes records out of keys, headers and times of Kafka's as well:
	// each is read as an encoded nerve.v1.KafkaRecord (kafka_record.proto). A
	// log with envelopes is read-only.
	Envelope bool

	// FetchBytes is how much is read in one request. Twice as much memory is
	// used for each cursor. Default 4 MiB, 64 MiB at most.
	FetchBytes int
	// MaxDecompressed is the size up to which compressed batches are read.
	// Default 128 MiB.
	MaxDecompressed int

	// Lease is how long a claim of a consumer name lasts unless it is renewed.
	// Default 10 seconds.
	Lease time.Duration

	// Dedup bounds what is remembered of the ids of appends ([nerve.Batch.Once]).
	// The first append with one reads what was appended to the partition within
	// Dedup.Age, of which DefaultDedupAge is the default here.
	Dedup nerve.DedupWindow

	// NoGroups turns off that pointers are also committed as offsets of the
	// group TOPIC.NAME, by which Kafka's tools show the lag of consumers.
	NoGroups bool

	// Logger is told of group offsets that were not committed. Nil is silent.
	Logger *slog.Logger

	// Client options are applied last: TLS, SASL, dialing, logging.
	Client []kgo.Opt

	now func() time.Time // the clock of claims; tests move it
}

func (o *Options) setDefaults() {
	if o.MaxMessage <= 0 {
		o.MaxMessage = DefaultMaxMessage
	}
	if o.FetchBytes <= 0 {
		o.FetchBytes = DefaultFetchBytes
	}
	o.FetchBytes = min(o.FetchBytes, maxFetch)
	if o.MaxDecompressed <= 0 {
		o.MaxDecompressed = DefaultMaxDecompressed
	}
	if o.Dedup.Age <= 0 {
		o.Dedup.Age = DefaultDedupAge
	}
	o.Dedup = o.Dedup.WithDefaults()
	if o.Lease <= 0 {
		o.Lease = DefaultLease
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.now == nil {
		o.now = time.Now
	}
	o.ReadOnly = o.ReadOnly || o.Envelope
}
