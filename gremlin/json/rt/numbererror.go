package rt

import "strings"

// What is wrong with a number, as errors say it.
const (
	isNoNumber = "not a number"
	isTooLarge = "number too large for the field"
	isFraction = "number with a fraction where an integer should be"
	isNegative = "negative number where the field has none"
	isNoKey    = "key of a map that is not an integer in plain digits"
)

// whyNoInteger says why the number at s[at], in quotes or not, is none that the field holds, whose
// absolute value is at most maxNegative or maxPositive.
func whyNoInteger(s string, at int, maxNegative, maxPositive uint64) string {
	text := s[at:]
	if text[0] == '"' {
		end := strings.IndexByte(text[1:], '"')
		if end < 0 {
			return isNoNumber
		}
		text = text[1 : 1+end]
		if numberEnd(text, 0) != len(text) {
			return isNoNumber
		}
	} else if end := numberEnd(text, 0); end > 0 {
		text = text[:end]
	}
	m, _, ok := parseInteger(text)
	negative := strings.HasPrefix(text, "-")
	switch {
	case !ok && isFractional(text):
		return isFraction
	case negative && maxNegative == 0:
		return isNegative
	case ok && (negative && m <= maxNegative || !negative && m <= maxPositive):
		return isNoKey
	}
	return isTooLarge
}

// isFractional tells whether a number has digits behind the point, after its exponent was applied.
func isFractional(text string) bool {
	mantissa, exponent := text, ""
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		mantissa, exponent = text[:i], text[i+1:]
	}
	if strings.HasPrefix(exponent, "-") {
		return true
	}
	_, fraction, _ := strings.Cut(mantissa, ".")
	fraction = strings.TrimRight(fraction, "0")
	if len(exponent) > 9 {
		return false
	}
	n := 0
	for _, c := range []byte(strings.TrimPrefix(exponent, "+")) {
		n = n*10 + int(c-'0')
	}
	return len(fraction) > n
}
