// Package sqllog keeps a nerve.Log in a database: MariaDB or MySQL, or
// PostgreSQL. The reason to have a queue there is that an event and what it
// tells of are committed together:
//
//	log, err := sqllog.Open(ctx, "postgres://shop@db/shop?queue=orders", sqllog.Options{})
//
//	tx, err := db.BeginTx(ctx, nil) // db is the program's own
//	_, err = tx.ExecContext(ctx, "INSERT INTO orders ...")
//	_, err = log.AppendTx(ctx, tx, &events)
//	err = tx.Commit() // the order and its events, or neither
//
// [Log.AckTx] does the same at the other end: the effect of records and the
// pointer of the consumer are one transaction, so each record counts once.
// [Outbox] is for many concurrent writers: their transactions do not wait for
// each other.
//
// # How it is stored
//
// A batch is one row with a blob, a queue is one row with the next id. Whoever
// appends changes the row of the queue first and so holds its lock until the
// transaction ends: ids are given out in the order of commits, without gaps,
// and a reader that saw id 7 has seen or can see all before it. There is no
// AUTO_INCREMENT or sequence in it: those give ids out before the commit, and
// readers then skip what commits late.
//
// Any number of processes may append to a queue and read it; no process has to
// stay alive. [Options.Exclusive] gives the queue to one writer, with a lease.
//
// # What is promised
//
// docs/nerve-sql.md says what holds when the server, the network or the machine
// dies, which settings of the server that takes, and which isolation a
// transaction of the caller needs. Open refuses a server whose settings are too
// weak, with a nerve.SetupError that says what to change.
package sqllog
