package web_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/csv"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/octopus-framework/octopus/nerve/serve/internal/core"
	"github.com/octopus-framework/octopus/nerve/serve/internal/serve"
	"github.com/octopus-framework/octopus/nerve/serve/internal/web"
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
		{"GET", "schema", "", looks},
		{"PUT", "consumers/audit", `{"pointer": "3"}`, []core.Role{core.Admin}},
		{"DELETE", "consumers/audit", "", []core.Role{core.Admin, core.Consume}},
		{"POST", "consumers/mail/next?wait=0s", "", []core.Role{core.Consume}},
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
		{"POST", "log/query", `{"text": "sum(amount)"}`, 400, "no known type"},
		{"PUT", "deposits/consumers/billing", `{"pointer": "501"}`, 400, "ends at record 500"},
		{"PUT", "deposits/consumers/billing", `{}`, 400, "pointer is missing"},
		{"POST", "deposits/consumers/-bad/next", "", 400, "letters, digits"},
		{"POST", "deposits/consumers/mail/next?max=0", "", 400, "a number from 1 to 256"},
		{"POST", "deposits/consumers/mail/next?wait=1h", "", 400, "up to 60s"},
		{"POST", "deposits/consumers/mail/next?lease=1ms", "", 400, "from 1s to 24h"},
		{"POST", "deposits/consumers/mail/next?order=time", "", 400, "none or key"},
		{"POST", "deposits/consumers/mail/ack", `{}`, 400, "between 1 and 1000"},
		{"POST", "deposits/consumers/mail/ack", `[`, 400, "not the JSON"},
		{"POST", "deposits/consumers/mail/nack", `{"leases": [{"id": 1, "fence": "x"}]}`, 400, "hexadecimal"},
		{"POST", "deposits/consumers/mail/nack", `{"leases": [{"id": 1, "fence": "1"}], "after": "-1s"}`, 400, "after is a duration"},
		{"POST", "deposits/consumers/mail/extend", `{"leases": [{"id": 1, "fence": "1"}]}`, 409, `"type":"LeaseError"`},
		{"PUT", "deposits/consumers/-bad", `{"pointer": "1"}`, 400, "letters, digits"},
	} {
		status, body := s.ask(c.method, "/api/v1/queues/"+c.path, c.body)
		if status != c.status || !strings.Contains(body, c.want) {
			t.Errorf("%s %.80s: %d %.300s, want %d with %q", c.method, c.path, status, body,
				c.status, c.want)
		}
	}
}

