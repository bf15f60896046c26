// Package nervetest is the contract of nerve.Log as a test suite. A backend
// passes it by
//
//	func TestContract(t *testing.T) {
//		nervetest.Run(t, func(t *testing.T) nervetest.Backend { ... })
//	}
package nervetest

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/octopus-framework/octopus/nerve"
)

// Backend is one store under test.
type Backend interface {
	// Open opens the store, empty at the first call. It is called again after
	// Close of the log that it returned before.
	Open(t *testing.T) nerve.Log
	// Capabilities says what it can do, and so what is tested.
	Capabilities() Capabilities
}

// Capabilities are what stores differ in.
type Capabilities struct {
	// Persistent stores have what was appended after a reopening.
	Persistent bool
	// Shared stores can be open several times at once: Open is then called
	// while the log that it returned is open, as another process would.
	Shared bool
	// Keys says that the log is a nerve.Repeatable.
	Keys bool
	// Dedup says that the log is a nerve.Deduplicator. Its window is best of some
	// ten ids in these tests.
	Dedup bool
	// Age makes the ids too old that are remembered now, as time would. Nil if they
	// do not age in these tests.
	Age func(t *testing.T)
	// Claims says that the log is a nerve.Claimer.
	Claims bool
	// Lapse makes the claims lapse that are held now, as time would. Leases
	// are best so long in these tests that time does not. Nil if claims do not
	// lapse.
	Lapse func(t *testing.T)
	// Bounded opens another, empty log that takes no more than so many bytes. Nil if none
	// is bounded so.
	Bounded func(t *testing.T, bytes int64) nerve.Log
	// Breaker is what the log is connected through, if it is behind a network.
	Breaker *Breaker
}

type test struct {
	name string
	run  func(*testing.T, *env)
}

// Run runs the suite; create makes a new empty store for each test.
func Run(t *testing.T, create func(t *testing.T) Backend) {
	tests := []test{
		{"CapabilitiesAreTrue", capabilitiesAreTrue},
		{"AppendAssignsContiguousIDs", appendAssignsContiguousIDs},
		{"AppendDoesNotKeepTheBatch", appendDoesNotKeepTheBatch},
		{"EmptyBatchAndEmptyRecords", emptyBatchAndEmptyRecords},
		{"TimeNeverGoesBack", timeNeverGoesBack},
		{"LimitsAreTypedErrors", limitsAreTypedErrors},
		{"ReadFromEveryID", readFromEveryID},
		{"ReadOutsideIsTypedErrors", readOutsideIsTypedErrors},
		{"TailWaitsAndWakes", tailWaitsAndWakes},
		{"TailEndsWithContext", tailEndsWithContext},
		{"CloseWakesCursors", closeWakesCursors},
		{"SeekByTime", seekByTime},
		{"TrimIsExact", trimIsExact},
		{"TrimRespectsHolds", trimRespectsHolds},
		{"TrimToNothing", trimToNothing},
		{"PointersAreKept", pointersAreKept},
		{"PointersAreChecked", pointersAreChecked},
		{"PointersHaveMetadata", pointersHaveMetadata},
		{"ProgressIsKept", progressIsKept},
		{"ClosedIsClosed", closedIsClosed},
		{"CanceledContext", canceledContext},
		{"ReopenKeepsEverything", reopenKeepsEverything},
		{"ManyWritersManyReaders", manyWritersManyReaders},
		{"QueueGroupsAppends", queueGroupsAppends},
		{"QueueBatchesStayWhole", queueBatchesStayWhole},
		{"QueueBackPressure", queueBackPressure},
		{"QueueCallersCommit", queueCallersCommit},
		{"QueueCloseCommits", queueCloseCommits},
		{"QueueGetByID", queueGetByID},
		{"QueueNoSync", queueNoSync},
		{"ConsumerResumesAfterPointer", consumerResumesAfterPointer},
		{"ConsumerAcksOutOfOrder", consumerAcksOutOfOrder},
		{"ConsumerAcksSurvive", consumerAcksSurvive},
		{"ConsumerAcksAndTrim", consumerAcksAndTrim},
		{"ConsumerStarts", consumerStarts},
		{"ConsumerWindow", consumerWindow},
		{"ConsumerEarlyBreak", consumerEarlyBreak},
		{"ConsumerErrors", consumerErrors},
		{"ConsumersAreIndependent", consumersAreIndependent},
		{"ConsumersWaitInOneQueue", consumersWaitInOneQueue},
		{"WorkersShare", workersShare},
		{"WorkersSurvive", workersSurvive},
	}
	can := create(t).Capabilities()
	if can.Keys {
		tests = append(tests,
			test{"RepeatedAppendReturnsSameID", repeatedAppendReturnsSameID},
			test{"KeysAreChecked", keysAreChecked},
			test{"RepeatAfterReopen", repeatAfterReopen},
			test{"RepeatTooOldIsTyped", repeatTooOldIsTyped},
			test{"KeysOfTwoProducersDoNotMix", keysOfTwoProducersDoNotMix},
			test{"QueueRepeatsAppends", queueRepeatsAppends},
			test{"QueueKeysStayApart", queueKeysStayApart},
		)
	} else {
		tests = append(tests, test{"KeysWithoutMemory", keysWithoutMemory})
	}
	if can.Dedup {
		tests = append(tests,
			test{"OnceStoresOnce", onceStoresOnce},
			test{"OnceBesideOthers", onceBesideOthers},
			test{"OnceIsChecked", onceIsChecked},
			test{"OnceAfterReopen", onceAfterReopen},
			test{"OnceIsBounded", onceIsBounded},
			test{"OnceAges", onceAges},
			test{"OnceOfTwoLogs", onceOfTwoLogs},
			test{"QueueOnceWaits", queueOnceWaits},
			test{"QueueOnceAtOnce", queueOnceAtOnce},
			test{"QueueRepeatsOnce", queueRepeatsOnce},
		)
	}
	tests = append(tests, test{"QueueRefusesOnce", queueRefusesOnce})
	if can.Claims {
		tests = append(tests,
			test{"ClaimIsExclusive", claimIsExclusive},
			test{"ClaimExpires", claimExpires},
			test{"ProgressIsFenced", progressIsFenced},
			test{"ClaimsGrowOverReopen", claimsGrowOverReopen},
			test{"ClaimsOfClosedLogs", claimsOfClosedLogs},
			test{"ConsumersClaim", consumersClaim},
			test{"ConsumersWait", consumersWait},
			test{"WorkersOfTheFenced", workersOfTheFenced},
		)
	}
	if can.Bounded != nil {
		tests = append(tests,
			test{"FullIsTyped", fullIsTyped},
			test{"QueueWaitsForRoom", queueWaitsForRoom},
		)
	}
	if can.Breaker != nil {
		tests = append(tests,
			test{"LostConnectionAppendsOnce", lostConnectionAppendsOnce},
			test{"LostConnectionIsMended", lostConnectionIsMended},
			test{"HungServerEndsWithContext", hungServerEndsWithContext},
		)
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			backend := create(t)
			e := &env{backend: backend, can: backend.Capabilities()}
			e.open(t)
			test.run(t, e)
			if e.log != nil {
				e.close(t)
			}
		})
	}
}

