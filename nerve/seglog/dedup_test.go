package seglog_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/seglog"
)

// once is a batch of records from..to with the id of from.
func once(from, to nerve.ID) *nerve.Batch {
	b := numbered(from, to)
	b.Once(nerve.DedupIDOf(binary.LittleEndian.AppendUint64(nil, uint64(from))))
	return b
}

func wantOnce(t *testing.T, l *seglog.Log, from, to nerve.ID, repeated bool) {
	t.Helper()
	b := once(from, to)
	id, err := l.Append(context.Background(), b)
	p := b.Parts()[0]
	if err != nil || id != from || p.Stored.Last != to || p.Repeated != repeated {
		t.Fatalf("Append = %d, %v, %+v; want %d to %d, repeated %t", id, err, p, from, to, repeated)
	}
}

// TestFormat2 reads a log of the format with keys and without ids, and appends to
// it: it becomes a new one with the first id, and knows its keys still.
func TestFormat2(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/format2")); err != nil {
		t.Fatal(err)
	}
	small := seglog.Options{SegmentSize: 4 << 10}
	l := open(t, dir, small)
	check := func(last nerve.ID) {
		t.Helper()
		for seq := uint64(20); seq > 20-nerve.RememberedAppends; seq-- {
			first := nerve.ID(seq-1)*10 + 1
			id, err := l.Append(context.Background(), keyed(seq, first, first+9))
			if err != nil || id != first {
				t.Fatalf("append %d repeated = %d, %v; want %d", seq, id, err, first)
			}
		}
		if _, got := l.Bounds(); got != last || len(l.Damage()) > 0 {
			t.Fatalf("the log ends at %d, damage %v; want %d", got, l.Damage(), last)
		}
	}
	check(200)
	if v := stateVersion(t, dir); v != 2 {
		t.Fatalf("version %d without ids", v)
	}
	wantOnce(t, l, 201, 204, false)
	for range 2 {
		check(204)
		wantOnce(t, l, 201, 204, true)
		if v := stateVersion(t, dir); v != 3 {
			t.Fatalf("version %d with ids", v)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		l = open(t, dir, small)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}

// idLog makes a log of several segments with 60 appends of 7 records and ids, and
// leaves it as SIGKILL would, or closed.
func idLog(t *testing.T, clean bool) string {
	t.Helper()
	dir := t.TempDir()
	l := open(t, dir, damageOptions)
	for i := range nerve.ID(60) {
		wantOnce(t, l, 7*i+1, 7*i+7, false)
	}
	if clean {
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	copied := t.TempDir()
	if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	l.Close()
	return copied
}

// TestIDsAreInBatches damages and removes the file of keys: the batches tell the ids
// as well.
func TestIDsAreInBatches(t *testing.T) {
	for name, change := range map[string]func([]byte) []byte{
		"sound":   func(b []byte) []byte { return b },
		"cut":     func(b []byte) []byte { return b[:len(b)-1] },
		"less":    func(b []byte) []byte { return b[:len(b)-40] },
		"empty":   func([]byte) []byte { return nil },
		"flipped": func(b []byte) []byte { b[len(b)/2] ^= 1; return b },
	} {
		for _, clean := range []bool{true, false} {
			dir := idLog(t, clean)
			edit(t, filepath.Join(dir, "keys"), change)
			l := open(t, dir, damageOptions)
			for i := range nerve.ID(60) {
				wantOnce(t, l, 7*i+1, 7*i+7, true)
			}
			if _, last := l.Bounds(); last != 420 {
				t.Fatalf("%s: the log ends at %d", name, last)
			}
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestIDsOfDamagedBatch flips a byte of the ids of a batch: its records are as
// damaged as if it were one of theirs, and no id is made of it.
func TestIDsOfDamagedBatch(t *testing.T) {
	dir := idLog(t, true)
	first := nerve.DedupIDOf(binary.LittleEndian.AppendUint64(nil, 1))
	edit(t, filepath.Join(dir, "00000000000000000001.seg"), func(b []byte) []byte {
		at := bytes.Index(b, first[:])
		if at < 0 {
			t.Fatal("the segment has no such id")
		}
		b[at] ^= 1
		return b
	})
	if err := os.Remove(filepath.Join(dir, "keys")); err != nil {
		t.Fatal(err)
	}
	report, err := seglog.Verify(dir, seglog.VerifyOptions{})
	if err != nil || len(report.Damage) != 1 || report.Damage[0].First != 1 {
		t.Fatalf("Verify = %+v, %v", report.Damage, err)
	}
	l := open(t, dir, damageOptions)
	defer l.Close()
	wantOnce(t, l, 8, 14, true)
	b := once(1, 7)
	if id, err := l.Append(context.Background(), b); err != nil || id != 421 {
		t.Fatalf("Append = %d, %v; want 421: the first one is lost", id, err)
	}
}
