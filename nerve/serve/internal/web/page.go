package web

import (
	"embed"
	"io/fs"
	"net/http"
	"path"
	"strings"
)

//go:embed static
var static embed.FS

// types are those of the page's files. The system's table of types is not asked: it
// may be wrong.
var types = map[string]string{
	".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8",
	".css": "text/css; charset=utf-8", ".svg": "image/svg+xml",
}

// page answers with a file of the page. Its screens are paths of their own, all of
// which are index.html.
func page(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.Path, "/")
	if !strings.HasPrefix(name, "static/") {
		name = "static/index.html"
	}
	if strings.HasPrefix(r.URL.Path, "/api/") {
		fail(w, &noSuchCall{r.Method, r.URL.Path})
		return
	}
	b, err := fs.ReadFile(static, name)
	if err != nil {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", types[path.Ext(name)])
	_, _ = w.Write(b) // nobody is left to be told
}

// noSuchCall is one that the API does not have.
type noSuchCall struct{ method, path string }

// Error implements error.
func (e *noSuchCall) Error() string {
	return "nerve: the API has no " + e.method + " " + cut(e.path, 100)
}
