// Package kafkatest starts Apache Kafka for tests and measurements: one node
// that is broker and controller (KRaft), on the loopback interface, on ports
// that the kernel chose, with its data in a folder of the caller's.
//
// The server's jars are not part of the repository: `make tools-kafka` fetches
// them from Maven Central, by pom.xml of this folder. A Java runtime of version
// 17 or later must be there.
package kafkatest
