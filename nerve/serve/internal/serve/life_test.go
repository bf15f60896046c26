package serve

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/octopus-framework/octopus/nerve/serve/internal/core"
)

// TestLogoutIsDone ends a session under a request: when the logout has returned, the
// request may do nothing more, and neither may one that began with the session.
func TestLogoutIsDone(t *testing.T) {
	token, digest := core.NewToken()
	auth, err := core.NewAuth([]core.Credential{{Name: "eve", Proof: digest,
		Grant: core.Grant{Queues: "*", Roles: core.All}}}, 0)
	if err != nil {
		t.Fatal(err)
	}
	p, err := auth.Token(token)
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{options: Options{Auth: auth}, sessions: newSessions()}
	cookie := s.sessions.open(p)
	in, ok := s.sessions.session(cookie, auth)
	if !ok {
		t.Fatal("the session is not there")
	}
	serve := func(what string, does func()) {
		defer func() {
			if cause := recover(); cause != http.ErrAbortHandler { //nolint:errorlint // as it is
				t.Errorf("%s: the answer ended with %v", what, cause)
			}
		}()
		s.serveLeased(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			does()
			if roles := core.From(r.Context()).Roles("orders"); roles != 0 {
				t.Errorf("%s: the roles are %s", what, roles)
			}
			if r.Context().Err() == nil {
				t.Errorf("%s: the request goes on", what)
			}
		}), httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", nil), in.principal, in)
	}
	serve("before", func() { s.sessions.remove(cookie) })
	serve("after", func() {})
}
