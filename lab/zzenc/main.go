package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"slices"
	"strings"
	"time"

	"github.com/octopus-framework/octopus/lab/internal/impl/easyproto"
	"github.com/octopus-framework/octopus/lab/internal/impl/google"
	"github.com/octopus-framework/octopus/lab/internal/impl/gremlinmessage"
	"github.com/octopus-framework/octopus/lab/internal/impl/vt"
	"github.com/octopus-framework/octopus/lab/worker"
	"github.com/octopus-framework/octopus/lab/workload"
)

func main() {
	ws := flag.String("w", "Submit,Deposit,DeepNested,TestAllTypes,Timestamps10000,PackedInt64x1000,TenDoubles,Blob1MiB", "")
	is := flag.String("i", "gremlin-message", "")
	ops := flag.String("op", "append,marshal", "")
	rounds := flag.Int("rounds", 15, "")
	slice := flag.Duration("slice", 5*time.Millisecond, "")
	cpu := flag.String("cpu", "", "")
	flag.Parse()
	impls := map[string]worker.Impl{}
	for _, i := range []worker.Impl{gremlinmessage.Impl, google.Impl, vt.Impl, easyproto.Impl} {
		impls[i.Name] = i
	}
	if *cpu != "" {
		f, _ := os.Create(*cpu)
		pprof.StartCPUProfile(f)
		defer pprof.StopCPUProfile()
	}
	_ = debug.SetGCPercent
	made := workload.Made()
	for _, wn := range strings.Split(*ws, ",") {
		k := slices.IndexFunc(made, func(w workload.Workload) bool { return w.Name == wn })
		w := made[k]
		for _, op := range strings.Split(*ops, ",") {
			names := strings.Split(*is, ",")
			loops := make([]worker.Loop, len(names))
			ns := make([][]float64, len(names))
			iters := make([]int, len(names))
			for i, n := range names {
				o, ok := impls[n].Types[w.Type][op]
				if !ok {
					continue
				}
				loops[i] = o(worker.Input{Data: w.Data})
				loops[i](len(w.Data), nil)
				it := len(w.Data)
				for {
					s := time.Now()
					loops[i](it, nil)
					d := time.Since(s)
					if d > *slice/2 {
						iters[i] = max(1, int(float64(it)*float64(*slice)/float64(d))/len(w.Data)) * len(w.Data)
						break
					}
					it *= 2
				}
			}
			var base float64
			for r := 0; r < *rounds; r++ {
				for i := range names {
					if loops[i] == nil {
						continue
					}
					runtime.GC()
					s := time.Now()
					loops[i](iters[i], nil)
					ns[i] = append(ns[i], float64(time.Since(s).Nanoseconds())/float64(iters[i]))
				}
			}
			for i, n := range names {
				if loops[i] == nil {
					continue
				}
				slices.Sort(ns[i])
				med := ns[i][len(ns[i])/2]
				if i == 0 {
					base = med
				}
				fmt.Printf("%-18s %-8s %-16s min %10.1f med %10.1f  x%.2f\n", w.Name, op, n, ns[i][0], med, base/med)
			}
		}
	}
}
