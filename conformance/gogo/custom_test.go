package gogo_test

import (
	"strings"
	"testing"
)

const lying = `syntax = "proto3";
package lying;
import "github.com/gogo/protobuf/gogoproto/gogo.proto";
option go_package = "lying";
message A {
  bytes first = 1;
  bytes custom = 2 [(gogoproto.customtype) = "Liar", (gogoproto.nullable) = false];
  bytes last = 3;
}
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
