package main

import (
	"context"
	"fmt"
	"math/rand/v2"

	"cel.dev/cel-go/cel"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/octopus-framework/octopus/compiler"
	"github.com/octopus-framework/octopus/compiler/source"
	shopv1 "github.com/octopus-framework/octopus/examples/deposits/shop/v1"
	"github.com/octopus-framework/octopus/gremlin/dynamic"
	"github.com/octopus-framework/octopus/gremlin/wkt"
	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/query"
)

// The questions.
const (
	count = "count() where type == CARD"
	sum   = "sum(amount) by user.id where type == CARD"
)

// users is how many groups there are.
const users = 100_000

// events makes deposits of about 380 bytes, the same every time.
type events struct {
	rng   *rand.Rand
	event shopv1.Deposit
}

func newEvents() *events { return &events{rng: rand.New(rand.NewPCG(1, 2))} }

func (e *events) next(i int) *shopv1.Deposit {
	rng := e.rng
	id := rng.Int64N(users) + 1
	e.event = shopv1.Deposit{
		EventId:   fmt.Sprintf("dep-%012d-%016x", i, rng.Uint64()),
		Time:      &wkt.Timestamp{Seconds: 1_790_000_000 + int64(i), Nanos: rng.Int32N(1e9)},
		Type:      shopv1.DepositType(rng.IntN(3) + 1),
		Amount:    rng.Int64N(500_00) + 1,
		Currency:  "EUR",
		Ip:        fmt.Sprintf("10.%d.%d.%d", rng.IntN(256), rng.IntN(256), rng.IntN(256)),
		UserAgent: "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0",
		User: &shopv1.User{Id: id, Name: fmt.Sprintf("user %d", id),
			Geo: &shopv1.Geo{Country: "DE", Latitude: rng.Float64(), Longitude: rng.Float64()}},
		Metadata: map[string]string{"shop": "berlin-mitte", "campaign": fmt.Sprintf("c%d", rng.IntN(40))},
	}
	for range 2 + rng.IntN(5) {
		e.event.Items = append(e.event.Items, shopv1.Item{Sku: fmt.Sprintf("sku-%05d", rng.IntN(1e5)),
			Quantity: rng.Int32N(5) + 1, Price: rng.Int64N(100_00)})
	}
	return &e.event
}

// inProcess are the peers that are Go code.
func inProcess(log nerve.Log, n int) ([]*peer, error) {
	res := compiler.Compile(context.Background(), compiler.Options{
		Sources: source.New("../examples/deposits"), Files: []string{"shop/v1/deposit.proto"}})
	if res.Descriptors == nil {
		return nil, fmt.Errorf("%v", res.Diagnostics)
	}
	set, err := res.DescriptorSet()
	if err != nil {
		return nil, err
	}
	types, err := dynamic.Load(set)
	if err != nil {
		return nil, err
	}
	typ := types.Message("shop.v1.Deposit")
	files, err := protodesc.NewFiles(res.Descriptors)
	if err != nil {
		return nil, err
	}
	found, err := files.FindDescriptorByName("shop.v1.Deposit")
	if err != nil {
		return nil, err
	}
	desc := found.(protoreflect.MessageDescriptor)
	few := min(n, 100_000)
	return []*peer{
		{Name: "nerve query", Question: count, events: n, Cores: 1, run: engine(typ, log, count, 1, false)},
		{Name: "nerve query --lazy", Question: count, events: n, Cores: 1, run: engine(typ, log, count, 1, true)},
		{Name: "Readers, a program of its own", Question: count, events: n, Cores: 1, run: func() (string, error) {
			total := int64(0)
			var d shopv1.DepositReader
			err := each(log, n, func(b []byte) error {
				err := d.Unmarshal(b)
				if d.GetType() == shopv1.DepositType_DEPOSIT_TYPE_CARD {
					total++
				}
				return err
			})
			return fmt.Sprint(total), err
		}},
		{Name: "nerve query", Question: sum, events: n, Cores: 1, run: engine(typ, log, sum, 1, false)},
		{Name: "nerve query --lazy", Question: sum, events: n, Cores: 1, run: engine(typ, log, sum, 1, true)},
		{Name: "nerve query --workers 2", Question: sum, events: n, Cores: 2, run: engine(typ, log, sum, 2, false)},
		{Name: "Readers, a program of its own", Question: sum, events: n, Cores: 1, run: func() (string, error) {
			sums := map[int64]int64{}
			var d shopv1.DepositReader
			err := each(log, n, func(b []byte) error {
				err := d.Unmarshal(b)
				if d.GetType() == shopv1.DepositType_DEPOSIT_TYPE_CARD {
					u := d.GetUser()
					sums[u.GetId()] += d.GetAmount()
				}
				return err
			})
			return totals(sums), err
		}},
		{Name: "dynamicpb + cel-go", Question: sum, events: few, Cores: 1, run: func() (string, error) {
			return reflected(log, few, desc)
		}},
	}, nil
}

