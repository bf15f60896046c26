package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/seglog"
)

// opening measures how long a large log takes to open, closed and killed.
func opening(c config, dir string) ([]result, error) {
	if c.openGiB == 0 {
		return nil, nil
	}
	dir = filepath.Join(dir, "open")
	log, err := seglog.Open(dir, seglog.Options{Durability: seglog.SyncNever, NoSpare: true})
	if err != nil {
		return nil, err
	}
	var b nerve.Batch
	for _, event := range makeEvents(packSize * 2) {
		b.Append(event)
	}
	c.pace.step("writing %d GiB", c.openGiB)
	for size := int64(0); size < int64(c.openGiB)<<30; size += int64(b.Size()) {
		if _, err := log.Append(context.Background(), &b); err != nil {
			return nil, err
		}
	}
	if err := log.Close(); err != nil {
		return nil, err
	}
	var closed, killed sample
	for range c.pace.rounds("closed", c.rounds, 2) {
		if err := openRound(&closed, dir, false); err != nil {
			return nil, err
		}
	}
	for range c.pace.rounds("killed", c.rounds, 1) {
		if err := openRound(&killed, dir, true); err != nil {
			return nil, err
		}
	}
	return []result{
		closed.result("nerve", fmt.Sprintf("open-%dGiB-closed", c.openGiB)),
		killed.result("nerve", fmt.Sprintf("open-%dGiB-killed", c.openGiB)),
	}, nil
}

// openRound times an opening; the rate is openings per second. For a killed log
// it takes away the footer of the last segment, which is what a crash does.
func openRound(s *sample, dir string, killed bool) error {
	if killed {
		if err := cutFooter(dir); err != nil {
			return err
		}
	}
	start := time.Now()
	log, err := seglog.Open(dir, seglog.Options{})
	took := time.Since(start)
	if err != nil {
		return err
	}
	if log.Recovery().Unclean != killed {
		return fmt.Errorf("unclean is %v", log.Recovery().Unclean)
	}
	s.add(1, took, []time.Duration{took})
	return log.Close()
}

// cutFooter takes the last byte of the newest segment.
func cutFooter(dir string) error {
	list, err := filepath.Glob(filepath.Join(dir, "*.seg"))
	if err != nil {
		return err
	}
	last := slices.Max(list)
	info, err := os.Stat(last)
	if err != nil {
		return err
	}
	return os.Truncate(last, info.Size()-1)
}
