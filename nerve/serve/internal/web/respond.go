package web

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"reflect"
	"strings"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/internal/wire"
	"github.com/octopus-framework/octopus/nerve/serve/internal/core"
)

// badRequest is a request that cannot be understood. Column counts characters of
// an expression from 1 and is 0 if the request has none.
type badRequest struct {
	Message string
	Column  int
	Caret   string // the line of the expression, and below it a mark
	Hint    string
}

// Error implements error.
func (e *badRequest) Error() string { return e.Message }

// handler is one of the API: it answers, or returns an error before it did.
type handler func(w http.ResponseWriter, r *http.Request, a *core.Access) error

// onQueue finds the queue of a request, as far as who asks may use it.
func (a *App) onQueue(h handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		p, name := core.From(r.Context()), r.PathValue("queue")
		p.Only(name)
		access, err := a.root.Access(p, name)
		if err == nil {
			err = h(w, r, access)
		}
		if err != nil {
			fail(w, a.root.Public(err))
		}
	}
}

func respond(w http.ResponseWriter, v any) error {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	e := json.NewEncoder(w)
	e.SetEscapeHTML(true)
	_ = e.Encode(v) // nobody is left to be told
	return nil
}

// problem is the JSON form of an error.
type problem struct {
	Error  string `json:"error"`
	Type   string `json:"type,omitempty"` // type of the error in package nerve, such as "IOError"
	Column int    `json:"column,omitempty"`
	Caret  string `json:"caret,omitempty"`
	Hint   string `json:"hint,omitempty"`
}

func problemOf(err error) problem {
	p := problem{Error: strings.TrimPrefix(err.Error(), "nerve: ")}
	if typed := wire.Typed(err); typed != nil {
		p.Type = reflect.TypeOf(typed).Elem().Name()
	}
	var bad *badRequest
	if errors.As(err, &bad) {
		p.Column, p.Caret, p.Hint = bad.Column, bad.Caret, bad.Hint
	}
	return p
}

func fail(w http.ResponseWriter, err error) {
	status := statusOf(err)
	if status == http.StatusTooManyRequests {
		w.Header().Set("Retry-After", "1")
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(problemOf(err))
}

// statusOf is the status of HTTP that an error has.
func statusOf(err error) int {
	is := func(target any) bool { return errors.As(err, target) }
	switch {
	case is(new(*badRequest)), is(new(*nerve.NameError)):
		return http.StatusBadRequest
	case is(new(*nerve.CredentialsError)):
		return http.StatusUnauthorized
	case is(new(*nerve.AccessError)), errors.Is(err, nerve.ErrReadOnly):
		return http.StatusForbidden
	case is(new(*nerve.NotFoundError)), is(new(*noSuchCall)), is(new(*noSuchRecord)),
		is(new(*noSchema)),
		is(new(*nerve.TrimmedError)), is(new(*nerve.FutureError)):
		return http.StatusNotFound
	case is(new(*nerve.OpenError)), is(new(*nerve.FencedError)),
		is(new(*nerve.LeaseError)), is(new(*nerve.SetupError)):
		return http.StatusConflict
	case is(new(*nerve.BusyError)):
		return http.StatusTooManyRequests
	case is(new(*nerve.FullError)):
		return http.StatusInsufficientStorage
	case errors.Is(err, nerve.ErrClosed), errors.Is(err, context.Canceled),
		is(new(*nerve.LockedError)):
		return http.StatusServiceUnavailable
	}
	return http.StatusInternalServerError
}

// errBusy is that as many queries run as may.
func errBusy() error { return &nerve.BusyError{What: "queries", Limit: maxQueries} }
