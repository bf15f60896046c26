// Package web is the page and the JSON API of a nerve server.
package web

import (
	"context"
	"log/slog"
	"net/http"
	"strings"

	"github.com/octopus-framework/octopus/nerve/serve/internal/core"
)

// Options of an App. The zero value is useful.
type Options struct {
	// Schemas is a folder with a nerve.yaml that says of what type the records of
	// queues are. One in the folder of a queue comes first. Empty is none.
	Schemas string
	// Logger is told of schemas that do not load. Nil is silent.
	Logger *slog.Logger
}

// App answers all requests below / and /api/v1/ that the server does not answer
// itself. The server has checked the Host and Origin headers and who asks
// before: [core.From] of the request's context says who that is. It bounds the
// body of a request and how long a client may take to send it and to read.
type App struct {
	root    *core.Queues
	mux     *http.ServeMux
	schemas *schemas
	sampler *sampler

	ctx    context.Context // ends with Close
	cancel context.CancelFunc
	done   chan struct{} // closed when the sampler has ended

	querying chan struct{} // has an element for each query that runs
}

// New returns an App over the queues of root. It looks at them once a second, until
// Close.
func New(root *core.Queues, o Options) (*App, error) {
	a := &App{root: root, mux: http.NewServeMux(), sampler: newSampler(root),
		schemas: newSchemas(root.Dir(), o),
		done:    make(chan struct{}), querying: make(chan struct{}, maxQueries)}
	a.ctx, a.cancel = context.WithCancel(context.Background())
	a.mux.HandleFunc("GET /api/v1/queues", a.queues)
	for pattern, h := range map[string]handler{
		"GET records":                      a.records,
		"GET records/{id}":                 a.record,
		"GET records/{id}/bytes":           a.bytes,
		"GET live":                         a.live,
		"GET scan":                         a.scan,
		"GET export":                       a.export,
		"GET consumers":                    a.consumers,
		"PUT consumers/{consumer}":         a.move,
		"DELETE consumers/{consumer}":      a.forget,
		"POST consumers/{consumer}/next":   a.next,
		"POST consumers/{consumer}/ack":    a.settle(ackLease),
		"POST consumers/{consumer}/nack":   a.settle(failLease),
		"POST consumers/{consumer}/extend": a.settle(extendLease),
		"GET throughput":                   a.throughput,
		"GET storage":                      a.storage,
		"POST query":                       a.query,
		"GET schema":                       a.schema,
	} {
		method, path, _ := strings.Cut(pattern, " ")
		a.mux.HandleFunc(method+" /api/v1/queues/{queue}/"+path, a.onQueue(h))
	}
	a.mux.HandleFunc("GET /", page)
	go func() {
		defer close(a.done)
		a.sampler.run(a.ctx)
	}()
	return a, nil
}

// ServeHTTP implements http.Handler.
func (a *App) ServeHTTP(w http.ResponseWriter, r *http.Request) { a.mux.ServeHTTP(w, r) }

// Reload reads again what came from files: the schemas of all queues. Of one that does
// not load the log and the page say why; its records are bytes until it does.
func (a *App) Reload() (loaded, failed int) {
	a.schemas.reload()
	return a.LoadSchemas()
}

// LoadSchemas loads the schemas of all queues now and not when somebody asks, and
// returns how many there are and how many of them do not load.
func (a *App) LoadSchemas() (loaded, failed int) {
	for _, name := range a.root.Names() {
		switch s := a.schemas.of(a.ctx, name); {
		case s.typeOf() != nil:
			loaded++
		case s != nil:
			failed++
		}
	}
	return loaded, failed
}

// Close ends what runs in the background, and live views.
func (a *App) Close() {
	a.cancel()
	<-a.done
}

// until returns a context that ends with a request or with Close.
func (a *App) until(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(a.ctx, cancel)
	return ctx, func() { stop(); cancel() }
}
