package gogo_test

import (
	"strings"
	"testing"

	"github.com/octopus-framework/octopus/internal/compiler/gogo/shape"
)

const byHand = `syntax = "proto2";
package byhand;
import "github.com/gogo/protobuf/gogoproto/gogo.proto";
option go_package = "byhand";
message Pod {
  optional string name = 1 [(gogoproto.nullable) = false];
  map<string, string> labels = 2;
  repeated Spec specs = 3 [(gogoproto.nullable) = false];
  optional Hand hand = 4;
  repeated Hand hands = 5 [(gogoproto.nullable) = false];
  map<string, Hand> entries = 6;
  oneof o { Hand member = 7; }
  optional Phase phase = 8 [(gogoproto.nullable) = false];
}
message Spec { optional int64 replicas = 1 [(gogoproto.nullable) = false]; }
message Hand {
  option (gogoproto.marshaler) = false;
  option (gogoproto.sizer) = false;
  option (gogoproto.unmarshaler) = false;
  option (gogoproto.typedecl) = false;
  option (gogoproto.stringer) = false;
  option (gogoproto.goproto_stringer) = false;
}
enum Phase { PENDING = 0; RUNNING = 1; }
`

// handMethods are methods that somebody wrote: a Hand is its text backwards.
const handMethods = `package byhand

import "slices"

// Hand is written by hand.
type Hand struct{ Text string }

// Calls counts the calls of each method.
var Calls = map[string]int{}

func (h *Hand) Size() int { Calls["Size"]++; return len(h.Text) }

func (h *Hand) Marshal() ([]byte, error) {
	b := make([]byte, len(h.Text))
	_, err := h.MarshalToSizedBuffer(b)
	return b, err
}

func (h *Hand) MarshalTo(b []byte) (int, error) { return h.MarshalToSizedBuffer(b[:len(h.Text)]) }

func (h *Hand) MarshalToSizedBuffer(b []byte) (int, error) {
	Calls["MarshalToSizedBuffer"]++
	t := []byte(h.Text)
	slices.Reverse(t)
	return copy(b[len(b)-len(t):], t), nil
}

func (h *Hand) Unmarshal(b []byte) error {
	Calls["Unmarshal"]++
	t := slices.Clone(b)
	slices.Reverse(t)
	h.Text = string(t)
	return nil
}

func (h *Hand) String() string { return h.Text }
`

// podTypes are the types that code of preset k8s has none of.
const podTypes = `package byhand

// Pod is written by hand.
type Pod struct {
	Name    string
	Labels  map[string]string
	Specs   []Spec
	Hand    *Hand
	Hands   []Hand
	Entries map[string]*Hand
	O       isPod_O
	Phase   Phase
}

// Spec is written by hand.
type Spec struct{ Replicas int64 }

// Phase is written by hand.
type Phase int32

// The phases.
const (
	PENDING Phase = 0
	RUNNING Phase = 1
)
`

const podProgram = `package main

import (
	"fmt"

	"github.com/octopus-framework/octopus/conformance/gogo/scratch/byhand"
)

func main() {
	n := int64(3)
	m := &byhand.Pod{Name: "n", Labels: map[string]string{"b": "2", "a": "1"}, Specs: []byhand.Spec{{Replicas: n}},
		Hand: &byhand.Hand{Text: "one"}, Hands: []byhand.Hand{{Text: "two"}, {}},
		Entries: map[string]*byhand.Hand{"k": {Text: "three"}}, O: &byhand.Pod_Member{&byhand.Hand{Text: "four"}}, Phase: 1}
	b, err := m.Marshal()
	fmt.Println(len(b) == m.Size(), err)
	back := new(byhand.Pod)
	fmt.Println(back.Unmarshal(b), back.Name, len(back.Labels), back.Specs[0].Replicas, back.Hand.Text, back.Hands[0].Text,
		back.Entries["k"].Text, back.O.(*byhand.Pod_Member).Member.Text, back.Phase)
	fmt.Println(byhand.Calls["Size"] > 4, byhand.Calls["MarshalToSizedBuffer"], byhand.Calls["Unmarshal"])
	again, _ := back.Marshal()
	fmt.Println(STABLE || string(again) == string(b))
}
`

// TestPresets compiles and runs code of presets whose types or methods are written by hand.
func TestPresets(t *testing.T) {
	module := gogoFolder(t)
	for _, preset := range []string{"k8s", "gogofast", "gocosmos"} {
		t.Run(preset, func(t *testing.T) {
			dir := scratch(t)
			write(t, dir, map[string]string{"byhand.proto": byHand,
				"byhand/hand.go": handMethods, "main.go": replace(podProgram, preset)})
			if preset == "k8s" {
				write(t, dir, map[string]string{"byhand/types.go": podTypes})
			}
			req := request(t, []string{dir, importRoot(t, module)}, "", "byhand.proto")
			for file, text := range shaped(t, req, preset, shape.FileOptions{
				Suffix: ".pb.go", Registry: shape.RegistryNone}) {
				write(t, dir, map[string]string{"byhand/" + file: text})
			}
			run(t, dir, "vet", "-composites=false", "./byhand")
			const want = "true <nil>\n<nil> n 2 3 one two three four RUNNING\ntrue 5 5\ntrue\n"
			if got := run(t, dir, "run", "."); got != want {
				t.Errorf("got\n%swant\n%s", got, want)
			}
		})
	}
}

// replace fits the program to a preset: maps of k8s are sorted, those of others come in any order.
func replace(program, preset string) string {
	if preset == "k8s" {
		return strings.Replace(program, "STABLE", "false", 1)
	}
	return strings.Replace(program, "STABLE", "true", 1)
}
