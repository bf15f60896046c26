package gremlincel

import "strings"

// expression is an expression of a rule, and its message if the expression has none.
type expression struct{ id, message, text string }

// standardExpressions returns what the rule named field means, of a message of rules with this full
// name: as expressions, as in the options of protovalidate's own validate.proto. It is asked where
// the set has another one, such as that which comes with the compiler. known tells whether there is
// such a rule; some have no expression.
func standardExpressions(rules, field string) (all []*program, known bool) {
	kind := strings.TrimSuffix(strings.TrimPrefix(rules, rulesPackage), "Rules")
	if kind = strings.ToLower(kind); kind == "fieldmask" {
		kind = "field_mask"
	}
	list, known := orderings(kind, field)
	if !known {
		list, known = expressionsOf[kind+"."+field]
	}
	if !known {
		list, known = expressionsOf[field]
	}
	for _, x := range list {
		id := kind + "." + field
		if x.id != "" {
			id = kind + "." + x.id
		}
		all = append(all, &program{id: id, message: x.message, text: x.text})
	}
	return all, known
}

// orderings returns the rules lt, lte, gt and gte of numbers, durations and timestamps. Those from
// below look at what there is from above: both are one rule, a range or what is outside of it.
func orderings(kind, field string) (list []expression, known bool) {
	bounds := map[string]struct{ operator, words string }{
		"lt": {"<", "less than"}, "lte": {"<=", "less than or equal to"},
		"gt": {">", "greater than"}, "gte": {">=", "greater than or equal to"},
	}
	own, known := bounds[field]
	if !known {
		return nil, false
	}
	add := func(id, condition, words, values string) {
		list = append(list, expression{id: id,
			text: condition + " ? 'must be " + words + "'.format([" + values + "]) : ''"})
	}
	// Negations, so that NaN is in no range.
	is := func(bound string) string { return "this " + bounds[bound].operator + " rules." + bound }
	if field[0] == 'l' {
		add(field, "!has(rules.gt) && !has(rules.gte) && !("+is(field)+")", own.words+" %s",
			"rules."+field)
		return list, true
	}
	add(field, "!has(rules.lt) && !has(rules.lte) && !("+is(field)+")", own.words+" %s",
		"rules."+field)
	for _, upper := range []string{"lt", "lte"} {
		both, values := "has(rules."+upper+") && rules."+upper, "rules."+field+", rules."+upper
		add(field+"_"+upper, both+" >= rules."+field+" && !("+is(field)+" && "+is(upper)+")",
			own.words+" %s and "+bounds[upper].words+" %s", values)
		add(field+"_"+upper+"_exclusive",
			both+" < rules."+field+" && !("+is(field)+" || "+is(upper)+")",
			own.words+" %s or "+bounds[upper].words+" %s", values)
	}
	return list, true
}

// broken is a rule whose expression is the message, if the condition holds.
func broken(condition, message string, values ...string) []expression {
	if len(values) == 0 {
		return []expression{{text: condition + " ? '" + message + "' : ''"}}
	}
	return []expression{{text: condition + " ? '" + message + "'.format([" +
		strings.Join(values, ", ") + "]) : ''"}}
}

// form is a rule that wants a form of text or bytes, and tells of empty ones apart.
func form(rule, empty, name, is string) []expression {
	return []expression{
		{id: rule, message: "must be " + name, text: "!rules." + rule + " || this == " + empty +
			" || " + is},
		{id: rule + "_empty", message: "value is empty, which is not " + name,
			text: "!rules." + rule + " || this != " + empty},
	}
}

func textForm(rule, name, is string) []expression { return form(rule, "''", name, is) }

func bytesForm(rule, name, is string) []expression { return form(rule, "b''", name, is) }

func matching(pattern string) string { return "this.matches(r'" + pattern + "')" }

const (
	constant  = "getField(rules, 'const')"
	allowed   = "getField(rules, 'in')"
	name      = `[A-Za-z_][A-Za-z_0-9]*(\.[A-Za-z_][A-Za-z_0-9]*)*$`
	hexDigit  = "[0-9a-fA-F]"
	byteCount = "uint(bytes(this).size())"
	count     = "uint(this.size())"
)

