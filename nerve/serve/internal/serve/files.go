package serve

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"sync/atomic"

	"github.com/octopus-framework/octopus/nerve/serve/internal/core"
)

// Files are what a server reads from its disk to know who may do what. Empty ones
// are none.
type Files struct {
	Cert, Key string // certificate and key of the server, in PEM: they go together
	ClientCA  string // certificates that sign those of clients, in PEM
	Tokens    string // the list of tokens, see [core.ParseCredentials]
	// More are credentials besides those of Tokens.
	More []core.Credential
	// Anonymous is what those may do who say nothing.
	Anonymous core.Role
}

// Credentials are Files as they were read last. They are safe for concurrent use.
type Credentials struct {
	files Files
	auth  *core.Auth
	tls   atomic.Pointer[tls.Config]
}

// Load reads files.
func Load(files Files) (*Credentials, error) {
	if (files.Cert == "") != (files.Key == "") {
		return nil, errors.New("nerve: a certificate and its key go together")
	}
	if files.ClientCA != "" && files.Cert == "" {
		return nil, errors.New("nerve: certificates of clients take TLS; give a certificate and a key")
	}
	c := &Credentials{files: files}
	var err error
	if c.auth, err = core.NewAuth(nil, 0); err != nil {
		return nil, err
	}
	return c, c.Reload()
}

// Reload reads them again. After an error all stays as it was.
func (c *Credentials) Reload() error {
	config, err := c.files.loadTLS()
	if err != nil {
		return err
	}
	list, err := c.files.loadTokens()
	if err != nil {
		return err
	}
	if err := c.auth.Replace(list, c.files.Anonymous); err != nil {
		return err
	}
	if config != nil {
		c.tls.Store(config)
		c.auth.Trust(config.ClientCAs)
	}
	return nil
}

func (f *Files) loadTokens() ([]core.Credential, error) {
	list := f.More
	if f.Tokens == "" {
		return list, nil
	}
	in, err := os.Open(f.Tokens)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	read, err := core.ParseCredentials(in)
	if err != nil {
		return nil, fmt.Errorf("nerve: %s: %w", f.Tokens, err)
	}
	return append(list[:len(list):len(list)], read...), nil
}

func (f *Files) loadTLS() (*tls.Config, error) {
	if f.Cert == "" {
		return nil, nil
	}
	pair, err := tls.LoadX509KeyPair(f.Cert, f.Key)
	if err != nil {
		return nil, err
	}
	config := &tls.Config{Certificates: []tls.Certificate{pair}, NextProtos: []string{"http/1.1"}}
	if f.ClientCA == "" {
		return config, nil
	}
	b, err := os.ReadFile(f.ClientCA)
	if err != nil {
		return nil, err
	}
	config.ClientCAs = x509.NewCertPool()
	if !config.ClientCAs.AppendCertsFromPEM(b) {
		return nil, fmt.Errorf("nerve: %s holds no certificate in PEM", f.ClientCA)
	}
	config.ClientAuth = tls.VerifyClientCertIfGiven
	return config, nil
}

// Auth tells who asks.
func (c *Credentials) Auth() *core.Auth { return c.auth }

// Authenticates reports whether there are tokens or certificates of clients.
func (c *Credentials) Authenticates() bool {
	return c.files.Tokens != "" || c.files.ClientCA != ""
}

// TLS is the configuration for [Options.TLS], which follows Reload; nil if there
// is no certificate.
func (c *Credentials) TLS() *tls.Config {
	if c.tls.Load() == nil {
		return nil
	}
	return &tls.Config{GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) {
		return c.tls.Load(), nil
	}}
}

// Leaf is the certificate that is presented now, for [Options.Leaf]; nil if there is
// none.
func (c *Credentials) Leaf() *x509.Certificate {
	if config := c.tls.Load(); config != nil {
		return config.Certificates[0].Leaf
	}
	return nil
}
