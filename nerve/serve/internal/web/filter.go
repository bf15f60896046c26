package web

import (
	"bytes"
	"context"
	"net/http"

	"github.com/octopus-framework/octopus/nerve"
)

// filter says which records somebody wants to see. It is for one goroutine.
type filter interface {
	// match reports whether a record is wanted. The error is that of ctx, or says that
	// the request has cost enough.
	match(ctx context.Context, rec nerve.Record) (bool, error)
	// failed counts the records on which the filter failed, which are left out, and
	// says why for the first.
	failed() (n uint64, first string)
}

// maxFilter bounds the text of a filter, in bytes.
const maxFilter = 4 << 10

// filterOf reads the filter of a request: the parameter where, an expression over
// the fields of the records, and contains, a text that their bytes have. Without
// both, everything is wanted. The error is one of the expression.
func filterOf(r *http.Request, s *schema) (filter, error) {
	where, text := r.FormValue("where"), r.FormValue("contains")
	if len(where) > maxFilter || len(text) > maxFilter {
		return nil, &badRequest{Message: "the filter is too long"}
	}
	var all filters
	if text != "" {
		all = append(all, contains(text))
	}
	if where != "" {
		f, err := s.compileFilter(where)
		if err != nil {
			return nil, err
		}
		all = append(all, f)
	}
	return all, nil
}

// filters wants what all of them want.
type filters []filter

func (all filters) match(ctx context.Context, rec nerve.Record) (bool, error) {
	for _, f := range all {
		if wanted, err := f.match(ctx, rec); !wanted || err != nil {
			return false, err
		}
	}
	return true, nil
}

func (all filters) failed() (n uint64, first string) {
	for _, f := range all {
		more, why := f.failed()
		n += more
		if first == "" {
			first = why
		}
	}
	return n, first
}

// contains is a text that is somewhere in the bytes of a record.
type contains string

func (c contains) match(_ context.Context, rec nerve.Record) (bool, error) {
	return bytes.Contains(rec.Data, []byte(c)), nil
}

func (contains) failed() (uint64, string) { return 0, "" }
