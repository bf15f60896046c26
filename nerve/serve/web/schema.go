package web

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/octopus-framework/octopus/compiler"
	"github.com/octopus-framework/octopus/gremlin/dynamic"
	convert "github.com/octopus-framework/octopus/internal/dynamic"
	"github.com/octopus-framework/octopus/nerve"
)

// configName is the file that says of what type a queue's records are: in the
// folder of a queue, or in the server's folder of schemas.
const configName = "nerve.yaml"

// maxConfig bounds a nerve.yaml, in bytes.
const maxConfig = 1 << 20

// schemaConfig is what a nerve.yaml says of a queue. Paths are relative to it.
type schemaConfig struct {
	Proto   string   `yaml:"proto"`   // the file with the type
	Type    string   `yaml:"type"`    // full name of the message
	Imports []string `yaml:"imports"` // folders of imports, beside that of the file
}

// serverConfig is the nerve.yaml of the folder of schemas.
type serverConfig struct {
	Queues map[string]schemaConfig `yaml:"queues"` // by name or pattern
}

// schema is the type of a queue's records.
type schema struct {
	config schemaConfig
	types  *dynamic.Type
	codec  *convert.Type
	file   string // the text of the .proto file
	err    string // why there is no type, without paths of the server
}

// schemas are those of all queues, compiled when they are first asked for.
type schemas struct {
	root, folder string

	mu    sync.Mutex
	known map[string]*schema // by queue
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
	clear(s.known)
}

func (s *schemas) load(ctx context.Context, queue string) *schema {
	if nerve.CheckName(queue) != nil {
		return nil
	}
	dir := filepath.Join(s.root, queue)
	var config schemaConfig
	err := readConfig(dir, &config)
	if errors.Is(err, fs.ErrNotExist) && s.folder != "" {
		dir = s.folder
		var all serverConfig
		if err = readConfig(dir, &all); err == nil {
			config, err = all.find(queue)
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	found := &schema{config: config}
	if err == nil {
		err = found.compile(ctx, dir)
	}
	if err != nil {
		found.err = strings.ReplaceAll(err.Error(), dir+string(filepath.Separator), "")
	}
	return found
}

func readConfig(dir string, to any) error {
	info, err := os.Stat(filepath.Join(dir, configName))
	if err != nil {
		return err
	}
	if info.Size() > maxConfig {
		return fmt.Errorf("%s: it has %d bytes, more than %d", configName, info.Size(), maxConfig)
	}
	b, err := os.ReadFile(filepath.Join(dir, configName))
	if err != nil {
		return err
	}
	if err := yaml.Unmarshal(b, to); err != nil {
		return fmt.Errorf("%s: %w", configName, err)
	}
	return nil
}

// find returns what is said of a queue: by its name, else by a pattern. Of several
// patterns the longest counts.
func (c *serverConfig) find(queue string) (schemaConfig, error) {
	if found, ok := c.Queues[queue]; ok {
		return found, nil
	}
	best := ""
	for pattern := range c.Queues {
		ok, err := path.Match(pattern, queue)
		if err == nil && ok && len(pattern) > len(best) {
			best = pattern
		}
	}
	if best == "" {
		return schemaConfig{}, fs.ErrNotExist
	}
	return c.Queues[best], nil
}

func (s *schema) compile(ctx context.Context, dir string) error {
	if s.config.Proto == "" || s.config.Type == "" {
		return fmt.Errorf("%s: it takes proto, a file, and type, the full name of a message",
			configName)
	}
	file := filepath.Join(dir, s.config.Proto)
	text, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("%s: %s cannot be read: %w", configName, s.config.Proto,
			errors.Unwrap(err))
	}
	s.file = string(text)
	imports := make([]string, len(s.config.Imports))
	for i, dirOfImports := range s.config.Imports {
		imports[i] = filepath.Join(dir, dirOfImports)
	}
	sources := compiler.NewSources(convert.Roots(imports, []string{file})...)
	paths, err := sources.Resolve(file)
	if err != nil {
		return err
	}
	res := compiler.Compile(ctx, compiler.Options{Sources: sources, Files: paths})
	if res.Descriptors == nil {
		return res.Diagnostics[0]
	}
	set, err := res.DescriptorSet()
	if err != nil {
		return err
	}
	types, err := dynamic.Load(set)
	if err != nil {
		return err
	}
	if s.codec, err = convert.New(res, s.config.Type, convert.Hex{}); err != nil {
		var unknown *convert.UnknownTypeError
		if errors.As(err, &unknown) {
			return fmt.Errorf("%w; %s", err, unknown.Hint())
		}
		return err
	}
	s.types = types.Message(s.config.Type)
	return nil
}

// typeOf is the type of records, nil if it is not known.
func (s *schema) typeOf() *dynamic.Type {
	if s == nil {
		return nil
	}
	return s.types
}
