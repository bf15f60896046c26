package query_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/octopus-framework/octopus/internal/oracle"
)

// TestCorporaLikeDynamicpb compares all paths on a sample of real messages, and on damaged ones,
// that lie beside the repository.
func TestCorporaLikeDynamicpb(t *testing.T) {
	const shared = "../../../shared/corpora"
	text, err := os.ReadFile(filepath.Join(shared, "manifest.json"))
	if err != nil {
		oracle.Skip(t, "shared", "no folder ../shared beside the repository")
	}
	var files []struct {
		File, Framing, Proto, Type string
		Root                       string `json:"proto_root"`
		Size                       int    `json:"payload_bytes"`
	}
	if err := json.Unmarshal(text, &files); err != nil {
		t.Fatal(err)
	}
	const perType, maxSize = 8, 20_000
	compare, taken := map[string]*comparer{}, map[string]int{}
	for _, f := range files {
		if f.Framing != "raw" || f.Size > maxSize || strings.Contains(f.Proto, "*") ||
			strings.Contains(f.Root, "k8s") || taken[f.Type] == perType {
			continue
		}
		taken[f.Type]++
		c := compare[f.Type]
		if c == nil {
			s := loadSchema(t, filepath.Join(shared, f.Root), f.Proto, f.Type)
			c = newComparer(s, allPaths(s.typ, nil, 2))
			compare[f.Type] = c
		}
		b, err := os.ReadFile(filepath.Join(shared, f.File))
		if err != nil {
			t.Fatal(err)
		}
		c.add(t, b)
		c.add(t, b[:len(b)*2/3])
	}
	accepted, rejected := 0, 0
	for _, c := range compare {
		c.flush(t)
		accepted, rejected = accepted+c.accepted, rejected+c.rejected
	}
	t.Logf("%d types, %d accepted, %d rejected", len(compare), accepted, rejected)
	if len(compare) < 5 || accepted < 20 || rejected < 5 {
		t.Error("there are fewer than expected")
	}
}