// env is a store and the log that is open in it.
type env struct {
	backend Backend
	can     Capabilities
	log     nerve.Log
}

func (e *env) open(t *testing.T) {
	t.Helper()
	e.log = e.backend.Open(t)
}

func (e *env) close(t *testing.T) {
	t.Helper()
	if err := e.log.Close(); err != nil && !errors.Is(err, nerve.ErrClosed) {
		t.Fatalf("Close: %v", err)
	}
	e.log = nil
}

// testTimeout bounds every wait of the suite: far more than any takes, because a
// machine may stall, and only a backend that hangs waits for it.
const testTimeout = 2 * time.Minute

func testContext(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), testTimeout)
	t.Cleanup(cancel)
	return ctx
}

// content is what record number n holds in these tests: its length varies with
// n so that a shifted read cannot look right.
func content(n nerve.ID) string {
	return fmt.Sprintf("record-%d-%0*d", n, int(n%17), n)
}

func batchOf(from, to nerve.ID) *nerve.Batch {
	b := new(nerve.Batch)
	for id := from; id <= to; id++ {
		b.Append([]byte(content(id)))
	}
	return b
}

// fill appends records from the present end up to last in batches of size.
func fill(t *testing.T, log nerve.Log, last nerve.ID, size int) {
	t.Helper()
	_, from := log.Bounds()
	for from < last {
		to := min(last, from+nerve.ID(size))
		id, err := log.Append(testContext(t), batchOf(from+1, to))
		if err != nil || id != from+1 {
			t.Fatalf("Append = %d, %v; want %d", id, err, from+1)
		}
		from = to
	}
}

// expect reads from..last and checks every record.
func expect(t *testing.T, log nerve.Log, from, last nerve.ID) {
	t.Helper()
	cur, err := log.Read(testContext(t), from)
	if err != nil {
		t.Fatalf("Read(%d): %v", from, err)
	}
	defer cur.Close()
	ctx := testContext(t)
	var b nerve.Batch
	for next := from; next <= last; {
		if err := cur.Next(ctx, &b); err != nil {
			t.Fatalf("Next at %d: %v", next, err)
		}
		if b.Len() == 0 {
			t.Fatalf("Next at %d yielded nothing", next)
		}
		for rec := range b.All() {
			if rec.ID != next || string(rec.Data) != content(next) {
				t.Fatalf("record %d is %d %q, want %q", next, rec.ID, rec.Data, content(next))
			}
			next++
		}
	}
}

func wantBounds(t *testing.T, log nerve.Log, first, last nerve.ID) {
	t.Helper()
	if f, l := log.Bounds(); f != first || l != last {
		t.Fatalf("Bounds = %d, %d; want %d, %d", f, l, first, last)
	}
}

// wantError checks that err is of type E and returns it.
func wantError[E error](t *testing.T, err error) E {
	t.Helper()
	var e E
	if !errors.As(err, &e) {
		t.Fatalf("error is %T %v, want %T", err, err, e)
	}
	return e
}

// capabilitiesAreTrue keeps tests from being left out by mistake.
func capabilitiesAreTrue(t *testing.T, e *env) {
	_, keys := e.log.(nerve.Repeatable)
	_, dedups := e.log.(nerve.Deduplicator)
	_, claims := e.log.(nerve.Claimer)
	if keys != e.can.Keys || dedups != e.can.Dedup || claims != e.can.Claims {
		t.Errorf("the log has keys %t, ids %t and claims %t, the backend says %+v", keys, dedups,
			claims, e.can)
	}
	if e.can.Shared {
		e.other(t)
	}
}
