package web_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/octopus-framework/octopus/nerve/serve/internal/core"
)

// answer is what the calls about leases answer.
type answer struct {
	Leases []struct {
		ID      uint64 `json:"id"`
		Fence   string `json:"fence"`
		Attempt int    `json:"attempt"`
		Data    []byte `json:"data"`
	} `json:"leases"`
	Settled []struct {
		ID    uint64 `json:"id"`
		Error string `json:"error"`
		Type  string `json:"type"`
	} `json:"settled"`
}

// work makes a call about leases of the queue log.
func (s *site) work(call, body string, status int) (a answer) {
	s.t.Helper()
	got, text := s.ask("POST", "/api/v1/queues/log/consumers/mail/"+call, body)
	if got != status {
		s.t.Fatalf("%s %s: %d %s", call, body, got, text)
	}
	if err := json.Unmarshal([]byte(text), &a); err != nil {
		s.t.Fatal(err)
	}
	return a
}

// TestAPIWork takes two records over HTTP, gives one back and acknowledges both; an old fence is
// refused, and nothing more comes.
func TestAPIWork(t *testing.T) {
	s := start(t, core.Consume)
	named := func(a answer, i int) string {
		return fmt.Sprintf(`{"id": %d, "fence": "%s"}`, a.Leases[i].ID, a.Leases[i].Fence)
	}
	body := func(leases ...string) string {
		return `{"leases": [` + strings.Join(leases, ",") + `]}`
	}
	first := s.work("next", "", http.StatusOK)
	second := s.work("next?max=10&wait=60s&lease=1h", "", http.StatusOK)
	if len(first.Leases) != 1 || len(second.Leases) != 1 || first.Leases[0].ID != 1 ||
		second.Leases[0].ID != 2 || len(first.Leases[0].Data) == 0 || first.Leases[0].Attempt != 1 {
		t.Fatalf("%+v, %+v", first, second)
	}
	if none := s.work("next?wait=0s", "", http.StatusOK); none.Leases == nil ||
		len(none.Leases) != 0 {
		t.Fatalf("%+v", none)
	}
	one, two := named(first, 0), named(second, 0)
	s.work("extend", body(one), http.StatusOK)
	s.work("nack", body(one), http.StatusOK)
	s.work("ack", body(one), http.StatusConflict)
	again := s.work("next", "", http.StatusOK)
	if len(again.Leases) != 1 || again.Leases[0].ID != 1 || again.Leases[0].Attempt != 2 {
		t.Fatalf("%+v", again)
	}
	outcome := s.work("ack", body(two, one, named(again, 0)), http.StatusOK).Settled
	if len(outcome) != 3 || outcome[0].Error != "" || outcome[1].Type != "LeaseError" ||
		outcome[1].ID != 1 || outcome[2].Error != "" {
		t.Fatalf("%+v", outcome)
	}
	if status, text := s.ask("POST", "/api/v1/queues/log/consumers/mail/next?order=key",
		""); status != http.StatusConflict || !strings.Contains(text, "order by key off") {
		t.Errorf("another order: %d %s", status, text)
	}
	_, text := s.ask("GET", "/api/v1/queues/log/consumers", "")
	if !strings.Contains(text, `"name":"mail","pointer":2,`) ||
		!strings.Contains(text, "workers of the server") {
		t.Errorf("the consumers are %s", text)
	}
}
