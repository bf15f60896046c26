package conformance

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/octopus-framework/octopus/conformance/internal/check"
	"github.com/octopus-framework/octopus/conformance/internal/gen/config"
	pbconfig "github.com/octopus-framework/octopus/conformance/internal/pb/config"
	"github.com/octopus-framework/octopus/gremlin/json"
	"github.com/octopus-framework/octopus/gremlin/wkt"
	"github.com/octopus-framework/octopus/internal/oracle"
)

// TestServiceConfigs reads published service configs, as their own message and as
// google.protobuf.Struct, and writes them again, beside protobuf-go.
func TestServiceConfigs(t *testing.T) {
	files, _ := filepath.Glob("../../shared/corpora/json/grpc_service_config/*.json")
	if len(files) == 0 {
		oracle.Skip(t, "shared", "../shared is not there")
	}
	typ, any := check.Of[config.ServiceConfigReader](&pbconfig.ServiceConfig{}),
		check.Of[wkt.StructReader](&structpb.Struct{})
	unknown, empty := 0, 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, typ := range []check.Type{typ, any} {
			if err := check.JSONText(typ, text, nil); err != nil {
				t.Errorf("%s: %v", filepath.Base(file), err)
			}
		}
		var m config.ServiceConfig
		if err := m.UnmarshalJSON(text); err != nil {
			unknown++
			if err := json.Unmarshal(text, &m, json.Options{DiscardUnknown: true}); err != nil {
				t.Errorf("%s: %v", filepath.Base(file), err)
			}
		}
		if len(m.MethodConfig) == 0 {
			empty++
		}
		if err := check.JSON(typ, m.Marshal(), nil); err != nil {
			t.Errorf("%s: %v", filepath.Base(file), err)
		}
	}
	if empty > len(files)/100 {
		t.Errorf("%d of %d files say nothing", empty, len(files))
	}
	t.Logf("%d files, %d of them with fields that the schema does not have", len(files), unknown)
}

// TestJSONTestSuite reads the files of github.com/nst/JSONTestSuite (MIT): y_ must be accepted, n_
// rejected.
func TestJSONTestSuite(t *testing.T) {
	files, _ := filepath.Glob("../../shared/corpora/json/JSONTestSuite/test_parsing/*.json")
	if len(files) == 0 {
		oracle.Skip(t, "shared", "../shared is not there")
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var v wkt.Value
		for what, err := range map[string]error{"Check": json.Check(text, json.Options{}),
			"Value": v.UnmarshalJSON(text)} {
			switch name := filepath.Base(file); {
			// A map has a key once, and a Value's number is a double: what else these say is not
			// about JSON.
			case what == "Value" && (strings.HasPrefix(name, "y_object_duplicated_key")):
			case name[0] == 'y' && err != nil:
				t.Errorf("%s: %s: %v", name, what, err)
			case name[0] == 'n' && err == nil:
				t.Errorf("%s: %s accepts it", name, what)
			}
		}
	}
	t.Logf("%d files", len(files))
}
