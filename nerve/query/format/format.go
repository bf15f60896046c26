// Package format writes the results of queries as a table for people, as JSON lines and as CSV.
package format

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/octopus-framework/octopus/gremlin/dynamic"
	gremlinjson "github.com/octopus-framework/octopus/gremlin/json"
	"github.com/octopus-framework/octopus/nerve/query"
	"github.com/octopus-framework/octopus/nerve/query/column"
)

// Options of a Writer.
type Options struct {
	// EnumNumbers writes enums as numbers.
	EnumNumbers bool
	// TextNumbers writes whole numbers that JavaScript would round as texts.
	TextNumbers bool
	// NoHeader leaves out the names of a table or CSV file.
	NoHeader bool
}

// Writer writes batches of a result. It is not safe for concurrent use.
type Writer interface {
	Write(b *column.Batch) error
	// Close writes what is left. It does not close what is written to.
	Close() error
}

// New returns a writer of "table", "jsonl" or "csv", nil for another name.
func New(name string, out io.Writer, cols []query.Column, o Options) Writer {
	switch name {
	case "jsonl":
		return &jsonLines{out: out, options: o}
	case "csv":
		return &csvWriter{out: csv.NewWriter(out), plain: out, cols: cols, options: o}
	case "table":
		return &table{out: out, cols: cols, options: o}
	}
	return nil
}

// Text returns row i of a column as text: null is empty, bytes are base64, times RFC 3339 in UTC,
// durations in seconds as JSON has them, messages and lists JSON.
func Text(c *column.Column, i int, o Options) string {
	if c.Null(i) {
		return ""
	}
	switch c.Kind {
	case column.String:
		return c.Strings[i]
	case column.Message, column.List:
		return string(appendJSON(nil, c, i, o))
	}
	s := string(appendJSON(nil, c, i, o))
	return strings.Trim(s, `"`)
}

// maxExact is the largest whole number that JavaScript has exactly.
const maxExact = 1 << 53

// appendJSON appends row i of a column as JSON.
func appendJSON(b []byte, c *column.Column, i int, o Options) []byte {
	if c.Null(i) {
		return append(b, "null"...)
	}
	switch c.Kind {
	case column.Bool:
		return strconv.AppendBool(b, c.Ints[i] != 0)
	case column.Int:
		if n := c.Ints[i]; o.TextNumbers && (n > maxExact || n < -maxExact) {
			return append(strconv.AppendInt(append(b, '"'), n, 10), '"')
		}
	case column.Uint:
		if n := uint64(c.Ints[i]); o.TextNumbers && n > maxExact {
			return append(strconv.AppendUint(append(b, '"'), n, 10), '"')
		}
		return strconv.AppendUint(b, uint64(c.Ints[i]), 10)
	case column.Float:
		return appendFloat(b, c.Floats[i], c.Width)
	case column.String:
		return appendString(b, c.Strings[i])
	case column.Bytes:
		b = append(b, '"')
		b = base64.StdEncoding.AppendEncode(b, []byte(c.Strings[i]))
		return append(b, '"')
	case column.Enum:
		if name, known := EnumName(c.Enum, c.Ints[i]); known && !o.EnumNumbers {
			return appendString(b, name)
		}
	case column.Time:
		b = append(b, '"')
		b = time.Unix(0, c.Ints[i]).UTC().AppendFormat(b, time.RFC3339Nano)
		return append(b, '"')
	case column.Duration:
		return append(appendSeconds(append(b, '"'), c.Ints[i]), `s"`...)
	case column.Message:
		return appendMessage(b, c.Message, c.Strings[i])
	case column.List:
		return appendList(b, c, i, o)
	}
	return strconv.AppendInt(b, c.Ints[i], 10)
}

// EnumName returns the name of an enum's number.
func EnumName(e *dynamic.Enum, n int64) (string, bool) {
	if e == nil {
		return "", false
	}
	return e.NameOf(int32(n))
}

func appendFloat(b []byte, x float64, width int) []byte {
	switch {
	case x != x:
		return append(b, `"NaN"`...)
	case x > math.MaxFloat64:
		return append(b, `"Infinity"`...)
	case x < -math.MaxFloat64:
		return append(b, `"-Infinity"`...)
	}
	if width != 32 {
		width = 64
	}
	if a := math.Abs(x); a != 0 && (a < 1e-6 || a >= 1e21) {
		return strconv.AppendFloat(b, x, 'e', -1, width)
	}
	return strconv.AppendFloat(b, x, 'f', -1, width)
}

func appendSeconds(b []byte, nanos int64) []byte {
	if nanos < 0 {
		b = append(b, '-')
	}
	size := uint64(nanos)
	if nanos < 0 {
		size = -size
	}
	b = strconv.AppendUint(b, size/1e9, 10)
	if rest := size % 1e9; rest != 0 {
		b = append(b, strings.TrimRight(fmt.Sprintf(".%09d", rest), "0")...)
	}
	return b
}

func appendString(b []byte, s string) []byte {
	// Marshal of a string has no error.
	text, _ := json.Marshal(strings.ToValidUTF8(s, "\uFFFD"))
	return append(b, text...)
}

// appendMessage appends an encoded message as JSON; one that has no JSON, as null.
func appendMessage(b []byte, t *dynamic.Type, data string) []byte {
	r := dynamic.NewReader(t)
	if err := r.Unmarshal([]byte(data)); err != nil {
		return append(b, "null"...)
	}
	out, err := r.AppendJSON(b, gremlinjson.Options{ProtoNames: true})
	if err != nil {
		return append(b, "null"...)
	}
	return out
}

