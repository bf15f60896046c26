package seglog_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/seglog"
	"github.com/octopus-framework/octopus/nerve/vfs"
)

// faults fails the operations that it is told to, from the skip-th on.
type faults struct {
	mu    sync.Mutex
	op    vfs.Op
	name  string // part of the path; empty: any
	err   error
	skip  int
	done  int // bytes of a failing write that are written
	times int // how often; 0: never
}

func (f *faults) set(op vfs.Op, name string, err error, times int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.op, f.name, f.err, f.times, f.done, f.skip = op, name, err, times, 0, 0
}

func (f *faults) Inject(op vfs.Op, path string, n int) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if op == vfs.OpWriteDirect && f.op == vfs.OpWrite {
		op = vfs.OpWrite // any write
	}
	if f.times == 0 || op != f.op || !strings.Contains(path, f.name) {
		return 0, nil
	}
	if f.skip > 0 {
		f.skip--
		return 0, nil
	}
	f.times--
	return min(f.done, n), f.err
}

func numbered(from, to nerve.ID) *nerve.Batch {
	b := new(nerve.Batch)
	for id := from; id <= to; id++ {
		b.Append([]byte(damageContent(id)))
	}
	return b
}

// checkNumbered reads first..last and checks them.
func checkNumbered(t *testing.T, l *seglog.Log, last nerve.ID) {
	t.Helper()
	if _, got := l.Bounds(); got != last {
		t.Fatalf("the log ends at %d, want %d", got, last)
	}
	n := nerve.ID(0)
	var b nerve.Batch
	err := readFrom(l, 1, &b, func(rec nerve.Record) {
		if n++; string(rec.Data) != damageContent(rec.ID) {
			t.Fatalf("record %d is %q", rec.ID, rec.Data)
		}
	})
	if err != nil || n != last {
		t.Fatalf("read %d of %d records: %v", n, last, err)
	}
}

func faultLog(t *testing.T) (*seglog.Log, *faults, *vfs.Mem, seglog.Options) {
	disk, f := new(vfs.Mem), new(faults)
	o := seglog.Options{FS: vfs.WithFaults(disk, f), SegmentSize: 8 << 10, NoSpare: true}
	l := open(t, "log", o)
	mustAppend(t, l, 1, 20)
	return l, f, disk, o
}

func mustAppend(t *testing.T, l *seglog.Log, from, to nerve.ID) {
	t.Helper()
	if id, err := l.Append(context.Background(), numbered(from, to)); err != nil || id != from {
		t.Fatalf("Append = %d, %v; want %d", id, err, from)
	}
}

// TestFailedWriteIsUndone fails writes in every position and with every length
// done: the caller gets the error, the log is as before, and the next append
// takes the place.
func TestFailedWriteIsUndone(t *testing.T) { eachWay(t, testFailedWriteIsUndone) }

func testFailedWriteIsUndone(t *testing.T) {
	for _, cause := range []syscall.Errno{syscall.EIO, syscall.ENOSPC, syscall.EDQUOT} {
		// in header and body
		for _, done := range []int{0, 1, 63, 64, 65, 79, 80, 81, 100, 200, 1 << 20} {
			t.Run(fmt.Sprintf("%v/%d", cause, done), func(t *testing.T) {
				l, f, disk, o := faultLog(t)
				f.set(vfs.OpWrite, ".seg", cause, 1)
				f.done = done
				b := numbered(90, 95)
				b.Key = nerve.Key{Producer: 5, Seq: 5}
				_, err := l.Append(context.Background(), b)
				var io *nerve.IOError
				if !errors.As(err, &io) || !errors.Is(err, cause) || io.Op != "write" ||
					!strings.HasSuffix(io.Path, ".seg") {
					t.Fatalf("Append = %v", err)
				}
				checkNumbered(t, l, 20)
				after := disk.Kill() // before the place is taken again
				again := numbered(21, 30)
				again.Key = b.Key // not remembered, because nothing was stored
				for range 2 {
					if id, err := l.Append(context.Background(), again); err != nil || id != 21 {
						t.Fatalf("Append = %d, %v; want 21", id, err)
					}
				}
				checkNumbered(t, l, 30)
				if err := l.Close(); err != nil {
					t.Fatal(err)
				}
				checkNumbered(t, open(t, "log", o), 30)
				o.FS = after
				checkNumbered(t, open(t, "log", o), 20)
			})
		}
	}
}

// TestFailedSyncStopsTheLog checks that a failed fsync is never retried: the
// log takes no more writes, stays readable, and goes on when opened again.
func TestFailedSyncStopsTheLog(t *testing.T) { eachWay(t, testFailedSyncStopsTheLog) }

