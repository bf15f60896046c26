package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/remote"
	"github.com/octopus-framework/octopus/nerve/seglog"
)

const (
	eventSize = 325 // bytes
	packSize  = 1000
	inFlight  = 8 // packs that are appended without waiting for the one before
)

type lab struct {
	size sizes
	dir  string
	say  func(name string, value float64, unit, goal string)
}

func pack() *nerve.Batch {
	rng := rand.New(rand.NewPCG(1, 2))
	b := new(nerve.Batch)
	event := make([]byte, eventSize)
	for range packSize {
		for i := range event {
			event[i] = byte(rng.IntN(256))
		}
		b.Append(event)
	}
	return b
}

// folder is a new one for a server or a log.
func (l *lab) folder(name string) (string, error) {
	dir := filepath.Join(l.dir, name)
	return dir, os.MkdirAll(dir, 0o755)
}

// with runs work with a server of a new folder.
func (l *lab) with(name string, secure bool, work func(p *process) error) error {
	dir, err := l.folder(name)
	if err != nil {
		return err
	}
	p, err := start(dir, secure)
	if err != nil {
		return err
	}
	return errors.Join(work(p), p.stop(), os.RemoveAll(dir))
}

// memory is what a server takes that has nothing to do.
func (l *lab) memory() error {
	return l.with("idle", false, func(p *process) error {
		log, err := p.open("events")
		if err != nil {
			return err
		}
		defer log.Close()
		if _, err := log.Append(context.Background(), pack()); err != nil {
			return err
		}
		rss, err := p.resident()
		l.say("memory of an idle server, one queue", rss, "MiB", "goal: below 40")
		return err
	})
}

// packs compares durable packs, one after the other and some in flight.
func (l *lab) packs() error {
	b := pack()
	single := func(q *nerve.Queue) error {
		for range l.size.Packs {
			if _, err := q.AppendBatch(context.Background(), b); err != nil {
				return err
			}
		}
		return nil
	}
	flight := func(q *nerve.Queue) error {
		var handles []nerve.Handle
		for range l.size.Packs {
			h, err := q.AppendBatchAsync(context.Background(), b)
			if err != nil {
				return err
			}
			if handles = append(handles, h); len(handles) > inFlight {
				if _, err := handles[0].Wait(context.Background()); err != nil {
					return err
				}
				handles = handles[1:]
			}
		}
		for _, h := range handles {
			if _, err := h.Wait(context.Background()); err != nil {
				return err
			}
		}
		return nil
	}
	for _, way := range []struct {
		name string
		work func(*nerve.Queue) error
	}{{"one after the other", single}, {fmt.Sprint(inFlight, " in flight"), flight}} {
		var local, far, ratio []float64
		for round := range l.size.Rounds {
			here, there, err := l.packRound(round, way.work)
			if err != nil {
				return err
			}
			local, far, ratio = append(local, here), append(far, there), append(ratio, there/here)
		}
		l.say("packs of 1000, local, "+way.name, median(local)/1e6, "M/s", "")
		l.say("packs of 1000, remote, "+way.name, median(far)/1e6, "M/s", "")
		l.say("packs of 1000, remote to local, "+way.name, median(ratio), "", "goal: 0.7")
	}
	return nil
}

func (l *lab) packRound(round int, work func(*nerve.Queue) error) (local, far float64, err error) {
	here := func() error {
		log, err := seglog.Open(filepath.Join(l.dir, "local"), seglog.Options{})
		if err != nil {
			return err
		}
		q := nerve.New(log, nerve.Options{})
		local, err = rate(l.size.Packs*packSize, func() error { return work(q) })
		return errors.Join(err, q.Close(), os.RemoveAll(filepath.Join(l.dir, "local")))
	}
	there := func() error {
		return l.with("packs", false, func(p *process) error {
			log, err := p.open("events")
			if err != nil {
				return err
			}
			q := nerve.New(log, nerve.Options{})
			far, err = rate(l.size.Packs*packSize, func() error { return work(q) })
			return errors.Join(err, q.Close())
		})
	}
	if round%2 == 1 {
		here, there = there, here
	}
	err = here()
	if err == nil {
		err = there()
	}
	return local, far, err
}

// rate is how many a second work does.
func rate(n int, work func() error) (float64, error) {
	began := time.Now()
	err := work()
	return float64(n) / time.Since(began).Seconds(), err
}

