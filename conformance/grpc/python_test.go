package grpc

import (
	"bufio"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	"github.com/octopus-framework/octopus/conformance/grpc/peer"
	"github.com/octopus-framework/octopus/gremlin/gremlingrpc"
	"github.com/octopus-framework/octopus/gremlin/wkt"
	"github.com/octopus-framework/octopus/internal/oracle"
)

// python returns a command that runs testdata/run_peer.py with code generated for it.
func python(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	interpreter, err := filepath.Abs(filepath.Join("..", "..", ".tools", "python", "bin", "python"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(interpreter); err != nil {
		oracle.Skip(t, "grpcio", "Python's grpcio is not there; make tools installs it in .tools")
	}
	dir := t.TempDir()
	out, err := exec.Command(interpreter, "-m", "grpc_tools.protoc", "-I", ".", "--python_out="+dir,
		"--grpc_python_out="+dir,
		"peer/types.proto", "peer/peer.proto").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cmd := exec.Command(interpreter, append([]string{"testdata/run_peer.py"}, args...)...)
	cmd.Env = append(os.Environ(), "PYTHONPATH="+dir)
	cmd.Stderr = os.Stderr
	return cmd
}

// TestPythonClient has a client in Python call a server of gremlin.
func TestPythonClient(t *testing.T) {
	out, err := python(t, "call", serveMixed(t)).Output()
	if err != nil || strings.TrimSpace(string(out)) != "passed" {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestPythonServer calls a server in Python with gremlin's client.
func TestPythonServer(t *testing.T) {
	cmd := python(t, "serve")
	end, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		end.Close()
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}()
	port, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	conn, err := grpc.NewClient("localhost:"+strings.TrimSpace(port),
		grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	callPeer(t, peer.NewPeerClient(conn))
}

// item is a message of every kind of field.
func item(name string, size int) *peer.Item {
	i := &peer.Item{Name: name, Color: peer.Color_COLOR_RED, Numbers: []int32{-1, 0, 1 << 30},
		Data: make([]byte, size), Weight: -0.5,
		Parts: map[string]peer.Item{"größe": {Name: "part of " + name}, "empty": {}}}
	i.Time = wkt.TimestampOf(time.Unix(1800000000, 5))
	return i
}

// callPeer calls all methods of a Peer.
func callPeer(t *testing.T, c peer.PeerClient) {
	t.Helper()
	ctx := t.Context()
	for _, size := range []int{0, 1, 1024, 20000, 1000000} {
		want := item("a", size)
		a, err := c.Echo(ctx, &peer.Request{Item: want, Count: 3})
		if err != nil {
			t.Fatal(err)
		}
		for got := range a.Items() {
			if !got.ToMessage().Equal(want) {
				t.Errorf("%d bytes: %.200v", size, got)
			}
		}
		if a.LenItems() != 3 {
			t.Errorf("%d items", a.LenItems())
		}
	}
	s, err := c.Expand(ctx, &peer.Request{Item: item("b", 5000), Count: 100})
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for ; ; count++ {
		a, err := s.Recv()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		for got := range a.Items() {
			if !got.ToMessage().Equal(item("b", 5000)) {
				t.Errorf("%.200v", got)
			}
		}
	}
	if count != 100 {
		t.Errorf("%d answers", count)
	}
	in, err := c.Collect(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 100 {
		if err := in.Send(&peer.Request{Item: item("c", i)}); err != nil {
			t.Fatal(err)
		}
	}
	if a, err := in.CloseAndRecv(); err != nil || a.LenItems() != 100 {
		t.Errorf("%v, %v", a, err)
	}
	chat, err := c.Chat(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 50 {
		if err := chat.Send(&peer.Request{Item: item("d", 100*i), Count: 1}); err != nil {
			t.Fatal(err)
		}
		a, err := chat.Recv()
		if err != nil || a.LenItems() != 1 {
			t.Fatal(a, err)
		}
	}
	if err := chat.CloseSend(); err != nil {
		t.Fatal(err)
	}
	if _, err := chat.Recv(); !errors.Is(err, io.EOF) {
		t.Error(err)
	}
	_, err = c.Echo(ctx, &peer.Request{Item: item("e", 0), Code: int32(codes.FailedPrecondition)})
	var p peer.ProblemReader
	if found, e := gremlingrpc.Detail(err, &p); !found || e != nil ||
		p.GetText() != "detail of e" || status.Convert(err).Message() != "as asked" {
		t.Errorf("%v: %v, %v, %q", err, found, e, p.GetText())
	}
}
