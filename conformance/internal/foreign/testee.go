package foreign

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"google.golang.org/protobuf/proto"

	"github.com/octopus-framework/octopus/conformance/internal/gen/runner"
	"github.com/octopus-framework/octopus/gremlin"
)

// The ways to decode that are tested.
const (
	byMessage = "message" // Message.Unmarshal
	byReader  = "reader"  // Reader.Unmarshal, CheckEncoding and ToMessage
)

// recode decodes b as a message of type name and encodes it again.
func (s *suite) recode(way, name string, b []byte) ([]byte, error) {
	m, err := s.decode(way, name, b)
	if err != nil {
		return nil, err
	}
	return m.Marshal(), nil
}

// decode decodes b as a message of type name.
func (s *suite) decode(way, name string, b []byte) (gremlin.Message, error) {
	typ, ok := s.types[name]
	if !ok {
		return nil, fmt.Errorf("no type %q", name)
	}
	if way == byMessage {
		m := typ.NewMessage()
		return m, m.Unmarshal(b)
	}
	r := typ.NewReader()
	if err := r.Unmarshal(b); err != nil {
		return nil, err
	}
	return typ.ToMessage(r), r.CheckEncoding()
}

// decodeText decodes a text as a message of type name; through a Reader that means to write it in
// binary and to read that.
func (s *suite) decodeText(way, name, text string) (gremlin.Message, error) {
	m := s.types[name].NewMessage()
	err := gremlin.TextOptions{Types: &s.known}.Unmarshal(text, m)
	if err != nil || way == byMessage {
		return m, err
	}
	return s.decode(way, name, m.Marshal())
}

// testee answers the conformance runner: requests and responses have their length in four bytes
// before them.
func (s *suite) testee(way string, in io.Reader, out io.Writer) error {
	if way != byMessage && way != byReader {
		return fmt.Errorf("no way %q to decode", way)
	}
	r, w := bufio.NewReader(in), bufio.NewWriter(out)
	for {
		var size uint32
		if err := binary.Read(r, binary.LittleEndian, &size); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		b := make([]byte, size)
		if _, err := io.ReadFull(r, b); err != nil {
			return err
		}
		var req runner.Request
		if err := req.Unmarshal(b); err != nil {
			return err
		}
		b = s.answer(way, &req).Marshal()
		b = append(binary.LittleEndian.AppendUint32(nil, uint32(len(b))), b...)
		if _, err := w.Write(b); err != nil {
			return err
		}
		if err := w.Flush(); err != nil {
			return err
		}
	}
}

func (s *suite) answer(way string, req *runner.Request) *runner.Response {
	if resp := s.answerJSON(way, req); resp != nil {
		return resp
	}
	var m gremlin.Message
	var err error
	if req.MessageType == "conformance.FailureSet" {
		return &runner.Response{Result: &runner.Response_ProtobufPayload{}}
	}
	if _, ok := s.types[req.MessageType]; !ok {
		return skipped
	}
	switch payload := req.Payload.(type) {
	case *runner.Request_ProtobufPayload:
		m, err = s.decode(way, req.MessageType, payload.ProtobufPayload)
	case *runner.Request_TextPayload:
		m, err = s.decodeText(way, req.MessageType, payload.TextPayload)
	default:
		return skipped
	}
	if err != nil {
		return &runner.Response{Result: &runner.Response_ParseError{ParseError: err.Error()}}
	}
	switch req.RequestedOutputFormat {
	case runner.Format_PROTOBUF:
		payload := &runner.Response_ProtobufPayload{ProtobufPayload: m.Marshal()}
		return &runner.Response{Result: payload}
	case runner.Format_TEXT_FORMAT:
		text := gremlin.TextOptions{Types: &s.known, Unknown: req.PrintUnknownFields}.Append(nil, m)
		return &runner.Response{Result: &runner.Response_TextPayload{TextPayload: string(text)}}
	}
	return skipped
}

var skipped = &runner.Response{Result: &runner.Response_Skipped{Skipped: "not supported"}}

// recorded is one line of a replay: a request of the runner, and protobuf-go's answer, which the
// runner may have found wrong.
type recorded struct {
	Name, Message_type, Output string
	Protobuf_hex               *string
	Protobuf_go                struct {
		Parse_error  *string
		Protobuf_hex *string
	}
	Protobuf_go_passes bool
}

// replay compares our answers with recorded ones that the runner accepted.
func (s *suite) replay(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var answers tally
	for line := range bytes.Lines(text) {
		var rec recorded
		if err := json.Unmarshal(line, &rec); err != nil {
			return err
		}
		if rec.Protobuf_hex == nil || rec.Output != "PROTOBUF" || !rec.Protobuf_go_passes {
			continue
		}
		b, err := hex.DecodeString(*rec.Protobuf_hex)
		if err != nil {
			return err
		}
		for _, way := range []string{byMessage, byReader} {
			answers.check(way+" "+rec.Name, s.sameAnswer(way, rec, b))
		}
	}
	return answers.err("replayed requests")
}

func (s *suite) sameAnswer(way string, rec recorded, b []byte) error {
	got, err := s.recode(way, rec.Message_type, b)
	if (err != nil) != (rec.Protobuf_go.Parse_error != nil) {
		return fmt.Errorf("error %v", err)
	}
	if err != nil || rec.Protobuf_go.Protobuf_hex == nil ||
		strings.Contains(rec.Name, "ValidMessageSetEncoding") {
		// protobuf-go decodes MessageSets, gremlin keeps their bytes; the runner accepts both
		return nil
	}
	want, err := hex.DecodeString(*rec.Protobuf_go.Protobuf_hex)
	if err != nil {
		return err
	}
	x, y := s.types[rec.Message_type].New(), s.types[rec.Message_type].New()
	if err := errors.Join(proto.Unmarshal(got, x), proto.Unmarshal(want, y)); err != nil {
		return err
	}
	if !proto.Equal(x, y) {
		return fmt.Errorf("answer %x, recorded %x", got, want)
	}
	return nil
}
