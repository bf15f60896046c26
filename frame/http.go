package frame

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
)

// The headers of HTTP messages whose bodies are frames.
const (
	// Header says that a body is a frame. Its value is 1.
	Header = "Frame"
	// AcceptHeader of a request lists the codecs that the client reads, with commas between them.
	// The first one that the server has is taken.
	AcceptHeader = "Accept-Frame"
)

// HTTPOptions are those of Handler and Transport.
type HTTPOptions struct {
	// Limit is the length in bytes of the longest payload that is read. Default 16 MiB.
	Limit int
	// Threshold as in Options.
	Threshold int
	// Codec that a Transport compresses requests with and asks answers to be compressed with. A
	// Handler takes the one that it is asked for.
	Codec Codec
}

// DefaultLimit is HTTPOptions.Limit when it is 0, in bytes.
const DefaultLimit = 16 << 20

func (o HTTPOptions) limit() int {
	if o.Limit <= 0 {
		return DefaultLimit
	}
	return o.Limit
}

// Handler lets clients frame the bodies of requests, which next reads as they were before, and
// sends answers in frames to clients that ask for them. All other requests are left as they are.
//
// A request that is no frame is answered with 400, one over the limit with 413. An answer that is
// flushed by next, or is over the limit, is a stream and is sent as it is.
func Handler(next http.Handler, o HTTPOptions) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get(Header) != "" {
			payload, err := readFrame(r.Body, o.limit())
			if err != nil {
				status := http.StatusBadRequest
				var tooLong *LimitError
				if errors.As(err, &tooLong) {
					status = http.StatusRequestEntityTooLarge
				}
				http.Error(w, err.Error(), status)
				return
			}
			r = r.Clone(r.Context())
			r.Header.Del(Header)
			setBody(&r.Body, &r.ContentLength, r.Header, payload)
		}
		w.Header().Add("Vary", AcceptHeader)
		codec, ok := accepted(r.Header.Get(AcceptHeader))
		if !ok || r.Method == http.MethodHead {
			next.ServeHTTP(w, r)
			return
		}
		f := &framedWriter{ResponseWriter: w, limit: o.limit(), status: http.StatusOK}
		next.ServeHTTP(f, r)
		f.finish(Options{Codec: codec, Threshold: o.Threshold})
	})
}

// accepted returns the first codec of a list that there is.
func accepted(list string) (Codec, bool) {
	for name := range strings.SplitSeq(list, ",") {
		if c, err := ParseCodec(strings.TrimSpace(name)); err == nil {
			return c, true
		}
	}
	return None, false
}

// readFrame reads a body that is a frame. A frame is at most a byte longer than its payload, so a
// longer one is refused before it is read to its end.
func readFrame(body io.Reader, limit int) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(body, int64(limit)+2))
	if err != nil {
		return nil, err
	}
	if len(b) > limit+1 {
		return nil, &LimitError{Limit: limit}
	}
	return Decode(nil, b, limit)
}

func setBody(body *io.ReadCloser, length *int64, h http.Header, b []byte) {
	*body, *length = io.NopCloser(bytes.NewReader(b)), int64(len(b))
	h.Set("Content-Length", strconv.Itoa(len(b)))
}

// framedWriter holds an answer back until it is whole.
type framedWriter struct {
	http.ResponseWriter
	body   bytes.Buffer
	limit  int
	status int
	stream bool // it is sent as it comes
}

// WriteHeader implements http.ResponseWriter.
func (f *framedWriter) WriteHeader(status int) {
	if f.stream || status < 200 { // what comes before the answer itself is passed on
		f.ResponseWriter.WriteHeader(status)
		return
	}
	f.status = status
}

// Write implements http.ResponseWriter.
func (f *framedWriter) Write(p []byte) (int, error) {
	if !f.stream && f.body.Len()+len(p) > f.limit {
		f.startStream()
	}
	if f.stream {
		return f.ResponseWriter.Write(p)
	}
	return f.body.Write(p)
}

// FlushError makes a stream of the answer. It is what http.ResponseController calls.
func (f *framedWriter) FlushError() error {
	f.startStream()
	return http.NewResponseController(f.ResponseWriter).Flush()
}

// Flush implements http.Flusher.
func (f *framedWriter) Flush() { _ = f.FlushError() }

// Unwrap is for http.ResponseController.
func (f *framedWriter) Unwrap() http.ResponseWriter { return f.ResponseWriter }

func (f *framedWriter) startStream() {
	if f.stream {
		return
	}
	f.stream = true
	f.ResponseWriter.WriteHeader(f.status)
	// An error comes again with the next write.
	_, _ = f.ResponseWriter.Write(f.body.Bytes())
	f.body = bytes.Buffer{}
}

func (f *framedWriter) finish(o Options) {
	if f.stream {
		return
	}
	h := f.Header()
	if f.body.Len() == 0 || h.Get("Content-Encoding") != "" {
		f.startStream()
		return
	}
	if h.Get("Content-Type") == "" {
		h.Set("Content-Type", http.DetectContentType(f.body.Bytes()))
	}
	frame := Append(make([]byte, 0, f.body.Len()+1), f.body.Bytes(), o)
	h.Set(Header, "1")
	h.Set("Content-Length", strconv.Itoa(len(frame)))
	f.ResponseWriter.WriteHeader(f.status)
	_, _ = f.ResponseWriter.Write(frame) // nobody is left to be told
}

// Transport returns a RoundTripper that frames the bodies of requests, asks for answers in frames
// and takes those apart. Bodies of requests over the limit are refused. Base nil is
// http.DefaultTransport.
//
// The server must understand frames: send it none otherwise.
func Transport(base http.RoundTripper, o HTTPOptions) http.RoundTripper {
	if base == nil {
		base = http.DefaultTransport
	}
	return &transport{base: base, options: o}
}

type transport struct {
	base    http.RoundTripper
	options HTTPOptions
}

// RoundTrip implements http.RoundTripper.
func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	limit := t.options.limit()
	r = r.Clone(r.Context())
	if r.Body != nil && r.Body != http.NoBody {
		payload, err := io.ReadAll(io.LimitReader(r.Body, int64(limit)+1))
		_ = r.Body.Close()
		if err != nil {
			return nil, err
		}
		if len(payload) > limit {
			return nil, &LimitError{Limit: limit}
		}
		frame := Append(make([]byte, 0, len(payload)+1), payload,
			Options{Codec: t.options.Codec, Threshold: t.options.Threshold})
		setBody(&r.Body, &r.ContentLength, r.Header, frame)
		r.GetBody = func() (io.ReadCloser, error) {
			return io.NopCloser(bytes.NewReader(frame)), nil
		}
		r.Header.Set(Header, "1")
	}
	r.Header.Set(AcceptHeader, t.options.Codec.String())
	answer, err := t.base.RoundTrip(r)
	if err != nil || answer.Header.Get(Header) == "" {
		return answer, err
	}
	payload, err := readFrame(answer.Body, limit)
	_ = answer.Body.Close()
	if err != nil {
		return nil, err
	}
	answer.Header.Del(Header)
	setBody(&answer.Body, &answer.ContentLength, answer.Header, payload)
	return answer, nil
}
