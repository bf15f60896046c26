// Package arrowsink writes results of queries in the formats of Apache Arrow and Parquet. The
// libraries are large, so only this command requires them.
package arrowsink

import (
	"io"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"

	"github.com/octopus-framework/octopus/nerve/query"
	"github.com/octopus-framework/octopus/nerve/query/column"
	"github.com/octopus-framework/octopus/nerve/query/format"
)

// writer is what takes records: of Arrow or Parquet.
type writer interface {
	Write(rec arrow.RecordBatch) error
	Close() error
}

// Writer is a format.Writer of "arrow", an IPC stream, or "parquet", with zstd.
type Writer struct {
	out     writer
	build   *array.RecordBuilder
	schema  *arrow.Schema
	options format.Options
}

// New returns a writer of "arrow" or "parquet".
func New(name string, out io.Writer, cols []query.Column, o format.Options) (*Writer, error) {
	var fields []arrow.Field
	for _, c := range cols {
		t := typeOf(c.Type, o)
		if c.Type.Kind == column.Duration && name == "parquet" {
			t = arrow.PrimitiveTypes.Int64 // nanoseconds: Parquet has no durations
		}
		fields = append(fields, arrow.Field{Name: c.Name, Type: t, Nullable: true})
	}
	schema := arrow.NewSchema(fields, nil)
	w := &Writer{schema: schema, options: o,
		build: array.NewRecordBuilder(memory.NewGoAllocator(), schema)}
	if name == "arrow" {
		w.out = ipc.NewWriter(out, ipc.WithSchema(schema))
		return w, nil
	}
	props := parquet.NewWriterProperties(parquet.WithCompression(compress.Codecs.Zstd))
	file, err := pqarrow.NewFileWriter(schema, unclosed{out}, props,
		pqarrow.NewArrowWriterProperties(pqarrow.WithStoreSchema()))
	if err != nil {
		return nil, err
	}
	w.out = buffered{file}
	return w, nil
}

// unclosed keeps a writer from being closed: it belongs to the caller.
type unclosed struct{ io.Writer }

// buffered makes row groups of many batches.
type buffered struct{ *pqarrow.FileWriter }

// Write implements writer.
func (b buffered) Write(rec arrow.RecordBatch) error { return b.WriteBuffered(rec) }

func typeOf(t column.Type, o format.Options) arrow.DataType {
	switch t.Kind {
	case column.Bool:
		return arrow.FixedWidthTypes.Boolean
	case column.Int:
		if t.Width == 32 {
			return arrow.PrimitiveTypes.Int32
		}
		return arrow.PrimitiveTypes.Int64
	case column.Uint:
		if t.Width == 32 {
			return arrow.PrimitiveTypes.Uint32
		}
		return arrow.PrimitiveTypes.Uint64
	case column.Float:
		if t.Width == 32 {
			return arrow.PrimitiveTypes.Float32
		}
		return arrow.PrimitiveTypes.Float64
	case column.Bytes:
		return arrow.BinaryTypes.Binary
	case column.Time:
		return arrow.FixedWidthTypes.Timestamp_ns
	case column.Duration:
		return arrow.FixedWidthTypes.Duration_ns
	case column.Enum:
		if o.EnumNumbers {
			return arrow.PrimitiveTypes.Int32
		}
	case column.List:
		if t.Map == nil {
			return arrow.ListOf(typeOf(*t.Elem, o))
		}
	}
	return arrow.BinaryTypes.String // texts, names of enums, JSON of messages and maps
}

// Write implements format.Writer.
func (w *Writer) Write(b *column.Batch) error {
	for i, c := range b.Columns {
		w.fill(w.build.Field(i), c, 0, b.Rows)
	}
	rec := w.build.NewRecordBatch()
	defer rec.Release()
	return w.out.Write(rec)
}

// Close implements format.Writer.
func (w *Writer) Close() error {
	w.build.Release()
	return w.out.Close()
}

// fill appends the rows from up to to of a column.
func (w *Writer) fill(build array.Builder, c *column.Column, from, to int) {
	build.Reserve(to - from)
	var valid []bool
	if c.Valid != nil {
		valid = c.Valid[from:to]
	}
	switch b := build.(type) {
	case *array.Int64Builder:
		b.AppendValues(c.Ints[from:to], valid)
	case *array.Float64Builder:
		b.AppendValues(c.Floats[from:to], valid)
	case *array.ListBuilder:
		values := b.ValueBuilder()
		for i := from; i < to; i++ {
			if c.Null(i) {
				b.AppendNull()
				continue
			}
			b.Append(true)
			w.fill(values, c.Elem, int(c.Offsets[i]), int(c.Offsets[i+1]))
		}
	default:
		for i := from; i < to; i++ {
			if c.Null(i) {
				build.AppendNull()
			} else {
				w.one(build, c, i)
			}
		}
	}
}

// one appends row i of a column, which is not null.
func (w *Writer) one(build array.Builder, c *column.Column, i int) {
	switch b := build.(type) {
	case *array.BooleanBuilder:
		b.Append(c.Ints[i] != 0)
	case *array.Int32Builder:
		b.Append(int32(c.Ints[i]))
	case *array.Uint32Builder:
		b.Append(uint32(c.Ints[i]))
	case *array.Uint64Builder:
		b.Append(uint64(c.Ints[i]))
	case *array.Float32Builder:
		b.Append(float32(c.Floats[i]))
	case *array.BinaryBuilder:
		b.AppendString(c.Strings[i])
	case *array.TimestampBuilder:
		b.Append(arrow.Timestamp(c.Ints[i]))
	case *array.DurationBuilder:
		b.Append(arrow.Duration(c.Ints[i]))
	case *array.StringBuilder:
		b.Append(format.Text(c, i, w.options))
	}
}
