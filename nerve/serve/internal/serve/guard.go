package serve

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/serve/internal/core"
)

const (
	sessionCookie = "nerve_session"

	maxBody      = 17 << 20 // bytes of a request; a batch of the default size fits
	bodyTimeout  = 30 * time.Second
	writeTimeout = 30 * time.Second // for each write of an answer
)

// recovered ends a request over which the server panics, with a line in the log. It
// sends nothing more: the answer may have begun.
func (s *Server) recovered(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			cause := recover()
			if cause == nil {
				return
			}
			if cause != http.ErrAbortHandler { //nolint:errorlint // it is panicked with as it is
				s.root.Metrics.Fault(s.logger, cause, "from", r.RemoteAddr, "method", r.Method,
					"path", clip(r.URL.Path))
			}
			panic(http.ErrAbortHandler)
		}()
		next.ServeHTTP(w, r)
	})
}

// headers sets what every answer has, and bounds how long clients take.
func headers(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Cache-Control", "no-store")
		h.Set("Connection", "close") // a stranger's; who is known keeps his
		h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; "+
			"style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'self'; "+
			"form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
		rc := http.NewResponseController(w)
		if r.ContentLength != 0 {
			_ = rc.SetReadDeadline(time.Now().Add(bodyTimeout))
			r.Body = &body{http.MaxBytesReader(w, r.Body, maxBody), rc}
		}
		next.ServeHTTP(&writer{w, rc}, r)
	})
}

// body calls the deadline off at the end.
type body struct {
	io.ReadCloser
	rc *http.ResponseController
}

// Read implements io.Reader.
func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err == io.EOF { //nolint:errorlint // as readers return it
		_ = b.rc.SetReadDeadline(time.Time{})
	}
	return n, err
}

// writer gives each write its time, so that a client that does not read an answer
// of any length is let go.
type writer struct {
	http.ResponseWriter
	rc *http.ResponseController
}

// Write implements io.Writer.
func (w *writer) Write(p []byte) (int, error) {
	_ = w.rc.SetWriteDeadline(time.Now().Add(writeTimeout))
	return w.ResponseWriter.Write(p)
}

// Unwrap is for http.ResponseController.
func (w *writer) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// checkHost refuses names that are not the server's: a page of somebody else can
// make a browser take any name for this address.
func (s *Server) checkHost(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !s.knows(hostOf(r.Host)) {
			s.refuse(w, r, http.StatusMisdirectedRequest, errors.New(
				"nerve: this is not a name of the server; name it with --host"))
			return
		}
		next.ServeHTTP(w, r)
	})
}

// hostOf is the name in a Host header, in small letters and without port.
func hostOf(header string) string {
	host := header
	if h, _, err := net.SplitHostPort(header); err == nil {
		host = h
	}
	return strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
}

// checkOrigin refuses what pages of others ask for, unless it only reads: what
// they get of that their browser keeps from them.
func (s *Server) checkOrigin(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		reads := r.Method == http.MethodGet || r.Method == http.MethodHead
		if reads && r.Header.Get("Upgrade") == "" {
			next.ServeHTTP(w, r)
			return
		}
		foreign := r.Header.Get("Sec-Fetch-Site") == "cross-site"
		if origin := r.Header.Get("Origin"); origin != "" {
			foreign = foreign || !sameOrigin(origin, r)
		}
		if foreign {
			s.refuse(w, r, http.StatusForbidden, errors.New(
				"nerve: pages of other origins may not do this"))
			return
		}
		next.ServeHTTP(w, r)
	})
}

// authenticated finds out who asks.
func (s *Server) authenticated(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p, session, err := s.who(r)
		if err == nil {
			p = p.At(network(r.RemoteAddr).String())
			if busy := s.gate.admit(r, p); busy != nil {
				w.Header().Set("Retry-After", "1")
				s.refuse(w, r, http.StatusServiceUnavailable, busy)
				return
			}
			w.Header().Del("Connection")
			s.serveLeased(next, w, r, p, session)
			return
		}
		s.root.Metrics.AuthFailures.Add(1)
		if wantsPage(r) && r.Header.Get("Authorization") == "" {
			http.Redirect(w, r, "/login", http.StatusSeeOther)
			return
		}
		s.unauthenticated(w, r, err)
	})
}

