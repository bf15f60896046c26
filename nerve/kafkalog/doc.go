// Package kafkalog is a nerve.Log in Apache Kafka: one partition of a topic is
// one log.
//
//	log, err := kafkalog.Open(ctx, "kafka://broker:9092/events", kafkalog.Options{})
//	queue := nerve.New(log, nerve.Options{})
//
// The id of a record is its offset plus one. A batch is one record batch of
// Kafka's, so all of it is stored or none, whoever dies meanwhile. Each batch
// has a place in the sequence of its producer, which the broker keeps: one that
// is sent again, after an answer was lost, is stored once. Any number of
// processes may append; the broker orders them.
//
// Pointers and claims of consumers are in a compacted topic of their own,
// TOPIC.nerve, and are committed as offsets of groups too, for Kafka's tools.
//
// Ids without gaps need a topic with cleanup.policy=delete to which no
// transactions write. Others are refused when they are opened, and a gap that is
// read is a [GapError]: nothing is renumbered.
package kafkalog
