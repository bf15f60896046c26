package seglog_test

import (
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/seglog"
	"github.com/octopus-framework/octopus/nerve/vfs"
)

var (
	simSeeds = flag.Int("seeds", 4000, "how many seeds TestCrashSimulation runs")
	simSeed  = flag.Int64("seed", -1, "the one seed that TestCrashSimulation replays")
)

// TestCrashSimulation runs random workloads on a disk that crashes at a random
// operation, opens the log again and compares it with what was promised.
func TestCrashSimulation(t *testing.T) {
	if *simSeed >= 0 {
		if err := simulate(uint64(*simSeed), nil, nil); err != nil {
			t.Fatal(err)
		}
		return
	}
	seeds := *simSeeds
	if testing.Short() || raceEnabled {
		seeds = min(seeds, 1000)
	}
	stats := new(simStats)
	if failed, err := simulateAll(seeds, nil, stats); err != nil {
		t.Fatalf("%v\nreplay with: go test ./nerve/seglog -run TestCrashSimulation -seed %d", err,
			failed)
	}
	t.Logf("%d appends, %d of them direct, %d logs met refusals, %d bytes read from memory",
		stats.appends, stats.direct, stats.refused, stats.fromMem)
	if seeds >= 100 && (stats.direct < stats.appends/4 || stats.direct > stats.appends*9/10 ||
		stats.refused == 0 || stats.fromMem == 0) {
		t.Fatal("the simulation does not go both ways")
	}
}

// TestSimulationNoticesLies shows that the simulation can fail: on a disk whose
// Sync does nothing, some seed must lose a record.
func TestSimulationNoticesLies(t *testing.T) {
	lie := func(disk vfs.FS) vfs.FS { return lyingFS{disk} }
	if _, err := simulateAll(200, lie, nil); err == nil {
		t.Fatal("200 seeds on a disk that never syncs, and nothing was missed")
	}
}

type lyingFS struct{ vfs.FS }

type lyingFile struct{ vfs.File }

func (lyingFile) Sync() error { return nil }

func (l lyingFS) Create(path string) (vfs.File, error) {
	f, err := l.FS.Create(path)
	return lyingFile{f}, err
}

func (l lyingFS) Open(path string) (vfs.File, error) {
	f, err := l.FS.Open(path)
	if err != nil {
		return nil, err
	}
	return lyingFile{f}, nil
}

func simulateAll(
	seeds int, wrap func(vfs.FS) vfs.FS, stats *simStats,
) (failed int64, err error) {
	var next atomic.Int64
	var once sync.Once
	var all sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		all.Add(1)
		go func() {
			defer all.Done()
			for seed := next.Add(1) - 1; seed < int64(seeds); seed = next.Add(1) - 1 {
				if bad := simulate(uint64(seed), wrap, stats); bad != nil {
					once.Do(func() { failed, err = seed, bad })
					next.Store(int64(seeds))
				}
			}
		}()
	}
	all.Wait()
	return failed, err
}

var errCrash = errors.New("the machine is down")

// crasher lets a number of operations pass and fails all after it. The write
// that it hits is done in part.
type crasher struct {
	left int
	down bool
	rng  *rand.Rand
	// refusals lets the disk refuse some of what direct writes need, writes
	// after a part of them too.
	refusals bool
}

func (c *crasher) Inject(op vfs.Op, _ string, n int) (int, error) {
	if c.down {
		return 0, errCrash
	}
	if c.refusals && (op == vfs.OpWriteDirect || op == vfs.OpOpenDirect || op == vfs.OpMemory) &&
		c.rng.IntN(12) == 0 {
		return c.rng.IntN(n + 1), vfs.ErrNoDirect
	}
	if op == vfs.OpRead || op == vfs.OpOpen || op == vfs.OpList {
		return 0, nil
	}
	if c.left--; c.left >= 0 {
		return 0, nil
	}
	c.down = true
	return c.rng.IntN(n + 1), errCrash
}

// sim is one simulated machine and what its log promised.
type sim struct {
	rng     *rand.Rand
	disk    *vfs.Mem
	wrap    func(vfs.FS) vfs.FS
	options seglog.Options
	crash   *crasher
	log     *seglog.Log
	shorts  bool // direct writes may be short
	stats   *simStats

	content [][]byte          // by id-1, everything that was ever tried
	ends    map[nerve.ID]bool // where a batch may end
	acked   nerve.ID          // the last one acknowledged
	durable nerve.ID          // the last one that must survive a power cut
	low     nerve.ID          // trimmed below, for certain
	lowMax  nerve.ID          // perhaps trimmed below
	saved   map[string]simPointer
	tried   map[string][]simPointer // since saved

	producers [3]simProducer
	once      []simAppend // the last appends with ids
}