// sameOrigin reports whether an Origin header is that of the server. Without TLS
// https is, too: a proxy in front may have it.
func sameOrigin(origin string, r *http.Request) bool {
	u, err := url.Parse(origin)
	return err == nil && strings.EqualFold(u.Host, r.Host) &&
		(u.Scheme == "https" || u.Scheme == "http" && r.TLS == nil)
}

// errLoggedOut is why the lease of a request of a session ended.
var errLoggedOut = &nerve.CredentialsError{Reason: "the session has ended"}

// serveLeased serves a request for as long as its principal is who he is, and his
// session lasts, if he has one. When that ends before the answer does, the answer is
// cut off, whatever the handler does.
func (s *Server) serveLeased(
	next http.Handler, w http.ResponseWriter, r *http.Request, p *core.Principal, of session,
) {
	ctx, lease := s.options.Auth.Lease(r.Context(), p)
	defer lease.End(nil)
	if of.life != nil {
		defer of.life.hold(lease)()
	}
	rc := http.NewResponseController(w)
	defer context.AfterFunc(ctx, func() { // what is being written is not waited for
		_ = rc.SetWriteDeadline(time.Unix(1, 0))
	})()
	next.ServeHTTP(&leased{w, lease}, r.WithContext(ctx))
	var ended *nerve.CredentialsError
	if errors.As(lease.Err(), &ended) {
		panic(http.ErrAbortHandler)
	}
}

// leased is an answer that is cut off when the lease ends.
type leased struct {
	http.ResponseWriter
	lease *core.Lease
}

// Write implements io.Writer.
func (w *leased) Write(p []byte) (int, error) {
	if err := w.lease.Err(); err != nil {
		return 0, err
	}
	return w.ResponseWriter.Write(p)
}

// Unwrap is for http.ResponseController.
func (w *leased) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// wantsPage reports whether a browser asks for a page.
func wantsPage(r *http.Request) bool {
	return r.Method == http.MethodGet && strings.Contains(r.Header.Get("Accept"), "text/html")
}

// unauthenticated answers who failed to say who he is, slower and slower.
func (s *Server) unauthenticated(w http.ResponseWriter, r *http.Request, err error) {
	if limited := s.failures.failed(r.Context(), r.RemoteAddr); limited != nil {
		w.Header().Set("Retry-After", "60")
		writeError(w, http.StatusTooManyRequests, limited)
		return
	}
	w.Header().Set("WWW-Authenticate", `Bearer realm="nerve"`)
	s.refuse(w, r, http.StatusUnauthorized, err)
}

// who returns the principal of a request: that of its token, else of its session,
// which is returned with it, else of its certificate, else the anonymous one.
func (s *Server) who(r *http.Request) (p *core.Principal, of session, err error) {
	if header := r.Header.Get("Authorization"); header != "" {
		token, ok := strings.CutPrefix(header, "Bearer ")
		if !ok {
			return nil, of, &nerve.CredentialsError{
				Reason: "the scheme of Authorization is not Bearer"}
		}
		p, err = s.options.Auth.Token(token)
		return p, of, err
	}
	if cookie, err := r.Cookie(sessionCookie); err == nil {
		if found, ok := s.sessions.session(cookie.Value, s.options.Auth); ok {
			return found.principal, found, nil
		}
	}
	if r.TLS != nil && len(r.TLS.VerifiedChains) > 0 {
		p, err = s.options.Auth.Certificate(r.TLS.PeerCertificates)
		return p, of, err
	}
	p, err = s.options.Auth.Anonymous()
	return p, of, err
}

// refuse answers with an error and says so in the log, in one line, until there
// were too many from one address within a minute.
func (s *Server) refuse(w http.ResponseWriter, r *http.Request, status int, err error) {
	if n := s.refusals.count(r.RemoteAddr); n <= maxFailures {
		about := []any{"from", r.RemoteAddr, "status", status, "method", clip(r.Method),
			"path", clip(r.URL.Path), "host", clip(r.Host), "error", err}
		if n == maxFailures {
			about = append(about, "more", "of this address are not logged for a minute")
		}
		s.logger.Warn("nerve: refused", about...)
	}
	writeError(w, status, err)
}

// clip keeps what strangers send short in the log.
func clip(s string) string { return s[:min(len(s), 100)] }

func writeError(w http.ResponseWriter, status int, err error) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]string{
		"error": strings.TrimPrefix(err.Error(), "nerve: "),
	})
}
