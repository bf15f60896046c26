//go:build arrow

package main

import (
	"io"

	"github.com/octopus-framework/octopus/cmd/nerve/internal/arrowsink"
	"github.com/octopus-framework/octopus/nerve/query"
	"github.com/octopus-framework/octopus/nerve/query/format"
)

// hasColumnFormats tells whether Arrow and Parquet can be written.
const hasColumnFormats = true

// newColumnWriter returns a writer of Arrow or Parquet.
func newColumnWriter(name string, out io.Writer, cols []query.Column, o format.Options,
) (format.Writer, error) {
	return arrowsink.New(name, out, cols, o)
}
