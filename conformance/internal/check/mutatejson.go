package check

import (
	"math/rand/v2"
	"regexp"
	"strings"
)

// token matches the values and names of compact JSON.
var token = regexp.MustCompile(`"(?:[^"\\]|\\.)*":?|-?[0-9][0-9.eE+-]*|true|false|null|[{}\[\],]`)

// jsonValues is what a value may be replaced with.
var jsonValues = []string{`null`, `true`, `0`, `-0`, `1`, `-1`, `1.0`, `1.5`, `1e2`, `10e-1`,
	`0.1e1`, `"1"`, `"1e2"`, `" 1"`, `"0x1"`, `01`,
	`2147483648`, `-2147483649`, `4294967296`, `9223372036854775808`, `"18446744073709551615"`,
	`18446744073709551616`, `1e400`, `3.5e38`,
	`1e-400`, `"NaN"`, `"Infinity"`, `"-Infinity"`, `NaN`, `""`, `"a"`, `"\u0031"`,
	`"\ud83d\ude00"`, `"\ud83d"`, `"\ude00"`, `"\x"`, `"é"`,
	"\"\xff\"", "\"\x01\"", `"YQ=="`, `"YQ"`, `"-_-_"`, `"+/+/"`, `"+_"`, `"Y"`, `"YQ="`,
	`{}`, `[]`, `[null]`, `{"a":1}`, `[1,2]`, `["1"]`,
	`{"1":1}`, `{"true":1}`, `"1970-01-01T00:00:00Z"`, `"2024-02-29T23:59:59.5+01:00"`,
	`"2023-02-29T00:00:00Z"`, `"0001-01-01T00:00:00Z"`,
	`"0000-12-31T23:59:59Z"`, `"9999-12-31T23:59:59.999999999Z"`,
	`"1970-01-01T00:00:00.0000000001Z"`, `"1s"`, `"-0.5s"`, `"1.000000001s"`,
	`"315576000001s"`, `"fooBar,b.cD"`, `"foo_bar"`,
	`{"@type":"type.googleapis.com/google.protobuf.Duration","value":"1s"}`,
	`{"value":1,"@type":"type.googleapis.com/google.protobuf.Int32Value"}`,
	`{"@type":"x/octopus.test.known.Named","wide":1}`,
	`{"@type":""}`, `{"x":1}`, `"NULL_VALUE"`, `"[x]"`, `123456789012345678901234567890`,
	`0.000000000000000000000000000001`,
	`1.7976931348623157e308`, `5e-324`, `0.1234567890123456789`, `16777217`, `9007199254740993`}

// MutateJSON returns a variation of JSON: values replaced, repeated, removed and renamed, spaces
// put in, bytes changed.
func MutateJSON(rng *rand.Rand, text string, names []string) string {
	tokens := token.FindAllString(text, -1)
	for range 1 + rng.IntN(3) {
		if len(tokens) == 0 {
			break
		}
		i := rng.IntN(len(tokens))
		name := strings.HasSuffix(tokens[i], ":")
		switch rng.IntN(8) {
		case 0, 1, 2:
			if !name {
				tokens[i] = jsonValues[rng.IntN(len(jsonValues))]
			} else if len(names) > 0 {
				tokens[i] = `"` + names[rng.IntN(len(names))] + `":`
			}
		case 3:
			if len(names) > 0 {
				extra := `"` + names[rng.IntN(len(names))] + `":` +
					jsonValues[rng.IntN(len(jsonValues))]
				if tokens[0] == "{" && len(tokens) > 2 {
					tokens[0] = "{" + extra + ","
				} else {
					tokens = []string{"{" + extra + "}"}
				}
			}
		case 4:
			tokens[i] = " \t\r\n"[:rng.IntN(4)] + tokens[i] + " "
		case 5:
			tokens = append(tokens[:i], tokens[i+1:]...)
		case 6:
			tokens[i] += tokens[rng.IntN(len(tokens))]
		case 7:
			b := []byte(tokens[i])
			if len(b) > 0 {
				b[rng.IntN(len(b))] = byte(rng.IntN(256))
			}
			tokens[i] = string(b)
		}
	}
	return strings.Join(tokens, "")
}
