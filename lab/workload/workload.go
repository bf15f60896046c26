// Package workload has the messages that the lab measures with, as encoded bytes: made up ones, the same in every run, and
// real data where the corpus is at hand. They are encoded by google.golang.org/protobuf, and [Reference] says, by its
// reflection, what a reader of them must find.
package workload

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"

	pb "github.com/octopus-framework/octopus/lab/internal/pb/google"
)

// Workload is one or more messages of a type; operations take them in turns.
type Workload struct {
	Name string
	Type string // message in package lab
	Data [][]byte
}

// Size returns the mean size of the messages in bytes.
func (w Workload) Size() int {
	n := 0
	for _, b := range w.Data {
		n += len(b)
	}
	return n / len(w.Data)
}

// Encode returns the messages as workers read them, each after its length.
func (w Workload) Encode() (b []byte) {
	for _, m := range w.Data {
		b = binary.AppendUvarint(b, uint64(len(m)))
		b = append(b, m...)
	}
	return b
}

// encode panics when it cannot: all messages are made here.
func encode(messages ...proto.Message) (all [][]byte) {
	for _, m := range messages {
		b, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
		if err != nil {
			panic(err)
		}
		all = append(all, b)
	}
	return all
}

func of(name string, messages ...proto.Message) Workload {
	return Workload{name, string(messages[0].ProtoReflect().Descriptor().Name()), encode(messages...)}
}

// Made returns the workloads that are made up, in the order of reports.
func Made() []Workload {
	all := []Workload{
		of("Submit", submit(sms)),
		of("SubmitUnicode", submit(smsUnicode)),
		of("Deposit", deposit(rand.New(rand.NewPCG(1, 1)))),
		depositVaried(),
		of("DeepNested", deepNested()),
		of("TestAllTypes", allTypes(1)),
		of("Timestamps10000", moments()),
		of("PackedInt64x1000", packedInts()),
		of("PackedDoublex1000", packedDoubles()),
		of("TenInts", tenInts()),
		of("TenDoubles", tenDoubles()),
		of("TenStrings", tenStrings()),
		of("Smalls1000", smalls()),
		of("String160", &pb.OneString{Text: sms}),
		of("Blob1MiB", blob(1024)),
		of("Nesting10", nested(10)),
		of("TestAllTypesNegative", allTypes(-1)),
	}
	return append(all, shuffled(all[0], "SubmitReversed", reversed), shuffled(all[0], "SubmitUnknown", unknownBetween),
		shuffled(all[2], "DepositReversed", reversed), shuffled(all[2], "DepositUnknown", unknownBetween))
}

// Find returns the workloads whose names are given, all when there are none; an error lists those that exist.
func Find(all []Workload, names []string) ([]Workload, error) {
	if len(names) == 0 {
		return all, nil
	}
	var found []Workload
	for _, name := range names {
		at := slices.IndexFunc(all, func(w Workload) bool { return w.Name == name })
		if at < 0 {
			var have []string
			for _, w := range all {
				have = append(have, w.Name)
			}
			return nil, fmt.Errorf("no workload %q; there are: %s", name, strings.Join(have, ", "))
		}
		found = append(found, all[at])
	}
	return found, nil
}
