// Command worker is the worker of all implementations of JSON. See package worker for what it is told.
package main

import (
	"github.com/octopus-framework/octopus/lab/jsonlab"
	"github.com/octopus-framework/octopus/lab/worker"
)

func main() { worker.Main(jsonlab.Impls()...) }
