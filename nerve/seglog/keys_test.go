package seglog_test

import (
	"context"
	"encoding/binary"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/seglog"
	"github.com/octopus-framework/octopus/nerve/vfs"
)

// keyed is a batch of records from..to with a key of producer 1.
func keyed(seq uint64, from, to nerve.ID) *nerve.Batch {
	b := numbered(from, to)
	b.Key = nerve.Key{Producer: 1, Seq: seq}
	return b
}

func stateVersion(t *testing.T, dir string) uint32 {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, "state"))
	if err != nil {
		t.Fatal(err)
	}
	return max(binary.LittleEndian.Uint32(b[8:]), binary.LittleEndian.Uint32(b[512+8:]))
}

// TestFormat1 reads a log of the format before there were keys, and appends to
// it: without a key it stays one, with the first key it becomes a new one.
func TestFormat1(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/format1")); err != nil {
		t.Fatal(err)
	}
	check := func(l *seglog.Log, last nerve.ID) {
		t.Helper()
		if first, got := l.Bounds(); first != 20 || got != last || len(l.Damage()) > 0 {
			t.Fatalf("%d to %d, damage %v; want 20 to %d", first, got, l.Damage(), last)
		}
		next := nerve.ID(20)
		var b nerve.Batch
		err := readFrom(l, next, &b, func(rec nerve.Record) {
			if rec.ID != next || string(rec.Data) != damageContent(next) {
				t.Fatalf("record %d is %d %q", next, rec.ID, rec.Data)
			}
			next++
		})
		if err != nil || next != last+1 {
			t.Fatalf("read up to %d of %d: %v", next-1, last, err)
		}
		pointers, err := l.Pointers(context.Background())
		if err != nil || len(pointers) != 2 {
			t.Fatalf("%v, %v", pointers, err)
		}
		for _, p := range pointers {
			want := map[string]nerve.ID{"one": 100, "two": 150}[p.Name]
			if p.ID != want || p.Hold != (p.Name == "two") || p.Meta != nil || p.Epoch != 0 {
				t.Fatalf("%+v", p)
			}
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	small := seglog.Options{SegmentSize: 4 << 10}
	check(open(t, dir, seglog.Options{ReadOnly: true}), 200)
	l := open(t, dir, small)
	mustAppend(t, l, 201, 260)
	check(l, 260)
	if v := stateVersion(t, dir); v != 1 {
		t.Fatalf("version %d without keys", v)
	}
	if _, err := os.Stat(filepath.Join(dir, "keys")); !os.IsNotExist(err) {
		t.Fatalf("a file of keys without keys: %v", err)
	}
	l = open(t, dir, small)
	for range 2 {
		if id, err := l.Append(context.Background(), keyed(1, 261, 300)); err != nil || id != 261 {
			t.Fatalf("Append = %d, %v", id, err)
		}
	}
	check(l, 300)
	if v := stateVersion(t, dir); v != 2 {
		t.Fatalf("version %d with keys", v)
	}
	l = open(t, dir, small)
	if id, err := l.Append(context.Background(), keyed(1, 261, 300)); err != nil || id != 261 {
		t.Fatalf("Append after opening = %d, %v", id, err)
	}
	check(l, 300)
}

// keyedLog makes a log of several segments, each with some keys, and leaves it
// as SIGKILL would, or closed.
func keyedLog(t *testing.T, clean bool) (dir string, last nerve.ID) {
	t.Helper()
	dir = t.TempDir()
	l := open(t, dir, damageOptions)
	for seq := uint64(1); seq <= 100; seq++ {
		b := keyed(seq, last+1, last+7)
		if seq%20 == 0 {
			b.Key.Producer = seq // one that appends once
		}
		if _, err := l.Append(context.Background(), b); err != nil {
			t.Fatal(err)
		}
		last += 7
	}
	if clean {
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		return dir, last
	}
	copied := t.TempDir()
	if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	l.Close()
	return copied, last
}

// TestFileOfKeysIsACopy damages and removes the file: the batches tell as well.
func TestFileOfKeysIsACopy(t *testing.T) {
	other, _ := keyedLog(t, true)
	foreign, err := os.ReadFile(filepath.Join(other, "keys"))
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func([]byte) []byte{
		"sound":       func(b []byte) []byte { return b },
		"cut":         func(b []byte) []byte { return b[:len(b)-1] },
		"cut to some": func(b []byte) []byte { return b[:20] },
		"empty":       func([]byte) []byte { return nil },
		"longer":      func(b []byte) []byte { return append(b, b...) },
		"flipped":     func(b []byte) []byte { b[len(b)/2] ^= 1; return b },
		"version":     func(b []byte) []byte { b[8]++; return b },
		"foreign":     func([]byte) []byte { return foreign },
		"zeros":       func(b []byte) []byte { return make([]byte, len(b)) },
	} {
		for _, clean := range []bool{true, false} {
			dir, last := keyedLog(t, clean)
			path := filepath.Join(dir, "keys")
			edit(t, path, change)
			checkKeys(t, name, dir, last)
			if name == "sound" {
				if err := os.Remove(path); err != nil {
					t.Fatal(err)
				}
				checkKeys(t, "removed", dir, last)
			}
		}
	}
}

func checkKeys(t *testing.T, what, dir string, last nerve.ID) {
	t.Helper()
	l := open(t, dir, damageOptions)
	defer l.Close()
	for seq := uint64(100); seq > 100-nerve.RememberedAppends; seq-- {
		first := nerve.ID(seq-1)*7 + 1
		b := keyed(seq, first, first+6)
		if seq%20 == 0 {
			b.Key.Producer = seq
		}
		if id, err := l.Append(context.Background(), b); err != nil || id != first {
			t.Fatalf("%s: append %d repeated = %d, %v; want %d", what, seq, id, err, first)
		}
	}
	for _, seq := range []uint64{20, 40, 60, 80} {
		a, err := l.LastAppended(context.Background(), seq)
		if first := nerve.ID(seq-1)*7 + 1; err != nil || a.First != first || a.Last != first+6 {
			t.Fatalf("%s: producer %d is %+v, %v", what, seq, a, err)
		}
	}
	if _, got := l.Bounds(); got != last {
		t.Fatalf("%s: the log ends at %d, want %d", what, got, last)
	}
}

// TestReadOnlyKnowsKeys follows a writer.
func TestReadOnlyKnowsKeys(t *testing.T) {
	dir := t.TempDir()
	l := open(t, dir, damageOptions)
	defer l.Close()
	mustAppend(t, l, 1, 20)
	r := open(t, dir, seglog.Options{ReadOnly: true})
	defer r.Close()
	last := nerve.ID(20)
	for seq := uint64(1); seq < 60; seq++ {
		if _, err := l.Append(context.Background(), keyed(seq, last+1, last+9)); err != nil {
			t.Fatal(err)
		}
		last += 9
		a, err := r.LastAppended(context.Background(), 1)
		if err != nil || a.Key.Seq != seq || a.Last != last {
			t.Fatalf("LastAppended = %+v, %v; want %d up to %d", a, err, seq, last)
		}
	}
}

// reads counts what is read of a disk.
type reads struct{ n int }

func (r *reads) Inject(op vfs.Op, _ string, _ int) (int, error) {
	if op == vfs.OpRead {
		r.n++
	}
	return 0, nil
}

// TestOpenReadsFewKeys opens logs with few and many keys in the segments before
// the last: it reads as often.
func TestOpenReadsFewKeys(t *testing.T) {
	var counts []int
	for _, size := range []int{2000, 100} {
		disk, count := new(vfs.Mem), new(reads)
		o := seglog.Options{FS: disk, SegmentSize: 64 << 10, NoSpare: true}
		l := open(t, "log", o)
		for seq := uint64(1); l.Stats().Segments < 10; seq++ {
			b := &nerve.Batch{Key: nerve.Key{Producer: 1, Seq: seq}}
			b.Append(make([]byte, size))
			if _, err := l.Append(context.Background(), b); err != nil {
				t.Fatal(err)
			}
		}
		o.FS = vfs.WithFaults(disk.Kill(), count)
		before := open(t, "log", o)
		if !before.Recovery().Unclean {
			t.Fatal("the log was closed")
		}
		before.Close()
		l.Close()
		counts = append(counts, count.n)
	}
	if counts[0] == 0 || counts[1] > counts[0]+10 {
		t.Fatalf("opening reads %d times with few keys and %d times with many", counts[0],
			counts[1])
	}
}

// cutAt ends everything after n bytes of the next write to a segment.
type cutAt struct {
	armed, dead bool
	n           int
}

func (c *cutAt) Inject(op vfs.Op, path string, n int) (int, error) {
	switch {
	case c.dead:
		return 0, errCrash
	case !c.armed || op != vfs.OpWrite && op != vfs.OpWriteDirect ||
		!strings.Contains(path, ".seg"):
		return 0, nil
	}
	c.dead = true
	return min(c.n, n), errCrash
}

// TestKilledAtEveryByteOfAnAppend ends the process, or the machine, after each
// byte of an append. Who repeats the append finds it stored once.
func TestKilledAtEveryByteOfAnAppend(t *testing.T) { eachWay(t, testKilledAtEveryByteOfAnAppend) }

func testKilledAtEveryByteOfAnAppend(t *testing.T) {
	size := 80 + numbered(22, 26).Size()
	for n := range size + 1 {
		for _, powerCut := range []bool{false, true} {
			disk, cut := new(vfs.Mem), new(cutAt)
			o := seglog.Options{FS: vfs.WithFaults(disk, cut), SegmentSize: 8 << 10, NoSpare: true}
			l := open(t, "log", o)
			mustAppend(t, l, 1, 20)
			if _, err := l.Append(context.Background(), keyed(6, 21, 21)); err != nil {
				t.Fatal(err)
			}
			cut.armed, cut.n = true, n
			b := keyed(7, 22, 26)
			if _, err := l.Append(context.Background(), b); err == nil {
				t.Fatalf("an append succeeded on a disk that died at byte %d", n)
			}
			after := disk.Kill()
			if powerCut {
				after = disk.Crash(rand.New(rand.NewPCG(uint64(n), 1)))
			}
			l.Close()
			o.FS = after
			l = open(t, "log", o)
			for range 2 {
				if id, err := l.Append(context.Background(), keyed(7, 22, 26)); err != nil ||
					id != 22 {
					t.Fatalf("cut at byte %d, power cut %t: repeated = %d, %v", n, powerCut, id,
						err)
				}
			}
			checkNumbered(t, l, 26)
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}
