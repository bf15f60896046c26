package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	shopv1 "github.com/octopus-framework/octopus/examples/shop/shop/v1"
	"github.com/octopus-framework/octopus/examples/shop/shop/v1/shopv1connect"
)

// tour calls all methods: over gRPC, and one as curl does.
func tour(ctx context.Context, out io.Writer, addr string) (err error) {
	conn, err := grpc.NewClient(addr, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	client := shopv1.NewShopClient(conn)

	placed, err := client.Place(ctx, &shopv1.Order{Customer: "ada", Item: "loom", Cents: 129_900})
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "Place over gRPC: order %d\n", placed.GetId())

	const order = `{"customer": "grace", "item": "moth", "cents": "50"}`
	resp, err := http.Post("http://"+addr+shopv1connect.ShopPlaceProcedure, "application/json",
		strings.NewReader(order))
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "Place with JSON, as curl does: %s\n", text)

	imports, err := client.Import(ctx)
	if err != nil {
		return err
	}
	for i := range int64(1000) {
		if err := imports.Send(&shopv1.Order{Customer: "bulk", Item: "nail",
			Cents: i}); err != nil {
			return err
		}
	}
	imported, err := imports.CloseAndRecv()
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "Import: %d orders, the last is %d\n", imported.GetCount(), imported.GetLast())

	list, err := client.List(ctx, &shopv1.ListRequest{})
	if err != nil {
		return err
	}
	count, cents := 0, int64(0)
	for entry, err := range received(list.Recv) {
		if err != nil {
			return err
		}
		count, cents = count+1, cents+entry.GetOrder().GetCents()
	}
	fmt.Fprintf(out, "List: %d orders of %d cents\n", count, cents)
	return watch(ctx, out, client)
}

// watch asks for orders twice.
func watch(ctx context.Context, out io.Writer, client shopv1.ShopClient) error {
	stream, err := client.Watch(ctx)
	if err != nil {
		return err
	}
	for _, n := range []int{1, 2} {
		if err := stream.Send(&shopv1.WatchRequest{Count: int32(n)}); err != nil {
			return err
		}
		for range n {
			entry, err := stream.Recv()
			if err != nil {
				return err
			}
			order := entry.GetOrder()
			fmt.Fprintf(out, "Watch: %s wants a %s\n", order.GetCustomer(), order.GetItem())
		}
	}
	if err := stream.CloseSend(); err != nil {
		return err
	}
	if _, err := stream.Recv(); !errors.Is(err, io.EOF) {
		return fmt.Errorf("the stream goes on: %w", err)
	}
	return nil
}