// simPointer is what is saved of a consumer.
type simPointer struct {
	id       nerve.ID
	progress nerve.Progress
}

// upTo is p as a log has it that lost the records after last.
func (p simPointer) upTo(last nerve.ID) simPointer {
	clamped := nerve.Pointer{ID: p.id, Progress: p.progress}
	clamped.Clamp(last)
	return simPointer{clamped.ID, clamped.Progress}
}

func simulate(seed uint64, wrap func(vfs.FS) vfs.FS, stats *simStats) (err error) {
	rng := rand.New(rand.NewPCG(seed, 77))
	s := &sim{
		rng: rng, disk: new(vfs.Mem), wrap: wrap, stats: stats,
		ends: map[nerve.ID]bool{0: true}, low: 1, lowMax: 1,
		saved: map[string]simPointer{}, tried: map[string][]simPointer{},
		options: seglog.Options{
			Durability:  seglog.Durability(rng.IntN(5) % 3), // SyncAlways twice as often
			SyncEvery:   time.Hour,
			SegmentSize: int64(4096 << rng.IntN(3)),
			MaxRecord:   5000, MaxBatch: 20_000,
			CompressMin: 64,
			Dedup:       nerve.DedupWindow{IDs: simWindow},
			NoSpare:     true, // background work would make seeds differ from run to run
		},
	}
	if rng.IntN(3) == 0 {
		s.options.Compression = seglog.Compression(rng.IntN(4))
	}
	s.chooseDirect()
	if rng.IntN(2) == 0 {
		s.options.SetFirstSegment(4096) // and then they grow
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("seed %d, %+v: %w", seed, s.options.Durability, err)
		}
	}()
	for generation := range 2 + rng.IntN(4) {
		if err := s.generation(); err != nil {
			return fmt.Errorf("generation %d: %w", generation, err)
		}
	}
	return nil
}

// chooseDirect decides which appends bypass the cache: by their sizes, which is
// none, all, or some at random. Segments may be larger than the memory then. On a
// disk that does not sync none do: it would notice at once that writes mix.
func (s *sim) chooseDirect() {
	if always := s.rng.IntN(3) == 0; s.wrap == nil && s.rng.IntN(4) > 0 {
		s.options.Durability = seglog.SyncAlways // the only mode that has it
		s.options.SetDirect(int64((32+4*s.rng.IntN(5))<<10), func() bool {
			return always || s.rng.IntN(3) > 0
		})
		s.options.SegmentSize = 4096 << s.rng.IntN(7)
		s.shorts = s.rng.IntN(3) == 0
	}
}

// generation runs one process from open to crash.
func (s *sim) generation() error {
	s.crash = &crasher{left: s.rng.IntN(1 << (1 + s.rng.IntN(8))), rng: s.rng}
	s.crash.refusals = s.rng.IntN(4) == 0
	if s.shorts {
		s.disk.SetShortWrites(func(n int) int { return 1 + s.rng.IntN(n) })
	}
	if err := s.open(); err != nil {
		return err
	}
	for !s.crash.down {
		if err := s.step(); err != nil && !s.crash.down {
			return err
		}
	}
	if s.log != nil {
		s.note()
		s.log.Close() // whatever it says: the disk is gone
		s.log = nil
	}
	if s.rng.IntN(4) == 0 {
		s.disk = s.disk.Kill()
	} else {
		s.disk = s.disk.Crash(s.rng)
		s.acked = s.durable
	}
	return nil
}

func (s *sim) open() error {
	var disk vfs.FS = s.disk
	if s.wrap != nil {
		disk = s.wrap(disk)
	}
	s.options.FS = vfs.WithFaults(disk, s.crash)
	l, err := seglog.Open("log", s.options)
	if s.crash.down {
		if err == nil {
			l.Close()
		}
		return nil
	}
	if err != nil {
		return fmt.Errorf("open: %w", err)
	}
	s.log = l
	return s.check()
}

