package rt

import (
	"context"
	"reflect"
	"sync/atomic"
)

// traceparent is the function of SetTraceparent.
var traceparent atomic.Pointer[func(context.Context) string]

// SetTraceparent says how the traceparent of W3C's Trace Context is got from a context; "" is
// none.
func SetTraceparent(f func(context.Context) string) { traceparent.Store(&f) }

// Context notes the trace of the request that the innermost open call belongs to, if the open calls
// of its goroutine have not told it yet.
func Context(ctx context.Context) {
	f := traceparent.Load()
	if f == nil || *f == nil || ctx == nil {
		return
	}
	if g := peek(); g != nil && !g.traced {
		g.trace((*f)(ctx))
	}
}

// Header is Context for the values of a request's header Traceparent.
func Header(values []string) {
	if len(values) == 0 {
		return
	}
	if g := peek(); g != nil && !g.traced {
		g.trace(values[0])
	}
}

func (g *G) trace(parent string) {
	if parent != "" {
		g.traced = true
		g.text(TextTrace, []byte(parent))
	}
}

// Names of fields of types that implement net/http.ResponseWriter: those that hold the status, and
// those that hold what the type wraps.
var (
	statusFields  = []string{"status", "Status", "statusCode", "StatusCode", "code", "Code"}
	wrappedFields = []string{"ResponseWriter", "rws", "w", "writer", "rw"}
)

// statusOf returns the status that was written to a net/http.ResponseWriter, 0 if it is not known.
// This package cannot know net/http's types, and their field is not exported: it goes by names.
func statusOf(w any) (status int64) {
	defer func() { _ = recover() }() // a field in an embedded pointer that is nil
	v := reflect.ValueOf(w)
	for range 8 {
		for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
			v = v.Elem()
		}
		if v.Kind() != reflect.Struct {
			return 0
		}
		for _, name := range statusFields {
			if f := v.FieldByName(name); f.IsValid() && f.CanInt() && f.Int() != 0 {
				return f.Int()
			}
		}
		inner := reflect.Value{}
		for _, name := range wrappedFields {
			if f := v.FieldByName(name); f.IsValid() {
				inner = f
				break
			}
		}
		v = inner
	}
	return 0
}
