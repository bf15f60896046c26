package core

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/seglog"
)

// Access is a queue in the hands of a principal. All methods are safe for
// concurrent use. Errors are those of package nerve; paths in them are below the
// root.
type Access struct {
	root      *Queues
	queue     *queue
	principal *Principal
	roles     Role
}

// Name is that of the queue.
func (a *Access) Name() string { return a.queue.name }

// Principal is who has it.
func (a *Access) Principal() *Principal { return a.principal }

// Roles are what the principal may do.
func (a *Access) Roles() Role { return a.roles }

// Need returns an AccessError unless the principal has one of roles, and why his
// lease ended if it did.
func (a *Access) Need(roles Role) error {
	if err := a.principal.lease.Err(); err != nil {
		return err
	}
	if a.roles&roles != 0 {
		return nil
	}
	a.root.Metrics.AccessDenied.Add(1)
	return &nerve.AccessError{Who: a.principal.name, Queue: a.queue.name,
		Role: lowest(roles).String()}
}

// lowest is the first of roles in their order.
func lowest(roles Role) Role { return roles & -roles }

// Bounds are the first and last readable record; every role sees them.
func (a *Access) Bounds() (first, last nerve.ID) { return a.queue.queue.Bounds() }

// Limits are the sizes that appends may have.
func (a *Access) Limits() nerve.Limits { return a.queue.log.Limits() }

// AppendAsync accepts a batch, as [nerve.Queue.AppendBatchAsync] does. It takes
// Append.
func (a *Access) AppendAsync(ctx context.Context, b *nerve.Batch) (nerve.Handle, error) {
	if err := a.Need(Append); err != nil {
		return nerve.Handle{}, err
	}
	if a.root.options.ReadOnly {
		return nerve.Handle{}, nerve.ErrReadOnly
	}
	return a.queue.queue.AppendBatchAsync(ctx, b)
}

// DedupWindow is how much the queue remembers of ids of appends; every role sees it.
func (a *Access) DedupWindow() nerve.DedupWindow { return a.queue.queue.DedupWindow() }

// LastAppended is that of [nerve.Repeatable]. It takes Append.
func (a *Access) LastAppended(ctx context.Context, producer uint64) (nerve.Appended, error) {
	if err := a.Need(Append); err != nil {
		return nerve.Appended{}, err
	}
	return a.queue.log.LastAppended(ctx, producer)
}

// Read returns a cursor, of which there are at most [Options.Readers] at a time:
// close it. It takes Read or Consume.
func (a *Access) Read(ctx context.Context, from nerve.ID) (nerve.Cursor, error) {
	if err := a.Need(Read | Consume); err != nil {
		return nil, err
	}
	if err := a.root.readers.Enter(a.principal.Share()); err != nil {
		a.root.Metrics.RefusedByLimits.Add(1)
		return nil, err
	}
	cur, err := a.queue.queue.Read(ctx, from)
	if err != nil {
		a.root.readers.Leave(a.principal.Share())
		return nil, a.root.Public(err)
	}
	return &cursor{Cursor: cur, root: a.root, lease: a.principal.lease,
		share: a.principal.Share()}, nil
}

// cursor gives its place back when it is closed, and reads nothing more when the
// lease of its reader has ended.
type cursor struct {
	nerve.Cursor
	root   *Queues
	lease  *Lease
	share  string
	closed atomic.Bool
}

// Next implements nerve.Cursor.
func (c *cursor) Next(ctx context.Context, b *nerve.Batch) error {
	err := c.Cursor.Next(ctx, b)
	if ended := c.lease.Err(); ended != nil {
		err = ended
	}
	if err != nil {
		return c.root.Public(err)
	}
	return nil
}

// Close implements nerve.Cursor.
func (c *cursor) Close() error {
	if !c.closed.Swap(true) {
		c.root.readers.Leave(c.share)
	}
	return c.Cursor.Close()
}

