//go:build linux

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/octopus-framework/octopus/internal/cli/exitcode"
)

// TestServerKnowsTheType asks about queues whose server has their schema, and whose
// folder has it, without saying what it is; and by the name of the server.
func TestServerKnowsTheType(t *testing.T) {
	dir := t.TempDir()
	root := filepath.Join(dir, "root")
	orders := filepath.Join(root, "orders")
	write := func(file, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	proto := filepath.Join(root, "protos", "shop", "order.proto")
	write(proto, "syntax = \"proto3\";\npackage shop;\n"+
		"message Order { int64 amount = 1; bytes id = 2; }\nmessage Head { int64 sum = 1; }\n")
	command(t, exitcode.OK, `{"amount": 3, "id": "qrs="}`+"\n"+`{"amount": 4}`+"\n",
		"append", orders, "--proto", proto, "--type", "shop.Order")
	command(t, exitcode.OK, "text\n", "append", filepath.Join(root, "plain"))
	write(filepath.Join(orders, "nerve.yaml"),
		"proto: shop/order.proto\ntype: shop.Order\nimports: [../protos]\nhex: [shop.Order.id]\n")
	s := serveHere(t, root)
	t.Setenv("NERVE_TOKEN", s.Token)
	servers := filepath.Join(dir, "servers")
	write(servers, "# ours\nlocal nerve://"+s.Address+"?token=token\n"+
		"wrong nerve://"+s.Address+"?token=no\n")
	write(filepath.Join(dir, "token"), s.Token)
	t.Setenv("NERVE_SERVERS", servers)
	for _, place := range []string{"nerve://" + s.Address, "@local", root} {
		if place == "@local" {
			t.Setenv("NERVE_TOKEN", "")
		}
		out, _ := command(t, exitcode.OK, "", "query", place+"/orders", "sum(amount), count()")
		contains(t, out, `"sum(amount)":7`, `"count()":2`)
		out, _ = command(t, exitcode.OK, "", "tail", place+"/orders")
		contains(t, out, `{"amount":"3","id":"aabb"}`, `{"amount":"4"}`)
		out, _ = command(t, exitcode.OK, "", "tail", place+"/orders", "--where", "amount > 3")
		contains(t, out, `{"amount":"4"}`)
		out, _ = command(t, exitcode.OK, "", "tail", place+"/orders", "--bare", "-n", "1")
		if out != "\x08\x04\n" {
			t.Errorf("%s: a record alone is %q", place, out)
		}
		out, _ = command(t, exitcode.OK, "", "tail", place+"/orders", "--format", "hex", "-n", "1")
		contains(t, out, "\t0804\n")
		out, _ = command(t, exitcode.OK, "", "query", place+"/orders", "sum(sum)",
			"--type", "shop.Head")
		contains(t, out, `"sum(sum)":7`)
		out, _ = command(t, exitcode.OK, "", "tail", place+"/plain")
		contains(t, out, "\ttext\n")
		out, _ = command(t, exitcode.OK, "", "query", place+"/plain", "count()")
		contains(t, out, `{"count()":1}`)
		_, errs := command(t, exitcode.Usage, "", "query", place+"/plain", "sum(amount)")
		contains(t, errs, "the records have no known type", "nerve.yaml")
		out, _ = command(t, exitcode.OK, "", "list", place)
		contains(t, out, "orders", "plain", "NAME")
	}
	out, _ := command(t, exitcode.OK, "", "list", "@local", "--json")
	contains(t, out, `"name":"orders"`, `"type":"shop.Order"`, `"records":2`)
	out, _ = command(t, exitcode.OK, "", "stats", "@local/orders")
	contains(t, out, "records    2")
	for _, verb := range []string{"stats", "list", "query"} {
		_, errs := command(t, exitcode.Usage, "", verb, "@nobody/orders")
		contains(t, errs, "no server @nobody is named in", "servers")
	}
	_, errs := command(t, exitcode.Failed, "", "stats", "@local/")
	contains(t, errs, "is no name of a queue")
	command(t, exitcode.Failed, "", "list", "@wrong")
	_, errs = command(t, exitcode.Failed, "", "list", "nerve://"+s.Address)
	contains(t, errs, "not authenticated")
	write(servers, "one two three\n")
	_, errs = command(t, exitcode.Usage, "", "stats", "@one/orders")
	contains(t, errs, "line 1")
	if strings.Contains(errs, "token") {
		t.Error(errs)
	}
}
