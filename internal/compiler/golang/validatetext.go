package golang

import (
	"slices"
	"strconv"

	"github.com/octopus-framework/octopus/internal/compiler/validate"
)

// textFormats are the functions that tell whether a string is as a rule says, with the arguments
// behind the string. Where a value must not be empty, that is a rule of its own.
var textFormats = map[string][2]string{
	"email":               {"IsEmail"},
	"hostname":            {"IsHostname"},
	"ip":                  {"IsIP", ", 0"},
	"ipv4":                {"IsIP", ", 4"},
	"ipv6":                {"IsIP", ", 6"},
	"uri":                 {"IsURI"},
	"address":             {"IsAddress"},
	"uuid":                {"IsUUID"},
	"tuuid":               {"IsTrimmedUUID"},
	"ip_with_prefixlen":   {"IsIPPrefix", ", 0, false"},
	"ipv4_with_prefixlen": {"IsIPPrefix", ", 4, false"},
	"ipv6_with_prefixlen": {"IsIPPrefix", ", 6, false"},
	"ip_prefix":           {"IsIPPrefix", ", 0, true"},
	"ipv4_prefix":         {"IsIPPrefix", ", 4, true"},
	"ipv6_prefix":         {"IsIPPrefix", ", 6, true"},
	"host_and_port":       {"IsHostAndPort", ", true"},
	"ulid":                {"IsULID"},
	"protobuf_fqn":        {"IsName"},
	"protobuf_dot_fqn":    {"IsDotName"},
}

// textCondition returns the condition for a string.
func (v *validation) textCondition(check validate.Check, x string) string {
	call := func(pkg, name string) string {
		return v.use(pkg) + "." + name + "(" + x + ", " + v.constant(check.Arg) + ")"
	}
	switch check.Op {
	case "len", "min_len", "max_len":
		return size(v.check("Len")+"("+x+")", check)
	case "len_bytes", "min_bytes", "max_bytes":
		return size("len("+x+")", check)
	case "const":
		return x + " == " + v.constant(check.Arg)
	case "pattern":
		return v.pattern(check) + ".MatchString(" + x + ")"
	case "prefix":
		return call("strings", "HasPrefix")
	case "suffix":
		return call("strings", "HasSuffix")
	case "contains":
		return call("strings", "Contains")
	case "not_contains":
		return "!" + call("strings", "Contains")
	case "in", "not_in":
		return v.isIn(check, x)
	case "not_empty":
		return x + ` != ""`
	case "uri_ref":
		return v.check("IsURIReference") + "(" + x + ")"
	case "header_value":
		return v.check("IsHeaderValue") + "(" + x + ", " + strconv.FormatBool(check.Strict) + ")"
	case "header_name":
		return x + ` == "" || ` + v.check("IsHeaderName") + "(" + x + ", " +
			strconv.FormatBool(check.Strict) + ")"
	}
	format := textFormats[check.Op]
	return x + ` == "" || ` + v.check(format[0]) + "(" + x + format[1] + ")"
}

// bytesCondition returns the condition for bytes.
func (v *validation) bytesCondition(check validate.Check, x string) string {
	call := func(name string) string {
		return v.use("bytes") + "." + name + "(" + x + ", []byte(" + v.constant(check.Arg) + "))"
	}
	switch check.Op {
	case "const":
		return "string(" + x + ") == " + v.constant(check.Arg)
	case "len", "min_len", "max_len":
		return size("len("+x+")", check)
	case "pattern":
		return "!c.IsText(" + x + `, "bytes.pattern") || ` + v.pattern(check) + ".Match(" + x + ")"
	case "prefix":
		return call("HasPrefix")
	case "suffix":
		return call("HasSuffix")
	case "contains":
		return call("Contains")
	case "in", "not_in":
		in := v.check("BytesIn") + "(" + x
		for _, e := range check.Arg.([]any) {
			in += ", " + v.constant(e)
		}
		if check.Op == "not_in" {
			in = "!" + in
		}
		return in + ")"
	}
	n := "len(" + x + ")"
	switch check.Op {
	case "not_empty":
		return n + " != 0"
	case "ipv4":
		return n + " == 0 || " + n + " == 4"
	case "ip":
		return n + " == 0 || " + n + " == 4 || " + n + " == 16"
	}
	return n + " == 0 || " + n + " == 16" // ipv6 and uuid
}

// pattern returns the regular expression of a rule.
func (v *validation) pattern(check validate.Check) string {
	pattern := check.Arg.(string)
	i := slices.Index(v.patterns, pattern)
	if i < 0 {
		i = len(v.patterns)
		v.patterns = append(v.patterns, pattern)
	}
	return v.names.patternTable + "[" + strconv.Itoa(i) + "]()"
}