// check compares an opened log with the promises, and takes over what of the
// open questions it answered.
func (s *sim) check() error {
	first, last := s.log.Bounds()
	switch {
	case last < s.acked:
		return fmt.Errorf("the log ends at %d, but %d was acknowledged", last, s.acked)
	case last > nerve.ID(len(s.content)) || !s.ends[last]:
		return fmt.Errorf("the log ends at %d, where no batch ended", last)
	case first < s.low || first > s.lowMax:
		return fmt.Errorf("the log begins at %d, trimmed was %d to %d", first, s.low, s.lowMax)
	}
	for p := range s.producers {
		if err := s.producers[p].check(s.log, last); err != nil {
			return err
		}
	}
	if damage := s.log.Damage(); len(damage) > 0 {
		return fmt.Errorf("a crash is taken for damage: %w", damage[0])
	}
	if err := s.readAll(first, last); err != nil {
		return err
	}
	pointers, err := s.log.Pointers(context.Background())
	if err != nil {
		return err
	}
	have := map[string]simPointer{}
	for _, p := range pointers {
		have[p.Name] = simPointer{p.ID, p.Progress}
	}
	for _, name := range simNames {
		got, ok := have[name]
		if err := s.checkPointer(name, got, ok, last); err != nil {
			return err
		}
		if delete(s.saved, name); ok {
			s.saved[name] = got
		}
		s.tried[name] = nil
	}
	for id := last + 1; id <= nerve.ID(len(s.content)); id++ {
		delete(s.ends, id)
	}
	s.content = s.content[:last]
	s.acked, s.durable, s.low, s.lowMax = last, last, first, first
	for i := range s.once {
		if a := &s.once[i]; a.first+nerve.ID(a.batch.Len())-1 > last {
			a.first = 0
		}
	}
	if err := s.repeatOnce(); s.crash.down {
		return nil
	} else if err != nil {
		return err
	}
	// What a producer does that does not know how far it came.
	for p := range s.producers {
		if err := s.repeat(&s.producers[p]); s.crash.down {
			return nil
		} else if err != nil {
			return err
		}
	}
	return nil
}

func (s *sim) checkPointer(name string, got simPointer, ok bool, last nerve.ID) error {
	saved, known := s.saved[name]
	if !ok {
		if known {
			return fmt.Errorf("the pointer of %s is gone, it was %v", name, saved)
		}
		return nil
	}
	allowed := append([]simPointer{saved}, s.tried[name]...)
	for _, p := range allowed {
		// Beyond the end only where appends were not synced first.
		if got == p || got == p.upTo(last) && s.options.Durability == seglog.SyncNever {
			return nil
		}
	}
	return fmt.Errorf("the pointer of %s is %v, saved or tried were %v", name, got, allowed)
}

func (s *sim) readAll(first, last nerve.ID) error {
	cur, err := s.log.Read(context.Background(), first)
	if err != nil {
		return err
	}
	defer cur.Close()
	var b nerve.Batch
	for next := first; next <= last; next = b.Last() + 1 {
		if err := cur.Next(context.Background(), &b); err != nil {
			return fmt.Errorf("read at %d of %d: %w", next, last, err)
		}
		if b.First != next {
			return fmt.Errorf("read at %d yielded %d", next, b.First)
		}
		for rec := range b.All() {
			if string(rec.Data) != string(s.content[rec.ID-1]) {
				return fmt.Errorf("record %d holds something else", rec.ID)
			}
		}
	}
	return nil
}

var simNames = []string{"a", "b", "c"}

// step does one random thing.
func (s *sim) step() error {
	switch n := s.rng.IntN(100); {
	case n < 57:
		return s.append()
	case n < 58:
		return s.repeatOnce()
	case n < 60:
		return s.repeat(&s.producers[s.rng.IntN(len(s.producers))])
	case n < 65:
		last := s.acked
		if err := s.log.Sync(); err != nil {
			return err
		}
		s.durable = last
	case n < 80:
		return s.savePointer()
	case n < 87:
		return s.trim()
	case n < 92:
		first, last := s.log.Bounds()
		from := first + nerve.ID(s.rng.Uint64N(uint64(last-first+2)))
		return s.readAll(from, last)
	case n < 98:
		s.note()
		last := s.acked
		err := s.log.Close()
		s.log = nil
		if err == nil {
			s.durable = last
		} else if !s.crash.down {
			return err
		}
		return s.open()
	default:
		s.crash.down = true // between two operations
	}
	return nil
}

