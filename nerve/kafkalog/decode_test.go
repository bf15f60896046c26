package kafkalog

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/internal/keyed"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
)

func TestVarint(t *testing.T) {
	for _, v := range []int64{0, -1, 1, 63, 64, -64, -65, 8191, 8192, math.MaxInt32, math.MinInt32,
		math.MaxInt64, math.MinInt64} {
		p := appendVarint(nil, v)
		got, n := varint(append(p, 0xff))
		if got != v || n != len(p) || varintLen(v) != len(p) {
			t.Errorf("%d: got %d in %d bytes of %d, varintLen %d", v, got, n, len(p), varintLen(v))
		}
		for cut := range p {
			if _, n := varint(p[:cut]); n != 0 {
				t.Errorf("%d cut at %d has length %d", v, cut, n)
			}
		}
	}
}

// made returns a record batch as a log writes it.
func made(t testing.TB, codec Codec, base int64, values ...string) []byte {
	t.Helper()
	var b nerve.Batch
	for _, v := range values {
		b.Append([]byte(v))
	}
	w := writer{options: &Options{Compression: codec}}
	if err := w.encode(&producer{next: sequenced{5, 6}}, &b, nil, 1234); err != nil {
		t.Fatal(err)
	}
	binary.BigEndian.PutUint64(w.buf, uint64(base))
	return w.buf
}

// TestEncodeAsOthersRead compares with the decoder of another implementation.
func TestEncodeAsOthersRead(t *testing.T) {
	values := []string{"", "a", strings.Repeat("b", 63), strings.Repeat("c", 64),
		strings.Repeat("d", 10_000)}
	for codec := None; codec <= Zstd; codec++ {
		var b kmsg.RecordBatch
		p := made(t, codec, 7, values...)
		if err := b.ReadFrom(p); err != nil {
			t.Fatal(err)
		}
		if b.FirstOffset != 7 || b.ProducerID != 5 || b.FirstSequence != 6 ||
			b.MaxTimestamp != 1234 ||
			int(b.NumRecords) != len(values) || b.PartitionLeaderEpoch != -1 ||
			b.CRC != int32(crc32.Checksum(p[crcFrom:], castagnoli)) {
			t.Fatalf("%v: %+v", codec, b)
		}
		records, err := kfake.BatchRecords(b)
		if err != nil {
			t.Fatal(err)
		}
		for i, r := range records {
			if string(r.Value) != values[i] || r.Key != nil || int(r.OffsetDelta) != i ||
				len(r.Headers) != 0 {
				t.Fatalf("%v: record %d is %+v", codec, i, r)
			}
		}
	}
}

// TestSize checks what Limits promises of the worst batch, one without data.
func TestSize(t *testing.T) {
	var b nerve.Batch
	for b.Size() < 1<<20 {
		b.Append(nil)
	}
	limits := limits(int64(b.Size())*emptyRecord/4 + headerSize + idsSpace)
	if err := limits.Check(&b); err != nil {
		t.Fatal(err)
	}
	w := writer{options: new(Options)}
	if err := w.encode(new(producer), &b, nil, math.MaxInt64); err != nil {
		t.Fatal(err)
	}
	if most := b.Size()*emptyRecord/4 + headerSize; len(w.buf) > most {
		t.Fatalf("%d bytes, more than %d", len(w.buf), most)
	}
	var table keyed.Table
	for i := range uint64(2 * keyed.Appends) {
		first := nerve.ID(math.MaxInt64) - 1000 + nerve.ID(i)
		table.Add(nerve.Appended{Key: nerve.Key{Producer: 1, Seq: math.MaxUint64 - 100 + i},
			First: first, Last: first, UnixNano: math.MaxInt64})
	}
	key := nerve.Key{Producer: 1, Seq: math.MaxUint64}
	if n := headerLen(historyHeader, appendHistory(nil, key, &table)); n > idsSpace {
		t.Fatalf("a history of %d bytes", n)
	}
	parts := make([]nerve.Part, nerve.MaxParts)
	for i := range parts {
		parts[i] = nerve.Part{Start: 1 << 24, End: 1<<24 + 1<<24} // of 64 MiB of them
	}
	if n := headerLen(idsHeader, appendIDs(nil, 1, parts)); n > idsSpace {
		t.Fatalf("ids of %d bytes", n)
	}
}

