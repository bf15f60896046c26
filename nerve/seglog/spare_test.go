package seglog_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/seglog"
	"github.com/octopus-framework/octopus/nerve/vfs"
)

// spareFiles returns the spare files that are in the folder.
func spareFiles(t *testing.T, disk vfs.FS) []string {
	t.Helper()
	names, err := disk.List("log")
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(names, func(name string) bool {
		return !strings.HasPrefix(name, "spare")
	})
}

// TestSpares checks that two segments are prepared when there is time for it,
// used, and gone when the log is closed, or opened again after a kill.
func TestSpares(t *testing.T) {
	disk, f := new(vfs.Mem), new(faults)
	o := seglog.Options{SegmentSize: 64 << 10, FS: vfs.WithFaults(disk, f)}
	l := open(t, "log", o)
	next := nerve.ID(1)
	roll := func(segments int) {
		for goal := l.Stats().Segments + segments; l.Stats().Segments < goal; next += 100 {
			mustAppend(t, l, next, next+99)
		}
	}
	mustAppend(t, l, next, next+9) // less than an eighth of a segment
	next += 10
	time.Sleep(50 * time.Millisecond)
	if files := spareFiles(t, disk); len(files) > 0 {
		t.Fatalf("a short log has %q", files)
	}
	ready := func() {
		t.Helper()
		until(t, "two spares", func() bool { return l.Spares() == 2 })
	}
	roll(3)
	mustAppend(t, l, next, next+299)
	next += 300
	for range 2 {
		ready()
		f.set(vfs.OpCreate, ".seg.tmp", syscall.EIO, -1) // no other way than the spares
		roll(2)
		f.set(vfs.OpCreate, "", nil, 0)
		for seed := range uint64(20) { // of power cuts
			l := open(t, "log", seglog.Options{FS: disk.Crash(rand.New(rand.NewPCG(seed, 1)))})
			checkNumbered(t, l, next-1)
			l.Close()
		}
		mustAppend(t, l, next, next+299)
		next += 300
	}
	ready()
	killed := disk.Kill()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	o.FS = killed
	if files := spareFiles(t, killed); len(files) != 2 {
		t.Fatalf("a killed log left %q", files)
	}
	again := open(t, "log", o)
	for _, d := range []*vfs.Mem{disk, killed} {
		if files := spareFiles(t, d); len(files) > 0 {
			t.Fatalf("left: %q", files)
		}
	}
	checkNumbered(t, again, next-1)
	if err := again.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestSparesGiveWay checks that large batches that come without a pause have the disk for
// themselves.
func TestSparesGiveWay(t *testing.T) {
	for _, c := range []struct {
		appends, bytes uint64
		needed, want   bool
	}{
		{0, 0, false, true},
		{0, 0, true, true},
		{10, 10 * 4096, false, false},
		{10, 10 * 4096, true, true},
		{10, 10 * 325_000, true, false},
	} {
		if got := seglog.LeavesRoom(c.appends, c.bytes, c.needed); got != c.want {
			t.Errorf("after %d appends of %d bytes in all, needed %v: %v", c.appends, c.bytes,
				c.needed, got)
		}
	}
}
