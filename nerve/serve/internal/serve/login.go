package serve

import (
	"crypto/rand"
	"crypto/sha256"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/serve/internal/core"
)

const (
	codeTime    = 10 * time.Minute
	sessionTime = 12 * time.Hour
	maxSessions = 1024
	maxLogin    = 4 << 10 // bytes of a form
)

// sessions are those of browsers, which cannot be told to send a token. They are
// kept by their digest, in memory: a restart ends them.
type sessions struct {
	mu     sync.Mutex
	byHash map[[sha256.Size]byte]session
	codes  map[[sha256.Size]byte]session // codes that open a session, once
}

type session struct {
	principal *core.Principal
	until     time.Time
	life      *life
}

func newSessions() *sessions {
	return &sessions{byHash: make(map[[sha256.Size]byte]session),
		codes: make(map[[sha256.Size]byte]session)}
}

// code returns what opens a session of p once.
func (s *sessions) code(p *core.Principal) string {
	return s.add(s.codes, p, codeTime)
}

// open returns the cookie of a new session of p.
func (s *sessions) open(p *core.Principal) string { return s.add(s.byHash, p, sessionTime) }

func (s *sessions) add(
	to map[[sha256.Size]byte]session, p *core.Principal, lasts time.Duration,
) string {
	secret := rand.Text()
	s.mu.Lock()
	defer s.mu.Unlock()
	for key, old := range to {
		if time.Now().After(old.until) {
			drop(to, key)
		}
	}
	for key := range to {
		if len(to) < maxSessions {
			break
		}
		drop(to, key)
	}
	to[sha256.Sum256([]byte(secret))] = session{principal: p, until: time.Now().Add(lasts),
		life: newLife(lasts)}
	return secret
}

// drop ends one of list, if it is there.
func drop(list map[[sha256.Size]byte]session, key [sha256.Size]byte) {
	if found, ok := list[key]; ok {
		found.life.end()
		delete(list, key)
	}
}

// redeem returns whose code it is, nil if it is none, and forgets the code.
func (s *sessions) redeem(code string, auth *core.Auth) *core.Principal {
	found, ok := s.find(s.codes, code, auth)
	s.mu.Lock()
	defer s.mu.Unlock()
	drop(s.codes, sha256.Sum256([]byte(code)))
	if !ok {
		return nil
	}
	return found.principal
}

// session returns the one of a cookie, with what its principal may do now.
func (s *sessions) session(cookie string, auth *core.Auth) (session, bool) {
	return s.find(s.byHash, cookie, auth)
}

func (s *sessions) find(
	list map[[sha256.Size]byte]session, secret string, auth *core.Auth,
) (found session, ok bool) {
	key := sha256.Sum256([]byte(secret))
	s.mu.Lock()
	defer s.mu.Unlock()
	if found, ok = list[key]; !ok {
		return found, false
	}
	found.principal = auth.Known(found.principal)
	if found.principal == nil || time.Now().After(found.until) {
		drop(list, key)
		return found, false
	}
	return found, true
}

func (s *sessions) remove(cookie string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	drop(s.byHash, sha256.Sum256([]byte(cookie)))
}

// loginPage asks for a token. The page itself is only for those who are known.
const loginPage = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>nerve</title>
<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">
</head><body><h1>nerve</h1>
<form method="post" action="/login">
<p><label>Token <input type="password" name="token" size="50" autofocus required
autocomplete="current-password"></label> <button>Log in</button></p>
</form>
<p>A token is made with <code>nerve token new NAME</code> on the server.</p>
</body></html>
`

// login answers with the form, or opens a session for a code or a token.
func (s *Server) login(w http.ResponseWriter, r *http.Request) {
	var p *core.Principal
	var err error
	switch r.Method {
	case http.MethodGet:
		if !r.URL.Query().Has("code") {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = io.WriteString(w, loginPage)
			return
		}
		if p = s.sessions.redeem(r.URL.Query().Get("code"), s.options.Auth); p == nil {
			err = &nerve.CredentialsError{Reason: "the link was used already, or is too old"}
		}
	case http.MethodPost:
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(headerTimeout))
		r.Body = http.MaxBytesReader(w, r.Body, maxLogin)
		p, err = s.options.Auth.Token(r.PostFormValue("token"))
	default:
		w.Header().Set("Allow", "GET, POST")
		s.refuse(w, r, http.StatusMethodNotAllowed, &nerve.ProtocolError{
			Reason: "login takes GET or POST"})
		return
	}
	if err != nil {
		s.root.Metrics.AuthFailures.Add(1)
		s.unauthenticated(w, r, err)
		return
	}
	http.SetCookie(w, &http.Cookie{
		Name: sessionCookie, Value: s.sessions.open(p), Path: "/", HttpOnly: true,
		SameSite: http.SameSiteStrictMode, Secure: r.TLS != nil, MaxAge: int(sessionTime.Seconds()),
	})
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

// logout ends the session of a cookie. It is no request of that session, which would end
// before it is answered.
func (s *Server) logout(w http.ResponseWriter, r *http.Request) {
	if cookie, err := r.Cookie(sessionCookie); err == nil {
		s.sessions.remove(cookie.Value)
	}
	http.SetCookie(w, &http.Cookie{Name: sessionCookie, Path: "/", MaxAge: -1, HttpOnly: true,
		SameSite: http.SameSiteStrictMode, Secure: r.TLS != nil})
	http.Redirect(w, r, "/login", http.StatusSeeOther)
}
