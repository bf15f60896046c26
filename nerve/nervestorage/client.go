package nervestorage

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"syscall"

	"go.opentelemetry.io/collector/extension/xextension/storage"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/nervestorage/internal/store"
)

// client is what a component has of a store.
type client struct {
	extension *nerveStorage
	folder    string
	store     *store.Store
	closed    atomic.Bool
}

var (
	_ storage.Client = (*client)(nil)
	_ storage.Walker = (*client)(nil)
)

var errClosed = errors.New("nerve_storage: the client is closed")

// Get implements storage.Client.
func (c *client) Get(ctx context.Context, key string) ([]byte, error) {
	op := storage.Operation{Key: key, Type: storage.Get}
	err := c.Batch(ctx, &op)
	return op.Value, err
}

// Set implements storage.Client.
func (c *client) Set(ctx context.Context, key string, value []byte) error {
	return c.Batch(ctx, &storage.Operation{Key: key, Value: value, Type: storage.Set})
}

// Delete implements storage.Client.
func (c *client) Delete(ctx context.Context, key string) error {
	return c.Batch(ctx, &storage.Operation{Key: key, Type: storage.Delete})
}

// Batch implements storage.Client: all operations are carried out, or none.
func (c *client) Batch(ctx context.Context, ops ...*storage.Operation) error {
	if c.closed.Load() {
		return errClosed
	}
	own, err := opsOf(ops)
	if err != nil {
		return err
	}
	if err := c.store.Batch(ctx, own...); err != nil {
		return storageError(err)
	}
	takeValues(ops, own)
	return nil
}

// Walk implements storage.Walker.
func (c *client) Walk(ctx context.Context, fn storage.WalkFunc) error {
	if c.closed.Load() {
		return errClosed
	}
	var ops []*storage.Operation
	var all []*store.Op
	err := c.store.Walk(ctx, func(key string, value []byte) ([]*store.Op, bool, error) {
		more, err := fn(key, value)
		stop := errors.Is(err, storage.SkipAll)
		if err != nil && !stop {
			return nil, false, err
		}
		own, err := opsOf(more)
		ops, all = append(ops, more...), append(all, own...)
		return own, !stop, err
	})
	if err != nil {
		return storageError(err)
	}
	takeValues(ops, all)
	return nil
}

// Close implements storage.Client.
func (c *client) Close(context.Context) error {
	if c.closed.Swap(true) {
		return nil
	}
	return c.extension.release(c.folder)
}

// opsOf returns operations as the store takes them.
func opsOf(ops []*storage.Operation) ([]*store.Op, error) {
	list := make([]store.Op, len(ops))
	own := make([]*store.Op, len(ops))
	for i, op := range ops {
		own[i] = &list[i]
		own[i].Key = op.Key
		switch op.Type {
		case storage.Get:
			own[i].Kind = store.Get
		case storage.Set:
			own[i].Kind, own[i].Value = store.Set, op.Value
		case storage.Delete:
			own[i].Kind = store.Delete
		default:
			return nil, fmt.Errorf("nerve_storage: there is no operation of type %d", op.Type)
		}
	}
	return own, nil
}

// takeValues gives what was found to those who asked.
func takeValues(ops []*storage.Operation, own []*store.Op) {
	for i, op := range ops {
		if op.Type == storage.Get {
			op.Value = own[i].Value
		}
	}
}

// storageError makes errors of want of room those of the interface.
func storageError(err error) error {
	var full *nerve.FullError
	if errors.As(err, &full) || errors.Is(err, syscall.ENOSPC) {
		return fmt.Errorf("%w: %w", storage.ErrStorageFull, err)
	}
	return err
}