// TestSchemaErrorsAreLogged serves a queue whose schema does not load: the log says so
// at the start and at each reload, and programs get the same as an answer.
func TestSchemaErrorsAreLogged(t *testing.T) {
	dir := t.TempDir()
	config := func(queue, text string) {
		t.Helper()
		folder := filepath.Join(dir, queue)
		if err := os.MkdirAll(filepath.Join(folder, "protos/a"), 0o700); err != nil {
			t.Fatal(err)
		}
		const head = "syntax = \"proto3\";\npackage a;\n"
		for name, text := range map[string]string{"nerve.yaml": text,
			"protos/a/m.proto": head + "import \"a/n.proto\";\nmessage M { N n = 1; }\n",
			"protos/a/n.proto": head + "message N {}\n"} {
			file := filepath.Join(folder, name)
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	config("broken", "proto: absent.proto\ntype: a.M\n")
	config("wrong", "protos: a.proto\n")
	config("kept", "retain: {bytes: 1GiB}\n")
	config("right", "proto: a/m.proto\ntype: a.M\nimports: [protos]\n")
	root, err := core.Open(dir, core.Options{Create: true})
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close(context.Background())
	me, err := core.NewPrincipal("me", core.Grant{Queues: "*", Roles: core.All})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"broken", "wrong", "kept", "right"} {
		if _, err := root.Create(me, name); err != nil {
			t.Fatal(err)
		}
	}
	auth, err := core.NewAuth(nil, core.All)
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	server, err := serve.New(root, serve.Options{Listen: "127.0.0.1:0", Auth: auth,
		Logger: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		_ = server.Run(ctx) // it was not used
	}()
	for _, what := range []string{"start", "reload"} {
		for _, want := range []string{"queue=broken", "absent.proto cannot be read", "queue=wrong",
			"there is no key"} {
			if !strings.Contains(log.String(), want) {
				t.Errorf("%s: %q is missing in\n%s", what, want, log.String())
			}
		}
		if strings.Contains(log.String(), "queue=right") ||
			strings.Contains(log.String(), "queue=kept") {
			t.Errorf("%s:\n%s", what, log.String())
		}
		log.Reset()
		if err := server.Reload(); err != nil {
			t.Fatal(err)
		}
	}
	if !strings.Contains(log.String(), "loaded=1 failed=2") {
		t.Errorf("%s", log.String())
	}
}

// TestMovedPointers moves a pointer to every form of a place: what comes behind it is
// still to do.
func TestMovedPointers(t *testing.T) {
	s := start(t, core.All)
	q, err := s.root.Access(s.me, "deposits")
	if err != nil {
		t.Fatal(err)
	}
	move := func(text string, want int) {
		t.Helper()
		status, body := s.ask("PUT", "/api/v1/queues/deposits/consumers/billing",
			`{"pointer": "`+text+`"}`)
		if status != http.StatusOK || !strings.Contains(body, `"pointer":`+itoa(want)+`}`) {
			t.Errorf("%s: %d %s, want %d", text, status, body, want)
		}
	}
	year := time.Now().UTC().Year()
	for range 2 { // the second time the queue begins at a later record
		first, _ := q.Bounds()
		oldest := int(first) - 1
		move("oldest", oldest)
		move("0", oldest)
		move(itoa(oldest/2), oldest)
		move("300", 300)
		move("newest", 500)
		for _, date := range []string{"-01-01", "-01-01T00:00", "-01-01T00:00:00",
			"-01-01T00:00:00Z", "-01-01T00:00:00.5+02:00"} {
			move(itoa(year-1)+date, oldest)
			move(itoa(year+2)+date, 500)
		}
		move("90000h", oldest)
		if _, err := q.Trim(t.Context(), 100); err != nil {
			t.Fatal(err)
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
	head, _, _ := strings.Cut(get("format=csv&columns==1%2B1,@x,-5,amount"), "\n")
	if head != "id,time,size,'=1+1,'@x,-5,amount" {
		t.Errorf("formulas in the head: %s", head)
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

// TestAPIFieldsAreForReaders asks for a field that there is not: only who may read learns it.
func TestAPIFieldsAreForReaders(t *testing.T) {
	s := start(t, core.Append)
	for _, call := range []string{"live", "scan", "export"} {
		status, body := s.ask("GET", "/api/v1/queues/deposits/"+call+"?where=amonut+%3E+3", "")
		if status != http.StatusForbidden || strings.Contains(body, "amount") {
			t.Errorf("%s: %d %s", call, status, body)
		}
	}
}

// TestAPIAnswersAreJSON asks for lists and messages: they are what the command prints.
func TestAPIAnswersAreJSON(t *testing.T) {
	s := start(t, core.All)
	status, body := s.ask("POST", "/api/v1/queues/deposits/query",
		`{"text": "items, items[*].sku, metadata, record.id limit 3"}`)
	var answer struct {
		Rows [][]any
	}
	if err := json.Unmarshal([]byte(body), &answer); err != nil || status != http.StatusOK ||
		len(answer.Rows) != 3 {
		t.Fatalf("%d %s %v", status, body, err)
	}
	for _, row := range answer.Rows {
		items, isList := row[0].([]any)
		skus, areTexts := row[1].([]any)
		_, isMap := row[2].(map[string]any)
		if !isList || !areTexts || !isMap || len(items) != len(skus) {
			t.Fatalf("%v", row)
		}
		for i := range items {
			if item, is := items[i].(map[string]any); !is || item["sku"] != skus[i] {
				t.Errorf("%v, its sku is %v", items[i], skus[i])
			}
		}
	}
}

// TestAPIHostileFilter has a filter that would take all memory, for each of many records.
func TestAPIHostileFilter(t *testing.T) {
	web.LowerCost(t, 20<<20)
	s := start(t, core.All)
	record := append([]byte{2<<3 | 2, 0xa0, 0x9c, 1}, bytes.Repeat([]byte{1}, 20_000)...)
	s.fill("wide", slices.Repeat([][]byte{record}, 40)...)
	dir := filepath.Join(s.root.Dir(), "wide")
	for name, text := range map[string]string{"nerve.yaml": "proto: x.proto\ntype: a.B\n",
		"x.proto": "syntax = \"proto3\";\npackage a;\nmessage B { repeated int64 n = 2; }"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Reload(); err != nil {
		t.Fatal(err)
	}
	const where = "n.map(a, n.map(b, n)).size() > 0"
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	status, body := s.ask("GET", "/api/v1/queues/wide/scan?at=oldest&where="+
		url.QueryEscape(where), "")
	if status != http.StatusOK || !strings.Contains(body, "costs more than 1048576 steps") ||
		!strings.Contains(body, "steps for all records together") {
		t.Errorf("%d %s", status, body)
	}
	for _, text := range []string{"count() where " + where, where + " as x",
		"record.id order record.id where " + where} {
		request, _ := json.Marshal(map[string]string{"text": text})
		status, body = s.ask("POST", "/api/v1/queues/wide/query", string(request))
		if status != http.StatusBadRequest || !strings.Contains(body, "for all records together") {
			t.Errorf("%s: %d %s", text, status, body)
		}
	}
	runtime.ReadMemStats(&after)
	if live := int64(after.HeapInuse) - int64(before.HeapInuse); live > 1<<30 {
		t.Errorf("%d bytes more in use", live)
	}
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
