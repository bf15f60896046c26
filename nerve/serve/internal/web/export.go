package web

import (
	"bufio"
	"encoding/base64"
	"encoding/binary"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/octopus-framework/octopus/gremlin/anatomy"
	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/serve/internal/core"
)

// export streams all records from a place on that a filter wants: as lines of JSON,
// as CSV with columns, or raw, each with its length before it (a varint), which
// "nerve append --delimited" reads back.
func (a *App) export(w http.ResponseWriter, r *http.Request, q *core.Access) error {
	if err := q.Need(core.Read | core.Consume); err != nil {
		return err
	}
	s := a.schemas.of(r.Context(), q.Name())
	f, err := filterOf(r, s)
	if err != nil {
		return err
	}
	columns, err := columnsOf(r)
	if err != nil {
		return err
	}
	ctx, cancel := a.until(r.Context())
	defer cancel()
	first, last := q.Bounds()
	if at := r.FormValue("at"); at != "" && at != "newest" {
		if first, err = startOf(ctx, q, at, 1); err != nil {
			return err
		}
	}
	format := r.FormValue("format")
	out, contentType := newSink(format, s, columns, bufio.NewWriterSize(w, 64<<10))
	if out == nil {
		return &badRequest{Message: fmt.Sprintf("%q is no format", cut(format, 20)),
			Hint: "use jsonl, csv or raw"}
	}
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Content-Disposition",
		fmt.Sprintf(`attachment; filename="%s.%s"`, q.Name(), format))
	var failed error
	err = each(ctx, q, first, last, func(rec nerve.Record) bool {
		var wanted bool
		if wanted, failed = f.match(ctx, rec); wanted {
			failed = out.write(rec)
		}
		return failed == nil
	})
	if err == nil {
		err = failed
	}
	if err == nil {
		err = out.flush()
	}
	if err != nil {
		// The status is sent: only a cut connection tells that this is not all.
		panic(http.ErrAbortHandler)
	}
	return nil
}

// sink writes records in a format.
type sink interface {
	write(rec nerve.Record) error
	flush() error
}

func newSink(format string, s *schema, columns []string, w *bufio.Writer) (sink, string) {
	switch format {
	case "jsonl":
		return &jsonLines{w, s}, "application/x-ndjson"
	case "csv":
		return newTable(w, s, columns), "text/csv; charset=utf-8"
	case "raw":
		return rawRecords{w}, "application/octet-stream"
	}
	return nil, ""
}

type jsonLines struct {
	*bufio.Writer
	schema *schema
}

// exported is a line of JSON.
type exported struct {
	ID     nerve.ID        `json:"id"`
	Time   string          `json:"time"`
	Value  json.RawMessage `json:"value,omitempty"`
	Text   *string         `json:"text,omitempty"`   // text of a record that is text
	Base64 string          `json:"base64,omitempty"` // bytes of others, and of what does not decode
	Error  string          `json:"error,omitempty"`
}

func (j *jsonLines) write(rec nerve.Record) error {
	line := exported{ID: rec.ID, Time: timeText(rec.UnixNano)}
	if j.schema.typeOf() != nil {
		text, err := j.schema.json(rec.Data, "")
		if line.Value = text; err != nil {
			line.Value, line.Error = nil, err.Error()
		}
	}
	if line.Value == nil {
		if j.schema.typeOf() == nil && printable(rec.Data) {
			text := string(rec.Data)
			line.Text = &text
		} else {
			line.Base64 = base64.StdEncoding.EncodeToString(rec.Data)
		}
	}
	return json.NewEncoder(j.Writer).Encode(line)
}

func (j *jsonLines) flush() error { return j.Flush() }

type table struct {
	csv     *csv.Writer
	out     *bufio.Writer
	schema  *schema
	columns []string
}

func newTable(w *bufio.Writer, s *schema, columns []string) *table {
	t := &table{csv.NewWriter(w), w, s, columns}
	head := []string{"id", "time", "size"}
	for _, c := range columns {
		head = append(head, safeCell(c))
	}
	if len(columns) == 0 {
		head = append(head, "record")
	}
	_ = t.csv.Write(head) // an error comes again with the next
	return t
}

func (t *table) write(rec nerve.Record) error {
	row := []string{strconv.FormatUint(uint64(rec.ID), 10), timeText(rec.UnixNano),
		strconv.Itoa(len(rec.Data))}
	if len(t.columns) == 0 {
		l := t.schema.line(rec, nil)
		row = append(row, safeCell(l.Text))
	} else {
		tree := anatomy.Of(rec.Data, t.schema.typeOf(), anatomy.Options{MaxNodes: maxNodes})
		for _, c := range t.columns {
			row = append(row, safeCell(columnAt(tree, c)))
		}
	}
	return t.csv.Write(row)
}

// safeCell keeps spreadsheets from taking a text for a formula. Numbers stay.
func safeCell(s string) string {
	if s == "" || !strings.ContainsRune("=+-@\t\r", rune(s[0])) {
		return s
	}
	if _, err := strconv.ParseFloat(s, 64); err == nil {
		return s
	}
	return "'" + s
}

func (t *table) flush() error {
	t.csv.Flush()
	if err := t.csv.Error(); err != nil {
		return err
	}
	return t.out.Flush()
}

type rawRecords struct{ *bufio.Writer }

func (w rawRecords) write(rec nerve.Record) error {
	var length [10]byte
	_, _ = w.Write(length[:binary.PutUvarint(length[:], uint64(len(rec.Data)))])
	_, err := w.Write(rec.Data)
	return err
}

func (w rawRecords) flush() error { return w.Flush() }
