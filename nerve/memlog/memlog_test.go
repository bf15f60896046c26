package memlog_test

import (
	"testing"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/memlog"
	"github.com/octopus-framework/octopus/nerve/nervetest"
)

type backend struct{}

func (backend) Open(*testing.T) nerve.Log {
	return memlog.New(memlog.Options{Limits: nerve.Limits{Record: 10_000, Batch: 60_000}})
}

func (backend) Persistent() bool { return false }

func TestContract(t *testing.T) {
	nervetest.Run(t, func(*testing.T) nervetest.Backend { return backend{} })
}
