package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/octopus-framework/octopus/nerve"
)

// refusedShown is how many records that are no message of the type are named.
const refusedShown = 20

// refusedJSON is a record that is no message of the type.
type refusedJSON struct {
	ID    nerve.ID `json:"id"`
	Error string   `json:"error"`
}

// recordsJSON says which records of a queue are messages of a type.
type recordsJSON struct {
	Type    string        `json:"type"`
	Checked uint64        `json:"checked"`
	Refused uint64        `json:"refused"`
	First   []refusedJSON `json:"first_refused"` // the first refused, at most refusedShown
}

// checkRecords reads all records there are now, but for those that are damaged, and
// checks that each is a message of the type, all of it.
func checkRecords(ctx context.Context, log nerve.Log, s *messageSchema) (recordsJSON, error) {
	r := recordsJSON{Type: s.Dynamic.Name, First: []refusedJSON{}}
	next, last := log.Bounds()
	for next <= last {
		behind, err := r.read(ctx, log, s, next, last)
		next = behind
		lost, isLost := lostBehind(err)
		switch {
		case isLost:
			next = max(next, lost) + 1
		case err != nil:
			return r, err
		}
	}
	return r, nil
}

// read checks records up to last, or to one that cannot be read, and returns the next.
func (r *recordsJSON) read(ctx context.Context, log nerve.Log, s *messageSchema,
	next, last nerve.ID) (nerve.ID, error) {
	cur, err := log.Read(ctx, next)
	if err != nil {
		return next, err
	}
	defer cur.Close()
	var b nerve.Batch
	for next <= last {
		if err := cur.Next(ctx, &b); err != nil {
			return next, err
		}
		for rec := range b.All() {
			if rec.ID > last {
				break
			}
			r.Checked++
			if err := s.check(rec.Data); err != nil {
				r.Refused++
				if len(r.First) < refusedShown {
					r.First = append(r.First, refusedJSON{rec.ID, err.Error()})
				}
			}
		}
		next = b.Last() + 1
	}
	return next, nil
}

func (r *recordsJSON) print(out io.Writer) {
	fmt.Fprintf(out, "records that are a %s: %d of %d\n", r.Type, r.Checked-r.Refused, r.Checked)
	for _, f := range r.First {
		fmt.Fprintf(out, "record %d: %s\n", f.ID, f.Error)
	}
	if more := r.Refused - uint64(len(r.First)); more > 0 {
		fmt.Fprintf(out, "and %d more\n", more)
	}
}

// errNoSchema says that verify has nothing to do.
var errNoSchema = errors.New("without --proto and --type there is nothing to verify: " +
	"what is behind a URL its server keeps whole")
