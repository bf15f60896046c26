// Package place opens queues for the components of one process.
package place

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"

	"go.uber.org/zap"
	"go.uber.org/zap/exp/zapslog"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/remote"
	"github.com/octopus-framework/octopus/nerve/seglog"
)

// Signal stands in an address for the signal of a pipeline: logs, metrics or traces.
const Signal = "{signal}"

// Check says what is wrong with an address.
func Check(address string) error {
	scheme, _, url := strings.Cut(address, "://")
	switch {
	case address == "":
		return errors.New("queue is empty: name a folder, or nerve://HOST:PORT/QUEUE")
	case !strings.Contains(address, Signal):
		return fmt.Errorf("queue %s holds no %s: each signal has a queue of its own", address, Signal)
	case url && scheme != "nerve" && scheme != "nerves":
		return fmt.Errorf("queue %s: there are folders, nerve:// and nerves://", address)
	}
	return nil
}

// Of returns the address of a signal's queue.
func Of(address, signal string) string { return strings.ReplaceAll(address, Signal, signal) }

// Options say how a queue is opened. Of those that share one in a process, the first says it.
type Options struct {
	Folder seglog.Options
	// WaitForRoom makes appends wait while the queue is full.
	WaitForRoom bool
	Logger      *zap.Logger
}

var (
	mu   sync.Mutex
	open = map[string]*shared{}
)

// shared is a queue that several components of the process have.
type shared struct {
	queue *nerve.Queue
	users int
}

// Open opens the queue at an address, or shares it with others of this process who did. It is made
// if need be. Release gives it back; the last one who does closes it.
func Open(ctx context.Context, address string, o Options) (q *nerve.Queue, release func() error,
	err error) {
	mu.Lock()
	defer mu.Unlock()
	s := open[address]
	if s == nil {
		log, err := openLog(ctx, address, o)
		if err != nil {
			var locked *nerve.LockedError
			if errors.As(err, &locked) {
				err = fmt.Errorf("%w; a folder belongs to one process, others share a queue of "+
					"nerve serve", err)
			}
			return nil, nil, err
		}
		s = &shared{queue: nerve.New(log, nerve.Options{WaitForRoom: o.WaitForRoom,
			Logger: slogOf(o.Logger)})}
		open[address] = s
	}
	s.users++
	return s.queue, sync.OnceValue(func() error {
		mu.Lock()
		defer mu.Unlock()
		if s.users--; s.users > 0 {
			return nil
		}
		delete(open, address)
		return s.queue.Close()
	}), nil
}

func openLog(ctx context.Context, address string, o Options) (nerve.Log, error) {
	if strings.Contains(address, "://") {
		return remote.Open(ctx, address, remote.Options{Create: true})
	}
	o.Folder.Logger = slogOf(o.Logger)
	return seglog.Open(address, o.Folder)
}

// slogOf returns a logger for nerve that writes to the collector's.
func slogOf(l *zap.Logger) *slog.Logger { return slog.New(zapslog.NewHandler(l.Core())) }
