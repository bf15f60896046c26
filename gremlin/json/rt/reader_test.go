package rt_test

import (
	"math/rand/v2"
	"testing"

	jsonrt "github.com/octopus-framework/octopus/gremlin/json/rt"
	"github.com/octopus-framework/octopus/gremlin/rt"
	"github.com/octopus-framework/octopus/gremlin/wkt"
)

// TestReaderWritesWhatMessageWrites strings fields together as no encoder would: in any order,
// repeated, lists and messages in pieces, unknown fields between them, zeros.
func TestReaderWritesWhatMessageWrites(t *testing.T) {
	pieces := [][]byte{
		(&wkt.Type{Name: "a"}).Marshal(), (&wkt.Type{Name: "b \" é"}).Marshal(), {1<<3 | 2, 0},
		(&wkt.Type{Oneofs: []string{"x", "", "\n"}}).Marshal(),
		(&wkt.Type{Fields: []wkt.Field{{Number: -5, Packed: true}, {}}}).Marshal(),
		(&wkt.Type{SourceContext: &wkt.SourceContext{FileName: "f"}}).Marshal(), {5<<3 | 2, 0},
		(&wkt.Type{Options: []wkt.Option{{Name: "o", Value: &wkt.Any{}}, {}}}).Marshal(),
		(&wkt.Type{Syntax: 2}).Marshal(), (&wkt.Type{Syntax: 7}).Marshal(), {6 << 3, 0},
		{6 << 3, 0x81, 0x80, 0},
		(&wkt.Type{Edition: "2023"}).Marshal(),
		rt.AppendVarint(nil, 100<<3, 5), rt.AppendVarint(nil, 2<<3, 5),
		{100<<3&0x7f | 3 | 0x80, 100 >> 4, 1 << 3, 1, 100<<3&0x7f | 4 | 0x80, 100 >> 4},
		rt.AppendBytesAlways(nil, 19<<3|2, []byte("unknown")), {9<<3 | 5, 1, 2, 3, 4},
		{9<<3 | 1, 1, 2, 3, 4, 5, 6, 7, 8},
	}
	rng := rand.New(rand.NewPCG(1, 2))
	written := 0
	for range 5000 {
		var wire []byte
		for range rng.IntN(12) {
			wire = append(wire, pieces[rng.IntN(len(pieces))]...)
		}
		if rng.IntN(20) == 0 {
			wire = wire[:rng.IntN(len(wire)+1)]
		}
		var m wkt.Type
		var r wkt.TypeReader
		if err, rerr := m.Unmarshal(wire), r.Unmarshal(wire); err != nil {
			continue
		} else if rerr != nil {
			t.Fatalf("%x: %v of the Reader alone", wire, rerr)
		}
		for _, o := range []jsonrt.Options{{}, {EmitDefaults: true, ProtoNames: true}} {
			want, err := m.AppendJSON(nil, o)
			got, rerr := r.AppendJSON(nil, o)
			if err != nil || rerr != nil || string(got) != string(want) {
				t.Fatalf("%x:\n%s %v of the Message\n%s %v of the Reader", wire, want, err, got,
					rerr)
			}
		}
		written++
	}
	if written < 4000 {
		t.Errorf("only %d were right", written)
	}
}

// TestReaderNamesWhatIsWrong: the Reader has looked at one level; what is wrong below is found
// while it is written.
func TestReaderNamesWhatIsWrong(t *testing.T) {
	good := (&wkt.Type{Name: "a", Fields: []wkt.Field{{Number: 1}}}).Marshal()
	field := func(inner ...byte) []byte {
		return rt.AppendBytesAlways(good[:len(good):len(good)], 2<<3|2, inner)
	}
	for _, c := range []struct {
		wire []byte
		o    jsonrt.Options
		want string
	}{
		{field(1<<3, 0x80), jsonrt.Options{},
			"google.protobuf.Type: fields[1]: malformed protobuf"},
		{field(4<<3|2, 1, 0xff), jsonrt.Options{},
			"google.protobuf.Type: fields[1].name: invalid UTF-8"},
		{field(9<<3|2, 2, 2<<3|2, 5), jsonrt.Options{},
			"google.protobuf.Type: fields[1].options[0]: malformed protobuf"},
		{rt.AppendBytesAlways(nil, 1<<3|2, []byte{0xff}), jsonrt.Options{},
			"google.protobuf.Type: name: invalid UTF-8"},
		{good, jsonrt.Options{MaxDepth: 1},
			"google.protobuf.Type: fields[0]: messages nested too deeply"},
	} {
		var r wkt.TypeReader
		if err := r.Unmarshal(c.wire); err != nil {
			t.Fatal(err)
		}
		b, err := r.AppendJSON([]byte("x"), c.o)
		if err == nil || err.Error() != c.want || string(b) != "x" {
			t.Errorf("%x: %q and %v, want %s", c.wire, b, err, c.want)
		}
	}
}
