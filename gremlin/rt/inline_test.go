package rt

import (
	"os/exec"
	"runtime"
	"strings"
	"testing"
)

// TestInlining keeps the helpers of generated code under the compiler's inlining budget. Index
// functions lose a quarter of their speed, and getters of nested messages allocate, the day that
// one of these is a node too large.
func TestInlining(t *testing.T) {
	if runtime.Compiler != "gc" {
		t.Skip("the budget is that of the gc compiler")
	}
	switch runtime.GOARCH {
	case "amd64", "arm64", "386", "ppc64le", "wasm":
	default:
		t.Skip("the helpers without unsafe code are larger, and this machine has no others")
	}
	out, err := exec.Command("go", "build", "-gcflags=-m=2", ".", "../wkt").CombinedOutput()
	if err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	for _, name := range []string{
		"(*View).Start", "(*View).Float", "(*View).Double", "(*View).List", "(*List).More",
		"EachString", "First",
		"(*View).String", "(*View).Bytes", "Next", "Bytes", "Bytes2", "SkipBytes", "SkipBytes2",
		"SkipVarint", "SkipVarint2", "Varint", "Varint2", "Fixed",
		"AppendVarint", "AppendVarintWide", "AppendTwoVarints", "AppendBool", "AppendFixed32",
		"AppendFixed64", "AppendDouble",
		"AppendString", "AppendStringWide", "AppendBytes", "AppendUnknown", "(*Encoder).Nest",
		"(*Encoder).Finish",
		"SizeVarint", "SizeLen", "SizeLenAlways", "SizeFixed",
		"(*Decoder).Int32", "(*Decoder).Int64", "(*Decoder).Bool", "(*Decoder).String",
		"(*Decoder).Leave",
		// Generated code: a scalar, a nested message (its Reader stays on the caller's stack), a
		// list.
		"(*TimestampReader).GetSeconds", "(*TimestampReader).Unmarshal", "(*ApiReader).GetName",
		"(*ApiReader).GetSourceContext", "(*ApiReader).Methods", "(*ApiReader).HasSourceContext",
	} {
		if !strings.Contains(string(out), ": can inline "+name+" with cost") {
			t.Errorf("%s is not inlined", name)
		}
	}
}
