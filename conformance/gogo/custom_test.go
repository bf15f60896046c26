package gogo_test

import (
	"strings"
	"testing"
)

// A schema with a custom type on every path that writes one.
const lying = `syntax = "proto3";
package lying;
import "github.com/gogo/protobuf/gogoproto/gogo.proto";
option go_package = "lying";
message A {
  bytes first = 1;
  bytes custom = 2 [(gogoproto.customtype) = "Liar", (gogoproto.nullable) = false];
  bytes last = 3;
  bytes pointer = 4 [(gogoproto.customtype) = "Liar"];
  repeated bytes list = 5 [(gogoproto.customtype) = "Liar", (gogoproto.nullable) = false];
  map<string, bytes> entries = 6 [(gogoproto.customtype) = "Liar", (gogoproto.nullable) = false];
  oneof o { bytes member = 7 [(gogoproto.customtype) = "Liar"]; int32 other = 8; }
  Inner message = 9 [(gogoproto.customtype) = "Liar"];
  repeated Inner messages = 10 [(gogoproto.customtype) = "Liar", (gogoproto.nullable) = false];
}
message Inner {}
`

// TestLyingCustomType checks that a custom type which says one size and writes another is an error
// that names the field, and that it cannot write where it has no room.
func TestLyingCustomType(t *testing.T) {
	module := gogoFolder(t)
	dir := scratch(t)
	write(t, dir, map[string]string{"lying.proto": lying})
	req := request(t, []string{dir, importRoot(t, module)}, "registry=none,paths=source_relative",
		"lying.proto")
	for name, text := range ours(t, "gogofaster", req) {
		write(t, dir, map[string]string{"lying/" + name: text})
	}
	write(t, dir, map[string]string{"lying/liar.go": `package lying

// Liar says that it takes Says bytes, writes Writes of them, and says that it wrote Claims.
type Liar struct{ Says, Writes, Claims int }

func (l Liar) Size() int { return l.Says }

func (l Liar) MarshalTo(b []byte) (int, error) {
	for i := range min(l.Writes, cap(b)) {
		b[:cap(b)][i] = 0xee
	}
	return l.Claims, nil
}

func (l *Liar) Unmarshal(b []byte) error { return nil }
`, "main.go": `package main

import (
	"fmt"
	"strings"

	"github.com/octopus-framework/octopus/conformance/gogo/scratch/lying"
)

func main() {
	for _, l := range []lying.Liar{{2, 2, 2}, {2, 1, 1}, {2, 9, 9}, {1000000000, 0, 0}, {-5, 0, 0}} {
		m := &lying.A{First: []byte("first"), Custom: l, Last: []byte("last")}
		func() {
			defer func() {
				if p := recover(); p != nil {
					fmt.Println("panic:", p)
				}
			}()
			buf := make([]byte, 40)
			n, err := m.MarshalToSizedBuffer(buf)
			fmt.Printf("%+v: %x %v\n", l, buf[len(buf)-n:], err)
		}()
	}
	truth := lying.Liar{2, 2, 2}
	for _, bad := range []lying.Liar{{2, 1, 1}, {2, 9, 9}, {1000000000, 0, 0}, {-5, 0, 0}, {2, 0, -1}} {
		for _, m := range []*lying.A{
			{Custom: truth, Pointer: &bad}, {Custom: truth, List: []lying.Liar{truth, bad, truth}},
			{Custom: truth, Entries: map[string]lying.Liar{"k": bad}}, {Custom: truth, O: &lying.A_Member{bad}},
			{Custom: truth, Message: &bad}, {Custom: truth, Messages: []lying.Liar{truth, bad}},
		} {
			m.First, m.Last = []byte("first"), []byte("last")
			func() {
				defer func() {
					if p := recover(); p != nil {
						fmt.Println("panic:", p, bad)
					}
				}()
				whole := make([]byte, 80)
				for i := range whole {
					whole[i] = 0x77
				}
				_, err := m.MarshalToSizedBuffer(whole[20:60])
				if err == nil || !strings.Contains(err.Error(), "the custom type of field lying.A.") {
					fmt.Println("no error", bad, err)
				}
				if strings.Trim(string(whole[:20]), "w") != "" || strings.Trim(string(whole[60:]), "w") != "" {
					fmt.Println("written outside of the buffer", bad)
				}
				if bad.Says == 2 {
					if _, err = m.Marshal(); err == nil || !strings.Contains(err.Error(), "the custom type of field lying.A.") {
						fmt.Println("Marshal says", err, bad)
					}
				}
			}()
		}
	}
}
`})
	const want = `{Says:2 Writes:2 Claims:2}: 0a0566697273741202eeee1a046c617374 <nil>
{Says:2 Writes:1 Claims:1}:  proto: the custom type of field lying.A.custom said that it takes 2 bytes and wrote 1
{Says:2 Writes:9 Claims:9}:  proto: the custom type of field lying.A.custom said that it takes 2 bytes and wrote 9
{Says:1000000000 Writes:0 Claims:0}:  proto: the custom type of field lying.A.custom said that it takes 1000000000 bytes and wrote 34
{Says:-5 Writes:0 Claims:0}:  proto: the custom type of field lying.A.custom said that it takes -5 bytes and wrote 34
`
	if got := run(t, dir, "run", "."); strings.TrimSpace(got) != strings.TrimSpace(want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
