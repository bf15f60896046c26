package web

import (
	"encoding/json"
	"net/http"
	"time"
)

// events is an answer that goes on: server-sent events with JSON.
type events struct {
	w  http.ResponseWriter
	rc *http.ResponseController
}

func startEvents(w http.ResponseWriter) *events {
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	return &events{w, http.NewResponseController(w)}
}

// send sends an event and returns an error when the client is gone or does not
// read.
func (e *events) send(name string, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	b := make([]byte, 0, len(text)+len(name)+20)
	b = append(append(append(b, "event: "...), name...), "\ndata: "...)
	b = append(append(b, text...), "\n\n"...)
	if _, err := e.w.Write(b); err != nil {
		return err
	}
	return e.rc.Flush()
}

// beat is how often a client hears something when nothing happens, so that one who
// is gone is noticed.
const beat = 10 * time.Second
