package seglog_test

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/nervetest"
	"github.com/octopus-framework/octopus/nerve/seglog"
)

var fileSystems = flag.Bool("filesystems", false,
	"let TestFileSystems mount file systems, which takes root, and run the contract there")

// TestFileSystems runs the contract with direct appends on every file system that
// takes them, with sectors of 512 and 4096 bytes, and on one that does not. Those of
// which the program that makes them is not installed are skipped.
func TestFileSystems(t *testing.T) {
	if !*fileSystems {
		t.Skip("mounting file systems takes root and a while: see make nerve-direct")
	}
	device := func(t *testing.T, sector, kind string) string {
		if _, err := exec.LookPath("mkfs." + kind); err != nil {
			t.Skip(err)
		}
		image, dir := filepath.Join(t.TempDir(), "image"), t.TempDir()
		if err := os.WriteFile(image, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(image, 1<<30); err != nil {
			t.Fatal(err)
		}
		device := command(t, "losetup", "--find", "--show", "--sector-size", sector, image)
		t.Cleanup(func() { command(t, "losetup", "--detach", device) })
		command(t, "mkfs."+kind, "-q", device)
		command(t, "mount", device, dir)
		t.Cleanup(func() { unmount(t, dir) })
		return dir
	}
	for _, c := range []struct {
		name  string
		takes bool
		mount func(t *testing.T) string
	}{
		{"ext4, sectors of 512", true, func(t *testing.T) string {
			return device(t, "512", "ext4")
		}},
		{"ext4, sectors of 4096", true, func(t *testing.T) string {
			return device(t, "4096", "ext4")
		}},
		{"xfs, sectors of 512", true, func(t *testing.T) string {
			return device(t, "512", "xfs")
		}},
		{"xfs, sectors of 4096", true, func(t *testing.T) string {
			return device(t, "4096", "xfs")
		}},
		{"overlay on ext4", true, func(t *testing.T) string {
			below, dir := device(t, "512", "ext4"), t.TempDir()
			var options []string
			for _, part := range []string{"lower", "upper", "work"} {
				path := filepath.Join(below, part)
				if err := os.Mkdir(path, 0o700); err != nil {
					t.Fatal(err)
				}
				options = append(options, part+"dir="+path)
			}
			command(t, "mount", "-t", "overlay", "-o", strings.Join(options, ","), "overlay", dir)
			t.Cleanup(func() { unmount(t, dir) })
			return dir
		}},
		{"tmpfs", false, func(t *testing.T) string {
			dir := t.TempDir()
			command(t, "mount", "-t", "tmpfs", "tmpfs", dir)
			t.Cleanup(func() { unmount(t, dir) })
			return dir
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := seglog.Options{SegmentSize: 64 << 10, MaxRecord: 10_000, MaxBatch: 60_000}
			o.SetDirect(64<<10, func() bool { return true })
			root := c.mount(t)
			folder := func(t *testing.T) string {
				dir, err := os.MkdirTemp(root, "log")
				if err != nil {
					t.Fatal(err)
				}
				return dir
			}
			l := open(t, folder(t), o)
			for id := nerve.ID(1); id < 100; id++ {
				appendSized(t, l, id, int(id)*50)
			}
			s := l.Stats()
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
			t.Logf("%d of %d appends were direct; %s", s.DirectAppends, s.Appends,
				s.DirectRefused)
			if c.takes != (s.DirectAppends == 99) || c.takes != (s.DirectRefused == "") {
				t.Error("that is not what this file system is known for")
			}
			nervetest.Run(t, func(t *testing.T) nervetest.Backend {
				return backend{dir: folder(t), options: o}
			})
		})
	}
}

// command runs a program and returns the line that it prints.
func command(t *testing.T, name string, arguments ...string) string {
	t.Helper()
	out, err := exec.Command(name, arguments...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %q: %v: %s", name, arguments, err, out)
	}
	return strings.TrimSpace(string(out))
}

// unmount takes a file system away as soon as nobody has a file of it: some tests
// of the contract leave logs open, as processes do that are killed.
func unmount(t *testing.T, dir string) { command(t, "umount", "--lazy", dir) }
