package vfs_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/octopus-framework/octopus/nerve/vfs"
)

const block = vfs.DirectBlock

// memory returns n bytes that hold value and that direct writes take.
func memory(t *testing.T, disk vfs.FS, n int, value byte) []byte {
	t.Helper()
	b, free, err := disk.Memory(n)
	must(t, err)
	t.Cleanup(free)
	for i := range b {
		b[i] = value
	}
	return b
}

// directFile makes a file of four synced blocks of ones, and opens it once more for
// direct writes.
func directFile(t *testing.T, disk vfs.FS, path string) (cached, direct vfs.File) {
	t.Helper()
	cached, err := disk.Create(path)
	must(t, err)
	t.Cleanup(func() { cached.Close() })
	_, err = cached.WriteAt(bytes.Repeat([]byte{1}, 4*block), 0)
	must(t, err)
	must(t, cached.Sync())
	direct, err = cached.OpenDirect(path)
	if errors.Is(err, vfs.ErrNoDirect) {
		t.Skip(err)
	}
	must(t, err)
	t.Cleanup(func() { direct.Close() })
	return cached, direct
}

// content returns the first byte of each block of a file, of which all bytes are
// the same.
func content(t *testing.T, f vfs.File) (list []byte) {
	t.Helper()
	size, err := f.Size()
	must(t, err)
	b := make([]byte, size)
	_, err = f.ReadAt(b, 0)
	must(t, err)
	for p := range slices.Chunk(b, block) {
		if !bytes.Equal(p, bytes.Repeat(p[:1], len(p))) {
			t.Fatal("a block is mixed")
		}
		list = append(list, p[0])
	}
	return list
}

// TestDirectWrites checks that both disks take what is aligned, and nothing else.
func TestDirectWrites(t *testing.T) {
	for name, disk := range map[string]vfs.FS{"os": vfs.OS{}, "mem": new(vfs.Mem)} {
		t.Run(name, func(t *testing.T) {
			cached, direct := directFile(t, disk, filepath.Join(t.TempDir(), "a"))
			b := memory(t, disk, 3*block, 2)
			for _, wrong := range []struct {
				p   []byte
				off int64
			}{{b[:block], 1}, {b[:100], 0}, {b[8 : 8+block], 0}, {b[1 : 1+block], 0}} {
				n, err := direct.WriteAt(wrong.p, wrong.off)
				if name == "os" && err == nil && n == len(wrong.p) {
					continue // the file system takes more than is asked of it
				}
				if n != 0 || !vfs.RefusesDirect(err) {
					t.Fatalf("%d bytes at %d: %d, %v", len(wrong.p), wrong.off, n, err)
				}
			}
			_, err := direct.WriteVecAt([][]byte{b[2*block:], b[:block]}, block)
			must(t, err)
			must(t, cached.Sync())
			if name == "mem" { // the other one may have taken the first one
				if got := content(t, cached); !bytes.Equal(got, []byte{1, 2, 2, 1}) {
					t.Fatalf("blocks hold %d", got)
				}
			}
			_, err = cached.WriteAt(bytes.Repeat([]byte{3}, 4*block), 0)
			must(t, err)
			must(t, cached.Sync())
			_, err = direct.WriteAt(b, block)
			must(t, err)
			if got := content(t, cached); !bytes.Equal(got, []byte{3, 2, 2, 2}) {
				t.Fatalf("after both kinds of writes blocks hold %d", got)
			}
		})
	}
	if vfs.RefusesDirect(syscall.EIO) {
		t.Error("an input/output error is taken for a refusal")
	}
}

// TestDirectRefused opens files on a file system in memory.
func TestDirectRefused(t *testing.T) {
	dir := "/dev/shm"
	if info, err := os.Stat(dir); runtime.GOOS != "linux" || err != nil || !info.IsDir() {
		t.Skip("there is no file system in memory")
	}
	name, err := os.MkdirTemp(dir, "octopus")
	must(t, err)
	defer os.RemoveAll(name)
	name = filepath.Join(name, "a")
	f, err := vfs.OS{}.Create(name)
	must(t, err)
	defer f.Close()
	if _, err := f.OpenDirect(name); !errors.Is(err, vfs.ErrNoDirect) ||
		!strings.Contains(err.Error(), name) {
		t.Fatalf("OpenDirect = %v", err)
	}
}

// TestDirectOpensTheSameFile moves a file away and puts another one in its place.
func TestDirectOpensTheSameFile(t *testing.T) {
	for name, disk := range map[string]vfs.FS{"os": vfs.OS{}, "mem": new(vfs.Mem)} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "a")
			f, _ := directFile(t, disk, path)
			must(t, disk.Rename(path, path+"2"))
			if _, err := f.OpenDirect(path); err == nil {
				t.Fatal("a file that is not there was opened")
			}
			other, err := disk.Create(path)
			must(t, err)
			defer other.Close()
			if _, err := f.OpenDirect(path); !errors.Is(err, vfs.ErrNoDirect) {
				t.Fatalf("another file was opened: %v", err)
			}
			direct, err := f.OpenDirect(path + "2")
			must(t, err)
			must(t, direct.Close())
		})
	}
}

