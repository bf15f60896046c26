// Command serve measures nerve serve and nerve/remote: durable packs beside the same log without a
// server, single events of many connections, a reader, memory and the time to be ready. The server
// is a process of its own on the same machine, so both ends share its cores. Each measurement is
// done in rounds, in which local and remote take turns; medians are reported.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"runtime"
	"slices"
	"time"
)

// sizes are how much is done in a round.
type sizes struct {
	Rounds      int `json:"rounds"`
	Packs       int `json:"packs"` // of 1000 events
	Connections int `json:"connections"`
	Singles     int `json:"singles"` // of each connection
	Read        int `json:"read"`    // events
	BigMiB      int `json:"big_mib"` // of the queue that is opened
}

var (
	full  = sizes{Rounds: 7, Packs: 400, Connections: 1000, Singles: 200, Read: 4_000_000, BigMiB: 10 << 10}
	quick = sizes{Rounds: 3, Packs: 60, Connections: 1000, Singles: 50, Read: 500_000, BigMiB: 256}
)

type result struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	Unit  string  `json:"unit"`
	Goal  string  `json:"goal,omitempty"`
}

type output struct {
	Go      string    `json:"go"`
	Cores   int       `json:"cores"`
	Began   time.Time `json:"began"`
	Sizes   sizes     `json:"sizes"`
	Results []result  `json:"results"`
}

func main() {
	isQuick := flag.Bool("quick", false, "take about a minute")
	dir := flag.String("dir", "", "where the queues lie while it runs; a new folder by default")
	out := flag.String("out", "", "JSON file to write")
	serverDir := flag.String("server", "", "be the server of this folder (for itself)")
	secure := flag.Bool("tls", false, "with TLS (for itself)")
	flag.Parse()
	var err error
	if *serverDir != "" {
		err = server(*serverDir, *secure)
	} else {
		size := full
		if *isQuick {
			size = quick
		}
		err = run(size, *dir, *out)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "lab/serve:", err)
		os.Exit(1)
	}
}

func run(size sizes, dir, file string) error {
	base, err := os.MkdirTemp(dir, "lab-serve")
	if err != nil {
		return err
	}
	defer os.RemoveAll(base)
	o := output{Go: runtime.Version(), Cores: runtime.NumCPU(), Began: time.Now().UTC(), Sizes: size}
	l := &lab{size: size, dir: base, say: func(name string, value float64, unit, goal string) {
		o.Results = append(o.Results, result{name, value, unit, goal})
		fmt.Printf("%-44s %12.3f %-8s %s\n", name, value, unit, goal)
	}}
	for _, part := range []func() error{l.memory, l.packs, l.singles, l.readers, l.ready} {
		if err := part(); err != nil {
			return err
		}
	}
	if file == "" {
		return nil
	}
	b, err := json.MarshalIndent(o, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(b, '\n'), 0o644)
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}
