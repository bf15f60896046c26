package gremlinconnect_test

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"connectrpc.com/connect/v2"

	"github.com/octopus-framework/octopus/gremlin/gremlinconnect"
	"github.com/octopus-framework/octopus/gremlin/gremlinconnect/internal/shop"
	"github.com/octopus-framework/octopus/gremlin/gremlinconnect/internal/shop/shopconnect"
)

// TestCurl posts to the handler as curl does.
func TestCurl(t *testing.T) {
	web := start(t, gremlinconnect.WithCodecs())
	for _, c := range []struct {
		contentType, body string
		status            int
		want              string
	}{
		{"application/json", `{"id": "7", "tags": {"a": "5"}}`, 200,
			`{"id":"7","amount":"5","user":{"id":"u7"}}`},
		{"application/json", `{"id": "7", "colour": "red"}`, 200, `{"id":"7","user":{"id":"u7"}}`},
		{"application/json", `{}`, 200, `{"user":{"id":"u"}}`},
		{"application/proto", "\x0a\x017", 200, "\x0a\x017\x1a\x04\x0a\x02u7"},
		{"application/proto", "", 200, "\x1a\x03\x0a\x01u"},
		{"application/json", ``, 400,
			`{"code":"invalid_argument","message":"unmarshal message: shop.v1.GetRequest: `},
		{"application/json", `{"id": 7}`, 400,
			`{"code":"invalid_argument","message":"unmarshal message: shop.v1.GetRequest: id: `},
		{"application/json", `{"id": "\ud800"}`, 400, `{"code":"invalid_argument"`},
		{"application/json", strings.Repeat(`[`, 100_000), 400, `{"code":"invalid_argument"`},
		{"application/proto", "\x0a\x027", 400,
			`{"code":"invalid_argument","message":"unmarshal message: shop.v1.GetRequest: `},
		{"application/proto", "\x0a\x01\xff", 400,
			`{"code":"invalid_argument","message":"unmarshal message: shop.v1.GetRequest: id: `},
		{"application/proto", "\x12\x03\x0a\x05a",
			400,
			`{"code":"invalid_argument","message":"unmarshal message: shop.v1.GetRequest: tags.key: `},
		{"application/json", `{"id": "gone"}`, 404,
			`{"code":"not_found","message":"no such deposit","details":[{"type":"shop.v1.Problem","value":"CgRnb25l"`},
	} {
		resp, err := http.Post(web.URL+shopconnect.ShopGetProcedure, c.contentType,
			strings.NewReader(c.body))
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode != c.status || !strings.HasPrefix(string(got), c.want) ||
			c.status == 200 && string(got) != c.want {
			t.Errorf("%.50q: %d, %q, %v", c.body, resp.StatusCode, got, err)
		}
	}
	resp, err := http.Get(web.URL + shopconnect.ShopGetProcedure + "?encoding=json&message=" +
		url.QueryEscape(`{"id":"7"}`))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if got, err := io.ReadAll(resp.Body); err != nil ||
		string(got) != `{"id":"7","user":{"id":"u7"}}` {
		t.Errorf("GET: %q, %v", got, err)
	}
}

// TestForeignCodecs names what is missing where connect's own codecs are in place.
func TestForeignCodecs(t *testing.T) {
	const hint = "add gremlinconnect.WithCodecs() to the options of connecthttp.Mount and connecthttp.NewTransport"
	_, err := over(t, start(t, gremlinconnect.WithCodecs())).Get(t.Context(), &shop.GetRequest{})
	if err == nil || !strings.Contains(err.Error(), hint) {
		t.Errorf("the client: %v", err)
	}
	_, err = over(t, start(t), gremlinconnect.WithCodecs()).Get(t.Context(), &shop.GetRequest{})
	if err == nil || !strings.Contains(err.Error(), hint) {
		t.Errorf("the server: %v", err)
	}
}

// TestUnimplemented calls what a handler does not have.
func TestUnimplemented(t *testing.T) {
	_, err := shopconnect.UnimplementedShopHandler{}.Get(t.Context(), nil)
	if connect.CodeOf(err) != connect.CodeUnimplemented ||
		!strings.Contains(err.Error(), "shop.v1.Shop.Get is not implemented") {
		t.Error(err)
	}
}
