package jsonlab

import (
	"strings"

	"github.com/bytedance/sonic"
	"github.com/bytedance/sonic/encoder"
	jsoniter "github.com/json-iterator/go"

	"github.com/octopus-framework/octopus/gremlin/json"
	easypb "github.com/octopus-framework/octopus/lab/jsonlab/internal/easy"
	googlepb "github.com/octopus-framework/octopus/lab/jsonlab/internal/google"
	gremlinpb "github.com/octopus-framework/octopus/lab/jsonlab/internal/gremlin"
	"github.com/octopus-framework/octopus/lab/jsonlab/internal/plain"
	"github.com/octopus-framework/octopus/lab/worker"
)

// typeOps is a type of messages and what each implementation can do with it.
type typeOps struct {
	name  string
	forms forms
	impls map[string]map[string]worker.Op
}

// modules has the implementations in the order of reports, each with the module whose version is its version.
var modules = [][2]string{
	{"protojson", "google.golang.org/protobuf"},
	{"encoding-json", ""},
	{"json-v2", "github.com/go-json-experiment/json"},
	{"jsoniter", "github.com/json-iterator/go"},
	{"jsoniter-fastest", "github.com/json-iterator/go"},
	{"sonic", "github.com/bytedance/sonic"},
	{"sonic-std", "github.com/bytedance/sonic"},
	{"easyjson", "github.com/mailru/easyjson"},
	{"gremlin-message", ""},
	{"gremlin-reader", ""},
	{"gremlin-two-steps", ""},
	{"gremlin-six-digits", ""},
	{"reference-binary", ""},
}

// typed lists what can be done with a type that is P in package plain, E in easyjson's, G in protobuf-go's and U in our copy, with
// the Reader R.
// lossy says that doubles of the workload have no more than six digits, so that implementations which cut them may take part.
func typed[P, E, G, U, R any, PE easyMessage[E], PG protoMessage[G], PU gremlinMessage[U], PR gremlinReader[R]](name string, lossy bool,
	toWire func(dst, text []byte, o json.Options) ([]byte, error)) typeOps {
	sample := PG(new(G))
	f := forms{sample, sample}
	if name == "Known" {
		f.sent = new(googlepb.Wide)
	}
	t := typeOps{name, f, map[string]map[string]worker.Op{
		"protojson":         ops(f, google[G, PG]),
		"encoding-json":     ops(f, encodingJSON[P]),
		"json-v2":           ops(f, experiment[P]),
		"jsoniter":          ops(f, iterator[P](jsoniter.ConfigCompatibleWithStandardLibrary)),
		"jsoniter-fastest":  ops(f, iterator[P](jsoniter.ConfigFastest)),
		"sonic":             ops(f, bytedance[P](sonic.ConfigDefault, 0)),
		"sonic-std":         ops(f, bytedance[P](sonic.ConfigStd, encoder.EscapeHTML|encoder.SortMapKeys|encoder.CompactMarshaler|encoder.ValidateString)),
		"easyjson":          ops(f, easy[E, PE]),
		"gremlin-message":   ops(f, gremlinMessages[U, PU]),
		"gremlin-reader":    ops(f, gremlinReaders[R, PR](toWire)),
		"gremlin-two-steps": ops(f, gremlinTwoSteps[U, PU]),
		"reference-binary":  ops(f, binary[U, PU]),
	}}
	if strings.HasPrefix(name, "SixDigits") {
		t.impls["gremlin-six-digits"] = ops(f, gremlinSixDigits[U, PU])
	}
	if !lossy {
		delete(t.impls, "jsoniter-fastest")
	}
	return t
}

var types = []typeOps{
	typed[plain.Empty, easypb.Empty, googlepb.Empty, gremlinpb.Empty, gremlinpb.EmptyReader]("Empty", true, gremlinpb.Empty_JSONToWire),
	typed[plain.Ints1, easypb.Ints1, googlepb.Ints1, gremlinpb.Ints1, gremlinpb.Ints1Reader]("Ints1", true, gremlinpb.Ints1_JSONToWire),
	typed[plain.Ints5, easypb.Ints5, googlepb.Ints5, gremlinpb.Ints5, gremlinpb.Ints5Reader]("Ints5", true, gremlinpb.Ints5_JSONToWire),
	typed[plain.Ints10, easypb.Ints10, googlepb.Ints10, gremlinpb.Ints10, gremlinpb.Ints10Reader]("Ints10", true, gremlinpb.Ints10_JSONToWire),
	typed[plain.Doubles10, easypb.Doubles10, googlepb.Doubles10, gremlinpb.Doubles10, gremlinpb.Doubles10Reader]("Doubles10", false, gremlinpb.Doubles10_JSONToWire),
	typed[plain.Doubles10, easypb.Doubles10, googlepb.Doubles10, gremlinpb.Doubles10, gremlinpb.Doubles10Reader]("SixDigits10", true, gremlinpb.Doubles10_JSONToWire),
	typed[plain.Strings1, easypb.Strings1, googlepb.Strings1, gremlinpb.Strings1, gremlinpb.Strings1Reader]("Strings1", true, gremlinpb.Strings1_JSONToWire),
	typed[plain.Strings5, easypb.Strings5, googlepb.Strings5, gremlinpb.Strings5, gremlinpb.Strings5Reader]("Strings5", true, gremlinpb.Strings5_JSONToWire),
	typed[plain.Strings10, easypb.Strings10, googlepb.Strings10, gremlinpb.Strings10, gremlinpb.Strings10Reader]("Strings10", true, gremlinpb.Strings10_JSONToWire),
	typed[plain.IntList, easypb.IntList, googlepb.IntList, gremlinpb.IntList, gremlinpb.IntListReader]("IntList", true, gremlinpb.IntList_JSONToWire),
	typed[plain.DoubleList, easypb.DoubleList, googlepb.DoubleList, gremlinpb.DoubleList, gremlinpb.DoubleListReader]("DoubleList", false, gremlinpb.DoubleList_JSONToWire),
	typed[plain.ObjectList, easypb.ObjectList, googlepb.ObjectList, gremlinpb.ObjectList, gremlinpb.ObjectListReader]("ObjectList", true, gremlinpb.ObjectList_JSONToWire),
	typed[plain.Node, easypb.Node, googlepb.Node, gremlinpb.Node, gremlinpb.NodeReader]("Node", true, gremlinpb.Node_JSONToWire),
	typed[plain.Known, easypb.Known, googlepb.Known, gremlinpb.Known, gremlinpb.KnownReader]("Known", true, gremlinpb.Known_JSONToWire),
	typed[plain.Submit, easypb.Submit, googlepb.Submit, gremlinpb.Submit, gremlinpb.SubmitReader]("Submit", true, gremlinpb.Submit_JSONToWire),
	typed[plain.Deposit, easypb.Deposit, googlepb.Deposit, gremlinpb.Deposit, gremlinpb.DepositReader]("Deposit", false, gremlinpb.Deposit_JSONToWire),
}

// Impls returns all implementations.
func Impls() []worker.Impl {
	var all []worker.Impl
	for _, m := range modules {
		impl := worker.Impl{Name: m[0], Module: m[1], Types: map[string]map[string]worker.Op{}}
		for _, t := range types {
			ops := t.impls[m[0]]
			if ops == nil {
				continue
			}
			if strings.HasPrefix(m[0], "sonic") && !SonicCompiles() {
				for name := range ops {
					ops[name] = func(worker.Input) worker.Loop {
						panic("sonic hands over to encoding/json on this machine or Go version")
					}
				}
			}
			impl.Types[t.name] = ops
		}
		all = append(all, impl)
	}
	return all
}
