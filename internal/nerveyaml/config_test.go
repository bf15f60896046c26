package nerveyaml_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/octopus-framework/octopus/internal/nerveyaml"
)

func write(t *testing.T, dir, text string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, nerveyaml.Name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestPatterns finds what counts for a queue, in whatever order maps are walked.
func TestPatterns(t *testing.T) {
	folder := t.TempDir()
	write(t, folder, `queues:
  "orders-*": {proto: long.proto, type: a.B, retain: {bytes: 10GiB, age: 30d}}
  "*-orders": {proto: second.proto, type: a.B}
  "orders*": {proto: shorter.proto, type: a.B}
  "order?-x": {proto: same.proto, type: a.B}
  orders-x: {proto: exact.proto, type: a.B}
`)
	root := t.TempDir()
	write(t, filepath.Join(root, "own"), "proto: own.proto\ntype: a.B\nretain: {age: 90m}\n")
	for range 50 {
		for queue, want := range map[string]string{
			"orders-x": "exact.proto", "orders-orders": "long.proto", "orders-1": "long.proto",
			"ordersx": "shorter.proto", "x-orders": "second.proto", "own": "own.proto", "none": "",
		} {
			q, err := nerveyaml.Of(root, folder, queue)
			if err != nil || (q == nil) != (want == "") || q != nil && q.Proto != want {
				t.Fatalf("%s: %+v, %v; want %s", queue, q, err, want)
			}
		}
	}
	q, err := nerveyaml.Of(root, folder, "orders-1")
	if err != nil || q.Retain.Bytes != 10<<30 || time.Duration(q.Retain.Age) != 30*24*time.Hour {
		t.Errorf("%+v, %v", q, err)
	}
	if q, err = nerveyaml.Of(root, "", "own"); err != nil ||
		time.Duration(q.Retain.Age) != 90*time.Minute {
		t.Errorf("%+v, %v", q, err)
	}
}

// TestMistakes reads files with mistakes in them.
func TestMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"proto: a.proto\ntpye: a.B\n": `nerve.yaml: line 2: there is no key "tpye"; there are ` +
			`proto, type, imports, hex and retain`,
		"retain: {byte: 1}":       `there is no key "byte"; there are bytes and age`,
		"retain: {bytes: much}\n": `line 1: "much" is no size like 10GiB`,
		"retain:\n  age: -5m\n":   `line 2: "-5m" is no time like 36h or 30d`,
		"retain: {bytes: -1}":     "is no size", "retain: {bytes: 99999999TiB}": "is no size",
		"proto: [":   "nerve.yaml: line 1: did not find",
		"- a\n- b\n": "cannot unmarshal",
	} {
		root := t.TempDir()
		write(t, filepath.Join(root, "q"), text)
		if q, err := nerveyaml.Of(root, "", "q"); err == nil || q == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	folder := t.TempDir()
	for text, want := range map[string]string{
		"queue: {}":                      `there is no key "queue"; there are queues`,
		"queues: {x: {retains: 1}}":      `there is no key "retains"`,
		"queues:\n  \"[\": {proto: a}\n": `line 2: "[" is no pattern`,
	} {
		write(t, folder, text)
		if _, err := nerveyaml.Of(t.TempDir(), folder, "x"); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}
