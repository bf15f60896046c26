// Command server is gremlin's handler under the conformance suite: it reads on standard input what
// to serve, and writes where.
package main

import (
	"crypto/tls"
	"io"
	"log"
	"net"
	"net/http"
	"os"

	"connectrpc.com/connect/v2"
	"connectrpc.com/connect/v2/connecthttp"

	"github.com/octopus-framework/octopus/conformance/connect/suite"
	"github.com/octopus-framework/octopus/conformance/connect/suite/suiteconnect"
	"github.com/octopus-framework/octopus/conformance/connect/wire"
	"github.com/octopus-framework/octopus/gremlin/gremlinconnect"
)

func main() {
	if err := run(os.Stdin, os.Stdout); err != nil {
		log.Fatal(err)
	}
}

// run serves until the runner ends the process.
func run(in io.Reader, out io.Writer) error {
	var req suite.ServerCompatRequest
	if err := wire.Read(in, &req); err != nil {
		return err
	}
	s := connect.NewServer()
	suiteconnect.RegisterConformanceServiceHandler(s, handler{})
	mux := http.NewServeMux()
	connecthttp.Mount(mux, s, gremlinconnect.WithCodecs(wire.Types),
		connecthttp.WithReadMaxBytes(int(req.MessageReceiveLimit)))

	web := &http.Server{Handler: mux, Protocols: new(http.Protocols),
		ErrorLog: log.New(io.Discard, "", 0)}
	if req.HttpVersion == suite.HTTPVersion_HTTP_VERSION_1 {
		web.Protocols.SetHTTP1(true)
	} else {
		web.Protocols.SetHTTP2(true)
		web.Protocols.SetUnencryptedHTTP2(true)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	resp := suite.ServerCompatResponse{Host: "127.0.0.1",
		Port: uint32(listener.Addr().(*net.TCPAddr).Port)}
	if req.UseTls {
		pair, err := tls.X509KeyPair(req.ServerCreds.Cert, req.ServerCreds.Key)
		if err != nil {
			return err
		}
		web.TLSConfig = &tls.Config{Certificates: []tls.Certificate{pair}}
		resp.PemCert = req.ServerCreds.Cert
	}
	if err := wire.Write(out, &resp); err != nil {
		return err
	}
	if req.UseTls {
		return web.ServeTLS(listener, "", "")
	}
	return web.Serve(listener)
}
