package web

import (
	"bytes"
	"net/http"

	"github.com/octopus-framework/octopus/nerve"
)

// filter says which records somebody wants to see. It is for one goroutine.
type filter interface {
	// match reports whether a record is wanted. An error is one of the record,
	// which is then not wanted, and counted.
	match(rec nerve.Record) (bool, error)
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

func (all filters) match(rec nerve.Record) (bool, error) {
	for _, f := range all {
		if ok, err := f.match(rec); !ok || err != nil {
			return false, err
		}
	}
	return true, nil
}

// contains is a text that is somewhere in the bytes of a record.
type contains string

func (c contains) match(rec nerve.Record) (bool, error) {
	return bytes.Contains(rec.Data, []byte(c)), nil
}
