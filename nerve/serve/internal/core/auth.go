package core

import (
	"bufio"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/octopus-framework/octopus/nerve"
)

// tokenPrefix makes tokens recognisable for tools that look for secrets.
const tokenPrefix = "nerve_"

// NewToken returns a token of 256 random bits, which is shown once, and the
// digest of it, which is kept.
func NewToken() (token, digest string) {
	var secret [32]byte
	_, _ = rand.Read(secret[:]) // it never fails
	token = tokenPrefix + base64.RawURLEncoding.EncodeToString(secret[:])
	return token, digestOf(token)
}

func digestOf(token string) string {
	sum := sha256.Sum256([]byte(token))
	return digestPrefix + hex.EncodeToString(sum[:])
}

const (
	digestPrefix = "sha256:"
	certPrefix   = "cert:"
)

// Credential is a line of the list of tokens: whoever has it is called Name and
// has Grant. One name may have several.
type Credential struct {
	Name string
	// Proof is "sha256:" and the digest of a token in hex, or "cert:" and a URI
	// or DNS name of a client's certificate.
	Proof string
	Grant Grant
}

// String is the line of the list.
func (c Credential) String() string {
	return fmt.Sprintf("%s %s %s %s", c.Name, c.Proof, c.Grant.Roles, c.Grant.Queues)
}

// ParseCredentials reads a list of tokens: for each a line with name, proof, roles
// and a pattern of queues, between spaces. Lines that begin with # and empty
// ones do not count.
func ParseCredentials(in io.Reader) ([]Credential, error) {
	var list []Credential
	lines := bufio.NewScanner(in)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		c, err := parseCredential(line)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		list = append(list, c)
	}
	return list, lines.Err()
}

func parseCredential(line string) (c Credential, err error) {
	words := strings.Fields(line)
	if len(words) != 4 {
		return c, fmt.Errorf("it has %d words; a name, a proof, roles and a pattern of queues "+
			"were expected, as 'nerve token new' prints them", len(words))
	}
	c.Name, c.Proof, c.Grant.Queues = words[0], words[1], words[3]
	if err := nerve.CheckName(c.Name); err != nil {
		return c, err
	}
	if digest, ok := strings.CutPrefix(c.Proof, digestPrefix); ok {
		if b, err := hex.DecodeString(digest); err != nil || len(b) != sha256.Size {
			return c, fmt.Errorf("the digest of %q is not 64 hexadecimal digits", c.Name)
		}
	} else if name, ok := strings.CutPrefix(c.Proof, certPrefix); !ok || name == "" {
		return c, fmt.Errorf("the proof of %q is neither sha256:DIGEST nor cert:NAME", c.Name)
	}
	if c.Grant.Roles, err = ParseRoles(words[2]); err != nil {
		return c, err
	}
	_, err = NewPrincipal(c.Name, c.Grant)
	return c, err
}

// Auth tells who somebody is. It is safe for concurrent use; the list may be
// replaced at any time.
type Auth struct {
	list   atomic.Pointer[authList]
	leases leases
}

type authList struct {
	tokens    []tokenEntry
	certs     map[string]*Principal
	anonymous *Principal
	// authorities that sign certificates of clients, nil to leave it to TLS
	authorities *x509.CertPool
}

type tokenEntry struct {
	digest    [sha256.Size]byte
	principal *Principal
}

// NewAuth returns one that knows the list. Whoever says nothing has the roles of
// anonymous in every queue; none is to refuse him.
func NewAuth(list []Credential, anonymous Role) (*Auth, error) {
	a := &Auth{leases: leases{all: make(map[*Lease]struct{})}}
	a.list.Store(new(authList))
	return a, a.Replace(list, anonymous)
}

