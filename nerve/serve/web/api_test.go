package web_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/csv"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/octopus-framework/octopus/nerve/serve/core"
)

// ask sends a request and returns the status and the whole answer.
func (s *site) ask(method, path, body string) (int, string) {
	s.t.Helper()
	r, err := http.NewRequestWithContext(context.Background(), method,
		strings.TrimSuffix(s.URL(), "/")+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return answer.StatusCode, string(text)
}

// TestAPIRights tries every call with every role.
func TestAPIRights(t *testing.T) {
	reads := []core.Role{core.Read, core.Consume}
	looks := append([]core.Role{core.Admin}, reads...)
	calls := []struct {
		method, path, body string
		allowed            []core.Role
	}{
		{"GET", "records?limit=1", "", reads},
		{"GET", "records/1", "", reads},
		{"GET", "records/1/bytes", "", reads},
		{"GET", "scan?contains=x&limit=1", "", reads},
		{"GET", "export?format=raw", "", reads},
		{"POST", "query", `{"text": "count()"}`, reads},
		{"GET", "consumers", "", looks},
		{"GET", "throughput", "", looks},
		{"GET", "storage", "", looks},
		{"PUT", "consumers/audit", `{"pointer": "3"}`, []core.Role{core.Admin}},
		{"DELETE", "consumers/audit", "", []core.Role{core.Admin, core.Consume}},
	}
	for _, role := range []core.Role{core.Read, core.Append, core.Consume, core.Admin} {
		s := start(t, role)
		for _, c := range calls {
			status, body := s.ask(c.method, "/api/v1/queues/deposits/"+c.path, c.body)
			want := http.StatusForbidden
			for _, allowed := range c.allowed {
				if role == allowed {
					want = http.StatusOK
				}
			}
			if status != want {
				t.Errorf("%v: %s %s: %d %.200s, want %d", role, c.method, c.path, status, body,
					want)
			}
		}
	}
}

// TestAPIBadInput asks for what there is not.
func TestAPIBadInput(t *testing.T) {
	s := start(t, core.All)
	for _, c := range []struct {
		method, path, body string
		status             int
		want               string
	}{
		{"GET", "nothing/records", "", 404, `there is no queue \"nothing\"`},
		{"GET", "..%2fetc/records", "", 404, "there is no queue"},
		{"GET", "deposits/nothing", "", 404, "the API has no GET"},
		{"GET", "deposits/records?at=yesterday", "", 400, "is no place in a queue"},
		{"GET", "deposits/records?limit=100000", "", 400, "a number from 1 to 1000"},
		{"GET", "deposits/records?columns=" + strings.Repeat("a,", 30), "", 400, "at most 20"},
		{"GET", "deposits/records/501", "", 404, "there is no record 501; the queue has 1 to 500"},
		{"GET", "deposits/records/0", "", 404, "there is no record 0"},
		{"GET", "deposits/records/x", "", 400, "an id is a number"},
		{"GET", "deposits/scan?where=amonut+%3E+3", "", 400, "did you mean amount?"},
		{"GET", "deposits/scan?where=" + strings.Repeat("a", 4097), "", 400, "too long"},
		{"GET", "log/scan?where=amount+%3E+3", "", 400, "no known type"},
		{"GET", "deposits/live?where=%22a%22+%3C+3", "", 400, `"column":`},
		{"GET", "deposits/export?format=xlsx", "", 400, "use jsonl, csv or raw"},
		{"POST", "deposits/query", `{"text": "sum(amonut)"}`, 400, `"caret":`},
		{"POST", "deposits/query", `text`, 400, "not the JSON"},
		{"POST", "deposits/query", strings.Repeat(" ", 20<<10) + "{}", 400, "not the JSON"},
		{"POST", "log/query", `{"text": "count()"}`, 400, "no known type"},
		{"PUT", "deposits/consumers/billing", `{"pointer": "501"}`, 400, "ends at record 500"},
		{"PUT", "deposits/consumers/billing", `{}`, 400, "pointer is missing"},
		{"PUT", "deposits/consumers/-bad", `{"pointer": "1"}`, 400, "letters, digits"},
	} {
		status, body := s.ask(c.method, "/api/v1/queues/"+c.path, c.body)
		if status != c.status || !strings.Contains(body, c.want) {
			t.Errorf("%s %.80s: %d %.300s, want %d with %q", c.method, c.path, status, body,
				c.status, c.want)
		}
	}
}

func TestAPIExport(t *testing.T) {
	s := start(t, core.All)
	get := func(parameters string) string {
		status, body := s.ask("GET", "/api/v1/queues/deposits/export?"+parameters, "")
		if status != http.StatusOK {
			t.Fatalf("%s: %d %s", parameters, status, body)
		}
		return body
	}
	raw := bufio.NewReader(strings.NewReader(get("format=raw")))
	for i := range 500 {
		n, err := binary.ReadUvarint(raw)
		if err != nil {
			t.Fatal(err)
		}
		b := make([]byte, n)
		if _, err := io.ReadFull(raw, b); err != nil || !bytes.Equal(b, s.events[i]) {
			t.Fatalf("record %d: %v", i+1, err)
		}
	}
	if _, err := raw.ReadByte(); err != io.EOF {
		t.Error("there is more than the records")
	}
	for n, line := range strings.Split(strings.TrimSpace(get("format=jsonl&at=499")), "\n") {
		var got struct {
			ID    int
			Value struct {
				EventID string `json:"event_id"`
			}
		}
		if err := json.Unmarshal([]byte(line), &got); err != nil || got.ID != 499+n ||
			!strings.HasSuffix(got.Value.EventID, "498") && n == 0 {
			t.Errorf("%s: %v", line, err)
		}
	}
	rows, err := csv.NewReader(strings.NewReader(get(
		"format=csv&columns=amount,type,items.sku&where=" +
			url.QueryEscape("type == DEPOSIT_TYPE_CASH")))).ReadAll()
	if err != nil || strings.Join(rows[0], " ") != "id time size amount type items.sku" {
		t.Fatalf("%v, %v", rows, err)
	}
	for _, row := range rows[1:] {
		if row[4] != "DEPOSIT_TYPE_CASH" {
			t.Errorf("%v", row)
		}
	}
	s.fill("formulas", []byte("=1+1"), []byte("-5"), []byte("@x"))
	_, body := s.ask("GET", "/api/v1/queues/formulas/export?format=csv", "")
	rows, err = csv.NewReader(strings.NewReader(body)).ReadAll()
	if err != nil || rows[1][3] != "'=1+1" || rows[2][3] != "-5" || rows[3][3] != "'@x" {
		t.Errorf("%v, %v", rows, err)
	}
}

// TestAPIScan searches in both directions, in parts.
func TestAPIScan(t *testing.T) {
	s := start(t, core.All)
	scan := func(parameters string) (ids []int, end string, next int) {
		status, body := s.ask("GET", "/api/v1/queues/deposits/scan?"+parameters, "")
		if status != http.StatusOK {
			t.Fatalf("%s: %d %s", parameters, status, body)
		}
		for part := range strings.SplitSeq(strings.TrimSpace(body), "\n\n") {
			_, text, _ := strings.Cut(part, "data: ")
			var e struct {
				Records []struct{ ID int }
				End     string
				Next    int
			}
			if err := json.Unmarshal([]byte(text), &e); err != nil {
				t.Fatal(err)
			}
			for _, r := range e.Records {
				ids = append(ids, r.ID)
			}
			end, next = e.End, e.Next
		}
		return ids, end, next
	}
	all, end, _ := scan("at=oldest&where=" + url.QueryEscape("amount > 10000"))
	if end != "all" || len(all) < 20 {
		t.Fatalf("%d hits, %s", len(all), end)
	}
	for _, from := range []string{"at=oldest", ""} {
		var parts []int
		at := from
		for {
			ids, end, next := scan(at + "&limit=7&where=" + url.QueryEscape("amount > 10000"))
			parts = append(parts, ids...)
			if end == "all" {
				break
			}
			if end != "limit" || len(ids) != 7 {
				t.Fatalf("%v, %s", ids, end)
			}
			at = "at=" + itoa(next)
			if from == "" {
				at = "before=" + itoa(next)
			}
		}
		if len(parts) != len(all) {
			t.Fatalf("%q: %d hits in parts, %d at once", from, len(parts), len(all))
		}
		for i, id := range parts {
			want := all[i]
			if from == "" {
				want = all[len(all)-1-i]
			}
			if id != want {
				t.Errorf("%q: hit %d is %d, want %d", from, i, id, want)
			}
		}
	}
}

func itoa(n int) string {
	text, _ := json.Marshal(n)
	return string(text)
}

// TestSchemas has schemas in the server's folder, a broken one, and none.
func TestSchemas(t *testing.T) {
	s := start(t, core.All)
	log := filepath.Join(s.root.Dir(), "log")
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(log, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	storage := func() string {
		if err := s.Reload(); err != nil {
			t.Fatal(err)
		}
		_, body := s.ask("GET", "/api/v1/queues/log/storage", "")
		return body
	}
	const head = "syntax = \"proto3\";\npackage a;\n"
	for _, c := range []struct{ config, proto, want string }{
		{"proto: x.proto\ntype: a.B\n", head + "message B { int32 x = 0; }",
			"x.proto"},
		{"proto: x.proto\ntype: a.C\n", head + "message B { int32 x = 1; }",
			"there is no message"},
		{"proto: absent.proto\ntype: a.B\n", "", "absent.proto cannot be read"},
		{"proto: [", "", "nerve.yaml"},
		{"{}", "", "it takes proto"},
		{"proto: x.proto\ntype: a.B\n", head + "message B { int32 x = 1; }",
			`"path":"x"`},
	} {
		write("nerve.yaml", c.config)
		write("x.proto", c.proto)
		if got := storage(); !strings.Contains(got, c.want) ||
			strings.Contains(got, s.root.Dir()) {
			t.Errorf("%q: %.600s, want %q", c.config, got, c.want)
		}
	}
}
