package work

import (
	"context"
	"errors"
	"runtime/debug"
	"time"

	"github.com/octopus-framework/octopus/gremlin/wkt"
	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/work/deadletter"
)

// call calls the handler and makes an error of a panic.
func (g *Group) call(ctx context.Context, d *Delivery) (err error) {
	if g.options.Timeout > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, g.options.Timeout)
		defer stop()
	}
	defer func() {
		if v := recover(); v != nil {
			err = &PanicError{Value: v, Stack: debug.Stack()}
		}
	}()
	return g.handler(ctx, d)
}

// giveUp appends a dead letter, or nothing if records are discarded. One that is too large for the
// queue is appended without the record.
func (g *Group) giveUp(ctx context.Context, t *task) error {
	if g.options.DeadLetters == nil {
		return nil
	}
	letter := deadletter.DeadLetter{
		Consumer: g.name,
		Id:       uint64(t.ID),
		Appended: wkt.TimestampOf(t.Time()),
		Failed:   wkt.TimestampOf(time.Now()),
		Attempts: uint32(t.Attempt),
		Reason:   t.reason.Error(),
		Data:     t.Data,
	}
	_, err := nerve.AppendMessage(ctx, g.options.DeadLetters, &letter)
	var tooLarge *nerve.TooLargeError
	if errors.As(err, &tooLarge) {
		letter.Data = nil
		letter.Reason += " (the record is too large for the queue of dead letters)"
		_, err = nerve.AppendMessage(ctx, g.options.DeadLetters, &letter)
	}
	return err
}
