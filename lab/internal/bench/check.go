package bench

import (
	"errors"
	"fmt"

	"google.golang.org/protobuf/proto"

	"github.com/octopus-framework/octopus/lab/internal/floor"
	"github.com/octopus-framework/octopus/lab/schema"
	"github.com/octopus-framework/octopus/lab/worker"
	"github.com/octopus-framework/octopus/lab/workload"
)

// Check runs an operation once over the messages of w and compares with google.golang.org/protobuf. It returns the difference,
// nothing when there is none; an error is one of the lab.
func Check(p *Process, w workload.Workload, ref *workload.Reference, impl, op string) (difference string, err error) {
	r := worker.Request{Cmd: "check", Workload: w.Name, Op: op}
	a, err := p.Do(r)
	var failed Failed
	if errors.As(err, &failed) {
		return string(failed), nil
	} else if err != nil {
		return "", err
	}
	if impl == floor.Name {
		return checkFloor(w, a, op), nil
	}
	if worker.Writes(op) {
		return checkWritten(w, ref, a.Out), nil
	}
	if want := ref.Sum; op == worker.ReadAll && a.Sum != want {
		return fmt.Sprintf("the sum over all fields is %d and not %d", a.Sum, want), nil
	}
	if op == worker.ReadPath {
		if want := ref.SumPath(); a.Sum != want {
			return fmt.Sprintf("the sum over one path is %d and not %d", a.Sum, want), nil
		}
	}
	if op == worker.Read2 {
		if want := ref.Sum2(schema.TwoFields[w.Type]); a.Sum != want {
			return fmt.Sprintf("the sum over two fields is %d and not %d", a.Sum, want), nil
		}
	}
	if a.Values == ref.Values.Sum || a.Values == 0 && (op == worker.Read2 || op == worker.ReadPath) { // who reads some fields may have no more to show
		return "", nil
	}
	r.Listing = true
	if a, err = p.Do(r); err != nil {
		return "", err
	}
	listed, err := w.Reference(true)
	if err != nil {
		return "", err
	}
	if difference = worker.Difference(a.Lines, listed.Values.Lines); difference == "" {
		difference = "the sum over the values differs from the reference, but not their list"
	}
	return difference, nil
}

func checkWritten(w workload.Workload, ref *workload.Reference, out [][]byte) string {
	if len(out) != len(ref.Decode) {
		return fmt.Sprintf("%d messages were written, not %d", len(out), len(ref.Decode))
	}
	for i, want := range ref.Decode {
		got := w.New()
		if err := proto.Unmarshal(out[i], got); err != nil {
			return fmt.Sprintf("message %d: what was written is not read: %v", i, err)
		}
		if proto.Equal(got, want) {
			continue
		}
		// Say which value it is, with the listing that readers are compared by.
		var lists [2][]string
		for j, b := range [][]byte{out[i], w.Data[i]} {
			one := workload.Workload{Name: w.Name, Type: w.Type, Data: [][]byte{b}}
			listed, err := one.Reference(true)
			if err != nil {
				return err.Error()
			}
			lists[j] = listed.Values.Lines
		}
		if d := worker.Difference(lists[0], lists[1]); d != "" {
			return d
		}
		return fmt.Sprintf("message %d: unknown fields are lost: %d bytes of %d", i, len(out[i]), len(w.Data[i]))
	}
	return ""
}

func checkFloor(w workload.Workload, a worker.Answer, op string) string {
	var sum uint64
	for i, b := range w.Data {
		if worker.Writes(op) && string(a.Out[i]) != string(b) {
			return "not a copy"
		}
		sum += floor.Checksum(b)
	}
	if op == worker.ReadAll && a.Sum != sum {
		return "wrong checksum"
	}
	return ""
}
