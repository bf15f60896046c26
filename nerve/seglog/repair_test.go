package seglog_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/seglog"
	"github.com/octopus-framework/octopus/nerve/vfs"
)

// TestRepairIsKilled ends a repair, and sometimes the machine with it, before each
// of its steps. The next one must find what the first would have: no record and no
// pointer is lost but those that were damaged.
func TestRepairIsKilled(t *testing.T) { eachWay(t, testRepairIsKilled) }

func testRepairIsKilled(t *testing.T) {
	for step := 0; ; step++ {
		for _, powerCut := range []bool{false, true} {
			rng := rand.New(rand.NewPCG(uint64(step), 8))
			disk, damaged := repairableLog(t)
			crash := &crasher{left: step, rng: rng}
			if _, err := seglog.Repair("log", true,
				seglog.VerifyOptions{FS: vfs.WithFaults(disk, crash)}); !crash.down {
				if err != nil {
					t.Fatal(err)
				}
				if step < 10 {
					t.Fatalf("a repair has %d steps", step)
				}
				return
			}
			if powerCut {
				disk = disk.Crash(rng)
			} else {
				disk = disk.Kill()
			}
			if err := checkRepaired(disk, damaged); err != nil {
				t.Errorf("killed before step %d, power cut %v: %v", step, powerCut, err)
			}
		}
	}
}

const repairRecords = 400

// repairableLog returns a disk with a log of several segments, of which one has a
// damaged batch, another a damaged header, and whose state has lost a consumer.
func repairableLog(t *testing.T) (disk *vfs.Mem, damaged map[nerve.ID]bool) {
	t.Helper()
	disk = new(vfs.Mem)
	l := open(t, "log", seglog.Options{FS: disk, SegmentSize: 4 << 10, NoSpare: true})
	for id := nerve.ID(1); id < repairRecords; id += 10 {
		mustAppend(t, l, id, id+9)
	}
	for _, p := range []nerve.Pointer{{Name: "one", ID: 7}, {Name: "two", ID: 300},
		{Name: "gone", ID: 1}} {
		if err := l.SavePointers(context.Background(), []nerve.Pointer{p}); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	flip := func(name string, at int64, n int) {
		f, err := disk.Open(filepath.Join("log", name))
		if err == nil {
			_, err = f.WriteAt(make([]byte, n), at)
		}
		if err == nil {
			err = errors.Join(f.Sync(), f.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	names, err := disk.List("log")
	if err != nil {
		t.Fatal(err)
	}
	flip(names[0], 200, 10) // in the first batch
	flip(names[1], 20, 10)
	flip("state", (2+2*2)*vfs.SectorSize, 2*vfs.SectorSize)
	damaged = map[nerve.ID]bool{}
	for id := nerve.ID(1); id <= 10; id++ {
		damaged[id] = true
	}
	return disk, damaged
}

func checkRepaired(disk *vfs.Mem, damaged map[nerve.ID]bool) error {
	if _, err := seglog.Repair("log", true, seglog.VerifyOptions{FS: disk}); err != nil {
		return fmt.Errorf("Repair: %w", err)
	}
	l, err := seglog.Open("log", seglog.Options{FS: disk, NoSpare: true})
	if err != nil {
		return fmt.Errorf("Open: %w", err)
	}
	defer l.Close()
	if first, last := l.Bounds(); first != 1 || last != repairRecords {
		return fmt.Errorf("records %d to %d", first, last)
	}
	next := nerve.ID(1)
	var b nerve.Batch
	for next <= repairRecords {
		err := readFrom(l, next, &b, func(rec nerve.Record) { next = rec.ID + 1 })
		if err == nil {
			break
		}
		var lost *nerve.LostError
		if !errors.As(err, &lost) {
			return err
		}
		for id := lost.First; id <= lost.Last; id++ {
			if !damaged[id] {
				return err
			}
		}
		next = lost.Last + 1
	}
	pointers, err := l.Pointers(context.Background())
	if err != nil || len(pointers) != 2 {
		return fmt.Errorf("consumers %v, %v", pointers, err)
	}
	return nil
}