func appendList(b []byte, c *column.Column, i int, o Options) []byte {
	from, to := int(c.Offsets[i]), int(c.Offsets[i+1])
	if c.Map != nil {
		return appendMap(b, c, from, to)
	}
	b = append(b, '[')
	for k := from; k < to; k++ {
		if k > from {
			b = append(b, ',')
		}
		b = appendJSON(b, c.Elem, k, o)
	}
	return append(b, ']')
}

// appendMap appends the entries of a map as the JSON of a message that has nothing else.
func appendMap(b []byte, c *column.Column, from, to int) []byte {
	var data []byte
	for k := from; k < to; k++ {
		data = binary.AppendUvarint(data, uint64(c.Map.Number)<<3|2)
		data = binary.AppendUvarint(data, uint64(len(c.Elem.Strings[k])))
		data = append(data, c.Elem.Strings[k]...)
	}
	text := appendMessage(nil, c.Map.Parent, string(data))
	inner, found := bytes.CutPrefix(text, []byte(`{"`+c.Map.Name+`":`))
	if !found {
		return append(b, "{}"...)
	}
	return append(b, bytes.TrimSuffix(inner, []byte("}"))...)
}

type jsonLines struct {
	out     io.Writer
	options Options
	buf     []byte
}

func (w *jsonLines) Write(b *column.Batch) error {
	w.buf = w.buf[:0]
	for i := range b.Rows {
		for k, c := range b.Columns {
			sep := byte(',')
			if k == 0 {
				sep = '{'
			}
			w.buf = append(w.buf, sep)
			w.buf = append(appendString(w.buf, b.Names[k]), ':')
			w.buf = appendJSON(w.buf, c, i, w.options)
		}
		w.buf = append(w.buf, "}\n"...)
	}
	_, err := w.out.Write(w.buf)
	return err
}

func (w *jsonLines) Close() error { return nil }

type csvWriter struct {
	out     *csv.Writer
	plain   io.Writer
	cols    []query.Column
	options Options
	begun   bool
	row     []string
}

func (w *csvWriter) header() error {
	if w.begun || w.options.NoHeader {
		return nil
	}
	w.begun = true
	names := make([]string, len(w.cols))
	for i, c := range w.cols {
		names[i] = c.Name
	}
	return w.out.Write(names)
}

func (w *csvWriter) Write(b *column.Batch) error {
	if err := w.header(); err != nil {
		return err
	}
	for i := range b.Rows {
		w.row = w.row[:0]
		for _, c := range b.Columns {
			w.row = append(w.row, Text(c, i, w.options))
		}
		if err := w.write(); err != nil {
			return err
		}
	}
	w.out.Flush()
	return w.out.Error()
}

// write writes a row. One that is a single empty cell is quoted: readers take an empty line for
// nothing.
func (w *csvWriter) write() error {
	if len(w.row) != 1 || w.row[0] != "" {
		return w.out.Write(w.row)
	}
	w.out.Flush()
	if err := w.out.Error(); err != nil {
		return err
	}
	_, err := io.WriteString(w.plain, "\"\"\n")
	return err
}

func (w *csvWriter) Close() error {
	err := w.header()
	w.out.Flush()
	if err != nil {
		return err
	}
	return w.out.Error()
}

// table aligns columns by the rows of the first batch; later ones that are wider stand out.
type table struct {
	out     io.Writer
	cols    []query.Column
	options Options
	widths  []int
}

const maxCell = 60

func (w *table) Write(b *column.Batch) error {
	cells := make([][]string, b.Rows)
	for i := range cells {
		for _, c := range b.Columns {
			cells[i] = append(cells[i], cell(c, i, w.options))
		}
	}
	var text strings.Builder
	if w.widths == nil {
		w.measure(cells)
		if !w.options.NoHeader {
			names := make([]string, len(w.cols))
			for i, c := range w.cols {
				names[i] = c.Name
			}
			w.line(&text, names)
		}
	}
	for _, row := range cells {
		w.line(&text, row)
	}
	_, err := io.WriteString(w.out, text.String())
	return err
}

func (w *table) Close() error {
	if w.widths != nil {
		return nil
	}
	return w.Write(&column.Batch{})
}

func (w *table) measure(cells [][]string) {
	w.widths = make([]int, len(w.cols))
	for i, c := range w.cols {
		w.widths[i] = utf8.RuneCountInString(c.Name)
		for _, row := range cells {
			w.widths[i] = max(w.widths[i], utf8.RuneCountInString(row[i]))
		}
	}
}

// line writes cells, numbers to the right.
func (w *table) line(out *strings.Builder, cells []string) {
	for i, s := range cells {
		if i > 0 {
			out.WriteString("  ")
		}
		pad := strings.Repeat(" ", max(w.widths[i]-utf8.RuneCountInString(s), 0))
		switch k := w.cols[i].Type.Kind; {
		case k == column.Int || k == column.Uint || k == column.Float:
			out.WriteString(pad + s)
		case i == len(cells)-1:
			out.WriteString(s)
		default:
			out.WriteString(s + pad)
		}
	}
	out.WriteByte('\n')
}

// cell is a value for a table: short, in one line, without what a terminal would act on.
func cell(c *column.Column, i int, o Options) string {
	if c.Null(i) {
		return "-"
	}
	s := Text(c, i, o)
	if strings.ContainsFunc(s, func(r rune) bool { return !strconv.IsPrint(r) }) {
		s = strings.Trim(strconv.Quote(s), `"`)
	}
	if utf8.RuneCountInString(s) > maxCell {
		s = string([]rune(s)[:maxCell-3]) + "..."
	}
	return s
}
