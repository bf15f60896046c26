// Package web is the page and the JSON API of a nerve server.
package web

import (
	"encoding/json"
	"net/http"

	"github.com/octopus-framework/octopus/nerve/serve/core"
)

// Options of an App. The zero value is useful.
type Options struct{}

// App answers all requests below / and /api/v1/ that the server does not answer
// itself. The server has checked the Host and Origin headers and who asks
// before: [core.From] of the request's context says who that is. It bounds the
// body of a request and how long a client may take to send it and to read.
type App struct {
	root *core.Root
	mux  *http.ServeMux
}

// New returns an App over the queues of root.
func New(root *core.Root, _ Options) (*App, error) {
	a := &App{root: root, mux: http.NewServeMux()}
	a.mux.HandleFunc("GET /api/v1/queues", a.queues)
	return a, nil
}

// ServeHTTP implements http.Handler.
func (a *App) ServeHTTP(w http.ResponseWriter, r *http.Request) { a.mux.ServeHTTP(w, r) }

// Reload reads again what came from files, such as schemas. After an error all
// stays as it was.
func (a *App) Reload() error { return nil }

// Close ends what runs in the background.
func (a *App) Close() {}

func (a *App) queues(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"queues": a.root.List(core.From(r.Context()))})
}
