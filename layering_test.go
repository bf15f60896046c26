package octopus_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"
)

const module = "github.com/octopus-framework/octopus"

// layers says who may import what, tests left out. A package that is not listed may not exist.
// Paths of ours are written without the module; "std" stands for the whole standard library; a name
// that ends in /... for a module or folder.
//
// The order is that of the arrow in ARCHITECTURE.md: nothing imports from further down.
var layers = []struct {
	pkg  string
	uses string
}{
	// The runtime. No fmt, no reflect: a program that only uses generated code must stay small and
	// run under TinyGo.
	{"/gremlin/rt",
		"iter math math/bits runtime slices strconv strings sync sync/atomic unicode/utf8 unsafe"},
	{"/gremlin/rt/contract1", ""},
	{"/gremlin/json/rt",
		"math math/bits slices strconv strings sync sync/atomic unicode/utf8 unsafe /gremlin/rt"},
	{"/gremlin/wkt",
		"errors iter math slices strconv strings time unicode/utf8 /gremlin/rt /gremlin/rt/contract1 /gremlin/json /gremlin/json/rt"},
	{"/gremlin/guard", "os syscall"},
	{"/gremlin/gogo", "bytes cmp encoding/binary errors io math math/bits math/rand/v2 runtime slices strconv sync/atomic unicode/utf8 unsafe"},
	{"/gremlin/gogo/contract1", ""},
	{"/gremlin/std", "strconv time /gremlin/gogo"},
	{"/gremlin/std/field", "bytes time /gremlin/rt /gremlin/json/rt /gremlin/wkt"},
	{"/gremlin/descriptor",
		"iter /gremlin/rt /gremlin/rt/contract1 /gremlin/json /gremlin/json/rt"},

	// What people use of it.
	{"/gremlin", "bufio io reflect strconv strings /gremlin/rt /gremlin/guard"},
	{"/gremlin/json", "/gremlin/json/rt"},
	{"/gremlin/internal/wire", "encoding/binary"},
	{"/gremlin/patch",
		"encoding/binary strconv strings unicode/utf8 /gremlin/dynamic /gremlin/internal/wire /gremlin/rt"},
	{"/gremlin/anatomy",
		"encoding/binary math strconv strings unicode unicode/utf8 /gremlin/dynamic /gremlin/internal/wire"},
	{"/gremlin/dynamic",
		"cmp encoding/binary iter math slices strconv strings unsafe /gremlin /gremlin/descriptor /gremlin/internal/wire /gremlin/json /gremlin/json/rt /gremlin/rt"},

	// The rules of buf.validate. What generated code calls, and what people use of it.
	{"/gremlin/validate/rt",
		"cmp slices strconv strings time unicode/utf8 /gremlin/rt"},
	{"/gremlin/validate", "/gremlin/validate/rt"},

	// The compiler.
	{"/internal/compiler/schema", "iter"},
	{"/compiler/report", "std github.com/rivo/uniseg"},
	{"/internal/compiler/validate/ruletypes", "fmt slices strconv strings sync"},
	{"/compiler/source", "std /compiler/report /internal/compiler/validate/ruletypes"},
	{"/internal/compiler/syntax", "std /compiler/report"},
	{"/internal/compiler/describe",
		"std /compiler/report /internal/compiler/syntax google.golang.org/protobuf/..."},
	{"/internal/compiler/link",
		"std /internal/compiler/describe /compiler/report google.golang.org/protobuf/types/descriptorpb"},
	{"/internal/compiler/features", "std google.golang.org/protobuf/types/descriptorpb"},
	{"/internal/compiler/lower",
		"std /internal/compiler/features /compiler/report /internal/compiler/schema google.golang.org/protobuf/proto google.golang.org/protobuf/reflect/protoreflect google.golang.org/protobuf/types/descriptorpb"},
	{"/internal/compiler/options",
		"std /internal/compiler/describe /internal/compiler/features /internal/compiler/link /compiler/report /compiler/source /internal/compiler/syntax google.golang.org/protobuf/encoding/protowire google.golang.org/protobuf/proto google.golang.org/protobuf/types/descriptorpb"},
	{"/internal/compiler/rules",
		"std /internal/compiler/describe /internal/compiler/features /internal/compiler/link /compiler/report /internal/compiler/syntax google.golang.org/protobuf/..."},
	{"/compiler",
		"std /internal/compiler/schema /compiler/report /internal/compiler/lower /compiler/source /internal/compiler/syntax /internal/compiler/describe /internal/compiler/link /internal/compiler/options /internal/compiler/rules google.golang.org/protobuf/..."},
	{"/internal/compiler/backend",
		"std /compiler/report /internal/compiler/schema github.com/bmatcuk/doublestar/v4 google.golang.org/protobuf/types/descriptorpb"},
	{"/internal/compiler/golang/stubs", "std /internal/compiler/schema"},
	{"/internal/compiler/golang",
		"std /compiler/report /internal/compiler/backend /internal/compiler/golang/stubs /internal/compiler/lower /internal/compiler/schema /internal/compiler/validate google.golang.org/protobuf/encoding/protowire google.golang.org/protobuf/types/descriptorpb"},
	{"/internal/compiler/typescript",
		"std /compiler/report /internal/compiler/backend /internal/compiler/schema"},
	{"/internal/compiler/config",
		"std /compiler/report /internal/compiler/backend go.yaml.in/yaml/v3 github.com/bmatcuk/doublestar/v4"},
	// The command and the plugin know backends, and no language or shape of code.
	{"/internal/compiler/driver",
		"std /compiler /compiler/report /compiler/source /internal/compiler/backend /internal/compiler/config /internal/compiler/plugin/host /internal/compiler/schema google.golang.org/protobuf/..."},
	{"/internal/compiler/protoc", "std /internal/compiler/plugin/host"},
	{"/internal/compiler/plugin/host", "std /compiler google.golang.org/protobuf/..."},
	{"/internal/compiler/plugin",
		"std /compiler/report /internal/compiler/backend /internal/compiler/features /internal/compiler/lower /internal/compiler/schema google.golang.org/protobuf/..."},
	{"/internal/compiler/backend/all",
		"/internal/compiler/backend /internal/compiler/gogo /internal/compiler/golang /internal/compiler/typescript"},

	// The wing for gogo/protobuf. Only the list of backends and the command gremlin-migrate lead
	// there: TestGogoIsAWing.
	{"/internal/compiler/gogo",
		"std /compiler/report /internal/compiler/backend /internal/compiler/gogo/... /internal/compiler/golang google.golang.org/protobuf/types/descriptorpb"},
	{"/internal/compiler/gogo/gogoproto", "fmt path strings"},
	{"/internal/compiler/gogo/options", "std /compiler/report google.golang.org/protobuf/..."},
	{"/internal/compiler/gogo/shape",
		"std /internal/compiler/gogo/options /internal/compiler/golang /internal/compiler/golang/stubs /compiler/report /internal/compiler/schema google.golang.org/protobuf/..."},
	{"/internal/compiler/gogo/migrate/sidebyside", "std"},
	{"/internal/compiler/gogo/migrate",
		"std /compiler/source /internal/compiler/backend /internal/compiler/backend/all /internal/compiler/config /internal/compiler/driver /internal/compiler/gogo/gogoproto /internal/compiler/golang /internal/compiler/gogo/migrate/sidebyside google.golang.org/protobuf/..."},
	{"/internal/compiler/validate",
		"std /compiler/report /internal/compiler/schema /internal/compiler/validate/ruletypes google.golang.org/protobuf/..."},
	{"/internal/compiler/vet", "std golang.org/x/tools/go/analysis"},
	{"/internal/dynamic",
		"std /compiler /compiler/report /compiler/source /internal/compiler/gogo/gogoproto /gremlin /gremlin/dynamic /gremlin/json github.com/bmatcuk/doublestar/v4"},
	{"/internal/oracle", "os slices strings testing"},
	{"/internal/oracle/chromium", "std /internal/oracle"},
	{"/internal/released", "std golang.org/x/mod/... golang.org/x/tools/txtar"},
	{"/internal/version", "runtime/debug strings"},
	{"/internal/cli/exitcode", ""},
	{"/internal/cli",
		"std /compiler/report /internal/cli/exitcode github.com/spf13/cobra github.com/spf13/pflag golang.org/x/term"},
	{"/internal/oracle/kafkatest", "std"},
	{"/internal/corpus", "std /compiler/... /internal/compiler/driver /internal/compiler/schema"},
	{"/internal/oracle/sqlservers", "std"},
	{"/internal/wktgen", "std /compiler /internal/compiler/schema /internal/compiler/golang"},
	{"/internal/wktprint", "std google.golang.org/protobuf/..."},

	// Frames for transports. They carry bytes, too.
	{"/frame",
		"std github.com/klauspost/compress/gzip github.com/klauspost/compress/s2 github.com/klauspost/compress/zlib github.com/klauspost/compress/zstd github.com/pierrec/lz4/v4"},

	// The queue. It carries bytes and knows nothing of protobuf.
	{"/nerve", "std /gremlin/guard golang.org/x/sync/semaphore"},
	{"/nerve/internal/fit", "/nerve"},
	{"/nerve/internal/keyed", "std /nerve"},
	{"/internal/nerveyaml", "std /nerve go.yaml.in/yaml/v3"},
	{"/internal/place", "std /nerve"},
	{"/nerve/internal/claims", "std /nerve"},
	{"/nerve/internal/wire", "std /nerve /nerve/internal/fit /nerve/lease"},
	{"/nerve/remote", "std /nerve /nerve/internal/wire /nerve/lease"},
	{"/nerve/vfs", "std golang.org/x/sys/unix"},
	{"/nerve/memlog", "std /nerve /nerve/internal/claims /nerve/internal/keyed"},
	{"/nerve/nervetest", "std /nerve /nerve/lease"},
	{"/nerve/lease", "std /nerve"},
	{"/nerve/work/deadletter",
		"/gremlin/json /gremlin/json/rt /gremlin/rt /gremlin/rt/contract1 /gremlin/wkt"},
	{"/nerve/work", "std /nerve /nerve/lease /nerve/work/deadletter /gremlin/wkt"},
	{"/nerve/envelope/envelopepb", "/gremlin/rt /gremlin/rt/contract1"},
	{"/nerve/envelope", "std /gremlin /nerve /nerve/envelope/envelopepb /nerve/work"},
	{"/nerve/queues", "std /nerve /nerve/seglog"},
	{"/nerve/seglog",
		"std /nerve /nerve/internal/claims /nerve/internal/keyed /nerve/vfs github.com/klauspost/compress/s2 github.com/klauspost/compress/zstd github.com/pierrec/lz4/v4"},
	{"/nerve/kafkalog",
		"std /nerve /nerve/internal/claims /nerve/internal/fit /nerve/internal/keyed github.com/klauspost/compress/s2 github.com/klauspost/compress/zstd github.com/pierrec/lz4/v4 github.com/twmb/franz-go/pkg/kerr github.com/twmb/franz-go/pkg/kgo github.com/twmb/franz-go/pkg/kmsg github.com/twmb/franz-go/pkg/sasl/..."},
	{"/nerve/sqllog",
		"std /nerve /nerve/internal/claims github.com/go-sql-driver/mysql github.com/jackc/pgx/v5/... github.com/klauspost/compress/s2"},
	{"/nerve/open", "std /nerve /nerve/kafkalog /nerve/remote /nerve/seglog /nerve/sqllog"},
	{"/nerve/serve/internal/core",
		"std /nerve /nerve/envelope /nerve/internal/wire /nerve/lease /nerve/queues /nerve/seglog"},
	{"/nerve/serve/internal/web",
		"std /compiler /gremlin/anatomy /gremlin/dynamic /gremlin/rt /internal/dynamic /internal/nerveyaml /internal/place /nerve /nerve/internal/wire /nerve/lease /nerve/query /nerve/query/column /nerve/query/format /nerve/serve/internal/core"},
	{"/nerve/serve/internal/sample", "std /examples/deposits/shop/v1 /gremlin/wkt"},
	{"/nerve/serve/internal/demo",
		"std /nerve /nerve/seglog /nerve/serve/internal/core /nerve/serve/internal/sample /nerve/serve/internal/serve"},
	{"/nerve/serve/internal/frames",
		"std /nerve /nerve/internal/wire /nerve/lease /nerve/serve/internal/core"},
	{"/nerve/serve/internal/serve",
		"std /nerve /nerve/internal/wire /nerve/queues /nerve/serve/internal/core /nerve/serve/internal/frames /nerve/serve/internal/web"},
	{"/nerve/serve",
		"std /internal/nerveyaml /nerve /nerve/seglog /nerve/serve/internal/core /nerve/serve/internal/serve /nerve/serve/internal/web"},
	{"/nerve/query/column", "/gremlin/dynamic"},
	{"/nerve/query/internal/project", "std /gremlin/dynamic /nerve/query/column"},
	{"/nerve/query/internal/expr",
		"std /gremlin/dynamic /gremlin/gremlincel/celtypes /nerve/query/column /nerve/query/internal/project cel.dev/cel-go/..."},
	{"/nerve/query/internal/agg", "std /nerve/query/column"},
	{"/nerve/query",
		"std /gremlin/dynamic /nerve /nerve/query/column /nerve/query/internal/..."},
	{"/nerve/query/format",
		"std /gremlin/dynamic /gremlin/json /nerve/query /nerve/query/column"},
	{"/nerve/nerveotel", "std /nerve /nerve/seglog /nerve/work go.opentelemetry.io/otel/..."},
	{"/nerve/nervestorage/internal/store", "std /nerve /nerve/seglog /nerve/vfs"},
	{"/nerve/nervestorage",
		"std /nerve /nerve/nervestorage/internal/store /nerve/seglog go.opentelemetry.io/... go.uber.org/zap/exp/zapslog"},
	{"/nerve/nervestorage/internal/collector", ""},
	{"/nerve/nervestorage/internal/suites", ""},
	{"/nerve/nervecollector", ""},
	{"/nerve/nervecollector/internal/place",
		"std /nerve /nerve/remote /nerve/seglog go.uber.org/zap go.uber.org/zap/exp/zapslog"},
	{"/nerve/nervecollector/nerveexporter",
		"std /nerve /nerve/nervecollector/internal/place /nerve/seglog go.opentelemetry.io/..."},
	{"/nerve/nervecollector/nervereceiver",
		"std /nerve /nerve/nervecollector/internal/place /nerve/work go.opentelemetry.io/... go.uber.org/zap"},

	// The tracer. Its run-time part is compiled into programs that are traced: the standard library
	// alone.
	{"/functrace", "std"},
	{"/functrace/httpdebug", "std /functrace"},
	{"/functrace/inject/rt", "std"},
	{"/functrace/inject", "embed"},
	{"/internal/trace/inject", "std /functrace/inject"},
	{"/internal/trace/report/profile", "iter /gremlin/rt /gremlin/rt/contract1"},
	{"/internal/trace/report/perfetto", "iter /gremlin/rt /gremlin/rt/contract1"},
	{"/internal/trace/report/otlp", "iter /gremlin/rt /gremlin/rt/contract1"},
	{"/internal/trace/report", "std /functrace/inject/rt /internal/trace/report/..."},
	{"/functrace/otel", "std /internal/trace/report go.opentelemetry.io/otel/..."},

	// gRPC. Generated code calls it; everything heavy is in modules of its own or in tests.
	{"/gremlin/gremlingrpc",
		"std /gremlin /gremlin/guard google.golang.org/grpc/... google.golang.org/grpc google.golang.org/genproto/googleapis/rpc/status google.golang.org/protobuf/types/known/anypb"},
	{"/gremlin/gremlingrpc/fallback",
		"std /gremlin/gremlingrpc /gremlin/gremlingrpc/grpcjson google.golang.org/grpc google.golang.org/grpc/codes google.golang.org/grpc/encoding google.golang.org/grpc/mem google.golang.org/grpc/metadata google.golang.org/grpc/status"},
	{"/gremlin/gremlingrpcotel", "std /gremlin/gremlingrpc go.opentelemetry.io/otel/..."},
	{"/gremlin/gremlincmp", "std /gremlin /gremlin/rt github.com/google/go-cmp/cmp"},
	{"/gremlin/gremlincel/celtypes", "std /gremlin/dynamic cel.dev/cel-go/..."},
	{"/gremlin/gremlincel",
		"std /gremlin /gremlin/dynamic /gremlin/gremlincel/celtypes /gremlin/validate /gremlin/validate/rt cel.dev/cel-go/... google.golang.org/protobuf/encoding/protowire"},
	{"/gremlin/gremlingrpcprom",
		"std /gremlin/gremlingrpc github.com/prometheus/client_golang/prometheus"},
	{"/gremlin/gremlingrpc/rt",
		"std /gremlin/gremlingrpc google.golang.org/grpc google.golang.org/grpc/codes google.golang.org/grpc/encoding google.golang.org/grpc/status"},
	{"/gremlin/gremlingrpc/contract1", ""},
	{"/gremlin/gremlingrpc/grpcjson",
		"std /gremlin /gremlin/gremlingrpc /gremlin/json /gremlin/json/rt google.golang.org/grpc google.golang.org/grpc/encoding google.golang.org/grpc/mem google.golang.org/protobuf/encoding/protojson google.golang.org/protobuf/proto"},
	{"/gremlin/gremlingrpc/grpcreflect",
		"std /gremlin/gremlingrpc/rt google.golang.org/grpc google.golang.org/grpc/reflection/... google.golang.org/protobuf/..."},
	{"/gremlin/gremlingrpc/internal/shop",
		"std /gremlin/rt /gremlin/rt/contract1 /gremlin/gremlingrpc/contract1 /gremlin/json /gremlin/json/rt /gremlin/wkt /gremlin/gremlingrpc/rt google.golang.org/grpc"},

	// The same for connect.
	{"/gremlin/gremlinconnect",
		"std /gremlin /gremlin/json /gremlin/json/rt /gremlin/gremlinconnect/rt connectrpc.com/connect/v2/..."},
	{"/gremlin/gremlinconnect/rt",
		"std connectrpc.com/connect/v2 connectrpc.com/connect/v2/connectproto"},
	{"/gremlin/gremlinconnect/contract1", ""},
	{"/gremlin/gremlinconnect/internal/shop",
		"std /gremlin/rt /gremlin/rt/contract1 /gremlin/json /gremlin/json/rt"},
	{"/gremlin/gremlinconnect/internal/shop/shopconnect",
		"std connectrpc.com/connect/v2 /gremlin/gremlinconnect /gremlin/gremlinconnect/contract1 /gremlin/gremlinconnect/rt /gremlin/gremlinconnect/internal/shop"},

	// Commands and examples.
	{"/cmd/gremlin",
		"std /compiler/... /internal/compiler/backend /internal/compiler/backend/all /internal/compiler/config /internal/compiler/driver /internal/compiler/plugin/host /internal/compiler/protoc /internal/dynamic /internal/cli /internal/cli/exitcode /internal/version /gremlin /gremlin/anatomy /gremlin/dynamic github.com/spf13/cobra github.com/spf13/pflag google.golang.org/protobuf/..."},
	{"/cmd/gremlin-migrate",
		"std /compiler/report /internal/compiler/driver /internal/compiler/gogo/migrate /internal/cli /internal/version github.com/spf13/cobra"},
	{"/cmd/gremlin-vet",
		"std /internal/compiler/vet golang.org/x/tools/go/analysis/unitchecker"},
	{"/cmd/protoc-gen-gremlin",
		"std /internal/compiler/backend/all /internal/compiler/plugin /internal/version"},
	{"/cmd/nerve/internal/arrowsink",
		"io github.com/apache/arrow-go/v18/... /nerve/query /nerve/query/column /nerve/query/format"},
	{"/cmd/nerve/internal/open", "std /nerve /nerve/open /nerve/remote /nerve/seglog"},
	{"/cmd/nerve",
		"std /nerve /nerve/seglog /nerve/remote /nerve/serve /nerve/sqllog /cmd/nerve/internal/open /gremlin/anatomy /gremlin/dynamic /nerve/query /nerve/query/format /compiler /internal/dynamic /internal/nerveyaml /internal/place /internal/cli /internal/cli/exitcode /internal/version /nerve/queues /nerve/work/deadletter github.com/spf13/cobra"},
	{"/cmd/functrace",
		"std /functrace/inject/rt /internal/cli/exitcode /internal/trace/... /internal/version"},
	{"/examples/chains", "std"},
	{"/examples/shop", "std /examples/shop/shop/v1 /examples/shop/shop/v1/shopv1connect /gremlin/gremlinconnect /gremlin/gremlingrpc /gremlin/gremlingrpc/grpcreflect /nerve /nerve/seglog connectrpc.com/connect/v2 connectrpc.com/connect/v2/connecthttp google.golang.org/grpc google.golang.org/grpc/credentials/insecure"},
	{"/examples/shop/shop/v1", "std /gremlin/rt /gremlin/rt/contract1 /gremlin/json /gremlin/json/rt /gremlin/gremlingrpc/rt /gremlin/gremlingrpc/contract1 google.golang.org/grpc"},
	{"/examples/shop/shop/v1/shopv1connect", "std /examples/shop/shop/v1 /gremlin/gremlinconnect /gremlin/gremlinconnect/contract1 /gremlin/gremlinconnect/rt connectrpc.com/connect/v2"},
	{"/examples/queue", "std /nerve /nerve/seglog"},
	{"/examples/outbox/totals", "std"},
	{"/examples/outbox",
		"std /examples/outbox/totals /nerve /nerve/sqllog /internal/oracle/sqlservers golang.org/x/sync/errgroup"},
	{"/examples/deposits", "std /examples/deposits/... /gremlin/... /nerve /nerve/seglog"},
	{"/examples/deposits/shop/v1",
		"iter /gremlin/rt /gremlin/rt/contract1 /gremlin/json /gremlin/json/rt /gremlin/wkt"},
	{"/examples/signup", "std /examples/signup/... /gremlin/validate"},
	{"/examples/signup/accounts/v1",
		"iter regexp sync time /gremlin/rt /gremlin/rt/contract1 /gremlin/json /gremlin/json/rt /gremlin/validate/rt /gremlin/wkt"},
	{"/examples/pproftop", "std /examples/pproftop/..."},
	{"/examples/pproftop/profile", "iter /gremlin/rt /gremlin/rt/contract1"},
}

