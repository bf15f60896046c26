package nerve_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/memlog"
)

// awayLog is a log on a server that goes away: then calls wait for their contexts.
type awayLog struct {
	*memlog.Log
	away   atomic.Bool
	saving chan struct{} // gets a token when a save waits
}

func (l *awayLog) SavePointers(ctx context.Context, list []nerve.Pointer) error {
	if !l.away.Load() {
		return l.Log.SavePointers(ctx, list)
	}
	select {
	case l.saving <- struct{}{}:
	default:
	}
	<-ctx.Done()
	return context.Cause(ctx)
}

func (l *awayLog) Release(ctx context.Context, _ nerve.Claim) error {
	<-ctx.Done()
	return context.Cause(ctx)
}

// TestCloseWithoutServer closes a queue with several consumers whose server has gone,
// while a save is under way: it waits for no longer than one call may take.
func TestCloseWithoutServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // in which time passes while everybody waits
		const limit = 10 * time.Second
		log := &awayLog{Log: memlog.New(memlog.Options{}), saving: make(chan struct{}, 1)}
		q := nerve.New(log, nerve.Options{CallTimeout: limit, SaveInterval: time.Second})
		if _, err := q.Append(t.Context(), []byte("one")); err != nil {
			t.Fatal(err)
		}
		for i := range 4 {
			c, err := q.Consumer(fmt.Sprint("c", i), nerve.ConsumerOptions{})
			if err != nil {
				t.Fatal(err)
			}
			var b nerve.Batch
			if err := c.Next(t.Context(), &b); err != nil {
				t.Fatal(err)
			}
			log.away.Store(i == 3)
			if err := c.Ack(1); err != nil {
				t.Fatal(err)
			}
		}
		<-log.saving
		began := time.Now()
		err := q.Close()
		var late *nerve.TimeoutError
		if !errors.As(err, &late) {
			t.Errorf("Close = %v", err)
		}
		if took := time.Since(began); took > limit {
			t.Errorf("Close waited for %v, a call may take %v", took, limit)
		}
	})
}
