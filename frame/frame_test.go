package frame

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
)

// payloads are of every kind that frames tell apart.
func payloads() map[string][]byte {
	random := make([]byte, 10_000)
	for i := range random {
		random[i] = byte(rand.Uint32())
	}
	return map[string][]byte{
		"empty":      {},
		"one byte":   {7},
		"short text": []byte("hello"),
		"text":       []byte(strings.Repeat("an event of user 17, ", 200)),
		"zeros":      make([]byte, 3<<20),
		"random":     random,
	}
}

func TestRoundTrip(t *testing.T) {
	for name, payload := range payloads() {
		for _, c := range Codecs() {
			for _, threshold := range []int{-1, 0, 1 << 30} {
				frame := Append([]byte("before"), payload, Options{Codec: c, Threshold: threshold})
				frame, ok := bytes.CutPrefix(frame, []byte("before"))
				if !ok || len(frame) > len(payload)+1 {
					t.Fatalf("%s by %v: %d bytes became %d", name, c, len(payload), len(frame))
				}
				want := None
				if c != None && threshold != 1<<30 &&
					(name == "text" || name == "zeros") {
					want = c
				}
				if got := Codec(frame[0]); got != want {
					t.Errorf("%s by %v from %d: a frame of %v, want %v", name, c, threshold,
						got, want)
				}
				got, err := Decode(nil, frame, len(payload))
				if err != nil || !bytes.Equal(got, payload) {
					t.Errorf("%s by %v: %d bytes came back, %v", name, c, len(got), err)
				}
				if len(payload) == 0 {
					continue
				}
				var tooLong *LimitError
				if _, err := Decode(nil, frame, len(payload)-1); !errors.As(err, &tooLong) {
					t.Errorf("%s by %v over the limit: %v", name, c, err)
				}
			}
		}
	}
}

// event compresses by four bytes: an encoder does not know before whether it fits.
const event = "\n$56f44674-3ca2-7b41-9c0f-1724b2a897a0\x12\v\b\x8c\xa3\x9b\xc9\x06\x10\xa3\x82\x83m\x18\x03" +
	"\"/\b\x9d\u04ad\xd6\x01\x12\x0fEdsger Dijkstra\x1a\x16\n\x02US\x11\u052b\x88\xfbh\x9d:\xc0\x19\xe4" +
	"K\xd6S{\xe7[\xc0(\xf0\xa732\x03INR:\x0e118.111.78.103BFMozilla/5.0 (X11; Linux x86_64; rv:145.0)" +
	" Gecko/20100101 Firefox/145.0J\x1c\n\bcampaign\x12\x107bcc7c60fe37aecaJ\x1c\n\breferrer\x12\x1034" +
	"5b1eee11671ca2J\x1c\n\bterminal\x12\x10a50c24883ff839ddR\x12\n\nSKU-250754\x10\x06\x18\u03c8\x06" +
	"R\x12\n\nSKU-896303\x10\x01\x18\xd2\xcb\x04R\x12\n\nSKU-851578\x10\x02\x18\x8c\xdf\x02R\x12\n\nSKU-" +
	"295900\x10\x04\x18\xec\xb5\x03"

func TestRoundTripBarelySmaller(t *testing.T) {
	for _, c := range Codecs()[1:] {
		for n := range len(event) {
			frame := Append(nil, []byte(event[:n]), Options{Codec: c, Threshold: -1})
			got, err := Decode(nil, frame, n)
			if err != nil || string(got) != event[:n] {
				t.Fatalf("%v of %d bytes in a frame of %d: %v", c, n, len(frame), err)
			}
		}
	}
	frame := Append(nil, []byte(event), Options{Codec: Zstd, Threshold: -1})
	if Codec(frame[0]) != Zstd {
		t.Errorf("the event does not get smaller any more: take another one")
	}
}

func TestDecodeWritesToTheBuffer(t *testing.T) {
	payload := payloads()["text"]
	for _, c := range Codecs()[1:] {
		buf := make([]byte, 0, 2*len(payload))
		got, err := Decode(buf, Append(nil, payload, Options{Codec: c}), 1<<20)
		if err != nil || &got[0] != &buf[:1][0] {
			t.Errorf("%v did not use the buffer, %v", c, err)
		}
	}
}

// TestDamage cuts and changes frames: an error or other bytes, never a panic; a frame that is cut
// is always an error.
func TestDamage(t *testing.T) {
	payload := []byte(strings.Repeat("an event of user 17, ", 20))
	for _, c := range Codecs()[1:] {
		frame := Append(nil, payload, Options{Codec: c, Threshold: -1})
		for n := range frame {
			if got, err := Decode(nil, frame[:n], 1<<20); err == nil {
				t.Errorf("%v cut to %d of %d bytes gives %d", c, n, len(frame), len(got))
			}
		}
		for i := range frame {
			for bit := range 8 {
				damaged := bytes.Clone(frame)
				damaged[i] ^= 1 << bit
				got, err := Decode(nil, damaged, 1<<20)
				if err == nil && len(got) > 1<<20 {
					t.Errorf("%v: %d bytes over the limit", c, len(got))
				}
			}
		}
		if _, err := Decode(nil, append(bytes.Clone(frame), 0), 1<<20); err == nil {
			t.Errorf("%v takes a byte behind the payload", c)
		}
	}
	for flag := range 256 {
		var unknown *CodecError
		_, err := Decode(nil, []byte{byte(flag)}, 1<<20)
		if want := flag > int(Deflate); errors.As(err, &unknown) != want {
			t.Errorf("flag %#x: %v", flag, err)
		}
	}
	var corrupt *CorruptError
	if _, err := Decode(nil, nil, 1<<20); !errors.As(err, &corrupt) {
		t.Errorf("no bytes at all: %v", err)
	}
}

