package seglog_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/seglog"
	"github.com/octopus-framework/octopus/nerve/vfs"
)

// fillSegments appends batches of ten records until the log has that many
// segments, and returns the last record.
func fillSegments(t *testing.T, l *seglog.Log, segments int) nerve.ID {
	t.Helper()
	_, last := l.Bounds()
	for l.Stats().Segments < segments {
		mustAppend(t, l, last+1, last+10)
		last += 10
	}
	return last
}

// TestFollowerThatWasOvertaken trims, in the writer, the segments that a
// follower knows while it does not look.
func TestFollowerThatWasOvertaken(t *testing.T) {
	o := seglog.Options{FS: new(vfs.Mem), SegmentSize: 8 << 10, NoSpare: true}
	w := open(t, "log", o)
	defer w.Close()
	fillSegments(t, w, 2)
	o.ReadOnly = true
	r := open(t, "log", o)
	defer r.Close()
	cur, err := r.Read(context.Background(), 1)
	if err != nil {
		t.Fatal(err)
	}
	defer cur.Close()
	last := fillSegments(t, w, 6)
	low, err := w.Trim(context.Background(), last-1)
	if err != nil {
		t.Fatal(err)
	}

	var b nerve.Batch
	var trimmed *nerve.TrimmedError
	if err := cur.Next(context.Background(), &b); !errors.As(err, &trimmed) ||
		trimmed.First != low {
		t.Fatalf("Next = %v", err)
	}
	if _, err := r.Read(context.Background(), 1); !errors.As(err, &trimmed) ||
		trimmed.First != low {
		t.Fatalf("Read(1) = %v", err)
	}
	next := low
	if err := readFrom(r, low, &b, func(rec nerve.Record) {
		if rec.ID != next || string(rec.Data) != damageContent(next) {
			t.Fatalf("record %d is %d %q", next, rec.ID, rec.Data)
		}
		next++
	}); err != nil || next != last+1 {
		t.Fatalf("read up to %d of %d: %v", next-1, last, err)
	}
}

// TestWriterMovesWhileAFollowerOpens lets the writer work between any two steps of
// a follower that opens.
func TestWriterMovesWhileAFollowerOpens(t *testing.T) {
	for _, op := range []vfs.Op{vfs.OpOpen, vfs.OpList, vfs.OpRead} {
		for _, name := range []string{"", "state", ".seg"} {
			for _, trims := range []bool{true, false} {
				disk := new(vfs.Mem)
				o := seglog.Options{FS: disk, SegmentSize: 8 << 10, NoSpare: true}
				w := open(t, "log", o)
				fillSegments(t, w, 4)
				moved := false
				o.ReadOnly = true
				o.FS = vfs.WithFaults(disk, before{op, name, func() {
					if moved {
						return
					}
					moved = true
					last := fillSegments(t, w, 8)
					if trims {
						if _, err := w.Trim(context.Background(), last-1); err != nil {
							t.Fatal(err)
						}
					}
				}})
				r := open(t, "log", o)
				if d := r.Damage(); len(d) > 0 {
					t.Fatalf("%s %q: damage: %v", op, name, d)
				}
				cur, err := r.Read(context.Background(), 1)
				if trims && moved {
					var trimmed *nerve.TrimmedError
					if !errors.As(err, &trimmed) {
						t.Fatalf("%s %q: Read(1) = %v", op, name, err)
					}
				} else {
					if err != nil {
						t.Fatalf("%s %q: Read(1) = %v", op, name, err)
					}
					cur.Close()
				}
				first, last := r.Bounds()
				if f, l := w.Bounds(); f != first || l != last {
					t.Fatalf("%s %q: %d to %d, want %d to %d", op, name, first, last, f, l)
				}
				next := first
				var b nerve.Batch
				err = readFrom(r, first, &b, func(rec nerve.Record) {
					if rec.ID != next || string(rec.Data) != damageContent(next) {
						t.Fatalf("record %d is %d %q", next, rec.ID, rec.Data)
					}
					next++
				})
				if err != nil || next != last+1 {
					t.Fatalf("%s %q: read up to %d of %d: %v", op, name, next-1, last, err)
				}
				r.Close()
				w.Close()
			}
		}
	}
}

// TestSeekMeetsATrim trims when Seek is about to open the segment that it chose,
// in the writer and in a follower.
func TestSeekMeetsATrim(t *testing.T) {
	for _, readOnly := range []bool{false, true} {
		disk := new(vfs.Mem)
		o := seglog.Options{FS: disk, SegmentSize: 8 << 10, NoSpare: true}
		var w *seglog.Log
		armed := false
		trim := func() {
			if !armed {
				return
			}
			armed = false
			if _, err := w.Trim(context.Background(), fillSegments(t, w, 8)-1); err != nil {
				t.Fatal(err)
			}
		}
		seeking := o
		seeking.FS, seeking.ReadOnly = vfs.WithFaults(disk, before{vfs.OpOpen, ".seg", trim}),
			readOnly
		var l *seglog.Log
		if readOnly {
			w = open(t, "log", o)
			fillSegments(t, w, 4)
			l = open(t, "log", seeking)
			defer l.Close()
		} else {
			w = open(t, "log", seeking)
			fillSegments(t, w, 4)
			l = w
		}
		defer w.Close()
		armed = true
		id, err := l.Seek(context.Background(), time.Unix(1, 0))
		if first, _ := w.Bounds(); err != nil || id != first || first == 1 {
			t.Fatalf("read-only %v: Seek = %d, %v; the log begins at %d", readOnly, id, err, first)
		}
	}
}

// TestCloseWhileAFollowerLooks closes a follower at the moment when it is about to
// read the state, for a cursor that waits and for the calls that look first.
func TestCloseWhileAFollowerLooks(t *testing.T) {
	ctx := context.Background()
	for what, look := range map[string]func(*seglog.Log, nerve.Cursor) error{
		"Next": func(_ *seglog.Log, cur nerve.Cursor) error {
			return cur.Next(ctx, new(nerve.Batch))
		},
		"Read": func(r *seglog.Log, _ nerve.Cursor) error {
			_, err := r.Read(context.Background(), 1)
			return err
		},
		"Seek": func(r *seglog.Log, _ nerve.Cursor) error {
			_, err := r.Seek(context.Background(), time.Unix(1, 0))
			return err
		},
		"Pointers": func(r *seglog.Log, _ nerve.Cursor) error {
			_, err := r.Pointers(context.Background())
			return err
		},
	} {
		disk := new(vfs.Mem)
		o := seglog.Options{FS: disk, NoSpare: true}
		w := open(t, "log", o)
		mustAppend(t, w, 1, 10)
		var r *seglog.Log
		armed := false
		o.ReadOnly = true
		o.FS = vfs.WithFaults(disk, before{vfs.OpRead, "state", func() {
			if armed {
				armed = false
				r.Close()
			}
		}})
		r = open(t, "log", o)
		cur, err := r.Read(context.Background(), 11)
		if err != nil {
			t.Fatal(err)
		}
		armed = true
		if err := look(r, cur); !errors.Is(err, nerve.ErrClosed) {
			t.Errorf("%s in a log that is closed meanwhile = %v", what, err)
		}
		w.Close()
	}
}

// before does something before each operation of a kind on some files.
type before struct {
	op   vfs.Op
	name string
	do   func()
}

func (b before) Inject(op vfs.Op, path string, _ int) (int, error) {
	if op == b.op && strings.HasSuffix(path, b.name) {
		b.do()
	}
	return 0, nil
}
