package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/octopus-framework/octopus/nerve"
)

// parseStart reads where a consumer is to go on: oldest, latest, the id of the next record, or a
// time.
func parseStart(text string) (nerve.Start, error) {
	switch text {
	case "oldest":
		return nerve.StartOldest(), nil
	case "latest":
		return nerve.StartLatest(), nil
	}
	if id, err := strconv.ParseUint(text, 10, 64); err == nil && id > 0 {
		return nerve.StartAfter(nerve.ID(id - 1)), nil
	}
	if t, err := time.Parse(time.RFC3339Nano, text); err == nil {
		return nerve.StartTime(t), nil
	}
	if ago, err := time.ParseDuration(text); err == nil && ago > 0 {
		return nerve.StartTime(time.Now().Add(-ago)), nil
	}
	return nerve.Start{}, usagef("%q is neither oldest, latest, the id of the next record, a time "+
		"like 2026-01-31T12:00:00Z, nor how long ago, like 90m", text)
}

// setConsumer moves the pointer of a consumer that is not open.
func setConsumer(cmd *cobra.Command, place, setting string) (err error) {
	name, where, found := strings.Cut(setting, "=")
	if !found {
		return usagef("write --set NAME=oldest, latest, ID or TIME, not %q", setting)
	}
	if err := nerve.CheckName(name); err != nil {
		return usageError{err}
	}
	start, err := parseStart(where)
	if err != nil {
		return err
	}
	log, err := openExisting(cmd, place)
	if err != nil {
		return err
	}
	q := nerve.New(log, nerve.Options{})
	defer func() { err = errors.Join(err, q.Close()) }()
	pointers, err := log.Pointers(cmd.Context())
	if err != nil {
		return err
	}
	at := slices.IndexFunc(pointers, func(p nerve.Pointer) bool { return p.Name == name })
	if at < 0 {
		return fmt.Errorf("there is no consumer %q", name)
	}
	c, err := q.Consumer(name, nerve.ConsumerOptions{Hold: pointers[at].Hold})
	if err != nil {
		return err
	}
	before := c.Pointer()
	if err := c.Seek(start); err != nil {
		return err
	}
	if err := c.Save(cmd.Context()); err != nil {
		return err
	}
	if wantJSON(cmd) {
		return printJSON(cmd.OutOrStdout(), map[string]any{"name": name, "before": before,
			"pointer": c.Pointer()})
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%s: pointer %d, was %d\n", name, c.Pointer(), before)
	return nil
}