// TestIDs reads the ids that are written, and refuses what nobody writes.
func TestIDs(t *testing.T) {
	parts := []nerve.Part{{ID: nerve.DedupID{1}, Start: 0, End: 2},
		{ID: nerve.DedupID{2}, Start: 2, End: 3}, {ID: nerve.DedupID{3}, Start: 300, End: 500}}
	p := appendIDs(nil, 7, parts)
	token, got, err := parseIDs(p, 500)
	if err != nil || token != 7 || !slices.Equal(got, parts) {
		t.Fatalf("%d, %+v, %v", token, got, err)
	}
	for n := range p {
		if _, got, err := parseIDs(p[:n], 500); err == nil && len(got) == len(parts) {
			t.Errorf("%d of %d bytes are enough", n, len(p))
		}
	}
	if _, _, err := parseIDs(p, 499); err == nil {
		t.Error("a part behind the end of the batch")
	}
	back := appendIDs(nil, 7, []nerve.Part{parts[1], parts[0]})
	if _, _, err := parseIDs(back, 500); err == nil {
		t.Error("parts that are not in order")
	}
}

func TestHistory(t *testing.T) {
	var table keyed.Table
	key := nerve.Key{Producer: 9, Seq: 100}
	for i := range uint64(12) {
		first := nerve.ID(i*10 + 1)
		table.Add(nerve.Appended{Key: nerve.Key{Producer: 9, Seq: i*3 + 1}, First: first,
			Last: first + 2, UnixNano: nano(int64(i))})
	}
	p := appendHistory(nil, key, &table)
	list, err := parseHistory(p, 500, 3, 77)
	if err != nil || len(list) != keyed.Appends+1 {
		t.Fatalf("%v, %v", list, err)
	}
	i := 0
	for a := range table.All() {
		if list[i] != a {
			t.Errorf("%d: %+v, want %+v", i, list[i], a)
		}
		i++
	}
	own := nerve.Appended{Key: key, First: 501, Last: 503, UnixNano: nano(77)}
	if list[i] != own {
		t.Errorf("own: %+v, want %+v", list[i], own)
	}
	for cut := range p {
		if list, err := parseHistory(p[:cut], 500, 3, 77); err == nil &&
			len(list) == keyed.Appends+1 {
			t.Errorf("cut at %d: %v", cut, list)
		}
	}
}

func TestDecompressIsBounded(t *testing.T) {
	zeros := make([]byte, 1<<20)
	for codec := Gzip; codec <= Zstd; codec++ {
		p, err := compress(nil, zeros, codec)
		if err != nil {
			t.Fatal(err)
		}
		var d decompressor
		if got, err := d.decompress(p, codec, len(zeros)); err != nil || !bytes.Equal(got, zeros) {
			t.Errorf("%v: %v", codec, err)
		}
		if _, err := d.decompress(p, codec, len(zeros)-1); err == nil {
			t.Errorf("%v: more than the limit", codec)
		}
		if cap(d.out) > 4*len(zeros) {
			t.Errorf("%v: %d bytes in use", codec, cap(d.out))
		}
		if _, err := d.decompress(p[:len(p)-5], codec, len(zeros)); err == nil {
			t.Errorf("%v: cut short", codec)
		}
	}
	var d decompressor
	if _, err := d.decompress(nil, 7, 1); err == nil {
		t.Error("an unknown codec")
	}
}

