package nervestorage

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/extension"
	"go.opentelemetry.io/collector/extension/xextension/storage"
	"go.uber.org/zap/exp/zapslog"

	"github.com/octopus-framework/octopus/nerve/nervestorage/internal/store"
)

// nerveStorage is the extension: the stores that are open, by their folders.
type nerveStorage struct {
	config  *Config
	logger  *slog.Logger
	metrics *metrics

	mu     sync.Mutex
	stores map[string]*shared
}

var _ storage.Extension = (*nerveStorage)(nil)

// shared is a store with its clients: those of one name share it.
type shared struct {
	*store.Store
	clients int
}

func newStorage(set extension.Settings, c *Config) (*nerveStorage, error) {
	s := &nerveStorage{config: c, stores: make(map[string]*shared),
		logger: slog.New(zapslog.NewHandler(set.Logger.Core()))}
	var err error
	s.metrics, err = newMetrics(set.TelemetrySettings)
	return s, err
}

// Start implements component.Component.
func (s *nerveStorage) Start(context.Context, component.Host) error {
	if !s.config.CreateDirectory {
		return nil
	}
	if err := os.MkdirAll(s.config.Directory, 0o750); err != nil {
		return fmt.Errorf("nerve_storage: %w", err)
	}
	return nil
}

// Shutdown implements component.Component. It closes what clients left open.
func (s *nerveStorage) Shutdown(context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all error
	for folder, open := range s.stores {
		all = errors.Join(all, open.Close())
		delete(s.stores, folder)
	}
	return errors.Join(all, s.metrics.stop())
}

// GetClient implements storage.Extension.
func (s *nerveStorage) GetClient(_ context.Context, kind component.Kind, id component.ID,
	name string) (storage.Client, error) {
	folder := filepath.Join(s.config.Directory, folderName(kind, id, name))
	s.mu.Lock()
	defer s.mu.Unlock()
	open := s.stores[folder]
	if open == nil {
		// Start made the folder if it was to. One that is gone since is a disk that is gone.
		if _, err := os.Stat(s.config.Directory); err != nil {
			return nil, fmt.Errorf("nerve_storage: directory: %w", err)
		}
		options := s.config.options()
		options.Logger = s.logger
		opened, err := store.Open(folder, options)
		if err != nil {
			return nil, fmt.Errorf("nerve_storage: %s %s: %w", strings.ToLower(kind.String()), id,
				err)
		}
		open = &shared{Store: opened}
		s.stores[folder] = open
		s.metrics.add(opened, id, name)
	}
	open.clients++
	return &client{extension: s, folder: folder, store: open.Store}, nil
}

// release closes the store of a client that was the last one of it.
func (s *nerveStorage) release(folder string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	open := s.stores[folder]
	if open == nil {
		return nil // Shutdown was first
	}
	open.clients--
	if open.clients > 0 {
		return nil
	}
	delete(s.stores, folder)
	s.metrics.remove(open.Store)
	return open.Close()
}

// maxFolderName is the longest name of a folder, in bytes.
const maxFolderName = 200

// folderName is the folder of a component. Other characters than letters, digits, '.', '-' and '_'
// become a tilde and their number, so that no two components share one.
func folderName(kind component.Kind, id component.ID, name string) string {
	parts := []string{strings.ToLower(kind.String()), id.Type().String(), id.Name()}
	if name != "" {
		parts = append(parts, name)
	}
	var b strings.Builder
	for _, c := range strings.Join(parts, "_") {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' ||
			strings.ContainsRune(".-_", c) {
			b.WriteRune(c)
		} else {
			fmt.Fprintf(&b, "~%04X", c)
		}
	}
	if b.Len() > maxFolderName {
		sum := sha256.Sum256([]byte(b.String()))
		return hex.EncodeToString(sum[:])
	}
	return b.String()
}