// oracles is what tests compare with: the work is done by gremlin/dynamic.
var oracles = []string{"google.golang.org/protobuf/types/dynamicpb",
	"google.golang.org/protobuf/encoding/protojson",
	"google.golang.org/protobuf/encoding/prototext"}

// foreign is the packages that handle messages of protobuf-go all the same: those of programs that
// use both, and extensions in what its reflection service is asked for.
var foreign = []string{"/gremlin/gremlingrpc/grpcjson", "/gremlin/gremlingrpc/grpcreflect"}

func TestLayering(t *testing.T) {
	listed := map[string]bool{}
	imports := map[string][]string{}
	for _, dir := range published(t) {
		for _, line := range goList(t, dir, `{{.ImportPath}} {{join .Imports " "}}`) {
			f := strings.Fields(line)
			imports[f[0]] = f[1:]
		}
	}
	for _, l := range layers {
		pkg := module + l.pkg
		listed[pkg] = true
		used, ok := imports[pkg]
		if !ok {
			t.Errorf("%s is listed and does not exist", l.pkg)
		}
		for _, imp := range used {
			if !allowed(imp, strings.Fields(l.uses)) {
				t.Errorf("%s may not import %s", l.pkg, imp)
			}
			if slices.Contains(oracles, imp) && !slices.Contains(foreign, l.pkg) {
				t.Errorf("%s imports %s, which is an oracle of tests", l.pkg, imp)
			}
		}
		for _, use := range strings.Fields(l.uses) {
			if !slices.ContainsFunc(used, func(imp string) bool {
				return allowed(imp, []string{use})
			}) {
				t.Errorf("%s may import %s and does not", l.pkg, use)
			}
		}
	}
	for pkg := range imports {
		if !listed[pkg] && pkg != module {
			t.Errorf("%s is not listed in layering_test.go: say what it may import", pkg)
		}
	}
}

