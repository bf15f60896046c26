package main

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"strings"
	"testing"

	"github.com/octopus-framework/octopus/internal/cli/exitcode"
	"github.com/octopus-framework/octopus/internal/trace/report"
)

// wideProcess has a call with an error among a thousand functions.
func wideProcess() *report.Process {
	g := &report.Goroutine{ID: 1}
	for i := range 1000 {
		c := &report.Call{Func: &report.Func{Name: "main.f" + strings.Repeat("x", i%50+1)}, End: 9}
		if i == 500 {
			c.Outcome, c.Error = report.Failed, "boom"
		}
		g.Calls = append(g.Calls, c)
	}
	return &report.Process{Goroutines: []*report.Goroutine{g}}
}

func TestMCP(t *testing.T) {
	var out bytes.Buffer
	requests := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":"two","method":"tools/list"}
{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"top","arguments":{"sort":"failed","n":1}}}
{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"chains","arguments":{"func":"fx"}}}
{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"chains","arguments":{"func":"no"}}}
{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"tree","arguments":{}}}
{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"blame","arguments":{"case":"main"}}}
{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"none"}}
{"jsonrpc":"2.0","id":9,"method":"none"}
not JSON
{"jsonrpc":"2.0","id":10,"method":"ping"}
`
	if err := serveMCP(strings.NewReader(requests), &out,
		[]*report.Process{wideProcess()}); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	wants := []string{`"protocolVersion":"2025-06-18"`, `"inputSchema":{"type":"object"`,
		"       1  main.f", "main.fx", `"isError":true`, "more bytes: ask for less",
		"fails, and nothing that it calls does: boom", `"code":-32602`, `"code":-32601`,
		`"code":-32700`, `"id":10`}
	if len(lines) != len(wants) {
		t.Fatalf("%d answers\n%s", len(lines), &out)
	}
	for i, want := range wants {
		if !strings.Contains(lines[i], want) || !json.Valid([]byte(lines[i])) ||
			len(lines[i]) > 2*maxMCPAnswer {
			t.Errorf("answer %d lacks %s: %.500s", i, want, lines[i])
		}
	}
}

// bash completes commands, their flags and files by the script.
func TestCompletion(t *testing.T) {
	code, script, stderr := functrace(t, t.TempDir(), "completion", "bash")
	if code != 0 {
		t.Fatal(stderr)
	}
	for line, want := range map[string]string{
		"functrace bl": "blame", "functrace run --exp": "--exported",
		"functrace top --so": "--sort", "functrace inject --min": "--min-lines",
	} {
		words := strings.Fields(line)
		out, err := exec.Command("bash", "-c", script+`COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
_functrace; echo "${COMPREPLY[*]}"`, "bash", words[0], words[1],
			words[len(words)-1]).CombinedOutput()
		if len(words) == 2 {
			out, err = exec.Command("bash", "-c", script+`COMP_WORDS=("$@"); COMP_CWORD=1
_functrace; echo "${COMPREPLY[*]}"`, "bash", words[0], words[1]).CombinedOutput()
		}
		if err != nil || strings.TrimSpace(string(out)) != want {
			t.Errorf("%s: %v %s", line, err, out)
		}
	}
	for _, shell := range []string{"zsh", "fish"} {
		code, script, _ := functrace(t, t.TempDir(), "completion", shell)
		if code != 0 || !strings.Contains(script, "exported") {
			t.Errorf("%s: %s", shell, script)
		}
	}
	if code, _, _ := functrace(t, t.TempDir(), "completion", "cmd"); code != exitcode.Usage {
		t.Error("a shell that is not there:", code)
	}
}
