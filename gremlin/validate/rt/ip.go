package rt

import "strings"

// IsIP tells whether s is an IP address of a version: 4, 6, or 0 for either. An IPv6 address may
// have a zone.
func IsIP(s string, version int) bool {
	if version != 6 {
		if _, ok := parseIPv4(s); ok {
			return true
		}
		if version == 4 {
			return false
		}
	}
	address, zone, zoned := strings.Cut(s, "%")
	_, ok := parseIPv6(address)
	return ok && (zone != "" || !zoned)
}

// IsIPPrefix tells whether s is an IP address of a version, as for IsIP, with the length of a
// prefix behind a slash. If it is to be strict there are only zeros behind the prefix.
func IsIPPrefix(s string, version int, strict bool) bool {
	address, length, ok := strings.Cut(s, "/")
	if !ok {
		return false
	}
	if bits, ok := parseIPv4(address); ok && version != 6 {
		n, ok := decimal(length, 32)
		return ok && (!strict || bits<<n == 0)
	}
	if version == 4 {
		return false
	}
	bits, ok := parseIPv6(address)
	n, number := decimal(length, 128)
	if !ok || !number {
		return false
	}
	switch {
	case !strict:
		return true
	case n >= 64:
		return bits[1]<<(n-64) == 0
	}
	return bits[0]<<n == 0 && bits[1] == 0
}

// parseIPv4 reads four numbers with dots between them.
func parseIPv4(s string) (bits uint32, ok bool) {
	for i := range 4 {
		part := s
		if i < 3 {
			dot := strings.IndexByte(s, '.')
			if dot < 0 {
				return 0, false
			}
			part, s = s[:dot], s[dot+1:]
		}
		n, ok := decimal(part, 255)
		if !ok {
			return 0, false
		}
		bits = bits<<8 | uint32(n)
	}
	return bits, true
}

// parseIPv6 reads an address without a zone.
func parseIPv6(s string) (bits [2]uint64, ok bool) {
	var groups [8]uint16
	n, gap := 0, -1 // groups read, and how many of them before "::"
	if strings.HasPrefix(s, "::") {
		gap, s = 0, s[2:]
	}
	for s != "" {
		if n == len(groups) {
			return bits, false
		}
		size, group := 0, uint16(0)
		for size < len(s) && size < 5 && hexDigit(s[size]) < 16 {
			group = group<<4 | uint16(hexDigit(s[size]))
			size++
		}
		if size < len(s) && s[size] == '.' {
			v4, ok := parseIPv4(s)
			if !ok || n > 6 || gap < 0 && n != 6 {
				return bits, false
			}
			groups[n], groups[n+1] = uint16(v4>>16), uint16(v4)
			n += 2
			break
		}
		if size == 0 || size > 4 {
			return bits, false
		}
		groups[n] = group
		n++
		if s = s[size:]; s == "" {
			break
		}
		switch {
		case strings.HasPrefix(s, "::") && gap < 0:
			gap, s = n, s[2:]
		case s[0] == ':' && len(s) > 1 && s[1] != ':':
			s = s[1:]
		default:
			return bits, false
		}
	}
	if gap < 0 && n != 8 || gap >= 0 && n > 7 {
		return bits, false
	}
	if gap >= 0 {
		copy(groups[8-(n-gap):], groups[gap:n])
		clear(groups[gap : 8-(n-gap)])
	}
	for i, g := range groups {
		bits[i/4] = bits[i/4]<<16 | uint64(g)
	}
	return bits, true
}
