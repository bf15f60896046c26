// Package envelope keeps messages of several types in one queue, each with its kind, which is the
// full name of its type, and with a key: where the order between kinds matters, or a queue for each
// would be too many. A record is a message nerve.envelope.envelopepb.Envelope around the encoding,
// so programs in all languages read it, and logs know nothing of it.
//
//	id, err := envelope.Append(ctx, queue, &deposit, deposit.Account)
//
//	mux := new(envelope.Mux)
//	envelope.Handle(mux, func(ctx context.Context, d envelope.Delivery, r *DepositReader) error {
//		return book(r)
//	})
//	envelope.Handle(mux, handleRefund) // the same for *RefundReader
//	group, err := work.New(consumer, mux.Deliver, work.Options{KeyBy: envelope.KeyOf, ...})
//
// Without package work, Records yields kinds, keys and payloads.
package envelope
