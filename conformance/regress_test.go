package conformance

import (
	"encoding/hex"
	"errors"
	"testing"

	"github.com/octopus-framework/octopus/conformance/internal/check"
)

// past are inputs that were handled wrongly once. They are seeds of the fuzz targets as well.
var past = []struct{ typ, hex, what string }{
	{"p3.Maps", "8a01040a01611001" + "8a01040a01621002" + "8a01040a01631003",
		"elements of fields 16 to 31 after the first were lost"},
	{"p2.Lists", "92010208019201020802920102080392010208049201020805", "the same for messages"},
	{"p3.Singular", "72027800" + "7200",
		"an empty string at the end was a pointer behind the bytes"},
	{"p3.Tree", "12020a00" + "12001200", "the same for empty messages that are merged"},
	{"p3.All", "13f8ffffff1f0114", "a field number of 31 bits inside of an unknown group"},
	{"p3.Nested", "0b808080801001e801680c0b808080801001e801680c", "the same, twice"},
	{"p2.Maps", "e201060a0010001006",
		"a map entry with a listed and then an unlisted value of a closed enum"},
	{"p2.Maps", "e201060a0010061000", "the other way around"},
	{"p3.Choice", "8801018801008802058801c80203", "oneofs in stable encodings"},
	{"p2.Needs", "1208080108021a020801", "text of a Reader whose fields come twice"},
	{"ed.Encoding", "92010c0a042f9f90991204f09f9099", "text of a string that is not UTF-8"},
	{"ed.Mixed", "4208120618ffffc0ff07",
		"a map entry was lost when its message had an unlisted number of a closed enum"},
	{"ed.Mixed", "420f0a0161120618ffffc0ff0722020401", "the same with a key and other fields"},
	{"p2.Optional", "8001ffffffffb078" + "8801" + "07", "unlisted numbers of closed enums"},
	{"p2.Extendable", "d00605" + "da06020305" + "d80607",
		"the same in extensions, which are known to JSON only"},
	{"p2.Extendable", "ba0600",
		"JSON with defaults had an extension that is a list without elements"},
	{"p2.Maps", "d20106" + "0a01611201ff" + "d20106" + "0a0161120162",
		"JSON of a Reader with a string that is not UTF-8, in an entry that another one replaces"},
	{"p2.Maps", "d20106" + "0a0161120162" + "d20106" + "0a01611201ff",
		"the other way around, which is an error"},
	{"p2.Maps", "d20106" + "0a0161120162" + "d20106" + "0a01611201ff" + "d20106" + "0a0162120162" +
		"d20106" + "0a01611201fe" + "d20103" + "0a0161", "twice, with others between"},
	{"known.Known", "d2020b" + "0801" + "1207" + "10ffffffffff01" + "d20204" + "08011200",
		"the same of a time that there is not"},
	{"known.Known", "d20202" + "1aff" + "d20204" + "08011200",
		"an entry that is malformed stays an error"},

	// Nothing was wrong with these, but lists are walked by the bytes of their tag, and what is
	// unusual must not be lost.
	{"p3.Lists", "720161" + "f2000162" + "720163", "a tag that is longer than it must be"},
	{"p3.Lists", "f2000161" + "720162", "the same, first"},
	{"p3.Lists", "8a0100" + "8a810000" + "8a0100", "the same for a tag of two bytes"},
	{"p3.Lists", "1a0101" + "9a000102" + "9800" + "03" + "1a0104",
		"the same for numbers, packed and not"},
	{"p3.Lists", "1801" + "1a0102" + "1803" + "1a020405", "numbers in both forms"},
	{"p2.Lists", "1a0101" + "1802" + "1a0103" + "1804",
		"the same for a list that is not written packed"},
	{"p3.Lists", "720162" + "1a0101" + "720163" + "9a3e00" + "1a0102" + "720164",
		"lists in pieces, with an unknown field between"},
	{"p3.Lists", "720162" + "1a0101" + "0001", "the field number 0, out of order"},
	{"p3.Lists", "720162" + "1a0101" + "8000" + "01", "the same in two bytes"},
	{"p3.Lists", "720162" + "1a0bffffffffffffffffffff01",
		"a packed number of eleven bytes, out of order"},
	{"p3.Lists", "1a10" + "0101010101ffffffffffffffffffff01", "the same behind others"},
	{"p3.Lists", "1a10" + "01010101010101ffffffffffffffff01",
		"one of nine bytes over a word's end"},

	{"p3.Lists", "720162" + "1a" + "808080808080808001",
		"a length of nine bytes, out of order, was taken for 0"},
	{"p3.Lists", "720162" + "1a" + "80808080808080808001", "the same of ten bytes"},
	{"p3.Lists", "720162" + "1a" + "808080808080808000",
		"a length of nine bytes that is 0, out of order"},
	{"p3.Lists", "720162" + "1a" + "80808080808080808000", "the same of ten bytes"},
	{"p3.Lists", "720162" + "1a" + "8180808010" + "01" + "720161",
		"a length that is 1 when it is cut to 32 bits, out of order"},
	{"p3.Lists", "720162" + "fa3e" + "8180808010" + "01" + "720161",
		"the same of an unknown field"},
}

func typeOf(name string) check.Type {
	for _, typ := range types {
		if string(typ.Desc.FullName()) == "octopus.test."+name {
			return typ
		}
	}
	panic("no type " + name)
}

func TestPast(t *testing.T) {
	for _, p := range past {
		b, err := hex.DecodeString(p.hex)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(check.Input(typeOf(p.typ), b),
			check.JSON(typeOf(p.typ), b, knownTypes)); err != nil {
			t.Errorf("%s: %s (%s): %v", p.typ, p.hex, p.what, err)
		}
	}
}
