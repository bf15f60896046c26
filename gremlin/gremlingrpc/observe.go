package gremlingrpc

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/mem"
)

// Event is one message that was encoded or decoded.
type Event struct {
	Method   string        // "/shop.v1.Shop/Get"
	Client   bool          // the message is one on the side of the client
	Received bool          // decoded, not encoded
	Codec    string        // "proto", "json"
	Bytes    int           // size of the encoding, before compression; 0 where encoding failed
	Elapsed  time.Duration // time spent in the codec; 0 unless Timed
	Timed    bool          // this is one of the messages whose time is taken
	Err      error         // why the codec failed, or nil
}

// Observer is told of messages, from many goroutines at a time, before the message goes on: it must
// be quick.
type Observer func(Event)

// observation is what the messages of one method have in common.
type observation struct {
	observe Observer
	every   uint64
	method  string
	client  bool
}

// begin returns when a message begins, or the zero time if its time is not taken.
func (o *observation) begin() (start time.Time) {
	if o.every <= 1 || rand.Uint64N(o.every) == 0 {
		start = time.Now()
	}
	return start
}

// end tells the observer of a message that began at start.
func (o *observation) end(start time.Time, received bool, codec string, size int, err error) {
	e := Event{Method: o.method, Client: o.client, Received: received, Codec: codec, Bytes: size,
		Err: err}
	if e.Timed = !start.IsZero(); e.Timed {
		e.Elapsed = time.Since(start)
	}
	o.observe(e)
}

// Observed is a message on its way between an observed stub and a codec. Codecs beside the one of
// this package unwrap it with Unwrap and hand it to MarshalObserved or UnmarshalObserved.
type Observed struct {
	message any
	of      *observation
}

// String prints the message: grpc's tracing does.
func (m *Observed) String() string { return fmt.Sprint(m.message) }

// Unwrap tells whether v is an Observed.
func Unwrap(v any) (*Observed, bool) {
	m, ok := v.(*Observed)
	return m, ok
}

// MarshalObserved encodes the message in m with c and tells the observer.
func MarshalObserved(c encoding.CodecV2, m *Observed) (mem.BufferSlice, error) {
	start := m.of.begin()
	out, err := c.Marshal(m.message)
	m.of.end(start, false, c.Name(), out.Len(), err)
	return out, err
}

// UnmarshalObserved decodes into the message in m with c and tells the observer.
func UnmarshalObserved(c encoding.CodecV2, data mem.BufferSlice, m *Observed) error {
	start := m.of.begin()
	err := c.Unmarshal(data, m.message)
	m.of.end(start, true, c.Name(), data.Len(), err)
	return err
}

// Observe returns a registrar that has every message of the services registered through it told to
// observe. It works for stubs of every generator, as long as the server's codecs are of this
// module:
//
//	shopv1.RegisterShopServer(gremlingrpc.Observe(s, metrics.Observe, 16), &shop{})
//
// Time is taken of one message in every; size and failures are told of all. Interceptors see
// messages as they are; stats handlers see an *Observed for those that are sent.
func Observe(s grpc.ServiceRegistrar, observe Observer, every int) grpc.ServiceRegistrar {
	return &registrar{s, observe, uint64(max(every, 1))}
}

type registrar struct {
	grpc.ServiceRegistrar
	observe Observer
	every   uint64
}

// GetServiceInfo lets RegisterService find what is registered already.
func (r *registrar) GetServiceInfo() map[string]grpc.ServiceInfo {
	if s, ok := r.ServiceRegistrar.(interface {
		GetServiceInfo() map[string]grpc.ServiceInfo
	}); ok {
		return s.GetServiceInfo()
	}
	return nil
}

func (r *registrar) RegisterService(desc *grpc.ServiceDesc, srv any) {
	d := *desc
	d.Methods, d.Streams = nil, nil
	for _, m := range desc.Methods {
		d.Methods = append(d.Methods, grpc.MethodDesc{MethodName: m.MethodName,
			Handler: r.unary(desc, m)})
	}
	for _, s := range desc.Streams {
		d.Streams = append(d.Streams, r.stream(desc, s))
	}
	r.ServiceRegistrar.RegisterService(&d, srv)
}