func testFailedSyncStopsTheLog(t *testing.T) {
	l, f, _, o := faultLog(t)
	f.set(vfs.OpSync, ".seg", syscall.EIO, 1)
	for range 3 {
		_, err := l.Append(context.Background(), numbered(21, 25))
		var failed *nerve.FailedError
		if !errors.As(err, &failed) || !errors.Is(err, syscall.EIO) {
			t.Fatalf("Append = %v", err)
		}
	}
	checkNumbered(t, l, 20)
	if _, err := l.Trim(context.Background(), 5); err == nil {
		t.Fatal("Trim of a failed log succeeded")
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	l = open(t, "log", o)
	// The batch was written whole, so it is found; it was never acknowledged.
	checkNumbered(t, l, 25)
	mustAppend(t, l, 26, 30)
	checkNumbered(t, l, 30)
}

// TestFullDisk fills the disk: appends fail until there is room, then go on.
func TestFullDisk(t *testing.T) { eachWay(t, testFullDisk) }

func testFullDisk(t *testing.T) {
	l, _, disk, _ := faultLog(t)
	disk.SetCapacity(40 << 10)
	next := nerve.ID(21)
	var err error
	for err == nil {
		if _, err = l.Append(context.Background(), numbered(next, next+9)); err == nil {
			next += 10
		}
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("Append on a full disk = %v", err)
	}
	used := disk.Used()
	for range 5 {
		if _, err := l.Append(context.Background(), numbered(next, next+9)); !errors.Is(err,
			syscall.ENOSPC) {
			t.Fatalf("Append = %v", err)
		}
	}
	if disk.Used() != used {
		t.Fatalf("failed appends left %d bytes behind", disk.Used()-used)
	}
	checkNumbered(t, l, next-1)
	if err := l.SavePointers(context.Background(),
		[]nerve.Pointer{{Name: "a", ID: 5}}); err != nil && !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	disk.SetCapacity(80 << 10)
	mustAppend(t, l, next, next+9)
	checkNumbered(t, l, next+9)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestNoDescriptors fails appends while a roll finds no descriptor, and takes them again
// when there are some: for the file of the segment and for its folder alike.
func TestNoDescriptors(t *testing.T) {
	for _, op := range []vfs.Op{vfs.OpCreate, vfs.OpOpenDir} {
		for _, errno := range []error{syscall.EMFILE, syscall.ENFILE} {
			l, f, _, _ := faultLog(t)
			next, failed := nerve.ID(21), 0
			f.set(op, "", errno, 3)
			for ; failed < 3; next++ {
				if next > 10_000 {
					t.Fatalf("%s: nothing fails", op)
				}
				for {
					_, err := l.Append(t.Context(), numbered(next, next))
					if err == nil {
						break
					}
					failed++
					var io *nerve.IOError
					if !errors.As(err, &io) || l.Failed() != nil || !errors.Is(err, errno) {
						t.Fatalf("%s of record %d: %v; the log says %v", op, next, err, l.Failed())
					}
				}
			}
			mustAppend(t, l, next, next+499) // some more rolls
			checkNumbered(t, l, next+499)
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestFaultsAtEveryStep lets every kind of operation fail once, at every point
// of a workload with rolls, trims and pointers. What was acknowledged is there
// afterwards, in the running log and in the one opened again.
func TestFaultsAtEveryStep(t *testing.T) { eachWay(t, testFaultsAtEveryStep) }

func testFaultsAtEveryStep(t *testing.T) {
	ops := []vfs.Op{vfs.OpCreate, vfs.OpOpen, vfs.OpRename, vfs.OpRemove, vfs.OpOpenDir,
		vfs.OpSyncDir, vfs.OpRead, vfs.OpWrite, vfs.OpTruncate, vfs.OpAllocate, vfs.OpSync}
	if *direct {
		ops = append(ops, vfs.OpOpenDirect, vfs.OpWriteDirect, vfs.OpMemory)
	}
	for _, op := range ops {
		t.Run(string(op), func(t *testing.T) {
			t.Parallel()
			for skip := 0; ; skip++ {
				f := new(faults)
				f.set(op, "", syscall.EMFILE, 1)
				f.skip, f.done = skip, 100
				disk := new(vfs.Mem)
				faultyWorkload(t, disk, f)
				if f.times == 1 {
					if skip == 0 {
						t.Fatal("the workload has no such operation")
					}
					return // past the last operation
				}
				if skip > 2000 {
					t.Fatal("the workload does not end")
				}
			}
		})
	}
}

func faultyWorkload(t *testing.T, disk *vfs.Mem, f *faults) {
	t.Helper()
	o := seglog.Options{FS: vfs.WithFaults(disk, f), SegmentSize: 4 << 10, NoSpare: true}
	acked, low, failedAppend := nerve.ID(0), nerve.ID(1), false
	ctx := context.Background()
	typed := func(what string, err error) {
		t.Helper()
		var io *nerve.IOError
		if err != nil && !errors.As(err, &io) && !errors.Is(err, nerve.ErrClosed) {
			t.Fatalf("%s: %T %v", what, err, err)
		}
	}
	check := func(l *seglog.Log) {
		t.Helper()
		first, last := l.Bounds()
		if last < acked || first < low || !failedAppend && last != acked {
			t.Fatalf("bounds %d-%d, acknowledged %d, trimmed below %d", first, last, acked, low)
		}
		n := first
		var b nerve.Batch
		for try := 0; ; try++ {
			err := readFrom(l, n, &b, func(rec nerve.Record) {
				if string(rec.Data) != damageContent(rec.ID) {
					t.Fatalf("record %d is %q", rec.ID, rec.Data)
				}
				n = rec.ID + 1
			})
			if err == nil {
				break
			}
			typed("read", err)
			if try > 1 {
				t.Fatalf("reading fails again: %v", err)
			}
		}
	}
	for range 2 {
		l, err := seglog.Open("log", thisWay(o))
		if err != nil {
			typed("open", err)
			if l, err = seglog.Open("log", thisWay(o)); err != nil {
				t.Fatalf("second open: %v", err)
			}
		}
		_, acked = l.Bounds()
		failedAppend = false
		if acked > 0 {
			b := numbered(acked-8, acked)
			b.Key = nerve.Key{Producer: 1, Seq: uint64(acked - 8)}
			if id, err := l.Append(ctx, b); err != nil || id != acked-8 {
				t.Fatalf("the last append repeated = %d, %v; want %d", id, err, acked-8)
			}
		}
		for range 25 {
			_, last := l.Bounds()
			b := numbered(last+1, last+9)
			b.Key = nerve.Key{Producer: 1, Seq: uint64(last + 1)} // again after a failure
			_, err := l.Append(ctx, b)
			if typed("append", err); err == nil {
				acked = last + 9
			} else {
				failedAppend = true
			}
		}
		_, last := l.Bounds()
		typed("save", l.SavePointers(ctx, []nerve.Pointer{{Name: "a", ID: last}}))
		first, err := l.Trim(ctx, last/2+1)
		if typed("trim", err); err == nil {
			low = first
		}
		check(l)
		typed("close", l.Close())
	}
	l, err := seglog.Open("log", thisWay(o))
	if err != nil {
		typed("open", err)
		l = open(t, "log", o)
	}
	check(l)
	typed("close", l.Close())
}

func TestReadOnlyFolder(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Log("running as root: permissions do not bind, the errors come from the disk in memory")
		for _, cause := range []syscall.Errno{syscall.EROFS, syscall.EACCES} {
			f := new(faults)
			f.set(vfs.OpOpen, "lock", cause, 1)
			_, err := seglog.Open("log", seglog.Options{FS: vfs.WithFaults(new(vfs.Mem), f)})
			var io *nerve.IOError
			if !errors.As(err, &io) || !errors.Is(err, cause) {
				t.Fatalf("Open = %v", err)
			}
		}
		return
	}
	dir := damageLog(t, true)
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	os.Remove(filepath.Join(dir, "lock"))
	_, err := seglog.Open(dir, damageOptions)
	if !errors.Is(err, fs.ErrPermission) {
		t.Fatalf("Open = %v", err)
	}
}

func TestSecondWriterIsRefused(t *testing.T) {
	dir := t.TempDir()
	l := open(t, dir, seglog.Options{})
	defer l.Close()
	_, err := seglog.Open(dir, seglog.Options{})
	var locked *nerve.LockedError
	if !errors.As(err, &locked) {
		t.Fatalf("Open = %v", err)
	}
}

func TestOtherFormatVersion(t *testing.T) {
	dir := damageLog(t, true)
	edit(t, filepath.Join(dir, "state"), func(b []byte) []byte {
		for i := range 2 {
			seglog.SetVersionForTest(b[i*512:(i+1)*512], 99)
		}
		return b
	})
	_, err := seglog.Open(dir, damageOptions)
	var format *nerve.FormatError
	if !errors.As(err, &format) || !strings.Contains(err.Error(), "format 99") {
		t.Fatalf("Open = %v", err)
	}
	_, err = seglog.Open(t.TempDir(), seglog.Options{ReadOnly: true})
	if !errors.As(err, &format) {
		t.Fatalf("read-only open of an empty folder = %v", err)
	}
}
