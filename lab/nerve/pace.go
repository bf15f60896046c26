package main

import (
	"fmt"
	"iter"
	"os"
	"time"
)

// fewest rounds make a median, with one before that does not count.
const fewest = 4

// pace says how many rounds a part runs: those that were asked for, fewer when
// its share of the time is over, and never fewer than make a median.
type pace struct {
	part         string
	begun, until time.Time
}

func newPace(part string, share time.Duration) *pace {
	now := time.Now()
	return &pace{part: part, begun: now, until: now.Add(share)}
}

// step tells whoever watches what is done now.
func (p *pace) step(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "%-9s %4.0f s  %s\n", p.part, time.Since(p.begun).Seconds(), fmt.Sprintf(format, args...))
}

// rounds yields the numbers of the rounds of one operation. stages are how many
// operations of the part, this one included, have still to come: the rest of
// the time is for all of them.
func (p *pace) rounds(op string, wanted, stages int) iter.Seq[int] {
	share := max(0, time.Until(p.until)) / time.Duration(stages)
	until := time.Now().Add(share)
	return func(yield func(int) bool) {
		for round := range wanted {
			if round >= min(fewest, wanted) && time.Now().After(until) {
				p.step("%s: the time is over after %d of %d rounds", op, round, wanted)
				return
			}
			p.step("%s: round %d of %d", op, round+1, wanted)
			if !yield(round) {
				return
			}
		}
	}
}