func (r *registrar) method(desc *grpc.ServiceDesc, name string) *observation {
	return &observation{observe: r.observe, every: r.every,
		method: "/" + desc.ServiceName + "/" + name}
}

func (r *registrar) unary(desc *grpc.ServiceDesc, m grpc.MethodDesc) grpc.MethodHandler {
	of := r.method(desc, m.MethodName)
	return func(srv any, ctx context.Context, dec func(any) error,
		i grpc.UnaryServerInterceptor) (any, error) {
		answer, err := m.Handler(srv, ctx, func(v any) error { return dec(&Observed{v, of}) }, i)
		if err != nil {
			return answer, err
		}
		return &Observed{answer, of}, nil
	}
}

func (r *registrar) stream(desc *grpc.ServiceDesc, s grpc.StreamDesc) grpc.StreamDesc {
	of, handler := r.method(desc, s.StreamName), s.Handler
	s.Handler = func(srv any, stream grpc.ServerStream) error {
		return handler(srv, &observedStream{ServerStream: stream, sent: Observed{of: of},
			received: Observed{of: of}})
	}
	return s
}

// observedStream wraps messages. A stream has one sender and one receiver at a time, and grpc is
// done with a message when SendMsg or RecvMsg returns.
type observedStream struct {
	grpc.ServerStream
	sent, received Observed
}

func (s *observedStream) SendMsg(m any) error {
	s.sent.message = m
	return s.ServerStream.SendMsg(&s.sent)
}

func (s *observedStream) RecvMsg(m any) error {
	s.received.message = m
	return s.ServerStream.RecvMsg(&s.received)
}

// ClientInterceptors return interceptors that have every message of a client's calls told to
// observe, whatever stubs and codec they are of. They come last in a chain. Time is taken of one
// message in every.
func ClientInterceptors(observe Observer,
	every int) (grpc.UnaryClientInterceptor, grpc.StreamClientInterceptor) {
	n := uint64(max(every, 1))
	codecOf := func(method string, opts []grpc.CallOption) []grpc.CallOption {
		inner := chosenCodec(opts)
		if inner == nil {
			return opts
		}
		return append(opts[:len(opts):len(opts)],
			grpc.ForceCodecV2(&observedCodec{inner,
				observation{observe: observe, every: n, method: method, client: true}}))
	}
	unary := func(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn,
		invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
		return invoke(ctx, method, req, reply, cc, codecOf(method, opts)...)
	}
	stream := func(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string,
		open grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
		return open(ctx, desc, cc, method, codecOf(method, opts)...)
	}
	return unary, stream
}

// chosenCodec returns the codec that grpc would use for a call with these options; nil for one of
// the older kind.
func chosenCodec(opts []grpc.CallOption) encoding.CodecV2 {
	name, forced := Name, encoding.CodecV2(nil)
	for _, o := range opts {
		switch o := o.(type) {
		case grpc.ForceCodecV2CallOption:
			forced = o.CodecV2
		case grpc.ContentSubtypeCallOption:
			name = o.ContentSubtype
		case grpc.ForceCodecCallOption, grpc.CustomCodecCallOption:
			return nil
		}
	}
	if forced != nil {
		return forced
	}
	return encoding.GetCodecV2(name)
}

type observedCodec struct {
	encoding.CodecV2
	of observation
}

func (c *observedCodec) Marshal(v any) (mem.BufferSlice, error) {
	start := c.of.begin()
	out, err := c.CodecV2.Marshal(v)
	c.of.end(start, false, c.Name(), out.Len(), err)
	return out, err
}

func (c *observedCodec) Unmarshal(data mem.BufferSlice, v any) error {
	start := c.of.begin()
	err := c.CodecV2.Unmarshal(data, v)
	c.of.end(start, true, c.Name(), data.Len(), err)
	return err
}
