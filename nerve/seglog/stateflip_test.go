package seglog_test

import (
	"context"
	"testing"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/seglog"
	"github.com/octopus-framework/octopus/nerve/vfs"
)

const flipRecords = 30

// flipLog makes a log on disk whose last commit is in one slot of the mark alone.
func flipLog(t *testing.T, disk vfs.FS) *seglog.Log {
	t.Helper()
	l := open(t, "log", seglog.Options{FS: disk, NoSpare: true})
	mustAppend(t, l, 1, flipRecords-1)
	if err := l.SavePointers(context.Background(), []nerve.Pointer{{Name: "one", ID: 7},
		{Name: "two", ID: 8}, {Name: "three", ID: 9}}); err != nil {
		t.Fatal(err)
	}
	mustAppend(t, l, flipRecords, flipRecords)
	return l
}

// TestFlippedState flips every byte of the state, of a log that was closed and of one that was not.
// A read-only log has all records and consumers all the same and names the damage, and Verify
// reports each flip.
func TestFlippedState(t *testing.T) {
	for _, clean := range []bool{true, false} {
		disk := new(vfs.Mem)
		l := flipLog(t, disk)
		if clean {
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
		} else {
			defer l.Close() // without a word of what happened until then, as after SIGKILL
		}
		f, err := disk.Open("log/state")
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		size, err := f.Size()
		if err != nil || size < 8*512 {
			t.Fatal(size, err)
		}
		checkFlippedState(t, disk, -1)
		for at := int64(0); at < size && !t.Failed(); at++ {
			flip(t, f, at)
			checkFlippedState(t, disk, at)
			flip(t, f, at)
		}
	}
}

// flip changes one bit of the byte at an offset, and changes it back the second time.
func flip(t *testing.T, f vfs.File, at int64) {
	t.Helper()
	b := make([]byte, 1)
	_, err := f.ReadAt(b, at)
	if err == nil {
		b[0] ^= 1 << (at % 8)
		_, err = f.WriteAt(b, at)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// checkFlippedState looks at a log whose state has a wrong byte, -1 for none.
func checkFlippedState(t *testing.T, disk vfs.FS, at int64) {
	t.Helper()
	report, err := seglog.Verify("log", seglog.VerifyOptions{FS: disk})
	if err != nil || len(report.Damage) > 0 != (at >= 0) || report.Records != flipRecords {
		t.Errorf("byte %d: Verify finds %v in %d records, %v", at, report.Damage, report.Records,
			err)
	}
	l, err := seglog.Open("log", seglog.Options{FS: disk, ReadOnly: true})
	if err != nil {
		t.Errorf("byte %d: %v", at, err)
		return
	}
	defer l.Close()
	if first, last := l.Bounds(); first != 1 || last != flipRecords {
		t.Errorf("byte %d: the log has records %d to %d", at, first, last)
	}
	if len(l.Damage()) > 0 != (at >= 0) {
		t.Errorf("byte %d: Open names %v", at, l.Damage())
	}
	list, err := l.Pointers(context.Background())
	if err != nil || len(list) != 3 {
		t.Errorf("byte %d: consumers %v, %v", at, list, err)
	}
	for _, p := range list {
		if want := map[string]nerve.ID{"one": 7, "two": 8, "three": 9}[p.Name]; p.ID != want {
			t.Errorf("byte %d: consumer %q is at %d, want %d", at, p.Name, p.ID, want)
		}
	}
}
