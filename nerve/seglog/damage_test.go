package seglog_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/seglog"
	"github.com/octopus-framework/octopus/nerve/vfs"
)

const damageRecords = 600

func damageContent(id nerve.ID) string {
	return fmt.Sprintf("%06d:%s", id, strings.Repeat(string(rune('a'+id%26)), int(id%90)))
}

var damageOptions = seglog.Options{SegmentSize: 8 << 10}

// damageLog makes a log of several segments. Not clean is what SIGKILL leaves:
// the state and segments as they are before Close.
func damageLog(t *testing.T, clean bool) string {
	t.Helper()
	dir := t.TempDir()
	l := open(t, dir, damageOptions)
	for id := nerve.ID(1); id <= damageRecords; {
		var b nerve.Batch
		for range 1 + id%7 {
			if id <= damageRecords {
				b.Append([]byte(damageContent(id)))
				id++
			}
		}
		if id%3 == 0 { // some with the longer header
			b.Key = nerve.Key{Producer: 1, Seq: uint64(id)}
		}
		if _, err := l.Append(context.Background(), &b); err != nil {
			t.Fatal(err)
		}
	}
	err := l.SavePointers(context.Background(),
		[]nerve.Pointer{{Name: "one", ID: 100}, {Name: "two", ID: 200}, {Name: "three", ID: 300}})
	if err != nil {
		t.Fatal(err)
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

// readThrough reads everything there is, stepping over damage as a consumer
// would, and returns which records it got and which were reported as lost.
// A wrong record fails the test, and so does a search by time that leads past a
// record that can be read.
func readThrough(t *testing.T, l *seglog.Log) (got, lost map[nerve.ID]bool) {
	t.Helper()
	got, lost = map[nerve.ID]bool{}, map[nerve.ID]bool{}
	times := map[int64]nerve.ID{} // the first record of each
	defer func() {
		tried := 0
		for nano, want := range times {
			if tried++; tried > 5 { // they take long, and there are many rounds
				break
			}
			id, err := l.Seek(context.Background(), time.Unix(0, nano))
			if err != nil || id > want {
				t.Fatalf("Seek(%d) = %d, %v; record %d can be read", nano, id, err, want)
			}
			for ; id < want; id++ {
				if got[id] {
					t.Fatalf("Seek(%d) is not above %d, which is older than %d", nano, id, want)
				}
			}
		}
	}()
	first, last := l.Bounds()
	var b nerve.Batch
	for next, steps := first, 0; next <= last; steps++ {
		if steps > 10*damageRecords {
			t.Fatalf("no progress at %d", next)
		}
		err := readFrom(l, next, &b, func(rec nerve.Record) {
			if string(rec.Data) != damageContent(rec.ID) {
				t.Fatalf("wrong record %d: %q", rec.ID, rec.Data)
			}
			got[rec.ID] = true
			if times[rec.UnixNano] == 0 {
				times[rec.UnixNano] = rec.ID
			}
			next = rec.ID + 1
		})
		if err == nil {
			break
		}
		var corrupt *nerve.CorruptError
		var gone *nerve.LostError
		to := nerve.ID(0)
		switch {
		case errors.As(err, &corrupt):
			to = corrupt.Last
		case errors.As(err, &gone):
			to = gone.Last
		default:
			t.Fatalf("read at %d: %v", next, err)
		}
		for id := next; id <= max(to, next); id++ {
			lost[id] = true
		}
		next = max(to, next) + 1
	}
	return got, lost
}

func readFrom(l *seglog.Log, from nerve.ID, b *nerve.Batch, each func(nerve.Record)) error {
	cur, err := l.Read(context.Background(), from)
	if err != nil {
		return err
	}
	defer cur.Close()
	_, last := l.Bounds()
	for next := from; next <= last; next = b.Last() + 1 {
		if err := cur.Next(context.Background(), b); err != nil {
			return err
		}
		for rec := range b.All() {
			each(rec)
		}
	}
	return nil
}

// checkDamaged opens a damaged copy in all ways. Each record must be there or
// named as lost, by the open or by the read that meets it.
func checkDamaged(t *testing.T, dir string) {
	t.Helper()
	ro := damageOptions
	ro.ReadOnly = true
	for _, o := range []seglog.Options{ro, damageOptions} {
		l, err := seglog.Open(dir, o)
		if err != nil {
			var corrupt *nerve.CorruptError
			var format *nerve.FormatError
			if !errors.As(err, &corrupt) && !errors.As(err, &format) {
				t.Fatalf("Open (read-only %v): %T %v", o.ReadOnly, err, err)
			}
			continue
		}
		got, lost := readThrough(t, l)
		if _, last := l.Bounds(); last > damageRecords {
			t.Fatalf("read-only %v: the log claims to end at %d", o.ReadOnly, last)
		}
		for _, d := range l.Damage() {
			if filepath.Base(d.File) == "state" {
				// The view ends early and says so.
				for id := d.First; id <= damageRecords; id++ {
					lost[id] = true
				}
			}
			for id := d.First; id <= d.Last; id++ {
				lost[id] = true
			}
		}
		for id := nerve.ID(1); id <= damageRecords; id++ {
			if !got[id] && !lost[id] {
				t.Fatalf("read-only %v: record %d was lost in silence", o.ReadOnly, id)
			}
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func edit(t *testing.T, path string, change func([]byte) []byte) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, change(b), 0o644); err != nil {
		t.Fatal(err)
	}
}

var damageRounds = flag.Int("damages", 10, "how often TestDamage does each damage")

func TestDamage(t *testing.T) { eachWay(t, testDamage) }

func testDamage(t *testing.T) {
	rounds := *damageRounds
	for name, damage := range damages(t) {
		for _, clean := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s/clean=%v", name, clean), func(t *testing.T) {
				t.Parallel()
				source := damageLog(t, clean)
				for seed := range rounds {
					rng := rand.New(rand.NewPCG(uint64(seed), 5))
					dir := filepath.Join(t.TempDir(), "log")
					if err := os.CopyFS(dir, os.DirFS(source)); err != nil {
						t.Fatal(err)
					}
					damage.harm(t, dir, rng)
					checkDamaged(t, dir)
					os.RemoveAll(dir)
					if t.Failed() {
						t.Fatalf("with seed %d", seed)
					}
				}
			})
		}
	}
}