// Replace takes a new list, which ends the leases of those who are gone from it or
// may do something else now. After an error the old one stays.
func (a *Auth) Replace(list []Credential, anonymous Role) error {
	grants := make(map[string][]Grant) // by name
	for _, c := range list {
		grants[c.Name] = append(grants[c.Name], c.Grant)
	}
	next := &authList{certs: make(map[string]*Principal)}
	for _, c := range list {
		p, err := NewPrincipal(c.Name, grants[c.Name]...)
		if err != nil {
			return err
		}
		p.proof = c.Proof
		if name, ok := strings.CutPrefix(c.Proof, certPrefix); ok {
			next.certs[name] = p
			continue
		}
		e := tokenEntry{principal: p}
		b, err := hex.DecodeString(strings.TrimPrefix(c.Proof, digestPrefix))
		if err != nil || copy(e.digest[:], b) != sha256.Size {
			return fmt.Errorf("nerve: the digest of %q is none", c.Name)
		}
		next.tokens = append(next.tokens, e)
	}
	if anonymous != 0 {
		next.anonymous = &Principal{name: "anonymous", grants: []Grant{{"*", anonymous}}}
	}
	a.change(func(old *authList) *authList {
		next.authorities = old.authorities
		return next
	})
	return nil
}

// Trust takes the authorities that sign certificates of clients, which ends the
// leases of those whose certificates they did not sign. Until then, or with nil,
// that a certificate is valid was found out by TLS, when the connection began.
func (a *Auth) Trust(authorities *x509.CertPool) {
	a.change(func(old *authList) *authList {
		next := *old
		next.authorities = authorities
		return &next
	})
}

// change replaces the list and ends the leases that it does not allow.
func (a *Auth) change(f func(old *authList) *authList) {
	a.leases.mu.Lock()
	defer a.leases.mu.Unlock()
	a.list.Store(f(a.list.Load()))
	a.recheck()
}

// Token returns whose token it is. It takes the same time whichever it is: all
// are compared, by their digests.
func (a *Auth) Token(token string) (*Principal, error) {
	sum := sha256.Sum256([]byte(token))
	var found *Principal
	for _, e := range a.list.Load().tokens {
		if subtle.ConstantTimeCompare(sum[:], e.digest[:]) == 1 {
			found = e.principal
		}
	}
	if found == nil {
		return nil, &nerve.CredentialsError{Reason: "the token is not known"}
	}
	return found, nil
}

// Certificate returns whose certificate the first of a chain is, by its URIs and
// DNS names. TLS has verified the chain, against the authorities of its time.
func (a *Auth) Certificate(chain []*x509.Certificate) (*Principal, error) {
	list := a.list.Load()
	names := slices.Clone(chain[0].DNSNames)
	for _, uri := range slices.Backward(chain[0].URIs) {
		names = slices.Insert(names, 0, uri.String())
	}
	for _, name := range names {
		if p := list.certs[name]; p != nil {
			if !verifies(chain, list.authorities) {
				return nil, &nerve.CredentialsError{
					Reason: "the authority of the certificate is no longer trusted"}
			}
			found := *p
			found.chain = chain
			return &found, nil
		}
	}
	return nil, &nerve.CredentialsError{Reason: "no name of the certificate is known"}
}

// Anonymous returns what somebody is who says nothing, an error if he is nobody.
func (a *Auth) Anonymous() (*Principal, error) {
	if p := a.list.Load().anonymous; p != nil {
		return p, nil
	}
	return nil, &nerve.CredentialsError{Reason: "a token or a client certificate is needed"}
}

// Known returns what p is by the list as it is now, nil if what proved it is no
// longer there: for sessions and connections that outlive a reload.
func (a *Auth) Known(p *Principal) *Principal {
	list := a.list.Load()
	if p.proof == "" {
		return list.anonymous
	}
	if name, ok := strings.CutPrefix(p.proof, certPrefix); ok {
		if !verifies(p.chain, list.authorities) {
			return nil
		}
		return list.certs[name]
	}
	for _, e := range list.tokens {
		if e.principal.proof == p.proof {
			return e.principal
		}
	}
	return nil
}
