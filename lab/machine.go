package main

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"

	"github.com/octopus-framework/octopus/lab/internal/bench"
	"github.com/octopus-framework/octopus/lab/report"
)

// machine says where this runs; what the system does not tell stays empty.
func machine() report.Machine {
	m := report.Machine{Cores: runtime.NumCPU(), OS: runtime.GOOS + "/" + runtime.GOARCH, Go: runtime.Version()}
	m.CPU = after("/proc/cpuinfo", "model name")
	kib, _, _ := strings.Cut(after("/proc/meminfo", "MemTotal"), " ")
	n, _ := strconv.ParseInt(kib, 10, 64)
	m.MemBytes = n << 10
	return m
}

// after returns what follows "key:" in a file.
func after(path, key string) string {
	b, _ := os.ReadFile(path)
	for line := range strings.Lines(string(b)) {
		if k, v, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(k) == key {
			return strings.TrimSpace(v)
		}
	}
	return ""
}

// commit is that of the repository, with a plus when files differ from it.
func commit() string {
	out, err := exec.Command("git", "rev-parse", "--short=12", "HEAD").Output()
	if err != nil {
		return ""
	}
	id := strings.TrimSpace(string(out))
	if changed, err := exec.Command("git", "status", "--porcelain", "--untracked-files=no").Output(); err == nil && len(changed) > 0 {
		id += "+"
	}
	return id
}

func versions(l *bench.Lab) map[string]string {
	v := map[string]string{}
	for _, i := range l.Impls {
		v[i.Name] = i.Version
	}
	return v
}

// describe is machine and versions for a terminal.
func describe(l *bench.Lab) string {
	m := machine()
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %d cores, %.1f GiB, %s, %s, commit %s\n", m.CPU, m.Cores, float64(m.MemBytes)/(1<<30), m.OS, m.Go, commit())
	for _, i := range l.Impls {
		if i.Version != "" {
			fmt.Fprintf(&b, "%s %s  ", i.Name, i.Version)
		}
	}
	return b.String()
}
