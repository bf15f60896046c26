// Command peers is the worker of all implementations that can share a binary. See package worker for what it is told.
package main

import (
	"slices"

	"github.com/octopus-framework/octopus/lab/internal/impl/easyproto"
	"github.com/octopus-framework/octopus/lab/internal/impl/floor"
	"github.com/octopus-framework/octopus/lab/internal/impl/google"
	"github.com/octopus-framework/octopus/lab/internal/impl/gremlinmessage"
	"github.com/octopus-framework/octopus/lab/internal/impl/gremlinreader"
	"github.com/octopus-framework/octopus/lab/internal/impl/gremlinvalidate"
	"github.com/octopus-framework/octopus/lab/internal/impl/hyperpb"
	"github.com/octopus-framework/octopus/lab/internal/impl/hyperpbpgo"
	"github.com/octopus-framework/octopus/lab/internal/impl/molecule"
	"github.com/octopus-framework/octopus/lab/internal/impl/opaque"
	"github.com/octopus-framework/octopus/lab/internal/impl/vt"
	"github.com/octopus-framework/octopus/lab/internal/impl/vtpool"
	"github.com/octopus-framework/octopus/lab/internal/impl/vtunsafe"
	"github.com/octopus-framework/octopus/lab/worker"
)

func main() {
	var types []string
	for t := range google.Impl.Types {
		types = append(types, t)
	}
	slices.Sort(types)
	worker.Main(google.Impl, opaque.Impl, vt.Impl, vtunsafe.Impl, vtpool.Impl, hyperpb.Impl, hyperpbpgo.Impl, easyproto.Impl, molecule.Impl,
		gremlinreader.Impl, gremlinvalidate.Impl, gremlinmessage.Impl, floor.Impl(types))
}
