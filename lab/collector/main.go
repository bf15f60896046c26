// Command collector compares nerve_storage with file_storage of the OpenTelemetry Collector, each
// under the collector's own sending queue: one request at a time, a drain of many that wait, a
// start with these, memory and disk. Each measurement is a process of its own; the two take turns,
// and medians are reported.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"time"
)

// sizes are how much is done.
type sizes struct {
	Rounds  int `json:"rounds"`
	Synced  int `json:"synced"`  // requests of 2 and 20 KB, each on the disk
	Cached  int `json:"cached"`  // requests of 2 KB, without syncs
	Large   int `json:"large"`   // requests of 2 MB, without syncs
	Backlog int `json:"backlog"` // requests of 200 KB that wait
	Small   int `json:"small"`   // requests of 2 KB that wait
}

var (
	full = sizes{Rounds: 7, Synced: 2000, Cached: 50_000, Large: 300, Backlog: 20_000,
		Small: 300_000}
	quick = sizes{Rounds: 3, Synced: 200, Cached: 5000, Large: 50, Backlog: 1000, Small: 20_000}
)

// line is a row of what is printed: a figure of both, and how much better ours is.
type line struct {
	Name  string  `json:"name"`
	Nerve float64 `json:"nerve_storage"`
	File  float64 `json:"file_storage"`
	Unit  string  `json:"unit"`
	Ratio float64 `json:"ratio"` // of file_storage's figure to ours: above 1 ours is better
	Goal  string  `json:"goal,omitempty"`
}

type output struct {
	Go    string    `json:"go"`
	Cores int       `json:"cores"`
	Began time.Time `json:"began"`
	Sizes sizes     `json:"sizes"`
	Lines []line    `json:"lines"`
}

func main() {
	isQuick := flag.Bool("quick", false, "take about a minute")
	dir := flag.String("dir", "", "where the queues lie while it runs; a new folder by default")
	out := flag.String("out", "", "JSON file to write")
	task := flag.String("job", "", "one measurement, as JSON (for itself)")
	flag.Parse()
	var err error
	if *task != "" {
		err = work(*task)
	} else {
		size := full
		if *isQuick {
			size = quick
		}
		err = compare(size, *dir, *out)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "lab/collector:", err)
		os.Exit(1)
	}
}

func compare(size sizes, dir, file string) error {
	base, err := os.MkdirTemp(dir, "lab-collector")
	if err != nil {
		return err
	}
	defer os.RemoveAll(base)
	o := output{Go: runtime.Version(), Cores: runtime.NumCPU(), Began: time.Now().UTC(), Sizes: size}
	fmt.Printf("%-46s %13s %13s %10s\n", "", "nerve_storage", "file_storage", "")
	say := func(name string, nerve, file float64, unit, goal string) {
		l := line{Name: name, Nerve: nerve, File: file, Unit: unit, Ratio: file / nerve, Goal: goal}
		o.Lines = append(o.Lines, l)
		mark := ""
		if l.Ratio < 0.95 {
			mark = "  WE LOSE"
		}
		fmt.Printf("%-46s %13.2f %13.2f %-9s %6.2fx  %s%s\n", name, nerve, file, unit, l.Ratio, goal,
			mark)
	}
	l := &lab{size: size, dir: base, say: say}
	for _, part := range []func() error{l.steady, l.backlog} {
		if err := part(); err != nil {
			return err
		}
	}
	if file == "" {
		return nil
	}
	text, err := json.MarshalIndent(o, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(text, '\n'), 0o666)
}

// lab runs the measurements.
type lab struct {
	size sizes
	dir  string
	runs int
	say  func(name string, nerve, file float64, unit, goal string)
}

