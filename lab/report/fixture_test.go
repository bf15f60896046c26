package report

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// fixture is a run that never was, with the shape of a real one: every figure follows from a factor of the implementation
// and a cost of the operation, so that tests know what to find.
func fixture() *Results {
	impls := []struct {
		name   string
		factor float64 // of the baseline's time
		memory float64
	}{
		{"protobuf-go", 1, 1}, {"protobuf-go opaque lazy", 0.8, 0.7}, {"golang/protobuf 1.3.5", 0.9, 1.1}, {"gogo gofast", 0.55, 1},
		{"vtprotobuf", 0.5, 0.9}, {"vtprotobuf unsafe", 0.2, 0.4}, {"hyperpb shared", 0.4, 0}, {"easyproto", 0.25, 0}, {"molecule", 0.6, 0.1},
		{"gremlin Reader", 0.05, 0}, {"gremlin Reader+Validate", 0.15, 0}, {"gremlin Message", 0.3, 0.5}, {"floor copy", 0.01, 0},
	}
	r := &Results{
		Date: "2026-01-02T03:04:05Z", Commit: "0123456789ab", Versions: map[string]string{},
		Machine: Machine{CPU: "Example <CPU> @ 3 GHz", Cores: 2, MemBytes: 16 << 30, OS: "linux 6.1", Go: "go1.26"},
		Control: []Control{{"Submit", "read all", "protobuf-go", 500, 505}, {"Deposit", "append", "gremlin Message", 100, 97}},
		Wrong:   []Wrong{{"DeepNested", "read all", "molecule", `field 3 is "</script>", want "x"`}},
	}
	for _, w := range []struct {
		name string
		size int
	}{{"Submit", 350}, {"Deposit", 373}, {"DeepNested", 1409}} {
		for k, op := range []string{"unmarshal", "read 2 fields", "read all", "append"} {
			for i, x := range impls {
				if w.name == "DeepNested" && x.name == "molecule" {
					continue
				}
				for _, s := range [][2]int{{1, 0}, {2, 0}, {1, 64}} {
					ns := float64(w.size) * x.factor * float64(k+1) / float64(s[0]) * (1 + float64(s[1])/1000)
					r.Measurements = append(r.Measurements, Measurement{
						Group: GroupProtobuf, Workload: w.name, Size: w.size, Op: op, Impl: x.name, Goroutines: s[0], BallastMiB: s[1],
						Ns: ns, NsMin: ns * 0.95, NsMax: ns * (1.02 + float64(i)/50), Bytes: 1600 * x.memory, Allocs: float64(int(46 * x.memory)),
						MBs: float64(w.size) / ns * 1000, GCCycles: uint64(20 * x.memory), GCPauseNs: uint64(3e5 * x.memory), Rounds: 10,
					})
				}
			}
		}
	}
	// The one thing at which a peer wins.
	for i := range r.Measurements {
		if m := &r.Measurements[i]; m.Workload == "Deposit" && m.Op == "read all" && m.Impl == "easyproto" {
			m.Ns, m.NsMin, m.NsMax = m.Ns*0.1, m.NsMin*0.1, m.NsMax*0.1
		}
	}
	for _, op := range []string{"encode", "decode"} {
		for i, impl := range []string{"protojson", "encoding/json", "sonic", "gremlin JSON", "reference binary"} {
			ns := 5000 / float64(i*i+1)
			r.Measurements = append(r.Measurements, Measurement{Group: GroupJSON, Workload: "ten integers", Size: 90, Op: op, Impl: impl,
				Goroutines: 1, Ns: ns, NsMin: ns, NsMax: ns, Rounds: 10})
		}
	}
	for i, x := range impls[:len(impls)-1] {
		for _, op := range []string{"read all", "append"} {
			s := line(20+300*x.factor, 100*x.factor, 20*x.factor, 90*x.factor, func() float64 { return float64(len(r.Sweeps)%5) / 100 })
			s.Impl, s.Op = x.name, op
			r.Sweeps = append(r.Sweeps, s)
		}
		r.Versions[x.name] = "v1.2.3"
		r.Sizes = append(r.Sizes, Size{x.name, int64(2+i) << 20, float64(10 + 5*i)})
		r.RSS = append(r.RSS, RSS{x.name, "Submit", "unmarshal", int64(20+10*i) << 20})
	}
	return r
}

func TestReadFile(t *testing.T) {
	want := fixture()
	data, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "results.json")
	if err := os.WriteFile(name, data, 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := ReadFile(name); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("what was written is not what was read: %v", err)
	}
	if err := os.WriteFile(name, bytes.Replace(data, []byte(`"gc_cycles"`), []byte(`"gc_cycle"`), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadFile(name); err == nil || !strings.Contains(err.Error(), "gc_cycle") || !strings.Contains(err.Error(), name) {
		t.Errorf("a key that nobody knows: %v", err)
	}
}

func TestLosses(t *testing.T) {
	losses, missing := Losses(fixture())
	if len(losses) != 1 || len(missing) != 0 {
		t.Fatalf("%d losses, %d missing: %+v", len(losses), len(missing), losses)
	}
	if l := losses[0]; l.Best.Workload != "Deposit" || l.Best.Op != "read all" || l.Best.Impl != "gremlin Reader" || !l.Best.plain() || l.Settings() != 3 ||
		len(l.By) != 1 || l.By[0].Impl != "easyproto" || l.Overlaps(l.By[0]) {
		t.Errorf("%+v", l)
	}
	m := func(impl string, ns float64) Measurement {
		return Measurement{Workload: "w", Op: "o", Impl: impl, Goroutines: 1, Ns: ns, NsMin: ns * 0.8, NsMax: ns * 1.2}
	}
	one := func(list ...Measurement) *Results { return &Results{Measurements: list} }
	if losses, _ := Losses(one(m("gremlin a", 100), m("gremlin b", 110), m("peer", 91), m("floor copy", 1))); losses != nil {
		t.Errorf("9 %% is no loss, a floor is no peer: %+v", losses)
	}
	losses, _ = Losses(one(m("gremlin a", 100), m("slow", 90), m("fast", 80)))
	if len(losses) != 1 || len(losses[0].By) != 2 || losses[0].By[0].Impl != "fast" || !losses[0].Overlaps(losses[0].By[0]) {
		t.Errorf("%+v", losses)
	}
	if _, missing := Losses(one(m("peer", 1))); len(missing) != 1 {
		t.Errorf("an operation without us: %+v", missing)
	}
}