// TestShortDirectWrites lets the disk write a block at a time, and none.
func TestShortDirectWrites(t *testing.T) {
	disk := new(vfs.Mem)
	cached, direct := directFile(t, disk, "a")
	b := memory(t, disk, 4*block, 2)
	var asked []int
	disk.SetShortWrites(func(n int) int { asked = append(asked, n); return 1 })
	n, err := direct.WriteVecAt([][]byte{b[2*block:], b[:block]}, block)
	must(t, err)
	if n != 3*block || !slices.Equal(asked, []int{3, 2, 1}) {
		t.Fatalf("%d bytes written in pieces of %d blocks", n, asked)
	}
	if got := content(t, cached); !bytes.Equal(got, []byte{1, 2, 2, 2}) {
		t.Fatalf("blocks hold %d", got)
	}
	disk.SetShortWrites(func(int) int { return 0 })
	if n, err := direct.WriteAt(b, 0); n != 0 || err == nil || vfs.RefusesDirect(err) {
		t.Fatalf("a write of nothing = %d, %v", n, err)
	}
}

// TestMixedWritesAreNoticed writes both ways without a sync between them.
func TestMixedWritesAreNoticed(t *testing.T) {
	for _, directFirst := range []bool{false, true} {
		disk := new(vfs.Mem)
		cached, direct := directFile(t, disk, "a")
		b := memory(t, disk, block, 2)
		files := []vfs.File{cached, direct}
		if directFirst {
			slices.Reverse(files)
		}
		_, err := files[0].WriteAt(b, 0)
		must(t, err)
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("direct first %t: nothing was noticed", directFirst)
				}
			}()
			_, _ = files[1].WriteAt(b, 2*block)
		}()
		must(t, cached.Sync())
		_, err = files[1].WriteAt(b, 2*block)
		must(t, err)
	}
}

// TestFaultyDirectWrites checks what is left of direct writes that are made to
// fail.
func TestFaultyDirectWrites(t *testing.T) {
	f := new(directFaults)
	disk := vfs.WithFaults(new(vfs.Mem), f)
	cached, direct := directFile(t, disk, "a")
	b := memory(t, disk, 4*block, 2)
	f.op, f.done = vfs.OpWriteDirect, 2*block+10
	n, err := direct.WriteVecAt([][]byte{b[:block], b[block:]}, 0)
	if n != 2*block || !errors.Is(err, syscall.EIO) {
		t.Fatalf("WriteVecAt = %d, %v", n, err)
	}
	if got := content(t, cached); !bytes.Equal(got, []byte{2, 2, 1, 1}) {
		t.Fatalf("blocks hold %d", got)
	}
	f.op = vfs.OpOpenDirect
	if _, err := cached.OpenDirect("a"); !errors.Is(err, syscall.EIO) {
		t.Fatalf("OpenDirect = %v", err)
	}
	f.op = vfs.OpMemory
	if _, _, err := disk.Memory(block); !errors.Is(err, syscall.EIO) {
		t.Fatalf("Memory = %v", err)
	}
}

type directFaults struct {
	op   vfs.Op
	done int
}

func (f *directFaults) Inject(op vfs.Op, _ string, _ int) (int, error) {
	if op == f.op {
		return f.done, syscall.EIO
	}
	return 0, nil
}

// TestCrashLosesBlocks shows what a crash does to direct writes: sectors or whole
// blocks of them are lost, and on the worse disk blocks are destroyed.
func TestCrashLosesBlocks(t *testing.T) {
	disk := new(vfs.Mem)
	_, direct := directFile(t, disk, "d/a")
	must(t, disk.SyncDir("d"))
	_, err := direct.WriteAt(memory(t, disk, 2*block, 2), block)
	must(t, err)
	after := func(d *vfs.Mem) (whole string, torn, destroyed bool) {
		f, err := d.OpenRead("d/a")
		must(t, err)
		b := make([]byte, 4*block)
		_, err = f.ReadAt(b, 0)
		must(t, err)
		for p := range slices.Chunk(b, block) {
			ones, twos := bytes.Count(p, []byte{1}), bytes.Count(p, []byte{2})
			switch {
			case ones+twos < block:
				destroyed = true
			case ones > 0 && twos > 0:
				torn = true
			}
			whole += string('0' + p[0])
		}
		return whole, torn, destroyed
	}
	whole, sectors, blocks := map[string]bool{}, false, false
	for seed := range uint64(200) {
		state, torn, destroyed := after(disk.Crash(rand.New(rand.NewPCG(seed, 1))))
		if destroyed || state[0] != '1' || state[3] != '1' {
			t.Fatalf("a crash left %s, destroyed %t", state, destroyed)
		}
		if sectors = sectors || torn; !torn {
			whole[state] = true
		}
		_, torn, destroyed = after(disk.CrashShorn(rand.New(rand.NewPCG(seed, 1))))
		if blocks = blocks || destroyed; torn && !destroyed {
			t.Fatal("the disk of large sectors tore one")
		}
	}
	if len(whole) != 4 || !sectors || !blocks {
		t.Fatalf("whole %v, torn by sectors %t, destroyed %t", whole, sectors, blocks)
	}
}
