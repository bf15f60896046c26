package main

import (
	"errors"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

// natsEngine is a server inside the process, with a connection that needs no
// network, syncing every write.
type natsEngine struct {
	server *server.Server
	conn   *nats.Conn
	js     nats.JetStreamContext
	count  int
}

func openNATS(dir string) (engine, error) {
	s, err := server.NewServer(&server.Options{
		DontListen: true, JetStream: true, StoreDir: dir, SyncAlways: true, NoLog: true, NoSigs: true,
	})
	if err != nil {
		return nil, err
	}
	s.Start()
	if !s.ReadyForConnections(10 * time.Second) {
		return nil, errors.New("the server does not start")
	}
	conn, err := nats.Connect("", nats.InProcessServer(s))
	if err != nil {
		return nil, err
	}
	js, err := conn.JetStream(nats.PublishAsyncMaxPending(2 * packSize))
	if err != nil {
		return nil, err
	}
	_, err = js.AddStream(&nats.StreamConfig{Name: "events", Subjects: []string{"events"}, Storage: nats.FileStorage})
	return &natsEngine{server: s, conn: conn, js: js}, err
}

func (e *natsEngine) append(events [][]byte) error {
	futures := make([]nats.PubAckFuture, len(events))
	for i, event := range events {
		var err error
		if futures[i], err = e.js.PublishAsync("events", event); err != nil {
			return err
		}
	}
	for _, f := range futures {
		select {
		case <-f.Ok():
		case err := <-f.Err():
			return err
		}
	}
	e.count += len(events)
	return nil
}

func (e *natsEngine) read(each func([]byte)) error {
	sub, err := e.js.SubscribeSync("events", nats.OrderedConsumer(), nats.DeliverAll())
	if err != nil {
		return err
	}
	defer sub.Unsubscribe()
	for range e.count {
		msg, err := sub.NextMsg(30 * time.Second)
		if err != nil {
			return err
		}
		each(msg.Data)
	}
	return nil
}

func (e *natsEngine) close() error {
	e.conn.Close()
	e.server.Shutdown()
	e.server.WaitForShutdown()
	return nil
}