// covered is whether a path p of a field mask, or one that leads to it, is in a list.
func covered(list string) string {
	return "(p in " + list + " || " + list + ".exists(f, p.startsWith(f + '.')))"
}

// expressionsOf has the other rules: those of all kinds by their name, those of one kind with that
// before it.
var expressionsOf = map[string][]expression{
	"const":   broken("this != "+constant, "must equal %s", constant),
	"in":      broken("!(this in "+allowed+")", "must be in list %s", allowed),
	"not_in":  broken("this in rules.not_in", "must not be in list %s", "rules.not_in"),
	"finite":  broken("rules.finite && (this.isNan() || this.isInf())", "must be finite"),
	"example": nil,

	"string.const": broken("this != "+constant, "must equal `%s`", constant),
	"string.len":   broken(count+" != rules.len", "must be %s characters", "rules.len"),
	"string.min_len": broken(count+" < rules.min_len", "must be at least %s characters",
		"rules.min_len"),
	"string.max_len": broken(count+" > rules.max_len", "must be at most %s characters",
		"rules.max_len"),
	"string.len_bytes": broken(byteCount+" != rules.len_bytes", "must be %s bytes",
		"rules.len_bytes"),
	"string.min_bytes": broken(byteCount+" < rules.min_bytes", "must be at least %s bytes",
		"rules.min_bytes"),
	"string.max_bytes": broken(byteCount+" > rules.max_bytes", "must be at most %s bytes",
		"rules.max_bytes"),
	"string.pattern": broken("!this.matches(rules.pattern)", "does not match regex pattern `%s`",
		"rules.pattern"),
	"string.prefix": broken("!this.startsWith(rules.prefix)", "does not have prefix `%s`",
		"rules.prefix"),
	"string.suffix": broken("!this.endsWith(rules.suffix)", "does not have suffix `%s`",
		"rules.suffix"),
	"string.contains": broken("!this.contains(rules.contains)", "does not contain substring `%s`",
		"rules.contains"),
	"string.not_contains": broken("this.contains(rules.not_contains)", "contains substring `%s`",
		"rules.not_contains"),
	"string.strict":   nil,
	"string.email":    textForm("email", "a valid email address", "this.isEmail()"),
	"string.hostname": textForm("hostname", "a valid hostname", "this.isHostname()"),
	"string.ip":       textForm("ip", "a valid IP address", "this.isIp()"),
	"string.ipv4":     textForm("ipv4", "a valid IPv4 address", "this.isIp(4)"),
	"string.ipv6":     textForm("ipv6", "a valid IPv6 address", "this.isIp(6)"),
	"string.uri":      textForm("uri", "a valid URI", "this.isUri()"),
	"string.uri_ref": {{message: "must be a valid URI Reference",
		text: "!rules.uri_ref || this.isUriRef()"}},
	"string.address": textForm("address", "a valid hostname, or ip address",
		"this.isHostname() || this.isIp()"),
	"string.uuid": textForm("uuid", "a valid UUID",
		matching("^"+hexDigit+"{8}(-"+hexDigit+"{4}){3}-"+hexDigit+"{12}$")),
	"string.tuuid": textForm("tuuid", "a valid trimmed UUID", matching("^"+hexDigit+"{32}$")),
	"string.ulid": textForm("ulid", "a valid ULID",
		matching("^[0-7][0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{25}$")),
	"string.ip_with_prefixlen": textForm("ip_with_prefixlen", "a valid IP prefix",
		"this.isIpPrefix()"),
	"string.ipv4_with_prefixlen": textForm("ipv4_with_prefixlen",
		"a valid IPv4 address with prefix length", "this.isIpPrefix(4)"),
	"string.ipv6_with_prefixlen": textForm("ipv6_with_prefixlen",
		"a valid IPv6 address with prefix length", "this.isIpPrefix(6)"),
	"string.ip_prefix": textForm("ip_prefix", "a valid IP prefix", "this.isIpPrefix(true)"),
	"string.ipv4_prefix": textForm("ipv4_prefix", "a valid IPv4 prefix",
		"this.isIpPrefix(4, true)"),
	"string.ipv6_prefix": textForm("ipv6_prefix", "a valid IPv6 prefix",
		"this.isIpPrefix(6, true)"),
	"string.host_and_port": {
		{message: "must be a valid host (hostname or IP address) and port pair",
			text: "!rules.host_and_port || this == '' || this.isHostAndPort(true)"},
		{id: "host_and_port_empty",
			message: "value is empty, which is not a valid host and port pair",
			text:    "!rules.host_and_port || this != ''"},
	},
	"string.protobuf_fqn": textForm("protobuf_fqn", "a valid fully-qualified Protobuf name",
		matching("^"+name)),
	"string.protobuf_dot_fqn": textForm("protobuf_dot_fqn",
		"a valid fully-qualified Protobuf name with a leading dot", matching(`^\.`+name)),
	"string.well_known_regex": {
		{id: "well_known_regex.header_name", message: "must be a valid HTTP header name",
			text: "rules.well_known_regex != 1 || this == '' || this.matches(has(rules.strict) &&" +
				" !rules.strict ? r'^[^\\x00\\n\\r]+$' : r\"^:?[0-9a-zA-Z!#$%&'*+-.^_|~`]+$\")"},
		{id: "well_known_regex.header_name_empty",
			message: "value is empty, which is not a valid HTTP header name",
			text:    "rules.well_known_regex != 1 || this != ''"},
		{id: "well_known_regex.header_value", message: "must be a valid HTTP header value",
			text: "rules.well_known_regex != 2 || this.matches(has(rules.strict)" +
				` && !rules.strict ? r'^[^\x00\n\r]*$' : r'^[^\x00-\x08\n-\x1f\x7f]*$')`},
	},

	"bytes.const":   broken("this != "+constant, "must be %x", constant),
	"bytes.len":     broken(count+" != rules.len", "must be %s bytes", "rules.len"),
	"bytes.min_len": broken(count+" < rules.min_len", "must be at least %s bytes", "rules.min_len"),
	"bytes.max_len": broken(count+" > rules.max_len", "must be at most %s bytes", "rules.max_len"),
	"bytes.pattern": broken("!string(this).matches(rules.pattern)",
		"must match regex pattern `%s`", "rules.pattern"),
	"bytes.prefix": broken("!this.startsWith(rules.prefix)", "does not have prefix %x",
		"rules.prefix"),
	"bytes.suffix": broken("!this.endsWith(rules.suffix)", "does not have suffix %x",
		"rules.suffix"),
	"bytes.contains": broken("!this.contains(rules.contains)", "does not contain %x",
		"rules.contains"),
	"bytes.ip":   bytesForm("ip", "a valid IP address", "this.size() in [4, 16]"),
	"bytes.ipv4": bytesForm("ipv4", "a valid IPv4 address", "this.size() == 4"),
	"bytes.ipv6": bytesForm("ipv6", "a valid IPv6 address", "this.size() == 16"),
	"bytes.uuid": bytesForm("uuid", "a valid UUID", "this.size() == 16"),

	"enum.defined_only": nil,

	"repeated.min_items": broken(count+" < rules.min_items", "must contain at least %d item(s)",
		"rules.min_items"),
	"repeated.max_items": broken(count+" > rules.max_items",
		"must contain no more than %s item(s)", "rules.max_items"),
	"repeated.unique": {{message: "repeated value must contain unique items",
		text: "!rules.unique || this.unique()"}},
	"repeated.items": nil,

	"map.min_pairs": broken(count+" < rules.min_pairs", "map must be at least %d entries",
		"rules.min_pairs"),
	"map.max_pairs": broken(count+" > rules.max_pairs", "map must be at most %d entries",
		"rules.max_pairs"),
	"map.keys":   nil,
	"map.values": nil,

	"any.in":     nil,
	"any.not_in": nil,

	"field_mask.const": broken("this.paths != "+constant+".paths", "must equal paths %s",
		constant+".paths"),
	"field_mask.in": broken("!this.paths.all(p, "+covered(allowed)+")",
		"must only contain paths in %s", allowed),
	"field_mask.not_in": broken("this.paths.exists(p, "+covered("rules.not_in")+")",
		"must not contain any paths in %s", "rules.not_in"),

	"timestamp.lt_now": broken("rules.lt_now && this > now", "must be less than now"),
	"timestamp.gt_now": broken("rules.gt_now && this < now", "must be greater than now"),
	"timestamp.within": broken("this < now - rules.within || this > now + rules.within",
		"must be within %s of now", "rules.within"),
}
