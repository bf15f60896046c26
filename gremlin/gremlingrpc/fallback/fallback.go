// Package fallback lets a client go on in JSON while the binary messages of a server cannot be
// decoded. It is off unless a program asks for it:
//
//	f := fallback.New()
//	conn, err := grpc.NewClient(target, append(f.DialOptions(), ...)...)
//
// and the server says that it knows JSON, by package grpcjson and [Announce].
//
// # When it helps, and when it does not
//
// It helps where the binary encoding of one peer is broken: a bug in a codec, schemas that have
// grown apart, something in between that damages bytes. It does not help where decoding is slow:
// JSON is slower and larger. That is why messages have to fail as well before anything happens.
// JSON drops unknown fields, so that a program which passes messages on must not use it.
//
// # What it does
//
// For each method and target, when in the last 60 seconds more than 3 % of at least 100 messages
// failed to decode, and more than 1 % took longer than 5 ms (which is to say that the 99th
// percentile is above), calls that begin from then on are in JSON. After a minute one call in 20 is
// binary again; when 50 messages of such calls were at most half as bad as what led here, all are,
// otherwise the next try comes after twice the time, as it does when they fail again soon. If JSON
// does worse than binary did, it is left for good. Calls that choose a codec themselves are left
// alone, streams keep the codec that they began with, and servers that have not announced JSON are
// never sent any. Every change is an event and a line in the log.
package fallback

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/octopus-framework/octopus/gremlin/gremlingrpc"
	"github.com/octopus-framework/octopus/gremlin/gremlingrpc/grpcjson"
)

// Transition is a change from one way of sending to another.
type Transition struct {
	Target, Method string
	From, To       Mode
	Reason         string
	Counted        Counts // what led to it
	ReportOnly     bool   // nothing was changed
}

// Counts are messages that were received.
type Counts struct {
	Total, Failed, Slow int
}

// Fallback watches the calls of connections. Any number of goroutines and connections may use one.
type Fallback struct {
	o settings

	mu        sync.Mutex
	methods   map[key]*method
	announced map[string]bool // targets whose last answer said that they know JSON
}

type key struct{ target, method string }

// New returns a Fallback.
func New(opts ...Option) *Fallback {
	return &Fallback{o: newSettings(opts), methods: map[key]*method{}, announced: map[string]bool{}}
}

// DialOptions are for the connections whose calls are to be watched.
func (f *Fallback) DialOptions() []grpc.DialOption {
	return []grpc.DialOption{grpc.WithChainUnaryInterceptor(f.unary),
		grpc.WithChainStreamInterceptor(f.stream)}
}

// announcement is the header in which servers say what they know.
const announcement = "gremlin-codecs"

// Announce returns options for a server that imports grpcjson: its answers say that it knows JSON.
func Announce() []grpc.ServerOption {
	header := metadata.Pairs(announcement, gremlingrpc.Name+","+grpcjson.Name)
	return []grpc.ServerOption{
		grpc.ChainUnaryInterceptor(func(ctx context.Context, req any, _ *grpc.UnaryServerInfo,
			h grpc.UnaryHandler) (any, error) {
			_ = grpc.SetHeader(ctx, header) // fails when the answer has begun, which it has not
			return h(ctx, req)
		}),
		grpc.ChainStreamInterceptor(func(srv any, s grpc.ServerStream, _ *grpc.StreamServerInfo,
			h grpc.StreamHandler) error {
			_ = s.SetHeader(header)
			return h(srv, s)
		}),
	}
}

// State is how calls of a method of a target are sent.
type State struct {
	Target, Method string
	Mode           Mode
	Transitions    int // since the program began, those that were only reported included
}

// States returns the states of all methods that were called, in no order.
func (f *Fallback) States() []State {
	f.mu.Lock()
	defer f.mu.Unlock()
	var all []State
	for k, m := range f.methods {
		m.mu.Lock()
		all = append(all, State{k.target, k.method, m.mode, m.transitions})
		m.mu.Unlock()
	}
	return all
}

// method returns the state of a method of a target.
func (f *Fallback) method(target, name string) *method {
	f.mu.Lock()
	defer f.mu.Unlock()
	k := key{target, name}
	m := f.methods[k]
	if m == nil {
		m = &method{o: &f.o, target: target, name: name, hold: f.o.Hold}
		f.methods[k] = m
	}
	return m
}

