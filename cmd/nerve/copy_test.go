package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/octopus-framework/octopus/internal/cli/exitcode"
	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/seglog"
	"github.com/octopus-framework/octopus/nerve/vfs"
)

func mustOpen(t *testing.T, dir string, o seglog.Options) *seglog.Log {
	t.Helper()
	log, err := seglog.Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	return log
}

// appendTexts appends records "PREFIX-N" for from..to, some in each batch.
func appendTexts(t *testing.T, log nerve.Log, prefix string, from, to int) {
	t.Helper()
	var b nerve.Batch
	for n := from; n <= to; n++ {
		b.Append(fmt.Appendf(nil, "%s-%d", prefix, n))
		if n%7 == 0 || n == to {
			if _, err := log.Append(context.Background(), &b); err != nil {
				t.Fatal(err)
			}
			b.Reset()
		}
	}
}

// texts returns all records of a log.
func texts(t *testing.T, log nerve.Log) (first nerve.ID, all []string) {
	t.Helper()
	first, last := log.Bounds()
	cur, err := log.Read(context.Background(), first)
	if err != nil {
		t.Fatal(err)
	}
	defer cur.Close()
	var b nerve.Batch
	for next := first; next <= last; next = b.Last() + 1 {
		if err := cur.Next(context.Background(), &b); err != nil {
			t.Fatal(err)
		}
		for rec := range b.All() {
			all = append(all, string(rec.Data))
		}
	}
	return first, all
}

func copied(t *testing.T, out string) (c copyJSON) {
	t.Helper()
	if err := json.Unmarshal([]byte(out), &c); err != nil {
		t.Fatalf("%s: %v", out, err)
	}
	return c
}

