package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/octopus-framework/octopus/nerve/query"
	"github.com/octopus-framework/octopus/nerve/query/format"
)

// newResultWriter returns a writer of the format that --format names.
func newResultWriter(name string, out io.Writer, cols []query.Column, o format.Options,
) (format.Writer, error) {
	if name == "arrow" || name == "parquet" {
		return newColumnWriter(name, out, cols, o)
	}
	if w := format.New(name, out, cols, o); w != nil {
		return w, nil
	}
	return nil, usagef("no format %q; there are table, jsonl, csv, arrow and parquet", name)
}

// duckDB is the line that opens a file in DuckDB, "" if it cannot read the format by itself.
func duckDB(name, file string) string {
	read := map[string]string{"parquet": "read_parquet", "csv": "read_csv",
		"jsonl": "read_json"}[name]
	if read == "" || strings.ContainsAny(file, "'\"\\\n") {
		return ""
	}
	return fmt.Sprintf(`duckdb -c "SELECT * FROM %s('%s')"`, read, file)
}
