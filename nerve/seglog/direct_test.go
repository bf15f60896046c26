package seglog_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/seglog"
	"github.com/octopus-framework/octopus/nerve/vfs"
)

// sized is a batch of one record of n bytes that tells which it is.
func sized(id nerve.ID, n int) *nerve.Batch {
	b := new(nerve.Batch)
	b.Append(sizedContent(id, n))
	return b
}

func sizedContent(id nerve.ID, n int) []byte {
	return bytes.Repeat(fmt.Appendf(nil, "%d,", id), n)[:n]
}

func checkSized(rec nerve.Record) error {
	if !bytes.Equal(rec.Data, sizedContent(rec.ID, len(rec.Data))) {
		return fmt.Errorf("record %d holds something else", rec.ID)
	}
	return nil
}

func appendSized(t *testing.T, l *seglog.Log, id nerve.ID, n int) {
	t.Helper()
	if got, err := l.Append(context.Background(), sized(id, n)); err != nil || got != id {
		t.Fatalf("Append = %d, %v; want %d", got, err, id)
	}
}

// writes counts what goes to segments, by kind.
type writes struct{ cached, direct, reads, syncs atomic.Int64 }

func (w *writes) Inject(op vfs.Op, path string, _ int) (int, error) {
	if !strings.Contains(path, ".seg") || strings.Contains(path, ".tmp") {
		return 0, nil
	}
	switch op {
	case vfs.OpWrite:
		w.cached.Add(1)
	case vfs.OpWriteDirect:
		w.direct.Add(1)
	case vfs.OpRead:
		w.reads.Add(1)
	case vfs.OpSync:
		w.syncs.Add(1)
	}
	return 0, nil
}

// TestDirectByTheMean appends batches of several sizes and checks which of them
// bypass the cache.
func TestDirectByTheMean(t *testing.T) {
	run := func(change func(*seglog.Options), sizes ...int) (direct []int, s seglog.Stats) {
		o := seglog.Options{FS: new(vfs.Mem), NoSpare: true, SegmentSize: 8 << 20}
		change(&o)
		l, err := seglog.Open("log", o) // which decides
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		for i, size := range sizes {
			before := l.Stats().DirectAppends
			appendSized(t, l, nerve.ID(i+1), size)
			if l.Stats().DirectAppends > before {
				direct = append(direct, i)
			}
		}
		return direct, l.Stats()
	}
	const k = 1 << 10
	large := []int{100 * k, 100 * k, 100 * k, 100 * k, 100 * k, 100 * k, 100 * k}
	none := func(*seglog.Options) {}
	direct, s := run(none, append(large, k, k, k, k, k, 2*k, k, k)...)
	// The mean of eight is 64 KiB with the sixth, and below 32 when a third is left.
	if fmt.Sprint(direct) != "[5 6 7 8 9 10 11]" || s.TailMemory != seglog.DefaultTailMemory ||
		s.DirectRefused != "" {
		t.Errorf("direct were %v, %+v", direct, s)
	}
	if direct, s = run(none, 4*k, 4*k, 60*k, 60*k, 60*k, 60*k, 60*k, 60*k, 60*k, 60*k, 60*k,
		60*k); len(direct) > 0 || s.TailMemory > 0 {
		t.Errorf("smaller ones: direct were %v, %+v", direct, s)
	}
	for name, change := range map[string]func(*seglog.Options){
		"forbidden": func(o *seglog.Options) { o.NoDirect = true },
		"interval":  func(o *seglog.Options) { o.Durability = seglog.SyncInterval },
		"never":     func(o *seglog.Options) { o.Durability = seglog.SyncNever },
	} {
		if direct, s = run(change, large...); len(direct) > 0 || s.TailMemory > 0 {
			t.Errorf("%s: direct were %v, %+v", name, direct, s)
		}
	}
}

