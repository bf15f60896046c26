package queues_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/queues"
	"github.com/octopus-framework/octopus/nerve/seglog"
)

func open(t *testing.T, dir string, o queues.Options) *queues.Folder {
	t.Helper()
	o.Log.NoSpare = true
	r, err := queues.Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestRoot makes queues, finds them again, and reads what is in them.
func TestRoot(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "events")
	r := open(t, dir, queues.Options{})
	if _, err := r.Queue("orders"); !errors.As(err, new(*nerve.NotFoundError)) {
		t.Errorf("a queue that is not there: %v", err)
	}
	var all sync.WaitGroup
	for i := range 12 { // each of three, four times at once
		all.Go(func() {
			q, err := r.Create(fmt.Sprint("q", i%3))
			if err == nil {
				_, err = q.Append(t.Context(), []byte{byte(i)})
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if err := os.Mkdir(filepath.Join(dir, "other"), 0o777); err != nil {
		t.Fatal(err)
	}
	if names, err := r.Names(); err != nil || fmt.Sprint(names) != "[q0 q1 q2]" {
		t.Errorf("the queues are %q, %v", names, err)
	}
	a, errA := r.Queue("q1")
	b, errB := r.Create("q1")
	if a != b || errA != nil || errB != nil {
		t.Errorf("two queues of a name: %v, %v", errA, errB)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); !errors.Is(err, nerve.ErrClosed) {
		t.Errorf("closed twice: %v", err)
	}
	if _, err := r.Create("q0"); !errors.Is(err, nerve.ErrClosed) {
		t.Errorf("a queue of a closed root: %v", err)
	}
	again := open(t, dir, queues.Options{Log: seglog.Options{ReadOnly: true}})
	defer again.Close()
	for _, name := range []string{"q0", "q1", "q2"} {
		q, err := again.Queue(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, last := q.Bounds(); last != 4 {
			t.Errorf("%s has %d records", name, last)
		}
	}
}

// TestNames: no name leads out of the folder.
func TestNames(t *testing.T) {
	r := open(t, t.TempDir(), queues.Options{})
	defer r.Close()
	for _, name := range []string{"", ".", "..", "../up", "a/b", "/etc", `a\b`, ".hidden", "a b",
		strings.Repeat("x", 129), "a\x00b", "\u00e4"} {
		var bad *nerve.NameError
		if _, err := r.Create(name); !errors.As(err, &bad) {
			t.Errorf("%q: %v", name, err)
		}
		if _, err := r.Queue(name); !errors.As(err, &bad) {
			t.Errorf("%q: %v", name, err)
		}
	}
	if names, err := r.Names(); err != nil || len(names) > 0 {
		t.Errorf("made %q, %v", names, err)
	}
}

// TestEach: options by name.
func TestEach(t *testing.T) {
	r := open(t, t.TempDir(), queues.Options{
		Each: func(name string, _ *seglog.Options, q *nerve.Options) {
			if name == "numbers" {
				q.Check = func(record []byte) error {
					if strings.Trim(string(record), "0123456789") != "" {
						return errors.New("it is no number")
					}
					return nil
				}
			}
		}})
	defer r.Close()
	for name, refuses := range map[string]bool{"numbers": true, "words": false} {
		q, err := r.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := q.Append(t.Context(), []byte("x")); (err != nil) != refuses {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestWrongFolders: a queue is no root, nor is a file, nor what does not exist for who only reads.
func TestWrongFolders(t *testing.T) {
	dir := t.TempDir()
	r := open(t, dir, queues.Options{})
	if _, err := r.Create("q"); err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	var format *nerve.FormatError
	if _, err := queues.Open(filepath.Join(dir, "q"), queues.Options{}); !errors.As(err, &format) {
		t.Errorf("a queue: %v", err)
	}
	if _, err := queues.Open(filepath.Join(dir, "none"),
		queues.Options{Log: seglog.Options{ReadOnly: true}}); !errors.As(err, new(*nerve.IOError)) {
		t.Errorf("nothing: %v", err)
	}
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := queues.Open(file, queues.Options{}); err == nil {
		t.Error("a file is a root")
	}
}

// TestOpened: each queue is told of once, with its log, and one that did not open and went away is
// not made by who asks for it.
func TestOpened(t *testing.T) {
	dir := t.TempDir()
	told := map[string]*seglog.Log{}
	r := open(t, dir, queues.Options{
		Opened: func(name string, log *seglog.Log, queue *nerve.Queue) {
			if told[name] != nil || queue == nil {
				t.Errorf("%s: told of %v again", name, queue)
			}
			told[name] = log
		}})
	defer r.Close()
	for range 2 {
		if _, err := r.Create("a"); err != nil {
			t.Fatal(err)
		}
	}
	if len(told) != 1 || told["a"] == nil {
		t.Errorf("told of %v", told)
	}
	bad := filepath.Join(dir, "bad")
	if err := os.Mkdir(bad, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(bad, "state"), []byte("no state"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Queue("bad"); err == nil {
		t.Fatal("a queue without a state opened")
	}
	if err := os.RemoveAll(bad); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Queue("bad"); !errors.As(err, new(*nerve.NotFoundError)) || seglog.IsLog(bad) {
		t.Errorf("a queue that went away: %v, made %v", err, seglog.IsLog(bad))
	}
}