func (s *sim) append() error {
	var b nerve.Batch
	for range 1 + s.rng.IntN(1<<s.rng.IntN(5)) {
		size := s.rng.IntN(1 << s.rng.IntN(10))
		if s.rng.IntN(50) == 0 {
			size = 5000 - s.rng.IntN(2000)
		}
		data := make([]byte, size)
		for i := range data {
			data[i] = byte(s.rng.IntN(5)) // compressible
		}
		if b.Size()+len(data)+4 > 20_000 {
			break
		}
		b.Append(data)
	}
	if p := s.rng.IntN(2 * len(s.producers)); p < len(s.producers) {
		b.Key = s.producers[p].key(s.rng, p, &b, s.acked+1)
	} else if s.rng.IntN(2) == 0 {
		s.giveIDs(&b)
	}
	return s.appendNew(&b)
}

// giveIDs gives one or two parts of b ids, and leaves some records without.
func (s *sim) giveIDs(b *nerve.Batch) {
	all := slices.Collect(b.All())
	b.Reset()
	for at := 0; at < len(all); {
		part := new(nerve.Batch)
		n := 1 + s.rng.IntN(len(all)-at)
		for _, rec := range all[at : at+n] {
			part.Append(rec.Data)
		}
		if s.rng.IntN(3) > 0 {
			part.Once(nerve.DedupIDOf(binary.LittleEndian.AppendUint64(nil, s.rng.Uint64())))
			s.once = append(s.once, simAppend{batch: part, first: s.acked + 1 + nerve.ID(at)})
		}
		b.AppendBatch(part)
		at += n
	}
	s.once = s.once[max(0, len(s.once)-simWindow):]
}

// simWindow is how many appends with ids the log remembers.
const simWindow = 20

// repeatOnce appends again what had ids, all of it in one batch: what is there
// stays, once, and what a power cut took comes back behind it.
func (s *sim) repeatOnce() error {
	var b nerve.Batch
	var lost nerve.Batch // what comes back
	again := slices.Clone(s.once)
	for i := range again {
		a := &again[i]
		if b.Size()+a.batch.Size() > 20_000 {
			again = again[:i]
			break
		}
		b.AppendBatch(a.batch)
		if a.first == 0 {
			s.once[i].first = s.acked + 1 + nerve.ID(lost.Len())
			a.first = s.once[i].first
			lost.AppendBatch(a.batch)
		}
	}
	if b.Len() == 0 {
		return nil
	}
	if lost.Len() > 0 {
		s.expectNew(&lost)
	}
	if _, err := s.log.Append(context.Background(), &b); err != nil {
		return err
	}
	if lost.Len() > 0 {
		s.appended()
	}
	for i, p := range b.Parts() {
		if p.Stored.First != again[i].first {
			return fmt.Errorf("append %d with an id repeated is at %d, want %d", i, p.Stored.First,
				again[i].first)
		}
	}
	if _, last := s.log.Bounds(); last != s.acked {
		return fmt.Errorf("after repeated appends with ids the log ends at %d, want %d", last,
			s.acked)
	}
	return nil
}

// appendNew appends a batch that is not in the log.
func (s *sim) appendNew(b *nerve.Batch) error {
	s.expectNew(b)
	first, err := s.log.Append(context.Background(), b)
	if err != nil {
		return err
	}
	if first != s.acked+1 {
		return fmt.Errorf("append of %v got %d, want %d", b.Key, first, s.acked+1)
	}
	s.appended()
	return nil
}

// expectNew notes what is about to be appended.
func (s *sim) expectNew(b *nerve.Batch) {
	// What a failed append left is decided by the next open alone.
	s.content = s.content[:s.acked]
	for rec := range b.All() {
		s.content = append(s.content, rec.Data)
	}
	s.ends[nerve.ID(len(s.content))] = true
}

// appended notes that it is in the log.
func (s *sim) appended() {
	s.acked = nerve.ID(len(s.content))
	if s.options.Durability == seglog.SyncAlways {
		s.durable = s.acked
	}
}

