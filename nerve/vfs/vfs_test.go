package vfs_test

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"testing"

	"github.com/octopus-framework/octopus/nerve/vfs"
)

// TestDisks checks that both disks do the same.
func TestDisks(t *testing.T) {
	for name, disk := range map[string]vfs.FS{"os": vfs.OS{}, "mem": new(vfs.Mem)} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := func(name string) string { return filepath.Join(dir, name) }
			if _, err := disk.Open(path("a")); !errors.Is(err, fs.ErrNotExist) {
				t.Fatalf("Open of nothing = %v", err)
			}
			f, err := disk.Create(path("a"))
			must(t, err)
			_, err = f.WriteAt([]byte("hello"), 3)
			must(t, err)
			must(t, f.Truncate(6))
			must(t, f.Allocate(10))
			must(t, f.Allocate(2)) // never shrinks
			for _, both := range [][2]string{{"wor", "ld"}, {"", "ld"}, {"w", ""}} {
				n, err := f.WriteVecAt([][]byte{[]byte(both[0]), []byte(both[1])},
					5+3-int64(len(both[0])))
				if must(t, err); n != len(both[0]+both[1]) {
					t.Fatalf("WriteVecAt of %q wrote %d", both, n)
				}
			}
			must(t, f.Sync())
			size, err := f.Size()
			must(t, err)
			b := make([]byte, 20)
			n, err := f.ReadAt(b, 0)
			if size != 10 || n != 10 || err != io.EOF ||
				!bytes.Equal(b[:n], []byte("\x00\x00\x00hewowld")) {
				t.Fatalf("size %d, read %d %q, %v", size, n, b[:n], err)
			}
			must(t, f.Close())
			must(t, disk.Rename(path("a"), path("b")))
			must(t, disk.Link(path("b"), path("c")))
			if err := disk.Link(path("b"), path("c")); !errors.Is(err, fs.ErrExist) {
				t.Fatalf("Link to a name that is taken = %v", err)
			}
			other, err := disk.Create(path("d"))
			must(t, err)
			must(t, other.Close())
			must(t, disk.Rename(path("d"), path("b"))) // the file has its second name still
			linked, err := disk.OpenRead(path("c"))
			must(t, err)
			if size, err := linked.Size(); size != 10 || err != nil {
				t.Fatalf("a file with two names has %d bytes, %v", size, err)
			}
			must(t, linked.Close())
			must(t, disk.Remove(path("c")))
			must(t, disk.SyncDir(dir))
			names, err := disk.List(dir)
			if must(t, err); !slices.Equal(names, []string{"b"}) {
				t.Fatalf("List = %v", names)
			}
			r, err := disk.OpenRead(path("b"))
			must(t, err)
			if _, err := r.WriteAt([]byte("x"), 0); err == nil {
				t.Fatal("a file opened for reading was written to")
			}
			must(t, r.Close())
			must(t, disk.Remove(path("b")))
			if err := disk.Remove(path("b")); !errors.Is(err, fs.ErrNotExist) {
				t.Fatalf("Remove of nothing = %v", err)
			}
			lock, err := disk.Lock(path("lock"))
			must(t, err)
			if _, err := disk.Lock(path("lock")); !errors.Is(err, vfs.ErrLocked) {
				t.Fatalf("second Lock = %v", err)
			}
			must(t, lock.Close())
			lock, err = disk.Lock(path("lock"))
			must(t, err)
			must(t, lock.Close())
		})
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestLockIsFreeAfterClose closes locks while other goroutines start processes,
// which hold a copy of every descriptor for a moment.
func TestLockIsFreeAfterClose(t *testing.T) {
	program, err := exec.LookPath("true")
	if err != nil {
		t.Skip("there is no program to start")
	}
	stop := make(chan struct{})
	var all sync.WaitGroup
	for range 2 {
		all.Add(1)
		go func() {
			defer all.Done()
			for {
				select {
				case <-stop:
					return
				default:
					_ = exec.Command(program).Run()
				}
			}
		}()
	}
	path := filepath.Join(t.TempDir(), "lock")
	for range 3000 {
		lock, err := vfs.OS{}.Lock(path)
		if err != nil {
			t.Errorf("Lock after Close = %v", err)
			break
		}
		if err := lock.Close(); err != nil {
			t.Error(err)
		}
	}
	close(stop)
	all.Wait()
}

