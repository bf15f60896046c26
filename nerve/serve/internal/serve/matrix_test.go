package serve_test

import (
	"context"
	"crypto/tls"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/remote"
	"github.com/octopus-framework/octopus/nerve/serve/internal/core"
	"github.com/octopus-framework/octopus/nerve/serve/internal/serve"
)

// verbs are what frames can ask for, with the roles of which one is needed.
var verbs = []struct {
	name  string
	roles core.Role
	call  func(ctx context.Context, log *remote.Log) error
}{
	{"append", core.Append, func(ctx context.Context, log *remote.Log) error {
		var b nerve.Batch
		b.Append([]byte("x"))
		_, err := log.Append(ctx, &b)
		return err
	}},
	{"append with a key", core.Append, func(ctx context.Context, log *remote.Log) error {
		b := nerve.Batch{Key: nerve.Key{Producer: 7, Seq: uint64(time.Now().UnixNano())}}
		b.Append([]byte("x"))
		_, err := log.Append(ctx, &b)
		return err
	}},
	{"last appended", core.Append, func(ctx context.Context, log *remote.Log) error {
		_, err := log.LastAppended(ctx, 1)
		return err
	}},
	{"read", core.Read | core.Consume, func(ctx context.Context, log *remote.Log) error {
		cur, err := log.Read(ctx, 1)
		if err != nil {
			return err
		}
		defer cur.Close()
		return cur.Next(ctx, new(nerve.Batch))
	}},
	{"seek", core.Read | core.Consume | core.Admin,
		func(ctx context.Context, log *remote.Log) error {
			_, err := log.Seek(ctx, time.Unix(1, 0))
			return err
		}},
	{"pointers", core.Read | core.Consume | core.Admin,
		func(ctx context.Context, log *remote.Log) error {
			_, err := log.Pointers(ctx)
			return err
		}},
	{"save", core.Consume, func(ctx context.Context, log *remote.Log) error {
		return log.SavePointers(ctx, []nerve.Pointer{{Name: "c", ID: 1}})
	}},
	{"claim", core.Consume, func(ctx context.Context, log *remote.Log) error {
		c, err := log.Claim(ctx, "d")
		if err == nil {
			_, err = log.Renew(ctx, c)
		}
		if err == nil {
			err = log.Release(ctx, c)
		}
		return err
	}},
	{"renew", core.Consume, func(ctx context.Context, log *remote.Log) error {
		_, err := log.Renew(ctx, nerve.Claim{Name: "nobody"})
		if _, ok := errors.AsType[*nerve.FencedError](err); ok {
			return nil
		}
		return err
	}},
	{"release", core.Consume, func(ctx context.Context, log *remote.Log) error {
		return log.Release(ctx, nerve.Claim{Name: "d", Epoch: 99})
	}},
	{"remove", core.Consume | core.Admin, func(ctx context.Context, log *remote.Log) error {
		return log.RemovePointer(ctx, "nobody")
	}},
	{"trim", core.Admin, func(ctx context.Context, log *remote.Log) error {
		_, err := log.Trim(ctx, 1)
		return err
	}},
}

// TestRolesOverFrames tries every verb as every principal in queues that he may
// use, and in one that he may not know of, over plain connections and TLS.
func TestRolesOverFrames(t *testing.T) {
	for _, scheme := range []string{"nerve", "nerves"} {
		t.Run(scheme, func(t *testing.T) {
			dir := t.TempDir()
			for _, q := range []string{"orders", "other-1"} {
				makeQueue(t, dir, q)
			}
			cert := testCertificate(t)
			var so serve.Options
			var client *tls.Config
			if scheme == "nerves" {
				so.TLS, client = cert.server, cert.client
			}
			r := start(t, dir, core.Options{}, so)
			for who, grant := range grants {
				for _, queue := range []string{"orders", "other-1", "nothing"} {
					matrix(t, r, who, grant, scheme+"://"+r.Addr().String()+"/"+queue, client)
				}
			}
		})
	}
}

func matrix(t *testing.T, r *running, who string, grant core.Grant, place string,
	client *tls.Config) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	log, err := remote.Open(ctx, place, remote.Options{Token: r.tokens[who], TLS: client})
	queue := place[strings.LastIndex(place, "/")+1:]
	hidden := queue == "nothing" || who == "other" && queue == "orders"
	if missing, ok := errors.AsType[*nerve.NotFoundError](err); hidden != ok ||
		ok && missing.Queue != queue {
		t.Errorf("%s opens %s: %v", who, place, err)
	}
	if err != nil {
		return
	}
	defer log.Close()
	for _, verb := range verbs {
		err := verb.call(ctx, log)
		denied, ok := errors.AsType[*nerve.AccessError](err)
		allowed := grant.Roles&verb.roles != 0
		if ok == allowed || !ok && err != nil {
			t.Errorf("%s does %s in %s: %v", who, verb.name, queue, err)
		}
		if ok && (denied.Who != who || denied.Queue != queue) {
			t.Errorf("%+v", denied)
		}
	}
}

