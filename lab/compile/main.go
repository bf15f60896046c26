// Command compile measures compilers of .proto files as people start them: protoc, buf and gremlin, in turns, on googleapis as
// npm has it. What counts is the time that passes, processor time and peak memory; medians over the rounds are reported. All
// compile the same files; the well-known files are those that each comes with.
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
	"strings"
	"syscall"
	"time"
)

// job is one command line of one tool.
type job struct {
	Task string `json:"task"`
	Tool string `json:"tool"`
	args []string

	Wall      []float64 `json:"wall_seconds"`
	Processor []float64 `json:"processor_seconds"`
	Peak      []int64   `json:"peak_bytes"`
}

type output struct {
	Go       string            `json:"go"`
	Cores    int               `json:"cores"`
	Began    time.Time         `json:"began"`
	Files    int               `json:"files"`
	Bytes    int64             `json:"bytes"`
	Versions map[string]string `json:"versions"`
	Jobs     []*job            `json:"jobs"`
}

func main() {
	rounds := flag.Int("rounds", 5, "turns of each tool")
	quick := flag.Bool("quick", false, "in less than a minute: a tenth of the files, 2 rounds")
	out := flag.String("out", "", "write JSON to this file")
	tools := flag.String("tools", "../.tools", "what make tools installs")
	gremlin := flag.String("gremlin", "../bin/gremlin", "the command")
	flag.Parse()
	if *quick {
		*rounds = 2
	}
	if err := measure(*rounds, *quick, *out, *tools, *gremlin); err != nil {
		fmt.Fprintln(os.Stderr, "compile:", err)
		os.Exit(1)
	}
}

func measure(rounds int, quick bool, out, tools, gremlin string) error {
	dir, err := os.MkdirTemp("", "lab-compile")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	folder, err := googleapis(tools)
	if err != nil {
		return err
	}
	result := output{Go: runtime.Version(), Cores: runtime.NumCPU(), Began: time.Now(), Versions: map[string]string{}}
	root := filepath.Join(dir, "proto")
	wanted := "google/"
	if quick {
		wanted = "google/cloud/a"
	}
	files, size, err := stage(folder, root, wanted)
	if err != nil {
		return err
	}
	result.Files, result.Bytes = len(files), size
	for i, name := range []*string{&tools, &gremlin} {
		if *name, err = filepath.Abs(*name); err != nil {
			return fmt.Errorf("argument %d: %w", i, err)
		}
	}
	protoc, buf := filepath.Join(tools, "bin", "protoc"), filepath.Join(tools, "bin", "buf")
	for name, program := range map[string]string{"protoc": protoc, "buf": buf, "gremlin": gremlin} {
		version, err := exec.Command(program, "--version").CombinedOutput()
		if err != nil {
			return fmt.Errorf("%s: %w; make tools and make build bring it", name, err)
		}
		result.Versions[name] = strings.TrimSpace(string(version))
	}
	if result.Jobs, err = jobs(dir, root, tools, protoc, buf, gremlin, files); err != nil {
		return err
	}
	for round := range rounds {
		for i := range result.Jobs {
			if err := result.Jobs[(i+round)%len(result.Jobs)].run(dir); err != nil {
				return err
			}
		}
	}
	fmt.Print(result.table())
	if out == "" {
		return nil
	}
	text, err := json.MarshalIndent(result, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(out, append(text, '\n'), 0o666)
}

// jobs lists what is measured. A single small file shows what it takes to start.
func jobs(dir, root, tools, protoc, buf, gremlin string, files []string) ([]*job, error) {
	small := filepath.Join(dir, "small")
	if err := os.Mkdir(small, 0o777); err != nil {
		return nil, err
	}
	for name, text := range map[string]string{
		filepath.Join(dir, "files"):         strings.Join(files, "\n") + "\n",
		filepath.Join(small, "small.proto"): "syntax = \"proto3\";\npackage small;\nmessage Small { int32 a = 1; }\n",
		filepath.Join(small, "buf.yaml"):    "version: v2\n",
		filepath.Join(root, "buf.yaml"):     "version: v2\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			return nil, err
		}
	}
	set := filepath.Join(dir, "set.binpb")
	include := filepath.Join(tools, "include")
	gen := filepath.Join(dir, "gen")
	return []*job{
		{Task: "check", Tool: "protoc", args: []string{protoc, "-I", root, "-I", include, "-o", os.DevNull, "@" + filepath.Join(dir, "files")}},
		{Task: "check", Tool: "buf", args: []string{buf, "build", root, "-o", os.DevNull, "--exclude-source-info"}},
		{Task: "check", Tool: "gremlin", args: []string{gremlin, "check", "-q", "--no-config", "-I", root}},
		{Task: "descriptors", Tool: "protoc", args: []string{protoc, "-I", root, "-I", include, "--include_imports", "--include_source_info", "-o", set,
			"@" + filepath.Join(dir, "files")}},
		{Task: "descriptors", Tool: "buf", args: []string{buf, "build", root, "-o", set}},
		{Task: "descriptors", Tool: "gremlin", args: []string{gremlin, "descriptors", "-q", "--no-config", "-I", root, "--include-imports", "--include-source-info",
			"-o", set}},
		{Task: "generate", Tool: "gremlin", args: []string{gremlin, "generate", "-q", "--no-config", "-I", root, "-o", gen, "--module", "example.com/gen"}},
		{Task: "one file", Tool: "protoc", args: []string{protoc, "-I", small, "-o", os.DevNull, "small.proto"}},
		{Task: "one file", Tool: "buf", args: []string{buf, "build", small, "-o", os.DevNull}},
		{Task: "one file", Tool: "gremlin", args: []string{gremlin, "check", "-q", "--no-config", "-I", small}},
	}, nil
}

// run takes one turn. The output of the turn before is removed, so that all write the same.
func (j *job) run(dir string) error {
	for _, name := range []string{"set.binpb", "gen"} {
		if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	cmd := exec.Command(j.args[0], j.args[1:]...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "BUF_CACHE_DIR="+filepath.Join(dir, "cache"))
	began := time.Now()
	said, err := cmd.CombinedOutput()
	took := time.Since(began)
	if err != nil {
		return fmt.Errorf("%s of %s: %w\n%s", j.Task, j.Tool, err, said[:min(len(said), 2000)])
	}
	state := cmd.ProcessState
	j.Wall = append(j.Wall, took.Seconds())
	j.Processor = append(j.Processor, (state.UserTime() + state.SystemTime()).Seconds())
	// The system counts what this process had when it started the other: that is little.
	if used, ok := state.SysUsage().(*syscall.Rusage); ok {
		j.Peak = append(j.Peak, used.Maxrss<<10)
	}
	return nil
}

func (o *output) table() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d files, %.1f MB, %d cores\n", o.Files, float64(o.Bytes)/1e6, o.Cores)
	fmt.Fprintf(&b, "%-12s %-8s %10s %12s %10s\n", "", "", "wall", "processor", "peak")
	for _, j := range o.Jobs {
		fmt.Fprintf(&b, "%-12s %-8s %8.3f s %10.3f s %7d MB\n", j.Task, j.Tool, median(j.Wall), median(j.Processor), median(j.Peak)/1e6)
	}
	return b.String()
}

func median[T int64 | float64](values []T) T {
	sorted := slices.Sorted(slices.Values(values))
	if len(sorted) == 0 {
		return 0
	}
	return sorted[len(sorted)/2]
}
