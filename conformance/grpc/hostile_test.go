package grpc

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	testpb "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/protobuf/proto"
)

// frame is a message as gRPC has it in the body of a request.
func frame(compressed byte, b []byte) []byte {
	return append(binary.BigEndian.AppendUint32([]byte{compressed}, uint32(len(b))), b...)
}

func zipped(b []byte) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, _ = w.Write(b) // a bytes.Buffer takes everything
	w.Close()
	return out.Bytes()
}

// request is a body and what the headers say of it.
type request struct {
	subtype, encoding string
	body              []byte
}

func hostile() map[string]request {
	good, err := proto.Marshal(&testpb.SimpleRequest{ResponseSize: 3,
		Payload: &testpb.Payload{Body: []byte("abc")}})
	if err != nil {
		panic(err)
	}
	large := func(n int) []byte { // a request of n bytes
		b, err := proto.Marshal(&testpb.SimpleRequest{Payload: &testpb.Payload{Body: make([]byte,
			n-10)}})
		if err != nil || len(b) > n {
			panic(fmt.Sprint(len(b), err))
		}
		return append(b, bytes.Repeat([]byte{0x10, 0}, (n-len(b))/2)...)
	}
	deep := []byte{}
	for range 10001 {
		deep = append(deep, 0xf3, 0x01) // the start of group 30, which nobody knows
	}
	for range 10001 {
		deep = append(deep, 0xf4, 0x01)
	}
	bomb := make([]byte, 64<<20)
	return map[string]request{
		"good":                         {body: frame(0, good)},
		"empty message":                {body: frame(0, nil)},
		"empty body":                   {},
		"part of the head":             {body: frame(0, good)[:3]},
		"cut off":                      {body: frame(0, good)[:7]},
		"longer than the body":         {body: append([]byte{0, 0, 0, 1, 0}, good...)},
		"longer than memory":           {body: append([]byte{0, 0xff, 0xff, 0xff, 0xff}, good...)},
		"garbage behind":               {body: append(frame(0, good), 1)},
		"two messages":                 {body: append(frame(0, good), frame(0, good)...)},
		"the second malformed":         {body: append(frame(0, good), frame(0, []byte{0xff})...)},
		"4 MiB":                        {body: frame(0, large(4<<20))},
		"4 MiB and 1":                  {body: frame(0, append(large(4<<20), 0))},
		"a bad tag":                    {body: frame(0, []byte{0})},
		"nested malformed":             {body: frame(0, append([]byte{0x1a, 2, 0x12, 9}, good...))},
		"nested twice, once malformed": {body: frame(0, append([]byte{0x1a, 2, 0x12, 9}, 0x1a, 0))},
		"not UTF-8":                    {body: frame(0, []byte{0x3a, 3, 0x12, 1, 0xff})},
		"too deep":                     {body: frame(0, deep)},
		"flag without a compressor":    {body: frame(1, good)},
		"flag of 2":                    {body: frame(2, good)},
		"compressed":                   {encoding: "gzip", body: frame(1, zipped(good))},
		"compressed garbage":           {encoding: "gzip", body: frame(1, good)},
		"compressed and cut off":       {encoding: "gzip", body: frame(1, zipped(good)[:20])},
		"a bomb":                       {encoding: "gzip", body: frame(1, zipped(bomb))},
		"a compressor nobody knows":    {encoding: "br", body: frame(1, good)},
		"a codec nobody knows":         {subtype: "+thrift", body: frame(0, good)},
		"the codec by name":            {subtype: "+proto", body: frame(0, good)},
		"another kind of content":      {subtype: "-web", body: frame(0, good)},
	}
}

// post sends a request as it is and returns what the server says of it: the HTTP status and that of
// gRPC.
func post(t *testing.T, addr string, r request) (verdict, message string, answer []byte) {
	t.Helper()
	protocols := new(http.Protocols)
	protocols.SetUnencryptedHTTP2(true)
	c := &http.Client{Transport: &http.Transport{Protocols: protocols}}
	defer c.CloseIdleConnections()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost,
		"http://"+addr+"/grpc.testing.TestService/UnaryCall",
		bytes.NewReader(r.body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/grpc"+r.subtype)
	req.Header.Set("TE", "trailers")
	if r.encoding != "" {
		req.Header.Set("Grpc-Encoding", r.encoding)
	}
	resp, err := c.Do(req)
	if err != nil {
		return "no answer", err.Error(), nil
	}
	defer resp.Body.Close()
	answer, err = io.ReadAll(resp.Body)
	if err != nil {
		return "half an answer", err.Error(), nil
	}
	code := resp.Trailer.Get("Grpc-Status") + resp.Header.Get("Grpc-Status")
	message = resp.Trailer.Get("Grpc-Message") + resp.Header.Get("Grpc-Message")
	return fmt.Sprintf("HTTP %d, status %s", resp.StatusCode, code), message, answer
}

// TestHostile sends requests that are wrong in every way to a server of gremlin and to one of
// grpc-go: both say the same of them, and neither says anything but an error of what is wrong.
func TestHostile(t *testing.T) {
	ours, stock := serve(t, "gremlin", "plain"), serve(t, "stock", "plain")
	refused := 0
	for name, r := range hostile() {
		verdict, message, answer := post(t, ours, r)
		want, wantMessage, wantAnswer := post(t, stock, r)
		if verdict != want || !bytes.Equal(answer, wantAnswer) {
			t.Errorf("%s: %s (%s), %d bytes; grpc-go's server says %s (%s), %d bytes", name,
				verdict, message, len(answer), want,
				wantMessage, len(wantAnswer))
		}
		if !strings.HasSuffix(verdict, "status 0") {
			refused++
		}
	}
	if refused < 15 {
		t.Errorf("only %d requests were refused", refused)
	}
	if _, message, _ := post(t, ours, hostile()["nested malformed"]); !strings.Contains(message,
		"grpc.testing.SimpleRequest: payload.body: malformed protobuf: truncated") {
		t.Errorf("the path is missing: %s", message)
	}
	if verdict, message, _ := post(t, ours, hostile()["good"]); verdict != "HTTP 200, status 0" {
		t.Errorf("the server does not answer any more: %s (%s)", verdict, message)
	}
}
