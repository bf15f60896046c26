package foreign

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"

	"google.golang.org/protobuf/proto"

	"github.com/octopus-framework/octopus/conformance/internal/check"
	"github.com/octopus-framework/octopus/gremlin"
)

// nasty is one recorded input.
type nasty struct {
	ID, Category, Type, Note string
	Hex                      *string
	Accept                   bool
	Reencoded                *string
	Implementations_differ   bool
}

// nasties compares verdict, values and re-encoding with what is recorded, and what decoding
// allocates with 64 times the input and a MiB, which UnmarshalWithin keeps to the byte.
func (s *suite) nasties(file, cases string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return err
	}
	var recorded, differ, values, memory, within tally
	largest := 0.0
	for r := bufio.NewReader(z); ; {
		line, err := r.ReadBytes('\n')
		if err == io.EOF {
			break
		} else if err != nil {
			return err
		}
		var n nasty
		if err := json.Unmarshal(line, &n); err != nil {
			return err
		}
		typ, ok := s.types[n.Type]
		if !ok {
			return fmt.Errorf("no type %s", n.Type)
		}
		b, err := n.bytes(cases)
		if err != nil {
			return err
		}
		name := n.ID + " " + n.Category + " (" + n.Note + ")"
		t := &recorded
		if n.Implementations_differ {
			t = &differ
		}
		t.check(name, n.same(typ, b))
		values.check(name, check.Input(typ, b))
		used := allocated(func() { _ = typ.NewMessage().Unmarshal(b) })
		largest = max(largest, float64(used-1<<20)/float64(max(len(b), 1)))
		if used > 1<<20+int64(64*len(b)) {
			err = fmt.Errorf("decoding %d bytes allocates %d", len(b), used)
		}
		memory.check(name, err)
		within.check(name, keepsWithin(typ, b))
	}
	fmt.Printf("memory beyond 1 MiB: at most %.0fx the input\n", largest)
	return errors.Join(recorded.err("recorded verdicts"),
		differ.err("verdicts on which implementations differ"),
		values.err("comparisons"), memory.err("memory limits"),
		within.err("limits of UnmarshalWithin"))
}

// keepsWithin checks that UnmarshalWithin allocates no more than it may, which is what a hostile
// sender may cost, and that it says what Unmarshal does unless that is too much.
func keepsWithin(typ check.Type, b []byte) error {
	limit := 64*len(b) + 1<<20
	m := typ.NewMessage()
	var err error
	if used := allocated(func() {
		err = gremlin.UnmarshalWithin(b, m, limit)
	}); used > int64(limit+typ.StructSize()) {
		return fmt.Errorf("UnmarshalWithin %d allocates %d", limit, used)
	}
	if errors.Is(err, gremlin.TooMuchMemory) {
		if m.Size() != 0 {
			return errors.New("UnmarshalWithin refuses and leaves something")
		}
		return nil
	}
	want := typ.NewMessage()
	werr := want.Unmarshal(b)
	if errors.Is(werr, gremlin.TooMuchMemory) { // it has less for what is nested deep
		return nil
	}
	if (err == nil) != (werr == nil) {
		return fmt.Errorf("UnmarshalWithin: %v, Unmarshal: %v", err, werr)
	}
	if !bytes.Equal(gremlin.MarshalStable(nil, m), gremlin.MarshalStable(nil, want)) {
		return errors.New("UnmarshalWithin gives another message than Unmarshal")
	}
	return nil
}

func (n *nasty) bytes(cases string) ([]byte, error) {
	if n.Hex != nil {
		return hex.DecodeString(*n.Hex)
	}
	return os.ReadFile(filepath.Join(cases, n.ID+".bin"))
}

// same compares with the record.
func (n *nasty) same(typ check.Type, b []byte) error {
	m := typ.NewMessage()
	err := m.Unmarshal(b)
	// what is nested deeper than others read, and takes too much
	if n.Implementations_differ && check.Refused(typ, b) {
		if !errors.Is(err, gremlin.TooMuchMemory) {
			return fmt.Errorf("Unmarshal: %v, although it nests too much", err)
		}
		return nil
	}
	if (err == nil) != n.Accept {
		return fmt.Errorf("Unmarshal: %v, recorded accept: %v", err, n.Accept)
	}
	if err != nil || n.Reencoded == nil {
		return nil
	}
	want, err := hex.DecodeString(*n.Reencoded)
	if err != nil {
		return err
	}
	got := gremlin.MarshalStable(nil, m)
	if bytes.Equal(got, want) {
		return nil
	}
	x, y := typ.New(), typ.New()
	if err := errors.Join(proto.Unmarshal(got, x), proto.Unmarshal(want, y)); err != nil {
		return err
	}
	if !proto.Equal(x, y) {
		return fmt.Errorf("re-encoded as %x, recorded %x", got, want)
	}
	return nil
}

func allocated(f func()) int64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return int64(after.TotalAlloc - before.TotalAlloc)
}
