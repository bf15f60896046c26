package conformance

import (
	"encoding/hex"
	"testing"

	"github.com/octopus-framework/octopus/conformance/internal/check"
)

// past are inputs that were handled wrongly once. They are seeds of the fuzz targets as well.
var past = []struct{ typ, hex, what string }{
	{"p3.Maps", "8a01040a01611001" + "8a01040a01621002" + "8a01040a01631003", "elements of fields 16 to 31 after the first were lost"},
	{"p2.Lists", "92010208019201020802920102080392010208049201020805", "the same for messages"},
	{"p3.Singular", "72027800" + "7200", "an empty string at the end was a pointer behind the bytes"},
	{"p3.Tree", "12020a00" + "12001200", "the same for empty messages that are merged"},
	{"p3.All", "13f8ffffff1f0114", "a field number of 31 bits inside of an unknown group"},
	{"p3.Nested", "0b808080801001e801680c0b808080801001e801680c", "the same, twice"},
	{"p2.Maps", "e201060a0010001006", "a map entry with a listed and then an unlisted value of a closed enum"},
	{"p2.Maps", "e201060a0010061000", "the other way around"},
	{"p3.Choice", "8801018801008802058801c80203", "oneofs in stable encodings"},
	{"p2.Needs", "1208080108021a020801", "text of a Reader whose fields come twice"},
	{"ed.Encoding", "92010c0a042f9f90991204f09f9099", "text of a string that is not UTF-8"},
	{"p2.Optional", "8001ffffffffb078" + "8801" + "07", "unlisted numbers of closed enums"},
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
		if err := check.Input(typeOf(p.typ), b); err != nil {
			t.Errorf("%s: %s (%s): %v", p.typ, p.hex, p.what, err)
		}
	}
}
