package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// TestMain makes the test binary the command itself where a test needs it in a process of its own.
// For root, it first gives up the capabilities by which root reads and writes what file modes
// forbid.
func TestMain(m *testing.M) {
	const command = "FUNCTRACE_TEST_COMMAND"
	switch os.Getenv(command) {
	case "":
		os.Exit(m.Run())
	case "obedient":
		const dropCapability, dacOverride, dacReadSearch = 24, 1, 2
		// capabilities are a thread's, and the new program has those of the thread that starts it
		runtime.LockOSThread()
		for _, capability := range []uintptr{dacOverride, dacReadSearch} {
			if _, _, errno := syscall.RawSyscall(syscall.SYS_PRCTL, dropCapability, capability,
				0); errno != 0 {
				os.Stderr.WriteString("cannot give up capabilities: " + errno.Error())
				os.Exit(exitCannotObey)
			}
		}
		_ = os.Setenv(command, "run")
		err := syscall.Exec("/proc/self/exe", os.Args, os.Environ())
		os.Stderr.WriteString(err.Error())
		os.Exit(exitCannotObey)
	case "run":
		os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
	}
}

const exitCannotObey = 99

// obedient runs the command in a folder, in a process of its own, where file modes count for root
// too.
func obedient(t *testing.T, dir string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	cmd := exec.Command("/proc/self/exe", args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "FUNCTRACE_TEST_COMMAND=run")
	if os.Getuid() == 0 {
		cmd.Env = append(cmd.Env, "FUNCTRACE_TEST_COMMAND=obedient")
	}
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	_ = cmd.Run()
	code = cmd.ProcessState.ExitCode()
	if code == exitCannotObey {
		t.Skipf("root may write everywhere: %s", &errs)
	}
	return code, out.String(), errs.String()
}

// A read-only tree: run works, inject -w says which file it cannot write.
func TestReadOnlyTree(t *testing.T) {
	t.Setenv("GOWORK", "off")
	dir := tree(t, map[string]string{"go.mod": goMod("ex.test/r"),
		"main.go":    "package main\n\nfunc main() { hello() }\n\nfunc hello() { println(\"hello\") }\n",
		"one/one.go": "package one\n\nfunc One() {}\n"})
	chmod := func(mode os.FileMode, names ...string) {
		t.Helper()
		for _, name := range names {
			if err := os.Chmod(filepath.Join(dir, name), mode); err != nil {
				t.Fatal(err)
			}
		}
	}
	chmod(0o444, "main.go", "go.mod", "one/one.go")
	chmod(0o555, "one", ".")
	defer chmod(0o755, ".", "one")
	command := func(args ...string) (code int, output string) {
		t.Helper()
		code, stdout, stderr := obedient(t, dir, args...)
		return code, stdout + stderr
	}
	before := checksum(t, dir)
	if code, out := command("run", "."); code != 0 || !strings.Contains(out, "hello\n") ||
		!strings.Contains(out, "->main.hello\n") {
		t.Errorf("run: exit code %d\n%s", code, out)
	}
	for _, file := range []string{"main.go", "one/one.go"} {
		code, out := command("inject", "-w", file)
		if code != 1 || !strings.Contains(out, "cannot write ") ||
			!strings.Contains(out, file+": permission denied") {
			t.Errorf("inject -w %s: exit code %d\n%s", file, code, out)
		}
	}
	chmod(0o666, "one/one.go") // the folder is still read-only: files are replaced, not overwritten
	if code, out := command("inject", "-w", "one"); code != 1 ||
		!strings.Contains(out, "cannot write one/one.go: ") {
		t.Errorf("inject -w in a read-only folder: exit code %d\n%s", code, out)
	}
	if checksum(t, dir) != before {
		t.Error("files changed")
	}
}