// steady sends requests through a queue whose back end is there.
func (l *lab) steady() error {
	for _, c := range []struct {
		name  string
		sync  bool
		size  int
		count int
		goal  string
	}{
		{"a request of 2 KB, synced", true, 2 << 10, l.size.Synced, "goal 4x"},
		{"a request of 20 KB, synced", true, 20 << 10, l.size.Synced, "goal 4x"},
		{"a request of 2 KB, not synced", false, 2 << 10, l.size.Cached, "goal 5x"},
		{"a request of 2 MB, not synced", false, 2 << 20, l.size.Large, "goal 2x"},
	} {
		var times [2][]float64
		err := l.turns(func(i int, storage string) error {
			r, err := l.job(job{Kind: "steady", Storage: storage, Dir: l.folder(), Sync: c.sync,
				Size: c.size, Count: c.count})
			times[i] = append(times[i], r.Seconds*1e6/float64(c.count))
			return err
		})
		if err != nil {
			return err
		}
		l.say(c.name, median(times[0]), median(times[1]), "us", c.goal)
	}
	memory, err := l.job(job{Kind: "steady", Storage: "memory", Size: 2 << 10, Count: l.size.Cached})
	if err != nil {
		return err
	}
	fmt.Printf("the queue in memory: %.2f us a request of 2 KB, %d MiB of memory\n",
		memory.Seconds*1e6/float64(l.size.Cached), memory.Anonymous>>20)
	return nil
}

// backlog fills a queue whose back end is away, ends the process, and drains the queue in another.
func (l *lab) backlog() error {
	for _, c := range []struct {
		name        string
		size, count int
		drain       string
	}{
		{"200 KB", 200 << 10, l.size.Backlog, "goal 5x cold"},
		{"2 KB", 2 << 10, l.size.Small, ""},
	} {
		var fill, start, drain, anonymous, mapped, disk, left [2][]float64
		megabytes := float64(c.size) * float64(c.count) / 1e6
		err := l.turns(func(i int, storage string) error {
			folder := l.folder()
			filled, err := l.job(job{Kind: "fill", Storage: storage, Dir: folder, Size: c.size,
				Count: c.count})
			if err != nil {
				return err
			}
			drained, err := l.job(job{Kind: "drain", Storage: storage, Dir: folder, Size: c.size,
				Count: c.count})
			fill[i] = append(fill[i], filled.Seconds*1e3/megabytes)
			disk[i] = append(disk[i], float64(filled.Disk)/float64(filled.Live))
			start[i] = append(start[i], drained.First*1e3)
			drain[i] = append(drain[i], drained.Seconds*1e3/megabytes)
			anonymous[i] = append(anonymous[i], float64(drained.Anonymous)/(1<<20))
			mapped[i] = append(mapped[i], float64(drained.Mapped)/(1<<20))
			left[i] = append(left[i], float64(drained.Disk)/(1<<20))
			return err
		})
		if err != nil {
			return err
		}
		say := func(what string, x [2][]float64, unit, goal string) {
			l.say(fmt.Sprintf("%.0f MB in requests of %s: %s", megabytes, c.name, what),
				median(x[0]), median(x[1]), unit, goal)
		}
		say("fill", fill, "ms/MB", "")
		say("disk, to what waits", disk, "", "goal 1.1")
		say("start", start, "ms", "goal 20x")
		say("drain", drain, "ms/MB", c.drain)
		say("memory of the drain", anonymous, "MiB", "")
		say("mapped files", mapped, "MiB", "")
		say("disk after it", left, "MiB", "")
	}
	return nil
}

// turns runs f for both storages by turns, once in each round. i is 0 for ours.
func (l *lab) turns(f func(i int, storage string) error) error {
	for round := range l.size.Rounds {
		for k := range 2 {
			i := (k + round) % 2
			if err := f(i, []string{"nerve", "file"}[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// folder returns a new folder, and removes the one before the last, which nobody reads any more.
func (l *lab) folder() string {
	os.RemoveAll(filepath.Join(l.dir, fmt.Sprint(l.runs-1)))
	l.runs++
	dir := filepath.Join(l.dir, fmt.Sprint(l.runs))
	if err := os.Mkdir(dir, 0o777); err != nil {
		panic(err)
	}
	return dir
}

// job runs a measurement in a process of its own.
func (l *lab) job(j job) (r result, err error) {
	text, err := json.Marshal(j)
	if err != nil {
		return r, err
	}
	self, err := os.Executable()
	if err != nil {
		return r, err
	}
	cmd := exec.Command(self, "-job", string(text))
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return r, fmt.Errorf("%s: %w", text, err)
	}
	return r, json.Unmarshal(out, &r)
}

func median(x []float64) float64 {
	slices.Sort(x)
	return x[len(x)/2]
}
