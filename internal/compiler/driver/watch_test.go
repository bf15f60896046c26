package driver_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/octopus-framework/octopus/internal/compiler/backend"
	"github.com/octopus-framework/octopus/internal/compiler/backend/all"
	"github.com/octopus-framework/octopus/internal/compiler/config"
	"github.com/octopus-framework/octopus/internal/compiler/driver"
)

// target makes native code.
var target = driver.Target{Backends: all.Backends(),
	Settings: backend.Settings{"module": {Text: "example.com/gen"}}}

// TestWatch changes files one after the other: what is generated again is what they and what
// depends on them give, and it is what a run from nothing gives.
func TestWatch(t *testing.T) {
	dir := t.TempDir()
	root, out := filepath.Join(dir, "proto"), filepath.Join(dir, "gen")
	write := func(name, text string) {
		t.Helper()
		name = filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		// As editors do it: nobody sees half of a file.
		if err := os.WriteFile(name+".new", []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(name+".new", name); err != nil {
			t.Fatal(err)
		}
	}
	const a = "syntax = \"proto3\"; package a;\nmessage A { int32 x = 1; }\n"
	write("a/a.proto", a)
	write("a/other.proto", "syntax = \"proto3\"; package a;\nmessage Other {}\n")
	write("b/b.proto",
		"syntax = \"proto3\"; package b;\nimport \"a/a.proto\";\nmessage B { a.A a = 1; }\n")
	const c = "syntax = \"proto3\"; package c;\nmessage C { "
	write("c/c.proto", c+"}")
	job := driver.Job{Input: driver.Input{Roots: []string{root}, Config: &config.Config{}},
		Target: target, Out: out}

	steps := []struct {
		change           func()
		written, looked  string // files, without their endings
		wrong            string // part of the first message
		stale            string
		differsFromFresh bool // as there is something wrong
	}{
		{change: func() {}, written: "a/a a/other b/b c/c"},
		{change: func() { write("c/c.proto", c+"int32 y = 1; }") }, written: "c/c"},
		{change: func() { write("a/a.proto", strings.Replace(a, "int32 x", "int64 x", 1)) },
			written: "a/a", looked: "a/other b/b"},
		{change: func() { write("a/a.proto", strings.Replace(a, "int32 x", "Gone x", 1)) },
			wrong: "Gone", differsFromFresh: true},
		{change: func() { write("b/b.proto", "syntax = \"proto3\";\nimport \"d.proto\";\n") },
			differsFromFresh: true},
		{change: func() { write("a/a.proto", a) }, wrong: "d.proto", differsFromFresh: true},
		{change: func() { write("d.proto", "syntax = \"proto3\";\nmessage D {}\n") },
			written: "a/a b/b d", looked: "a/other c/c"},
		{change: func() {
			if err := os.Remove(filepath.Join(root, "c", "c.proto")); err != nil {
				t.Fatal(err)
			}
		}, looked: "a/a a/other b/b d", stale: "c/c"},
	}
	names := func(text string) (out []string) {
		for _, f := range strings.Fields(text) {
			out = append(out, f+".gremlin.go")
		}
		return out
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	next := 0
	err := driver.Watch(ctx, job, nil, func(o *driver.Outcome) {
		s := steps[next]
		if next++; next == len(steps) {
			defer cancel()
		} else {
			defer steps[next].change()
		}
		if s.differsFromFresh {
			if o.Diagnostics.Errors() == 0 || !strings.Contains(o.Diagnostics[0].Message, s.wrong) {
				t.Errorf("step %d: found %v, want one about %q", next, o.Diagnostics, s.wrong)
			}
			return
		}
		if o.Diagnostics.Errors() != 0 {
			t.Errorf("step %d: %v", next, o.Diagnostics)
		}
		for what, lists := range map[string][2][]string{"written": {o.Written, names(s.written)},
			"looked at": {o.Unchanged, names(s.looked)}, "stale": {o.Stale, names(s.stale)}} {
			if !slices.Equal(lists[0], lists[1]) {
				t.Errorf("step %d: %s are %v, want %v", next, what, lists[0], lists[1])
			}
		}
		check := job
		check.Check = true
		fresh := driver.Generate(ctx, check, nil)
		if len(fresh.Written) != 0 {
			t.Errorf("step %d: a run from nothing would write %v", next, fresh.Written)
		}
	})
	if err != nil || next != len(steps) {
		t.Errorf("it ended after %d steps: %v", next, err)
	}
}

// TestWatchEndsWithItsConfiguration changes gremlin.yaml.
func TestWatchEndsWithItsConfiguration(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "gremlin.yaml")
	for _, f := range []string{name, filepath.Join(dir, "a.proto")} {
		if err := os.WriteFile(f, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	job := driver.Job{Input: driver.Input{Roots: []string{dir}, Config: &config.Config{Path: name}},
		Target: target, Out: dir}
	err := driver.Watch(t.Context(), job, nil, func(*driver.Outcome) {
		if err := os.WriteFile(name, []byte("# changed\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	})
	if err == nil || !strings.Contains(err.Error(), "start again") {
		t.Errorf("it ended with %v", err)
	}
}
