package frame

import "fmt"

// Codec is how the payload of a frame is compressed, and the frame's flag byte.
type Codec uint8

// The codecs. S2 and LZ4 are the fast ones, Zstd makes the smallest frames, and Gzip and Deflate
// are those that every browser reads.
const (
	None Codec = iota
	S2
	Zstd
	LZ4
	Gzip
	Deflate
)

var names = [...]string{"none", "s2", "zstd", "lz4", "gzip", "deflate"}

// Codecs are all codecs, in the order of their numbers.
func Codecs() []Codec { return []Codec{None, S2, Zstd, LZ4, Gzip, Deflate} }

// String returns the name of a codec: none, s2, zstd, lz4, gzip or deflate.
func (c Codec) String() string {
	if int(c) < len(names) {
		return names[c]
	}
	return fmt.Sprintf("codec(%d)", uint8(c))
}

// ParseCodec returns the codec with a name. The error is a [*CodecError].
func ParseCodec(name string) (Codec, error) {
	for i, n := range names {
		if n == name {
			return Codec(i), nil
		}
	}
	return 0, &CodecError{Name: name}
}

// DefaultThreshold is the length in bytes below which payloads are not compressed: shorter messages
// gain a few bytes at best, see docs/frames.md.
const DefaultThreshold = 512

// Options say how frames are made. The zero value makes frames that are not compressed.
type Options struct {
	// Codec to compress with. One that is none compresses nothing.
	Codec Codec
	// Threshold is the length in bytes from which payloads are compressed. 0 is DefaultThreshold;
	// a negative one compresses whatever gets smaller.
	Threshold int
}

// Append appends a frame with payload to dst and returns the longer slice. The payload is
// compressed if it is as long as the threshold and gets smaller; a frame is never more than one
// byte longer than its payload. The payload must not overlap the room behind dst. Append keeps
// neither, allocates nothing if dst has room for a byte more than the payload, and may be called by
// many goroutines.
func Append(dst, payload []byte, o Options) []byte {
	threshold := o.Threshold
	if threshold == 0 {
		threshold = DefaultThreshold
	}
	if o.Codec != None && int(o.Codec) < len(names) && len(payload) >= threshold {
		if out, ok := compress(append(dst, byte(o.Codec)), payload, o.Codec); ok {
			return out
		}
	}
	dst = append(dst, byte(None))
	return append(dst, payload...)
}

// Decode returns the payload of a frame. A payload that is not compressed is a part of frame;
// another one is written to the memory of buf, from its beginning, or to new memory if it has no
// room. It may be called by many goroutines.
//
// No payload is longer than limit, in bytes; where a codec says the length before, memory is taken
// only after a look at it. Errors are [*CodecError], [*LimitError] and [*CorruptError].
func Decode(buf, frame []byte, limit int) ([]byte, error) {
	if len(frame) == 0 {
		return nil, &CorruptError{Reason: "a frame has at least its flag byte"}
	}
	codec, body := Codec(frame[0]), frame[1:]
	if codec != None {
		return decompress(buf[:0], body, codec, max(limit, 0))
	}
	if len(body) > limit {
		return nil, &LimitError{Limit: limit, Size: len(body)}
	}
	return body, nil
}
