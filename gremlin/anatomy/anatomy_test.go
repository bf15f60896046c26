package anatomy_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/octopus-framework/octopus/gremlin"
	"github.com/octopus-framework/octopus/gremlin/anatomy"
	"github.com/octopus-framework/octopus/gremlin/descriptor"
	"github.com/octopus-framework/octopus/gremlin/dynamic"
)

// shop is a FileDescriptorSet in text format.
const shop = `
file {
  name: "shop.proto" package: "shop.v1" syntax: "proto2"
  message_type {
    name: "Deposit"
    field { name: "name" number: 1 type: TYPE_STRING label: LABEL_OPTIONAL }
    field { name: "amount" number: 2 type: TYPE_SINT64 label: LABEL_OPTIONAL }
    field { name: "kind" number: 3 type: TYPE_ENUM type_name: "Kind" label: LABEL_OPTIONAL }
    field { name: "inner" number: 4 type: TYPE_MESSAGE type_name: "Deposit" label: LABEL_REPEATED }
    field { name: "part" number: 5 type: TYPE_GROUP type_name: "Deposit" label: LABEL_OPTIONAL }
    field { name: "list" number: 6 type: TYPE_INT32 label: LABEL_REPEATED options { packed: true } }
    field { name: "rate" number: 7 type: TYPE_DOUBLE label: LABEL_OPTIONAL }
  }
  enum_type { name: "Kind" value { name: "CASH" number: 0 } value { name: "CARD" number: 1 } }
}`

func deposit(t testing.TB) *dynamic.Type {
	t.Helper()
	var set descriptor.FileDescriptorSet
	if err := (gremlin.TextOptions{}).Unmarshal(shop, &set); err != nil {
		t.Fatal(err)
	}
	types, err := dynamic.Load(set.Marshal())
	if err != nil {
		t.Fatal(err)
	}
	return types.Message("shop.v1.Deposit")
}

const example = "\x0a\x03Ada\x10\x07\x18\x01\x18\x09\x22\x04\x0a\x02hi\x2b\x10\x02\x2c" +
	"\x32\x03\x01\x80\x01\x39\x00\x00\x00\x00\x00\x00\xf8\x3f\x0d\x00\x00\x80\x3f" +
	"\x4a\x04\x08\x01\x12\x00"

func ExampleOf() {
	b := []byte(example)
	tree := anatomy.Of(b, deposit(new(testing.T)), anatomy.Options{})
	fmt.Printf("%s", tree.Append(nil, b, anatomy.PrintOptions{Columns: 6}))
	// Output:
	// 0000  0a 03  41 64 61       1 name (string) "Ada"
	// 0005  10  07                2 amount (sint64) -4
	// 0007  18  01                3 kind (enum shop.v1.Kind) CARD (1)
	// 0009  18  09                3 kind (enum shop.v1.Kind) 9  # unknown: no value of the enum
	// 000b  22 04                 4 inner (message shop.v1.Deposit)
	// 000d  0a 02  68 69            1 name (string) "hi"
	// 0011  2b                    5 part (group shop.v1.Deposit)
	// 0012  10  02                  2 amount (sint64) 1
	// 0014  2c                    end of group
	// 0015  32 03                 6 list (int32)
	// 0017  01                      1
	// 0018  80 01                   128
	// 001a  39  00 00 00 00 00 .. 7 rate (double) 1.5
	// 0023  0d  00 00 80 3f       1 name (string) 1065353216 or 1  # unknown: another wire type
	// 0028  4a 04                 9 (bytes) "\x08\x01\x12\x00" or a message:
	// 002a  08  01                  1 (varint) 1
	// 002c  12 00                   2 (bytes) ""
}

// TestWithoutSchema offers bytes that could be a message as one.
func TestWithoutSchema(t *testing.T) {
	b := []byte(example)
	tree := anatomy.Of(b, nil, anatomy.Options{})
	text := string(tree.Append(nil, b, anatomy.PrintOptions{}))
	for _, want := range []string{`1 (bytes) "Ada"`, "4 (bytes) \"\\n\\x02hi\" or a message:",
		"9 (bytes) \"\\x08\\x01\\x12\\x00\" or a message:", "1 (fixed32) 1065353216 or 1"} {
		if !strings.Contains(text, want) {
			t.Errorf("there is no %s in\n%s", want, text)
		}
	}
}