// TestTailIsReadFromMemory lets consumers follow a writer of large batches: they do
// not touch the segments on the disk.
func TestTailIsReadFromMemory(t *testing.T) {
	disk := new(writes)
	o := seglog.Options{FS: vfs.WithFaults(new(vfs.Mem), disk), NoSpare: true,
		SegmentSize: 256 << 10}
	o.SetDirect(1<<20, func() bool { return true })
	l := open(t, "log", o)
	defer l.Close()
	appendSized(t, l, 1, 70_000)
	var cursors []nerve.Cursor
	for range 2 {
		c, err := l.Read(context.Background(), 1)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		cursors = append(cursors, c)
	}
	var b nerve.Batch
	for id := nerve.ID(1); id < 40; id++ {
		disk.reads.Store(0)
		for _, c := range cursors {
			if err := c.Next(context.Background(), &b); err != nil || b.First != id {
				t.Fatalf("read %d at %d, %v", b.First, id, err)
			}
			for rec := range b.All() {
				if err := checkSized(rec); err != nil {
					t.Fatal(err)
				}
			}
		}
		if n := disk.reads.Load(); n > 0 {
			t.Fatalf("record %d was read from the disk, %d times", id, n)
		}
		appendSized(t, l, id+1, 70_000)
	}
	if s := l.Stats(); s.TailReadBytes < 2*39*70_000 || s.Rolls < 5 {
		t.Fatalf("%+v", s)
	}
}

// hintedDisk notes what readers of segments tell the system about reading ahead.
type hintedDisk struct {
	vfs.FS
	hints chan bool
}

type hintedFile struct {
	vfs.File
	hints chan bool
}

func (d hintedDisk) OpenRead(path string) (vfs.File, error) {
	f, err := d.FS.OpenRead(path)
	return hintedFile{f, d.hints}, err
}

func (f hintedFile) ReadAhead(on bool) { f.hints <- on }

// TestFarConsumersDoNotReadAhead reads what is not in memory any more, beside appends
// of both kinds.
func TestFarConsumersDoNotReadAhead(t *testing.T) {
	hints, isDirect := make(chan bool, 10), true
	o := seglog.Options{FS: hintedDisk{new(vfs.Mem), hints}, NoSpare: true, SegmentSize: 4 << 20}
	o.SetDirect(64<<10, func() bool { return isDirect })
	l := open(t, "log", o)
	defer l.Close()
	for id := nerve.ID(1); id <= 20; id++ {
		appendSized(t, l, id, 100_000)
	}
	c, err := l.Read(context.Background(), 1)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	var b nerve.Batch
	for _, want := range []bool{false, true, false} {
		if err := c.Next(context.Background(), &b); err != nil {
			t.Fatal(err)
		}
		select {
		case got := <-hints:
			if got != want {
				t.Errorf("reading ahead is %t, want %t", got, want)
			}
		default:
			t.Errorf("nothing was said about reading ahead, want %t", want)
		}
		isDirect = !isDirect
		appendSized(t, l, nerve.ID(l.Stats().AppendedRecords)+1, 100_000)
	}
}

