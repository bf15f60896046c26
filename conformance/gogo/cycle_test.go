package gogo_test

import (
	"testing"

	"github.com/octopus-framework/octopus/internal/compiler/gogo/shape"
)

const cycles = `syntax = "proto3";
package cycles;
import "github.com/gogo/protobuf/gogoproto/gogo.proto";
option go_package = "cycles";
option (gogoproto.equal_all) = true;
option (gogoproto.verbose_equal_all) = true;
option (gogoproto.compare_all) = true;
option (gogoproto.stringer_all) = true;
option (gogoproto.goproto_stringer_all) = false;
option (gogoproto.gostring_all) = true;
message Tree {
  string name = 1;
  Tree one = 2;
  repeated Tree list = 3;
  oneof o { Tree member = 5; int32 other = 6; }
}
message Holder { Tree tree = 1; }
`

// TestCycles gives messages that contain themselves to the methods that go through a message, but
// for GoString. Gogo's code ends the process.
func TestCycles(t *testing.T) {
	module := gogoFolder(t)
	dir := scratch(t)
	write(t, dir, map[string]string{"cycles.proto": cycles})
	req := request(t, []string{dir, importRoot(t, module)}, "", "cycles.proto")
	hooked := func(name string) bool { return name == "cycles.Tree" }
	for file, text := range shaped(t, req, "gogofaster", shape.FileOptions{Suffix: ".pb.go",
		Registry: shape.RegistryNone, Before: hooked}) {
		write(t, dir, map[string]string{"cycles/" + file: text})
	}
	write(t, dir, map[string]string{"cycles/cycles.go": `package cycles

// BeforeMarshal is the hook.
func (m *Tree) BeforeMarshal() error { return nil }
`, "main.go": `package main

import (
	"errors"
	"fmt"

	"github.com/octopus-framework/octopus/conformance/gogo/scratch/cycles"
	"github.com/octopus-framework/octopus/gremlin/gogo"
)

type tree = cycles.Tree

func circles() map[string]*tree {
	one, list, member := &tree{}, &tree{}, &tree{}
	one.One = one
	list.List = []*tree{list, list}
	member.O = &cycles.Tree_Member{member}
	return map[string]*tree{"one": one, "list": list, "member": member}
}

func main() {
	others := circles()
	for name, m := range circles() {
		other := others[name]
		for what, f := range map[string]func() error{
			"Marshal": func() error { _, err := m.Marshal(); return err },
			"MarshalTo": func() error { _, err := m.MarshalTo(make([]byte, 10)); return err },
			"a holder": func() error { _, err := (&cycles.Holder{Tree: m}).Marshal(); return err },
			"Size": func() error { m.Size(); return nil },
			"MarshalToSizedBuffer": func() error { _, err := m.MarshalToSizedBuffer(nil); return err },
			"GremlinBeforeMarshal": func() error { return m.GremlinBeforeMarshal() },
			"Equal": func() error { m.Equal(other); return nil },
			"VerboseEqual": func() error { return m.VerboseEqual(other) },
			"Compare": func() error { m.Compare(other); return nil },
			"String": func() error { _ = m.String(); return nil },
		} {
			panicked, err := caught(f)
			var cycle *gogo.CycleError
			returns := what == "Marshal" || what == "MarshalTo" || what == "a holder"
			if !errors.As(err, &cycle) || panicked == returns {
				fmt.Println(name, what, panicked, err)
			}
		}
	}
	deep := &tree{Name: "x"}
	for range 9000 {
		deep = &tree{One: deep}
	}
	b, err := deep.Marshal()
	again := new(tree)
	fmt.Println(err, again.Unmarshal(b), again.Equal(deep))
	shallow := &tree{Name: "x", List: []*tree{{}, nil}, O: &cycles.Tree_Member{&tree{O: &cycles.Tree_Other{1}}}}
	fmt.Println((&tree{O: &cycles.Tree_Member{}}).String(), shallow)
}

func caught(f func() error) (panicked bool, err error) {
	defer func() {
		if p := recover(); p != nil {
			panicked, err = true, p.(error)
		}
	}()
	return false, f()
}
`})
	const want = "<nil> <nil> true\n" +
		"&Tree{Name:,One:nil,List:[]*Tree{},O:&Tree_Member{Member:nil,},} " +
		"&Tree{Name:x,One:nil,List:[]*Tree{&Tree{Name:,One:nil,List:[]*Tree{},O:<nil>,},nil,}," +
		"O:&Tree_Member{Member:&Tree{Name:,One:nil,List:[]*Tree{},O:&Tree_Other{Other:1,},},},}\n"
	if got := run(t, dir, "run", "."); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
