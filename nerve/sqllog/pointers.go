package sqllog

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/octopus-framework/octopus/nerve"
)

// Pointers implements nerve.Log.
func (l *Log) Pointers(ctx context.Context) ([]nerve.Pointer, error) {
	if err := l.check(ctx); err != nil {
		return nil, err
	}
	var list []nerve.Pointer
	err := l.retry(ctx, "read the pointers", func(ctx context.Context, c conn) error {
		list = nil
		return c.query(ctx, l.dialect.sql.pointers, []any{l.id}, func(scan scan) error {
			var p nerve.Pointer
			var name, progress []byte
			var id, hold, saved, epoch int64
			if err := scan(&name, &id, &hold, &p.Meta, &saved, &epoch, &progress); err != nil {
				return err
			}
			p.Progress = l.readProgress(string(name), progress)
			p.Name, p.ID, p.Hold, p.Epoch = string(name), nerve.ID(id), hold == 1, uint64(epoch)
			p.Saved = time.UnixMicro(saved)
			if len(p.Meta) == 0 {
				p.Meta = nil
			}
			list = append(list, p)
			return nil
		})
	})
	return list, err
}

// readProgress reads that of a consumer. What a newer program wrote, or somebody
// else, is as good as none: the records come again.
func (l *Log) readProgress(consumer string, packed []byte) nerve.Progress {
	p, err := nerve.ParseProgress(packed)
	if err != nil {
		l.options.Logger.Warn("nerve: what a consumer did above its pointer cannot be read",
			"consumer", consumer, "error", err)
	}
	return p
}

// SavePointers implements nerve.Log. The pointer of a consumer that uses AckTx
// is moved by that alone: it does not go back here.
func (l *Log) SavePointers(ctx context.Context, pointers []nerve.Pointer) error {
	if err := l.checkWrite(ctx); err != nil {
		return err
	}
	var highest nerve.ID
	for _, p := range pointers {
		if err := p.Check(); err != nil {
			return err
		}
		highest = max(highest, p.Highest())
	}
	if err := l.mustHave(ctx, highest); err != nil {
		return err
	}
	// In one order, so that two who save the same ones do not wait for each
	// other.
	pointers = slices.SortedFunc(slices.Values(pointers), func(a, b nerve.Pointer) int {
		return cmp.Compare(a.Name, b.Name)
	})
	return l.retryTx(ctx, "save pointers", func(ctx context.Context, c conn) error {
		for _, p := range pointers {
			r, err := l.claimOf(ctx, c, p.Name)
			if err == nil {
				err = r.state().Check(p.Name, p.Epoch)
			}
			if err == nil {
				err = l.savePointer(ctx, c, p, false)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// mustHave returns a FutureError unless record id was appended.
func (l *Log) mustHave(ctx context.Context, id nerve.ID) error {
	if _, last := l.Bounds(); id <= last {
		return nil
	}
	if err := l.refresh(ctx); err != nil {
		return err
	}
	if _, last := l.Bounds(); id > last {
		return &nerve.FutureError{ID: id, Next: last + 1}
	}
	return nil
}

// savePointer writes one row; exact is that of AckTx.
func (l *Log) savePointer(ctx context.Context, x execer, p nerve.Pointer, exact bool) error {
	meta := p.Meta
	if meta == nil {
		meta = []byte{}
	}
	_, err := x.exec(ctx, l.dialect.sql.savePointer, l.id, []byte(p.Name), int64(p.ID),
		number(p.Hold), number(exact), meta, time.Now().UnixMicro(), p.Progress.Packed())
	return err
}

func number(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// RemovePointer implements nerve.Log.
func (l *Log) RemovePointer(ctx context.Context, name string) error {
	if err := l.checkWrite(ctx); err != nil {
		return err
	}
	return l.retryTx(ctx, "remove a pointer", func(ctx context.Context, c conn) error {
		r, err := l.claimOf(ctx, c, name)
		if err == nil {
			err = r.state().Check(name, 0)
		}
		if err != nil {
			return err
		}
		_, err = c.exec(ctx, l.dialect.sql.removePointer, l.id, []byte(name))
		return err
	})
}

// checkPointers returns a RewoundError if a consumer has acknowledged more than
// there is, or moves its pointer to the end if that is accepted.
func (l *Log) checkPointers(ctx context.Context) error {
	return l.retryTx(ctx, "check the pointers", func(ctx context.Context, c conn) error {
		var name []byte
		var id, last int64
		found, err := queryRow(ctx, c, l.dialect.sql.pastEnd, []any{l.id}, &name, &id, &last)
		if err != nil {
			return err
		}
		if !found {
			return l.checkProgress(ctx, c)
		}
		if !l.options.AllowRewound || l.options.ReadOnly {
			return &RewoundError{Server: l.server, Queue: l.queue,
				Last: nerve.ID(last), Before: nerve.ID(id), Consumer: string(name)}
		}
		if _, err = c.exec(ctx, l.dialect.sql.clampPointers, last, l.id, last); err != nil {
			return err
		}
		return l.checkProgress(ctx, c)
	})
}

// checkProgress is checkPointers for what is acknowledged above them.
func (l *Log) checkProgress(ctx context.Context, c conn) error {
	type kept struct {
		name     []byte
		progress nerve.Progress
	}
	var past []kept
	var end nerve.ID
	err := c.query(ctx, l.dialect.sql.progress, []any{l.id}, func(scan scan) error {
		var name, packed []byte
		var last int64
		if err := scan(&name, &packed, &last); err != nil {
			return err
		}
		end = nerve.ID(last)
		p := l.readProgress(string(name), packed)
		if p.Last() > end {
			past = append(past, kept{name, p})
		}
		return nil
	})
	if err != nil || len(past) == 0 {
		return err
	}
	if !l.options.AllowRewound || l.options.ReadOnly {
		return &RewoundError{Server: l.server, Queue: l.queue, Last: end,
			Before: past[0].progress.Last(), Consumer: string(past[0].name)}
	}
	for _, k := range past {
		_, err := c.exec(ctx, l.dialect.sql.setProgress,
			k.progress.Within(1, end).Packed(), l.id, k.name)
		if err != nil {
			return err
		}
	}
	return nil
}
