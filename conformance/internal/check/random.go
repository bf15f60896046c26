package check

import (
	"math"
	"math/rand/v2"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// Fill sets about a share of the fields of m at random. Messages nest down to depth levels.
func Fill(rng *rand.Rand, m protoreflect.Message, share float64, depth int) {
	fds := m.Descriptor().Fields()
	for i := range fds.Len() {
		fd := fds.Get(i)
		if rng.Float64() >= share && fd.Cardinality() != protoreflect.Required {
			continue
		}
		if depth == 0 && fd.Message() != nil && !fd.IsMap() &&
			fd.Cardinality() != protoreflect.Required {
			continue
		}
		FillField(rng, m, fd, share, depth)
	}
}

// FillField sets field fd of m at random.
func FillField(rng *rand.Rand, m protoreflect.Message, fd protoreflect.FieldDescriptor,
	share float64, depth int) {
	switch {
	case fd.IsMap():
		v := m.NewField(fd)
		for range listLen(rng) {
			if fd.MapValue().Message() != nil && depth == 0 {
				break
			}
			value := v.Map().NewValue()
			if fd.MapValue().Message() != nil {
				Fill(rng, value.Message(), share/2, depth-1)
			} else {
				value = scalar(rng, fd.MapValue())
			}
			v.Map().Set(scalar(rng, fd.MapKey()).MapKey(), value)
		}
		m.Set(fd, v)
	case fd.IsList():
		v := m.NewField(fd)
		for range listLen(rng) {
			if fd.Message() != nil {
				Fill(rng, v.List().AppendMutable().Message(), share/2, depth-1)
			} else {
				v.List().Append(scalar(rng, fd))
			}
		}
		m.Set(fd, v)
	case fd.Message() != nil:
		v := m.NewField(fd)
		Fill(rng, v.Message(), share, max(depth-1, 0))
		m.Set(fd, v)
	default:
		m.Set(fd, scalar(rng, fd))
	}
}

func listLen(rng *rand.Rand) int {
	switch rng.IntN(10) {
	case 0:
		return 0
	case 1:
		return 20 + rng.IntN(40)
	}
	return 1 + rng.IntN(4)
}

var floats = []float64{0, math.Copysign(0, -1), 1, -1.5, math.Inf(1), math.Inf(-1), math.NaN(),
	math.MaxFloat32, math.MaxFloat64,
	math.SmallestNonzeroFloat64, math.SmallestNonzeroFloat32, 0.1, 1e21, 123456789}

var texts = []string{"", "a", "hello, world", "grüße", "\U0001f419", "\x00", "\"quoted\" \\ \n\r\t",
	"'", "\u2028",
	"a string that is longer than thirty-two bytes, which is where short copies end",
	string(make([]byte, 127)), string(make([]byte, 128)), string(make([]byte, 20000))}

// number returns 64 bits of which few or many are used.
func number(rng *rand.Rand) uint64 {
	switch rng.IntN(6) {
	case 0:
		return 0
	case 1:
		return uint64(rng.IntN(256))
	case 2:
		return -uint64(rng.IntN(300))
	case 3:
		return 1<<rng.IntN(64) - uint64(rng.IntN(2))
	}
	return rng.Uint64() >> rng.IntN(64)
}

func scalar(rng *rand.Rand, fd protoreflect.FieldDescriptor) protoreflect.Value {
	x := number(rng)
	switch fd.Kind() {
	case protoreflect.BoolKind:
		return protoreflect.ValueOfBool(x&1 != 0)
	case protoreflect.EnumKind:
		if vs := fd.Enum().Values(); isClosed(fd) || rng.IntN(2) == 0 {
			return protoreflect.ValueOfEnum(vs.Get(rng.IntN(vs.Len())).Number())
		}
		return protoreflect.ValueOfEnum(protoreflect.EnumNumber(x))
	case protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Sfixed32Kind:
		return protoreflect.ValueOfInt32(int32(x))
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		return protoreflect.ValueOfUint32(uint32(x))
	case protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Sfixed64Kind:
		return protoreflect.ValueOfInt64(int64(x))
	case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		return protoreflect.ValueOfUint64(x)
	case protoreflect.FloatKind:
		return protoreflect.ValueOfFloat32(float32(floats[rng.IntN(len(floats))]))
	case protoreflect.DoubleKind:
		return protoreflect.ValueOfFloat64(floats[rng.IntN(len(floats))])
	case protoreflect.BytesKind:
		b := []byte(texts[rng.IntN(len(texts)-1)])
		return protoreflect.ValueOfBytes(append(b, byte(x), 0xff))
	}
	if rng.IntN(20) != 0 {
		return protoreflect.ValueOfString(texts[rng.IntN(len(texts)-3)])
	}
	return protoreflect.ValueOfString(texts[rng.IntN(len(texts))])
}

// Encode writes m with its fields in the order of their numbers, or now and then in another.
func Encode(rng *rand.Rand, m proto.Message) []byte {
	b, err := proto.MarshalOptions{AllowPartial: true, Deterministic: true}.Marshal(m)
	if err != nil {
		panic(err)
	}
	if rng.IntN(4) == 0 {
		b = join(shuffled(rng, records(b)))
	}
	return b
}

// records splits a message into its fields, tags included.
func records(b []byte) (rs [][]byte) {
	for len(b) > 0 {
		_, _, n := protowire.ConsumeField(b)
		if n < 0 {
			return append(rs, b)
		}
		rs, b = append(rs, b[:n:n]), b[n:]
	}
	return rs
}

func join(rs [][]byte) (b []byte) {
	for _, r := range rs {
		b = append(b, r...)
	}
	return b
}

func shuffled(rng *rand.Rand, rs [][]byte) [][]byte {
	rng.Shuffle(len(rs), func(i, j int) { rs[i], rs[j] = rs[j], rs[i] })
	return rs
}
