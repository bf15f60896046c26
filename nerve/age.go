package nerve

import (
	"context"
	"sync"
	"time"
)

// maxAges bounds how many append times are remembered.
const maxAges = 1024

// ages finds out when records were appended. It remembers that, so that a
// consumer that stands still costs one read, and not one each time that somebody
// looks.
type ages struct {
	mu    sync.Mutex
	known map[ID]int64 // append times by record
}

// of returns the age of a record, 0 if it cannot be read.
func (a *ages) of(ctx context.Context, log Log, id ID) time.Duration {
	a.mu.Lock()
	nano, ok := a.known[id]
	a.mu.Unlock()
	if !ok {
		if nano, ok = appended(ctx, log, id); !ok {
			return 0
		}
		a.mu.Lock()
		if a.known == nil || len(a.known) >= maxAges {
			a.known = map[ID]int64{}
		}
		a.known[id] = nano
		a.mu.Unlock()
	}
	return max(0, time.Since(time.Unix(0, nano)))
}

// appended reads when a record was appended.
func appended(ctx context.Context, log Log, id ID) (unixNano int64, ok bool) {
	cursor, err := log.Read(ctx, id)
	if err != nil {
		return 0, false
	}
	defer cursor.Close()
	var b Batch
	if err := cursor.Next(ctx, &b); err != nil {
		return 0, false
	}
	return b.UnixNano, true
}
