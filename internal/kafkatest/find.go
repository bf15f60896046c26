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

// Find returns the folder of the server's jars: .tools/kafka of the folder that
// has the go.work, at or above the working directory. The error says what is
// missing and how to get it.
func Find() (jars string, err error) {
	if _, err := exec.LookPath("java"); err != nil {
		return "", errors.New("there is no java (17 or later) to run Apache Kafka")
	}
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.work")); err == nil {
			break
		}
		if parent := filepath.Dir(dir); parent != dir {
			dir = parent
			continue
		}
		return "", errors.New("there is no go.work above the working directory")
	}
	jars = filepath.Join(dir, ".tools", Name)
	if _, err := os.Stat(filepath.Join(jars, "kafka_2.13-"+Version+".jar")); err != nil {
		return "", fmt.Errorf("Apache Kafka %s is not installed: run make tools-kafka", Version)
	}
	return jars, nil
}
