package gremlinconnect

import "github.com/octopus-framework/octopus/gremlin/gremlinconnect/rt"

// A ServerStreamingClient is what a client has of a call that is answered with a stream. One
// goroutine at a time receives.
type ServerStreamingClient[Res any] = rt.ServerStreamingClient[Res]

// A ClientStreamingClient is what a client has of a call whose requests go as a stream. One
// goroutine at a time uses it.
type ClientStreamingClient[Req, Res any] = rt.ClientStreamingClient[Req, Res]

// A BidiStreamingClient is what a client has of a call with streams both ways. One goroutine at a
// time sends, and one receives.
type BidiStreamingClient[Req, Res any] = rt.BidiStreamingClient[Req, Res]

// A ServerStreamingServer is what a handler answers to with a stream. One goroutine at a time
// sends.
type ServerStreamingServer[Res any] = rt.ServerStreamingServer[Res]

// A ClientStreamingServer is where a handler receives a stream of requests. One goroutine at a time
// does.
type ClientStreamingServer[Req any] = rt.ClientStreamingServer[Req]

// A BidiStreamingServer is what a handler has of streams both ways. One goroutine at a time sends,
// and one receives.
type BidiStreamingServer[Req, Res any] = rt.BidiStreamingServer[Req, Res]
