package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/octopus-framework/octopus/internal/oracle/sqlservers"
	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/sqllog"
)

// sqlKind is an engine that keeps its events in a database. Its name ends with
// that of the server.
type sqlKind struct {
	name   string
	server func() *sqlservers.Kind
	open   func(address string) (engine, error)
	part   int // as in engineKind
	// original marks the design that nerve began with: what nerve is measured
	// against on that server.
	original bool
}

var sqlEngines = []sqlKind{
	{"sqllog-mariadb", sqlservers.MariaDB, openSQLLog, 1, false},
	{"original-mariadb", sqlservers.MariaDB, openOriginal, 4, true},
	{"watermill-mariadb", sqlservers.MariaDB, openWatermillMySQL, 20, false},
	{"sqllog-postgres", sqlservers.Postgres, openSQLLog, 1, false},
	{"original-postgres", sqlservers.Postgres, openOriginal, 4, true},
	{"watermill-postgres", sqlservers.Postgres, openWatermillPostgres, 20, false},
}

// sqlQueues measures durable packs and warm ordered reads, of which every cache
// line is touched, of queues in databases: servers of this machine with the
// settings that they come with, started for this.
func sqlQueues(c config, dir string) (results []result, err error) {
	servers := map[string]*sqlservers.Server{}
	defer func() {
		for _, s := range servers {
			err = errors.Join(err, s.Stop())
		}
	}()
	var open []running
	for _, kind := range sqlEngines {
		if len(c.engines) > 0 && !slices.Contains(c.engines, kind.name) {
			continue
		}
		server := kind.server()
		if missing := server.Missing(); missing != nil {
			c.pace.step("%s is left out: %v", kind.name, missing)
			continue
		}
		if servers[server.Name] == nil {
			if servers[server.Name], err = sqlservers.Start(server); err != nil {
				return nil, err
			}
		}
		e, err := kind.open(servers[server.Name].URL())
		if err != nil {
			return nil, fmt.Errorf("%s: %w", kind.name, err)
		}
		open = append(open, running{
			engine: e, name: kind.name, packs: max(1, c.packs/kind.part), checks: kind.name[:6] == "sqllog",
		})
	}
	b := &bench{rng: rand.New(rand.NewPCG(5, 6)), open: open}
	events := makeEvents(packSize * 8)
	writes, reads := make(table), make(table)
	written := 0
	const appendOp, readOp = "sql-append-durable-1000", "sql-read-warm"
	// A first round does not count, as elsewhere.
	for round := range c.pace.rounds(appendOp, c.rounds+1, 2) {
		if round == 1 {
			writes = make(table)
		}
		written++
		err := b.round(func(r *running) error { return writeRound(writes.of(r.name), r.engine, events, r.packs) })
		if err != nil {
			return nil, err
		}
	}
	for range c.pace.rounds(readOp, c.rounds, 1) {
		err := b.round(func(r *running) error {
			return readRound(reads.of(r.name), r.engine, written*r.packs*packSize, touch)
		})
		if err != nil {
			return nil, err
		}
	}
	return append(sqlResults(writes, appendOp), sqlResults(reads, readOp)...), b.close()
}

// sqlResults are the lines of one operation, those of nerve with their ratio to
// the original on the same server.
func sqlResults(t table, op string) (list []result) {
	for i, kind := range sqlEngines {
		s := t[kind.name]
		if s == nil {
			continue
		}
		r := s.result(kind.name, op)
		if next := sqlEngines[min(i+1, len(sqlEngines)-1)]; next.original && t[next.name] != nil {
			r.OfOriginal = s.over(t[next.name])
		}
		list = append(list, r)
	}
	return list
}

// openSQLLog opens an engine that goes through the public queue and consumer, as nerveEngine does.
func openSQLLog(address string) (engine, error) {
	log, err := sqllog.Open(context.Background(), address, sqllog.Options{Queue: "lab"})
	if err != nil {
		return nil, err
	}
	queue := nerve.New(log, nerve.Options{})
	reader, err := queue.Consumer("reader", nerve.ConsumerOptions{})
	if err != nil {
		return nil, err
	}
	return &nerveEngine{queue: queue, reader: reader}, nil
}
