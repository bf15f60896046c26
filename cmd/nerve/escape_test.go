package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"testing"

	"github.com/octopus-framework/octopus/nerve"
)

// TestEscapeControls shows nothing that a terminal would obey.
func TestEscapeControls(t *testing.T) {
	for in, want := range map[string]string{
		"plain text\tüß漢😀":             "plain text\tüß漢😀",
		"\x1b]0;owned\x07":             `\u001b]0;owned\u0007`,
		"a\rb\nc\x00\x7f":              `a\rb\nc\u0000\u007f`,
		"\u009b31m":                    `\u009b31m`,
		"\x9b31m\xff":                  `\x9b31m\xff`,
		"abc\u202edcb\u2066\u200f":     `abc\u202edcb\u2066\u200f`,
		"\xef\xbf\xbd stays, \xe2\x80": "\xef\xbf\xbd stays, " + `\xe2\x80`,
	} {
		if got := string(escapeControls(nil, []byte(in))); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	for b := range 256 {
		for _, c := range escapeControls(nil, []byte{byte(b)}) {
			if (c < ' ' && c != '\t') || c >= 0x7f {
				t.Errorf("byte %#x comes out as %#x", b, c)
			}
		}
	}
}

// TestTailEscapes prints a hostile record on a terminal and into a file.
func TestTailEscapes(t *testing.T) {
	const hostile = "\x1b[2J\u009b31m"
	for _, terminal := range []bool{false, true} {
		var out bytes.Buffer
		p := &recordPrinter{flags: &tailFlags{format: "raw", bare: true}, escape: terminal,
			out: bufio.NewWriter(&out)}
		if err := p.print(nerve.Record{ID: 1, Data: []byte(hostile)}); err != nil {
			t.Fatal(err)
		}
		if err := p.out.Flush(); err != nil {
			t.Fatal(err)
		}
		want := hostile + "\n"
		if terminal {
			want = `\u001b[2J\u009b31m` + "\n"
		}
		if out.String() != want {
			t.Errorf("terminal %t: %q", terminal, out.String())
		}
	}
	// JSON on a terminal stays JSON.
	var out bytes.Buffer
	p := &recordPrinter{flags: &tailFlags{}, json: true, escape: true, out: bufio.NewWriter(&out)}
	r := tailRecord{ID: 1, Message: json.RawMessage("{\"text\":\"a\u009b31m\u202e\"}")}
	if err := p.printRecord(r); err != nil {
		t.Fatal(err)
	}
	if err := p.out.Flush(); err != nil {
		t.Fatal(err)
	}
	var back struct{ Message struct{ Text string } }
	if bytes.ContainsRune(out.Bytes(), '\u009b') || bytes.ContainsRune(out.Bytes(), '\u202e') ||
		json.Unmarshal(out.Bytes(), &back) != nil || back.Message.Text != "a\u009b31m\u202e" {
		t.Errorf("%q, %+v", out.String(), back)
	}
}
