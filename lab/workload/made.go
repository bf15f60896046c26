package workload

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	pb "github.com/octopus-framework/octopus/lab/internal/pb/google"
)

// Two texts of 160 bytes or so, as they go over the wire: one ASCII, one not.
const (
	sms        = "Your parcel 00340434161094042557 arrives today between 14:05 and 15:05. Change the delivery: https://prcl.example/t/8fK2mQ - reply STOP to opt out. Have a nice "
	smsUnicode = "Ваша посылка прибудет сегодня с 14:05 до 15:05 — изменить доставку: https://prcl.example/8fK2 ✓ спасибо!"
)

func submit(text string) *pb.Submit {
	return &pb.Submit{
		Id: "0198c6a2-5d3e-7b41-9c0f-3a7e51d0b9f4", Source: "ParcelInfo", Destination: "+491701234567", Text: text,
		SubmittedAt: 1763721315482913, Validity: "000002000000000R", Account: "parcel-notify-eu",
		Callback: "https://hooks.parcel.example/v2/dlr?tenant=17", Service: "CMT-A2P1",
	}
}

var (
	names      = []string{"Ada Lovelace", "Grace Hopper", "Barbara Liskov", "Edsger Dijkstra", "Tony Hoare", "Niklaus Wirth"}
	countries  = []string{"DE", "FR", "US", "JP", "BR", "IN"}
	currencies = []string{"EUR", "USD", "JPY", "BRL", "INR"}
	agents     = []string{"Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0", "okhttp/5.1.0", "ShopApp/8.2 (iPhone; iOS 19.1)"}
	keys       = []string{"channel", "campaign", "terminal", "risk", "session", "referrer"}
)

func pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }

func deposit(r *rand.Rand) *pb.Deposit {
	d := &pb.Deposit{
		EventId: fmt.Sprintf("%08x-%04x-7b41-9c0f-%012x", r.Uint32(), r.Uint32N(1<<16), r.Uint64N(1<<48)),
		Time:    &pb.Moment{Seconds: 1763721315 + r.Int64N(1e6), Nanos: r.Int32N(1e9)},
		Type:    pb.DepositType(1 + r.IntN(3)),
		User: &pb.User{Id: r.Int64N(1e9), Name: pick(r, names),
			Geo: &pb.Geo{Country: pick(r, countries), Latitude: r.Float64()*180 - 90, Longitude: r.Float64()*360 - 180}},
		Amount: r.Int64N(1e6), Currency: pick(r, currencies),
		Ip: fmt.Sprintf("%d.%d.%d.%d", r.IntN(256), r.IntN(256), r.IntN(256), r.IntN(256)), UserAgent: pick(r, agents),
		Metadata: map[string]string{},
	}
	for _, i := range r.Perm(len(keys))[:3] {
		d.Metadata[keys[i]] = fmt.Sprintf("%x", r.Uint64())
	}
	for range 4 {
		d.Items = append(d.Items, item(r))
	}
	return d
}

func item(r *rand.Rand) *pb.Item {
	return &pb.Item{Sku: fmt.Sprintf("SKU-%06d", r.IntN(1e6)), Quantity: 1 + r.Int32N(9), Price: r.Int64N(1e5)}
}

func depositVaried() Workload {
	r := rand.New(rand.NewPCG(2, 2))
	w := Workload{Name: "Deposit1024", Type: "Deposit"}
	for range 1024 {
		d := deposit(r)
		d.Items = d.Items[:1+r.IntN(4)]
		for range r.IntN(4) {
			d.Items = append(d.Items, item(r))
		}
		if r.IntN(4) == 0 {
			d.User.Geo = nil
		}
		w.Data = append(w.Data, encode(d)...)
	}
	return w
}

func deepNested() *pb.DeepNested {
	r := rand.New(rand.NewPCG(3, 3))
	host := func() *pb.Host {
		return &pb.Host{Name: fmt.Sprintf("node-%04d", r.IntN(1e4)), Port: 1024 + r.Uint32N(6e4),
			Load: &pb.Load{Cpu: r.Float64(), Memory: r.Uint64N(1 << 36), Last: &pb.Sample{At: 1763721315 + r.Int64N(1e6), Ok: true}}}
	}
	cluster := func() *pb.Cluster {
		return &pb.Cluster{Id: r.Int32N(1e4), Zone: "eu-central-1" + pick(r, []string{"a", "b", "c"}), Leader: host(), Hosts: []*pb.Host{host(), host()}}
	}
	region := func() *pb.Region {
		return &pb.Region{Id: r.Int32N(1e3), Name: "eu-central-" + pick(r, []string{"1", "2"}), Main: cluster(), Clusters: []*pb.Cluster{cluster()}}
	}
	return &pb.DeepNested{Id: "fleet-17", Version: 20251121, Primary: region(), Secondary: region(), Others: []*pb.Region{region(), region()}}
}

