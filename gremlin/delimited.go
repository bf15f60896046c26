package gremlin

import (
	"bufio"
	"io"
	"strconv"
)

// AppendDelimited appends the length of m's encoding as a varint, and the encoding. Messages in a
// row that are written so can be told apart: the form of writeDelimitedTo in Java, of package
// protodelim in google.golang.org/protobuf, and of gremlin convert --delimited.
func AppendDelimited(dst []byte, m Message) []byte {
	n := m.Size()
	for ; n >= 0x80; n >>= 7 {
		dst = append(dst, byte(n)|0x80)
	}
	return m.MarshalAppend(append(dst, byte(n)))
}

// DelimitedReader reads messages that were written one after the other by AppendDelimited. It is
// for one goroutine at a time. Create it with NewDelimitedReader.
type DelimitedReader struct {
	r      *bufio.Reader
	max    int
	buf    []byte
	count  int   // number of messages before this one
	offset int64 // offset of this message
}

// NewDelimitedReader reads from r, with a buffer of its own. max is the size of the largest message
// in bytes; 0 is 4 MiB. What a length claims is not believed: memory is taken as the bytes come.
func NewDelimitedReader(r io.Reader, max int) *DelimitedReader {
	if max <= 0 {
		max = 4 << 20
	}
	return &DelimitedReader{r: bufio.NewReader(r), max: max}
}

// DelimitedError says that a stream of messages cannot be read on.
type DelimitedError struct {
	Message int   // how many messages came before
	Offset  int64 // offset of the message in the stream, in bytes
	Err     error // io.ErrUnexpectedEOF, Malformed, TooLarge, or what the stream returned
}

// Error implements error.
func (e *DelimitedError) Error() string {
	return "message " + strconv.Itoa(e.Message) + " at offset " + strconv.FormatInt(e.Offset, 10) +
		" of the stream: " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *DelimitedError) Unwrap() error { return e.Err }

// Next returns the encoding of the next message, which is good until the next call. At the end of
// the stream the error is io.EOF, all others are *DelimitedError; after an error it cannot go on.
//
//	for {
//		b, err := messages.Next()
//		if err == io.EOF {
//			break
//		} else if err != nil {
//			return err
//		}
//		if err := r.Unmarshal(b); err != nil {
//			return err
//		}
//		...
//	}
func (d *DelimitedReader) Next() ([]byte, error) {
	n, width, err := d.length()
	if err != nil {
		return nil, err
	}
	if n > uint64(d.max) {
		return nil, d.fail(TooLarge)
	}
	d.buf = d.buf[:0]
	for len(d.buf) < int(n) {
		have := len(d.buf)
		d.buf = append(d.buf, make([]byte, min(int(n)-have, max(have, 4096)))...)
		if _, err := io.ReadFull(d.r, d.buf[have:]); err == io.EOF {
			return nil, d.fail(io.ErrUnexpectedEOF)
		} else if err != nil {
			return nil, d.fail(err)
		}
	}
	d.count++
	d.offset += int64(width) + int64(n)
	return d.buf, nil
}

// length reads a varint.
func (d *DelimitedReader) length() (n uint64, width int, err error) {
	for {
		c, err := d.r.ReadByte()
		switch {
		case err == io.EOF && width == 0:
			return 0, 0, io.EOF
		case err == io.EOF:
			return 0, 0, d.fail(io.ErrUnexpectedEOF)
		case err != nil:
			return 0, 0, d.fail(err)
		case width == 9 && c > 1:
			return 0, 0, d.fail(Malformed) // more than 64 bits
		}
		n |= uint64(c&0x7f) << (7 * width)
		width++
		if c < 0x80 {
			return n, width, nil
		}
	}
}

func (d *DelimitedReader) fail(err error) error {
	return &DelimitedError{Message: d.count, Offset: d.offset, Err: err}
}