// TestUndamagedCopiesAreWhole keeps TestDamage honest: without damage nothing
// may be reported.
func TestUndamagedCopiesAreWhole(t *testing.T) { eachWay(t, testUndamagedCopiesAreWhole) }

func testUndamagedCopiesAreWhole(t *testing.T) {
	for _, clean := range []bool{true, false} {
		l := open(t, damageLog(t, clean), damageOptions)
		got, lost := readThrough(t, l)
		if len(got) != damageRecords || len(lost) != 0 || len(l.Damage()) != 0 {
			t.Errorf("clean %v: %d records, %d lost, damage %v", clean, len(got), len(lost),
				l.Damage())
		}
		if r := l.Recovery(); r.Unclean == clean || r.CutBytes != 0 {
			t.Errorf("clean %v: %+v", clean, r)
		}
		l.Close()
	}
}

func TestTruncatedPointersAreNotForgotten(t *testing.T) {
	dir := damageLog(t, true)
	edit(t, filepath.Join(dir, "state"), func(b []byte) []byte { return b[:len(b)-1024] })
	l := open(t, dir, damageOptions)
	defer l.Close()
	err := l.SavePointers(context.Background(), []nerve.Pointer{{Name: "three", ID: 1}})
	var corrupt *nerve.CorruptError
	if !errors.As(err, &corrupt) {
		t.Fatalf("a consumer that may have been known begins anew: %v", err)
	}
	if err := l.SavePointers(context.Background(),
		[]nerve.Pointer{{Name: "one", ID: 150}}); err != nil {
		t.Fatalf("a consumer that is known: %v", err)
	}
}

// TestFileCutWhileOpen cuts a segment under a reader: an error, not a signal.
func TestFileCutWhileOpen(t *testing.T) { eachWay(t, testFileCutWhileOpen) }