// totals is what answers are compared by.
func totals(sums map[int64]int64) string {
	all := int64(0)
	for _, s := range sums {
		all += s
	}
	return fmt.Sprintf("%d groups, %d", len(sums), all)
}

// engine asks through the Go API.
func engine(t *dynamic.Type, log nerve.Log, question string, workers int, lazy bool) func() (string, error) {
	return func() (string, error) {
		q, err := query.Parse(question)
		if err != nil {
			return "", err
		}
		q.Workers, q.Lazy = workers, lazy
		plan, err := query.Compile(t, q)
		if err != nil {
			return "", err
		}
		result, err := plan.Run(context.Background(), log)
		if err != nil {
			return "", err
		}
		groups, all := 0, int64(0)
		for b, err := range result.Batches() {
			if err != nil {
				return "", err
			}
			groups += b.Rows
			for _, v := range b.Columns[len(b.Columns)-1].Ints {
				all += v
			}
		}
		if question == count {
			return fmt.Sprint(all), nil
		}
		return fmt.Sprintf("%d groups, %d", groups, all), nil
	}
}

// each calls handle for the first n records.
func each(log nerve.Log, n int, handle func([]byte) error) error {
	cur, err := log.Read(context.Background(), 1)
	if err != nil {
		return err
	}
	defer cur.Close()
	var b nerve.Batch
	for seen := 0; seen < n; {
		if err := cur.Next(context.Background(), &b); err != nil {
			return err
		}
		for rec := range b.All() {
			if seen++; seen > n {
				break
			}
			if err := handle(rec.Data); err != nil {
				return err
			}
		}
	}
	return nil
}

// reflected is what a program for any type does without gremlin.
func reflected(log nerve.Log, n int, desc protoreflect.MessageDescriptor) (string, error) {
	env, err := cel.NewEnv(cel.TypeDescs(desc.ParentFile()), cel.Variable("m", cel.ObjectType(string(desc.FullName()))))
	if err != nil {
		return "", err
	}
	ast, iss := env.Compile("m.type == shop.v1.DepositType.DEPOSIT_TYPE_CARD")
	if iss.Err() != nil {
		return "", iss.Err()
	}
	prog, err := env.Program(ast)
	if err != nil {
		return "", err
	}
	amount, user := desc.Fields().ByName("amount"), desc.Fields().ByName("user")
	id := user.Message().Fields().ByName("id")
	sums := map[int64]int64{}
	err = each(log, n, func(b []byte) error {
		m := dynamicpb.NewMessage(desc)
		if err := proto.Unmarshal(b, m); err != nil {
			return err
		}
		v, _, err := prog.Eval(map[string]any{"m": m})
		if err == nil && v.Value() == true {
			sums[m.Get(user).Message().Get(id).Int()] += m.Get(amount).Int()
		}
		return err
	})
	return totals(sums), err
}