// TestRing appends batches of all sizes around the end of a small memory, some
// larger than it, while cursors at the end and far behind read all of it.
func TestRing(t *testing.T) {
	appends := nerve.ID(2000)
	if testing.Short() || raceEnabled {
		appends = 300
	}
	for seed := range uint64(4) {
		rng := rand.New(rand.NewPCG(seed, 5))
		o := seglog.Options{FS: new(vfs.Mem), NoSpare: true, SegmentSize: 256 << 10}
		o.SetDirect(int64(32+rng.IntN(20)*4)<<10, func() bool { return rng.IntN(10) > 0 })
		l := open(t, "log", o)
		ctx := context.Background()
		var readers sync.WaitGroup
		read := func(from, to nerve.ID) {
			defer readers.Done()
			c, err := l.Read(ctx, from)
			if err != nil {
				t.Error(err)
				return
			}
			defer c.Close()
			var b nerve.Batch
			for next := from; next <= to; next = b.Last() + 1 {
				if err := c.Next(ctx, &b); err != nil || b.First != next {
					t.Errorf("seed %d: read %d at %d, %v", seed, b.First, next, err)
					return
				}
				for rec := range b.All() {
					if err := checkSized(rec); err != nil {
						t.Errorf("seed %d: %v", seed, err)
						return
					}
				}
			}
		}
		for range 2 {
			readers.Add(1)
			go read(1, appends)
		}
		for id := nerve.ID(1); id <= appends; id++ {
			size := rng.IntN(5000)
			switch rng.IntN(12) {
			case 0:
				size = rng.IntN(150_000) // larger than the memory
			case 1: // ends, with header and length, where a block does
				size = 3*vfs.DirectBlock - int(l.Stats().Bytes%vfs.DirectBlock) - 68
			}
			appendSized(t, l, id, max(0, size))
			if rng.IntN(4) == 0 {
				readers.Add(1)
				go read(id-min(id-1, nerve.ID(rng.IntN(40))), id)
			}
		}
		readers.Wait()
		// The readers above may come too late for the memory. These do not.
		for id := appends + 1; id <= appends+20; id++ {
			appendSized(t, l, id, 100)
			readers.Add(1)
			read(id, id)
		}
		if s := l.Stats(); s.DirectAppends < uint64(appends)/2 || s.TailReadBytes == 0 {
			t.Errorf("seed %d: %+v", seed, s)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		if s := l.Stats(); s.TailMemory != 0 {
			t.Fatalf("a closed log has %d bytes of memory", s.TailMemory)
		}
		if t.Failed() {
			return
		}
	}
}

// TestDirectRefusals lets the disk refuse what direct writes need: all appends
// succeed, and the log says why they are not direct, in Stats and once in the log.
func TestDirectRefusals(t *testing.T) {
	for _, c := range []struct {
		op    vfs.Op
		cause error
		done  int
	}{
		{vfs.OpOpenDirect, vfs.ErrNoDirect, 0},
		{vfs.OpOpenDirect, syscall.EMFILE, 0},
		{vfs.OpMemory, syscall.ENOMEM, 0},
		{vfs.OpWriteDirect, syscall.EINVAL, 0},
		{vfs.OpWriteDirect, syscall.EINVAL, 3 * vfs.DirectBlock}, // after a part
		{vfs.OpWriteDirect, syscall.EOPNOTSUPP, 1 << 20},         // all of it, even
	} {
		for _, skip := range []int{0, 1} {
			disk, f := new(vfs.Mem), new(faults)
			f.set(c.op, "", c.cause, -1)
			f.skip, f.done = skip, c.done
			var told bytes.Buffer
			o := seglog.Options{FS: vfs.WithFaults(disk, f), NoSpare: true, SegmentSize: 256 << 10,
				Logger: slog.New(slog.NewTextHandler(&told, nil))}
			o.SetDirect(128<<10, func() bool { return true })
			l := open(t, "log", o)
			for id := nerve.ID(1); id < 30; id++ {
				appendSized(t, l, id, 20_000)
			}
			s := l.Stats()
			after := disk.Kill()
			refused, lines := 1, strings.Count(told.String(), "\n")
			if c.op == vfs.OpMemory && skip > 0 {
				refused = 0 // it is asked for once
			}
			if skip == 0 && s.DirectAppends > 0 || lines != refused ||
				strings.Count(told.String(), "appends go through the cache") != lines ||
				refused > 0 && !strings.Contains(s.DirectRefused, c.cause.Error()) {
				t.Errorf("%s %v, skip %d: %d direct, reason %q, told %q", c.op, c.cause, skip,
					s.DirectAppends, s.DirectRefused, told.String())
			}
			for _, again := range []*vfs.Mem{disk, after} {
				if again == disk {
					if err := l.Close(); err != nil {
						t.Fatal(err)
					}
				}
				l := open(t, "log", seglog.Options{FS: again})
				_, last := l.Bounds()
				var b nerve.Batch
				err := readFrom(l, 1, &b, func(rec nerve.Record) {
					if err := checkSized(rec); err != nil {
						t.Error(err)
					}
				})
				if err != nil || last != 29 {
					t.Fatalf("%s %v: the log ends at %d, %v", c.op, c.cause, last, err)
				}
				l.Close()
			}
		}
	}
}

// TestTailMemoryIsBounded lets other logs of the process have all the memory, and
// gives it back.
func TestTailMemoryIsBounded(t *testing.T) {
	o := seglog.Options{FS: new(vfs.Mem), NoSpare: true, SegmentSize: 64 << 10}
	o.SetDirect(64<<10, func() bool { return true })
	others := seglog.TailMemoryOfAll()
	release := seglog.HoldTailMemory(256 << 20)
	l := open(t, "log", o)
	for id := nerve.ID(1); id <= 10; id++ {
		appendSized(t, l, id, 5000)
	}
	if s := l.Stats(); s.DirectAppends > 0 || s.DirectRefused == "" || s.TailMemory > 0 {
		t.Fatalf("%+v", s)
	}
	release()
	for id := nerve.ID(11); id <= 30; id++ { // the next segment asks again
		appendSized(t, l, id, 5000)
	}
	if s := l.Stats(); s.DirectAppends == 0 || s.TailMemory != 64<<10 {
		t.Fatalf("%+v", s)
	}
	l.FreeIdleTail() // there were batches since the last time
	if s := l.Stats(); s.TailMemory == 0 {
		t.Fatal("memory in use was freed")
	}
	l.FreeIdleTail()
	if s := l.Stats(); s.TailMemory > 0 {
		t.Fatal("idle memory is kept")
	}
	var b nerve.Batch
	if err := readFrom(l, 1, &b, func(rec nerve.Record) {
		if err := checkSized(rec); err != nil {
			t.Error(err)
		}
	}); err != nil {
		t.Fatal(err)
	}
	before := l.Stats().DirectAppends
	appendSized(t, l, 31, 5000)
	if s := l.Stats(); s.DirectAppends != before+1 || s.TailMemory == 0 {
		t.Fatalf("after a pause: %+v", s)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if n := seglog.TailMemoryOfAll(); n != others {
		t.Fatalf("%d bytes are counted that no log has", n-others)
	}
}

// TestMovedFolder moves the folder of an open log away and makes another log in its
// place: that must not get what is appended to the first one.
func TestMovedFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "log")
	isDirect := false
	var o seglog.Options
	o.SetDirect(64<<10, func() bool { return isDirect })
	l := open(t, dir, o)
	defer l.Close()
	appendSized(t, l, 1, 5000)
	if err := os.Rename(dir, dir+"-away"); err != nil {
		t.Fatal(err)
	}
	other := open(t, dir, seglog.Options{})
	for id := nerve.ID(1); id < 10; id++ {
		appendSized(t, other, id, 5000)
	}
	isDirect = true
	appendSized(t, l, 2, 5000)
	if s := l.Stats(); s.DirectAppends > 0 || s.DirectRefused == "" {
		t.Errorf("%+v", s)
	}
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	report, err := seglog.Verify(dir, seglog.VerifyOptions{})
	if err != nil || len(report.Damage) > 0 {
		t.Fatalf("%+v, %v", report.Damage, err)
	}
}

