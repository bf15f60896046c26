package main

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"strconv"

	"connectrpc.com/connect/v2"
	"connectrpc.com/connect/v2/connecthttp"

	"github.com/octopus-framework/octopus/conformance/connect/suite"
	"github.com/octopus-framework/octopus/conformance/connect/suite/suiteconnect"
	"github.com/octopus-framework/octopus/conformance/connect/wire"
	"github.com/octopus-framework/octopus/gremlin/gremlinconnect"
)

// dial returns a client as req wants it, and what ends its connections.
func dial(req *suite.ClientCompatRequest) (suiteconnect.ConformanceServiceClient, func(), error) {
	scheme := "http://"
	transport := &http.Transport{Protocols: new(http.Protocols), DisableCompression: true}
	if len(req.ServerTlsCert) > 0 {
		scheme = "https://"
		roots := x509.NewCertPool()
		if !roots.AppendCertsFromPEM(req.ServerTlsCert) {
			return nil, nil, errors.New("the certificate of the server is none")
		}
		transport.TLSClientConfig = &tls.Config{RootCAs: roots}
	}
	if req.HttpVersion == suite.HTTPVersion_HTTP_VERSION_1 {
		transport.Protocols.SetHTTP1(true)
	} else {
		transport.Protocols.SetHTTP2(true)
		transport.Protocols.SetUnencryptedHTTP2(true)
	}
	opts := []connecthttp.Option{gremlinconnect.WithCodecs(wire.Types), connecthttp.WithHTTPGet(),
		connecthttp.WithReadMaxBytes(int(req.MessageReceiveLimit))}
	switch req.Protocol {
	case suite.Protocol_PROTOCOL_GRPC:
		opts = append(opts, connecthttp.WithGRPC())
	case suite.Protocol_PROTOCOL_GRPC_WEB:
		opts = append(opts, connecthttp.WithGRPCWeb())
	}
	if req.Codec == suite.Codec_CODEC_JSON {
		opts = append(opts, connecthttp.WithSendCodec(connect.CodecNameJSON))
	}
	if req.Compression == suite.Compression_COMPRESSION_GZIP {
		opts = append(opts, connecthttp.WithSendGzip())
	} else {
		opts = append(opts, connecthttp.WithCompressors())
	}
	url := scheme + net.JoinHostPort(req.Host, strconv.Itoa(int(req.Port)))
	c := connect.NewClient(connecthttp.NewTransport(&http.Client{Transport: transport}, url,
		opts...))
	return suiteconnect.NewConformanceServiceClient(c), transport.CloseIdleConnections, nil
}