// heard notes what the header of an answer says of a target.
func (f *Fallback) heard(target string, header metadata.MD) {
	knows := false
	for _, v := range header.Get(announcement) {
		for name := range strings.SplitSeq(v, ",") {
			knows = knows || strings.TrimSpace(name) == grpcjson.Name
		}
	}
	f.mu.Lock()
	f.announced[target] = knows
	f.mu.Unlock()
}

func (f *Fallback) knowsJSON(target string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.announced[target]
}

func (f *Fallback) unary(ctx context.Context, name string, req, reply any, cc *grpc.ClientConn,
	invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
	if chosen(opts) {
		return invoke(ctx, name, req, reply, cc, opts...)
	}
	m := f.method(cc.Target(), name)
	c := m.begin(f.knowsJSON(cc.Target()))
	var header metadata.MD
	err := invoke(ctx, name, req, reply, cc, with(opts, c, grpc.Header(&header))...)
	if c.refused.Load() { // nothing was sent
		m.giveUp("a message cannot be encoded as JSON: " + err.Error())
		m.end(c, nil)
		c = m.begin(false)
		err = invoke(ctx, name, req, reply, cc, with(opts, c, grpc.Header(&header))...)
	}
	if header != nil {
		f.heard(cc.Target(), header)
	}
	m.end(c, err)
	return err
}

func (f *Fallback) stream(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn,
	name string, open grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
	if chosen(opts) {
		return open(ctx, desc, cc, name, opts...)
	}
	m := f.method(cc.Target(), name)
	c := m.begin(f.knowsJSON(cc.Target()))
	var once sync.Once
	s, err := open(ctx, desc, cc, name, with(opts, c, grpc.OnFinish(func(err error) {
		once.Do(func() { m.end(c, err) })
	}))...)
	if err != nil {
		once.Do(func() { m.end(c, err) })
		return nil, err
	}
	return &watched{ClientStream: s, f: f, target: cc.Target()}, nil
}

// watched is a stream whose header is looked at.
type watched struct {
	grpc.ClientStream
	f      *Fallback
	target string
	heard  bool
}

func (s *watched) RecvMsg(m any) error {
	err := s.ClientStream.RecvMsg(m)
	if !s.heard && err == nil {
		if header, err := s.Header(); err == nil { // it is there
			s.f.heard(s.target, header)
			s.heard = true
		}
	}
	return err
}

// chosen tells whether a call says which codec it wants, or has no choice.
func chosen(opts []grpc.CallOption) bool {
	if encoding.GetCodecV2(gremlingrpc.Name) == nil {
		return true // one of the older kind
	}
	for _, o := range opts {
		switch o.(type) {
		case grpc.ForceCodecV2CallOption, grpc.ContentSubtypeCallOption, grpc.ForceCodecCallOption,
			grpc.CustomCodecCallOption:
			return true
		}
	}
	return false
}

// with adds the codec of a call to its options.
func with(opts []grpc.CallOption, c *call, more ...grpc.CallOption) []grpc.CallOption {
	name := gremlingrpc.Name
	if c.json {
		name = grpcjson.Name
	}
	c.CodecV2 = encoding.GetCodecV2(name)
	return append(append(opts[:len(opts):len(opts)], grpc.ForceCodecV2(c)), more...)
}

// call is the codec of one call, and what is known of it.
type call struct {
	encoding.CodecV2
	of      *method
	json    bool
	probe   bool
	refused atomic.Bool // a message could not be encoded as JSON
	failed  atomic.Bool // a message could not be decoded here
}

func (c *call) Marshal(v any) (mem.BufferSlice, error) {
	out, err := c.CodecV2.Marshal(v)
	if err != nil && c.json {
		c.refused.Store(true)
	}
	return out, err
}

func (c *call) Unmarshal(data mem.BufferSlice, v any) error {
	start := c.of.o.now()
	err := c.CodecV2.Unmarshal(data, v)
	if err != nil {
		c.failed.Store(true)
	}
	c.of.count(c, err != nil, c.of.o.now().Sub(start))
	return err
}

// undecoded tells whether a server says that it could not decode a request: the texts of grpc-go.
func undecoded(err error) bool {
	s := status.Convert(err)
	return s.Code() == codes.Internal && (strings.Contains(s.Message(), "failed to unmarshal") ||
		strings.Contains(s.Message(), "error unmarshalling request"))
}
