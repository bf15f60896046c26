package seglog_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/seglog"
	"github.com/octopus-framework/octopus/nerve/vfs"
)

// fileSizes returns the lengths of the segments and spares of a log, in KiB.
func fileSizes(t *testing.T, disk vfs.FS) (segments, spares []int64) {
	t.Helper()
	names, err := disk.List("log")
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(names)
	for _, name := range names {
		f, err := disk.OpenRead("log/" + name)
		if err != nil {
			t.Fatal(err)
		}
		size, err := f.Size()
		if err != nil {
			t.Fatal(err)
		}
		f.Close()
		switch {
		case len(name) > 4 && name[len(name)-4:] == ".seg":
			segments = append(segments, size>>10)
		case name[0] == 's' && name[1] == 'p':
			spares = append(spares, size>>10)
		}
	}
	return segments, spares
}

// TestSegmentsGrow: a log of little data takes little space, also with the segments that are
// prepared, and full segments come with the data.
func TestSegmentsGrow(t *testing.T) {
	disk := new(vfs.Mem)
	o := seglog.Options{FS: disk, SegmentSize: 256 << 10, Durability: seglog.SyncNever}
	o.SetFirstSegment(8 << 10)
	l := open(t, "log", o)
	spares := func(want int) {
		t.Helper()
		until(t, fmt.Sprint(want, " spares"), func() bool { return l.Spares() == want })
	}
	mustAppend(t, l, 1, 1)
	if sizes, spares := fileSizes(t, disk); fmt.Sprint(sizes, spares) != "[8] []" {
		t.Errorf("after a record: segments of %d KiB, spares of %d", sizes, spares)
	}
	if n, err := l.FileBytes(); err != nil || n < 8<<10 || n > 1<<20 {
		t.Errorf("the files have %d bytes, %v", n, err)
	}
	next := nerve.ID(2)
	until := func(segments int) {
		for ; l.Stats().Segments < segments; next += 10 {
			mustAppend(t, l, next, next+9)
		}
	}
	until(2)
	var limits []int64
	for n := 2; n < 8; n++ {
		until(n + 1)
		sizes, _ := fileSizes(t, disk)
		limits = append(limits, sizes[n-1])
	}
	for i, limit := range limits {
		want := []int64{32, 128, 256, 256, 256, 256}[i]
		if limit > want || limit < want*3/4 {
			t.Errorf("segment %d has %d KiB, of at most %d", i+2, limit, want)
		}
	}
	for range 30 {
		mustAppend(t, l, next, next+99)
		next += 100
	}
	spares(2)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	before, left := fileSizes(t, disk)
	if len(left) > 0 {
		t.Errorf("spares of %d KiB are left", left)
	}
	l = open(t, "log", o) // goes on in the last segment, as large as it was
	mustAppend(t, l, next, next)
	if sizes, _ := fileSizes(t, disk); sizes[len(before)-1] != 256 {
		t.Errorf("opened again, the last segment has %d KiB", sizes[len(before)-1])
	}
	checkNumbered(t, l, next)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestOneSpareWhileSegmentsGrow: and none before it is worth its space.
func TestOneSpareWhileSegmentsGrow(t *testing.T) {
	disk := new(vfs.Mem)
	o := seglog.Options{FS: disk, SegmentSize: 1 << 20, Durability: seglog.SyncNever}
	o.SetFirstSegment(16 << 10)
	l := open(t, "log", o)
	defer l.Close()
	next := nerve.ID(1)
	for ; l.Stats().Bytes < 10<<10; next += 10 {
		mustAppend(t, l, next, next+9)
	}
	until(t, "a spare", func() bool { return l.Spares() > 0 })
	time.Sleep(50 * time.Millisecond)
	if sizes, spares := fileSizes(t, disk); fmt.Sprint(sizes, spares) != "[16] [64]" {
		t.Errorf("segments of %d KiB, spares of %d", sizes, spares)
	}
}

// lateSpares holds up spares until it is closed.
type lateSpares chan struct{}

func (c lateSpares) Inject(op vfs.Op, path string, n int) (int, error) {
	if op == vfs.OpWrite && strings.HasPrefix(path, "log/spare") {
		<-c
	}
	return n, nil
}

// TestSpareThatIsLate has segments grow to their full size while a spare is prepared: then
// there are as many spares as full segments have, without another append.
func TestSpareThatIsLate(t *testing.T) {
	late := make(lateSpares)
	o := seglog.Options{FS: vfs.WithFaults(new(vfs.Mem), late), SegmentSize: 64 << 10,
		Durability: seglog.SyncNever}
	o.SetFirstSegment(8 << 10)
	l := open(t, "log", o)
	defer l.Close()
	fillSegments(t, l, 6)
	close(late)
	until(t, "two spares", func() bool { return l.Spares() == 2 })
}
