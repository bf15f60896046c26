// Command floor is the worker of the floor under all implementations. See package worker for what it is told.
package main

import (
	"github.com/octopus-framework/octopus/lab/internal/floor"
	"github.com/octopus-framework/octopus/lab/schema"
	"github.com/octopus-framework/octopus/lab/worker"
)

func main() { worker.Main(floor.Impl(schema.Types)) }
