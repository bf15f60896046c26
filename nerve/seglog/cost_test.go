package seglog_test

import (
	"context"
	"runtime"
	"testing"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/seglog"
	"github.com/octopus-framework/octopus/nerve/vfs"
)

// costs counts what an append asks of the disk.
type costs struct{ writes, bytes, syncs int }

func (c *costs) Inject(op vfs.Op, _ string, n int) (int, error) {
	switch op {
	case vfs.OpWrite, vfs.OpWriteDirect:
		c.writes++
		c.bytes += n
	case vfs.OpSync, vfs.OpSyncDir:
		c.syncs++
	}
	return 0, nil
}

// TestAppendCost counts the work of one append, with a key and without: a key
// costs the 16 bytes that it is long.
func TestAppendCost(t *testing.T) {
	disk := new(costs)
	l := open(t, "log", seglog.Options{FS: vfs.WithFaults(new(vfs.Mem), disk), NoSpare: true})
	defer l.Close()
	first := keyed(1, 1, 1) // makes the segment, and the log one with keys
	if _, err := l.Append(context.Background(), first); err != nil {
		t.Fatal(err)
	}
	const record = 1000
	b := new(nerve.Batch)
	b.Append(make([]byte, record))
	seq := uint64(1)
	for _, withKey := range []bool{false, true, false, true} {
		header := 64
		if b.Key = (nerve.Key{}); withKey {
			header = 80
			seq++
			b.Key = nerve.Key{Producer: 1, Seq: seq}
		}
		*disk = costs{}
		if _, err := l.Append(context.Background(), b); err != nil {
			t.Fatal(err)
		}
		// The batch with zeros up to the end of the page, and the mark. Around the
		// cache, the beginning of the first page is written again.
		least, pages := header+4+record+512, 1
		if *direct {
			pages = 2
		}
		if disk.writes != 2 || disk.syncs != 1 || disk.bytes < least ||
			disk.bytes >= least+pages*4096 {
			t.Errorf("key %t: %+v, want 2 writes, 1 sync, at least %d bytes", withKey, *disk, least)
		}
	}
}

// TestAppendAllocations counts on a real disk, where one allocation is the list
// of parts that the system call takes.
func TestAppendAllocations(t *testing.T) {
	if runtime.GOOS != "linux" || raceEnabled {
		t.Skip("the count is that of Linux without the race detector")
	}
	l := open(t, t.TempDir(), seglog.Options{NoSpare: true, Durability: seglog.SyncNever})
	defer l.Close()
	b := new(nerve.Batch)
	b.Append(make([]byte, 1000))
	seq := uint64(0)
	for _, withKey := range []bool{false, true} {
		n := testing.AllocsPerRun(1000, func() {
			if b.Key = (nerve.Key{}); withKey {
				seq++
				b.Key = nerve.Key{Producer: 1, Seq: seq}
			}
			if _, err := l.Append(context.Background(), b); err != nil {
				t.Fatal(err)
			}
		})
		if n > 1 {
			t.Errorf("key %t: %v allocations", withKey, n)
		}
	}
}
