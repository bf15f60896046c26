package main

import (
	"testing"

	"github.com/octopus-framework/octopus/internal/cli/exitcode"
	"github.com/octopus-framework/octopus/nerve/sqllog"
)

func TestSQLSchema(t *testing.T) {
	for _, dialect := range []string{"mysql", "postgres"} {
		out, _ := command(t, exitcode.OK, "", "sql-schema", dialect)
		if out != sqllog.Schema(dialect) {
			t.Errorf("%s: %q is not the schema", dialect, out)
		}
		contains(t, out, "nerve_batches", "schema version 1")
	}
	_, errs := command(t, exitcode.Usage, "", "sql-schema", "oracle")
	contains(t, errs, `"oracle"`, "mysql", "postgres")
	command(t, exitcode.Usage, "", "sql-schema")
}
