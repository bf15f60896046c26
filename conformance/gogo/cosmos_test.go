package gogo_test

import (
	"bytes"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/pluginpb"

	"github.com/octopus-framework/octopus/internal/oracle"
)

const cosmosVersion = "github.com/cosmos/gogoproto@v1.7.2"

// cosmos has what Cosmos' fork has and gogo has not: custom types of strings whose methods are
// called, types of whole lists, stubs on interfaces; and what its users use most.
const cosmos = `syntax = "proto3";
package cosmos;
import "gogoproto/gogo.proto";
import "google/protobuf/timestamp.proto";
import "google/protobuf/duration.proto";
option go_package = "github.com/octopus-framework/octopus/conformance/gogo/scratch/WHERE/cosmos";
option (gogoproto.equal_all) = true;
option (gogoproto.stable_marshaler_all) = true;
enum Status {
  option (gogoproto.goproto_enum_prefix) = false;
  STATUS_NONE = 0 [(gogoproto.enumvalue_customname) = "StatusNone"];
  STATUS_ONE = 1 [(gogoproto.enumvalue_customname) = "StatusOne"];
}
message Coin { string denom = 1; string amount = 2; }
message Msg {
  option (gogoproto.goproto_getters) = false;
  string value = 1 [(gogoproto.customtype) = "CUSTOM.ID", (gogoproto.nullable) = false];
  string pointer = 2 [(gogoproto.customtype) = "CUSTOM.ID"];
  repeated string amounts = 3 [(gogoproto.customtype) = "CUSTOM.ID", (gogoproto.nullable) = false];
  repeated Coin coins = 4 [(gogoproto.nullable) = false, (gogoproto.castrepeated) = "Coins"];
  google.protobuf.Timestamp at = 5 [(gogoproto.stdtime) = true, (gogoproto.nullable) = false];
  google.protobuf.Duration took = 6 [(gogoproto.stdduration) = true];
  bytes id = 7 [(gogoproto.casttype) = "CUSTOM.Blob", (gogoproto.customname) = "ID"];
  Coin coin = 8 [(gogoproto.embed) = true];
  Status status = 9;
  map<string, Coin> by_name = 10;
  repeated bytes raw = 11 [(gogoproto.customtype) = "CUSTOM.ID", (gogoproto.nullable) = false];
}
message Getters { repeated Coin coins = 1 [(gogoproto.nullable) = false, (gogoproto.castrepeated) = "Coins"]; }
service Bank { rpc Send(Msg) returns (Coin); rpc Watch(Coin) returns (stream Msg); }
`

// TestCosmos compares code of preset gocosmos with that of Cosmos' own plugin: layouts, bytes,
// texts, verdicts, the API and the stubs.
func TestCosmos(t *testing.T) {
	out, err := exec.Command("go", "mod", "download", "-json", cosmosVersion).Output()
	if err != nil {
		oracle.Skip(t, "modules", cosmosVersion+" cannot be had")
	}
	_, module, _ := strings.Cut(string(out), `"Dir": "`)
	module, _, _ = strings.Cut(module, `"`)
	dir := scratch(t)
	run(t, dir, "get", cosmosVersion)
	plugin := filepath.Join(t.TempDir(), "protoc-gen-gocosmos")
	run(t, dir, "get", "github.com/cosmos/gogoproto/protoc-gen-gocosmos@v1.7.2")
	run(t, dir, "build", "-o", plugin, "github.com/cosmos/gogoproto/protoc-gen-gocosmos")
	const custom = "github.com/octopus-framework/octopus/conformance/gogo/internal/custom"
	parameter := "plugins=grpc,Mgoogle/protobuf/timestamp.proto=" +
		"github.com/cosmos/gogoproto/types,Mgoogle/protobuf/duration.proto=" +
		"github.com/cosmos/gogoproto/types,paths=source_relative"
	for _, where := range []string{"old", "new"} {
		text := strings.NewReplacer("WHERE", where, "CUSTOM", custom).Replace(cosmos)
		write(t, dir, map[string]string{"cosmos/cosmos.proto": text})
		req := request(t, []string{dir, module}, parameter, "cosmos/cosmos.proto")
		files := ours(t, "gocosmos", req)
		if where == "old" {
			files = theirs(t, plugin, req)
		}
		for file, text := range files {
			if where == "old" {
				text = registerEnum.ReplaceAllString(text, "")
			}
			write(t, dir, map[string]string{where + "/" + file: text})
		}
		write(t, dir, map[string]string{where + "/cosmos/coins.go": "package cosmos\n\n" +
			"// Coins is a list with a name.\ntype Coins []Coin\n"})
	}
	pairs := ""
	for _, m := range []string{"Coin", "Msg", "Getters"} {
		pairs += fmt.Sprintf("\t{%[1]q, func() diff.Message { return new(old.%[1]s) }, "+
			"func() diff.Message { return new(ours.%[1]s) }},\n", m)
	}
	write(t, dir, map[string]string{"main.go": fmt.Sprintf(`package main

import (
	"fmt"

	"github.com/octopus-framework/octopus/conformance/gogo/internal/diff"
	old %q
	ours %q
)

func main() {
	stats, differences := diff.Run([]diff.Pair{
%s	}, diff.Options{Seed: 1, Rounds: 300})
	for _, d := range differences {
		fmt.Println("DIFFERENT", d)
	}
	fmt.Println(stats.Values, "values")
}
`, oldPath+"cosmos", newPath+"cosmos", pairs)})
	if got := run(t, dir, "run", "."); lastLine(got) != "900 values" ||
		strings.Contains(got, "DIFFERENT") {
		t.Error(got)
	}
	compareAPI(t, dir, "cosmos")
}

// theirs lets a plugin answer.
func theirs(t *testing.T, plugin string, req *pluginpb.CodeGeneratorRequest) map[string]string {
	t.Helper()
	data, err := proto.Marshal(req)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(plugin)
	cmd.Stdin = bytes.NewReader(data)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	resp := &pluginpb.CodeGeneratorResponse{}
	if err := proto.Unmarshal(out, resp); err != nil {
		t.Fatal(err)
	}
	return texts(t, resp)
}
