package web

import (
	"bytes"
	"net/http"

	"github.com/octopus-framework/octopus/nerve"
)

// filter says which records somebody wants to see. It is for one goroutine.
type filter interface {
	// match reports whether a record is wanted.
	match(rec nerve.Record) bool
	// failed says for how many records that could not be found out, and why not for
	// the first of them. These are not wanted.
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

func (all filters) match(rec nerve.Record) bool {
	for _, f := range all {
		if !f.match(rec) {
			return false
		}
	}
	return true
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

func (c contains) match(rec nerve.Record) bool { return bytes.Contains(rec.Data, []byte(c)) }

func (contains) failed() (uint64, string) { return 0, "" }
