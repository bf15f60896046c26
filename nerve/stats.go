package nerve

import (
	"sort"
	"sync"
	"time"
)

// Stats is what a queue did since New, and where its consumers are.
type Stats struct {
	First, Last ID // readable records; Last is First-1 when there is none

	Commits      uint64        // successful
	CommitErrors uint64        // commits whose callers got an error
	CommitTime   time.Duration // sum over successful commits
	Records      uint64        // appended
	Bytes        uint64        // appended, packed
	InFlight     int64         // bytes accepted and not yet committed

	ReadRecords uint64 // delivered to consumers
	ReadBytes   uint64 // delivered to consumers, packed

	Consumers []ConsumerStats // all with a saved pointer or open, by name
}

// ConsumerStats is where one consumer is.
type ConsumerStats struct {
	Name    string
	Pointer ID     // everything up to it is acknowledged
	Lag     uint64 // records after the pointer
	// LagTime is how long ago the oldest record after the pointer was appended, 0 if there is none
	// or the log cannot tell now.
	LagTime time.Duration
	Unacked uint64 // delivered and above the pointer

	// Of a consumer that is open in this process, since it was opened:

	// Skipped counts records that Seek passed over without a delivery, such as
	// after a TrimmedError.
	Skipped     uint64
	Undecodable uint64 // records that Typed could not decode, or Check refused
	Stalled     bool   // Next waits for acks: MaxUnacked is reached

	Hold  bool
	Open  bool // the queue is open in this process
	Saved time.Time
}

type counters struct {
	mu    sync.Mutex
	stats Stats
}

func (c *counters) commit(records, size int, took time.Duration, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil {
		c.stats.CommitErrors++
		return
	}
	c.stats.Commits++
	c.stats.CommitTime += took
	c.stats.Records += uint64(records)
	c.stats.Bytes += uint64(size)
}

func (c *counters) read(records, size int) {
	c.mu.Lock()
	c.stats.ReadRecords += uint64(records)
	c.stats.ReadBytes += uint64(size)
	c.mu.Unlock()
}

// Stats returns a snapshot.
func (q *Queue) Stats() (Stats, error) {
	q.counters.mu.Lock()
	s := q.counters.stats
	q.counters.mu.Unlock()
	s.First, s.Last = q.log.Bounds()
	s.InFlight = q.held.Load()

	ctx, cancel := q.callContext()
	defer cancel()
	pointers, err := q.log.Pointers(ctx)
	if err != nil {
		return s, err
	}
	byName := make(map[string]ConsumerStats)
	for _, p := range pointers {
		byName[p.Name] = ConsumerStats{Name: p.Name, Pointer: p.ID, Hold: p.Hold, Saved: p.Saved}
	}
	for _, c := range q.consumers.list() {
		cs := byName[c.name]
		c.mu.Lock()
		cs.Name, cs.Open, cs.Hold = c.name, true, c.options.Hold
		cs.Pointer = c.acks.pointer
		cs.Unacked = uint64(c.delivered - c.acks.pointer)
		cs.Skipped, cs.Undecodable, cs.Stalled = c.skipped, c.undecodable, c.stalled
		c.mu.Unlock()
		byName[c.name] = cs
	}
	for _, cs := range byName {
		if at := max(cs.Pointer+1, s.First); at <= s.Last {
			cs.Lag = uint64(s.Last - at + 1)
			cs.LagTime = q.ages.of(ctx, q.log, at)
		}
		s.Consumers = append(s.Consumers, cs)
	}
	sort.Slice(s.Consumers, func(i, j int) bool {
		return s.Consumers[i].Name < s.Consumers[j].Name
	})
	return s, nil
}
