//go:build !arrow

package main

import (
	"io"

	"github.com/octopus-framework/octopus/internal/version"
	"github.com/octopus-framework/octopus/nerve/query"
	"github.com/octopus-framework/octopus/nerve/query/format"
)

// hasColumnFormats tells whether Arrow and Parquet can be written.
const hasColumnFormats = false

// newColumnWriter says how to get a nerve that writes Arrow and Parquet. Their library is nearly
// half of what the command would weigh and download with it, so it is linked on request.
func newColumnWriter(name string, _ io.Writer, _ []query.Column, _ format.Options,
) (format.Writer, error) {
	return nil, usagef("this nerve was built without %s: "+
		"go install -tags arrow github.com/octopus-framework/octopus/cmd/nerve@%s",
		map[string]string{"arrow": "Arrow", "parquet": "Parquet"}[name], version.Query())
}
