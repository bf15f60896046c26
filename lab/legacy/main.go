// Command legacy is the worker of the implementations that need golang/protobuf before it was built on
// google.golang.org/protobuf. See package worker for what it is told.
package main

import (
	"github.com/octopus-framework/octopus/lab/legacy/internal/impl/gofast"
	"github.com/octopus-framework/octopus/lab/legacy/internal/impl/gogofaster"
	"github.com/octopus-framework/octopus/lab/legacy/internal/impl/gogoslick"
	"github.com/octopus-framework/octopus/lab/legacy/internal/impl/golang"
	"github.com/octopus-framework/octopus/lab/worker"
)

func main() { worker.Main(golang.Impl, gofast.Impl, gogofaster.Impl, gogoslick.Impl) }