// TestXerial reads snappy as Java clients write it.
func TestXerial(t *testing.T) {
	p := []byte("\x82SNAPPY\x00\x00\x00\x00\x01\x00\x00\x00\x01")
	for _, part := range []string{"hello ", "world"} {
		block, err := compress(nil, []byte(part), Snappy)
		if err != nil {
			t.Fatal(err)
		}
		p = binary.BigEndian.AppendUint32(p, uint32(len(block)))
		p = append(p, block...)
	}
	var d decompressor
	for range 2 {
		if got, err := d.decompress(p, Snappy, 11); err != nil || string(got) != "hello world" {
			t.Fatalf("%q, %v", got, err)
		}
	}
	if _, err := d.decompress(p, Snappy, 10); !errors.Is(err, errBomb) {
		t.Fatal(err)
	}
	for cut := len(xerial); cut < len(p); cut++ {
		if got, err := d.decompress(p[:cut], Snappy, 11); err == nil && len(got) == 11 {
			t.Fatalf("cut at %d: %q", cut, got)
		}
	}
}

// TestDamage flips each bit of a batch: a cursor notices all of them but those
// of the leader epoch, which no checksum covers.
func TestDamage(t *testing.T) {
	p := made(t, None, 0, "hello", "world")
	for i := range len(p) * 8 {
		q := bytes.Clone(p)
		q[i/8] ^= 1 << (i % 8)
		if at := i / 8; at >= 12 && at < 16 {
			continue
		}
		c := testCursor(q)
		var b nerve.Batch
		found, err := c.decode(&b)
		if found {
			t.Fatalf("bit %d of byte %d: %v, %v", i%8, i/8, found, err)
		}
	}
}

// testCursor is at id 1 of a partition of which p was fetched.
func testCursor(p []byte) *cursor {
	l := &Log{data: newPartition(nil, []string{"b:1"}, "t", 0)}
	l.options.setDefaults()
	l.options.MaxDecompressed = 1 << 20
	c := newCursor(l, 1)
	c.chunk = p
	return c
}

// FuzzDecode decodes anything: it ends, and yields records in order or a typed
// error.
func FuzzDecode(f *testing.F) {
	for codec := None; codec <= Zstd; codec++ {
		f.Add(made(f, codec, 0, "", "hello", strings.Repeat("x", 300)), false)
		f.Add(append(made(f, codec, 0, "a"), made(f, codec, 1, "b", "c")...), true)
	}
	f.Fuzz(func(t *testing.T, p []byte, envelope bool) {
		// The checksum is made right, or nothing behind it is reached.
		for q := p; len(q) >= headerSize; {
			size := lengthEnd + int64(int32(binary.BigEndian.Uint32(q[8:])))
			if size < headerSize || size > int64(len(q)) {
				break
			}
			binary.BigEndian.PutUint32(q[crcAt:], crc32.Checksum(q[crcFrom:size], castagnoli))
			q = q[size:]
		}
		lastOffset(p)
		c := testCursor(p)
		c.log.options.Envelope = envelope
		var b nerve.Batch
		next := nerve.ID(1)
		for len(c.chunk) > 0 {
			left := len(c.chunk)
			found, err := c.decode(&b)
			var corrupt *nerve.CorruptError
			var gap *GapError
			switch {
			case err != nil && !errors.As(err, &corrupt) && !errors.As(err, &gap):
				t.Fatalf("%T %v", err, err)
			case err != nil:
				return
			case !found && len(c.chunk) == left:
				t.Fatal("no progress")
			case found && (b.First != next || b.Len() == 0):
				t.Fatalf("%d records from %d, want %d", b.Len(), b.First, next)
			case found:
				for rec := range b.All() {
					if rec.ID != next {
						t.Fatalf("record %d, want %d", rec.ID, next)
					}
					next++
				}
			}
		}
	})
}

// FuzzHistory parses the header of a batch from anybody.
func FuzzHistory(f *testing.F) {
	f.Add(appendHistory(nil, nerve.Key{Producer: 1, Seq: 2}, new(keyed.Table)))
	f.Fuzz(func(t *testing.T, p []byte) {
		list, err := parseHistory(p, 1000, 2, 5)
		if err != nil {
			return
		}
		own := list[len(list)-1]
		if own.First != 1001 || own.Last != 1002 {
			t.Fatalf("%+v", own)
		}
		for _, a := range list {
			if a.Last < a.First || a.Key.Producer != own.Key.Producer {
				t.Fatalf("%+v", a)
			}
		}
	})
}
