// Shop is a service with all four kinds of methods over a queue, for gRPC, Connect and curl on one
// port.
//
//	go run ./examples/shop                          # server and clients in one, with a look at each method
//	go run ./examples/shop -addr localhost:8080     # the server alone, until it is interrupted
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/seglog"
)

func main() {
	addr := flag.String("addr", "",
		"where to serve until interrupted (default: anywhere, call all methods, and end)")
	dir := flag.String("dir", "", "folder of the queue (default: one that is removed at the end)")
	flag.Parse()
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt)
	defer cancel()
	if err := run(ctx, os.Stdout, *addr, *dir); err != nil {
		fmt.Fprintln(os.Stderr, "shop:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out io.Writer, addr, dir string) (err error) {
	if dir == "" {
		if dir, err = os.MkdirTemp("", "shop"); err != nil {
			return err
		}
		defer os.RemoveAll(dir)
	}
	log, err := seglog.Open(dir, seglog.Options{})
	if err != nil {
		return err
	}
	queue := nerve.New(log, nerve.Options{})
	defer func() { err = errors.Join(err, queue.Close()) }()

	at := addr
	if at == "" {
		at = "127.0.0.1:0"
	}
	listener, err := net.Listen("tcp", at)
	if err != nil {
		return err
	}
	var seen counts
	server := newServer(store{queue}, &seen)
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	if addr != "" {
		fmt.Fprintf(out, "serving gRPC, gRPC-Web and Connect at %s\n", listener.Addr())
		<-ctx.Done()
	} else {
		err = tour(ctx, out, listener.Addr().String())
		fmt.Fprintf(out, "observed: %d messages over gRPC, %d bytes, %d failures\n",
			seen.messages.Load(), seen.bytes.Load(), seen.failures.Load())
	}
	err = errors.Join(err, server.Close())
	if ended := <-served; !errors.Is(ended, http.ErrServerClosed) {
		err = errors.Join(err, ended)
	}
	return err
}
