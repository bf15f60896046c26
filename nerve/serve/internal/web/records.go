package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/octopus-framework/octopus/gremlin/anatomy"
	convert "github.com/octopus-framework/octopus/internal/dynamic"
	"github.com/octopus-framework/octopus/internal/place"
	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/serve/internal/core"
)

// Limits of answers.
const (
	maxRecords  = 1000     // in one answer
	maxPreview  = 400      // characters of a record in a list
	maxPreviewB = 64 << 10 // bytes of a record that is decoded for a list
	maxDecoded  = 1 << 20  // bytes of a record that is shown as JSON and text
	maxBytes    = 64 << 10 // of a record in one answer with its bytes
	maxColumns  = 20
	maxNodes    = 4000 // fields of a record that are listed
)

// recordLine is a record in a list.
type recordLine struct {
	ID   nerve.ID `json:"id"`
	Time string   `json:"time"` // RFC 3339, in UTC
	Size int      `json:"size"`
	Form string   `json:"form"` // what Text is: json, text or hex
	Text string   `json:"text"`
	// Error is why the record is not of its type.
	Error   string   `json:"error,omitempty"`
	Columns []string `json:"columns,omitempty"`
}

func timeText(nano int64) string { return time.Unix(0, nano).UTC().Format(time.RFC3339Nano) }

// line describes a record for a list. It keeps nothing of its memory.
func (s *schema) line(r nerve.Record, columns []string) recordLine {
	l := recordLine{ID: r.ID, Time: timeText(r.UnixNano), Size: len(r.Data)}
	if s.typeOf() != nil && len(r.Data) <= maxPreviewB {
		text, err := s.json(r.Data, "")
		if err == nil {
			l.Form, l.Text = "json", cut(string(text), maxPreview)
		} else {
			l.Error = err.Error()
		}
	}
	if l.Form == "" {
		l.Form, l.Text = plain(r.Data)
	}
	if len(columns) > 0 {
		l.Columns = make([]string, len(columns))
		if len(r.Data) <= maxPreviewB {
			tree := anatomy.Of(r.Data, s.typeOf(), anatomy.Options{MaxNodes: maxNodes})
			for i, c := range columns {
				l.Columns[i] = cut(columnAt(tree, c), maxPreview)
			}
		}
	}
	return l
}

func (s *schema) json(b []byte, indent string) ([]byte, error) {
	return s.codec.Convert(nil, convert.JSON, b, convert.Binary,
		convert.Options{ProtoNames: true, Indent: indent})
}

// plain is a record of unknown type: as text if it is, else as hex.
func plain(b []byte) (form, text string) {
	head := b[:min(len(b), maxPreview)]
	for len(head) > 0 && len(head) < len(b) && !utf8.Valid(head) && len(head) > maxPreview-4 {
		head = head[:len(head)-1]
	}
	if printable(head) {
		return "text", cut(string(head), maxPreview)
	}
	return "hex", fmt.Sprintf("% x", b[:min(len(b), maxPreview/4)])
}

// cut shortens a text to n bytes, between characters.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}

// recordList is the answer to a request for records.
type recordList struct {
	First   nerve.ID     `json:"first"` // first id of the queue
	Last    nerve.ID     `json:"last"`
	Type    string       `json:"type,omitempty"`
	Records []recordLine `json:"records"`
	Damage  string       `json:"damage,omitempty"` // why there are no more
}

// records lists records from a place on: newest, oldest, an id or a time.
func (a *App) records(w http.ResponseWriter, r *http.Request, q *core.Access) error {
	if err := q.Need(core.Read | core.Consume); err != nil {
		return err
	}
	limit, err := number(r, "limit", 100, 1, maxRecords)
	if err != nil {
		return err
	}
	columns, err := columnsOf(r)
	if err != nil {
		return err
	}
	at := r.FormValue("at")
	from, err := startOf(r.Context(), q, at, limit)
	if err != nil {
		return err
	}
	list := recordList{Records: []recordLine{}}
	list.First, list.Last = q.Bounds()
	s := a.schemas.of(r.Context(), q.Name())
	if t := s.typeOf(); t != nil {
		list.Type = t.Name
	}
	err = each(r.Context(), q, from, list.Last, func(rec nerve.Record) bool {
		list.Records = append(list.Records, s.line(rec, columns))
		return len(list.Records) < limit
	})
	if err != nil {
		var corrupt *nerve.CorruptError
		var lost *nerve.LostError
		if !errors.As(err, &corrupt) && !errors.As(err, &lost) {
			return err
		}
		list.Damage = problemOf(err).Error
	}
	return respond(w, list)
}

// startOf finds the id of the first record of a list with limit records.
func startOf(ctx context.Context, q *core.Access, at string, limit int) (nerve.ID, error) {
	if at == "" || at == "newest" {
		first, last := q.Bounds()
		return nerve.ID(max(int64(first), int64(last)-int64(limit)+1)), nil
	}
	p, err := placeOf(at)
	if err != nil {
		return 0, err
	}
	return p.First(ctx, q)
}

// placeOf reads a place. Times without a zone are in UTC, as the page shows them.
func placeOf(text string) (place.Place, error) {
	p, err := place.Parse(text, time.UTC)
	if err != nil {
		return p, &badRequest{Message: fmt.Sprintf("%q is no place in a queue", cut(text, 50)),
			Hint: "use " + place.Forms}
	}
	return p, nil
}

