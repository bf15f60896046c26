//go:build linux

package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/octopus-framework/octopus/internal/cli/exitcode"
	"github.com/octopus-framework/octopus/internal/oracle"
	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/memlog"
	"github.com/octopus-framework/octopus/nerve/query"
	"github.com/octopus-framework/octopus/nerve/query/format"
	"github.com/octopus-framework/octopus/nerve/seglog"
)

var (
	rowSchemas = flag.Int("rows.schemas", 6, "schemas of TestRowsLikeDuckDB")
	rowSeed    = flag.Uint64("rows.seed", 1, "of TestRowsLikeDuckDB")
)

// rowTable is a queue with what DuckDB is told of it.
type rowTable struct {
	File      string        `json:"file"`
	Type      string        `json:"type"`
	Questions []rowQuestion `json:"questions"`

	queue string
	flags []string
}

// rowQuestion is a question and the same in SQL.
type rowQuestion struct {
	SQL     string `json:"sql"`
	Arrow   string `json:"arrow"`
	Parquet string `json:"parquet"`

	text   string
	inner  bool
	sorted bool // rows come in any order
	kinds  []picked
}

// TestRowsLikeDuckDB asks random columns of random records of random types, in all formats, of
// queues in a folder and in memory, and over the API of a server. The rows are those of DuckDB's
// unnest over the JSON of the records.
func TestRowsLikeDuckDB(t *testing.T) {
	python, err := filepath.Abs("../../.tools/python-query/bin/python")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(python); err != nil {
		oracle.Skip(t, "duckdb", "no pyarrow and duckdb here; make tools-query installs them")
	}
	if !hasColumnFormats {
		oracle.Missing(t, "arrow", "built without -tags arrow; make test-servers has it")
	}
	root := t.TempDir()
	var tables []rowTable
	for seed := range uint64(*rowSchemas) {
		g := &shapes{Rand: rand.New(rand.NewPCG(*rowSeed, seed))}
		tables = append(tables, g.table(t, root, fmt.Sprintf("q%d", seed)))
	}
	var manifest bytes.Buffer
	answers := map[string][]string{} // by the name of the question's file, as JSON lines
	for _, table := range tables {
		for i, q := range table.Questions {
			answers[q.Arrow] = table.ask(t, q)
			table.check(t, i, q, answers[q.Arrow])
		}
	}
	if err := json.NewEncoder(&manifest).Encode(tables); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(python, "testdata/unnest.py")
	cmd.Stdin, cmd.Stderr = &manifest, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	server := serveHere(t, root)
	dec := json.NewDecoder(bytes.NewReader(out))
	dec.UseNumber()
	asked, rows := 0, 0
	for _, table := range tables {
		for _, q := range table.Questions {
			var got struct{ DuckDB, Arrow, Parquet [][]any }
			if err := dec.Decode(&got); err != nil {
				t.Fatal(err)
			}
			want := q.lines(got.DuckDB)
			for name, lines := range map[string][]string{"jsonl": answers[q.Arrow],
				"arrow": q.lines(got.Arrow), "parquet": q.lines(got.Parquet),
				"api": q.lines(table.post(t, server, q))} {
				skipped := name == "api" && q.inner || // it has no inner
					!hasColumnFormats && (name == "arrow" || name == "parquet")
				if slices.Equal(lines, want) || skipped {
					continue
				}
				t.Errorf("%s: %s\n%s\nof %s:\n%s\nwant\n%s", name, q.text, q.SQL, table.queue,
					strings.Join(lines, "\n"), strings.Join(want, "\n"))
				return
			}
			asked, rows = asked+1, rows+len(want)
		}
	}
	t.Logf("%d questions, %d rows", asked, rows)
	if asked < 20*len(tables) || rows < 10*asked {
		t.Error("the questions are too much alike")
	}
}