// TestShornBlocks crashes on a disk that destroys blocks that are being written, with
// what they held before. The log does not promise that its end survives that, but
// never yields anything else than what was appended.
func TestShornBlocks(t *testing.T) {
	told, lost := 0, 0
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 3))
		disk := new(vfs.Mem)
		down := &crasher{left: 10 + rng.IntN(60), rng: rng}
		o := seglog.Options{FS: vfs.WithFaults(disk, down), NoSpare: true, SegmentSize: 64 << 10}
		o.SetDirect(64<<10, func() bool { return true })
		l, err := seglog.Open("log", o)
		acked := nerve.ID(0)
		for err == nil {
			if _, err = l.Append(context.Background(), sized(acked+1, rng.IntN(6000))); err == nil {
				acked++
			}
		}
		if l != nil {
			l.Close()
		}
		o = seglog.Options{FS: disk.CrashShorn(rng)}
		l, err = seglog.Open("log", o)
		var damage *nerve.CorruptError
		if errors.As(err, &damage) {
			told++
			o.ReadOnly = true
			l, err = seglog.Open("log", o)
		}
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if _, last := l.Bounds(); last < acked && damage == nil {
			lost++
		}
		var b nerve.Batch
		err = readFrom(l, 1, &b, func(rec nerve.Record) {
			if err := checkSized(rec); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
		})
		if err != nil && damage == nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		l.Close()
	}
	if t.Logf("%d times damage, %d times a shorter log", told, lost); told+lost == 0 {
		t.Fatal("no block was destroyed that held something durable")
	}
}