// published returns the folders of the modules that go.work joins, those of conformance left out.
func published(t *testing.T) (dirs []string) {
	t.Helper()
	work, err := os.ReadFile("go.work")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(work)) {
		dir := strings.TrimSpace(line)
		if strings.HasPrefix(dir, ".") && !strings.HasPrefix(dir, "./conformance") {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// isPublic tells whether others than this repository can import a package: it is none of a command,
// an example or a test.
func isPublic(pkg string) bool {
	return !strings.Contains(pkg+"/", "/internal/") && !strings.HasPrefix(pkg, "/cmd/") &&
		!strings.HasPrefix(pkg, "/examples/")
}

// forCode is what docs/compatibility.md says of packages that only generated code calls.
const forCode = "generated code alone"

// TestPublic compares the packages that can be imported with those of docs/compatibility.md, which
// says what is promised of each. The package doc of those for generated code says so in its first
// line, so that nobody looks for something there.
func TestPublic(t *testing.T) {
	said := publicPackages(t)
	for _, l := range layers {
		who, listed := said[l.pkg]
		delete(said, l.pkg)
		switch {
		case !isPublic(l.pkg):
		case !listed:
			t.Errorf("%s can be imported, and docs/compatibility.md does not list it", l.pkg)
		case who == forCode:
			out, err := exec.Command("go", "list", "-f", "{{.Doc}}", module+l.pkg).Output()
			if first := string(out); err != nil || !strings.Contains(first,
				"generated code alone") {
				t.Errorf("%s: the first sentence of the package doc is %q and does not say %q (%v)",
					l.pkg, first, "for generated code alone", err)
			}
		}
	}
	for pkg := range said {
		if strings.HasPrefix(pkg, "/gremlin") || strings.HasPrefix(pkg, "/nerve") {
			t.Errorf("docs/compatibility.md lists %s, which is not public or does not exist", pkg)
		}
	}
}

// publicPackages reads docs/compatibility.md: who uses which package.
func publicPackages(t *testing.T) map[string]string {
	t.Helper()
	page, err := os.ReadFile("docs/compatibility.md")
	if err != nil {
		t.Fatal(err)
	}
	said := map[string]string{} // packages to who uses them
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(line, "|")
		if len(cells) < 5 || !strings.HasPrefix(cells[1], " `") {
			continue
		}
		for name := range strings.SplitSeq(cells[1], ",") {
			said["/"+strings.Trim(name, " `")] = strings.TrimSpace(cells[2])
		}
	}
	return said
}

// TestGogoIsAWing holds all that is there for gogo/protobuf together: outside of its folder only
// the list of backends and the command import it, so that it can be cut off. internal/dynamic takes
// gogo.proto, and nothing else: programs that read .proto files have no backends.
func TestGogoIsAWing(t *testing.T) {
	const wing = "/internal/compiler/gogo"
	for _, l := range layers {
		for _, use := range strings.Fields(l.uses) {
			leads := allowed(module+wing, []string{use}) || strings.HasPrefix(use, wing)
			inside := strings.HasPrefix(l.pkg, wing)
			proto := l.pkg == "/internal/dynamic" && use == wing+"/gogoproto"
			if leads && !inside && !proto && l.pkg != "/internal/compiler/backend/all" &&
				l.pkg != "/cmd/gremlin-migrate" {
				t.Errorf("%s may import %s: that wing is to be cut off one day", l.pkg, use)
			}
		}
	}
}

func allowed(imp string, uses []string) bool {
	return slices.ContainsFunc(uses, func(use string) bool {
		if use == "std" {
			return !strings.Contains(strings.Split(imp, "/")[0], ".")
		}
		if strings.HasPrefix(use, "/") {
			use = module + use
		}
		if prefix, ok := strings.CutSuffix(use, "/..."); ok {
			return imp == prefix || strings.HasPrefix(imp, prefix+"/")
		}
		return imp == use
	})
}

// goList runs go list with a template over all packages of the module in dir.
func goList(t *testing.T, dir, format string, args ...string) []string {
	t.Helper()
	cmd := exec.Command("go", append(append([]string{"list", "-f", format}, args...), "./...")...)
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list in %s: %v", dir, err)
	}
	return strings.Split(strings.TrimSpace(string(out)), "\n")
}

