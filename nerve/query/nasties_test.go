package query_test

import (
	"bufio"
	"compress/gzip"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/octopus-framework/octopus/internal/oracle"
)

// TestNastiesLikeDynamicpb compares all paths on hostile encodings that lie beside the repository.
func TestNastiesLikeDynamicpb(t *testing.T) {
	const schemas = "../../.tools/conformance/include"
	shared := "../../../shared/nasties"
	if _, err := os.Stat(schemas + "/google/protobuf/test_messages_proto3.proto"); err != nil {
		oracle.Skip(t, "runner", "no schema of the conformance suite here; make tools installs it")
	}
	in, err := os.Open(filepath.Join(shared, "proto3.jsonl.gz"))
	if err != nil {
		oracle.Skip(t, "shared", "no folder ../shared beside the repository")
	}
	defer in.Close()
	unzipped, err := gzip.NewReader(in)
	if err != nil {
		t.Fatal(err)
	}
	s := loadSchema(t, schemas, "google/protobuf/test_messages_proto3.proto",
		"protobuf_test_messages.proto3.TestAllTypesProto3")
	compare := newComparer(s, allPaths(s.typ, nil, 2))
	lines := bufio.NewScanner(unzipped)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var c struct {
			Type, Hex string
			Size      int
		}
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		b, err := hex.DecodeString(c.Hex)
		if err != nil {
			t.Fatal(err)
		}
		if len(b) == c.Size && string(s.desc.FullName()) == c.Type {
			compare.add(t, b)
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	compare.flush(t)
	t.Logf("%d paths, %d accepted, %d rejected", len(compare.paths), compare.accepted,
		compare.rejected)
	if compare.accepted < 1000 || compare.rejected < 1000 {
		t.Error("there are fewer than expected")
	}
}
