// Command workloads writes the messages that the lab measures with as files, one for each workload, for programs of other
// modules: NAME.TYPE has messages of type TYPE, each after its length as a varint.
//
//	go run ./cmd/workloads -out DIR
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/octopus-framework/octopus/lab/workload"
)

func main() {
	out := flag.String("out", "", "folder to write to")
	flag.Parse()
	if err := write(*out); err != nil {
		fmt.Fprintln(os.Stderr, "workloads:", err)
		os.Exit(1)
	}
}

func write(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, w := range workload.Made() {
		if err := os.WriteFile(filepath.Join(dir, w.Name+"."+w.Type), w.Encode(), 0o644); err != nil {
			return err
		}
	}
	return nil
}