// TestSmallPrograms checks what a program that only uses generated code drags in.
func TestSmallPrograms(t *testing.T) {
	cmd := exec.Command("go", "list", "-deps", "./examples/pproftop/profile",
		"./examples/signup/accounts/v1")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	deps := strings.Fields(string(out))
	for _, dep := range deps {
		if dep == "fmt" || dep == "reflect" || dep == "encoding/json" {
			t.Errorf("generated code depends on %s", dep)
		}
		if strings.Contains(strings.Split(dep, "/")[0], ".") &&
			!strings.HasPrefix(dep, module+"/") {
			t.Errorf("generated code depends on %s, which is not ours", dep)
		}
	}
	if !slices.Contains(deps, module+"/gremlin/rt") {
		t.Errorf("generated code does not use the runtime: %v", deps)
	}
}

// TestTextIsLinkedWhereUsed builds a program that decodes and encodes and has package flag, which
// calls UnmarshalText of what implements encoding.TextUnmarshaler: the parser of the text format
// must not be in it.
func TestTextIsLinkedWhereUsed(t *testing.T) {
	program := filepath.Join(t.TempDir(), "deposits")
	if out, err := exec.Command("go", "build", "-o", program,
		"./examples/deposits").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	symbols, err := exec.Command("go", "tool", "nm", program).Output()
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(symbols), module+"/gremlin/rt.(*View)") {
		t.Error("the program has no symbols of the runtime")
	}
	if strings.Contains(string(symbols), module+"/gremlin/rt.(*textParser)") {
		t.Error("a program that reads no text has the parser of the text format")
	}
}