// TestBombs decodes frames that stand for up to 256 MiB, and counts what is allocated.
func TestBombs(t *testing.T) {
	const limit = 4 << 20
	zeros := make([]byte, 64<<20)
	var noSize bytes.Buffer
	w, err := zstd.NewWriter(&noSize)
	if err != nil {
		t.Fatal(err)
	}
	for range 4 {
		_, _ = w.Write(zeros)
	}
	_ = w.Close()
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	_, _ = z.Write(zeros)
	_ = z.Close()
	bombs := map[string][]byte{
		"s2":                 append([]byte{byte(S2)}, s2.Encode(nil, zeros)...),
		"zstd":               Append(nil, zeros, Options{Codec: Zstd}),
		"zstd without size":  append([]byte{byte(Zstd)}, noSize.Bytes()...),
		"lz4":                Append(nil, zeros, Options{Codec: LZ4}),
		"lz4 that lies":      {byte(LZ4), 0, 0, 15, 0, 0},
		"gzip":               append([]byte{byte(Gzip)}, zipped.Bytes()...),
		"deflate":            Append(nil, zeros, Options{Codec: Deflate}),
		"s2 that lies":       {byte(S2), 0xff, 0xff, 0x3f, 0},
		"s2 of 4 GiB":        {byte(S2), 0xff, 0xff, 0xff, 0xff, 0x0f, 0},
		"uncompressed, long": make([]byte, 5<<20),
	}
	for name, bomb := range bombs {
		_, _ = Decode(nil, bomb, limit) // what pools take once
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		got, err := Decode(nil, bomb, limit)
		runtime.ReadMemStats(&after)
		if err == nil {
			t.Errorf("%s: %d bytes", name, len(got))
		}
		// A stream of zstd has a window of up to 8 MiB, twice that in memory, and tables; a
		// collection in between empties the pools.
		if n := after.TotalAlloc - before.TotalAlloc; n > 6*limit {
			t.Errorf("%s: %d bytes were allocated for a limit of %d", name, n, limit)
		}
	}
}

func TestForeignFrames(t *testing.T) {
	payload := payloads()["text"]
	var noSize bytes.Buffer
	w, err := zstd.NewWriter(&noSize)
	if err != nil {
		t.Fatal(err)
	}
	for part := range bytes.SplitAfterSeq(payload, []byte(",")) { // flushed parts have no total
		_, _ = w.Write(part)
		_ = w.Flush()
	}
	_ = w.Close()
	for name, frame := range map[string][]byte{
		"zstd without size": append([]byte{byte(Zstd)}, noSize.Bytes()...),
		"snappy":            append([]byte{byte(S2)}, s2.EncodeSnappy(nil, payload)...),
	} {
		got, err := Decode(nil, frame, len(payload))
		if err != nil || !bytes.Equal(got, payload) {
			t.Errorf("%s: %d bytes, %v", name, len(got), err)
		}
	}
}

func TestAllocations(t *testing.T) {
	if raceEnabled {
		t.Skip("under the race detector, pools drop what they are given at random")
	}
	payload := payloads()["text"]
	for _, c := range Codecs() {
		room := make([]byte, 0, 2*len(payload))
		frame := Append(nil, payload, Options{Codec: c})
		n := testing.AllocsPerRun(100, func() {
			room = Append(room[:0], payload, Options{Codec: c})
		})
		m := testing.AllocsPerRun(100, func() {
			if _, err := Decode(room, frame, 1<<20); err != nil {
				t.Fatal(err)
			}
		})
		// A garbage collection may empty a pool in between.
		if n >= 1 || m >= 1 {
			t.Errorf("%v: %v allocations to make a frame, %v to read it", c, n, m)
		}
	}
}

func TestConcurrent(t *testing.T) {
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			payload := []byte(strings.Repeat(fmt.Sprintf("goroutine %d ", i), 100+i))
			var frame, buf []byte
			for n := range 200 {
				c := Codecs()[n%len(Codecs())]
				frame = Append(frame[:0], payload, Options{Codec: c})
				got, err := Decode(buf, frame, 1<<20)
				if err != nil || !bytes.Equal(got, payload) {
					t.Errorf("%v: %q, %v", c, got, err)
					return
				}
			}
		})
	}
	all.Wait()
}

func TestNames(t *testing.T) {
	for _, c := range Codecs() {
		if got, err := ParseCodec(c.String()); err != nil || got != c {
			t.Errorf("%v: %v, %v", c, got, err)
		}
	}
	var unknown *CodecError
	if _, err := ParseCodec("brotli"); !errors.As(err, &unknown) {
		t.Error(err)
	}
}

// FuzzDecode reads frames that anybody may have made.
func FuzzDecode(f *testing.F) {
	for _, payload := range payloads() {
		for _, c := range Codecs() {
			f.Add(Append(nil, payload[:min(len(payload), 5000)], Options{Codec: c, Threshold: -1}))
		}
	}
	f.Fuzz(func(t *testing.T, frame []byte) {
		const limit = 1 << 16
		payload, err := Decode(nil, frame, limit)
		if err != nil {
			var a *CodecError
			var b *LimitError
			var c *CorruptError
			if !errors.As(err, &a) && !errors.As(err, &b) && !errors.As(err, &c) {
				t.Fatalf("%T: %v", err, err)
			}
			return
		}
		if len(payload) > limit {
			t.Fatalf("%d bytes", len(payload))
		}
		// What was read can be written, and is then the same.
		o := Options{Codec: Codec(frame[0]), Threshold: -1}
		again, err := Decode(nil, Append(nil, payload, o), limit)
		if err != nil || !bytes.Equal(again, payload) {
			t.Fatalf("%d bytes became %d, %v", len(payload), len(again), err)
		}
	})
}
