package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/seglog"
	"github.com/octopus-framework/octopus/nerve/vfs"
)

func openStore(t *testing.T, dir string, o Options) *Store {
	t.Helper()
	s, err := Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// kill leaves a store as the end of the process would: nothing pending is written.
func kill(s *Store) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	if s.timer != nil {
		s.timer.Stop()
	}
	_ = s.read.close()
	_ = s.log.Close()
}

// maintain gives space back now.
func maintain(s *Store) {
	s.mu.Lock()
	s.trimmed = time.Time{}
	s.mu.Unlock()
	s.tick()
}

func content(number, size int) []byte {
	return bytes.Repeat([]byte{byte(number), byte(number >> 8)}, size/2)
}

func offer(s *Store, number, size int) error {
	return s.Batch(context.Background(), &Op{Kind: Set, Key: "qmv0", Value: content(number, 40)},
		&Op{Kind: Set, Key: strconv.Itoa(number), Value: content(number, size)})
}

func done(t *testing.T, s *Store, number int) {
	t.Helper()
	if err := s.Batch(context.Background(), &Op{Kind: Set, Key: "qmv0", Value: content(number, 40)},
		&Op{Kind: Delete, Key: strconv.Itoa(number)}); err != nil {
		t.Fatalf("item %d is done: %v", number, err)
	}
}

// find returns the value of a key, nil if there is none.
func find(t *testing.T, s *Store, key string) []byte {
	t.Helper()
	o := &Op{Key: key}
	if err := s.Batch(context.Background(), o); err != nil {
		t.Fatalf("Get of %s: %v", key, err)
	}
	return o.Value
}

// TestAcksRideAlong counts appends: a request is one, with all that was done before.
func TestAcksRideAlong(t *testing.T) {
	s := openStore(t, t.TempDir(), Options{AckInterval: time.Hour})
	for i := range 100 {
		if err := offer(s, i, 100); err != nil {
			t.Fatal(err)
		}
		find(t, s, strconv.Itoa(i))
		done(t, s, i)
	}
	if stats := s.log.Stats(); stats.Appends != 100 || stats.Syncs > 103 {
		t.Fatalf("%d appends and %d syncs for 100 requests", stats.Appends, stats.Syncs)
	}
	if stats := s.Stats(); stats.Items != 0 {
		t.Fatalf("%d items are left", stats.Items)
	}
}

// TestStartPath is the one way in which any storage loses requests today: what was being sent when
// the collector ended is deleted at start and stored again one by one, and the process is killed
// between.
func TestStartPath(t *testing.T) {
	dir := t.TempDir()
	for killed := range 5 {
		s := openStore(t, dir, Options{})
		if killed == 0 {
			for i := range 4 {
				if err := offer(s, i, 100); err != nil {
					t.Fatal(err)
				}
			}
		}
		var deletes []*Op
		for i := range 4 {
			if want := content(i, 100); !bytes.Equal(find(t, s, strconv.Itoa(i)), want) {
				t.Fatalf("after %d kills item %d is lost", killed, i)
			}
			deletes = append(deletes, &Op{Kind: Delete, Key: strconv.Itoa(i)})
		}
		if err := s.Batch(context.Background(), deletes...); err != nil {
			t.Fatal(err)
		}
		if find(t, s, "2") != nil {
			t.Fatal("what was deleted is still found")
		}
		for i := range killed {
			if err := offer(s, 4+4*killed+i, 100); err != nil {
				t.Fatal(err)
			}
		}
		kill(s)
	}
	if s := openStore(t, dir, Options{}); find(t, s, "0") != nil || find(t, s, "23") == nil {
		t.Fatal("all were stored again, and the old ones are still there, or the new ones are not")
	}
}