// TestCrashLosesSectors shows what a crash may and may not do.
func TestCrashLosesSectors(t *testing.T) {
	disk := new(vfs.Mem)
	f, err := disk.Create("d/a")
	must(t, err)
	synced := bytes.Repeat([]byte{1}, 4*vfs.SectorSize)
	_, err = f.WriteAt(synced, 0)
	must(t, err)
	must(t, f.Sync())
	must(t, disk.SyncDir("d"))
	_, err = f.WriteAt(bytes.Repeat([]byte{2}, 2*vfs.SectorSize), vfs.SectorSize)
	must(t, err)
	must(t, disk.Rename("d/a", "d/b"))
	seen := map[string]bool{}
	for seed := range uint64(200) {
		after := disk.Crash(rand.New(rand.NewPCG(seed, 1)))
		names, err := after.List("d")
		if must(t, err); len(names) != 1 {
			t.Fatalf("a rename left %v", names)
		}
		f, err := after.OpenRead("d/" + names[0])
		must(t, err)
		b := make([]byte, len(synced))
		_, err = f.ReadAt(b, 0)
		must(t, err)
		what := names[0]
		for at := 0; at < len(b); at += vfs.SectorSize {
			if !bytes.Equal(b[at:at+vfs.SectorSize], bytes.Repeat(b[at:at+1], vfs.SectorSize)) {
				t.Fatal("a sector was torn")
			}
			what += string('0' + b[at])
		}
		seen[what] = true
	}
	for _, name := range []string{"a", "b"} {
		for _, middle := range []string{"11", "12", "21", "22"} {
			if !seen[name+"1"+middle+"1"] {
				t.Errorf("%s with sectors %s never came out of 200 crashes: %v", name, middle, seen)
			}
		}
	}
	if len(seen) != 8 {
		t.Errorf("crashes left %v", seen)
	}
}

func TestCapacity(t *testing.T) {
	disk := new(vfs.Mem)
	disk.SetCapacity(1000)
	f, err := disk.Create("a")
	must(t, err)
	if n, err := f.WriteAt(make([]byte, 1200), 0); n != 1000 || !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("WriteAt = %d, %v", n, err)
	}
	if err := f.Allocate(1001); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("Allocate = %v", err)
	}
	must(t, f.Truncate(10))
	_, err = f.WriteAt(make([]byte, 900), 10)
	must(t, err)
	if disk.Used() != 910 {
		t.Fatalf("Used = %d", disk.Used())
	}
}

// TestFill checks sizes that can and cannot go around the cache, and that the
// file is an ordinary one afterwards.
func TestFill(t *testing.T) {
	for name, disk := range map[string]vfs.FS{"os": vfs.OS{}, "mem": new(vfs.Mem)} {
		for _, size := range []int64{5000, 512 << 10, 3<<20 + 1} {
			path := filepath.Join(t.TempDir(), "a")
			f, err := disk.Create(path)
			must(t, err)
			asked := 0
			must(t, f.Fill(size, func() bool { asked++; return false }))
			got, err := f.Size()
			if must(t, err); got != size || asked == 0 {
				t.Fatalf("%s: size %d of %d, asked %d times whether to stop", name, got,
					size, asked)
			}
			_, err = f.WriteAt([]byte("hello"), 1001) // not aligned to anything
			must(t, err)
			b := make([]byte, size)
			_, err = f.ReadAt(b, 0)
			must(t, err)
			if string(b[1001:1006]) != "hello" || len(bytes.Trim(b, "\x00")) != 5 {
				t.Fatalf("%s: a filled file is not zeros around what was written", name)
			}
			must(t, f.Close())
			f, err = disk.Create(path)
			must(t, err)
			if err := f.Fill(size, func() bool { return true }); err != vfs.ErrStopped {
				t.Fatalf("%s: a stopped Fill = %v", name, err)
			}
			must(t, f.Close())
		}
	}
}