// Seek returns the first record at or after t. It takes Read, Consume or Admin.
func (a *Access) Seek(ctx context.Context, t time.Time) (nerve.ID, error) {
	if err := a.Need(Read | Consume | Admin); err != nil {
		return 0, err
	}
	id, err := a.queue.queue.Seek(ctx, t)
	return id, a.root.Public(err)
}

// Trim gives up the records below an id. It takes Admin.
func (a *Access) Trim(ctx context.Context, below nerve.ID) (nerve.ID, error) {
	if err := a.Need(Admin); err != nil {
		return 0, err
	}
	id, err := a.queue.queue.Trim(ctx, below)
	return id, a.root.Public(err)
}

// Pointers returns those of all consumers, by name. It takes Read, Consume or
// Admin.
func (a *Access) Pointers(ctx context.Context) ([]nerve.Pointer, error) {
	if err := a.Need(Read | Consume | Admin); err != nil {
		return nil, err
	}
	list, err := a.queue.log.Pointers(ctx)
	if err != nil {
		return nil, a.root.Public(err)
	}
	slices.SortFunc(list, func(x, y nerve.Pointer) int {
		if x.Name < y.Name {
			return -1
		}
		return 1
	})
	return list, nil
}

// SavePointers stores pointers of consumers. It takes Consume.
func (a *Access) SavePointers(ctx context.Context, pointers []nerve.Pointer) error {
	if err := a.Need(Consume); err != nil {
		return err
	}
	return a.savePointers(ctx, pointers)
}

func (a *Access) savePointers(ctx context.Context, pointers []nerve.Pointer) error {
	return a.root.Public(a.queue.claims.explain(a.queue.log.SavePointers(ctx, pointers)))
}

// MovePointer sets the pointer of a consumer that nobody has claimed, which is an
// OpenError else. It takes Admin.
func (a *Access) MovePointer(ctx context.Context, name string, id nerve.ID, hold bool) error {
	if err := a.Need(Admin); err != nil {
		return err
	}
	list, err := a.queue.log.Pointers(ctx)
	if err != nil {
		return a.root.Public(err)
	}
	p := nerve.Pointer{Name: name, ID: id, Hold: hold}
	for _, known := range list {
		if known.Name == name {
			p.Meta = known.Meta
		}
	}
	return a.savePointers(ctx, []nerve.Pointer{p})
}

// RemovePointer forgets a consumer that nobody has claimed. It takes Consume or
// Admin.
func (a *Access) RemovePointer(ctx context.Context, name string) error {
	if err := a.Need(Consume | Admin); err != nil {
		return err
	}
	return a.root.Public(a.queue.claims.explain(a.queue.log.RemovePointer(ctx, name)))
}

// Claim takes the name of a consumer for a client; where says to others who he
// is. A request with the nonce of the claim that holds gets it again; 0 is none.
// It takes Consume.
func (a *Access) Claim(
	ctx context.Context, name, where string, nonce uint64,
) (nerve.Claim, error) {
	if err := a.Need(Consume); err != nil {
		return nerve.Claim{}, err
	}
	if err := ctx.Err(); err != nil {
		return nerve.Claim{}, context.Cause(ctx)
	}
	claim, err := a.queue.claims.claim(ctx, name, where, nonce)
	return claim, a.root.Public(err)
}

// Renew begins the lease of a claim anew. After a restart of the server the epoch
// of what it returns is a new one. It takes Consume.
func (a *Access) Renew(
	ctx context.Context, claim nerve.Claim, where string,
) (nerve.Claim, error) {
	if err := a.Need(Consume); err != nil {
		return nerve.Claim{}, err
	}
	claim, err := a.queue.claims.renew(ctx, claim, where)
	return claim, a.root.Public(err)
}

// Release gives a claim up. It takes Consume.
func (a *Access) Release(ctx context.Context, claim nerve.Claim) error {
	if err := a.Need(Consume); err != nil {
		return err
	}
	return a.root.Public(a.queue.log.Release(ctx, claim))
}

