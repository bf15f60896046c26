// Package bench runs workers by turns, checks what they compute and times it.
package bench

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"

	"github.com/octopus-framework/octopus/lab/worker"
	"github.com/octopus-framework/octopus/lab/workload"
)

// Lab has the worker binaries and the workloads' files. Close removes them.
type Lab struct {
	dir      string
	Impls    []Impl // in the order of reports
	workload map[string]workload.Workload
}

// Impl is an implementation and the binary that has it.
type Impl struct {
	worker.Listed
	binary string
}

// Order is that of reports.
var Order = []string{"protobuf-go", "protobuf-go-lazy", "golang-protobuf-1.3.5", "gogo-gofast", "gogo-faster", "gogo-slick", "vtprotobuf",
	"vtprotobuf-unsafe", "vtprotobuf-pool", "hyperpb", "hyperpb-pgo", "easyproto", "molecule", "gremlin-reader", "gremlin-reader-validate",
	"gremlin-message", "gremlin-borrow", "gremlin-reuse", "gremlin-both", "floor"}

// Programs are the programs that match a pattern, in the folder of a module.
type Programs struct{ Dir, Pattern string }

// New builds the workers of the protobuf implementations. Without legacy those of the second module are left out.
func New(legacy bool, workloads []workload.Workload) (*Lab, error) {
	workers := []Programs{{".", "./workers/..."}}
	if legacy {
		workers = append(workers, Programs{"legacy", "./workers/..."})
	}
	return Of(workers, Order, workloads)
}

// Of builds workers, in the folder of module lab, and asks what they have; what is not named in order comes last. From then on
// an interrupt removes them and ends the program.
func Of(workers []Programs, order []string, workloads []workload.Workload) (_ *Lab, err error) {
	dir, err := os.MkdirTemp("", "lab-")
	if err != nil {
		return nil, err
	}
	l := &Lab{dir: dir, workload: map[string]workload.Workload{}}
	defer func() {
		if err != nil {
			l.Close()
		}
	}()
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt)
	go func() {
		<-interrupted
		l.Close()
		os.Exit(130)
	}()
	for i, w := range workers {
		out := filepath.Join(dir, fmt.Sprint(i))
		if err := os.Mkdir(out, 0o777); err != nil {
			return nil, err
		}
		if err := Build(w, out); err != nil {
			return nil, err
		}
		if err := l.list(out); err != nil {
			return nil, err
		}
	}
	place := func(i Impl) int {
		if at := slices.Index(order, i.Name); at >= 0 {
			return at
		}
		return len(order)
	}
	slices.SortStableFunc(l.Impls, func(a, b Impl) int { return place(a) - place(b) })
	for _, w := range workloads {
		if err := l.Add(w); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// list asks the workers in a folder what they have.
func (l *Lab) list(dir string) error {
	files, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, f := range files {
		exe := filepath.Join(dir, f.Name())
		p, err := l.start(exe)
		if err != nil {
			return err
		}
		a, err := p.call(worker.Request{Cmd: "list"})
		if err := errors.Join(err, p.Close()); err != nil {
			return fmt.Errorf("%s: %w", f.Name(), err)
		}
		l.Impls = append(l.Impls, Impl{*a.Listed, exe})
	}
	return nil
}

// Build builds programs of module lab or, in folder legacy, of the module there, which is outside the workspace. out is a file, or
// a folder that exists.
func Build(p Programs, out string) error {
	cmd := exec.Command("go", "build", "-o", out, p.Pattern)
	cmd.Dir = p.Dir
	if strings.HasPrefix(p.Dir, "legacy") {
		cmd.Env = append(os.Environ(), "GOWORK=off")
	}
	if text, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go build %s in %s: %v\n%s", p.Pattern, p.Dir, err, text)
	}
	return nil
}

// Add writes the file of a workload.
func (l *Lab) Add(w workload.Workload) error {
	l.workload[w.Name] = w
	return os.WriteFile(l.file(w.Name), w.Encode(), 0o666)
}

func (l *Lab) file(workload string) string { return filepath.Join(l.dir, workload+".messages") }

// Close removes what New made.
func (l *Lab) Close() error { return os.RemoveAll(l.dir) }

// Select leaves the implementations with the given names, all when there are none; an error lists those that exist.
func (l *Lab) Select(names []string) error {
	if len(names) == 0 {
		return nil
	}
	var have []string
	for _, i := range l.Impls {
		have = append(have, i.Name)
	}
	for _, name := range names {
		if !slices.Contains(have, name) {
			return fmt.Errorf("no implementation %q; there are: %s", name, strings.Join(have, ", "))
		}
	}
	l.Impls = slices.DeleteFunc(l.Impls, func(i Impl) bool { return !slices.Contains(names, i.Name) })
	return nil
}

// Process is a running worker.
type Process struct {
	lab    *Lab
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *json.Decoder
	loaded map[string]bool
}

// Start starts a worker for an implementation. Each has a process of its own, so that none pays for another's heap.
func (l *Lab) Start(i Impl) (*Process, error) { return l.start(i.binary) }

func (l *Lab) start(exe string) (*Process, error) {
	p := &Process{lab: l, cmd: exec.Command(exe), loaded: map[string]bool{}}
	p.cmd.Stderr = os.Stderr
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.out = json.NewDecoder(bufio.NewReader(out))
	return p, p.cmd.Start()
}

// Do sends a request about a workload, which is loaded first if it is not yet, and returns the answer. The error of an answer
// is an error.
func (p *Process) Do(r worker.Request) (worker.Answer, error) {
	if !p.loaded[r.Workload] {
		load := worker.Request{Cmd: "load", Workload: r.Workload, Type: p.lab.workload[r.Workload].Type, File: p.lab.file(r.Workload)}
		if _, err := p.call(load); err != nil {
			return worker.Answer{}, err
		}
		p.loaded[r.Workload] = true
	}
	return p.call(r)
}

// Failed is what an implementation itself said or did wrong.
type Failed string

// Error returns what it said or did.
func (f Failed) Error() string { return string(f) }

func (p *Process) call(r worker.Request) (a worker.Answer, err error) {
	line, err := json.Marshal(r)
	if err != nil {
		return a, err
	}
	if _, err := p.in.Write(append(line, '\n')); err != nil {
		return a, fmt.Errorf("worker: %w", err)
	}
	if err := p.out.Decode(&a); err != nil {
		return a, fmt.Errorf("worker: %w", err)
	}
	if a.Error != "" {
		return a, Failed(a.Error)
	}
	return a, nil
}

// Close ends the worker.
func (p *Process) Close() error { return errors.Join(p.in.Close(), p.cmd.Wait()) }
