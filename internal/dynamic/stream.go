package dynamic

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/octopus-framework/octopus/gremlin"
)

// Mark is the line that ends a message in a text stream. It cannot be part of a message.
const Mark = "---"

// Splitter takes a stream of messages apart. In binary each message has its length before it, as a
// varint; in JSON each is a line, and empty lines do not count; in text each is followed by a line
// of three dashes, which the last may lack.
type Splitter struct {
	// Of the message that Next returned last: its number from 1, and where it starts, in lines from
	// 1 and in bytes from 0.
	Number, Line int
	Offset       int64

	format Format
	r      *bufio.Reader
	buf    bytes.Buffer
	next   int64 // offset of what is read next
	line   int   // likewise
	ended  bool  // the last message of a text has been returned
}

// NewSplitter returns a Splitter of r, of which it reads ahead.
func NewSplitter(r io.Reader, f Format) *Splitter {
	return &Splitter{format: f, r: bufio.NewReaderSize(r, 64<<10), line: 1}
}

// Next returns the next message, which is valid until the next call; io.EOF behind the last one. It
// takes memory as data arrives and not as a length promises.
func (s *Splitter) Next() ([]byte, error) {
	s.buf.Reset()
	s.Number++
	s.Offset, s.Line = s.next, s.line
	switch s.format {
	case Binary:
		return s.binary()
	case JSON:
		for {
			line, err := s.readLine()
			if len(bytes.TrimSpace(line)) > 0 {
				return line, nil
			}
			if err != nil {
				return nil, err
			}
			s.buf.Reset()
			s.Offset, s.Line = s.next, s.line
		}
	}
	for !s.ended {
		start := s.buf.Len()
		line, err := s.readLine()
		s.ended = err != nil
		if err != nil && err != io.EOF {
			return nil, err
		}
		if string(bytes.TrimRight(line[start:], "\r\n")) == Mark {
			return line[:start], nil
		}
		// Behind the last mark there is nothing, which is no message.
		if s.ended && len(bytes.TrimSpace(line)) == 0 {
			return nil, io.EOF
		}
		if s.ended {
			return line, nil
		}
	}
	return nil, io.EOF
}

// readLine appends a line with its end to the buffer and returns all of the buffer.
func (s *Splitter) readLine() ([]byte, error) {
	for {
		part, err := s.r.ReadSlice('\n')
		s.buf.Write(part)
		s.next += int64(len(part))
		switch {
		case err == nil:
			s.line++
			return s.buf.Bytes(), nil
		case err != bufio.ErrBufferFull:
			return s.buf.Bytes(), err
		}
		if s.buf.Len() > gremlin.MaxSize {
			return nil, errors.New("it is longer than 2 GiB")
		}
	}
}

func (s *Splitter) binary() ([]byte, error) {
	if _, err := s.r.Peek(1); err != nil {
		return nil, err
	}
	head, _ := s.r.Peek(binary.MaxVarintLen64)
	size, n := binary.Uvarint(head)
	switch {
	case n < 0 || n == 0 && len(head) == binary.MaxVarintLen64 || size > gremlin.MaxSize:
		return nil, errors.New("its length is longer than 2 GiB; is the stream delimited?")
	case n == 0:
		return nil, errors.New("its length is cut off")
	}
	_, _ = s.r.Discard(n) // it has been peeked at
	got, err := io.CopyN(&s.buf, s.r, int64(size))
	s.next += int64(n) + got
	if err == io.EOF {
		return nil, fmt.Errorf("it is cut off: %d of %d bytes are there; is the stream delimited?",
			got, size)
	}
	return s.buf.Bytes(), err
}

// AppendDelimited appends a message, in the form f and as Splitter takes streams apart, to dst.
func AppendDelimited(dst []byte, f Format, message []byte) []byte {
	if f == Binary {
		return append(binary.AppendUvarint(dst, uint64(len(message))), message...)
	}
	dst = append(dst, message...)
	if len(message) == 0 || message[len(message)-1] != '\n' {
		dst = append(dst, '\n')
	}
	if f == Text {
		dst = append(dst, Mark+"\n"...)
	}
	return dst
}
