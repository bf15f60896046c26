package compiler

import (
	"flag"
	"path/filepath"
	"strings"
	"testing"

	"github.com/octopus-framework/octopus/compiler/source"
)

var schemaRoots = flag.String("schemas", "../conformance/proto,../lab/schema,../lab/jsonlab/schema",
	"folders of schemas, with commas between them; one with colons has more than one root")

// TestSchemas compares verdicts on every file below the folders of -schemas, and descriptors of
// those that compile, with protoc's.
func TestSchemas(t *testing.T) {
	protoc := needProtoc(t)
	for _, set := range strings.Split(*schemaRoots, ",") {
		roots := append(strings.Split(set, ":"), filepath.Join("..", ".tools", "include"))
		src := source.New(roots...)
		files, err := src.All()
		if err != nil {
			t.Fatal(err)
		}
		both := 0
		for _, file := range files {
			res := Compile(t.Context(), Options{Sources: src, Files: []string{file}})
			want, text, err := describedByProtoc(t, protoc, roots, file)
			switch {
			case (err == nil) != (res.Schema != nil):
				t.Errorf("%s: %s: protoc says %v\n%s\nwe say\n%v", set, file, err, text,
					res.Diagnostics)
			case err == nil:
				both++
				compareDescriptors(t, res.Descriptors, want, func(string) bool {
					return true
				}, false)
			}
		}
		t.Logf("%s: %d files, %d compile", set, len(files), both)
	}
}