func TestFullAndRoomAgain(t *testing.T) {
	const limit = 1 << 20
	s := openStore(t, t.TempDir(), Options{MaxBytes: limit, Durability: seglog.SyncNever})
	stored := 0
	for ; ; stored++ {
		err := offer(s, stored, 10_000)
		var full *nerve.FullError
		if errors.As(err, &full) && full.Limit == limit {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if stored < 90 {
		t.Fatalf("it was full after %d items of 10 KB", stored)
	}
	for i := range stored {
		if want := content(i, 10_000); !bytes.Equal(find(t, s, strconv.Itoa(i)), want) {
			t.Fatalf("item %d is not what was stored", i)
		}
		done(t, s, i)
	}
	for i := range stored - 30 { // a part of the last segment is in use
		if err := offer(s, 1000+i, 10_000); err != nil {
			t.Fatalf("item %d after all was done: %v", i, err)
		}
	}
}

func TestDropOldest(t *testing.T) {
	const limit = 1 << 20
	s := openStore(t, t.TempDir(), Options{MaxBytes: limit, DropOldest: true,
		Durability: seglog.SyncNever})
	for i := range 1000 {
		if err := offer(s, i, 10_000); err != nil {
			t.Fatal(err)
		}
	}
	stats := s.Stats()
	if stats.Bytes > limit+100_000 || stats.Items < 50 || stats.Items+stats.Dropped != 1000 {
		t.Fatalf("%+v", stats)
	}
	if find(t, s, "999") == nil || find(t, s, "0") != nil {
		t.Fatal("it is not the oldest that went")
	}
}

func TestDiskFull(t *testing.T) {
	disk := new(vfs.Mem)
	disk.SetCapacity(4 << 20)
	s := openStore(t, "store", Options{FS: disk, SegmentSize: 256 << 10})
	stored := 0
	for ; ; stored++ {
		if err := offer(s, stored, 10_000); errors.Is(err, syscall.ENOSPC) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	for i := range stored / 2 {
		done(t, s, i)
	}
	disk.SetCapacity(16 << 20)
	for i := range 10 {
		if err := offer(s, stored+i, 10_000); err != nil {
			t.Fatal(err)
		}
	}
	kill(s)
	s = openStore(t, "store", Options{FS: disk})
	for i := range stored + 10 {
		if got := find(t, s, strconv.Itoa(i)); (got != nil) != (i >= stored/2) {
			t.Fatalf("item %d of %d: %d bytes", i, stored+10, len(got))
		}
	}
}

// TestDamage flips a byte in the middle: what is lost is the item there.
func TestDamage(t *testing.T) {
	flip := func(dir string) {
		names, err := filepath.Glob(filepath.Join(dir, "*.seg"))
		if err != nil || len(names) == 0 {
			t.Fatalf("no segment: %v", err)
		}
		f, err := os.OpenFile(names[0], os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		b := make([]byte, 1)
		if _, err := f.ReadAt(b, 20_000); err != nil {
			t.Fatal(err)
		}
		b[0] ^= 0x10
		if _, err := f.WriteAt(b, 20_000); err != nil {
			t.Fatal(err)
		}
	}
	check := func(t *testing.T, s *Store) {
		lost := 0
		for i := range 100 {
			got := find(t, s, strconv.Itoa(i))
			if got == nil {
				lost++
			} else if !bytes.Equal(got, content(i, 1000)) {
				t.Fatalf("item %d is another one", i)
			}
		}
		if lost != 1 || s.Stats().Damaged == 0 {
			t.Fatalf("%d items are lost, %d damaged", lost, s.Stats().Damaged)
		}
		if err := offer(s, 100, 1000); err != nil || find(t, s, "100") == nil {
			t.Fatalf("after that it does not go on: %v", err)
		}
	}
	for _, name := range []string{"under load", "at start", "at start, closed"} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			s := openStore(t, dir, Options{})
			for i := range 100 {
				if err := offer(s, i, 1000); err != nil {
					t.Fatal(err)
				}
			}
			switch name {
			case "under load":
				flip(dir)
				check(t, s)
				return
			case "at start":
				kill(s)
			default:
				if err := s.Close(); err != nil {
					t.Fatal(err)
				}
			}
			flip(dir)
			if name == "at start" {
				if s, err := Open(dir, Options{FailOnDamage: true}); err == nil {
					_ = s.Close()
					t.Error("with FailOnDamage it opens")
				}
			}
			check(t, openStore(t, dir, Options{}))
		})
	}
}

// TestStragglers keeps one item while many pass: the disk must not keep them all.
func TestStragglers(t *testing.T) {
	const size = 256 << 10
	s := openStore(t, t.TempDir(), Options{Durability: seglog.SyncNever, SegmentSize: size,
		snapshotEvery: size})
	for i := range 2000 {
		if err := offer(s, i, 2000); err != nil {
			t.Fatal(err)
		}
		if i > 0 {
			done(t, s, i)
		}
		if i%100 == 0 {
			maintain(s)
		}
	}
	if got := s.log.Bytes(); got > 6*size {
		t.Fatalf("%d bytes are kept for one item", got)
	}
	if !bytes.Equal(find(t, s, "0"), content(0, 2000)) {
		t.Fatal("the item is lost")
	}
}

func TestFoldersOfOthers(t *testing.T) {
	dir := t.TempDir()
	log, err := seglog.Open(dir, seglog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var b nerve.Batch
	b.Append([]byte("an event"))
	if _, err := log.Append(context.Background(), &b); err != nil {
		t.Fatal(err)
	}
	var locked *nerve.LockedError
	if _, err := Open(dir, Options{}); !errors.As(err, &locked) {
		t.Errorf("a folder that is open elsewhere: %v", err)
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	var format *nerve.FormatError
	if _, err := Open(dir, Options{}); !errors.As(err, &format) {
		t.Errorf("a queue of somebody else: %v", err)
	}
}

// TestMapIsBounded fills the map of other keys, and of numbers that do not grow.
func TestMapIsBounded(t *testing.T) {
	s := openStore(t, t.TempDir(), Options{Durability: seglog.SyncNever, MaxMapBytes: 10_000})
	set := func(key string) error {
		return s.Batch(context.Background(), &Op{Kind: Set, Key: key, Value: make([]byte, 100)})
	}
	for _, key := range []func(i int) string{
		func(i int) string { return fmt.Sprint("key", i) },
		func(i int) string { return strconv.Itoa(10_000 - i) },
	} {
		var full *nerve.FullError
		var err error
		n := 0
		for ; n < 1000 && err == nil; n++ {
			err = set(key(n))
		}
		if !errors.As(err, &full) || n < 20 {
			t.Fatalf("after %d keys: %v", n, err)
		}
		for i := range n {
			if err := s.Batch(context.Background(), &Op{Kind: Delete, Key: key(i)},
				&Op{Kind: Get, Key: "qmv0"}); err != nil {
				t.Fatal(err)
			}
		}
		maintain(s)
		if err := set(key(0)); err != nil {
			t.Fatalf("after all were deleted: %v", err)
		}
	}
}

func FuzzVisit(f *testing.F) {
	f.Add(appendItem(appendSet([]byte{version}, "qmv0", []byte("meta")), 7, []byte("item")))
	f.Add(appendAcks([]byte{version}, []nerve.ID{3, 4, 9}))
	f.Fuzz(func(t *testing.T, record []byte) {
		r := &replayer{Store: &Store{values: make(map[string]*value)}, id: 1000}
		_ = visit(r.id, record, r)
	})
}
