package remote

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"

	"github.com/octopus-framework/octopus/nerve"
)

// maxAnswer bounds an answer of the JSON API, in bytes.
const maxAnswer = 64 << 20

// AnswerError is an answer of the JSON API that is an error, other than that the client
// is not authenticated.
type AnswerError struct {
	Status int // status of HTTP
	Reason string
}

// Error implements error.
func (e *AnswerError) Error() string { return "nerve: the server answered: " + e.Reason }

// Ask gets what is at a path below /api/v1/ of a server, such as queues or
// queues/NAME/schema, and decodes its JSON into v. The URL is that of a queue on the
// server, or of the server alone: nerve://HOST:PORT. The error is a
// [nerve.CredentialsError], a [nerve.ConnectionError] or an [AnswerError].
func Ask(ctx context.Context, rawURL string, o Options, path string, v any) error {
	t, err := parseServer(rawURL, o)
	if err != nil {
		return err
	}
	scheme := "http://"
	if t.tls != nil {
		scheme = "https://"
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, scheme+t.address+"/api/v1/"+path,
		http.NoBody)
	if err != nil {
		return err
	}
	if t.token != "" {
		req.Header.Set("Authorization", "Bearer "+t.token)
	}
	dialer := &net.Dialer{Timeout: dialTimeout}
	transport := &http.Transport{DisableKeepAlives: true, TLSClientConfig: t.tls,
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			if o.Dial != nil {
				return o.Dial(network, address)
			}
			return dialer.DialContext(ctx, network, address)
		},
		// HTTP/2 is not what the server speaks.
		TLSNextProto: map[string]func(string, *tls.Conn) http.RoundTripper{}}
	resp, err := transport.RoundTrip(req) // which follows nothing with the token
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			err = cause
		}
		return &nerve.ConnectionError{Op: "ask", Server: t.server(), Err: err}
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		reason := reasonOf(resp)
		if resp.StatusCode == http.StatusUnauthorized {
			return &nerve.CredentialsError{Reason: reason}
		}
		return &AnswerError{Status: resp.StatusCode, Reason: reason}
	}
	if err := json.NewDecoder(io.LimitReader(resp.Body, maxAnswer)).Decode(v); err != nil {
		return &nerve.ProtocolError{Reason: fmt.Sprintf("the answer of the server: %v", err)}
	}
	return nil
}