// requirements are all that the go.mod of some modules may require: who embeds one of them gets
// nothing else.
var requirements = map[string]string{
	"gremlin":         "",
	"functrace":       "",
	"internal/oracle": "",
	"internal/trace":  "/functrace /gremlin /internal/oracle",
	"nerve": "/gremlin github.com/klauspost/compress github.com/pierrec/lz4/v4 " +
		"golang.org/x/sync golang.org/x/sys",
}

// withCompiler are the modules that may require the root module, with the compiler and all that it
// requires; nerve/query does for its tests and its example alone.
var withCompiler = []string{"cmd/nerve", "nerve/query", "nerve/serve"}

// TestRequirements holds the go.mod files to these lists.
func TestRequirements(t *testing.T) {
	for _, dir := range published(t) {
		name := filepath.Join(dir, "go.mod")
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		mod, err := modfile.Parse(name, text, nil)
		if err != nil {
			t.Fatal(err)
		}
		dir = filepath.ToSlash(filepath.Clean(dir))
		uses, held := requirements[dir]
		for _, r := range mod.Require {
			if held && !allowed(r.Mod.Path, strings.Fields(uses)) {
				t.Errorf("%s may not require %s", dir, r.Mod.Path)
			}
			if r.Mod.Path == module && !slices.Contains(withCompiler, dir) {
				t.Errorf("%s may not require the module of the compiler", dir)
			}
		}
	}
}