// table makes a queue and questions to it.
func (g *shapes) table(t *testing.T, root, name string) rowTable {
	t.Helper()
	top := g.shape(2)
	table := rowTable{queue: filepath.Join(root, name), Type: top.duckType(),
		File: filepath.Join(t.TempDir(), "rows.json")}
	proto := filepath.Join(t.TempDir(), "rows.proto")
	table.flags = []string{"--proto", proto, "--type", "rows." + top.name}
	var events, exported bytes.Buffer
	for i := range 12 {
		record := g.record(top)
		if i == 0 {
			record = map[string]any{}
		}
		if err := json.NewEncoder(&events).Encode(record); err != nil {
			t.Fatal(err)
		}
		full := map[string]any{}
		for _, f := range top.fields { // the fields of the empty record
			full[f.name] = map[string]any{"int64": 0, "string": "", "bool": false, "double": 0,
				"map": map[string]any{}}[f.kind]
			if f.repeated {
				full[f.name] = []any{}
			}
		}
		for name, v := range record {
			full[name] = v
		}
		row := map[string]any{"rid": i + 1, "e0": full}
		if err := json.NewEncoder(&exported).Encode(row); err != nil {
			t.Fatal(err)
		}
	}
	write := func(file string, b []byte) {
		if err := os.WriteFile(file, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(table.File, exported.Bytes())
	write(proto, []byte(g.proto()))
	args := append([]string{"append", table.queue, "--format", "json"}, table.flags...)
	command(t, exitcode.OK, events.String(), args...)
	write(filepath.Join(table.queue, "rows.proto"), []byte(g.proto()))
	write(filepath.Join(table.queue, "nerve.yaml"),
		[]byte("proto: rows.proto\ntype: rows."+top.name+"\n"))
	for i := range 30 {
		q := g.question(g.levels(top, g.IntN(3)))
		q.Arrow = filepath.Join(filepath.Dir(table.File), fmt.Sprintf("%d.arrow", i))
		q.Parquet = strings.TrimSuffix(q.Arrow, "arrow") + "parquet"
		table.Questions = append(table.Questions, q)
	}
	return table
}

// question chooses columns, and sometimes a condition, groups, an order and a limit.
func (g *shapes) question(levels []level) (q rowQuestion) {
	deepest := len(levels) - 1
	q.inner = g.IntN(4) == 0
	from := rows(levels, q.inner)
	order := "rid"
	for i := range deepest {
		order += fmt.Sprintf(", i%d NULLS FIRST", i+1)
	}
	where, whereSQL := "", ""
	if p := g.pick(levels, g.IntN(len(levels)), true); g.IntN(3) == 0 && p.kind == "int64" {
		where = fmt.Sprintf(" where %s > 1", p.text)
		whereSQL = fmt.Sprintf(" WHERE %s > 1", p.sql)
	}
	if g.IntN(4) == 0 {
		return g.groups(levels, q, from, where, whereSQL)
	}
	var texts, sqls []string
	add := func(p picked) {
		texts = append(texts, fmt.Sprintf("%s as c%d", p.text, len(q.kinds)))
		sqls = append(sqls, fmt.Sprintf("%s AS c%d", p.sql, len(q.kinds)))
		q.kinds = append(q.kinds, p)
	}
	add(g.pick(levels, deepest, false)) // makes the rows what they are
	for range g.IntN(4) {
		add(g.pick(levels, g.IntN(len(levels)), false))
	}
	if p := g.pick(levels, deepest, false); p.list && p.kind != "json" && deepest > 0 {
		add(picked{text: "size(" + p.text + ")", sql: "len(" + p.sql + ")", kind: "int64"})
		if strings.Contains(p.text, "[*]") || strings.Contains(p.text, "[0]") {
			texts, sqls, q.kinds = texts[:len(texts)-1], sqls[:len(sqls)-1],
				q.kinds[:len(q.kinds)-1]
		}
	}
	q.text = strings.Join(texts, ", ") + where
	by := g.IntN(len(q.kinds))
	if g.IntN(3) == 0 && !q.kinds[by].list && q.kinds[by].kind != "json" {
		n := 1 + g.IntN(20)
		if g.IntN(2) == 0 {
			q.text += fmt.Sprintf(" order c%d limit %d", by, n)
			order = fmt.Sprintf("c%d NULLS FIRST, %s LIMIT %d", by, order, n)
		} else {
			q.text += fmt.Sprintf(" order -c%d limit %d", by, n)
			order = fmt.Sprintf("c%d DESC NULLS LAST, %s LIMIT %d", by, order, n)
		}
	}
	q.SQL = fmt.Sprintf("SELECT %s FROM %s%s ORDER BY %s", strings.Join(sqls, ", "), from, whereSQL,
		order)
	return q
}

// groups asks for aggregates.
func (g *shapes) groups(levels []level, q rowQuestion, from, where, whereSQL string) rowQuestion {
	deepest := len(levels) - 1
	key := g.pick(levels, g.IntN(len(levels)), true)
	texts, sqls := []string{"count() as c1"}, []string{key.sql + " AS c0", "count(*) AS c1"}
	q.kinds = []picked{key, {kind: "int64"}}
	for range 1 + g.IntN(3) {
		arg := g.pick(levels, deepest, true)
		f := g.one("count(%s)", "min(%s)", "max(%s)", "distinct(%s)", "sum(%s)")
		if f == "sum(%s)" && arg.kind != "int64" || arg.kind == "bool" {
			f = "count(%s)"
		}
		name := fmt.Sprintf(" as c%d", len(sqls))
		texts = append(texts, fmt.Sprintf(f, arg.text)+name)
		f = strings.Replace(f, "distinct(%s)", "count(DISTINCT %s)", 1)
		sqls = append(sqls, fmt.Sprintf(f, arg.sql)+name)
		if f[0] == 'c' || f[0] == 's' {
			arg.kind = "int64"
		}
		q.kinds = append(q.kinds, arg)
	}
	// A column of the innermost list makes the rows what they are.
	p := g.pick(levels, deepest, true)
	texts = append(texts, fmt.Sprintf("count(%s) as c%d", p.text, len(sqls)))
	sqls = append(sqls, fmt.Sprintf("count(%s) AS c%d", p.sql, len(sqls)))
	q.kinds = append(q.kinds, picked{kind: "int64"})
	q.text = fmt.Sprintf("%s by %s as c0%s", strings.Join(texts, ", "), key.text, where)
	q.SQL = fmt.Sprintf("SELECT %s FROM %s%s GROUP BY ALL", strings.Join(sqls, ", "), from, whereSQL)
	q.sorted = true
	return q
}

// ask answers a question as lines of JSON, and writes the files that DuckDB's process reads.
func (table rowTable) ask(t *testing.T, q rowQuestion) []string {
	t.Helper()
	args := append([]string{"query", table.queue, q.text}, table.flags...)
	if q.inner {
		args = append(args, "--inner")
	}
	for _, file := range []string{q.Arrow, q.Parquet} {
		if !hasColumnFormats {
			break
		}
		if _, errs, code := ask(t, append(args, "-o", file)...); code != exitcode.OK {
			t.Fatalf("%s: %s", q.text, errs)
		}
	}
	text, errs, code := ask(t, append(args, "--format", "jsonl")...)
	if code != exitcode.OK || errs != "" {
		t.Fatalf("%s: %s", q.text, errs)
	}
	return q.lines(q.objects(t, text))
}

// check compares the other formats, and a log in memory, with lines of JSON.
func (table rowTable) check(t *testing.T, i int, q rowQuestion, want []string) {
	t.Helper()
	args := append([]string{"query", table.queue, q.text}, table.flags...)
	if q.inner {
		args = append(args, "--inner")
	}
	text, _, _ := ask(t, append(args, "--format", "csv")...)
	cells, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var rows [][]any
	for _, row := range cells[1:] {
		values := make([]any, len(row))
		for n, cell := range row {
			switch {
			case cell == "":
			case q.kinds[n].kind == "string" && !q.kinds[n].list:
				values[n] = cell
			default:
				values[n] = parsed(cell)
			}
		}
		rows = append(rows, values)
	}
	noNulls := func(lines []string) string { // an empty cell is null or an empty text
		text := strings.ReplaceAll(strings.Join(lines, "\n"), "null", `""`)
		if lines = strings.Split(text, "\n"); q.sorted {
			slices.Sort(lines)
		}
		return strings.Join(lines, "\n")
	}
	if got := q.lines(rows); noNulls(got) != noNulls(want) {
		t.Errorf("csv: %s\n%s\nwant\n%s", q.text, noNulls(got), noNulls(want))
	}
	text, _, _ = ask(t, append(args, "--format", "table")...)
	if n := strings.Count(text, "\n"); n != len(want)+1 {
		t.Errorf("%s: a table of %d lines for %d rows", q.text, n, len(want))
	}
	if i%5 > 0 {
		return
	}
	question, err := query.Parse(q.text)
	if err != nil {
		t.Fatal(err)
	}
	question.Inner, question.BatchRows = q.inner, 1+i
	if got := q.lines(q.objects(t, table.inMemory(t, question))); !slices.Equal(got, want) {
		t.Errorf("in memory: %s\n%s\nwant\n%s", q.text, strings.Join(got, "\n"),
			strings.Join(want, "\n"))
	}
}

// inMemory copies the queue to a log in memory, and asks that.
func (table rowTable) inMemory(t *testing.T, question query.Query) string {
	t.Helper()
	here, err := seglog.Open(table.queue, seglog.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer here.Close()
	cursor, err := here.Read(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	defer cursor.Close()
	log := memlog.New(memlog.Options{})
	_, end := here.Bounds()
	for last := nerve.ID(0); last < end; _, last = log.Bounds() {
		var from, to nerve.Batch
		if err := cursor.Next(t.Context(), &from); err != nil {
			t.Fatal(err)
		}
		for rec := range from.All() {
			to.Append(rec.Data)
		}
		if _, err := log.Append(t.Context(), &to); err != nil {
			t.Fatal(err)
		}
	}
	flags := schemaFlags{file: table.flags[1], typeName: table.flags[3]}
	schema, err := flags.load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	plan, err := query.Compile(schema.Dynamic, question)
	if err != nil {
		t.Fatal(err)
	}
	result, err := plan.Run(t.Context(), log)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	w := format.New("jsonl", &out, result.Columns(), format.Options{})
	for b, err := range result.Batches() {
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Write(b); err != nil {
			t.Fatal(err)
		}
	}
	return out.String()
}

// post asks a question over the API.
func (table rowTable) post(t *testing.T, s serving, q rowQuestion) [][]any {
	t.Helper()
	body, _ := json.Marshal(map[string]any{"text": q.text})
	r, err := http.NewRequestWithContext(t.Context(), "POST", "http://"+s.Address+
		"/api/v1/queues/"+filepath.Base(table.queue)+"/query", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+s.Token)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("%s: %d %s %v", q.text, answer.StatusCode, text, err)
	}
	var got struct{ Rows [][]any }
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	if err := dec.Decode(&got); err != nil {
		t.Fatal(err)
	}
	return got.Rows
}

// objects reads lines of JSON into rows.
func (q rowQuestion) objects(t *testing.T, text string) (rows [][]any) {
	t.Helper()
	for line := range strings.Lines(text) {
		object, _ := parsed(line).(map[string]any)
		row := make([]any, len(q.kinds))
		for i := range row {
			row[i] = object[fmt.Sprintf("c%d", i)]
		}
		if len(object) != len(row) {
			t.Fatalf("%s: %s", q.text, line)
		}
		rows = append(rows, row)
	}
	return rows
}

func parsed(text string) any {
	var v any
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	if err := dec.Decode(&v); err != nil {
		return text
	}
	return v
}

// lines brings rows into one form.
func (q rowQuestion) lines(rows [][]any) (lines []string) {
	for _, row := range rows {
		for i := range row {
			row[i] = plainValue(row[i], q.kinds[i].kind == "json")
		}
		line, err := json.Marshal(row)
		if err != nil {
			return []string{err.Error()}
		}
		lines = append(lines, string(line))
	}
	if q.sorted {
		slices.Sort(lines)
	}
	return lines
}

// plainValue makes numbers equal that are written in different ways, and leaves out of messages
// what has its default. Messages may be JSON in a text, and their numbers texts.
func plainValue(v any, isJSON bool) any {
	switch v := v.(type) {
	case string:
		if inner := parsed(v); isJSON && inner != any(v) {
			return plainValue(inner, true)
		}
	case json.Number:
		f, _ := v.Float64()
		return f
	case []any:
		for i := range v {
			v[i] = plainValue(v[i], isJSON)
		}
	case map[string]any:
		out := map[string]any{}
		for name, x := range v {
			x = plainValue(x, true)
			text := fmt.Sprint(x)
			if x != nil && text != "" && text != "0" && text != "false" && text != "[]" &&
				text != "map[]" {
				out[name] = x
			}
		}
		return out
	}
	return v
}
