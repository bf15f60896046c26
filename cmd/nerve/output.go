package main

import (
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/octopus-framework/octopus/internal/cli"
)

func printJSON(out io.Writer, v any) error {
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// humanBytes formats a size in binary units.
func humanBytes(n int64) string {
	const units = "KMGTPE"
	if n < 1024 {
		return fmt.Sprintf("%d B", n)
	}
	value, unit := float64(n)/1024, 0
	for value >= 1024 && unit < len(units)-1 {
		value /= 1024
		unit++
	}
	return fmt.Sprintf("%.1f %ciB", value, units[unit])
}

// progress draws a bar on a terminal, and nothing elsewhere.
type progress struct {
	mu    sync.Mutex
	out   io.Writer // nil: draw nothing
	what  string
	drawn time.Time
	shown bool

	format func(total int64) string
}

// progressEvery keeps drawing from costing anything.
const progressEvery = 100 * time.Millisecond

func newProgress(out io.Writer, what string) *progress {
	if !cli.IsTerminal(out) {
		return &progress{}
	}
	return &progress{out: out, what: what, format: humanBytes}
}

func (p *progress) update(done, total int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.out == nil || total <= 0 || time.Since(p.drawn) < progressEvery {
		return
	}
	p.drawn, p.shown = time.Now(), true
	const width = 30
	full := int(width * done / total)
	bar := make([]byte, width)
	for i := range bar {
		bar[i] = ' '
		if i < full {
			bar[i] = '='
		}
	}
	fmt.Fprintf(p.out, "\r%s [%s] %3d%% of %s", p.what, bar, 100*done/total, p.format(total))
}

// clear removes the bar until the next update.
func (p *progress) clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shown {
		fmt.Fprint(p.out, "\r\033[K")
	}
	p.shown = false
}

// done removes the bar for good, also while the work goes on behind an interrupt.
func (p *progress) done() {
	p.clear()
	p.mu.Lock()
	p.out = nil
	p.mu.Unlock()
}
