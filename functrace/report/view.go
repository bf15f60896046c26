package report

import (
	"bufio"
	"bytes"
	_ "embed"
	"io"
)

// MaxPageCalls bounds how many calls a page shows: browsers do not scroll through more.
const MaxPageCalls = 200_000

//go:embed view.html
var page []byte

// pageData stands in view.html where the trace events belong.
var pageData = []byte("/*TRACE*/null")

// WritePage writes one self-contained HTML page: the call tree of each goroutine, a flame chart, and for a chosen function
// the distinct chains that reached it. The page reads Trace Event JSON, its own or that of a file that is opened
// with it. It returns how many calls were left out.
func WritePage(w io.Writer, procs []*Process) (left int, err error) {
	var events bytes.Buffer
	b := bufio.NewWriter(&events)
	if left, err = writeTraceEvents(b, procs, MaxPageCalls); err != nil {
		return left, err
	}
	if err := b.Flush(); err != nil {
		return left, err
	}
	// encoding/json escapes <, > and &, so the data cannot end the script it stands in.
	_, err = w.Write(bytes.Replace(page, pageData, events.Bytes(), 1))
	return left, err
}
