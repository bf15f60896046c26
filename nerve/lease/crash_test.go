package lease_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/lease"
	"github.com/octopus-framework/octopus/nerve/seglog"
	"github.com/octopus-framework/octopus/nerve/vfs"
)

// crashLives is how often a disk crashes in TestCrashSimulation.
const crashLives = 4

// TestCrashSimulation ends everybody at once, on a disk that loses what is not synced: what was
// acknowledged and saved is not given out again, everything else is, attempts that were saved
// count, and no lease from before is heard.
func TestCrashSimulation(t *testing.T) {
	for seed := range uint64(150) {
		if err := simulate(rand.New(rand.NewPCG(seed, 2))); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
}

// TestSimulationNotices shows that the simulation can fail: where saves do nothing, something is
// given out that must not be.
func TestSimulationNotices(t *testing.T) {
	defer func(before func(*nerve.Consumer) error) { save = before }(save)
	save = func(*nerve.Consumer) error { return nil }
	for seed := range uint64(20) {
		if simulate(rand.New(rand.NewPCG(seed, 2))) != nil {
			return
		}
	}
	t.Fatal("20 seeds without saves, and nothing was missed")
}

var save = func(c *nerve.Consumer) error { return c.Save(context.Background()) }

// seen is what is known of a record over crashes.
type seen struct {
	acked, saved   bool // acknowledged, and that was saved
	attempt, tried int  // attempts that were made, and those that were saved
}

// life is the time between two crashes.
type life struct {
	random  *rand.Rand
	queue   *nerve.Queue
	c       *nerve.Consumer
	d       *lease.Dispatcher
	workers []lease.Worker
	held    []lease.Lease // held[i] is with workers[owner[i]]
	owner   []int
}

func simulate(random *rand.Rand) error {
	disk := new(vfs.Mem)
	records := map[nerve.ID]*seen{}
	var old []lease.Lease
	for range crashLives {
		l, err := begin(disk, random)
		if err != nil {
			return err
		}
		if err := l.live(records, old); err != nil {
			return err
		}
		if err := l.all(records); err != nil {
			return err
		}
		old = append(old, l.held...)
		after := disk.Crash(random)
		if err := l.d.Close(); err != nil {
			return err
		}
		if err := l.queue.Close(); err != nil {
			return err
		}
		disk = after
		for _, s := range records {
			s.acked, s.attempt = s.saved, s.tried
		}
	}
	return nil
}

// begin opens the queue of a disk.
func begin(disk *vfs.Mem, random *rand.Rand) (*life, error) {
	log, err := seglog.Open("q", seglog.Options{FS: disk, NoSpare: true, SegmentSize: 1 << 16})
	if err != nil {
		return nil, err
	}
	l := &life{random: random, queue: nerve.New(log, nerve.Options{SaveInterval: time.Hour})}
	if l.c, err = l.queue.Consumer("all", nerve.ConsumerOptions{}); err != nil {
		return nil, err
	}
	if l.d, err = lease.New(l.c, lease.Options{Duration: time.Hour}); err != nil {
		return nil, err
	}
	for i := range 2 {
		w, err := l.d.Join(fmt.Sprint(i), 0)
		if err != nil {
			return nil, err
		}
		l.workers = append(l.workers, w)
	}
	return l, nil
}

// live does at random what workers do.
func (l *life) live(records map[nerve.ID]*seen, old []lease.Lease) error {
	ctx := context.Background()
	for _, late := range old {
		var gone *nerve.LeaseError
		if err := l.workers[0].Ack(ctx, late); !errors.As(err, &gone) {
			return fmt.Errorf("a lease from before the crash was heard: %w", err)
		}
	}
	for range 10 + l.random.IntN(60) {
		switch n := l.random.IntN(10); {
		case n < 3:
			id, err := l.queue.Append(ctx, []byte("x"))
			if err != nil {
				return err
			}
			records[id] = &seen{}
		case n < 6:
			if err := l.take(records, 1+l.random.IntN(3)); err != nil {
				return err
			}
		case n < 9 && len(l.held) > 0:
			i := l.random.IntN(len(l.held))
			s, w := records[l.held[i].ID], l.workers[l.owner[i]]
			var err error
			if s.acked = n < 8; s.acked {
				err = w.Ack(ctx, l.held[i])
			} else {
				err = w.Fail(ctx, l.held[i], 0)
			}
			if err != nil {
				return err
			}
			l.forget(i)
		case n == 9:
			if err := save(l.c); err != nil {
				return err
			}
			for _, s := range records {
				s.saved, s.tried = s.acked, s.attempt
			}
		}
	}
	return nil
}

func (l *life) forget(i int) {
	l.held[i], l.owner[i] = l.held[len(l.held)-1], l.owner[len(l.held)-1]
	l.held, l.owner = l.held[:len(l.held)-1], l.owner[:len(l.owner)-1]
}

// take takes records if one must be there, and compares them with what is known.
func (l *life) take(records map[nerve.ID]*seen, most int) error {
	open := len(records) - len(l.held)
	for _, s := range records {
		if s.acked {
			open--
		}
	}
	if open == 0 {
		return nil
	}
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	i := l.random.IntN(len(l.workers))
	leases, err := l.workers[i].Take(ctx, most)
	if err != nil {
		return fmt.Errorf("%d records are open: %w", open, err)
	}
	for _, got := range leases {
		s := records[got.ID]
		if s == nil || s.acked {
			return fmt.Errorf("record %d was given out again: %+v", got.ID, s)
		}
		if got.Attempt <= s.tried {
			return fmt.Errorf("record %d at attempt %d after %d", got.ID, got.Attempt, s.tried)
		}
		s.attempt = got.Attempt
		l.held, l.owner = append(l.held, got), append(l.owner, i)
	}
	return nil
}

// all takes everything that is there.
func (l *life) all(records map[nerve.ID]*seen) error {
	open := 0
	for _, s := range records {
		if !s.acked {
			open++
		}
	}
	for len(l.held) < open {
		if err := l.take(records, 100); err != nil {
			return err
		}
	}
	return nil
}
