package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/octopus-framework/octopus/internal/place"
	"github.com/octopus-framework/octopus/nerve"
)

// setConsumer moves the pointer of a consumer that is not open.
func setConsumer(cmd *cobra.Command, queue, setting string) (err error) {
	name, where, found := strings.Cut(setting, "=")
	if !found {
		return usagef("write --set NAME=oldest, newest, ID or TIME, not %q", setting)
	}
	if err := nerve.CheckName(name); err != nil {
		return usageError{err}
	}
	to, err := place.Parse(where, time.Local)
	if err != nil || where == "0" { // ids begin with 1
		return usagef("%q is no place in a queue; give %s", where, place.Forms)
	}
	log, err := openExisting(cmd, queue)
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
	pointer, err := to.Pointer(cmd.Context(), log)
	if err != nil {
		return err
	}
	c, err := q.Consumer(name, nerve.ConsumerOptions{Hold: pointers[at].Hold})
	if err != nil {
		return err
	}
	before := c.Pointer()
	if err := c.Seek(nerve.StartAfter(pointer)); err != nil {
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
