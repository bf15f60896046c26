package gogo_test

import (
	"testing"

	"github.com/octopus-framework/octopus/internal/compiler/gogo/shape"
)

const hooks = `syntax = "proto3";
package hooks;
import "github.com/gogo/protobuf/gogoproto/gogo.proto";
option go_package = "hooks";
message Tree {
  string name = 1;
  Tree one = 2;
  repeated Tree list = 3;
  map<string, Leaf> leaves = 4 [(gogoproto.nullable) = false];
  oneof o { Tree member = 5; int32 other = 6; }
  map<sint32, string> signed = 7;
  map<fixed64, string> fixed = 8;
  map<bool, string> flags = 9;
  Plain plain = 10;
}
message Leaf { string name = 1; }
message Plain { int32 a = 1; }
`

// TestHooks runs code with BeforeMarshal and AfterUnmarshal: in which order they are called, what
// errors say, and what XXX_Marshal writes when it is to be deterministic.
func TestHooks(t *testing.T) {
	module := gogoFolder(t)
	dir := scratch(t)
	write(t, dir, map[string]string{"hooks.proto": hooks})
	req := request(t, []string{dir, importRoot(t, module)}, "", "hooks.proto")
	hooked := func(name string) bool { return name == "hooks.Tree" || name == "hooks.Leaf" }
	for file, text := range shaped(t, req, "gogofaster", shape.FileOptions{Suffix: ".pb.go",
		Registry: shape.RegistryNone, Hook: hooked, Before: hooked}) {
		write(t, dir, map[string]string{"hooks/" + file: text})
	}
	write(t, dir, map[string]string{"hooks/hooks.go": `package hooks

import "errors"

// Log has the calls of hooks.
var Log []string

func hook(kind, name string) error {
	Log = append(Log, kind+name)
	if name == "bad" {
		return errors.New("no such name")
	}
	return nil
}

// BeforeMarshal is the hook.
func (m *Tree) BeforeMarshal() error {
	if m.Name == "long" {
		m.Name = "much longer than it was before"
	}
	return hook("<", m.Name)
}

// AfterUnmarshal is the hook.
func (m *Tree) AfterUnmarshal() error { return hook(">", m.Name) }

// BeforeMarshal is the hook.
func (m *Leaf) BeforeMarshal() error {
	if m.Name == "change" {
		m.Name = "changed"
	}
	return hook("<", m.Name)
}

// AfterUnmarshal is the hook.
func (m *Leaf) AfterUnmarshal() error { return hook(">", m.Name) }
`, "main.go": `package main

import (
	"errors"
	"fmt"

	"github.com/octopus-framework/octopus/conformance/gogo/scratch/hooks"
	"github.com/octopus-framework/octopus/gremlin/gogo"
)

type tree = hooks.Tree

func main() {
	m := &tree{Name: "long", One: &tree{Name: "one"}, List: []*tree{{Name: "a"}, {Name: "long"}},
		Leaves: map[string]hooks.Leaf{"k": {Name: "change"}}, O: &hooks.Tree_Member{&tree{Name: "member"}}}
	b, err := m.Marshal()
	fmt.Println(len(b) == m.Size(), err, hooks.Log, m.Leaves["k"].Name)
	c, err := m.XXX_Marshal(nil, true)
	fmt.Println(string(b) == string(c), err)
	hooks.Log = nil
	fmt.Println(new(tree).Unmarshal(b), hooks.Log)
	for _, bad := range []*tree{
		{Name: "bad"}, {One: &tree{Name: "bad"}}, {List: []*tree{{}, {One: &tree{Name: "bad"}}}},
		{Leaves: map[string]hooks.Leaf{"a\n": {Name: "bad"}}},
		{O: &hooks.Tree_Member{&tree{List: []*tree{{Name: "bad"}}}}},
	} {
		_, err := bad.Marshal()
		b := make([]byte, bad.Size())
		bad.MarshalTo(b)
		after := new(tree).Unmarshal(b)
		var hook *gogo.HookError
		fmt.Println(err, "|", after, "|", errors.As(after, &hook))
	}
	sorted := &tree{Signed: map[int32]string{}, Fixed: map[uint64]string{}, Flags: map[bool]string{true: "t", false: "f"},
		Leaves: map[string]hooks.Leaf{}}
	for i := range 300 {
		sorted.Signed[int32(i-150)] = "s"
		sorted.Fixed[uint64(i)<<33] = "f"
		sorted.Leaves[fmt.Sprint(i)] = hooks.Leaf{Name: fmt.Sprint(i)}
	}
	outer := &tree{One: sorted, O: &hooks.Tree_Member{sorted}}
	first, err := outer.XXX_Marshal(nil, true)
	for range 20 {
		if again, _ := outer.XXX_Marshal(make([]byte, 0, outer.Size()), true); string(again) != string(first) {
			fmt.Println("not the same bytes")
		}
	}
	back := new(tree)
	fmt.Println(err, back.Unmarshal(first), len(back.One.Signed), len(back.GetMember().Leaves))
	in := sorted.Signed
	sorted.Fixed, sorted.Flags, sorted.Leaves, sorted.Signed = nil, nil, nil, map[int32]string{-2: "", 5: "", -1: "", 0: ""}
	first, _ = sorted.XXX_Marshal(nil, true)
	fmt.Printf("%x %d\n", first, len(in))
}
`})
	const want = `true <nil> [<one <a <much longer than it was before <changed <member <much longer than it was before] changed
true <nil>
<nil> [>one >a >much longer than it was before >changed >member >much longer than it was before]
hooks.Tree: BeforeMarshal: no such name | hooks.Tree: AfterUnmarshal: no such name | true
hooks.Tree at one: BeforeMarshal: no such name | hooks.Tree at one: AfterUnmarshal: no such name | true
hooks.Tree at list[1].one: BeforeMarshal: no such name | hooks.Tree at list[1].one: AfterUnmarshal: no such name | true
hooks.Leaf at leaves["a\n"]: BeforeMarshal: no such name | hooks.Leaf at leaves["a\n"]: AfterUnmarshal: no such name | true
hooks.Tree at member.list[0]: BeforeMarshal: no such name | hooks.Tree at member.list[0]: AfterUnmarshal: no such name | true
<nil> <nil> 300 300
3a04080312003a04080112003a04080012003a04080a1200 300
`
	if got := run(t, dir, "run", "."); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
