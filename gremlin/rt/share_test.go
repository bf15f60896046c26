package rt_test

import (
	"sync"
	"testing"

	"github.com/octopus-framework/octopus/gremlin/descriptor"
	"github.com/octopus-framework/octopus/gremlin/wkt"
)

func newAPI() *wkt.Api {
	return &wkt.Api{
		Name:          "shop.v1.Deposits",
		Version:       "v1",
		SourceContext: &wkt.SourceContext{FileName: "shop/v1/deposits.proto"},
		Methods:       []wkt.Method{{Name: "Get"}, {Name: "List", ResponseStreaming: true}},
	}
}

func readAPI(r *wkt.ApiReader) int {
	n := len(r.GetName()) + len(r.GetSourceContext().GetFileName())
	for m := range r.Methods() {
		n += len(m.GetName())
		if m.GetResponseStreaming() {
			n++
		}
	}
	return n
}

// TestMarshalAllocations: one for Marshal, flat or not, none for MarshalAppend where it fits.
func TestMarshalAllocations(t *testing.T) {
	api, ts := newAPI(), &wkt.Timestamp{Seconds: 1 << 40, Nanos: 5}
	buf := make([]byte, 0, 1024)
	for name, c := range map[string]struct {
		f    func()
		want float64
	}{
		"flat":   {func() { buf = append(buf[:0], ts.Marshal()...) }, 1},
		"nested": {func() { buf = append(buf[:0], api.Marshal()...) }, 1},
		"append": {func() { buf = api.MarshalAppend(buf[:0]) }, 0},
		"exact": {func() {
			buf = append(buf[:0], api.MarshalAppend(make([]byte, 0, api.Size()))...)
		}, 1},
	} {
		if n := testing.AllocsPerRun(100, c.f); n > c.want {
			t.Errorf("%s: %v allocations, want %v", name, n, c.want)
		}
	}
}

// TestSharedReader is for the race detector.
func TestSharedReader(t *testing.T) {
	api := newAPI()
	var r wkt.ApiReader
	if err := r.Unmarshal(api.Marshal()); err != nil {
		t.Fatal(err)
	}
	want := readAPI(&r)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 200 {
				if got := readAPI(&r); got != want || r.LenMethods() != 2 ||
					!r.ToMessage().Equal(api) {
					t.Errorf("read %d, want %d", got, want)
					return
				}
			}
		})
	}
	wg.Wait()
}

// TestSharedNumbers appends to the lists of a decoded message, which share memory: none may see
// what another one gets.
func TestSharedNumbers(t *testing.T) {
	var m, got descriptor.SourceCodeInfo
	for i := range int32(200) {
		m.Location = append(m.Location, descriptor.SourceCodeInfo_Location{Path: []int32{i, -i, i},
			Span: make([]int32, i)})
		for k := range m.Location[i].Span {
			m.Location[i].Span[k] = i + int32(k)
		}
	}
	if err := got.Unmarshal(m.Marshal()); err != nil {
		t.Fatal(err)
	}
	for i := range got.Location {
		_ = append(got.Location[i].Path, -1)
		_ = append(got.Location[i].Span, -1)
	}
	if !got.Equal(&m) {
		t.Error("appending to one list changed another one")
	}
}
