package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/octopus-framework/octopus/internal/cli/exitcode"
)

// blob writes a schema and returns arguments to convert its only type.
func blob(t *testing.T, args ...string) []string {
	t.Helper()
	t.Setenv("NO_COLOR", "1")
	t.Chdir(t.TempDir())
	if err := os.WriteFile("blob.proto",
		[]byte("syntax = \"proto3\";\nmessage Blob { bytes b = 1; }\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	return append([]string{"convert", "--proto", "blob.proto", "--type", "Blob"}, args...)
}

// stream is count times the same bytes, and notes how large the heap gets.
type stream struct {
	part  []byte
	count int
	rest  []byte
	heap  uint64
}

func (s *stream) Read(b []byte) (int, error) {
	if len(s.rest) == 0 {
		if s.count == 0 {
			return 0, io.EOF
		}
		s.count--
		s.rest = s.part
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		s.heap = max(s.heap, m.HeapAlloc)
	}
	n := copy(b, s.rest)
	s.rest = s.rest[n:]
	return n, nil
}

// TestConvertStreams converts 96 MiB in messages of 1 MiB.
func TestConvertStreams(t *testing.T) {
	args := blob(t, "--delimited", "--from", "binary", "--to", "json")
	const size = 1 << 20
	in := &stream{count: 96, part: append([]byte{0x84, 0x80, 0x40, 0x0a, 0x80, 0x80, 0x40},
		make([]byte, size)...)}
	lines := 0
	out := writerFunc(func(b []byte) (int, error) {
		lines += bytes.Count(b, []byte("\n"))
		return len(b), nil
	})
	var stderr bytes.Buffer
	if code := run(t.Context(), args, in, out, &stderr); code != exitcode.OK || lines != 96 {
		t.Fatalf("code %d, %d lines: %s", code, lines, &stderr)
	}
	if in.heap > 64<<20 {
		t.Errorf("the heap had %d MiB", in.heap>>20)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }

// TestConvertPromise has a message that promises 2 GiB and is short.
func TestConvertPromise(t *testing.T) {
	args := blob(t, "--delimited", "--from", "binary", "--to", "json")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	var stderr bytes.Buffer
	code := run(t.Context(), args, strings.NewReader("\xff\xff\xff\xff\x07short"), io.Discard,
		&stderr)
	runtime.ReadMemStats(&after)
	if code != exitcode.Failed || !strings.Contains(stderr.String(), "5 of 2147483647 bytes") {
		t.Errorf("code %d: %s", code, &stderr)
	}
	if n := after.TotalAlloc - before.TotalAlloc; n > 256<<20 {
		t.Errorf("%d MiB were allocated", n>>20)
	}
}

// TestConvertInterrupted ends the run while the input does not.
func TestConvertInterrupted(t *testing.T) {
	args := blob(t, "--delimited", "--from", "json", "--to", "binary", "-o", "out")
	ctx, cancel := context.WithCancel(t.Context())
	in, feed := io.Pipe()
	defer in.Close()
	go func() {
		_, _ = feed.Write([]byte("{}\n"))
		cancel()
	}()
	var stderr bytes.Buffer
	code := run(ctx, args, in, io.Discard, &stderr)
	if code != exitcode.Failed || stderr.String() != "error: interrupted\n" {
		t.Errorf("code %d: %s", code, &stderr)
	}
	if names, err := filepath.Glob("*"); err != nil || len(names) != 1 {
		t.Errorf("left behind: %v, %v", names, err)
	}
	if names, _ := filepath.Glob(".gremlin-*"); len(names) != 0 {
		t.Errorf("left behind: %v", names)
	}
}

// TestConvertOutput writes over what is there.
func TestConvertOutput(t *testing.T) {
	args := blob(t, "--from", "json", "--to", "text", "-o")
	convert := func(out string) int {
		return run(t.Context(), append(args, out), strings.NewReader(`{"b":"QQ=="}`), io.Discard,
			io.Discard)
	}
	if err := os.WriteFile("real", []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("real", "link"); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	if code := convert("link"); code != exitcode.OK {
		t.Fatal("code", code)
	}
	text, err := os.ReadFile("real")
	if err != nil || string(text) != "b: \"A\"\n" {
		t.Errorf("%q, %v", text, err)
	}
	if info, err := os.Lstat("link"); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v, %v", info, err)
	}
	if info, err := os.Stat("real"); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the rights are %v, %v", info.Mode(), err)
	}
	if info, err := os.Stat(os.DevNull); err == nil && info.Mode()&os.ModeDevice != 0 {
		if code := convert(os.DevNull); code != exitcode.OK {
			t.Error("code", code)
		}
		if info, err = os.Stat(os.DevNull); err != nil || info.Mode()&os.ModeDevice == 0 {
			t.Errorf("%s is %v, %v", os.DevNull, info, err)
		}
	}
}

// TestConvertFullDisk has an output that takes nothing.
func TestConvertFullDisk(t *testing.T) {
	args := blob(t, "--from", "json", "--to", "text")
	full := errors.New("no space left")
	var stderr bytes.Buffer
	code := run(t.Context(), args, strings.NewReader("{}"), writerFunc(func([]byte) (int, error) {
		return 0, full
	}), &stderr)
	if code != exitcode.Failed || stderr.String() != "error: no space left\n" {
		t.Errorf("code %d: %s", code, &stderr)
	}
	if code := run(t.Context(), args, io.MultiReader(strings.NewReader("{"), failing{}), io.Discard,
		io.Discard); code != exitcode.Failed {
		t.Error("an input that cannot be read gives code", code)
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errors.New("input/output error") }