func testFileCutWhileOpen(t *testing.T) {
	dir := damageLog(t, true)
	l := open(t, dir, damageOptions)
	defer l.Close()
	cur, err := l.Read(context.Background(), 1)
	if err != nil {
		t.Fatal(err)
	}
	defer cur.Close()
	var b nerve.Batch
	if err := cur.Next(context.Background(), &b); err != nil {
		t.Fatal(err)
	}
	list, err := segments(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range list {
		if err := os.Truncate(path, 100); err != nil {
			t.Fatal(err)
		}
	}
	for err == nil {
		err = cur.Next(context.Background(), &b)
		for rec := range b.All() {
			if err == nil && string(rec.Data) != damageContent(rec.ID) {
				t.Fatalf("wrong record %d", rec.ID)
			}
		}
	}
	var corrupt *nerve.CorruptError
	if !errors.As(err, &corrupt) {
		t.Fatal(err)
	}
}

// TestVerifyAndRepair checks that Verify sees each damage that loses a record,
// and that Repair leaves a log that opens without damage, has every other
// record under its id, and goes on.
func TestVerifyAndRepair(t *testing.T) { eachWay(t, testVerifyAndRepair) }

func testVerifyAndRepair(t *testing.T) {
	rounds := max(1, *damageRounds*2/5)
	for name, damage := range damages(t) {
		for _, clean := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s/clean=%v", name, clean), func(t *testing.T) {
				t.Parallel()
				source := damageLog(t, clean)
				for seed := range rounds {
					rng := rand.New(rand.NewPCG(uint64(seed), 6))
					dir := filepath.Join(t.TempDir(), "log")
					if err := os.CopyFS(dir, os.DirFS(source)); err != nil {
						t.Fatal(err)
					}
					damage.harm(t, dir, rng)
					if verifyAndRepair(t, dir); t.Failed() {
						t.Fatalf("with seed %d", seed)
					}
					os.RemoveAll(dir)
				}
			})
		}
	}
}

func verifyAndRepair(t *testing.T, dir string) {
	t.Helper()
	found, err := seglog.Verify(dir, seglog.VerifyOptions{})
	if err != nil {
		t.Fatalf("Verify: %v", err)
	}
	named := map[nerve.ID]bool{}
	for _, d := range found.Damage {
		for id := d.First; id <= d.Last; id++ {
			named[id] = true
		}
	}
	if _, err := seglog.Repair(dir, true, seglog.VerifyOptions{}); err != nil {
		t.Fatalf("Repair: %v", err)
	}
	l, err := seglog.Open(dir, damageOptions)
	if err != nil {
		t.Fatalf("Open after Repair: %v (Verify had found %v)", err, found.Damage)
	}
	defer l.Close()
	got, lost := readThrough(t, l)
	for id := nerve.ID(1); id <= damageRecords; id++ {
		switch {
		case !got[id] && !named[id]:
			t.Fatalf("record %d is gone, and Verify did not name it: %v", id, found.Damage)
		case !got[id] && !lost[id]:
			t.Fatalf("record %d is gone in silence", id)
		case got[id] && named[id]:
			t.Fatalf("record %d is there, but Verify gave it up", id)
		}
	}
	_, last := l.Bounds()
	if id, err := l.Append(context.Background(), numbered(last+1, last+1)); err != nil ||
		id != last+1 {
		t.Fatalf("Append after Repair: %d, %v", id, err)
	}
	again, err := seglog.Verify(dir, seglog.VerifyOptions{})
	if err != nil || len(again.Damage) != 0 {
		t.Fatalf("Verify after Repair: %v, %v", err, again.Damage)
	}
}

// TestForeignFileBelowTheFirstRecord opens a log that was trimmed, with a file of
// another program where a segment was once: what a crash left of a trim is removed,
// but only that.
func TestForeignFileBelowTheFirstRecord(t *testing.T) {
	disk := new(vfs.Mem)
	o := seglog.Options{FS: disk, SegmentSize: 8 << 10, NoSpare: true}
	l := open(t, "log", o)
	last := fillSegments(t, l, 5)
	left := disk.Kill()
	if _, err := l.Trim(context.Background(), last); err != nil {
		t.Fatal(err)
	}
	l.Close()
	foreign := filepath.Join("log", "00000000000000000002.seg")
	writeFile(t, disk, foreign, []byte("another program"))
	leftover := filepath.Join("log", "00000000000000000001.seg")
	f, err := left.OpenRead(leftover)
	if err != nil {
		t.Fatal(err)
	}
	content := make([]byte, 8<<10)
	n, _ := f.ReadAt(content, 0)
	writeFile(t, disk, leftover, content[:n])

	l = open(t, "log", o)
	if n := len(l.Damage()); n != 1 {
		t.Errorf("%d files are reported: %v", n, l.Damage())
	}
	l.Close()
	if f, err := disk.OpenRead(foreign); err != nil {
		t.Errorf("the other program's file: %v", err)
	} else {
		f.Close()
	}
	if _, err := disk.OpenRead(leftover); err == nil {
		t.Error("the leftover of the trim is still there")
	}
}