// allTypes has a value in each field. With sign -1, those of int32 fields are negative and so take ten bytes, which
// not every peer reads.
func allTypes(sign int32) *pb.AllTypes {
	m := &pb.AllTypes{
		AInt32: sign * 1234567, AInt64: -9876543210, AUint32: 4000000000, AUint64: 1 << 60, ASint32: -77, ASint64: -1 << 40,
		AFixed32: 0xdeadbeef, AFixed64: 0xfeedfacecafebeef, ASfixed32: -5, ASfixed64: -6, AFloat: 2.5, ADouble: math.Pi, ABool: true,
		AString: "a string of some length", ABytes: []byte{0, 1, 2, 0xff}, AColor: pb.Color_COLOR_FAR,
		AMoment: &pb.Moment{Seconds: 1763721315, Nanos: 5e8},
		RInt32:  []int32{1, sign * 300, 70000}, RInt64: []int64{1, -2, 1 << 50}, RUint32: []uint32{0, 128, 1 << 31}, RUint64: []uint64{9, 1 << 63},
		RSint32: []int32{-1, 1, -64}, RSint64: []int64{-1 << 60, 3}, RFixed32: []uint32{1, 2, 3}, RFixed64: []uint64{4, 5},
		RSfixed32: []int32{-1, -2}, RSfixed64: []int64{-3}, RFloat: []float32{0.5, -0.5, 1e9}, RDouble: []float64{1e-9, math.E},
		RBool: []bool{true, false, true}, RString: []string{"one", "", "three"}, RBytes: [][]byte{{1}, {2, 3}},
		RColor: []pb.Color{pb.Color_COLOR_RED, pb.Color_COLOR_NONE, pb.Color_COLOR_FAR}, RMoment: []*pb.Moment{{Seconds: 1}, {Nanos: 2}, {}},
		MInt32: map[int32]int32{1: 10, sign * 2: 20}, MSint64: map[int64]uint64{-5: 6}, MBool: map[bool]float64{true: 1.5, false: 0},
		MString: map[string]string{"k1": "v1", "k2": "v2", "": "empty"}, MBytes: map[string][]byte{"b": {7, 8}},
		MMoment: map[string]*pb.Moment{"then": {Seconds: 99}}, MColor: map[string]pb.Color{"sky": pb.Color_COLOR_GREEN},
		One: &pb.AllTypes_OString{OString: "chosen"},
	}
	m.Again = &pb.AllTypes{AInt32: 7, AString: "inner", RInt64: []int64{5, 6}, One: &pb.AllTypes_OMoment{OMoment: &pb.Moment{Seconds: 5}}}
	return m
}

func moments() *pb.Moments {
	r := rand.New(rand.NewPCG(4, 4))
	m := &pb.Moments{}
	for range 10000 {
		m.Moments = append(m.Moments, &pb.Moment{Seconds: 1763721315 + r.Int64N(1e6), Nanos: r.Int32N(1e9)})
	}
	return m
}

// packedInts are of all lengths from one byte to nine, as likely one as the other.
func packedInts() *pb.PackedInts {
	r := rand.New(rand.NewPCG(5, 5))
	m := &pb.PackedInts{}
	for range 1000 {
		m.Values = append(m.Values, r.Int64()>>r.IntN(63))
	}
	return m
}

func packedDoubles() *pb.PackedDoubles {
	r := rand.New(rand.NewPCG(6, 6))
	m := &pb.PackedDoubles{}
	for range 1000 {
		m.Values = append(m.Values, r.NormFloat64())
	}
	return m
}

func tenInts() *pb.TenInts {
	return &pb.TenInts{A: 1, B: 127, C: 128, D: 300, E: 70000, F: 1 << 25, G: 1 << 33, H: 1 << 45, I: 1 << 56, J: 42}
}

func tenDoubles() *pb.TenDoubles {
	return &pb.TenDoubles{A: 1.5, B: 2.5, C: 3.25, D: -4, E: math.Pi, F: math.E, G: 1e9, H: 1e-9, I: 0.1, J: 100}
}

func tenStrings() *pb.TenStrings {
	return &pb.TenStrings{A: "a", B: "of", C: "red", D: "blue", E: "green", F: "orange", G: "magenta", H: "charcoal", I: "vermilion", J: "aquamarine"}
}

func smalls() *pb.Smalls {
	r := rand.New(rand.NewPCG(7, 7))
	m := &pb.Smalls{}
	for range 1000 {
		m.Items = append(m.Items, item(r))
	}
	return m
}

func blob(kib int) *pb.Blob {
	r := rand.New(rand.NewPCG(8, 8))
	b := make([]byte, kib<<10)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return &pb.Blob{Data: b}
}

// nested returns a message with depth others in each other, each with a number and a name.
func nested(depth int) *pb.Node {
	n := &pb.Node{Id: int32(depth) + 1, Name: "node " + strings.Repeat("x", depth%4)}
	if depth > 0 {
		n.Child = nested(depth - 1)
	}
	return n
}

// shuffled is w with the fields of each root in another order or with others between.
func shuffled(w Workload, name string, change func(fields [][]byte) [][]byte) Workload {
	s := Workload{Name: name, Type: w.Type}
	for _, b := range w.Data {
		var fields [][]byte
		for len(b) > 0 {
			_, _, n := protowire.ConsumeField(b)
			fields = append(fields, b[:n])
			b = b[n:]
		}
		s.Data = append(s.Data, slices.Concat(change(fields)...))
	}
	return s
}

// reversed puts the largest number first. Fields of the same number keep their order, which is that of a list.
func reversed(fields [][]byte) [][]byte {
	fields = slices.Clone(fields)
	slices.SortStableFunc(fields, func(a, b []byte) int {
		x, _, _ := protowire.ConsumeTag(a)
		y, _, _ := protowire.ConsumeTag(b)
		return int(y - x)
	})
	return fields
}

// unknownBetween puts a field before each that no schema of the lab has: numbers and bytes by turns.
func unknownBetween(fields [][]byte) (all [][]byte) {
	for i, f := range fields {
		u := protowire.AppendTag(nil, protowire.Number(1000+i), protowire.Type(2*(i%2)))
		if i%2 == 0 {
			u = protowire.AppendVarint(u, uint64(i)<<20)
		} else {
			u = protowire.AppendString(u, "of a later version")
		}
		all = append(all, u, f)
	}
	return all
}