// Info is what is known of a queue.
type Info struct {
	nerve.Stats
	Log      seglog.Stats
	Commits  Histogram
	Recovery seglog.Recovery
	Damage   []error // found so far
	Failed   error   // why it takes no appends, nil if it does
	Free     int64   // bytes on the disk, -1 if not known
	// Claimed says who has the consumers that somebody has, by name.
	Claimed map[string]string
	// Lags of the first consumers by name, at most MaxLags. Only [Root.Each] and
	// [Access.Lags] find them out: that reads a little of each.
	Lags []Lag
}

// MaxLags is of how many consumers of a queue the lag in bytes and time is found
// out at once.
const MaxLags = 64

// Lag is how far a consumer is behind.
type Lag struct {
	Name  string
	Bytes int64         // stored, after its pointer
	Age   time.Duration // age of the record after its pointer, 0 if there is none
}

// Lags returns those of the first consumers by name, at most MaxLags. It takes
// Read, Consume or Admin.
func (a *Access) Lags(ctx context.Context) ([]Lag, error) {
	info, err := a.Info()
	if err != nil {
		return nil, err
	}
	return a.queue.lags(ctx, info.Consumers), nil
}

func (q *queue) lags(ctx context.Context, consumers []nerve.ConsumerStats) []Lag {
	var lags []Lag
	for _, c := range consumers[:min(len(consumers), MaxLags)] {
		lags = append(lags, Lag{c.Name, q.log.BytesAfter(c.Pointer), q.age(ctx, c.Pointer+1)})
	}
	return lags
}

// age returns that of a record, 0 if there is none or it cannot be read.
func (q *queue) age(ctx context.Context, id nerve.ID) time.Duration {
	first, last := q.log.Bounds()
	if id = max(id, first); id > last {
		return 0
	}
	cur, err := q.log.Read(ctx, id)
	if err != nil {
		return 0
	}
	defer cur.Close()
	var b nerve.Batch
	if err := cur.Next(ctx, &b); err != nil {
		return 0
	}
	return max(0, time.Since(time.Unix(0, b.UnixNano)))
}

// Info describes the queue. It takes Read, Consume or Admin.
func (a *Access) Info() (Info, error) {
	if err := a.Need(Read | Consume | Admin); err != nil {
		return Info{}, err
	}
	return a.root.info(a.queue)
}

func (r *Queues) info(q *queue) (Info, error) {
	if err := q.log.Refresh(); err != nil {
		return Info{}, r.Public(err)
	}
	stats, err := q.queue.Stats()
	if err != nil {
		return Info{}, r.Public(err)
	}
	info := Info{
		Stats: stats, Log: q.log.Stats(), Commits: q.commits.snapshot(), Recovery: q.log.Recovery(),
		Failed: r.Public(q.log.Failed()), Free: -1, Claimed: make(map[string]string),
	}
	for _, d := range q.log.Damage() {
		info.Damage = append(info.Damage, r.Public(d))
	}
	if free, ok := freeSpace(r.dir); ok {
		info.Free = free
	}
	for i := range info.Consumers {
		c := &info.Consumers[i]
		if where := q.claims.holderOf(c.Name); where != "" {
			info.Claimed[c.Name], c.Open = where, true
		}
	}
	return info, nil
}

// Each calls f with what is known of each open queue, by name: for metrics, which
// are the server's and no principal's.
func (r *Queues) Each(ctx context.Context, f func(name string, info Info)) {
	for _, q := range r.all() {
		q.mu.Lock()
		open := q.queue != nil
		q.mu.Unlock()
		if !open {
			continue
		}
		if info, err := r.info(q); err == nil {
			info.Lags = q.lags(ctx, info.Consumers)
			f(q.name, info)
		}
	}
}

// BytesAfter is how many stored bytes come after a record: a lag in bytes. It
// takes Read, Consume or Admin.
func (a *Access) BytesAfter(id nerve.ID) (int64, error) {
	if err := a.Need(Read | Consume | Admin); err != nil {
		return 0, err
	}
	return a.queue.log.BytesAfter(id), nil
}
