package main

import (
	"os"

	hraft "github.com/hashicorp/raft"
	raftwal "github.com/hashicorp/raft-wal"
	"github.com/tidwall/wal"
)

// tidwallEngine syncs each batch, which is its default.
type tidwallEngine struct {
	log   *wal.Log
	batch wal.Batch
	next  uint64
}

func openTidwall(dir string) (engine, error) {
	log, err := wal.Open(dir, &wal.Options{NoCopy: true})
	if err != nil {
		return nil, err
	}
	last, err := log.LastIndex()
	return &tidwallEngine{log: log, next: last + 1}, err
}

func (e *tidwallEngine) append(events [][]byte) error {
	for _, event := range events {
		e.batch.Write(e.next, event)
		e.next++
	}
	return e.log.WriteBatch(&e.batch)
}

func (e *tidwallEngine) read(each func([]byte)) error {
	for i := uint64(1); i < e.next; i++ {
		data, err := e.log.Read(i)
		if err != nil {
			return err
		}
		each(data)
	}
	return nil
}

func (e *tidwallEngine) close() error { return e.log.Close() }

type raftEngine struct {
	wal  *raftwal.WAL
	logs []*hraft.Log
	next uint64
}

func openRaftWAL(dir string) (engine, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	w, err := raftwal.Open(dir)
	return &raftEngine{wal: w, next: 1}, err
}

func (e *raftEngine) append(events [][]byte) error {
	e.logs = e.logs[:0]
	for _, event := range events {
		e.logs = append(e.logs, &hraft.Log{Index: e.next, Term: 1, Data: event})
		e.next++
	}
	return e.wal.StoreLogs(e.logs)
}

func (e *raftEngine) read(each func([]byte)) error {
	var log hraft.Log
	for i := uint64(1); i < e.next; i++ {
		if err := e.wal.GetLog(i, &log); err != nil {
			return err
		}
		each(log.Data)
	}
	return nil
}

func (e *raftEngine) close() error { return e.wal.Close() }
