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

// Start begins a phase of total steps; 0 means that they are not counted, -1 that nobody knows how
// many there will be. The returned function ends it and clears the line.
func (p *Progress) Start(what string, total int) (stop func()) {
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
				switch done := p.done.Load(); {
				case total > 0:
					fmt.Fprintf(p.W, "\r\x1b[K%s: %d of %d", what, done, total)
				case total < 0:
					fmt.Fprintf(p.W, "\r\x1b[K%s: %d", what, done)
				default:
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

// Step counts a step of the phase. Any number of goroutines may call it.
func (p *Progress) Step() {
	if p != nil {
		p.done.Add(1)
	}
}
