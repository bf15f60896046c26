package kafkalog

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/octopus-framework/octopus/nerve"
)

func TestURL(t *testing.T) {
	a, err := parseURL("kafka://a:1,b:2/events?partition=3&create=true&replicas=2&unsynced=1"+
		"&compression=lz4&envelope=true&read-only=true", Options{MaxMessage: 5})
	o := a.options
	if err != nil || !slices.Equal(a.brokers, []string{"a:1", "b:2"}) || a.topic != "events" ||
		a.partition != 3 || !o.Create || o.Replicas != 2 || !o.AllowUnsynced ||
		o.Compression != LZ4 ||
		!o.Envelope || !o.ReadOnly || o.MaxMessage != 5 || len(o.Client) != 0 {
		t.Fatalf("%+v, %v", a, err)
	}
	for _, sasl := range []string{"", "&sasl=plain", "&sasl=scram-sha-256", "&sasl=scram-sha-512"} {
		a, err = parseURL("kafka://me:p%40ss/w@[::1]:9092/events?tls=true"+sasl, Options{})
		if err == nil {
			t.Fatal("a slash in a password")
		}
		a, err = parseURL("kafka://me:p%40ss@[::1]:9092/events?tls=true"+sasl, Options{})
		if err != nil || !slices.Equal(a.brokers, []string{"[::1]:9092"}) ||
			len(a.options.Client) != 2 {
			t.Fatalf("%+v, %v", a, err)
		}
	}
}

func TestURLErrors(t *testing.T) {
	for _, address := range []string{
		"", "kafka:", "kafka://", "kafka:///events", "kafka://a:1", "kafka://a:1/",
		"kafka://a:1/x/y",
		"mysql://a:1/x", "kafka://a:1/x?partition=-1", "kafka://a:1/x?partition=9999999999",
		"kafka://a:1/x?no=1", "kafka://a:1/x?create=maybe", "kafka://a:1/x?compression=brotli",
		"kafka://u:secret@a:1/x?sasl=none", "kafka://u:secret@a:1/x?%zz",
		"kafka://u:secret@a:1/%zz",
	} {
		_, err := parseURL(address, Options{})
		var setup *nerve.SetupError
		if !errors.As(err, &setup) || setup.Advice == "" ||
			strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", address, err)
		}
	}
}
