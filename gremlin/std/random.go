package std

import (
	"time"

	"github.com/octopus-framework/octopus/gremlin/gogo"
)

// The Random functions return random values for tests of generated code.

// RandomTime returns a time of the years 1970 to 2262.
func RandomTime(r gogo.Random) *time.Time {
	ns := r.Int63()
	t := time.Unix(ns/1e9, ns%1e9).UTC()
	return &t
}

// RandomDuration returns a duration of up to an hour.
func RandomDuration(r gogo.Random) *time.Duration {
	d := time.Duration(r.Int63() % int64(time.Hour) * int64(1-2*r.Intn(2)))
	return &d
}

// RandomDouble returns a number.
func RandomDouble(r gogo.Random) *float64 { v := r.Float64(); return &v }

// RandomFloat returns a number.
func RandomFloat(r gogo.Random) *float32 { v := r.Float32(); return &v }

// RandomInt64 returns a number.
func RandomInt64(r gogo.Random) *int64 { v := r.Int63(); return &v }

// RandomUint64 returns a number.
func RandomUint64(r gogo.Random) *uint64 { v := uint64(r.Uint32()); return &v }

// RandomInt32 returns a number.
func RandomInt32(r gogo.Random) *int32 { v := r.Int31(); return &v }

// RandomUint32 returns a number.
func RandomUint32(r gogo.Random) *uint32 { v := r.Uint32(); return &v }

// RandomBool returns true or false.
func RandomBool(r gogo.Random) *bool { v := r.Intn(2) == 0; return &v }

// RandomString returns up to 99 digits and letters.
func RandomString(r gogo.Random) *string { v := gogo.RandomString(r); return &v }

// RandomBytes returns up to 99 bytes.
func RandomBytes(r gogo.Random) *[]byte {
	v := make([]byte, r.Intn(100))
	for i := range v {
		v[i] = byte(r.Intn(256))
	}
	return &v
}
