package kit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"

	gremlinjson "github.com/octopus-framework/octopus/gremlin/json"
	pb "github.com/octopus-framework/octopus/lab/jsonlab/internal/gremlin"
	"github.com/octopus-framework/octopus/lab/worker"
)

// form turns the messages of one type from form to form.
type form struct {
	sent textOf // of what the input is an encoding of
	kept textOf // of what is decoded, which may know fewer fields
	less bool   // it does: unknown fields are to be skipped, and there is nothing to encode
}

// textOf gives the JSON of an encoded message. It is what all implementations read.
type textOf func(wire []byte) []byte

type reader[R any] interface {
	*R
	Unmarshal(b []byte) error
	AppendJSON(b []byte, o gremlinjson.Options) ([]byte, error)
}

// by returns the JSON that our Reader writes; a test compares it with that of protojson.
func by[R any, P reader[R]]() textOf {
	return func(wire []byte) []byte {
		r := P(new(R))
		worker.Must(r.Unmarshal(wire))
		return Must(r.AppendJSON(nil, gremlinjson.Options{}))
	}
}

func whole[R any, P reader[R]]() form { return form{sent: by[R, P](), kept: by[R, P]()} }

// forms are those of all types.
var forms = map[string]form{
	"Empty":       whole[pb.EmptyReader](),
	"Ints1":       whole[pb.Ints1Reader](),
	"Ints5":       whole[pb.Ints5Reader](),
	"Ints10":      whole[pb.Ints10Reader](),
	"Doubles10":   whole[pb.Doubles10Reader](),
	"SixDigits10": whole[pb.Doubles10Reader](),
	"Strings1":    whole[pb.Strings1Reader](),
	"Strings5":    whole[pb.Strings5Reader](),
	"Strings10":   whole[pb.Strings10Reader](),
	"IntList":     whole[pb.IntListReader](),
	"DoubleList":  whole[pb.DoubleListReader](),
	"ObjectList":  whole[pb.ObjectListReader](),
	"Node":        whole[pb.NodeReader](),
	"Known":       {sent: by[pb.WideReader](), kept: by[pb.KnownReader](), less: true},
	"Submit":      whole[pb.SubmitReader](),
	"Deposit":     whole[pb.DepositReader](),
}

// Text returns what implementations read: the JSON of an encoded message, all of it.
func Text(typ string, wire []byte) []byte { return forms[typ].sent(wire) }

// show is Show of what is kept of an encoded message.
func (f form) show(wire []byte) []byte { return Show(f.kept(wire)) }

// Show brings JSON into one form: names sorted, numbers and escapes written in one way.
func Show(text []byte) []byte {
	var v any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		panic(fmt.Sprintf("not JSON: %v: %s", err, text))
	}
	if d.More() {
		panic(fmt.Sprintf("more than one value: %s", text))
	}
	return Must(json.Marshal(sameNumbers(v)))
}

func sameNumbers(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k := range v {
			v[k] = sameNumbers(v[k])
		}
	case []any:
		for i := range v {
			v[i] = sameNumbers(v[i])
		}
	case json.Number:
		x, err := strconv.ParseFloat(v.String(), 64)
		worker.Must(err)
		return x
	}
	return v
}
