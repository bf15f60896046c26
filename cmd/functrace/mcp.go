package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"regexp"
	"time"

	"github.com/octopus-framework/octopus/internal/trace/report"
	"github.com/octopus-framework/octopus/internal/version"
)

// Bounds of the server: a line that it reads, and the text of an answer, in bytes.
const (
	maxMCPRequest = 1 << 20
	maxMCPAnswer  = 16 << 10
)

// mcpVersion is the version of the Model Context Protocol that is spoken.
const mcpVersion = "2025-06-18"

// mcpTool is a question that agents can ask. Its properties are a JSON schema.
type mcpTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"inputSchema"`
	answer      func(w io.Writer, procs []*report.Process, a mcpArguments) error
}

type mcpArguments struct {
	Func        string `json:"func"`
	Sort        string `json:"sort"`
	N           int    `json:"n"`
	Case        string `json:"case"`
	MinDuration string `json:"min_duration"`
}

var mcpTools = []mcpTool{
	{"top", "Calls, times and failures of each function, the largest first by the column sort.",
		json.RawMessage(`{"type":"object","properties":{"sort":{"type":"string","enum":["calls",` +
			`"total","self","p50","p99","failed","name"]},"n":{"type":"integer"}}}`), mcpTop},
	{"chains", "The chains of calls that reached a function, failed ones first, with arguments " +
		"and errors. func is its full name or the end of it.",
		json.RawMessage(`{"type":"object","properties":{"func":{"type":"string"},` +
			`"n":{"type":"integer"}},"required":["func"]}`), mcpChains},
	{"tree", "The calls as an indented tree, those that look alike once, without calls shorter " +
		"than min_duration (such as 1ms).",
		json.RawMessage(`{"type":"object","properties":{"min_duration":{"type":"string"}}}`),
		mcpTree},
	{"blame", "The functions that may be to blame that some calls of the functions whose names " +
		"match the expression case fail and others do not, with reasons.",
		json.RawMessage(`{"type":"object","properties":{"case":{"type":"string"},` +
			`"n":{"type":"integer"}},"required":["case"]}`), mcpBlame},
}

func (a mcpArguments) limit() int {
	if a.N <= 0 {
		return 20
	}
	return a.N
}

func mcpTop(w io.Writer, procs []*report.Process, a mcpArguments) error {
	if a.Sort == "" {
		a.Sort = "self"
	}
	list, err := report.Functions(procs, a.Sort)
	if err != nil {
		return err
	}
	return report.WriteFunctions(w, list[:min(len(list), a.limit())])
}

func mcpChains(w io.Writer, procs []*report.Process, a mcpArguments) error {
	list, err := report.Chains(procs, a.Func)
	if err != nil {
		return err
	}
	return report.WriteChains(w, list[:min(len(list), a.limit())])
}

func mcpTree(w io.Writer, procs []*report.Process, a mcpArguments) error {
	o := report.WriteOptions{Durations: true}
	if a.MinDuration != "" {
		var err error
		if o.MinDuration, err = time.ParseDuration(a.MinDuration); err != nil {
			return err
		}
	}
	return report.Write(w, procs, report.Tree, o)
}

func mcpBlame(w io.Writer, procs []*report.Process, a mcpArguments) error {
	re, err := regexp.Compile(a.Case)
	if err != nil {
		return err
	}
	list := report.Blame(report.CallCases(procs, re))
	if len(list) == 0 {
		return errOneKind
	}
	return report.WriteSuspects(w, list[:min(len(list), a.limit())])
}

// mcpCommand answers questions of agents about recordings, by the Model Context Protocol over
// standard input and output.
func mcpCommand(args []string, stdout, stderr io.Writer) error {
	fs := newFlags("mcp", stderr)
	if err := parse(fs, args); err != nil {
		return err
	}
	if fs.NArg() == 0 {
		return fmt.Errorf("%w: functrace mcp recording ...", errUsage)
	}
	procs, err := readRecordings(fs.Args(), stderr)
	if err != nil {
		return err
	}
	return serveMCP(os.Stdin, stdout, procs)
}

type mcpRequest struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

type mcpError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// serveMCP answers requests, a line of JSON each, until there are no more.
func serveMCP(r io.Reader, w io.Writer, procs []*report.Process) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxMCPRequest)
	out := json.NewEncoder(w)
	for lines.Scan() {
		var request mcpRequest
		answer := map[string]any{"jsonrpc": "2.0", "id": nil}
		if err := json.Unmarshal(lines.Bytes(), &request); err != nil {
			answer["error"] = mcpError{-32700, err.Error()}
		} else if request.ID == nil {
			continue // a notification
		} else if result, failed := answerMCP(request, procs); failed != nil {
			answer["id"], answer["error"] = request.ID, failed
		} else {
			answer["id"], answer["result"] = request.ID, result
		}
		if err := out.Encode(answer); err != nil {
			return err
		}
	}
	return lines.Err()
}

func answerMCP(request mcpRequest, procs []*report.Process) (any, *mcpError) {
	switch request.Method {
	case "initialize":
		return map[string]any{"protocolVersion": mcpVersion,
			"capabilities": map[string]any{"tools": struct{}{}},
			"serverInfo":   map[string]string{"name": "functrace", "version": version.String()},
		}, nil
	case "ping":
		return struct{}{}, nil
	case "tools/list":
		return map[string]any{"tools": mcpTools}, nil
	case "tools/call":
		return callMCP(request.Params, procs)
	}
	return nil, &mcpError{-32601, "there is no method " + request.Method}
}

// callMCP answers a question. What goes wrong in it is an answer, too, for the agent to read.
func callMCP(params json.RawMessage, procs []*report.Process) (any, *mcpError) {
	var call struct {
		Name      string       `json:"name"`
		Arguments mcpArguments `json:"arguments"`
	}
	if err := json.Unmarshal(params, &call); err != nil {
		return nil, &mcpError{-32602, err.Error()}
	}
	for _, t := range mcpTools {
		if t.Name != call.Name {
			continue
		}
		var text boundedText
		err := t.answer(&text, procs, call.Arguments)
		if err != nil {
			fmt.Fprintln(&text, err)
		}
		return map[string]any{"isError": err != nil, "content": []map[string]string{
			{"type": "text", "text": text.String()}}}, nil
	}
	return nil, &mcpError{-32602, "there is no tool " + call.Name}
}

// boundedText keeps the beginning of what is written to it and counts the rest.
type boundedText struct {
	kept bytes.Buffer
	left int
}

// Write implements io.Writer.
func (t *boundedText) Write(b []byte) (int, error) {
	n := min(len(b), maxMCPAnswer-t.kept.Len())
	t.kept.Write(b[:n])
	t.left += len(b) - n
	return len(b), nil
}

// String returns what was kept, and says what was not.
func (t *boundedText) String() string {
	if t.left == 0 {
		return t.kept.String()
	}
	return fmt.Sprintf("%s\n(%d more bytes: ask for less)\n",
		bytes.ToValidUTF8(t.kept.Bytes(), nil), t.left)
}
