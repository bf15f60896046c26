package seglog_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"github.com/octopus-framework/octopus/gremlin/guard"
	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/seglog"
	"github.com/octopus-framework/octopus/nerve/vfs"
)

func isTrimmed(err error, as **nerve.TrimmedError) bool { return errors.As(err, as) }

// TestReadsDoNotAllocate reads through the public consumer.
func TestReadsDoNotAllocate(t *testing.T) {
	if guard.On {
		t.Skip("GREMLIN_GUARD copies what is read")
	}
	l := open(t, t.TempDir(), seglog.Options{})
	q := nerve.New(l, nerve.Options{})
	defer q.Close()
	for from := nerve.ID(1); from <= 50_000; from += 100 {
		if _, err := q.AppendBatch(context.Background(), numbered(from, from+99)); err != nil {
			t.Fatal(err)
		}
	}
	c, err := q.Consumer("c", nerve.ConsumerOptions{})
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	var b nerve.Batch
	sum := 0
	next := func() {
		if err := c.Next(ctx, &b); err != nil {
			t.Fatal(err)
		}
		for rec := range b.All() {
			sum += len(rec.Data)
		}
		if err := c.AckThrough(b.Last()); err != nil {
			t.Fatal(err)
		}
	}
	next()
	if n := testing.AllocsPerRun(300, next); n != 0 {
		t.Fatalf("%v allocations for 100 records", n)
	}
}

// TestReadsBatchesOfAllSizes reads tiny and large batches in any order, which a
// cursor gets in one read, in several, or as the rest of another, in segments of
// a few batches, and begins in the middle of them too.
func TestReadsBatchesOfAllSizes(t *testing.T) {
	for _, codec := range []seglog.Compression{seglog.CompressNone, seglog.CompressS2} {
		l := open(t, "log", seglog.Options{FS: new(vfs.Mem), SegmentSize: 2 << 20,
			Compression: codec, NoSpare: true})
		rng := rand.New(rand.NewPCG(5, uint64(codec)))
		noise := make([]byte, 1<<20)
		for i := range noise {
			noise[i] = byte(rng.Uint32())
		}
		content := func(id nerve.ID) []byte {
			rng := rand.New(rand.NewPCG(uint64(id), 7))
			size := rng.IntN(1 << rng.IntN(20))
			at := rng.IntN(len(noise) - size + 1)
			return noise[at : at+size]
		}
		var b nerve.Batch
		for next := nerve.ID(1); next <= 1500; {
			b.Reset()
			for n := rng.IntN(1 << rng.IntN(7)); n >= 0; n-- {
				b.Append(content(next))
				next++
			}
			if _, err := l.Append(context.Background(), &b); err != nil {
				t.Fatal(err)
			}
		}
		_, last := l.Bounds()
		for from := nerve.ID(1); from <= last; from += 1 + nerve.ID(rng.IntN(300)) {
			next := from
			_ = readFrom(l, from, &b, func(rec nerve.Record) {
				if rec.ID != next || !bytes.Equal(rec.Data, content(next)) {
					t.Fatalf("read from %d: record %d is %d with %d bytes", from, next, rec.ID,
						len(rec.Data))
				}
				next++
			})
			if next != last+1 {
				t.Fatalf("read from %d to %d of %d", from, next-1, last)
			}
		}
		l.Close()
	}
}

// TestReadOnlyFollowsAWriter opens the same folder twice, as two processes do.
func TestReadOnlyFollowsAWriter(t *testing.T) { eachWay(t, testReadOnlyFollowsAWriter) }

