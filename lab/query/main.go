// Command query measures questions to a queue in one run: the engine of nerve query, protobuf-go's dynamic messages with cel-go, a
// program written for the question with generated Readers, nerve tail with jq, and DuckDB over exported JSON. All look at the same
// events in the page cache; in each round each takes its turn. What counts is processor time, that of started programs too, and for
// peers with two cores the time that passes. Medians over the rounds are reported.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
	"time"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/seglog"
)

// peer answers one question by its own means.
type peer struct {
	Name     string `json:"name"`
	Question string `json:"question"`
	run      func() (answer string, err error)
	events   int // of what it looks at
	Cores    int `json:"cores"`

	Seconds []float64 `json:"seconds"` // of processor time; of time that passes for two cores
	Rate    float64   `json:"events_per_second"`
	Answer  string    `json:"answer"`
}

type output struct {
	Go     string    `json:"go"`
	Cores  int       `json:"cores"`
	Events int       `json:"events"`
	Bytes  float64   `json:"bytes_per_event"`
	Users  int       `json:"users"`
	RSS    int64     `json:"max_rss_bytes"`
	Began  time.Time `json:"began"`
	Peers  []*peer   `json:"peers"`
	Notes  []string  `json:"notes"`
}

func main() {
	n := flag.Int("n", 5_000_000, "events")
	rounds := flag.Int("rounds", 5, "turns of each peer")
	quick := flag.Bool("quick", false, "about a minute: 500,000 events, 2 rounds")
	out := flag.String("out", "", "write JSON to this file")
	nerveCommand := flag.String("nerve", "../bin/nerve", "the command")
	python := flag.String("python", "../.tools/python-query/bin/python", "a Python with duckdb")
	flag.Parse()
	if *quick {
		*n, *rounds = 500_000, 2
	}
	if err := measure(*n, *rounds, *out, *nerveCommand, *python); err != nil {
		fmt.Fprintln(os.Stderr, "query:", err)
		os.Exit(1)
	}
}

func measure(n, rounds int, file, command, python string) error {
	dir, err := os.MkdirTemp("", "lab-query")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	result := output{Go: runtime.Version(), Cores: runtime.NumCPU(), Events: n, Users: users, Began: time.Now()}
	queue, small := filepath.Join(dir, "queue"), filepath.Join(dir, "small")
	size, err := fill(queue, n)
	if err != nil {
		return err
	}
	few := min(n, 100_000) // what slow peers look at
	if _, err := fill(small, few); err != nil {
		return err
	}
	result.Bytes = float64(size) / float64(n)
	log, err := seglog.Open(queue, seglog.Options{ReadOnly: true})
	if err != nil {
		return err
	}
	defer log.Close()
	peers, err := inProcess(log, n)
	if err != nil {
		return err
	}
	result.Notes = append(result.Notes, "bufarrowlib: the module proxy does not serve it (403)")
	more, notes := commands(command, python, queue, small, dir, n, few)
	result.Peers, result.Notes = append(peers, more...), append(result.Notes, notes...)
	for round := range rounds {
		for i := range result.Peers {
			p := result.Peers[(i+round)%len(result.Peers)]
			runtime.GC()
			runtime.GOMAXPROCS(p.Cores)
			began, used := time.Now(), processorTime()
			answer, err := p.run()
			if err != nil {
				return fmt.Errorf("%s: %w", p.Name, err)
			}
			took := processorTime() - used
			if p.Cores > 1 {
				took = time.Since(began)
			}
			p.Seconds = append(p.Seconds, took.Seconds())
			if p.Answer != "" && p.Answer != answer {
				return fmt.Errorf("%s: %s, before %s", p.Name, answer, p.Answer)
			}
			p.Answer = answer
		}
	}
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err == nil {
		result.RSS = used.Maxrss << 10
	}
	return report(&result, file)
}

// processorTime is what this process and those that it waited for have used.
func processorTime() time.Duration {
	total := int64(0)
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var used syscall.Rusage
		if err := syscall.Getrusage(who, &used); err == nil {
			total += used.Utime.Nano() + used.Stime.Nano()
		}
	}
	return time.Duration(total)
}

