package main

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"

	"github.com/cockroachdb/pebble/v2"
	"go.etcd.io/bbolt"
	_ "modernc.org/sqlite" // the driver
)

func key(id uint64) []byte { return binary.BigEndian.AppendUint64(nil, id) }

type boltEngine struct {
	db   *bbolt.DB
	next uint64
}

var bucketName = []byte("events")

func openBolt(dir string) (engine, error) {
	db, err := bbolt.Open(dir+".bolt", 0o644, &bbolt.Options{FreelistType: bbolt.FreelistMapType, NoFreelistSync: true})
	if err != nil {
		return nil, err
	}
	err = db.Update(func(tx *bbolt.Tx) error {
		_, err := tx.CreateBucketIfNotExists(bucketName)
		return err
	})
	return &boltEngine{db: db, next: 1}, err
}

func (e *boltEngine) append(events [][]byte) error {
	return e.db.Update(func(tx *bbolt.Tx) error {
		b := tx.Bucket(bucketName)
		b.FillPercent = 1 // appends only
		for _, event := range events {
			if err := b.Put(key(e.next), event); err != nil {
				return err
			}
			e.next++
		}
		return nil
	})
}

// appendOne groups with other callers, as bbolt's Batch does.
func (e *boltEngine) appendOne(event []byte) error {
	return e.db.Batch(func(tx *bbolt.Tx) error {
		b := tx.Bucket(bucketName)
		id, err := b.NextSequence()
		if err != nil {
			return err
		}
		return b.Put(key(id), event)
	})
}

func (e *boltEngine) read(each func([]byte)) error {
	return e.db.View(func(tx *bbolt.Tx) error {
		c := tx.Bucket(bucketName).Cursor()
		for k, v := c.First(); k != nil; k, v = c.Next() {
			each(v)
		}
		return nil
	})
}

func (e *boltEngine) close() error { return e.db.Close() }

type pebbleEngine struct {
	db   *pebble.DB
	next uint64
}

type quietLogger struct{}

func (quietLogger) Infof(string, ...any)                       {}
func (quietLogger) Errorf(string, ...any)                      {}
func (quietLogger) Fatalf(format string, args ...any)          { panic(format) }
func (quietLogger) Eventf(context.Context, string, ...any)     {}
func (quietLogger) IsTracingEnabled(context.Context) (on bool) { return false }

func openPebble(dir string) (engine, error) {
	db, err := pebble.Open(dir, &pebble.Options{Logger: quietLogger{}, MemTableSize: 64 << 20})
	return &pebbleEngine{db: db, next: 1}, err
}

func (e *pebbleEngine) append(events [][]byte) error {
	b := e.db.NewBatch()
	defer b.Close()
	for _, event := range events {
		if err := b.Set(key(e.next), event, nil); err != nil {
			return err
		}
		e.next++
	}
	return b.Commit(pebble.Sync)
}

func (e *pebbleEngine) read(each func([]byte)) error {
	it, err := e.db.NewIter(nil)
	if err != nil {
		return err
	}
	for ok := it.First(); ok; ok = it.Next() {
		each(it.Value())
	}
	return errors.Join(it.Error(), it.Close())
}

func (e *pebbleEngine) close() error { return e.db.Close() }

type sqliteEngine struct{ db *sql.DB }

func openSQLite(dir string) (engine, error) {
	db, err := sql.Open("sqlite", "file:"+dir+".sqlite?_pragma=journal_mode(wal)&_pragma=synchronous(full)")
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	_, err = db.Exec("create table events (id integer primary key, data blob not null)")
	return &sqliteEngine{db}, err
}

func (e *sqliteEngine) append(events [][]byte) error {
	tx, err := e.db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	insert, err := tx.Prepare("insert into events (data) values (?)")
	if err != nil {
		return err
	}
	defer insert.Close()
	for _, event := range events {
		if _, err := insert.Exec(event); err != nil {
			return err
		}
	}
	return tx.Commit()
}

func (e *sqliteEngine) read(each func([]byte)) error {
	rows, err := e.db.Query("select data from events order by id")
	if err != nil {
		return err
	}
	defer rows.Close()
	var data sql.RawBytes
	for rows.Next() {
		if err := rows.Scan(&data); err != nil {
			return err
		}
		each(data)
	}
	return rows.Err()
}

func (e *sqliteEngine) close() error { return e.db.Close() }
