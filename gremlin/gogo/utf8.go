package gogo

import (
	"sync/atomic"
	"unicode/utf8"
)

// invalidUTF8 is what ReportUTF8 calls.
var invalidUTF8 atomic.Pointer[func(field string)]

// OnInvalidUTF8 sets the function that is told the full name of a string field whenever one is
// decoded that is not UTF-8, in code that was generated with utf8: report or repair; nil sets none.
// It is called by any number of goroutines and must be quick: it may count.
func OnInvalidUTF8(report func(field string)) {
	if report == nil {
		invalidUTF8.Store(nil)
		return
	}
	invalidUTF8.Store(&report)
}

// ReportUTF8 tells of a string that is not UTF-8.
func ReportUTF8(b []byte, field string) {
	if !utf8.Valid(b) {
		report(field)
	}
}

func report(field string) {
	if f := invalidUTF8.Load(); f != nil {
		(*f)(field)
	}
}

// RepairUTF8 returns b if it is UTF-8, and else a copy with U+FFFD in place of each byte that is
// none, and tells of it.
func RepairUTF8(b []byte, field string) []byte {
	if utf8.Valid(b) {
		return b
	}
	report(field)
	var out []byte
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		out = utf8.AppendRune(out, r)
		b = b[n:]
	}
	return out
}

// CheckUTF8 returns an error for a string that is not UTF-8.
func CheckUTF8(b []byte, field string) error {
	if !utf8.Valid(b) {
		return wrong("proto: field " + field + " contains invalid UTF-8")
	}
	return nil
}