func testReadOnlyFollowsAWriter(t *testing.T) {
	dir := t.TempDir()
	o := seglog.Options{SegmentSize: 8 << 10}
	w := open(t, dir, o)
	mustAppend(t, w, 1, 10)
	o.ReadOnly = true
	r := open(t, dir, o)
	defer r.Close()
	if _, err := r.Append(context.Background(), numbered(1, 1)); !errors.Is(err,
		nerve.ErrReadOnly) {
		t.Fatalf("Append = %v", err)
	}
	done := make(chan error, 1)
	const last = 600
	go func() {
		cur, err := r.Read(context.Background(), 1)
		if err != nil {
			done <- err
			return
		}
		defer cur.Close()
		ctx, cancel := context.WithTimeout(context.Background(), hangTime)
		defer cancel()
		var b nerve.Batch
		for next := nerve.ID(1); next <= last; {
			if err := cur.Next(ctx, &b); err != nil {
				done <- fmt.Errorf("at %d: %w", next, err)
				return
			}
			for rec := range b.All() {
				if rec.ID != next || string(rec.Data) != damageContent(next) {
					done <- fmt.Errorf("record %d is %d %q", next, rec.ID, rec.Data)
					return
				}
				next++
			}
		}
		done <- nil
	}()
	for from := nerve.ID(11); from <= last; from += 10 {
		mustAppend(t, w, from, from+9)
		if from%200 == 1 {
			time.Sleep(60 * time.Millisecond)
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			w = open(t, dir, seglog.Options{SegmentSize: 8 << 10})
		}
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if err := w.SavePointers(context.Background(),
		[]nerve.Pointer{{Name: "x", ID: 5}}); err != nil {
		t.Fatal(err)
	}
	if p, err := r.Pointers(context.Background()); err != nil || len(p) != 1 {
		t.Fatalf("Pointers = %v, %v", p, err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestRetention(t *testing.T) {
	l := open(t, "log", seglog.Options{FS: new(vfs.Mem), SegmentSize: 8 << 10,
		RetainBytes: 40 << 10})
	defer l.Close()
	if err := l.SavePointers(context.Background(),
		[]nerve.Pointer{{Name: "slow", ID: 0, Hold: true}}); err != nil {
		t.Fatal(err)
	}
	fill := func(from, to nerve.ID) {
		for ; from < to; from += 10 {
			mustAppend(t, l, from, from+9)
		}
	}
	fill(1, 2001)
	time.Sleep(20 * time.Millisecond)
	if first, _ := l.Bounds(); first != 1 {
		t.Fatalf("retention went past a holding consumer to %d", first)
	}
	if err := l.RemovePointer(context.Background(), "slow"); err != nil {
		t.Fatal(err)
	}
	fill(2001, 3001)
	until(t, "retention", func() bool { return l.Stats().Bytes <= 60<<10 })
	if first, last := l.Bounds(); first == 1 || last != 3000 {
		t.Fatalf("bounds %d to %d", first, last)
	}
}

// TestBytesAfter compares with the sizes of what was appended, in the log of the
// writer, in one that follows it, and when both are opened again.
func TestBytesAfter(t *testing.T) {
	disk := new(vfs.Mem)
	o := seglog.Options{FS: disk, SegmentSize: 256 << 10, NoSpare: true}
	writer := open(t, "log", o)
	o.ReadOnly = true
	follower := open(t, "log", o)
	o.ReadOnly = false
	const headerSize = 64
	type batch struct {
		last nerve.ID
		size int64
	}
	var batches []batch
	low := nerve.ID(1)
	check := func(who string, l *seglog.Log) {
		t.Helper()
		if _, err := l.Read(context.Background(), low); err != nil { // a follower looks
			t.Fatal(err)
		}
		_, last := l.Bounds()
		var sum int64
		for i := len(batches) - 1; i >= 0; i-- {
			first := nerve.ID(1)
			if i > 0 {
				first = batches[i-1].last + 1
			}
			if got := l.BytesAfter(batches[i].last); batches[i].last >= low-1 && got != sum {
				t.Fatalf("%s: BytesAfter(%d) of %d = %d, want %d", who, batches[i].last, last, got,
					sum)
			}
			sum += batches[i].size
			for _, id := range []nerve.ID{first - 1, batches[i].last - 1} {
				if got := l.BytesAfter(id); id >= low-1 && got != sum {
					t.Fatalf("%s: BytesAfter(%d) of %d = %d, want %d", who, id, last, got, sum)
				}
			}
			if first <= low {
				break
			}
		}
		if got := l.BytesAfter(0); got != sum {
			t.Fatalf("%s: BytesAfter(0) = %d, want %d", who, got, sum)
		}
	}
	rng := rand.New(rand.NewPCG(1, 1))
	for range 400 {
		from := nerve.ID(1)
		if n := len(batches); n > 0 {
			from = batches[n-1].last + 1
		}
		b := numbered(from, from+nerve.ID(rng.IntN(60)))
		if _, err := writer.Append(context.Background(), b); err != nil {
			t.Fatal(err)
		}
		batches = append(batches, batch{b.Last(), headerSize + int64(b.Size())})
		if len(batches)%100 == 0 {
			check("writer", writer)
			check("follower", follower)
		}
	}
	first, err := writer.Trim(context.Background(), batches[200].last-3)
	if err != nil {
		t.Fatal(err)
	}
	low = first
	check("trimmed", writer)
	if err := errors.Join(writer.Close(), follower.Close()); err != nil {
		t.Fatal(err)
	}
	l := open(t, "log", o)
	check("opened again", l)
	l.Close()
}

// FuzzSegment opens and reads a log whose one segment is anything at all.
func FuzzSegment(f *testing.F) {
	for _, c := range []seglog.Compression{seglog.CompressNone, seglog.CompressS2,
		seglog.CompressZstd, seglog.CompressLZ4} {
		f.Add(fuzzSegment(f, c), uint(200), byte(1))
	}
	base := fuzzLog(f, seglog.CompressNone)
	f.Fuzz(func(t *testing.T, segment []byte, at uint, flip byte) {
		if len(segment) > 0 {
			segment[at%uint(len(segment))] ^= flip
		}
		disk := base.Kill()
		writeFile(t, disk, filepath.Join("log", "00000000000000000001.seg"), segment)
		for _, readOnly := range []bool{true, false} {
			l, err := seglog.Open("log", seglog.Options{FS: disk, ReadOnly: readOnly,
				NoSpare: true})
			if err != nil {
				continue
			}
			var b nerve.Batch
			first, last := l.Bounds()
			for next := first; next <= min(last, first+100); next++ {
				_ = readFrom(l, next, &b, func(nerve.Record) {})
			}
			_, _ = l.Seek(context.Background(), time.Unix(0, 1))
			l.BytesAfter(1)
			l.Close()
		}
		_, _ = seglog.Verify("log", seglog.VerifyOptions{FS: disk})
		_, _ = seglog.Repair("log", true, seglog.VerifyOptions{FS: disk})
	})
}

func fuzzLog(t testing.TB, c seglog.Compression) *vfs.Mem {
	disk := new(vfs.Mem)
	l := open(t, "log", seglog.Options{FS: disk, Compression: c, CompressMin: 1, NoSpare: true})
	for range 3 {
		if _, err := l.Append(context.Background(), numbered(1, 7)); err != nil {
			t.Fatal(err)
		}
	}
	l.Close()
	return disk.Kill()
}

func fuzzSegment(t testing.TB, c seglog.Compression) []byte {
	f, err := fuzzLog(t, c).OpenRead(filepath.Join("log", "00000000000000000001.seg"))
	if err != nil {
		t.Fatal(err)
	}
	size, _ := f.Size()
	b := make([]byte, size)
	_, _ = f.ReadAt(b, 0)
	return b
}

func writeFile(t testing.TB, disk vfs.FS, path string, data []byte) {
	f, err := disk.Create(path)
	if err == nil {
		_, err = f.WriteAt(data, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
}