// singles appends one event after the other over each of many connections.
func (l *lab) singles() error {
	var rates, p99s, memory []float64
	for range l.size.Rounds {
		err := l.with("singles", false, func(p *process) error {
			logs := make([]*remote.Log, l.size.Connections)
			for i := range logs {
				var err error
				if logs[i], err = p.open("events"); err != nil {
					return err
				}
			}
			took, perSecond, err := l.appendSingles(logs)
			rss, rssErr := p.resident()
			for _, log := range logs {
				log.Close()
			}
			slices.Sort(took)
			rates = append(rates, perSecond)
			p99s = append(p99s, took[len(took)*99/100].Seconds()*1e3)
			memory = append(memory, rss)
			return errors.Join(err, rssErr)
		})
		if err != nil {
			return err
		}
	}
	name := fmt.Sprintf("single events of %d connections", l.size.Connections)
	l.say(name, median(rates)/1e3, "k/s", "goal: 200")
	l.say(name+", p99", median(p99s), "ms", "goal: 15")
	l.say(name+", memory of the server", median(memory), "MiB", "")
	return nil
}

func (l *lab) appendSingles(logs []*remote.Log) ([]time.Duration, float64, error) {
	took := make([]time.Duration, len(logs)*l.size.Singles)
	errs := make([]error, len(logs))
	var all sync.WaitGroup
	began := time.Now()
	for i, log := range logs {
		all.Go(func() {
			var b nerve.Batch
			b.Append(make([]byte, eventSize))
			for n := range l.size.Singles {
				at := time.Now()
				if _, errs[i] = log.Append(context.Background(), &b); errs[i] != nil {
					return
				}
				took[i*l.size.Singles+n] = time.Since(at)
			}
		})
	}
	all.Wait()
	return took, float64(len(took)) / time.Since(began).Seconds(), errors.Join(errs...)
}

// readers reads everything with one cursor, in the page cache.
func (l *lab) readers() error {
	for _, secure := range []bool{false, true} {
		var rates []float64
		err := l.with("read", secure, func(p *process) error {
			log, err := p.open("events")
			if err != nil {
				return err
			}
			defer log.Close()
			b := pack()
			for range l.size.Read / packSize {
				if _, err := log.Append(context.Background(), b); err != nil {
					return err
				}
			}
			for range l.size.Rounds + 1 {
				perSecond, err := rate(l.size.Read, func() error { return readAll(log, l.size.Read) })
				if err != nil {
					return err
				}
				rates = append(rates, perSecond)
			}
			return nil
		})
		if err != nil {
			return err
		}
		name, goal := "one reader", "goal: 3.5"
		if secure {
			name, goal = "one reader over TLS", "goal: 1.5"
		}
		l.say(name, median(rates[1:])/1e6, "M/s", goal) // the first one warms up
	}
	return nil
}

func readAll(log nerve.Log, n int) error {
	ctx := context.Background()
	cur, err := log.Read(ctx, 1)
	if err != nil {
		return err
	}
	defer cur.Close()
	var b nerve.Batch
	sum := 0
	for seen := 0; seen < n; seen += b.Len() {
		if err := cur.Next(ctx, &b); err != nil {
			return err
		}
		for rec := range b.All() {
			sum += int(rec.Data[0])
		}
	}
	if sum == 0 {
		return errors.New("the records are empty")
	}
	return nil
}

// ready is how long a server takes to listen, its process included, with a large
// queue.
func (l *lab) ready() error {
	dir, err := l.folder("big")
	if err != nil {
		return err
	}
	log, err := seglog.Open(filepath.Join(dir, "events"),
		seglog.Options{Durability: seglog.SyncNever})
	if err != nil {
		return err
	}
	b := pack()
	for stored := 0; err == nil && stored < l.size.BigMiB<<20; stored += b.Size() {
		_, err = log.Append(context.Background(), b)
	}
	if err = errors.Join(err, log.Close()); err != nil {
		return err
	}
	var took []float64
	for range l.size.Rounds {
		p, err := start(dir, false)
		if err != nil {
			return err
		}
		took = append(took, p.took.Seconds()*1e3)
		if err := p.stop(); err != nil {
			return err
		}
	}
	l.say(fmt.Sprintf("ready with %d MiB", l.size.BigMiB), median(took), "ms", "goal: 100")
	return os.RemoveAll(dir)
}
