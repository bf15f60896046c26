package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/ThreeDotsLabs/watermill"
	wsql "github.com/ThreeDotsLabs/watermill-sql/v3/pkg/sql"
	"github.com/ThreeDotsLabs/watermill/message"

	"github.com/octopus-framework/octopus/nerve/sqllog"
)

// originalEngine is the design that nerve began with: a row a message with an
// id that the database counts, and a table of pointers.
type originalEngine struct {
	db      *sql.DB
	insert  *sql.Stmt // a pack
	fetch   *sql.Stmt
	pointer *sql.Stmt
}

// originalRows is how many rows one query of the original reads.
const originalRows = 50_000

func openOriginal(address string) (engine, error) {
	isMySQL := strings.HasPrefix(address, "mysql:")
	db, err := sqllog.OpenDB(address)
	if err != nil {
		return nil, err
	}
	id, blob := "BIGSERIAL", "BYTEA"
	if isMySQL {
		id, blob = "BIGINT AUTO_INCREMENT", "BLOB"
	}
	values := make([]string, packSize)
	for i := range values {
		if values[i] = "(?)"; !isMySQL {
			values[i] = "($" + strconv.Itoa(i+1) + ")"
		}
	}
	bind := func(query string) string {
		for n := 1; !isMySQL && strings.Contains(query, "?"); n++ {
			query = strings.Replace(query, "?", "$"+strconv.Itoa(n), 1)
		}
		return query
	}
	for _, statement := range []string{
		"CREATE TABLE original_messages (id " + id + " PRIMARY KEY, data " + blob + " NOT NULL)",
		"CREATE TABLE original_pointers (name VARCHAR(64) PRIMARY KEY, id BIGINT NOT NULL)",
		"INSERT INTO original_pointers (name, id) VALUES ('reader', 0)",
	} {
		if _, err := db.Exec(statement); err != nil {
			return nil, err
		}
	}
	e := &originalEngine{db: db}
	for _, s := range []struct {
		statement **sql.Stmt
		text      string
	}{
		{&e.insert, "INSERT INTO original_messages (data) VALUES " + strings.Join(values, ",")},
		{&e.fetch, bind("SELECT id, data FROM original_messages WHERE id > ? ORDER BY id LIMIT ?")},
		{&e.pointer, bind("UPDATE original_pointers SET id = ? WHERE name = 'reader'")},
	} {
		if *s.statement, err = db.Prepare(s.text); err != nil {
			return nil, err
		}
	}
	return e, nil
}

func (e *originalEngine) append(events [][]byte) error {
	if len(events) != packSize {
		return fmt.Errorf("a pack of %d events", len(events))
	}
	args := make([]any, len(events))
	for i, event := range events {
		args[i] = event
	}
	_, err := e.insert.Exec(args...)
	return err
}

func (e *originalEngine) read(each func([]byte)) error {
	last := int64(0)
	for {
		rows, err := e.fetch.Query(last, originalRows)
		if err != nil {
			return err
		}
		before := last
		var data sql.RawBytes
		for rows.Next() {
			if err := rows.Scan(&last, &data); err != nil {
				return err
			}
			each(data)
		}
		if err := errors.Join(rows.Err(), rows.Close()); err != nil || last == before {
			return err
		}
		if _, err := e.pointer.Exec(last); err != nil {
			return err
		}
	}
}

func (e *originalEngine) close() error { return e.db.Close() }

// watermillEngine is the queue on SQL of Watermill, with its batches as large as
// they may be.
type watermillEngine struct {
	db        *sql.DB
	publisher *wsql.Publisher
	schema    wsql.SchemaAdapter
	offsets   wsql.OffsetsAdapter
	count     int
	group     int
}

const watermillTopic = "lab"

func openWatermillMySQL(address string) (engine, error) {
	return openWatermill(address, wsql.DefaultMySQLSchema{
		GeneratePayloadType: func(string) string { return "BLOB" }, SubscribeBatchSize: packSize,
	}, wsql.DefaultMySQLOffsetsAdapter{})
}

func openWatermillPostgres(address string) (engine, error) {
	return openWatermill(address, wsql.DefaultPostgreSQLSchema{
		GeneratePayloadType: func(string) string { return "BYTEA" }, SubscribeBatchSize: packSize,
	}, wsql.DefaultPostgreSQLOffsetsAdapter{})
}

func openWatermill(address string, schema wsql.SchemaAdapter, offsets wsql.OffsetsAdapter) (engine, error) {
	db, err := sqllog.OpenDB(address)
	if err != nil {
		return nil, err
	}
	publisher, err := wsql.NewPublisher(db, wsql.PublisherConfig{SchemaAdapter: schema, AutoInitializeSchema: true},
		watermill.NopLogger{})
	return &watermillEngine{db: db, publisher: publisher, schema: schema, offsets: offsets}, err
}

func (e *watermillEngine) append(events [][]byte) error {
	messages := make([]*message.Message, len(events))
	for i, event := range events {
		messages[i] = message.NewMessage(watermill.NewUUID(), event)
	}
	e.count += len(events)
	return e.publisher.Publish(watermillTopic, messages...)
}

// read reads as a new group of consumers, which begins at the first message.
func (e *watermillEngine) read(each func([]byte)) error {
	e.group++
	sub, err := wsql.NewSubscriber(e.db, wsql.SubscriberConfig{
		ConsumerGroup: "group" + strconv.Itoa(e.group), SchemaAdapter: e.schema, OffsetsAdapter: e.offsets,
		InitializeSchema: true, PollInterval: time.Millisecond,
	}, watermill.NopLogger{})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	messages, err := sub.Subscribe(ctx, watermillTopic)
	if err != nil {
		return err
	}
	for range e.count {
		m, ok := <-messages
		if !ok {
			return errors.New("the subscription ended")
		}
		each(m.Payload)
		m.Ack()
	}
	return sub.Close()
}

func (e *watermillEngine) close() error { return e.db.Close() }
