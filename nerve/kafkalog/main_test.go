package kafkalog_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/octopus-framework/octopus/internal/oracle"
	"github.com/octopus-framework/octopus/internal/oracle/kafkatest"
	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/kafkalog"
)

// shared is the broker of all tests that do not kill theirs. It starts with the
// first of them.
var shared struct {
	once   sync.Once
	server *kafkatest.Server
	dir    string
	err    error
}

func TestMain(m *testing.M) {
	code := m.Run()
	if shared.server != nil {
		_ = shared.server.Kill()
	}
	if shared.dir != "" {
		os.RemoveAll(shared.dir)
	}
	os.Exit(code)
}

// broker returns the address of the shared broker, or skips the test.
func broker(t testing.TB) string {
	t.Helper()
	needKafka(t)
	shared.once.Do(func() {
		if shared.dir, shared.err = os.MkdirTemp("", "kafkalog-"); shared.err == nil {
			shared.server, shared.err = kafkatest.Start(shared.dir, kafkatest.Options{})
		}
	})
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	return shared.server.Addr
}

// needKafka skips a test where Kafka is not installed.
func needKafka(t testing.TB) {
	t.Helper()
	if _, err := kafkatest.Find(); err != nil {
		oracle.Skip(t, kafkatest.Name, err.Error())
	}
}

var topics atomic.Int64

// newTopic returns a name that no other test has.
func newTopic(t testing.TB) string {
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, t.Name())
	return fmt.Sprintf("%.150s-%d", name, topics.Add(1))
}

func testContext(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// created are options that make the topic.
func created() kafkalog.Options { return kafkalog.Options{Create: true} }

func openTopic(t testing.TB, addr, topic string, options kafkalog.Options) *kafkalog.Log {
	t.Helper()
	log, err := kafkalog.OpenPartition(testContext(t), []string{addr}, topic, 0, options)
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	t.Cleanup(func() { log.Close() })
	return log
}

// batch returns records with a text and a number each, from..to.
func batch(text string, from, to int) *nerve.Batch {
	b := new(nerve.Batch)
	for i := from; i <= to; i++ {
		b.Append(fmt.Appendf(nil, "%s-%d", text, i))
	}
	return b
}

// readAll returns the records from an id to the end as of now.
func readAll(t testing.TB, log nerve.Log, from nerve.ID) []string {
	t.Helper()
	ctx := testContext(t)
	cur, err := log.Read(ctx, from)
	if err != nil {
		t.Fatal(err)
	}
	defer cur.Close()
	var all []string
	_, last := log.Bounds()
	var b nerve.Batch
	for next := from; next <= last; next = b.Last() + 1 {
		if err := cur.Next(ctx, &b); err != nil {
			t.Fatalf("Next at %d: %v", next, err)
		}
		for rec := range b.All() {
			if want := from + nerve.ID(len(all)); rec.ID != want {
				t.Fatalf("record %d, want %d", rec.ID, want)
			}
			all = append(all, string(rec.Data))
		}
	}
	return all
}
