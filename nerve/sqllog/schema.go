package sqllog

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/octopus-framework/octopus/nerve"
)

// format is that of the rows of a queue.
const format = 1

// Schema returns the statements that make the tables, for "mysql" (which is
// MariaDB, too) or "postgres", and "" for anything else. Open runs them by
// itself unless the tables are there or Options.NoMigration says not to: this
// is for databases whose schema somebody else keeps. To run them on a schema of
// an older version, leave out the part of the versions before.
func Schema(dialect string) string {
	d := dialectOf(dialect)
	if d == nil {
		return ""
	}
	var b strings.Builder
	for i, m := range d.migrations {
		fmt.Fprintf(&b, "-- nerve, schema version %d, %s\n%s\n", i+1, d.name, strings.TrimSpace(m))
		fmt.Fprintf(&b, "INSERT INTO nerve_schema (version) VALUES (%d);\n", i+1)
	}
	return b.String()
}

// migrate brings the schema to the version of this package, or says what keeps
// it from doing so.
func (l *Log) migrate(ctx context.Context, x execer) error {
	version, err := l.schemaVersion(ctx, x)
	if err != nil {
		return err
	}
	wanted := len(l.dialect.migrations)
	switch {
	case version == wanted:
		return nil
	case version > wanted:
		return &nerve.FormatError{Path: l.server, Reason: fmt.Sprintf(
			"the schema has version %d and this program knows versions up to %d; "+
				"use a newer version of the program", version, wanted)}
	case l.options.NoMigration || l.options.ReadOnly:
		return &nerve.FormatError{Path: l.server, Reason: fmt.Sprintf(
			"the schema has version %d and this program needs version %d; "+
				"run what sqllog.Schema prints after \"schema version %d\"",
			version, wanted, version)}
	}
	if _, err := x.exec(ctx, l.dialect.lockSchema); err != nil {
		return err
	}
	err = l.runMigrations(ctx, x)
	_, unlock := x.exec(ctx, l.dialect.unlockSchema)
	if err != nil {
		if f := l.dialect.fault(err); f == faultDenied {
			return &nerve.SetupError{
				Server: l.server, Reason: "the user may not create tables", Err: err,
				Advice: "let somebody who may run what sqllog.Schema prints",
			}
		}
		return err
	}
	return unlock
}

// runMigrations runs those that somebody else did not run meanwhile. The lock of
// the schema is held.
func (l *Log) runMigrations(ctx context.Context, x execer) error {
	version, err := l.schemaVersion(ctx, x)
	if err != nil {
		return err
	}
	for i := version; i < len(l.dialect.migrations); i++ {
		for statement := range strings.SplitSeq(l.dialect.migrations[i], ";\n") {
			if strings.TrimSpace(statement) == "" {
				continue
			}
			_, err := x.exec(ctx, statement)
			if err != nil && l.dialect.fault(err) != faultColumnThere {
				return fmt.Errorf("schema version %d: %w", i+1, err)
			}
		}
		if _, err := x.exec(ctx, l.dialect.sql.setVersion, i+1); err != nil {
			return err
		}
	}
	return nil
}

// schemaVersion returns 0 if there are no tables of ours.
func (l *Log) schemaVersion(ctx context.Context, x execer) (int, error) {
	var version *int64
	_, err := queryRow(ctx, x, l.dialect.sql.version, nil, &version)
	switch {
	case err == nil && version != nil:
		return int(*version), nil
	case err == nil:
		return 0, nil
	case l.dialect.fault(err) == faultNoTable:
		return 0, nil
	case l.dialect.fault(err) == faultForeignTable:
		return 0, &nerve.FormatError{Path: l.server, Reason: fmt.Sprintf(
			"table nerve_schema is not one of this package (%v); "+
				"use another database, or rename that table", err)}
	}
	return 0, err
}

// foreign turns an error about tables and columns that are not what the version
// of the schema says into one that tells so.
func (l *Log) foreign(err error) error {
	switch l.dialect.fault(err) {
	case faultNoTable, faultForeignTable:
		var known *nerve.FormatError
		if errors.As(err, &known) {
			return err
		}
		return &nerve.FormatError{Path: l.server, Reason: fmt.Sprintf(
			"the tables are not those of schema version %d (%v); compare them with what "+
				"sqllog.Schema prints", len(l.dialect.migrations), err)}
	}
	return err
}
