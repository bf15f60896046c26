package kafkalog

import (
	"context"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/internal/keyed"
	"github.com/twmb/franz-go/pkg/kerr"
)

// idsHeader is the header by which the first record of a batch says which ids its
// parts have. All batches with ids have one producer id in a partition, so who
// appends one must know the place of the newest, and knows it only after reading
// all that came before: compare and append, as pointers are saved.
const idsHeader = "nerve.ids"

// idsSpace is more than the header takes: nerve.MaxParts times an id and two
// uvarints, and a number.
const idsSpace = 64 + nerve.MaxParts*24

// DefaultDedupAge is how long ids of appends are remembered by default: less than in
// other logs, because a process reads as much of the partition to begin with.
const DefaultDedupAge = 10 * time.Minute

// idWriter is what a log knows of the batches with ids of a partition.
type idWriter struct {
	next    sequenced
	known   keyed.IDs
	through int64 // the offset up to which the partition was read for them
}

// DedupWindow implements nerve.Deduplicator.
func (l *Log) DedupWindow() nerve.DedupWindow { return l.options.Dedup }

// appendOnce stores what is new of a batch with ids, and returns it with where it is.
// It is empty if there is nothing new.
func (w *writer) appendOnce(ctx context.Context, b *nerve.Batch) (
	rest *nerve.Batch, a nerve.Appended, err error,
) {
	for range maxTries {
		if w.ids == nil {
			if err := w.openIDs(ctx); err != nil {
				return nil, a, err
			}
		}
		ids := w.ids
		rest = ids.known.Sift(b, time.Now().UnixNano())
		if rest.Len() == 0 {
			return rest, a, nil
		}
		token := rand.Uint64()
		p := &producer{next: ids.next}
		a, err = w.try(ctx, p, rest, appendIDs(nil, token, rest.Parts()))
		if err == nil {
			err = w.confirmIDs(ctx, a, token)
		}
		switch {
		case err == nil:
			ids.next, ids.through = p.next, int64(a.Last)
			return rest, a, nil
		case !errors.Is(err, kerr.OutOfOrderSequenceNumber):
			w.ids = nil
			return nil, a, err
		}
		// Another process appended with ids since this one read.
		if err := w.readIDs(ctx); err != nil {
			w.ids = nil
			return nil, a, err
		}
	}
	return nil, a, &nerve.SetupError{Server: w.p.name(), Reason: "a batch was not stored",
		Err: errors.New("other processes append with ids all the time")}
}

// openIDs finds out which ids are remembered: it reads what was appended within the
// window.
func (w *writer) openIDs(ctx context.Context) error {
	w.ids = &idWriter{known: keyed.IDs{Window: w.options.Dedup},
		next: sequenced{producer: producerID("ids")}}
	last, ok, err := w.p.newest(ctx, w.ids.next.producer)
	if ok {
		w.ids.next = sequenced{w.ids.next.producer, last.sequence}.after(1)
	}
	if err == nil {
		from := time.Now().Add(-w.options.Dedup.Age).UnixMilli()
		if w.ids.through, err = w.p.offsetAt(ctx, max(0, from)); err == nil && w.ids.through < 0 {
			w.ids.through, err = w.p.offsetAt(ctx, atEnd)
		}
	}
	if err == nil {
		err = w.readIDs(ctx)
	}
	if err != nil {
		w.ids = nil
	}
	return err
}

// readIDs reads the partition from where it was read to its end.
func (w *writer) readIDs(ctx context.Context) error {
	ids := w.ids
	for {
		f, err := w.p.fetch(ctx, ids.through, w.options.FetchBytes, 0)
		if err != nil {
			return err
		}
		for len(f.records) > 0 {
			b, err := parseBatch(f.records)
			if err == errShort {
				break
			}
			if err != nil {
				return w.p.corrupt(ids.through, err)
			}
			if b.at.producer == ids.next.producer {
				if err := w.takeIDs(&b); err != nil {
					return w.p.corrupt(b.base, err)
				}
			}
			ids.through, f.records = b.last()+1, f.records[b.size:]
		}
		if ids.through >= f.end {
			return nil
		}
	}
}

// takeIDs remembers those of a batch, which is the newest with ids.
func (w *writer) takeIDs(b *recordBatch) error {
	value, err := b.header(&w.decomp, w.options.MaxDecompressed, idsHeader)
	if err != nil {
		return err
	}
	_, parts, err := parseIDs(value, int(b.lastDelta)+1)
	if err != nil {
		return err
	}
	for _, p := range parts {
		w.ids.known.Add(keyed.StoredID{ID: p.ID, Appended: nerve.Appended{
			First: nerve.ID(b.base) + nerve.ID(p.Start) + 1,
			Last:  nerve.ID(b.base) + nerve.ID(p.End), UnixNano: nano(b.max)}})
	}
	w.ids.next = b.at.after(int(b.lastDelta) + 1)
	return nil
}

// confirmIDs reads the batch that was stored for a: the broker takes one of another
// process at the same place for a repetition of it.
func (w *writer) confirmIDs(ctx context.Context, a nerve.Appended, token uint64) error {
	offset := int64(a.First) - 1
	f, err := w.p.fetch(ctx, offset, 1, 0)
	if err != nil {
		return &nerve.OutcomeError{Cause: err}
	}
	b, err := parseBatch(f.records)
	if err == nil && b.base == offset && b.at.producer == w.ids.next.producer {
		var value []byte
		if value, err = b.header(&w.decomp, w.options.MaxDecompressed, idsHeader); err == nil {
			var stored uint64
			stored, _, err = parseIDs(value, int(b.lastDelta)+1)
			if err == nil && stored == token {
				return nil
			}
		}
	}
	if err != nil {
		return &nerve.OutcomeError{Cause: w.p.corrupt(offset, err)}
	}
	return kerr.OutOfOrderSequenceNumber
}

// appendIDs encodes the ids of a batch:
//
//	a random number of 8 bytes
//	for each part: its id of 16 bytes, its first record and how many, as uvarints
func appendIDs(dst []byte, token uint64, parts []nerve.Part) []byte {
	dst = binary.LittleEndian.AppendUint64(dst, token)
	for _, p := range parts {
		dst = append(dst, p.ID[:]...)
		dst = binary.AppendUvarint(dst, uint64(p.Start))
		dst = binary.AppendUvarint(dst, uint64(p.End-p.Start))
	}
	return dst
}

var errIDs = errors.New("its header " + idsHeader + " is malformed")

// parseIDs reads what appendIDs made of a batch of so many records.
func parseIDs(p []byte, records int) (token uint64, parts []nerve.Part, err error) {
	if len(p) < 8 {
		return 0, nil, errIDs
	}
	token, p = binary.LittleEndian.Uint64(p), p[8:]
	for at := 0; len(p) > 0; {
		if len(p) < len(nerve.DedupID{}) {
			return 0, nil, errIDs
		}
		part := nerve.Part{ID: nerve.DedupID(p[:16])}
		p = p[16:]
		start, n := binary.Uvarint(p)
		if n <= 0 {
			return 0, nil, errIDs
		}
		count, m := binary.Uvarint(p[n:])
		if m <= 0 || start < uint64(at) || start > uint64(records) || count == 0 ||
			count > uint64(records)-start {
			return 0, nil, errIDs
		}
		p = p[n+m:]
		part.Start, part.End = int(start), int(start+count)
		parts, at = append(parts, part), part.End
	}
	return token, parts, nil
}
