// Package httpdebug shows and steers the recording of a traced program over HTTP, as net/http/pprof
// does for profiles. It is for its effect,
//
//	import _ "github.com/octopus-framework/octopus/functrace/httpdebug"
//
// which serves these by http.DefaultServeMux, or for Handler:
//
//	GET  /debug/functrace                     what can be asked, as text
//	GET  /debug/functrace/snapshot?reason=R   the recording up to now, to be opened by functrace view
//	POST /debug/functrace/on?func=PATTERN     see functrace.On
//	POST /debug/functrace/off?func=PATTERN    see functrace.Off
//	POST /debug/functrace/share?of=N          see functrace.SetShare
//
// A recording tells what the program does, with argument values if they are recorded: serve it to
// those only who may know.
package httpdebug

import (
	"fmt"
	"net/http"
	"strconv"

	"github.com/octopus-framework/octopus/functrace"
)

// Path is where the handler is.
const Path = "/debug/functrace"

func init() {
	h := Handler()
	http.Handle(Path, h)
	http.Handle(Path+"/", h)
}

const help = `functrace
  GET  ` + Path + `/snapshot?reason=R    the recording up to now; open it with functrace view
  POST ` + Path + `/on?func=PATTERN      record functions that match
  POST ` + Path + `/off?func=PATTERN     do not
  POST ` + Path + `/share?of=N           record one of N requests
`

// Handler returns the handler of all of them, for other muxes. It answers below Path.
func Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+Path, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(help))
	})
	mux.HandleFunc("GET "+Path+"/snapshot", snapshot)
	mux.HandleFunc("POST "+Path+"/on", turn(functrace.On))
	mux.HandleFunc("POST "+Path+"/off", turn(functrace.Off))
	mux.HandleFunc("POST "+Path+"/share", func(w http.ResponseWriter, r *http.Request) {
		n, err := strconv.ParseUint(r.FormValue("of"), 10, 32)
		if err != nil {
			http.Error(w, "of=N is a number", http.StatusBadRequest)
			return
		}
		functrace.SetShare(uint32(n))
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !functrace.Enabled {
			http.Error(w, "the program was built without the tag trace", http.StatusNotImplemented)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// snapshot answers with a recording, or with an error if there is none.
func snapshot(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", "application/octet-stream")
	h.Set("Content-Disposition", `attachment; filename="snapshot.functrace"`)
	begun := &started{ResponseWriter: w}
	if err := functrace.WriteSnapshot(begun, r.FormValue("reason")); err != nil {
		if begun.yes {
			panic(http.ErrAbortHandler) // so that the client does not take it for whole
		}
		h.Del("Content-Disposition")
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
	}
}

// started notes whether anything was written.
type started struct {
	http.ResponseWriter
	yes bool
}

func (s *started) Write(b []byte) (int, error) {
	s.yes = true
	return s.ResponseWriter.Write(b)
}

// turn answers with how many functions a pattern matches.
func turn(by func(pattern string) int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		pattern := r.FormValue("func")
		if pattern == "" {
			http.Error(w, "func=PATTERN is missing", http.StatusBadRequest)
			return
		}
		fmt.Fprintf(w, "%d functions that were called match\n", by(pattern))
	}
}
