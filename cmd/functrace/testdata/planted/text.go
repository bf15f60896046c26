package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// config: a=1;b=2

func loadConfig(input string) error {
	values := make(map[string]string)
	for _, line := range splitLines(input) {
		if err := setValue(values, line); err != nil {
			return fmt.Errorf("config: %w", err)
		}
	}
	return checkConfig(values)
}

func splitLines(s string) []string { return strings.Split(s, ";") }

func setValue(values map[string]string, line string) error {
	k, v, err := keyValue(line)
	values[trim(k)] = trim(v)
	return err
}

func trim(s string) string { return strings.TrimSpace(s) }

// BUG: a value may have a "=".
func keyValue(line string) (string, string, error) {
	parts := strings.Split(line, "=")
	if len(parts) != 2 {
		return "", "", errors.New("not a key and a value")
	}
	return parts[0], parts[1], nil
}

func checkConfig(values map[string]string) error {
	if len(values) == 0 {
		return errors.New("empty")
	}
	return nil
}

// escape: text that is encoded and decoded again

func roundTrip(input string) error {
	out := decode(encode(input))
	return same(input, out)
}

func encode(s string) string {
	out := ""
	for _, r := range s {
		if special(r) {
			out += escape(r)
		} else {
			out += string(r)
		}
	}
	return out
}

func special(r rune) bool { return r == '%' || r == ' ' || r == '&' }

// BUG: one digit for what has two.
func escape(r rune) string {
	if r == ' ' {
		return "%2"
	}
	return "%" + strconv.FormatInt(int64(r), 16)
}

func decode(s string) string {
	out := ""
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			out += unescape(s[i+1 : i+3])
			i += 2
			continue
		}
		out += string(s[i])
	}
	return out
}

func unescape(digits string) string {
	n, _ := strconv.ParseInt(digits, 16, 32)
	return string(rune(n))
}

func same(a, b string) error {
	if a != b {
		return fmt.Errorf("%q became %q", a, b)
	}
	return nil
}

// role: user:role

func authorize(input string) error {
	user, role, _ := strings.Cut(input, ":")
	known := roles()
	if err := findUser(user); err != nil {
		return err
	}
	return findRole(known, normalize(role))
}

func roles() map[string]bool { return map[string]bool{"admin": true, "guest": true} }

func findUser(user string) error {
	if user == "" {
		return errors.New("no user")
	}
	return nil
}

// BUG: it should make letters small.
func normalize(role string) string { return trim(role) }

func findRole(known map[string]bool, role string) error {
	if !known[role] {
		return errors.New("no such role")
	}
	return nil
}
