package web

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/octopus-framework/octopus/compiler"
	"github.com/octopus-framework/octopus/gremlin/dynamic"
	convert "github.com/octopus-framework/octopus/internal/dynamic"
	"github.com/octopus-framework/octopus/internal/nerveyaml"
	"github.com/octopus-framework/octopus/nerve/serve/internal/core"
)

// schema is the type of a queue's records.
type schema struct {
	config *nerveyaml.Queue
	types  *dynamic.Type
	codec  *convert.Type
	set    []byte // its files, a FileDescriptorSet
	file   string // the text of the .proto file
	err    string // why there is no type, without paths of the server
}

// schemas are those of all queues, compiled when they are first asked for.
type schemas struct {
	root, folder string
	logger       *slog.Logger // is told of those that do not load

	mu       sync.Mutex
	known    map[string]*schema // schemas by queue
	compiled map[string]*schema // schemas by what the file says, for queues that share a type
}

func newSchemas(root string, o Options) *schemas {
	s := &schemas{root: root, folder: o.Schemas, logger: o.Logger}
	if s.logger == nil {
		s.logger = slog.New(slog.DiscardHandler)
	}
	s.reload()
	return s
}

// of returns the schema of a queue, nil if nothing says what it is.
func (s *schemas) of(ctx context.Context, queue string) *schema {
	s.mu.Lock()
	defer s.mu.Unlock()
	if found, ok := s.known[queue]; ok {
		return found
	}
	found := s.load(ctx, queue)
	if ctx.Err() == nil {
		s.known[queue] = found
	}
	return found
}

// reload forgets all, so that files are read again.
func (s *schemas) reload() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.known, s.compiled = map[string]*schema{}, map[string]*schema{}
}

// load reads what is said of a queue. The mutex is held.
func (s *schemas) load(ctx context.Context, queue string) *schema {
	q, err := nerveyaml.Of(s.root, s.folder, queue)
	if q == nil || err == nil && q.Proto == "" && q.Type == "" && q.Retain != (nerveyaml.Retain{}) {
		return nil // it may say how long records are kept, and nothing of their type
	}
	key := fmt.Sprintf("%q %v", *q, err)
	found := s.compiled[key]
	if found == nil {
		found = &schema{config: q}
		if err == nil {
			err = found.compile(ctx)
		}
		if err != nil {
			found.err = strings.ReplaceAll(err.Error(), q.Dir+string(filepath.Separator), "")
		}
		s.compiled[key] = found
	}
	if found.err != "" && ctx.Err() == nil {
		s.logger.Error("nerve: a schema does not load", "queue", queue, "folder", q.Dir,
			"error", found.err)
	}
	return found
}

func (s *schema) compile(ctx context.Context) error {
	q := s.config
	if q.Proto == "" || q.Type == "" {
		return fmt.Errorf("%s: it takes proto, a file, and type, the full name of a message",
			nerveyaml.Name)
	}
	file := q.File()
	text, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("%s: %s cannot be read: %w", nerveyaml.Name, q.Proto, errors.Unwrap(err))
	}
	s.file = string(text)
	sources := convert.Sources(q.Roots(), []string{file})
	paths, err := sources.Resolve(file)
	if err != nil {
		return err
	}
	res := compiler.Compile(ctx, compiler.Options{Sources: sources, Files: paths})
	if res.Descriptors == nil {
		return res.Diagnostics[0]
	}
	if s.set, err = res.DescriptorSet(); err != nil {
		return err
	}
	if s.codec, err = convert.New(res, q.Type, convert.Hex{Patterns: q.Hex}); err != nil {
		var unknown *convert.UnknownTypeError
		if errors.As(err, &unknown) {
			return fmt.Errorf("%w; %s", err, unknown.Hint())
		}
		return err
	}
	s.types = s.codec.Dynamic
	return nil
}

// typeOf is the type of records, nil if it is not known.
func (s *schema) typeOf() *dynamic.Type {
	if s == nil {
		return nil
	}
	return s.types
}

// schemaAnswer is the type of a queue's records, for programs.
type schemaAnswer struct {
	Type  string   `json:"type"`  // full name of the message
	Files string   `json:"files"` // a FileDescriptorSet in base64, imports before importers
	Hex   []string `json:"hex"`   // fields of bytes that JSON shows as hex
}

// noSchema is that nothing says of what type the records are, or nothing right.
type noSchema struct{ queue, reason string }

// Error implements error.
func (e *noSchema) Error() string {
	if e.reason == "" {
		return fmt.Sprintf("the records of queue %q have no known type", e.queue)
	}
	return fmt.Sprintf("the schema of queue %q does not load: %s", e.queue, e.reason)
}

// schema answers with the type of the records, for those who ask about them elsewhere.
func (a *App) schema(w http.ResponseWriter, r *http.Request, q *core.Access) error {
	if err := q.Need(core.Read | core.Consume | core.Admin); err != nil {
		return err
	}
	s := a.schemas.of(r.Context(), q.Name())
	if s.typeOf() == nil {
		missing := &noSchema{queue: q.Name()}
		if s != nil {
			missing.reason = s.err
		}
		return missing
	}
	return respond(w, schemaAnswer{Type: s.config.Type, Hex: s.config.Hex,
		Files: base64.StdEncoding.EncodeToString(s.set)})
}
