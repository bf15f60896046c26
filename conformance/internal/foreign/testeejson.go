package foreign

import (
	"github.com/octopus-framework/octopus/conformance/internal/check"
	"github.com/octopus-framework/octopus/conformance/internal/gen/runner"
	"github.com/octopus-framework/octopus/gremlin/json"
	jsonrt "github.com/octopus-framework/octopus/gremlin/json/rt"
)

// answerJSON answers a request that has to do with JSON and nothing with text format; nil
// otherwise. Through a Message JSON is read and written by generated code, through a Reader by
// tables.
func (s *suite) answerJSON(way string, req *runner.Request) *runner.Response {
	typ, known := s.types[req.MessageType]
	text, isJSON := req.Payload.(*runner.Request_JsonPayload)
	wire, isWire := req.Payload.(*runner.Request_ProtobufPayload)
	toJSON := req.RequestedOutputFormat == runner.Format_JSON
	if !known || !isJSON && !isWire || !isJSON && !toJSON || !toJSON &&
		req.RequestedOutputFormat != runner.Format_PROTOBUF {
		return nil
	}
	o := json.Options{Types: &s.known,
		DiscardUnknown: req.TestCategory == runner.Category_JSON_IGNORE_UNKNOWN_PARSING_TEST}
	var b []byte
	var err error
	if isWire {
		b, err = s.recode(way, req.MessageType, wire.ProtobufPayload)
	} else {
		b, err = fromJSON(way, typ, []byte(text.JsonPayload), o)
	}
	if err != nil {
		return &runner.Response{Result: &runner.Response_ParseError{ParseError: err.Error()}}
	}
	if !toJSON {
		return &runner.Response{Result: &runner.Response_ProtobufPayload{ProtobufPayload: b}}
	}
	b, err = toJSONFrom(way, typ, b, o)
	if err != nil {
		failure := &runner.Response_SerializeError{SerializeError: err.Error()}
		return &runner.Response{Result: failure}
	}
	return &runner.Response{Result: &runner.Response_JsonPayload{JsonPayload: string(b)}}
}

// fromJSON returns the encoding of what text says.
func fromJSON(way string, typ check.Type, text []byte, o json.Options) ([]byte, error) {
	m := typ.NewMessage().(json.Message)
	if way == byMessage {
		err := json.Unmarshal(text, m, o)
		return m.Marshal(), err
	}
	b, err := jsonrt.ToWire(nil, text, m.GremlinTable().Reader.(jsonrt.Type).GremlinJSON(), o)
	if err != nil {
		return nil, err
	}
	return b, m.Unmarshal(b)
}

// toJSONFrom returns an encoding as JSON.
func toJSONFrom(way string, typ check.Type, b []byte, o json.Options) ([]byte, error) {
	if way == byMessage {
		m := typ.NewMessage().(json.Message)
		if err := m.Unmarshal(b); err != nil {
			return nil, err
		}
		return json.Append(nil, m, o)
	}
	r := typ.NewReader()
	if err := r.Unmarshal(b); err != nil {
		return nil, err
	}
	return r.(interface {
		AppendJSON([]byte, json.Options) ([]byte, error)
	}).AppendJSON(nil, o)
}