// TestFaults wants to be told where an encoding is wrong.
func TestFaults(t *testing.T) {
	typ := deposit(t)
	for input, want := range map[string]string{
		"\x0a\x03Ada\x10\x80":      "5 amount the varint is cut off or larger than 64 bits",
		"\x22\x04\x0a\x05hi":       "2 inner[0].name the length is more than what is left",
		"\x22\x00\x22\x02\x10":     "2 inner the length is more than what is left",
		"\x22\x00\x22\x01\x10":     "4 inner[1].amount the varint is cut off or larger than 64 bits",
		"\x2b\x10\x02":             "3 part the group has no end",
		"\x14":                     "0  the end of a group that has not begun",
		"\x0f":                     "0 name the tag has a wire type that there is not",
		"\x00":                     "0  the tag has a field number that no field can have",
		"\x80":                     "0  the tag is cut off or longer than ten bytes",
		"\x32\x01\x80":             "2 list the packed list ends in a number",
		"\x39\x00":                 "0 rate the number is cut off",
		"\x22\x02\x0a\x09\x0a\x09": "2 inner[0].name the length is more than what is left",
	} {
		tree := anatomy.Of([]byte(input), typ, anatomy.Options{})
		if tree.Fault == nil || tree.Error == "" {
			t.Errorf("%x: no fault", input)
			continue
		}
		got := fmt.Sprint(tree.Fault.Offset, " ", tree.Fault.Path, " ", tree.Fault.Reason)
		if got != want {
			t.Errorf("%x: %s\nfor %s", input, got, want)
		}
	}
}

// TestLimits makes trees that would be large or deep.
func TestLimits(t *testing.T) {
	typ := deposit(t)
	wide := []byte(strings.Repeat("\x10\x02", 1000))
	tree := anatomy.Of(wide, typ, anatomy.Options{MaxNodes: 10})
	if len(tree.Nodes) != 10 || !tree.Cut || tree.Fault != nil {
		t.Errorf("%d nodes, cut: %t, fault %v", len(tree.Nodes), tree.Cut, tree.Fault)
	}
	deep := []byte(strings.Repeat("\x2b", 5000) + strings.Repeat("\x2c", 5000))
	tree = anatomy.Of(deep, typ, anatomy.Options{})
	if !tree.Cut || tree.Fault != nil {
		t.Errorf("deep: cut: %t, fault %v", tree.Cut, tree.Fault)
	}
	tree = anatomy.Of(deep[1:], typ, anatomy.Options{})
	if tree.Fault == nil {
		t.Error("deep: no fault")
	}
}

// TestNoControlCharacters prints values that are commands of terminals.
func TestNoControlCharacters(t *testing.T) {
	b := []byte("\x0a\x09\x1b[31m\u202e\x7f\x4a\x03\x1b]0")
	text := string(anatomy.Of(b, deposit(t), anatomy.Options{}).Append(nil, b,
		anatomy.PrintOptions{}))
	for _, r := range text {
		if r < ' ' && r != '\n' || r == 0x7f || r == '\u202e' {
			t.Fatalf("%q", text)
		}
	}
}

// FuzzOf wants nodes that lie in their parents, one behind the other, and the verdict of the
// runtime.
func FuzzOf(f *testing.F) {
	typ := deposit(f)
	f.Add([]byte(example), true)
	f.Add([]byte(example), false)
	for _, s := range []string{"\x22\x04\x0a\x05hi", "\x2b\x10\x02", "\x32\x01\x80",
		"\x4b\x88\x80\x80\x80\x10\x00\x4c"} {
		f.Add([]byte(s), true)
	}
	f.Fuzz(func(t *testing.T, b []byte, known bool) {
		used := typ
		if !known {
			used = nil
		}
		tree := anatomy.Of(b, used, anatomy.Options{})
		if text, err := json.Marshal(tree); err != nil || !json.Valid(text) {
			t.Fatal(err)
		}
		tree.Append(nil, b, anatomy.PrintOptions{Color: true})
		end := contiguous(t, tree.Nodes, 0)
		if tree.Fault == nil && !tree.Cut && end != len(b) {
			t.Fatalf("ends at %d", end)
		}
		if !tree.Cut && known && (tree.Fault != nil) != (typ.Check(b) != nil) {
			t.Fatalf("fault %v for %v", tree.Fault, typ.Check(b))
		}
	})
}

func contiguous(t *testing.T, nodes []anatomy.Node, off int) int {
	t.Helper()
	for _, n := range nodes {
		if n.Tag != off || n.Tag > n.Length || n.Length > n.Value || n.Value > n.End ||
			n.End > n.Next {
			t.Fatalf("at %d: %+v", off, n)
		}
		if end := contiguous(t, n.Children, n.Value); len(n.Children) > 0 && end > n.End ||
			n.Fault == nil && !n.Cut && len(n.Children) > 0 && end != n.End {
			t.Fatalf("children end at %d: %+v", end, n)
		}
		off = n.Next
	}
	return off
}
