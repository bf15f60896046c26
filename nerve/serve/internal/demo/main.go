// Command demo serves queues with events that keep coming, for those who want to see
// the page before they have a queue of their own: make serve-demo.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/seglog"
	"github.com/octopus-framework/octopus/nerve/serve/internal/core"
	"github.com/octopus-framework/octopus/nerve/serve/internal/sample"
	"github.com/octopus-framework/octopus/nerve/serve/internal/serve"
)

func main() {
	listen := flag.String("listen", serve.DefaultListen, "address of the page")
	schema := flag.String("schema", "examples/deposits/shop/v1/deposit.proto",
		"schema of the events")
	stay := flag.Duration("for", 0, "how long to serve; 0 is until it is interrupted")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if *stay > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, *stay)
		defer cancel()
	}
	if err := run(ctx, *listen, *schema); err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, listen, schema string) error {
	dir, err := os.MkdirTemp("", "nerve-demo")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	for _, name := range []string{"deposits", "refunds"} {
		if err := sample.Schema(filepath.Join(dir, name), schema); err != nil {
			return err
		}
	}
	root, err := core.Open(dir, core.Options{Create: true,
		Folder: seglog.Options{RetainBytes: 1 << 30}})
	if err != nil {
		return err
	}
	auth, err := core.NewAuth(nil, core.All)
	if err != nil {
		return err
	}
	server, err := serve.New(root, serve.Options{Listen: listen, Auth: auth})
	if err != nil {
		return err
	}
	me, err := auth.Anonymous()
	if err != nil {
		return err
	}
	fmt.Printf("the page is at %s (Ctrl-C ends it)\n", server.URL())
	ended := make(chan error, 2)
	go func() { ended <- server.Run(ctx) }()
	go func() { ended <- events(ctx, root, me) }()
	err = <-ended
	if err == nil {
		err = <-ended
	}
	return errors.Join(err, root.Close(context.WithoutCancel(ctx)))
}

// feed is a queue that is written to.
type feed struct {
	*core.Access
	made int
}

func (f *feed) append(ctx context.Context, n int, record func(dst []byte, i int) []byte) error {
	var b nerve.Batch
	for range n {
		b.AppendFunc(func(dst []byte) []byte { return record(dst, f.made) })
		f.made++
	}
	h, err := f.AppendAsync(ctx, &b)
	if err == nil {
		_, err = h.Wait(ctx)
	}
	return err
}

// tick is the time between two appends to each queue.
const tick = 100 * time.Millisecond

// events appends, and lets consumers follow: one that keeps up, one that catches up
// and one that does not.
func events(ctx context.Context, root *core.Queues, me *core.Principal) error {
	feeds := map[string]*feed{}
	for _, name := range []string{"deposits", "refunds", "app-log"} {
		q, err := root.Create(me, name)
		if err != nil {
			return err
		}
		feeds[name] = &feed{Access: q}
	}
	logLine := func(dst []byte, i int) []byte { return append(dst, sample.LogLine(i)...) }
	for range 40 { // what came before
		if err := feeds["deposits"].append(ctx, 5000, sample.Deposit); err != nil {
			return ignoreEnd(ctx, err)
		}
	}
	if err := feeds["app-log"].append(ctx, 20_000, logLine); err != nil {
		return ignoreEnd(ctx, err)
	}
	analytics, audit := 60_000.0, 150_000.0
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	for n := 0; ; n++ {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
		wave := 1 + 0.5*math.Sin(float64(n)/70) + 0.2*math.Sin(float64(n)/11)
		deposits := feeds["deposits"]
		err := deposits.append(ctx, int(180*wave), sample.Deposit)
		if err == nil && n%7 == 0 {
			err = feeds["refunds"].append(ctx, 1+n%3, sample.Deposit)
		}
		if err == nil {
			err = feeds["app-log"].append(ctx, int(25*wave), logLine)
		}
		last := float64(deposits.made)
		analytics = min(last, analytics+520)
		audit += 90
		if err == nil {
			err = deposits.SavePointers(ctx, []nerve.Pointer{
				{Name: "billing", ID: nerve.ID(last) - nerve.ID(n%5)*9},
				{Name: "analytics", ID: nerve.ID(analytics)},
				{Name: "audit", ID: nerve.ID(min(audit, last)), Hold: true},
			})
		}
		if err != nil {
			return ignoreEnd(ctx, err)
		}
	}
}

// ignoreEnd leaves out what fails because the demo ends.
func ignoreEnd(ctx context.Context, err error) error {
	if ctx.Err() != nil || errors.Is(err, nerve.ErrClosed) {
		return nil
	}
	return err
}
