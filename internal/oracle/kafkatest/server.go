package kafkatest

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Options of a Server. The zero value is useful.
type Options struct {
	// Properties are added to those of the server, or replace them.
	Properties map[string]string
	// Fast lets the Java compiler optimize fully, for measurements. Without it
	// the server starts faster and runs slower.
	Fast bool
}

// Server is a running Kafka. Its methods are not safe for concurrent use.
type Server struct {
	// Addr is where clients connect, host:port. It stays the same when the
	// server is started again.
	Addr string

	dir, jars string
	options   Options
	process   *process
}

// startLimit is how long a start may take: far more than the seconds it needs,
// because a machine may be busy.
const startLimit = 2 * time.Minute

// Start makes a server with its data in dir, which must be empty, and waits
// until it takes connections.
func Start(dir string, options Options) (*Server, error) {
	jars, err := Find()
	if err != nil {
		return nil, err
	}
	ports, err := freePorts(2)
	if err != nil {
		return nil, err
	}
	s := &Server{Addr: ports[0], dir: dir, jars: jars, options: options}
	if err := s.writeConfig(ports[1]); err != nil {
		return nil, err
	}
	format := s.java("kafka.tools.StorageTool",
		"format", "-t", "b2N0b3B1cy1uZXJ2ZS0xMg", "-c", s.path("server.properties"))
	if out, err := exec.Command(format[0], format[1:]...).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("kafkatest: format: %w\n%s", err, out)
	}
	return s, s.Restart()
}

// Restart starts the server again after Kill or Stop, with the data that it had.
func (s *Server) Restart() error {
	if s.process != nil {
		return errors.New("kafkatest: the server runs")
	}
	log, err := os.OpenFile(s.path("server.log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer log.Close()
	if s.process, err = startProcess(log,
		s.java("kafka.Kafka", s.path("server.properties"))); err != nil {
		return err
	}
	for until := time.Now().Add(startLimit); time.Now().Before(until); time.Sleep(
		50 * time.Millisecond) {
		conn, err := net.Dial("tcp", s.Addr)
		if err == nil {
			return conn.Close()
		}
		if !s.process.running() {
			break
		}
	}
	_ = s.Kill()
	text, _ := os.ReadFile(s.path("server.log"))
	return fmt.Errorf("kafkatest: the server did not start:\n%s", text)
}

// Kill ends the server at once (SIGKILL) and waits until it is gone.
func (s *Server) Kill() error { return s.end(syscall.SIGKILL) }

// Stop lets the server close its files first (SIGTERM).
func (s *Server) Stop() error { return s.end(syscall.SIGTERM) }

func (s *Server) end(sig syscall.Signal) error {
	if s.process == nil {
		return nil
	}
	err := s.process.end(sig)
	s.process = nil
	return err
}

func (s *Server) path(name string) string { return filepath.Join(s.dir, name) }

func (s *Server) java(class string, args ...string) []string {
	jvm := []string{
		"java", "-Xmx512m", "-cp", filepath.Join(s.jars, "*"),
		"-Dlog4j2.configurationFile=file:" + s.path("log4j2.properties"),
	}
	if !s.options.Fast {
		jvm = append(jvm, "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
	}
	return append(append(jvm, class), args...)
}

const logging = `rootLogger.level=WARN
rootLogger.appenderRef.console.ref=console
appender.console.type=Console
appender.console.name=console
appender.console.layout.type=PatternLayout
appender.console.layout.pattern=%d %p %c: %m%n
`

func (s *Server) writeConfig(controller string) error {
	properties := map[string]string{
		"process.roles":             "broker,controller",
		"node.id":                   "1",
		"controller.quorum.voters":  "1@" + controller,
		"controller.listener.names": "CONTROLLER",
		"listeners": "PLAINTEXT://" + s.Addr + ",CONTROLLER://" +
			controller,
		"advertised.listeners":                     "PLAINTEXT://" + s.Addr,
		"log.dirs":                                 s.path("data"),
		"auto.create.topics.enable":                "false",
		"offsets.topic.num.partitions":             "1",
		"offsets.topic.replication.factor":         "1",
		"transaction.state.log.num.partitions":     "1",
		"transaction.state.log.replication.factor": "1",
		"transaction.state.log.min.isr":            "1",
		"group.initial.rebalance.delay.ms":         "0",
		"num.network.threads":                      "2",
		"num.io.threads":                           "2",
		"log.cleaner.threads":                      "1",
		"log.cleaner.dedupe.buffer.size":           "16777216",
	}
	for key, value := range s.options.Properties {
		properties[key] = value
	}
	var text strings.Builder
	for key, value := range properties {
		fmt.Fprintf(&text, "%s=%s\n", key, value)
	}
	if err := os.WriteFile(s.path("server.properties"), []byte(text.String()), 0o644); err != nil {
		return err
	}
	return os.WriteFile(s.path("log4j2.properties"), []byte(logging), 0o644)
}

// freePorts returns n addresses on the loopback interface that were free a
// moment ago. The server cannot be asked to choose: it must have the same
// address when it is started again.
func freePorts(n int) ([]string, error) {
	var addrs []string
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer l.Close()
		addrs = append(addrs, l.Addr().String())
	}
	return addrs, nil
}

// process is a program that ends when this one does, however that ends: a shell
// between waits for the end of its input and kills it.
type process struct {
	shell   *exec.Cmd
	stdin   io.Closer
	program *os.Process
}

const keeper = `"$@" </dev/null >&2 & echo $!; read -r _; kill -9 $! 2>/dev/null; wait`

func startProcess(log *os.File, command []string) (*process, error) {
	shell := exec.Command("sh", append([]string{"-c", keeper, "sh"}, command...)...)
	shell.Stderr = log
	stdin, err := shell.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := shell.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := shell.Start(); err != nil {
		return nil, err
	}
	p := &process{shell: shell, stdin: stdin}
	line, err := bufio.NewReader(stdout).ReadString('\n')
	pid := 0
	if err == nil {
		pid, err = strconv.Atoi(strings.TrimSpace(line))
	}
	if err == nil {
		p.program, err = os.FindProcess(pid)
	}
	if err != nil {
		stdin.Close()
		return nil, errors.Join(err, shell.Wait())
	}
	return p, nil
}

// running says that the program has not ended. The shell does not wait for it
// yet, so one that has ended is a zombie.
func (p *process) running() bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.program.Pid))
	if err != nil {
		return p.program.Signal(syscall.Signal(0)) == nil
	}
	_, state, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(state, "Z")
}

// end sends sig and waits until the program is gone.
func (p *process) end(sig syscall.Signal) error {
	err := p.program.Signal(sig)
	for sig != syscall.SIGKILL && p.running() {
		time.Sleep(10 * time.Millisecond)
	}
	p.stdin.Close()
	_ = p.shell.Wait() // its status is that of the program that was ended
	return err
}
