package kafkatest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Version of Apache Kafka that `make tools-kafka` installs.
const Version = "4.3.1"

// Name by which tests ask for the server, as in OCTOPUS_REQUIRE=kafka.
const Name = "kafka"

// Find returns the folder of the server's jars: .tools/kafka beside or above the
// working directory. The error says what is missing and how to get it.
func Find() (jars string, err error) {
	if _, err := exec.LookPath("java"); err != nil {
		return "", errors.New("there is no java (17 or later) to run Apache Kafka")
	}
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		jars = filepath.Join(dir, ".tools", Name)
		if _, err := os.Stat(filepath.Join(jars, "kafka_2.13-"+Version+".jar")); err == nil {
			return jars, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", fmt.Errorf("Apache Kafka %s is not installed: run make tools-kafka", Version)
		}
		dir = parent
	}
}
