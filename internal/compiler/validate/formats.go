package validate

import (
	"fmt"
	"strings"
)

// notEmpty is what has to hold besides a format, and is a rule of its own.
const notEmpty = "not_empty"

// text adds the rules of a string.
func (c *checks) text(own *rules) {
	c.rule(own, "len", "must be %s characters")
	c.rule(own, "min_len", "must be at least %s characters")
	c.rule(own, "max_len", "must be at most %s characters")
	c.rule(own, "len_bytes", "must be %s bytes")
	c.rule(own, "min_bytes", "must be at least %s bytes")
	c.rule(own, "max_bytes", "must be at most %s bytes")
	c.rule(own, "const", "must equal `%s`")
	c.pattern(own, "does not match regex pattern `%s`")
	c.rule(own, "prefix", "does not have prefix `%s`")
	c.rule(own, "suffix", "does not have suffix `%s`")
	c.rule(own, "contains", "does not contain substring `%s`")
	c.rule(own, "not_contains", "contains substring `%s`")
	c.rule(own, "in", "must be in list %s")
	c.rule(own, "not_in", "must not be in list %s")
	for _, format := range textFormats {
		c.format(own, format[0], format[1])
	}
	if on, _ := own.get("uri_ref").(bool); on {
		c.add(Check{Op: "uri_ref", Message: "must be a valid URI Reference"})
	}
	c.header(own)
}

// bytes adds the rules of bytes.
func (c *checks) bytes(own *rules) {
	if v, ok := own.get("const").([]byte); ok {
		c.add(Check{Op: "const", Message: fmt.Sprintf("must be %x", v), Arg: v})
	}
	c.rule(own, "len", "must be %s bytes")
	c.rule(own, "min_len", "must be at least %s bytes")
	c.rule(own, "max_len", "must be at most %s bytes")
	c.pattern(own, "must match regex pattern `%s`")
	for _, rule := range [][2]string{{"prefix", "does not have prefix %x"},
		{"suffix", "does not have suffix %x"}, {"contains", "does not contain %x"}} {
		if v, ok := own.get(rule[0]).([]byte); ok {
			c.add(Check{Op: rule[0], Message: fmt.Sprintf(rule[1], v), Arg: v})
		}
	}
	c.rule(own, "in", "must be in list %s")
	c.rule(own, "not_in", "must not be in list %s")
	for _, format := range [][2]string{{"ip", "IP address"}, {"ipv4", "IPv4 address"},
		{"ipv6", "IPv6 address"}, {"uuid", "UUID"}} {
		c.format(own, format[0], format[1])
	}
}

// textFormats are the formats of strings that are not empty, and what they are called.
var textFormats = [][2]string{
	{"email", "email address"},
	{"hostname", "hostname"},
	{"ip", "IP address"},
	{"ipv4", "IPv4 address"},
	{"ipv6", "IPv6 address"},
	{"uri", "URI"},
	{"address", "hostname, or ip address"},
	{"uuid", "UUID"},
	{"tuuid", "trimmed UUID"},
	{"ip_with_prefixlen", "IP prefix"},
	{"ipv4_with_prefixlen", "IPv4 address with prefix length"},
	{"ipv6_with_prefixlen", "IPv6 address with prefix length"},
	{"ip_prefix", "IP prefix"},
	{"ipv4_prefix", "IPv4 prefix"},
	{"ipv6_prefix", "IPv6 prefix"},
	{"host_and_port", "host (hostname or IP address) and port pair"},
	{"ulid", "ULID"},
	{"protobuf_fqn", "fully-qualified Protobuf name"},
	{"protobuf_dot_fqn", "fully-qualified Protobuf name with a leading dot"},
}

// format adds a format: a rule for what is empty, and one for the rest.
func (c *checks) format(own *rules, op, name string) {
	if on, _ := own.get(op).(bool); !on {
		return
	}
	c.add(Check{Op: notEmpty, Rule: op + "_empty", Message: "value is empty, which is not a valid " +
		strings.Replace(name, " (hostname or IP address)", "", 1)})
	c.add(Check{Op: op, Message: "must be a valid " + name})
}

// The values of buf.validate.KnownRegex.
const (
	headerName  = 1
	headerValue = 2
)

// header adds the rules of well_known_regex.
func (c *checks) header(own *rules) {
	strict, given := own.get("strict").(bool)
	strict = strict || !given
	switch own.get("well_known_regex") {
	case int64(headerName):
		c.add(Check{Op: notEmpty, Rule: "well_known_regex.header_name_empty",
			Message: "value is empty, which is not a valid HTTP header name"})
		c.add(Check{Op: "header_name", Rule: "well_known_regex.header_name", Strict: strict,
			Message: "must be a valid HTTP header name"})
	case int64(headerValue):
		c.add(Check{Op: "header_value", Rule: "well_known_regex.header_value", Strict: strict,
			Message: "must be a valid HTTP header value"})
	}
}
