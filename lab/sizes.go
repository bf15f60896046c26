package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"github.com/octopus-framework/octopus/lab/internal/bench"
	"github.com/octopus-framework/octopus/lab/report"
)

// sized are the implementations with a small program and, of those that generate, the folder of their code.
var sized = []struct {
	impl   string
	legacy bool
	folder string // of the program
	copy   string // of the generated code; empty if there is none
}{
	{"protobuf-go", false, "google", "google"},
	{"protobuf-go-lazy", false, "opaque", "opaque"},
	{"golang-protobuf-1.3.5", true, "golang", "golang"},
	{"gogo-gofast", true, "gofast", "gofast"},
	{"gogo-faster", true, "gogofaster", "gogofaster"},
	{"gogo-slick", true, "gogoslick", "gogoslick"},
	{"vtprotobuf", false, "vt", "vt"},
	{"hyperpb", false, "hyperpb", ""},
	{"easyproto", false, "easyproto", ""},
	{"molecule", false, "molecule", ""},
	{"gremlin-reader", false, "gremlinreader", "gremlin"},
	{"gremlin-message", false, "gremlinmessage", "gremlin"},
}

// depositFields are the fields of schema/deposit.proto.
const depositFields = 10 + 3 + 3 + 3 + 2

// sizes builds the small programs and counts lines.
func sizes() ([]report.Size, error) {
	dir, err := os.MkdirTemp("", "lab-sizes-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	var all []report.Size
	for _, s := range sized {
		progress("sizes: %s", s.impl)
		module := "."
		if s.legacy {
			module = "legacy"
		}
		exe := filepath.Join(dir, s.folder)
		if err := bench.Build(bench.Programs{Dir: module, Pattern: "./minimal/" + s.folder}, exe); err != nil {
			return nil, err
		}
		info, err := os.Stat(exe)
		if err != nil {
			return nil, err
		}
		size := report.Size{Impl: s.impl, BinaryBytes: info.Size()}
		if s.copy != "" {
			files, err := filepath.Glob(filepath.Join(module, "internal", "pb", s.copy, "deposit*.go"))
			if err != nil || len(files) == 0 {
				return nil, fmt.Errorf("no generated code of %s (%v)", s.impl, err)
			}
			for _, file := range files {
				text, err := os.ReadFile(file)
				if err != nil {
					return nil, err
				}
				size.LinesPerField += float64(bytes.Count(text, []byte("\n"))) / depositFields
			}
		}
		all = append(all, size)
	}
	return all, nil
}
