package core_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/seglog"
	"github.com/octopus-framework/octopus/nerve/serve/internal/core"
)

// newRoot opens a root with the queues, each with records one to three.
func newRoot(t *testing.T, options core.Options, queues ...string) *core.Queues {
	t.Helper()
	dir := t.TempDir()
	for _, name := range queues {
		log, err := seglog.Open(filepath.Join(dir, name), seglog.Options{NoSpare: true})
		if err != nil {
			t.Fatal(err)
		}
		var b nerve.Batch
		for _, text := range []string{"one", "two", "three"} {
			b.Append([]byte(text))
		}
		if _, err := log.Append(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
		if err := log.Close(); err != nil {
			t.Fatal(err)
		}
	}
	options.Folder.NoSpare = true
	root, err := core.Open(dir, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := root.Close(context.Background()); err != nil && !errors.Is(err, nerve.ErrClosed) {
			t.Error(err)
		}
	})
	return root
}

func principal(t *testing.T, queues string, roles core.Role) *core.Principal {
	t.Helper()
	p, err := core.NewPrincipal("somebody", core.Grant{Queues: queues, Roles: roles})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestRoles does everything with every set of roles.
func TestRoles(t *testing.T) {
	root := newRoot(t, core.Options{}, "orders")
	ctx := t.Context()
	calls := []struct {
		name  string
		needs core.Role // one of these
		call  func(a *core.Access) error
	}{
		{"append", core.Append, func(a *core.Access) error {
			var b nerve.Batch
			b.Append([]byte("x"))
			h, err := a.AppendAsync(ctx, &b)
			if err == nil {
				_, err = h.Wait(ctx)
			}
			return err
		}},
		{"last appended", core.Append, func(a *core.Access) error {
			_, err := a.LastAppended(ctx, 1)
			return err
		}},
		{"read", core.Read | core.Consume, func(a *core.Access) error {
			cur, err := a.Read(ctx, 1)
			if err == nil {
				err = cur.Close()
			}
			return err
		}},
		{"seek", core.Read | core.Consume | core.Admin, func(a *core.Access) error {
			_, err := a.Seek(ctx, time.Unix(1, 0))
			return err
		}},
		{"pointers", core.Read | core.Consume | core.Admin, func(a *core.Access) error {
			_, err := a.Pointers(ctx)
			return err
		}},
		{"info", core.Read | core.Consume | core.Admin, func(a *core.Access) error {
			_, err := a.Info()
			return err
		}},
		{"lags", core.Read | core.Consume | core.Admin, func(a *core.Access) error {
			_, err := a.Lags(ctx)
			return err
		}},
		{"bytes after", core.Read | core.Consume | core.Admin, func(a *core.Access) error {
			_, err := a.BytesAfter(1)
			return err
		}},
		{"save", core.Consume, func(a *core.Access) error {
			return a.SavePointers(ctx, []nerve.Pointer{{Name: "c", ID: 1}})
		}},
		{"claim", core.Consume, func(a *core.Access) error {
			c, err := a.Claim(ctx, "c", "a test", 0)
			if err == nil {
				err = a.Release(ctx, c)
			}
			return err
		}},
		{"renew", core.Consume, func(a *core.Access) error {
			_, err := a.Renew(ctx, nerve.Claim{Name: "nobody"}, "a test")
			if _, ok := errors.AsType[*nerve.FencedError](err); ok {
				return nil
			}
			return err
		}},
		{"release", core.Consume, func(a *core.Access) error {
			return a.Release(ctx, nerve.Claim{Name: "c", Epoch: 99})
		}},
		{"move", core.Admin, func(a *core.Access) error {
			return a.MovePointer(ctx, "c", 2, false)
		}},
		{"remove", core.Consume | core.Admin, func(a *core.Access) error {
			return a.RemovePointer(ctx, "c")
		}},
		{"trim", core.Admin, func(a *core.Access) error {
			_, err := a.Trim(ctx, 1)
			return err
		}},
	}
	for roles := core.Role(1); roles <= core.All; roles++ {
		a, err := root.Access(principal(t, "ord*", roles), "orders")
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range calls {
			err := c.call(a)
			denied, isDenied := errors.AsType[*nerve.AccessError](err)
			switch allowed := roles&c.needs != 0; {
			case allowed && err != nil:
				t.Errorf("%s with %s: %v", c.name, roles, err)
			case !allowed && !isDenied:
				t.Errorf("%s with %s: %v, want an AccessError", c.name, roles, err)
			case isDenied && (denied.Who != "somebody" || denied.Queue != "orders" ||
				!strings.Contains(c.needs.String(), denied.Role)):
				t.Errorf("%s with %s: %+v", c.name, roles, denied)
			}
		}
	}
}

// TestNamesAreNotTold keeps queues secret from who has nothing to do with them,
// and takes no paths.
func TestNamesAreNotTold(t *testing.T) {
	root := newRoot(t, core.Options{Create: true}, "orders", "secret")
	p := principal(t, "orders", core.All)
	if list := root.List(p); !slices.Equal(list, []string{"orders"}) {
		t.Fatalf("%v", list)
	}
	outside := filepath.Join(filepath.Dir(root.Dir()), "outside")
	everybody := principal(t, "*", core.All)
	for _, name := range []string{"nothing", "secret", "../outside", "..", ".", "", "/etc", "a/b",
		outside, strings.Repeat("x", 4000)} {
		for what, open := range map[string]func(*core.Principal, string) (*core.Access, error){
			"Access": root.Access, "Create": root.Create,
		} {
			_, err := open(p, name)
			if _, ok := errors.AsType[*nerve.NotFoundError](err); !ok || len(err.Error()) > 300 {
				t.Errorf("%s(%.20q) = %v", what, name, err)
			}
		}
		if name == "nothing" || name == "secret" {
			continue
		}
		_, err := root.Create(everybody, name)
		_, isName := errors.AsType[*nerve.NameError](err)
		_, isMissing := errors.AsType[*nerve.NotFoundError](err)
		if !isName && !isMissing {
			t.Errorf("Create(%.20q) = %v", name, err)
		}
	}
	if _, err := os.Stat(outside); !errors.Is(err, os.ErrNotExist) {
		t.Fatal("a folder was made outside of the root")
	}
	if _, err := root.Access(nil, "orders"); err == nil {
		t.Fatal("nobody has access")
	}
}

// TestCreate makes queues only where that is allowed.
func TestCreate(t *testing.T) {
	for _, open := range []bool{false, true} {
		root := newRoot(t, core.Options{Create: open})
		for roles := core.Role(1); roles <= core.All; roles++ {
			name := "q" + strings.ReplaceAll(roles.String(), ",", "-")
			_, err := root.Create(principal(t, "*", roles), name)
			allowed := roles&core.Admin != 0 || open && roles&core.Append != 0
			if (err == nil) != allowed {
				t.Errorf("create %t, roles %s: %v", open, roles, err)
			}
			if _, ok := errors.AsType[*nerve.NotFoundError](err); err != nil && !ok {
				t.Errorf("%v", err)
			}
		}
	}
}

// TestCredentials reads lists and finds who somebody is.
func TestCredentials(t *testing.T) {
	token, digest := core.NewToken()
	other, otherDigest := core.NewToken()
	if token == other || strings.Contains(digest, token) {
		t.Fatal("tokens are not random")
	}
	list, err := core.ParseCredentials(strings.NewReader("# comment\n\nbilling " + digest +
		" read,consume orders*\nbilling " + digest + " append log\nops " + otherDigest +
		" all *\nmachine cert:spiffe://shop/machine append events\n"))
	if err != nil || len(list) != 4 {
		t.Fatalf("%v, %v", list, err)
	}
	auth, err := core.NewAuth(list, 0)
	if err != nil {
		t.Fatal(err)
	}
	p, err := auth.Token(token)
	if err != nil || p.Name() != "billing" {
		t.Fatalf("%v, %v", p, err)
	}
	for queue, want := range map[string]core.Role{
		"orders": core.Read | core.Consume, "orders-2": core.Read | core.Consume,
		"log": core.Append, "logs": 0,
	} {
		if got := p.Roles(queue); got != want {
			t.Errorf("%s: %s, want %s", queue, got, want)
		}
	}
	for _, wrong := range []string{"", "x", digest, token[:len(token)-1], token + "x",
		strings.TrimPrefix(digest, "sha256:")} {
		if _, err := auth.Token(wrong); err == nil || strings.Contains(err.Error(), "nerve_") {
			t.Errorf("Token(%q): %v", wrong, err)
		}
	}
	if _, err := auth.Anonymous(); err == nil {
		t.Error("somebody who says nothing is somebody")
	}
	// A token that is taken away, and one whose rights change.
	if err := auth.Replace(list[2:3], core.Read); err != nil {
		t.Fatal(err)
	}
	if _, err := auth.Token(token); err == nil || auth.Known(p) != nil {
		t.Error("a token that was taken away is known")
	}
	if p, err := auth.Anonymous(); err != nil || p.Roles("orders") != core.Read {
		t.Errorf("%v, %v", p, err)
	}
	for _, bad := range []string{"a b c", "a sha256:00 read *", "a " + digest + " write *",
		"a " + digest + " read [", "a b " + digest + " read", "a/b " + digest + " read *",
		"a cert: read *"} {
		if _, err := core.ParseCredentials(strings.NewReader("\n" + bad)); err == nil ||
			!strings.HasPrefix(err.Error(), "line 2: ") || strings.Contains(err.Error(), digest) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

// TestProblems says which queues do not take appends, without paths of the
// server.
func TestProblems(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"good", "bad"} {
		log, err := seglog.Open(filepath.Join(dir, name), seglog.Options{NoSpare: true})
		if err != nil {
			t.Fatal(err)
		}
		log.Close()
	}
	if err := os.WriteFile(filepath.Join(dir, "bad", "state"), []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "bad", "00000000000000000001.seg"), []byte("garbage"),
		0o644); err != nil {
		t.Fatal(err)
	}
	root, err := core.Open(dir, core.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close(context.Background())
	list := root.Problems()
	if len(list) != 1 || list[0].Queue != "bad" || strings.Contains(list[0].Reason, dir) {
		t.Fatalf("%+v", list)
	}
	if _, err := root.Access(principal(t, "*", core.All), "good"); err != nil {
		t.Fatal(err)
	}
	if _, err := root.Access(principal(t, "*", core.All), "bad"); err == nil {
		t.Fatal("a damaged queue opens")
	}
	if _, err := core.Open(filepath.Join(dir, "good"), core.Options{}); err == nil {
		t.Fatal("a queue is taken for a root")
	}
}

// TestRetain asks how much of each queue is kept, and keeps all of one of which nobody
// knows.
func TestRetain(t *testing.T) {
	asked := make(chan string, 2)
	var log bytes.Buffer
	root := newRoot(t, core.Options{
		Folder: seglog.Options{RetainBytes: 1, SegmentSize: 1 << 16},
		Logger: slog.New(slog.NewTextHandler(&log, nil)),
		Retain: func(queue string) (int64, time.Duration, error) {
			asked <- queue
			if queue == "broken" {
				return 1, 1, errors.New("it is broken")
			}
			return 1 << 17, 0, nil
		},
	}, "broken", "orders")
	if a, b := <-asked, <-asked; a == b {
		t.Errorf("%s and %s", a, b)
	}
	if !strings.Contains(log.String(), "all are") {
		t.Errorf("%s", log.String())
	}
	for _, queue := range []string{"orders", "broken"} {
		a, err := root.Access(principal(t, "*", core.All), queue)
		if err != nil {
			t.Fatal(err)
		}
		for range 20 {
			var b nerve.Batch
			b.Append(make([]byte, 30<<10))
			h, err := a.AppendAsync(t.Context(), &b)
			if err == nil {
				_, err = h.Wait(t.Context())
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		first, _ := a.Bounds()
		for queue == "orders" && first == 1 { // a roll has told the background to look
			first, _ = a.Bounds()
			time.Sleep(time.Millisecond)
		}
		if first > 1 && queue == "broken" {
			t.Errorf("the first record of %s is %d", queue, first)
		}
	}
}