// TestWrongCredentials opens nothing without them, with wrong ones, or without the
// right certificate.
func TestWrongCredentials(t *testing.T) {
	r := startOne(t, "orders")
	place := "nerve://" + r.Addr().String() + "/orders"
	for _, token := range []string{"", "nerve_wrong", r.tokens["all"] + "x", "a b"} {
		_, err := remote.Open(t.Context(), place, remote.Options{Token: token})
		if _, ok := errors.AsType[*nerve.CredentialsError](err); !ok {
			t.Errorf("token %q: %v", token, err)
		}
	}
	_, err := remote.Open(t.Context(), strings.Replace(place, "nerve:", "nerves:", 1),
		remote.Options{Token: r.tokens["all"]})
	if _, ok := errors.AsType[*nerve.ConnectionError](err); !ok {
		t.Errorf("TLS with a server without: %v", err)
	}
}

// TestCertificates lets clients in by the names in their certificates, and no
// others.
func TestCertificates(t *testing.T) {
	cert, foreign := testCertificate(t), testCertificate(t)
	server := cert.server.Clone()
	server.ClientCAs, server.ClientAuth = cert.ca, tls.VerifyClientCertIfGiven
	auth, err := core.NewAuth([]core.Credential{
		{Name: "machine", Proof: "cert:spiffe://shop/machine",
			Grant: core.Grant{Queues: "orders", Roles: core.Read}},
		{Name: "host", Proof: "cert:host.shop",
			Grant: core.Grant{Queues: "orders", Roles: core.Append}},
	}, 0)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	makeQueue(t, dir, "orders")
	r := start(t, dir, core.Options{}, serve.Options{TLS: server, Auth: auth})
	open := func(leaf *tls.Certificate, ca *certificate) (*remote.Log, error) {
		config := &tls.Config{RootCAs: ca.ca}
		if leaf != nil {
			config.Certificates = []tls.Certificate{*leaf}
		}
		return remote.Open(t.Context(), "nerves://"+r.Addr().String()+"/orders",
			remote.Options{TLS: config})
	}
	machine := cert.issue(t, time.Hour, "", "spiffe://shop/machine")
	host := cert.issue(t, time.Hour, "host.shop", "")
	for _, c := range []struct {
		leaf tls.Certificate
		can  string
	}{{machine, "read"}, {host, "append"}} {
		log, err := open(&c.leaf, cert)
		if err != nil {
			t.Fatal(err)
		}
		for _, verb := range verbs {
			if verb.name != "read" && verb.name != "append" {
				continue
			}
			if err := verb.call(t.Context(), log); (err == nil) != (verb.name == c.can) {
				t.Errorf("%s with a certificate for %s: %v", verb.name, c.can, err)
			}
		}
		log.Close()
	}
	unknown := cert.issue(t, time.Hour, "", "spiffe://shop/unknown")
	expired := cert.issue(t, -time.Hour, "", "spiffe://shop/machine")
	others := foreign.issue(t, time.Hour, "", "spiffe://shop/machine")
	for what, leaf := range map[string]*tls.Certificate{
		"none": nil, "an unknown one": &unknown, "an expired one": &expired,
		"one of another authority": &others,
	} {
		if log, err := open(leaf, cert); err == nil {
			log.Close()
			t.Errorf("%s lets in", what)
		}
	}
	// A client does not talk to a server that it does not trust.
	if log, err := open(&machine, foreign); err == nil {
		log.Close()
		t.Error("a server with a foreign certificate is trusted")
	}
}

// TestReloadEndsConnections takes rights away from clients that are connected.
func TestReloadEndsConnections(t *testing.T) {
	r := startOne(t, "orders")
	log := r.dial(t, "all", "orders")
	if err := verbs[0].call(t.Context(), log); err != nil {
		t.Fatal(err)
	}
	if err := r.auth.Replace(nil, 0); err != nil {
		t.Fatal(err)
	}
	if err := r.Reload(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	err := verbs[0].call(ctx, log)
	if _, ok := errors.AsType[*nerve.CredentialsError](err); !ok {
		// The append that was under way when the connection ended, at most.
		if err = verbs[0].call(ctx, log); err == nil {
			t.Fatal("an append without rights")
		}
		if _, ok := errors.AsType[*nerve.CredentialsError](err); !ok {
			t.Fatal(err)
		}
	}
	if _, err := r.tryDial(t, "all", "orders"); err == nil {
		t.Fatal("a token that was taken away opens a queue")
	}
}
