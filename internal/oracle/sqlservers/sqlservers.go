//go:build linux

package sqlservers

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"syscall"
	"time"
)

// Kind is a kind of server.
type Kind struct {
	// Name is that of the oracle: "mariadb" or "postgres".
	Name string

	program func() (string, error)
	create  func(s *Server) error
	args    func(s *Server) []string
	socket  string // name of the socket in the folder of sockets
	url     func(s *Server) string
	ping    func(s *Server) error
}

// Kinds are MariaDB and PostgreSQL.
func Kinds() []*Kind { return []*Kind{MariaDB(), Postgres()} }

// Missing returns why the server cannot be started here, nil if it can.
func (k *Kind) Missing() error {
	_, err := k.program()
	return err
}

// Server is a running server, or one that was killed and can be started again.
// Its methods are not safe for concurrent use.
type Server struct {
	Kind *Kind

	dir      string
	settings []string
	owner    *syscall.Credential // nil: who runs this

	process *os.Process
	done    chan struct{} // closed when the process ended
	ended   error
	output  output
}

// Start makes a new server in a folder of its own and waits until it answers.
// Settings are additional ones, as "name=value". It ends with the process that
// called, however that ends, and with Stop.
func Start(kind *Kind, settings ...string) (*Server, error) {
	// Not below TMPDIR: a socket has a path of at most 107 bytes.
	return StartIn("/tmp", kind, settings...)
}

// StartIn is Start in a folder below another one, whose path is to be short.
func StartIn(parent string, kind *Kind, settings ...string) (*Server, error) {
	if err := kind.Missing(); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(parent, "sqlserver-")
	if err != nil {
		return nil, err
	}
	s := &Server{Kind: kind, dir: dir, settings: settings}
	if err := s.make(); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	if err := s.Restart(); err != nil {
		return nil, errors.Join(err, s.Stop())
	}
	return s, nil
}

func (s *Server) make() error {
	if os.Geteuid() == 0 {
		nobody, err := user.Lookup("nobody")
		if err != nil {
			return err
		}
		uid, _ := strconv.Atoi(nobody.Uid)
		gid, _ := strconv.Atoi(nobody.Gid)
		s.owner = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
		if err := os.Chown(s.dir, uid, gid); err != nil {
			return err
		}
	}
	return s.Kind.create(s)
}

// Socket is the path of the socket that the server listens on.
func (s *Server) Socket() string { return filepath.Join(s.dir, s.Kind.socket) }

// URL addresses the database "nerve" of the server, as sqllog and the drivers
// of PostgreSQL understand it. The user may do everything.
func (s *Server) URL() string { return s.Kind.url(s) }

// Dir is the folder with the files of the server.
func (s *Server) Dir() string { return s.dir }

// Output is the end of what the server printed.
func (s *Server) Output() string { return s.output.tail() }

// Set replaces the additional settings, from the next Restart on.
func (s *Server) Set(settings ...string) { s.settings = settings }

// startTimeout bounds a start: recovery after a kill takes seconds on a slow
// machine.
const startTimeout = 2 * time.Minute

// Restart starts the server after Kill or Shutdown and waits until it answers.
func (s *Server) Restart() error {
	deadline := time.Now().Add(startTimeout)
	for {
		if err := s.launch(); err != nil {
			return err
		}
		for {
			select {
			case <-s.done:
			default:
				if err := s.Kind.ping(s); err == nil {
					return nil
				}
				if time.Now().Before(deadline) {
					time.Sleep(20 * time.Millisecond)
					continue
				}
				return errors.Join(fmt.Errorf("%s does not answer:\n%s", s.Kind.Name,
					s.output.tail()), s.Kill())
			}
			break
		}
		// Children of a server that was killed may live on for a moment and
		// keep its successor from starting.
		if time.Now().After(deadline) {
			return fmt.Errorf("%s ended: %w\n%s", s.Kind.Name, s.ended, s.output.tail())
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// launch starts the process.
func (s *Server) launch() error {
	program, err := s.Kind.program()
	if err != nil {
		return err
	}
	cmd := exec.Command(program, s.Kind.args(s)...)
	cmd.Dir = s.dir
	cmd.Stdout, cmd.Stderr = &s.output, &s.output
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: s.owner, Pdeathsig: syscall.SIGKILL}
	started := make(chan error)
	done := make(chan struct{})
	go func() {
		// The server gets its signal when the thread ends that started it.
		runtime.LockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			s.ended = cmd.Wait()
			close(done)
		}
	}()
	if err := <-started; err != nil {
		return err
	}
	s.process, s.done = cmd.Process, done
	return nil
}

// Kill ends the server and its children as a power cut would, by SIGKILL.
func (s *Server) Kill() error {
	if s.process == nil {
		return nil
	}
	// Stopped, so that it makes no more children meanwhile: one of those would
	// live on and keep its successor from starting.
	if err := s.process.Signal(syscall.SIGSTOP); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	children := childrenOf(s.process.Pid)
	if err := s.process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	for _, pid := range children {
		// Gone already is as good.
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	<-s.done
	s.process = nil
	return nil
}

// Shutdown ends the server in order.
func (s *Server) Shutdown() error {
	if s.process == nil {
		return nil
	}
	// PostgreSQL: do not wait for clients.
	sig := syscall.SIGTERM
	if s.Kind.Name == "postgres" {
		sig = syscall.SIGINT
	}
	if err := s.process.Signal(sig); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	<-s.done
	s.process = nil
	return nil
}

// Stop ends the server and removes its folder.
func (s *Server) Stop() error {
	return errors.Join(s.Kill(), os.RemoveAll(s.dir))
}

// run runs a program of the server's package as the owner of its files.
func (s *Server) run(program string, args ...string) error {
	cmd := exec.Command(program, args...)
	cmd.Dir = s.dir
	cmd.Env = append(os.Environ(), "HOME="+s.dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: s.owner}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", filepath.Base(program), err, out)
	}
	return nil
}

// childrenOf lists the processes whose parent is pid.
func childrenOf(pid int) (children []int) {
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return nil
	}
	for _, name := range stats {
		text, err := os.ReadFile(name)
		if err != nil {
			continue // it ended
		}
		// pid (name) state parent ...; the name may hold anything.
		_, rest, _ := bytes.Cut(text[bytes.LastIndexByte(text, ')')+1:], []byte(" "))
		var state string
		var parent, child int
		if _, err := fmt.Sscan(string(rest), &state, &parent); err != nil || parent != pid {
			continue
		}
		if _, err := fmt.Sscan(filepath.Base(filepath.Dir(name)), &child); err == nil {
			children = append(children, child)
		}
	}
	return children
}

// output keeps the end of what a server prints.
type output struct {
	mu   sync.Mutex
	text []byte
}

const keptOutput = 64 << 10

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.text = append(o.text, p...)
	if n := len(o.text) - keptOutput; n > 0 {
		o.text = append(o.text[:0], o.text[n:]...)
	}
	return len(p), nil
}

func (o *output) tail() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return string(o.text)
}

// find looks for a program in PATH and then in folders, the last match first:
// that is the newest version.
func find(name string, patterns ...string) (string, error) {
	if path, err := exec.LookPath(name); err == nil {
		return path, nil
	}
	for _, pattern := range patterns {
		matches, _ := filepath.Glob(filepath.Join(pattern, name))
		if n := len(matches); n > 0 {
			return matches[n-1], nil
		}
	}
	return "", fmt.Errorf("there is no %s; install the package mariadb-server or postgresql", name)
}
