// Package result has the shape of what the lab writes.
package result

// Results is lab/out/results.json.
type Results struct {
	Date         string            `json:"date"` // RFC 3339
	Commit       string            `json:"commit"`
	Machine      Machine           `json:"machine"`
	Versions     map[string]string `json:"versions"` // by implementation; empty for code of this repository
	Measurements []Measurement     `json:"measurements"`
	Sweeps       []Sweep           `json:"sweeps"`
	Sizes        []Size            `json:"sizes"`
	RSS          []RSS             `json:"rss"`
	Control      []Control         `json:"control"`
	Wrong        []Wrong           `json:"wrong"`
}

// Machine is where it ran.
type Machine struct {
	CPU      string `json:"cpu"`
	Cores    int    `json:"cores"`
	MemBytes int64  `json:"mem_bytes"`
	OS       string `json:"os"`
	Go       string `json:"go"`
}

// Measurement is one operation of one implementation on one workload. Time, bytes and allocations are of one message, the
// median of all rounds; what the collector and mutexes did is of one round's iterations, summed over all rounds.
type Measurement struct {
	Group       string  `json:"group"`
	Workload    string  `json:"workload"`
	Size        int     `json:"size"` // mean bytes of an encoded message
	Op          string  `json:"op"`
	Impl        string  `json:"impl"`
	Goroutines  int     `json:"goroutines"`
	BallastMiB  int     `json:"ballast_mib"`
	Ns          float64 `json:"ns"`
	NsMin       float64 `json:"ns_min"`
	NsMax       float64 `json:"ns_max"`
	Bytes       float64 `json:"bytes"`
	Allocs      float64 `json:"allocs"`
	MBs         float64 `json:"mb_s"` // encoded megabytes (10^6) a second
	GCCycles    uint64  `json:"gc_cycles"`
	GCPauseNs   uint64  `json:"gc_pause_ns"`
	MutexWaitNs uint64  `json:"mutex_wait_ns"`
	Rounds      int     `json:"rounds"`
}

// Sweep is how the time of an operation depends on the message.
type Sweep struct {
	Impl   string  `json:"impl"`
	Op     string  `json:"op"`
	Points []Point `json:"points"`
}

// Point is a message of a sweep: levels below the root, scalar fields in all, KiB of bytes in one field.
type Point struct {
	Depth  int     `json:"depth"`
	Fields int     `json:"fields"`
	KiB    int     `json:"kib"`
	Ns     float64 `json:"ns"`
}

// Size is what an implementation adds to a program: the binary that reads and writes a Submit, and lines of generated code
// per field of the file of Deposit. Zero lines: nothing is generated.
type Size struct {
	Impl          string  `json:"impl"`
	BinaryBytes   int64   `json:"binary_bytes"`
	LinesPerField float64 `json:"lines_per_field"`
}

// RSS is the largest resident size of a process that did the operation with a million messages.
type RSS struct {
	Impl      string `json:"impl"`
	Workload  string `json:"workload"`
	Op        string `json:"op"`
	PeakBytes int64  `json:"peak_bytes"`
}

// Control is the medians of two processes that ran the same code by turns: what differs is noise.
type Control struct {
	Workload string  `json:"workload"`
	Op       string  `json:"op"`
	Impl     string  `json:"impl"`
	NsA      float64 `json:"ns_a"`
	NsB      float64 `json:"ns_b"`
}

// Wrong is an implementation that gave something else than google.golang.org/protobuf and was not timed.
type Wrong struct {
	Workload   string `json:"workload"`
	Op         string `json:"op"`
	Impl       string `json:"impl"`
	Difference string `json:"difference"`
}

// Quick is an element of lab/out/quick.json.
type Quick struct {
	Workload string  `json:"workload"`
	Op       string  `json:"op"`
	Impl     string  `json:"impl"`
	Ns       float64 `json:"ns"`
	Bytes    float64 `json:"bytes"`
	Allocs   float64 `json:"allocs"`
	Rounds   int     `json:"rounds"`
}