func (s *sim) savePointer() error {
	if s.acked == 0 {
		return nil
	}
	name := simNames[s.rng.IntN(len(simNames))]
	p := nerve.Pointer{Name: name, ID: 1 + nerve.ID(s.rng.Uint64N(uint64(s.acked)))}
	most := s.rng.IntN(1 << s.rng.IntN(12)) // in the slot, beside it, or none
	p.Progress = nerve.MakeProgress(func(yield func(nerve.Span) bool) {
		for id := p.ID + 2; id <= s.acked && most > 0; id += 2 + nerve.ID(s.rng.IntN(3)) {
			most--
			if !yield(nerve.Span{First: id, Last: id, Attempts: uint32(s.rng.IntN(3))}) {
				return
			}
		}
	})
	now := simPointer{p.ID, p.Progress}
	s.tried[name] = append(s.tried[name], now)
	if err := s.log.SavePointers(context.Background(), []nerve.Pointer{p}); err != nil {
		return err
	}
	s.saved[name], s.tried[name] = now, nil
	if s.options.Durability == seglog.SyncInterval {
		s.durable = max(s.durable, p.Highest())
	}
	return nil
}

func (s *sim) trim() error {
	below := s.low + nerve.ID(s.rng.Uint64N(uint64(s.acked-s.low+2)))
	s.lowMax = max(s.lowMax, below)
	low, err := s.log.Trim(context.Background(), below)
	if err != nil {
		return err
	}
	if low != max(below, s.low) {
		return fmt.Errorf("trim below %d left %d", below, low)
	}
	s.low, s.lowMax = low, low
	return nil
}

// simProducer is what a producer with keys sent, the newest last.
type simProducer struct {
	seq  uint64
	sent []simAppend
}

type simAppend struct {
	key   nerve.Key
	batch *nerve.Batch
	first nerve.ID // where it is, or was about to be; 0 if it is not in the log
}

// key gives the next key to b, which is about to be appended at first.
func (p *simProducer) key(rng *rand.Rand, number int, b *nerve.Batch, first nerve.ID) nerve.Key {
	p.seq += 1 + uint64(rng.IntN(3))
	key := nerve.Key{Producer: uint64(number + 1), Seq: p.seq}
	kept := new(nerve.Batch)
	kept.AppendBatch(b)
	p.sent = append(p.sent, simAppend{key, kept, first})
	if len(p.sent) > nerve.RememberedAppends {
		p.sent = p.sent[1:]
	}
	return key
}

// check finds out what an opened log that ends at last has of a producer, and
// that the log knows it too.
func (p *simProducer) check(log *seglog.Log, last nerve.ID) error {
	for i := range p.sent {
		a := &p.sent[i]
		end := a.first + nerve.ID(a.batch.Len()) - 1
		if end > last {
			a.first = 0
		}
	}
	for _, a := range slices.Backward(p.sent) {
		if a.first == 0 {
			continue
		}
		got, err := log.LastAppended(context.Background(), a.key.Producer)
		if err != nil || got.Key != a.key || got.First != a.first {
			return fmt.Errorf("the last append is %+v, %v; want %v at %d", got, err, a.key, a.first)
		}
		break
	}
	return nil
}

// repeat appends again what a producer sent: what is there stays, once, and what
// a power cut took comes back.
func (s *sim) repeat(p *simProducer) error {
	for i := range p.sent {
		a := &p.sent[i]
		var b nerve.Batch
		b.AppendBatch(a.batch)
		b.Key = a.key
		if a.first == 0 {
			a.first = s.acked + 1
			if err := s.appendNew(&b); err != nil {
				return err
			}
			continue
		}
		first, err := s.log.Append(context.Background(), &b)
		if err != nil {
			return err
		}
		if _, last := s.log.Bounds(); first != a.first || last != s.acked {
			return fmt.Errorf("%v repeated got %d, want %d; the log ends at %d, want %d",
				a.key, first, a.first, last, s.acked)
		}
	}
	return nil
}

// simStats is what all simulated logs did together: a simulation that never takes
// a path proves nothing of it.
type simStats struct {
	mu                                sync.Mutex
	appends, direct, refused, fromMem uint64
}

// note adds up what the log did that is about to be given up.
func (s *sim) note() {
	if s.stats == nil {
		return
	}
	of := s.log.Stats()
	s.stats.mu.Lock()
	defer s.stats.mu.Unlock()
	s.stats.appends += of.Appends
	s.stats.direct += of.DirectAppends
	s.stats.fromMem += of.TailReadBytes
	if of.DirectRefused != "" {
		s.stats.refused++
	}
}