// TestCopy copies a queue that was trimmed into one that has records, then what
// came since, and then nothing.
func TestCopy(t *testing.T) {
	from, to := filepath.Join(t.TempDir(), "from"), filepath.Join(t.TempDir(), "to")
	ctx := context.Background()
	source := mustOpen(t, from, seglog.Options{})
	appendTexts(t, source, "a", 1, 100)
	if err := source.SavePointers(ctx, []nerve.Pointer{
		{Name: "behind", ID: 5}, {Name: "billing", ID: 60, Hold: true, Meta: []byte("m")},
		{Name: "theirs", ID: 70}, {Name: "done", ID: 100},
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := source.Trim(ctx, 21); err != nil {
		t.Fatal(err)
	}
	target := mustOpen(t, to, seglog.Options{})
	appendTexts(t, target, "old", 1, 5)
	if err := target.SavePointers(ctx, []nerve.Pointer{{Name: "theirs", ID: 2}}); err != nil {
		t.Fatal(err)
	}
	target.Close()

	// The source stays open: it is only read.
	out, _ := command(t, exitcode.OK, "", "copy", from, to)
	contains(t, out, "copied 80 records", "21 to 100", "6 to 85", "consumer billing at 60 is at 45")
	appendTexts(t, source, "a", 101, 130)
	out, _ = command(t, exitcode.OK, "", "copy", from, to, "--json")
	if c := copied(t, out); c.Records != 30 || len(c.Consumers) != 0 ||
		!slices.Equal(c.Map, []copiedJSON{{21, 130, 6, 115}}) {
		t.Fatalf("%s", out)
	}
	target = mustOpen(t, to, seglog.Options{})
	appendTexts(t, target, "old", 6, 9)
	target.Close()
	appendTexts(t, source, "a", 131, 131)
	out, _ = command(t, exitcode.OK, "", "copy", from, to, "--json")
	if c := copied(t, out); c.Records != 1 ||
		!slices.Equal(c.Map, []copiedJSON{{21, 130, 6, 115}, {131, 131, 120, 120}}) {
		t.Fatalf("%s", out)
	}
	out, _ = command(t, exitcode.OK, "", "copy", from, to)
	contains(t, out, "copied 0 records", "131 to 131", "120 to 120")
	source.Close()

	target = mustOpen(t, to, seglog.Options{})
	defer target.Close()
	var want []string
	for _, r := range []struct {
		prefix   string
		from, to int
	}{{"old", 1, 5}, {"a", 21, 130}, {"old", 6, 9}, {"a", 131, 131}} {
		for n := r.from; n <= r.to; n++ {
			want = append(want, fmt.Sprintf("%s-%d", r.prefix, n))
		}
	}
	if _, got := texts(t, target); !slices.Equal(got, want) {
		t.Fatalf("the target holds %q", got)
	}
	pointers, err := target.Pointers(ctx)
	if err != nil {
		t.Fatal(err)
	}
	at := map[string]nerve.Pointer{}
	for _, p := range pointers {
		at[p.Name] = p
	}
	b := at["billing"]
	if b.ID != 45 || !b.Hold || string(b.Meta) != "m" || at["behind"].ID != 5 ||
		at["theirs"].ID != 2 ||
		at["done"].ID != 85 || len(at) != 5 {
		t.Fatalf("%+v", at)
	}
}

// spans are those of a Progress.
func spans(p nerve.Progress) []nerve.Span { return slices.Collect(p.All()) }

// TestCopyCarriesProgress copies what a consumer acknowledged out of order, and how
// often it tried others: in the other queue it gets what it has not acknowledged.
func TestCopyCarriesProgress(t *testing.T) {
	from, to := filepath.Join(t.TempDir(), "from"), filepath.Join(t.TempDir(), "to")
	ctx := context.Background()
	source := mustOpen(t, from, seglog.Options{})
	appendTexts(t, source, "a", 1, 20)
	done := []nerve.Span{{First: 5, Last: 6}, {First: 8, Last: 8, Attempts: 3},
		{First: 18, Last: 20}}
	p := nerve.Pointer{Name: "billing", ID: 3, Progress: nerve.MakeProgress(slices.Values(done))}
	if err := source.SavePointers(ctx, []nerve.Pointer{p}); err != nil {
		t.Fatal(err)
	}
	source.Close()
	target := mustOpen(t, to, seglog.Options{})
	appendTexts(t, target, "old", 1, 100)
	target.Close()
	command(t, exitcode.OK, "", "copy", from, to)

	target = mustOpen(t, to, seglog.Options{})
	q := nerve.New(target, nerve.Options{})
	defer q.Close()
	pointers, err := target.Pointers(ctx)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(pointers, func(p nerve.Pointer) bool { return p.Name == "billing" })
	want := []nerve.Span{{First: 105, Last: 106}, {First: 108, Last: 108, Attempts: 3},
		{First: 118, Last: 120}}
	if i < 0 || pointers[i].ID != 103 || !slices.Equal(spans(pointers[i].Progress), want) {
		t.Fatalf("%+v, want %v above 103", pointers, want)
	}
	c, err := q.Consumer("billing", nerve.ConsumerOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var got []nerve.ID
	for len(got) < 12 {
		var b nerve.Batch
		if err := c.Next(ctx, &b); err != nil {
			t.Fatal(err)
		}
		for rec := range b.All() {
			got = append(got, rec.ID)
		}
	}
	all := []nerve.ID{104, 107, 108, 109, 110, 111, 112, 113, 114, 115, 116, 117}
	if !slices.Equal(got, all) {
		t.Fatalf("%d are delivered, want %d", got, all)
	}
}

// TestIDMapMapsProgress cuts spans where the map has gaps.
func TestIDMapMapsProgress(t *testing.T) {
	m := idMap{cut: 3, ranges: []idRange{{5, 9, 4}, {9, 20, 2}, {12, 30, 5}}}
	p := nerve.MakeProgress(slices.Values([]nerve.Span{{First: 2, Last: 10},
		{First: 11, Last: 12, Attempts: 2}, {First: 14, Last: 40}}))
	want := []nerve.Span{{First: 9, Last: 12}, {First: 20, Last: 21},
		{First: 30, Last: 30, Attempts: 2}, {First: 32, Last: 34}}
	if got := spans(m.progress(p)); !slices.Equal(got, want) {
		t.Fatalf("%v, want %v", got, want)
	}
	if got := m.progress(nerve.Progress{}); got != (nerve.Progress{}) {
		t.Fatalf("%v of nothing", spans(got))
	}
}

// TestCopyNoticesAnotherSource refuses to go on with a queue that is not the one
// that was copied.
func TestCopyNoticesAnotherSource(t *testing.T) {
	from, to := filepath.Join(t.TempDir(), "from"), filepath.Join(t.TempDir(), "to")
	renew := func(prefix string, n int) {
		t.Helper()
		if err := os.RemoveAll(from); err != nil {
			t.Fatal(err)
		}
		log := mustOpen(t, from, seglog.Options{})
		defer log.Close()
		appendTexts(t, log, prefix, 1, n)
	}
	renew("a", 50)
	command(t, exitcode.OK, "", "copy", from, to)
	renew("b", 40)
	_, errs := command(t, exitcode.Failed, "", "copy", from, to)
	contains(t, errs, "up to 50 were copied", "ends at 40", "--name")
	renew("b", 60)
	_, errs = command(t, exitcode.Failed, "", "copy", from, to)
	contains(t, errs, "record 50 is not the one", "--name")
	out, _ := command(t, exitcode.OK, "", "copy", from, to, "--name", "b")
	contains(t, out, "copied 60 records", "1 to 60", "51 to 110")
	command(t, exitcode.Usage, "", "copy", from, from)
	command(t, exitcode.Usage, "", "copy", from)
	_, errs = command(t, exitcode.Failed, "", "copy", filepath.Join(to, "none"), to)
	contains(t, errs, "none")
}

// dying fails everything from the n-th change of the disk on.
type dying struct{ left int }

var errDead = errors.New("the process is dead")

func (d *dying) Inject(op vfs.Op, _ string, _ int) (int, error) {
	if op == vfs.OpRead || op == vfs.OpOpen || op == vfs.OpList {
		return 0, nil
	}
	if d.left--; d.left < 0 {
		return 0, errDead
	}
	return 0, nil
}

// TestCopyIsKilled kills copies at every change that they make to the disk of the
// target, while others append there too, until one comes through. Each record of
// the source is there once, in order, where the map says.
func TestCopyIsKilled(t *testing.T) {
	const records = 400
	dir := t.TempDir()
	source := mustOpen(t, dir, seglog.Options{})
	defer source.Close()
	appendTexts(t, source, "a", 1, records)
	for first := 0; ; first++ {
		rng := rand.New(rand.NewPCG(uint64(first), 3))
		disk := new(vfs.Mem)
		options := seglog.Options{SegmentSize: seglog.MinSegmentSize, MaxBatch: 512, MaxRecord: 100,
			NoSpare: true}
		others, deaths := 0, 0
		var ids idMap
		for left := first; ; left = rng.IntN(40) {
			death := &dying{left: left}
			options.FS = vfs.WithFaults(disk, death)
			target, err := seglog.Open("to", options)
			if err == nil {
				c := copier{from: source, to: target, name: "a", progress: func(_, _ int64) {},
					lost: func(error) bool { return false }}
				err = c.run(context.Background())
				ids = c.ids
			}
			if death.left >= 0 && err != nil {
				t.Fatalf("killed %d times from %d on: %v", deaths, first, err)
			}
			if death.left >= 0 {
				break
			}
			deaths++
			if disk = disk.Kill(); rng.IntN(3) == 0 {
				options.FS = disk
				between := mustOpen(t, "to", options)
				others++
				appendTexts(t, between, "other", others, others)
				between.Close()
			}
		}
		options.FS = disk
		target := mustOpen(t, "to", options)
		checkCopy(t, target, &ids, records, others)
		target.Close()
		if deaths == 0 {
			if first < 20 {
				t.Fatalf("a copy changes the disk %d times", first)
			}
			return
		}
	}
}

func checkCopy(t *testing.T, target nerve.Log, ids *idMap, records, others int) {
	t.Helper()
	_, all := texts(t, target)
	if len(all) != records+others {
		t.Fatalf("%d records in the target, want %d and %d of others", len(all), records, others)
	}
	next := 1
	for i, text := range all {
		if text != fmt.Sprintf("a-%d", next) {
			continue
		}
		if at, ok := ids.pointer(nerve.ID(next)); ids.cut < nerve.ID(next) &&
			(!ok || at != nerve.ID(i+1)) {
			t.Fatalf("record %d is at %d, the map says %d %t: %+v", next, i+1, at, ok, ids)
		}
		next++
	}
	if next != records+1 {
		t.Fatalf("record %d is missing or out of order", next)
	}
}

// TestIDMapFitsMetadata gives up old ranges and keeps the new.
func TestIDMapFitsMetadata(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	var m idMap
	from, to := nerve.ID(1), nerve.ID(1)
	for range 2000 {
		n := 1 + rng.Uint64N(1000)
		m.add(from, to, n)
		from += nerve.ID(n + rng.Uint64N(3))
		to += nerve.ID(n + rng.Uint64N(3))
		b := m.encode()
		if len(b) > nerve.MaxMeta {
			t.Fatalf("%d bytes", len(b))
		}
		got, ok := decodeIDMap(b)
		if !ok || got.cut != m.cut || !slices.Equal(got.ranges, m.ranges) {
			t.Fatalf("%+v became %+v", m, got)
		}
	}
	if len(m.ranges) < 20 || m.cut == 0 {
		t.Fatalf("%d ranges above %d", len(m.ranges), m.cut)
	}
	if _, ok := m.pointer(m.cut - 1); ok {
		t.Fatal("a pointer that is not known is mapped")
	}
}

func FuzzIDMap(f *testing.F) {
	m := idMap{cut: 3, ranges: []idRange{{5, 9, 4}, {9, 20, 1}}}
	f.Add(m.encode())
	f.Add([]byte{idMapVersion})
	f.Add([]byte{idMapVersion, 0, 1})
	f.Fuzz(func(t *testing.T, b []byte) {
		m, ok := decodeIDMap(b)
		if !ok || len(b) > nerve.MaxMeta {
			return
		}
		again, ok := decodeIDMap(m.encode())
		if !ok || again.cut != m.cut || !slices.Equal(again.ranges, m.ranges) {
			t.Fatalf("%x: %+v became %+v", b, m, again)
		}
	})
}
