package frames

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/internal/wire"
	"github.com/octopus-framework/octopus/nerve/seglog"
	"github.com/octopus-framework/octopus/nerve/serve/internal/core"
)

// fuzzServer serves a queue with three records to somebody with all roles.
func fuzzServer(f *testing.F) (*Server, *core.Principal) {
	f.Helper()
	dir := f.TempDir()
	log, err := seglog.Open(filepath.Join(dir, "q"), seglog.Options{NoSpare: true})
	if err != nil {
		f.Fatal(err)
	}
	var b nerve.Batch
	for _, text := range []string{"one", "two", "three"} {
		b.Append([]byte(text))
	}
	if _, err := log.Append(context.Background(), &b); err != nil {
		f.Fatal(err)
	}
	if err := log.Close(); err != nil {
		f.Fatal(err)
	}
	root, err := core.Open(dir, core.Options{InFlight: 1 << 20, Folder: seglog.Options{
		NoSpare: true, Durability: seglog.SyncNever, RetainBytes: 1 << 20}})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { root.Close(context.Background()) })
	p, err := core.NewPrincipal("fuzz", core.Grant{Queues: "*", Roles: core.All})
	if err != nil {
		f.Fatal(err)
	}
	return NewServer(root, Options{WriteTimeout: time.Minute}), p
}

// pipes numbers the sockets of pipe.
var pipes atomic.Uint64

// pipe returns the ends of a connection that can be closed in one direction. It is
// no TCP, whose ports are used up by as many as a fuzzer makes.
func pipe(t *testing.T) (server, client *net.UnixConn) {
	t.Helper()
	path := filepath.Join(os.TempDir(), fmt.Sprintf("nerve-%d-%d", os.Getpid(), pipes.Add(1)))
	listener, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	dialed, err := net.Dial("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	accepted, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	return accepted.(*net.UnixConn), dialed.(*net.UnixConn)
}

// resum gives frames the checksums that they should have, so that what a fuzzer
// changes is looked at.
func resum(in []byte) []byte {
	out := bytes.Clone(in)
	for at := 0; len(out)-at >= wire.HeaderSize; {
		size := uint64(binary.LittleEndian.Uint32(out[at:])) + 4
		if size < wire.HeaderSize || size > uint64(len(out)-at) {
			break
		}
		flags := out[at+5]
		wire.Finish(out[:at+int(size)], at, wire.Type(out[at+4]),
			binary.LittleEndian.Uint16(out[at+6:]))
		out[at+5] = flags
		at += int(size)
	}
	return out
}

// FuzzConnection says anything to a server: it hangs up in the end, ends
// all that it began, and takes no more memory than what it was sent is worth
// and a log needs for its first append.
func FuzzConnection(f *testing.F) {
	s, p := fuzzServer(f)
	hello := wire.AppendFrame(nil, wire.Hello, 0,
		wire.ClientHello{Session: 1, Queue: "q", Name: "fuzz"}.Append)
	with := func(frames ...[]byte) []byte {
		all := append([]byte(nil), hello...)
		for _, one := range frames {
			all = append(all, one...)
		}
		return all
	}
	frame := func(t wire.Type, stream uint16, values ...uint64) []byte {
		return wire.AppendFrame(nil, t, stream, func(b []byte) []byte {
			return wire.AppendUints(b, values...)
		})
	}
	call := func(code wire.CallCode, args []byte) []byte {
		return wire.AppendFrame(nil, wire.Call, 9, func(b []byte) []byte {
			return append(append(b, byte(code), 0), args...)
		})
	}
	pointers := wire.AppendPointers(nil, []nerve.Pointer{{Name: "c", ID: 1, Meta: []byte("m")}})
	claim := wire.AppendClaim(nil, nerve.Claim{Name: "c", Epoch: 1})
	f.Add(hello)
	f.Add(with(wire.AppendFrame(nil, wire.Append, 0, func(b []byte) []byte {
		return append(wire.AppendUints(b, 1, 7, 1), "\x01\x00\x00\x00x"...)
	}), frame(wire.Bye, 0)))
	f.Add(with(frame(wire.Read, 1, 1, 1<<20), frame(wire.Credit, 1, 5), frame(wire.Stop, 1)))
	f.Add(with(frame(wire.Read, 1, 99, 1), frame(wire.Read, 1, 1, 0), frame(wire.Read, 1, 1, 0)))
	f.Add(with(call(wire.CallSeek, wire.AppendUints(nil, 1)), call(wire.CallTrim,
		wire.AppendUints(nil, 1)), call(wire.CallPointers, nil), call(wire.CallBounds, nil)))
	f.Add(with(call(wire.CallSave, pointers), call(wire.CallRemove, wire.AppendBytes(nil, "c")),
		call(wire.CallLast, wire.AppendUints(nil, 7))))
	f.Add(with(call(wire.CallClaim, append(wire.AppendBytes(nil, "c"), make([]byte, 8)...)),
		call(wire.CallRenew, claim), call(wire.CallRelease, claim), call(77, nil)))
	f.Add([]byte("GET / HTTP/1.1\r\nHost: x\r\n\r\n"))
	f.Fuzz(func(t *testing.T, in []byte) {
		in = resum(in)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		server, client := pipe(t)
		answers := make(chan int64, 1)
		go func() {
			_, _ = client.Write(in) // a server that hung up takes no more
			_ = client.CloseWrite()
			n, _ := io.Copy(io.Discard, client)
			answers <- n
		}()
		s.serve(core.With(context.Background(), p), server, server)
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; n > 8<<20+64*uint64(len(in)) {
			t.Fatalf("%d bytes were allocated for %d", n, len(in))
		}
		if n := <-answers; bytes.HasPrefix(in, hello) && n == 0 {
			t.Fatal("a greeting has no answer")
		}
		client.Close()
		if n := s.root.Readers(); n != 0 {
			t.Fatalf("%d readers are left", n)
		}
	})
}
