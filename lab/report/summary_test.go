package report

import (
	"bytes"
	"strings"
	"testing"
)

func TestSummary(t *testing.T) {
	var out bytes.Buffer
	if err := WriteSummary(&out, fixture()); err != nil {
		t.Fatal(err)
	}
	text := out.String()
	for _, want := range []string{
		"commit 0123456789ab. Example <CPU> @ 3 GHz, 2 cores, 16 GiB, linux 6.1, go1.26.",
		"of 2 pairs half are less than 3.1 % apart, the worst 3.1 % (Deposit, append, gremlin Message).",
		"In 3 of 38 comparisons a peer is more than 10 % faster than our best form.",
		"| Deposit | read all | gremlin Reader | 56.0 ns | easyproto | 28.0 ns | 100 % |  (lost in 3 settings) |",
		`- molecule, DeepNested, read all: field 3 is "</script>", want "x"`,
		"## protobuf: Submit, 350 B\n\n| | unmarshal | read 2 fields | read all | append |\n|---|--:|--:|--:|--:|\n| protobuf-go | 350 ns (332 ns..357 ns) 1×, 1.56 KiB/46 |",
		"| gremlin Reader | 17.5 ns (16.6 ns..21 ns) 20×, 0 B/0 |",
		"## json: ten integers, 90 B",
		"| Submit | read all, 2 goroutines | protobuf-go 2×, gremlin Reader 2×, gremlin Reader+Validate 2×, gremlin Message 2× |",
		"| append | vtprotobuf | 177 | 52 | 10.4 | 46.8 | 1.000 | 0 % |",
		"| gremlin Reader | 11 MiB | 55.0 |",
		"| Submit | unmarshal | vtprotobuf unsafe | 70 MiB |",
		"- easyproto: v1.2.3\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the summary lacks %q", want)
		}
	}
	if t.Failed() {
		t.Log(text)
	}
	out.Reset()
	if err := WriteSummary(&out, &Results{}); err != nil || !strings.Contains(out.String(), "In none of 0 comparisons") {
		t.Errorf("of nothing: %v\n%s", err, out.String())
	}
}

// TestBrief checks that the short form has the usual setting alone, and says where we lose.
func TestBrief(t *testing.T) {
	var b strings.Builder
	if err := WriteBrief(&b, fixture()); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"## protobuf", "## Where we lose", "## Versions", "| × protobuf-go |"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
	if strings.Contains(b.String(), "goroutines") {
		t.Errorf("another setting than the usual one:\n%s", b.String())
	}
}
