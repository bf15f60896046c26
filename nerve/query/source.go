package query

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/octopus-framework/octopus/nerve"
)

// Source is what a query reads: every nerve.Log and *nerve.Queue is one, and a File.
type Source interface {
	// Bounds returns the first and last id; last is first-1 if there is none.
	Bounds() (first, last nerve.ID)
	// Read returns a cursor whose first record is from.
	Read(ctx context.Context, from nerve.ID) (nerve.Cursor, error)
	// Seek returns the id of the first record of this time or later.
	Seek(ctx context.Context, t time.Time) (nerve.ID, error)
}

// File is length-delimited messages as a Source: before each its length as a varint. Records are
// numbered from 1 and have no time. It is safe for concurrent use.
type File struct {
	in     io.ReaderAt
	size   int64
	count  nerve.ID
	blocks []int64 // where each run of blockRecords records begins
}

const (
	blockRecords = 4096
	maxMessage   = 1 << 30
)

// DelimitedError says where a file of length-delimited messages is damaged.
type DelimitedError struct {
	Offset int64 // the offset in bytes
	Record nerve.ID
	Reason string
}

// Error names the place.
func (e *DelimitedError) Error() string {
	return fmt.Sprintf("record %d, at byte %d: %s", e.Record, e.Offset, e.Reason)
}

// NewFile looks through in, which has size bytes, for where messages begin. The error is that of
// in, or a *DelimitedError.
func NewFile(in io.ReaderAt, size int64) (*File, error) {
	f := &File{in: in, size: size}
	r := bufio.NewReaderSize(io.NewSectionReader(in, 0, size), 1<<20)
	for at := int64(0); at < size; {
		if f.count%blockRecords == 0 {
			f.blocks = append(f.blocks, at)
		}
		n, used, err := messageSize(r, at, f.count+1)
		if err != nil {
			return nil, err
		}
		if n > size-at-used {
			return nil, &DelimitedError{Offset: at, Record: f.count + 1,
				Reason: "the file ends inside the message"}
		}
		if _, err := r.Discard(int(n)); err != nil {
			return nil, err
		}
		at += used + n
		f.count++
	}
	return f, nil
}

func messageSize(r *bufio.Reader, at int64, id nerve.ID) (n, used int64, err error) {
	var v uint64
	for shift := 0; shift < 35; shift += 7 {
		c, err := r.ReadByte()
		if errors.Is(err, io.EOF) {
			return 0, 0, &DelimitedError{Offset: at, Record: id,
				Reason: "the file ends inside a length"}
		}
		if err != nil {
			return 0, 0, err
		}
		v |= uint64(c&0x7f) << shift
		if c < 0x80 {
			if v > maxMessage {
				break
			}
			return int64(v), int64(shift/7 + 1), nil
		}
	}
	return 0, 0, &DelimitedError{Offset: at, Record: id,
		Reason: "this is no length of a message: the file is not length-delimited"}
}

// Bounds implements Source.
func (f *File) Bounds() (first, last nerve.ID) { return 1, f.count }

// Seek implements Source: no record has a time.
func (f *File) Seek(context.Context, time.Time) (nerve.ID, error) { return 1, nil }

// Read implements Source.
func (f *File) Read(_ context.Context, from nerve.ID) (nerve.Cursor, error) {
	if from < 1 || from > f.count+1 {
		return nil, &nerve.FutureError{ID: from, Next: f.count + 1}
	}
	block := min(int(from-1)/blockRecords, max(len(f.blocks)-1, 0))
	at := int64(0)
	if len(f.blocks) > 0 {
		at = f.blocks[block]
	}
	return &fileCursor{file: f, next: nerve.ID(block*blockRecords) + 1, from: from, at: at,
		in: bufio.NewReaderSize(io.NewSectionReader(f.in, at, f.size-at), 1<<18)}, nil
}

// fileCursor reads records in packs.
type fileCursor struct {
	file *File
	in   *bufio.Reader
	at   int64
	next nerve.ID
	from nerve.ID
	pack []byte
	ends []uint32
}

const packBytes = 1 << 20

// Next implements nerve.Cursor.
func (c *fileCursor) Next(ctx context.Context, b *nerve.Batch) error {
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	for {
		first := c.next
		c.pack, c.ends = c.pack[:0], c.ends[:0]
		for c.next <= c.file.count && len(c.pack) < packBytes && len(c.ends) < blockRecords {
			n, used, err := messageSize(c.in, c.at, c.next)
			if err != nil {
				return err
			}
			if len(c.pack)+int(n) > math.MaxInt32 {
				break
			}
			c.pack = binary.LittleEndian.AppendUint32(c.pack, uint32(n))
			start := len(c.pack)
			c.pack = append(c.pack, make([]byte, n)...)
			if _, err := io.ReadFull(c.in, c.pack[start:]); err != nil {
				return err
			}
			c.ends = append(c.ends, uint32(len(c.pack)))
			c.at += used + n
			c.next++
		}
		if len(c.ends) == 0 {
			return io.EOF
		}
		b.View(first, 0, c.pack, c.ends)
		if b.DropBefore(c.from); b.Len() > 0 {
			return nil
		}
	}
}

// Close implements nerve.Cursor.
func (c *fileCursor) Close() error { return nil }

// bounds returns the ids that the query looks at.
func (p *Plan) bounds(ctx context.Context, src Source) (first, last nerve.ID, err error) {
	first, last = src.Bounds()
	q := &p.query
	first = max(first, q.From)
	if q.To != 0 {
		last = min(last, q.To)
	}
	since, until := q.Since, q.Until
	if p.where != nil {
		b := p.where.Bounds()
		if b.FirstID > 0 {
			first = max(first, nerve.ID(b.FirstID))
		}
		if b.LastID < 1 {
			return first, first - 1, nil
		}
		last = min(last, nerve.ID(b.LastID))
		if t := time.Unix(0, b.FirstTime); b.FirstTime != math.MinInt64 && t.After(since) {
			since = t
		}
		if b.LastTime < math.MaxInt64-1 {
			if t := time.Unix(0, b.LastTime+1); until.IsZero() || t.Before(until) {
				until = t
			}
		}
	}
	if _, isFile := src.(*File); !isFile && !since.IsZero() && first <= last {
		id, err := src.Seek(ctx, since)
		if err != nil {
			return 0, 0, err
		}
		first = max(first, id)
	}
	if _, isFile := src.(*File); !isFile && !until.IsZero() && first <= last {
		id, err := src.Seek(ctx, until)
		if err != nil {
			return 0, 0, err
		}
		last = min(last, id-1)
	}
	if last < first {
		last = first - 1
	}
	return first, last, nil
}
