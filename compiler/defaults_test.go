package compiler

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/octopus-framework/octopus/compiler/source"
)

// TestFloatDefaults compares defaults with those that protoc describes.
func TestFloatDefaults(t *testing.T) {
	for literal, want := range map[string][2]string{ // of a double and of a float
		"1.5":                         {"1.5", "1.5"},
		"0.1":                         {"0.1", "0.1"},
		"- /* minus */ 0.1":           {"-0.1", "-0.1"},
		"-0":                          {"-0", "-0"},
		".5":                          {"0.5", "0.5"},
		"5.":                          {"5", "5"},
		"0e1":                         {"0", "0"},
		"0777":                        {"511", "511"},
		"0xF":                         {"15", "15"},
		"-0xFFFFFFFFFFFFFFFF":         {"-1.8446744073709552e+19", "-1.84467441e+19"},
		"15e-151":                     {"1.5e-150", "0"},
		"18e-38":                      {"1.8e-37", "1.8e-37"},
		"0.051017E-7":                 {"5.1017e-09", "5.1017e-09"},
		"99999999999999999999":        {"1e+20", "1e+20"},
		"-702185068923437889789":      {"-7.0218506892343784e+20", "-7.02185069e+20"},
		"8.6804530714329667e+214":     {"8.6804530714329667e+214", "inf"},
		"0.096057566703384916362":     {"0.096057566703384917", "0.096057564"},
		"4.9e-324":                    {"4.94065645841247e-324", "0"},
		"1e400":                       {"inf", "inf"},
		"1e-45":                       {"1e-45", "1.40129846e-45"},
		"-1.5e-39":                    {"-1.5e-39", "-1.50000032e-39"},
		"-1e400":                      {"-inf", "-inf"},
		"inf":                         {"inf", "inf"},
		"-inf":                        {"-inf", "-inf"},
		"nan":                         {"nan", "nan"},
		"1177151620.661099069":        {"1177151620.661099", "1.17715162e+09"},
		"-457990313212":               {"-457990313212", "-4.57990308e+11"},
		"16777217":                    {"16777217", "16777216"},
		"9007199254740993":            {"9007199254740992", "9.00719925e+15"},
		"123456789012345678901.5e-10": {"12345678901.234568", "1.23456788e+10"},
	} {
		dir := t.TempDir()
		text := fmt.Sprintf(
			"syntax = \"proto2\"; package p; message A { message B { optional double d = 1 [default = %s]; } extensions 4; extend A { optional float f = 4 [default = %s]; } }",
			literal, literal)
		if err := os.WriteFile(filepath.Join(dir, "a.proto"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		res := Compile(t.Context(), Options{Sources: source.New(dir), Files: []string{"a.proto"}})
		if res.Schema == nil {
			t.Errorf("%s: %v", literal, res.Diagnostics)
			continue
		}
		a := res.Descriptors.File[0].MessageType[0]
		if got := [2]string{a.NestedType[0].Field[0].GetDefaultValue(),
			a.Extension[0].GetDefaultValue()}; got != want {
			t.Errorf("%s: %q, want %q", literal, got, want)
		}
	}
}

// TestOtherDefaults compares descriptions of other defaults with what protoc makes of them.
func TestOtherDefaults(t *testing.T) {
	protoc := ourProtoc(t)
	for c, want := range map[[2]string]string{
		{"string", `"\xff\ud83d\ude00"`}:              "\xff\U0001f600",
		{"string", `"\ud83d" 'x' /* y */ "\n"`}:       "\xed\xa0\xbdx\n",
		{"bytes", `"\xff\ud83d\n\t\r'\"\\\x7f\0? ~"`}: `\377\355\240\275\n\t\r\'\"\\\177\000? ~`,
		{"E", `TWO`}:       "TWO", // ONE has the same number
		{"E", `ONE`}:       "ONE",
		{"bool", `true`}:   "true",
		{"int32", `-0x10`}: "-16",
	} {
		dir := t.TempDir()
		text := fmt.Sprintf(
			"syntax = \"proto2\"; enum E { option allow_alias = true; ONE = 1; TWO = 1; } message A { optional %s a = 1 [default = %s]; }", c[0], c[1])
		if err := os.WriteFile(filepath.Join(dir, "a.proto"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		res := Compile(t.Context(), Options{Sources: source.New(dir), Files: []string{"a.proto"}})
		if res.Schema == nil {
			t.Errorf("%s: %v", c, res.Diagnostics)
			continue
		}
		if got := res.Descriptors.File[0].MessageType[0].Field[0].GetDefaultValue(); got != want {
			t.Errorf("%s: %q, want %q", c, got, want)
		}
		if protoc != "" {
			theirs, _, err := describedByProtoc(t, protoc, []string{dir}, "a.proto")
			if err != nil || theirs.File[0].MessageType[0].Field[0].GetDefaultValue() != want {
				t.Errorf("%s: protoc says %v %v", c, theirs, err)
			}
		}
	}
}
