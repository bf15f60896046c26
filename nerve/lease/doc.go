// Package lease lets any number of workers share the records of one consumer. Each record is with
// one worker at a time, for a time.
//
//	d, err := lease.New(consumer, lease.Options{KeyBy: envelope.KeyOf})
//	w, err := d.Join("mailer 1", 0)
//	for {
//		leases, err := w.Take(ctx, 10)
//		for _, l := range leases {
//			if err := send(l.Data); err != nil {
//				err = w.Fail(ctx, l, time.Minute) // tried again in a minute, by anybody
//				continue
//			}
//			err = w.Ack(ctx, l)
//		}
//	}
//
// A [Dispatcher] runs in the process that has the consumer, which is a server of package
// nerve/serve if workers are in many processes: they join by remote.Log.Join.
//
// # What is promised
//
// A record is with at most one worker whose lease goes on. It is given out until it is
// acknowledged: again when its worker failed, when its lease ended, or when its worker left. Every
// lease has a fence, a number of its own. A worker that was thought dead has an old one: what it
// asks for is a [nerve.LeaseError] and changes nothing.
//
// Each lease counts as an attempt, unless it was released. Acknowledgements and attempts are saved
// with the pointer of the consumer, within the SaveInterval of the queue. Leases and delays are in
// memory alone: when the process of the dispatcher ends, records that were not acknowledged are
// given out anew, and fences from before it are old.
//
// With Options.KeyBy the records of one key are given out in their order, one at a time, to
// whichever worker comes. One that waits to be tried again holds up its key and nothing else.
//
// Leases are measured by the monotonic clock of the dispatcher: no clock of a worker matters, and a
// clock that is set changes nothing.
package lease
