// Package gremlinconnect carries gremlin's messages over connect v2: the Connect protocol, gRPC and
// gRPC-Web, binary and JSON, on net/http.
//
// `gremlin generate` with `connect: true` writes handlers and clients that look like those of
// protoc-gen-connect-go, with one difference: what comes in is a Reader, what goes out is a
// Message. They need the codecs of this package:
//
//	server := connect.NewServer()
//	shopv1connect.RegisterShopHandler(server, &shop{})
//	connecthttp.Mount(mux, server, gremlinconnect.WithCodecs())
//
//	transport := connecthttp.NewTransport(http.DefaultClient, url, gremlinconnect.WithCodecs())
//	client := shopv1connect.NewShopClient(connect.NewClient(transport))
//	d, err := client.Get(ctx, &shopv1.GetRequest{Id: "7"}) // *shopv1.DepositReader
//
// The codecs hand messages of protobuf-go to connect's own, so that services of both kinds may
// share a server. JSON takes code that was generated with `json: true`; it goes from text to
// encoding and back without a Message in between.
//
// # Who owns what comes in
//
// A Reader is the receiver's for ever: its bytes are memory of the garbage collector that nobody
// else has. It may be kept and shared by goroutines, and its strings may go into answers. Messages
// share memory with nobody. Send encodes before it returns; the message may be changed afterwards.
//
// # What is checked
//
// All of a message is checked when it arrives: structure at every level, UTF-8, required fields.
// What is wrong becomes an error with the code invalid_argument and a text with the path.
// [WithShallow] leaves out what is nested.
package gremlinconnect