// each calls f with the records from one id to another, until f returns false.
func each(
	ctx context.Context, q *core.Access, from, to nerve.ID, f func(nerve.Record) bool,
) error {
	if from > to {
		return nil
	}
	cursor, err := q.Read(ctx, from)
	if err != nil {
		return err
	}
	defer cursor.Close()
	var b nerve.Batch
	for {
		if err := cursor.Next(ctx, &b); err != nil {
			return err
		}
		for rec := range b.All() {
			if rec.ID > to || !f(rec) {
				return nil
			}
		}
		if b.Last() >= to {
			return nil
		}
	}
}

func number(r *http.Request, name string, normal, least, most int) (int, error) {
	text := r.FormValue(name)
	if text == "" {
		return normal, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < least || n > most {
		return 0, &badRequest{Message: fmt.Sprintf("%s is a number from %d to %d", name, least,
			most)}
	}
	return n, nil
}

func columnsOf(r *http.Request) ([]string, error) {
	var list []string
	for c := range strings.SplitSeq(r.FormValue("columns"), ",") {
		if c = strings.TrimSpace(c); c != "" {
			list = append(list, c)
		}
	}
	if len(list) > maxColumns {
		return nil, &badRequest{Message: fmt.Sprintf("there are at most %d columns", maxColumns)}
	}
	return list, nil
}

// recordView is one record with all that is known of it.
type recordView struct {
	ID        nerve.ID        `json:"id"`
	Time      string          `json:"time"`
	Size      int             `json:"size"`
	Type      string          `json:"type,omitempty"`
	JSON      json.RawMessage `json:"json,omitempty"`
	Text      string          `json:"text,omitempty"`  // text format
	Plain     string          `json:"plain,omitempty"` // the record itself, if it is text
	Cut       bool            `json:"cut,omitempty"`   // it is too long for JSON and text
	Error     string          `json:"error,omitempty"`
	Anatomy   *anatomy.Tree   `json:"anatomy"`
	BatchID   nerve.ID        `json:"batch_first"` // the first record of its batch
	BatchSize int             `json:"batch_records"`
	First     nerve.ID        `json:"first"`
	Last      nerve.ID        `json:"last"`
}

// noSuchRecord is an id that the queue does not have.
type noSuchRecord struct{ id, first, last nerve.ID }

// Error implements error.
func (e *noSuchRecord) Error() string {
	return fmt.Sprintf("there is no record %d; the queue has %d to %d", e.id, e.first, e.last)
}

// one finds a record; f is called with it while its memory is good.
func one(r *http.Request, q *core.Access, f func(rec nerve.Record, b *nerve.Batch) error) error {
	if err := q.Need(core.Read | core.Consume); err != nil {
		return err
	}
	n, err := strconv.ParseUint(r.PathValue("id"), 10, 64)
	if err != nil {
		return &badRequest{Message: "an id is a number"}
	}
	id := nerve.ID(n)
	if first, last := q.Bounds(); id < first || id > last {
		return &noSuchRecord{id, first, last}
	}
	cursor, err := q.Read(r.Context(), id)
	if err != nil {
		return err
	}
	defer cursor.Close()
	var b nerve.Batch
	if err := cursor.Next(r.Context(), &b); err != nil {
		return err
	}
	for rec := range b.All() {
		return f(rec, &b)
	}
	return nil
}

// record shows one record.
func (a *App) record(w http.ResponseWriter, r *http.Request, q *core.Access) error {
	s := a.schemas.of(r.Context(), q.Name())
	return one(r, q, func(rec nerve.Record, b *nerve.Batch) error {
		v := recordView{ID: rec.ID, Time: timeText(rec.UnixNano), Size: len(rec.Data),
			Anatomy: anatomy.Of(rec.Data, s.typeOf(),
				anatomy.Options{MaxNodes: maxNodes}), BatchID: b.First, BatchSize: b.Len()}
		v.First, v.Last = q.Bounds()
		v.Cut = len(rec.Data) > maxDecoded
		if printable(rec.Data[:min(len(rec.Data), maxBytes)]) {
			v.Plain = cut(string(rec.Data[:min(len(rec.Data), maxBytes+utf8.UTFMax)]), maxBytes)
		}
		if t := s.typeOf(); t != nil {
			v.Type = t.Name
			if !v.Cut {
				if text, err := s.json(rec.Data, "  "); err != nil {
					v.Error = err.Error()
				} else {
					v.JSON = text
				}
				text, err := s.codec.Convert(nil, convert.Text, rec.Data, convert.Binary,
					convert.Options{Indent: "  ", ShowUnknown: true})
				if err == nil {
					v.Text = string(text)
				}
			}
		}
		return respond(w, v)
	})
}

// bytes sends a part of a record as it is; download names a file for it.
func (a *App) bytes(w http.ResponseWriter, r *http.Request, q *core.Access) error {
	from, err := number(r, "from", 0, 0, 1<<31-1)
	if err != nil {
		return err
	}
	return one(r, q, func(rec nerve.Record, _ *nerve.Batch) error {
		w.Header().Set("Content-Type", "application/octet-stream")
		part := rec.Data[min(from, len(rec.Data)):]
		if r.FormValue("download") != "" {
			w.Header().Set("Content-Disposition",
				fmt.Sprintf(`attachment; filename="%s-%d.bin"`, q.Name(), rec.ID))
		} else {
			part = part[:min(len(part), maxBytes)]
		}
		_, _ = w.Write(part) // nobody is left to be told
		return nil
	})
}
