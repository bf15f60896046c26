package wire

import (
	"time"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/lease"
)

// Join is what a worker says who joins.
type Join struct {
	Number   uint64 // drawn by the client, by which it names the worker from then on
	Duration time.Duration
	ByKey    bool // the records of a key are given out in order
	Consumer string
	Name     string // name of the worker, for people
}

// Append appends a join.
func (j Join) Append(b []byte) []byte {
	byKey := uint64(0)
	if j.ByKey {
		byKey = 1
	}
	b = AppendUints(b, j.Number, uint64(j.Duration), byKey)
	return AppendBytes(AppendBytes(b, j.Consumer), j.Name)
}

// Join reads a join.
func (f *Fields) Join() Join {
	return Join{Number: f.Uint64(), Duration: time.Duration(f.Int64()), ByKey: f.Uint64()&1 != 0,
		Consumer: f.String(), Name: f.String()}
}

// leaseMin is the length of the shortest lease: its numbers, no error, no data.
const leaseMin = 5*8 + 1 + 4

// AppendLeases appends leases.
func AppendLeases(b []byte, leases []lease.Lease) []byte {
	b = little.AppendUint32(b, uint32(len(leases)))
	for _, l := range leases {
		b = AppendUints(b, uint64(l.ID), uint64(l.UnixNano), uint64(l.Attempt), uint64(l.Lost),
			l.Fence)
		b = appendOutcome(b, l.Err)
		b = append(little.AppendUint32(b, uint32(len(l.Data))), l.Data...)
	}
	return b
}

// Leases reads leases, whose data aliases the payload.
func (f *Fields) Leases() []lease.Lease {
	n := int(f.Uint32())
	if n > f.Left()/leaseMin {
		f.bad = true
		return nil
	}
	leases := make([]lease.Lease, n)
	for i := range leases {
		l := &leases[i]
		l.ID, l.UnixNano = nerve.ID(f.Uint64()), f.Int64()
		l.Attempt, l.Lost, l.Fence = int(f.Uint64()), int(f.Uint64()), f.Uint64()
		l.Err = f.outcome()
		size := int(f.Uint32())
		l.Data = f.take(size)
		l.Data = l.Data[:len(l.Data):len(l.Data)] // it may be appended to
	}
	return leases
}

// appendOutcome appends 0, or 1 and an error.
func appendOutcome(b []byte, err error) []byte {
	if err == nil {
		return append(b, 0)
	}
	return AppendError(append(b, 1), err)
}

func (f *Fields) outcome() error {
	switch f.byteOf() {
	case 0:
		return nil
	case 1:
		return f.error(maxCauses)
	}
	f.bad = true
	return nil
}

// Verb says what is asked for a lease.
type Verb uint8

// The verbs. Their numbers stay.
const (
	Ack Verb = iota + 1
	Fail
	Extend
	Release
)

// Settlement is what a worker asks for one of its leases.
type Settlement struct {
	Verb  Verb
	ID    nerve.ID
	Fence uint64
	After time.Duration // delay of Fail
}

// settlementSize is the length of one.
const settlementSize = 1 + 3*8

// MaxSettlements is how many a call may have.
const MaxSettlements = 4096

// AppendSettlements appends what is asked for leases, at most MaxSettlements.
func AppendSettlements(b []byte, list []Settlement) []byte {
	b = little.AppendUint32(b, uint32(len(list)))
	for _, s := range list {
		b = append(b, byte(s.Verb))
		b = AppendUints(b, uint64(s.ID), s.Fence, uint64(s.After))
	}
	return b
}

// Settlements reads what is asked for leases.
func (f *Fields) Settlements() []Settlement {
	n := int(f.Uint32())
	if n > MaxSettlements || n > f.Left()/settlementSize {
		f.bad = true
		return nil
	}
	list := make([]Settlement, n)
	for i := range list {
		s := &list[i]
		s.Verb = Verb(f.byteOf())
		s.ID, s.Fence, s.After = nerve.ID(f.Uint64()), f.Uint64(), time.Duration(f.Int64())
		f.bad = f.bad || s.Verb < Ack || s.Verb > Release
	}
	return list
}

// AppendOutcomes appends what became of settlements, nil for what was done.
func AppendOutcomes(b []byte, outcomes []error) []byte {
	b = little.AppendUint32(b, uint32(len(outcomes)))
	for _, err := range outcomes {
		b = appendOutcome(b, err)
	}
	return b
}

// Outcomes reads what became of n settlements.
func (f *Fields) Outcomes(n int) []error {
	if int(f.Uint32()) != n || n > f.Left() {
		f.bad = true
		return nil
	}
	outcomes := make([]error, n)
	for i := range outcomes {
		outcomes[i] = f.outcome()
	}
	return outcomes
}
