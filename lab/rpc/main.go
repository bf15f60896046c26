// Command rpc measures calls over grpc-go with several codecs, in one run and in turns: grpc-go's own with protobuf-go, vtprotobuf's types,
// gremlin's Readers and Messages, and raw bytes as floor. Client and server share the process; its CPU time per message is what
// counts. In each round all peers take their turn, in another order each time; medians over the rounds are reported, and so is
// the median of the ratios of grpc-go to each peer in the same round. Handlers decode and answer; they read no fields.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"time"

	"google.golang.org/grpc"

	"github.com/octopus-framework/octopus/lab/workload"
)

// row is one peer in one setting.
type row struct {
	Workload  string  `json:"workload"`
	Size      int     `json:"bytes"`
	Shape     string  `json:"shape"`
	Transport string  `json:"transport"`
	Window    int32   `json:"window"`
	Peer      string  `json:"peer"`
	Ratio     float64 `json:"grpc_go_to_this"` // CPU time, above 1 is less than grpc-go
	figures
}

type output struct {
	Go     string    `json:"go"`
	GRPC   string    `json:"grpc"`
	Cores  int       `json:"cores"`
	Began  time.Time `json:"began"`
	Rounds int       `json:"rounds"`
	Rows   []row     `json:"rows"`
}

// setting is what all peers are compared in.
type setting struct {
	shape, transport string
	window           int32
}

const small, large = 64 << 10, 1 << 20

var settings = []setting{
	{"unary", "bufconn", large}, {"unary", "loopback", large}, {"server stream", "bufconn", small}, {"server stream", "loopback", large},
	{"bidi", "bufconn", small}, {"bidi", "loopback", large},
}

// workloads are names of package workload; a blob of 128 KiB comes behind them.
var workloads = []string{"TenInts", "Submit", "Deposit", "TestAllTypes", "DeepNested", "Smalls1000", "Timestamps10000"}

func main() {
	quick := flag.Bool("quick", false, "take less than 2 minutes: fewer settings, short rounds")
	rounds := flag.Int("rounds", 9, "rounds, of which the median counts")
	least := flag.Duration("time", 300*time.Millisecond, "how long each peer is called in a round")
	out := flag.String("out", "", "JSON file to write")
	flag.Parse()
	chosen := settings
	if *quick {
		chosen, *rounds, *least = []setting{settings[0], settings[3]}, 5, 100*time.Millisecond
	}
	if err := run(chosen, *rounds, *least, *out); err != nil {
		fmt.Fprintln(os.Stderr, "lab/rpc:", err)
		os.Exit(1)
	}
}

func run(chosen []setting, rounds int, least time.Duration, file string) error {
	all, err := workload.Find(workload.Made(), workloads)
	if err != nil {
		return err
	}
	all = append(all, blob())
	o := output{Go: runtime.Version(), GRPC: grpc.Version, Cores: runtime.GOMAXPROCS(0), Began: time.Now(), Rounds: rounds}
	for _, w := range all {
		for _, s := range chosen {
			rows, err := compare(w, s, rounds, least)
			if err != nil {
				return fmt.Errorf("%s, %s: %w", w.Name, s.shape, err)
			}
			o.Rows = append(o.Rows, rows...)
			for _, r := range rows {
				fmt.Fprintf(os.Stderr, "%-16s %-14s %-9s %-16s %9.1f µs CPU  x%.2f  %6.1f allocs  p50 %.0f µs  p99 %.0f µs\n",
					r.Workload, r.Shape, r.Transport, r.Peer, r.CPU/1e3, r.Ratio, r.Allocs, r.P50/1e3, r.P99/1e3)
			}
		}
	}
	if file == "" {
		return nil
	}
	text, err := json.MarshalIndent(o, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(text, '\n'), 0o666)
}

// compare runs all peers in one setting.
func compare(w workload.Workload, s setting, rounds int, least time.Duration) ([]row, error) {
	t, ok := known[w.Type]
	if !ok {
		return nil, fmt.Errorf("the peers have no type %s", w.Type)
	}
	rigs := make([]*rig, len(peers))
	for i, p := range peers {
		r, err := newRig(p, t, w.Data[0], s.transport, s.window)
		if err != nil {
			return nil, err
		}
		defer r.close()
		if _, err := r.round(s.shape, least/5); err != nil { // warm
			return nil, fmt.Errorf("%s: %w", p.name, err)
		}
		rigs[i] = r
	}
	measured := make([][]figures, len(peers))
	for range rounds {
		for _, i := range rand.Perm(len(peers)) {
			f, err := rigs[i].round(s.shape, least)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", peers[i].name, err)
			}
			measured[i] = append(measured[i], f)
		}
	}
	var rows []row
	for i, p := range peers {
		var ratios []float64
		for n, f := range measured[i] {
			ratios = append(ratios, measured[0][n].CPU/f.CPU)
		}
		slices.Sort(ratios)
		m := measured[i]
		rows = append(rows, row{w.Name, len(w.Data[0]), s.shape, s.transport, s.window, p.name, ratios[len(ratios)/2], figures{
			CPU: median(m, func(f figures) float64 { return f.CPU }), P50: median(m, func(f figures) float64 { return f.P50 }),
			P99: median(m, func(f figures) float64 { return f.P99 }), Allocs: median(m, func(f figures) float64 { return f.Allocs }),
			Bytes: median(m, func(f figures) float64 { return f.Bytes })}})
	}
	return rows, nil
}
