package jsonlab

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"google.golang.org/protobuf/proto"

	pb "github.com/octopus-framework/octopus/lab/jsonlab/internal/google"
	"github.com/octopus-framework/octopus/lab/workload"
)

const (
	sms     = "Your order 48213 has left our warehouse and arrives on Tuesday between 9 and 12. Track it at example.com/t/48213 or answer STOP to get no more messages today :)"
	escapes = "She said: \"no\"\n\tand left.\\ C:\\temp\\new \"quoted\"\n\x01 next line\r\nGr\u00fc\u00dfe, \u65e5\u672c\u8a9e \U0001f600 \"end\" of the \"text\" with \\ more \\ to \"escape\"\n\t- one\n\t- two\n- three, \"last\""
)

// Workloads returns all of them, the same in every run, in the order of reports.
func Workloads() []workload.Workload {
	r := rand.New(rand.NewPCG(7, 11))
	// Integers of all lengths; never 0, which is left out of JSON.
	i32 := func() int32 {
		v := int32(r.Uint32()>>(1+r.IntN(30))) + 1
		if r.IntN(4) == 0 {
			v = -v
		}
		return v
	}
	full := func() float64 { return r.NormFloat64() * 1000 }
	six := func() float64 { return float64(r.IntN(899_999)+100_000) / 1e4 }
	word := func() string { return "word-" + string(rune('a'+r.IntN(26))) + fmt.Sprint(r.IntN(100)) }
	objects := func(n int) (all []*pb.Object) {
		for range n {
			all = append(all, &pb.Object{Id: i32(), Name: word(), Active: true})
		}
		return all
	}
	node := func(depth int) (n *pb.Node) {
		for range depth {
			n = &pb.Node{Id: i32(), Child: n}
		}
		return n
	}
	doubles := func(f func() float64) *pb.Doubles10 {
		return &pb.Doubles10{A: f(), B: f(), C: f(), D: f(), E: f(), F: f(), G: f(), H: f(), I: f(), J: f()}
	}
	return []workload.Workload{
		of("Submit", "Submit", &pb.Submit{Id: "0b8e6d52-5d0c-4d5e-9f5a-0d6a4d9a2f11", Source: "48213", Destination: "+4915112345678", Text: sms,
			SubmittedAt: 1767225600123456, Coding: 8, Account: "acme-notifications", Callback: "https://example.com/hooks/delivery", Route: 18014398509481990}),
		of("Deposit", "Deposit", &pb.Deposit{EventId: "evt-7f3a9c", Time: &pb.Moment{Seconds: 1767225600, Nanos: 123456789},
			Type: pb.DepositType_DEPOSIT_TYPE_TRANSFER, User: &pb.User{Id: 90071992547, Name: "Zoë Example", Geo: &pb.Geo{Country: "DE", Latitude: 52.520008, Longitude: 13.404954}},
			Amount: 1250000, Currency: "EUR", Ip: "203.0.113.77", UserAgent: "Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/140.0",
			Metadata: map[string]string{"campaign": "spring", "channel": "app", "ref": "a81f"},
			Items:    []*pb.Item{{Sku: "SKU-1", Quantity: 2, Price: 1999}, {Sku: "SKU-22", Quantity: 1, Price: 125000}, {Sku: "SKU-333", Quantity: 12, Price: 50}}}),
		of("empty object", "Empty", &pb.Empty{}),
		of("1 integer", "Ints1", &pb.Ints1{A: 48213}),
		of("5 integers", "Ints5", &pb.Ints5{A: i32(), B: i32(), C: i32(), D: i32(), E: i32()}),
		of("10 integers", "Ints10", &pb.Ints10{A: i32(), B: i32(), C: i32(), D: i32(), E: i32(), F: i32(), G: i32(), H: i32(), I: i32(), J: i32()}),
		of("10 doubles", "Doubles10", doubles(full)),
		of("10 doubles of 6 digits", "SixDigits10", doubles(six)),
		of("1 short string", "Strings1", &pb.Strings1{A: word()}),
		of("5 short strings", "Strings5", &pb.Strings5{A: word(), B: word(), C: word(), D: word(), E: word()}),
		of("10 short strings", "Strings10", &pb.Strings10{A: word(), B: word(), C: word(), D: word(), E: word(), F: word(), G: word(), H: word(), I: word(), J: word()}),
		of("string of 160 bytes", "Strings1", &pb.Strings1{A: sms}),
		of("160 bytes with escapes", "Strings1", &pb.Strings1{A: escapes}),
		of("100 integers", "IntList", &pb.IntList{Values: repeat(100, i32)}),
		of("100 doubles", "DoubleList", &pb.DoubleList{Values: repeat(100, full)}),
		of("100 objects", "ObjectList", &pb.ObjectList{Values: objects(100)}),
		of("nesting 50", "Node", node(50)),
		of("skip unknown", "Known", &pb.Wide{First: word(), Number: i32(), Text: strings.Repeat(escapes, 2), Numbers: repeat(50, full),
			Objects: objects(20), Nested: node(10), Last: word()}),
	}
}

func repeat[T any](n int, f func() T) []T {
	all := make([]T, n)
	for i := range all {
		all[i] = f()
	}
	return all
}

// of panics when m cannot be encoded: all messages are made here.
func of(name, typ string, m proto.Message) workload.Workload {
	b, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	if err != nil {
		panic(err)
	}
	return workload.Workload{Name: name, Type: typ, Data: [][]byte{b}}
}
