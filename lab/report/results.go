// Package report turns what the gremlin lab measured into a page and a summary.
//
// The lab writes one raw file, results.json, which is a Results. This package reads it and writes index.html, one page
// without network or framework that filters, draws and lists all of it, and summary.md, the same as Markdown tables with a
// section that says where a peer is faster than our best form. It measures nothing and drops nothing: whatever stands in
// the raw file is on the page, and what the page computes (ratios, fitted lines, lost comparisons) can be computed again
// from the raw file, which the page carries whole.
//
// Nothing here keeps state: all functions may be called by any number of goroutines.
package report

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// The groups of measurements.
const (
	GroupProtobuf = "protobuf"
	GroupJSON     = "json"
)

// Results is the raw file of one run of the lab. All times in it are nanoseconds, all sizes bytes, unless said otherwise.
type Results struct {
	Date         string            `json:"date"`   // RFC 3339
	Commit       string            `json:"commit"` // of this repository, with "-dirty" where files had been changed
	Machine      Machine           `json:"machine"`
	Versions     map[string]string `json:"versions"` // by implementation: module version, or commit
	Measurements []Measurement     `json:"measurements"`
	Sweeps       []Sweep           `json:"sweeps"`
	Sizes        []Size            `json:"sizes"`
	RSS          []RSS             `json:"rss"`
	Control      []Control         `json:"control"`
	Wrong        []Wrong           `json:"wrong"`
}

// Machine is where the lab ran.
type Machine struct {
	CPU      string `json:"cpu"`
	Cores    int    `json:"cores"` // GOMAXPROCS
	MemBytes int64  `json:"mem_bytes"`
	OS       string `json:"os"`
	Go       string `json:"go"`
}

// Measurement is one implementation doing one operation on one workload. Times and counts are per operation: medians over
// the rounds, each at the pace of its round; what the collector and mutexes did is the sum over all iterations of all rounds.
type Measurement struct {
	Group       string  `json:"group"` // GroupProtobuf or GroupJSON
	Workload    string  `json:"workload"`
	Size        int     `json:"size"` // of the encoded message
	Op          string  `json:"op"`
	Impl        string  `json:"impl"`
	Goroutines  int     `json:"goroutines"`  // that did it at the same time; ns stays per operation of all of them together
	BallastMiB  int     `json:"ballast_mib"` // held in the heap meanwhile
	Ns          float64 `json:"ns"`
	NsMin       float64 `json:"ns_min"`
	NsMax       float64 `json:"ns_max"`
	Bytes       float64 `json:"bytes"`  // allocated
	Allocs      float64 `json:"allocs"` // how often
	MBs         float64 `json:"mb_s"`   // Size/Ns, in 10^6 bytes a second
	GCCycles    uint64  `json:"gc_cycles"`
	GCPauseNs   uint64  `json:"gc_pause_ns"`
	MutexWaitNs uint64  `json:"mutex_wait_ns"`
	Rounds      int     `json:"rounds"`
}

// Sweep is one implementation and operation over messages of varied shape.
type Sweep struct {
	Impl   string  `json:"impl"`
	Op     string  `json:"op"`
	Points []Point `json:"points"`
}

// Point is one shape of a sweep and what it took.
type Point struct {
	Depth  int     `json:"depth"`  // levels below the root
	Fields int     `json:"fields"` // numbers and strings, in all levels together
	KiB    int     `json:"kib"`    // of bytes in one field
	Ns     float64 `json:"ns"`
}

// Size is what an implementation adds to a program and to a repository.
type Size struct {
	Impl          string  `json:"impl"`
	BinaryBytes   int64   `json:"binary_bytes"`    // of the smallest program that uses it
	LinesPerField float64 `json:"lines_per_field"` // 0 where nothing is generated
}

// RSS is the peak resident memory of a process that did one operation on a million messages.
type RSS struct {
	Impl      string `json:"impl"`
	Workload  string `json:"workload"`
	Op        string `json:"op"`
	PeakBytes int64  `json:"peak_bytes"`
}

// Control is the same thing measured twice as if it were two: how far apart two equal bars of this run may be.
type Control struct {
	Workload string  `json:"workload"`
	Op       string  `json:"op"`
	Impl     string  `json:"impl"`
	NsA      float64 `json:"ns_a"`
	NsB      float64 `json:"ns_b"`
}

// Wrong is an implementation whose result differed from what the workload says; it was not timed.
type Wrong struct {
	Workload   string `json:"workload"`
	Op         string `json:"op"`
	Impl       string `json:"impl"`
	Difference string `json:"difference"`
}

// Ours tells whether an implementation is one of this repository: its name starts with "gremlin", as in "gremlin Reader".
func Ours(impl string) bool { return strings.HasPrefix(impl, "gremlin") }

// Reference tells whether an implementation is neither ours nor a peer but stands beside them to compare with, as the floor
// that a copy of the bytes sets: its name starts with "floor" or "reference".
func Reference(impl string) bool {
	return strings.HasPrefix(impl, "floor") || strings.HasPrefix(impl, "reference")
}

// Baseline names the implementation that others of a group are divided by.
func Baseline(group string) string {
	if group == GroupJSON {
		return "protojson"
	}
	return "protobuf-go"
}

// ReadFile reads a raw file. Keys that Results does not have are an error: they would be lost without a word.
func ReadFile(name string) (*Results, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	dec := json.NewDecoder(f)
	dec.DisallowUnknownFields()
	r := new(Results)
	if err := dec.Decode(r); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return r, nil
}

// Quick is an element of quick.json, the short form that a quick run writes.
type Quick struct {
	Workload string  `json:"workload"`
	Op       string  `json:"op"`
	Impl     string  `json:"impl"`
	Ns       float64 `json:"ns"`
	Bytes    float64 `json:"bytes"`
	Allocs   float64 `json:"allocs"`
	Rounds   int     `json:"rounds"`
}
