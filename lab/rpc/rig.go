package main

import (
	"context"
	"errors"
	"io"
	"net"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/test/bufconn"
)

// streamLength is how many messages one server stream has.
const streamLength = 200

// rig is a server and a client of one peer for one kind of message, in this process.
type rig struct {
	peer   peer
	types  types
	answer any // what is sent, in both directions
	server *grpc.Server
	conn   *grpc.ClientConn
	bidi   grpc.ClientStream
	end    context.CancelFunc
}

func newRig(p peer, t types, data []byte, transport string, window int32) (*rig, error) {
	r := &rig{peer: p, types: t}
	var err error
	if r.answer, err = p.decoded(t, data); err != nil {
		return nil, err
	}
	r.server = grpc.NewServer(grpc.ForceServerCodecV2(p.codec), grpc.StaticStreamWindowSize(window), grpc.StaticConnWindowSize(window))
	r.server.RegisterService(&grpc.ServiceDesc{ServiceName: "lab.Echo", HandlerType: (*any)(nil),
		Methods: []grpc.MethodDesc{{MethodName: "Unary", Handler: r.unary}},
		Streams: []grpc.StreamDesc{{StreamName: "Server", Handler: r.serve, ServerStreams: true},
			{StreamName: "Bidi", Handler: r.echo, ServerStreams: true, ClientStreams: true}},
	}, r)
	opts := []grpc.DialOption{grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.ForceCodecV2(p.codec)), grpc.WithStaticStreamWindowSize(window), grpc.WithStaticConnWindowSize(window)}
	target := "passthrough:bufconn"
	var listener net.Listener
	if transport == "bufconn" {
		pipe := bufconn.Listen(1 << 20)
		listener = pipe
		opts = append(opts, grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return pipe.DialContext(ctx) }))
	} else {
		if listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
			return nil, err
		}
		target = listener.Addr().String()
	}
	go func() { _ = r.server.Serve(listener) }() // ends with Stop
	if r.conn, err = grpc.NewClient(target, opts...); err != nil {
		r.server.Stop()
		return nil, err
	}
	var ctx context.Context
	ctx, r.end = context.WithCancel(context.Background())
	if r.bidi, err = r.conn.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true, ClientStreams: true}, "/lab.Echo/Bidi"); err != nil {
		r.close()
		return nil, err
	}
	return r, nil
}

func (r *rig) close() {
	r.end()
	_ = r.conn.Close()
	r.server.Stop()
}

func (r *rig) unary(_ any, _ context.Context, dec func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
	if err := dec(r.peer.target(r.types)); err != nil {
		return nil, err
	}
	return r.answer, nil
}

func (r *rig) serve(_ any, s grpc.ServerStream) error {
	if err := s.RecvMsg(r.peer.target(r.types)); err != nil {
		return err
	}
	for range streamLength {
		if err := s.SendMsg(r.answer); err != nil {
			return err
		}
	}
	return nil
}

func (r *rig) echo(_ any, s grpc.ServerStream) error {
	for {
		if err := s.RecvMsg(r.peer.target(r.types)); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		if err := s.SendMsg(r.answer); err != nil {
			return err
		}
	}
}

// call does one piece of work and returns how many messages the client received.
func (r *rig) call(shape string) (int, error) {
	switch shape {
	case "unary":
		return 1, r.conn.Invoke(context.Background(), "/lab.Echo/Unary", r.answer, r.peer.target(r.types))
	case "bidi":
		if err := r.bidi.SendMsg(r.answer); err != nil {
			return 0, err
		}
		return 1, r.bidi.RecvMsg(r.peer.target(r.types))
	}
	s, err := r.conn.NewStream(context.Background(), &grpc.StreamDesc{ServerStreams: true}, "/lab.Echo/Server")
	if err != nil {
		return 0, err
	}
	if err := errors.Join(s.SendMsg(r.answer), s.CloseSend()); err != nil {
		return 0, err
	}
	for n := 0; ; n++ {
		if err := s.RecvMsg(r.peer.target(r.types)); errors.Is(err, io.EOF) {
			return n, nil
		} else if err != nil {
			return n, err
		}
	}
}