func report(result *output, file string) error {
	fmt.Printf("%d events of %.0f bytes, %d users\n", result.Events, result.Bytes, result.Users)
	for _, p := range result.Peers {
		s := slices.Sorted(slices.Values(p.Seconds))
		p.Rate = float64(p.events) / s[len(s)/2]
		fmt.Printf("%-34s %-42s %d core(s) %8.3f M/s  %s\n", p.Name, p.Question, p.Cores, p.Rate/1e6, p.Answer)
	}
	for _, note := range result.Notes {
		fmt.Println(note)
	}
	fmt.Printf("memory of this process: %d MiB\n", result.RSS>>20)
	if file == "" {
		return nil
	}
	text, err := json.MarshalIndent(result, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(text, '\n'), 0o666)
}

// fill makes a queue of n events and reads it once, so that it is in the page cache.
func fill(dir string, n int) (size int64, err error) {
	log, err := seglog.Open(dir, seglog.Options{Durability: seglog.SyncNever})
	if err != nil {
		return 0, err
	}
	events := newEvents()
	var b nerve.Batch
	for i := range n {
		b.AppendFunc(events.next(i).MarshalAppend)
		if b.Len() == 1000 || i == n-1 {
			size += int64(b.Size())
			if _, err := log.Append(context.Background(), &b); err != nil {
				return 0, err
			}
			b.Reset()
		}
	}
	return size, log.Close()
}

// commands are peers that are other programs.
func commands(command, python, queue, small, dir string, n, few int) (peers []*peer, notes []string) {
	schema := []string{"--proto", "../examples/deposits/shop/v1/deposit.proto", "--type", "shop.v1.Deposit"}
	if _, err := os.Stat(command); err != nil {
		return nil, []string{"no " + command + ": make build makes it; Arrow, Parquet, jq and DuckDB are left out"}
	}
	six := "record.id, type, user.id, amount, currency, user.geo.country"
	for _, format := range []string{"arrow", "parquet"} {
		peers = append(peers, &peer{Name: "nerve query -o x." + format, Question: "six columns", events: n, Cores: 1,
			run: func() (string, error) {
				cmd := exec.Command(command, append([]string{"query", queue, "--select", six, "--workers", "1",
					"-o", filepath.Join(dir, "x."+format)}, schema...)...)
				cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
				return "", cmd.Run()
			}})
	}
	tail := append([]string{"tail", small, "--from", "1", "--json"}, schema...)
	if jq, err := exec.LookPath("jq"); err == nil {
		peers = append(peers, &peer{Name: "nerve tail --json | jq", Question: count, events: few, Cores: 1,
			run: func() (string, error) {
				return piped(exec.Command(command, tail...),
					exec.Command(jq, "-n", `reduce (inputs | select(.message.type == "DEPOSIT_TYPE_CARD")) as $x (0; . + 1)`))
			}})
	} else {
		notes = append(notes, "no jq here")
	}
	if _, err := os.Stat(python); err != nil {
		return peers, append(notes, "no duckdb here: make tools-query installs it")
	}
	file := filepath.Join(dir, "small.jsonl")
	export := exec.Command(command, append([]string{"query", small, "-o", file}, schema...)...)
	if err := export.Run(); err != nil {
		return peers, append(notes, "export for DuckDB: "+err.Error())
	}
	peers = append(peers, &peer{Name: "DuckDB over exported JSON", Question: sum, events: few, Cores: 1,
		run: func() (string, error) {
			out, err := exec.Command(python, "-c", `import duckdb, sys
duckdb.sql("SET threads = 1")
print(duckdb.sql(f"SELECT count(*), sum(total) FROM (SELECT sum(CAST(message.amount AS BIGINT)) AS total FROM '{sys.argv[1]}' `+
				`WHERE message.type = 'DEPOSIT_TYPE_CARD' GROUP BY message.\"user\".id)").fetchone())`, file).Output()
			return string(bytes.TrimSpace(out)), err
		}})
	return peers, notes
}

// piped runs a | b and returns what b prints.
func piped(a, b *exec.Cmd) (string, error) {
	r, w := io.Pipe()
	a.Stdout, b.Stdin = w, r
	var out bytes.Buffer
	b.Stdout = &out
	if err := a.Start(); err != nil {
		return "", err
	}
	if err := b.Start(); err != nil {
		return "", err
	}
	err := a.Wait()
	w.Close()
	if e := b.Wait(); err == nil {
		err = e
	}
	return string(bytes.TrimSpace(out.Bytes())), err
}
