package driver

import (
	"fmt"
	"io"
	"sync/atomic"
	"time"
)

// Progress shows on a terminal what takes longer than a second. A nil *Progress shows nothing.
type Progress struct {
	W io.Writer // the terminal

	done atomic.Int64
}

const (
	progressAfter = time.Second
	progressEvery = 100 * time.Millisecond
)

// start begins a phase; total 0 means that its steps are not counted. The returned function ends it and clears the line.
func (p *Progress) start(what string, total int) (stop func()) {
	if p == nil {
		return func() {}
	}
	p.done.Store(0)
	quit, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		timer := time.NewTimer(progressAfter)
		defer timer.Stop()
		shown := false
		for {
			select {
			case <-timer.C:
				shown = true
				if total > 0 {
					fmt.Fprintf(p.W, "\r\x1b[K%s: %d of %d", what, p.done.Load(), total)
				} else {
					fmt.Fprintf(p.W, "\r\x1b[K%s", what)
				}
				timer.Reset(progressEvery)
			case <-quit:
				if shown {
					fmt.Fprint(p.W, "\r\x1b[K")
				}
				return
			}
		}
	}()
	return func() { close(quit); <-gone }
}

func (p *Progress) step() {
	if p != nil {
		p.done.Add(1)
	}
}
