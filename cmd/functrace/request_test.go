package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/octopus-framework/octopus/internal/trace/report"
)

// server answers some requests of its own. A handler returns nothing: its status says that it
// failed. Its request says which trace it belongs to.
const server = `package main

import (
	"context"
	"net/http"
	"net/http/httptest"
)

type wrapper struct{ http.ResponseWriter }

func handle(w http.ResponseWriter, r *http.Request) {
	work(r.Context())
	if r.URL.Path == "/bad" {
		w.WriteHeader(503)
	}
}

func wrapped(w http.ResponseWriter, r *http.Request) { handle(wrapper{w}, r) }

func work(ctx context.Context) { _ = ctx }

func main() {
	mux := http.NewServeMux()
	mux.HandleFunc("/", handle)
	mux.HandleFunc("/wrapped/", func(w http.ResponseWriter, r *http.Request) {
		r.URL.Path = "/bad"
		wrapped(w, r)
	})
	s := httptest.NewServer(mux)
	for _, path := range []string{"/good", "/bad", "/wrapped/"} {
		r, _ := http.NewRequest("GET", s.URL+path, nil)
		r.Header.Set("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
		a, err := http.DefaultClient.Do(r)
		if err != nil {
			panic(err)
		}
		a.Body.Close()
	}
	s.Close()
}
`

func TestRequests(t *testing.T) {
	dir := tree(t, map[string]string{"main.go": server})
	file := filepath.Join(dir, "x.functrace")
	if code, _, stderr := functrace(t, dir, "run", "-o", file, "main.go"); code != 0 {
		t.Fatal(stderr)
	}
	procs, err := report.ReadFiles(file)
	if err != nil {
		t.Fatal(err)
	}
	var failed []string
	traced := 0
	procs[0].Walk(func(_ *report.Goroutine, c *report.Call, _ int) {
		if c.Outcome == report.Failed {
			failed = append(failed, c.Func.Name+": "+c.Error)
		}
		if strings.HasPrefix(c.Trace, "00-0af7651916cd43dd8448eb211c80319c-") {
			traced++
		}
	})
	slices.Sort(failed)
	want := []string{"main.handle: HTTP status 503", "main.handle: HTTP status 503",
		"main.main.func1: HTTP status 503", "main.wrapped: HTTP status 503"}
	if !slices.Equal(failed, want) || traced != 3 {
		t.Errorf("%d traces, failed:\n%s", traced, strings.Join(failed, "\n"))
	}
	var b bytes.Buffer
	if err := report.Write(&b, procs, report.OTLP, report.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	parent := "\x22\x08\xb7\xad\x6b\x71\x69\x20\x33\x31" // field 4, 8 bytes
	if n := strings.Count(b.String(), parent); n != 3 {
		t.Errorf("%d spans have the parent of the request", n)
	}
}

// With a share of requests, one of them is recorded as a whole and the others not at all.
func TestShare(t *testing.T) {
	dir := tree(t, map[string]string{"main.go": server})
	t.Setenv("FUNCTRACE_OPTIONS", "share=3,ring,request=main.handle")
	code, _, stderr := functrace(t, dir, "run", "-o", "x.json", "--format", "json", "main.go")
	if code != 0 {
		t.Fatal(stderr)
	}
	data, err := os.ReadFile(filepath.Join(dir, "x.json"))
	if err != nil || !json.Valid(data) {
		t.Fatal(err)
	}
	handles := bytes.Count(data, []byte(`"main.handle"`))
	works := bytes.Count(data, []byte(`"main.work"`))
	if handles != 1 || works != 1 {
		t.Errorf("%d calls of handle and %d of work were recorded of three", handles, works)
	}
}
