package main

import (
	"os"
	"strings"
	"time"

	"github.com/octopus-framework/octopus/frame"
)

var codecs = frame.Codecs()[1:]

// measured is what a codec makes of messages.
type measured struct {
	Codec      string  `json:"codec"`
	Bytes      int     `json:"bytes"`       // of the messages
	FrameBytes int     `json:"frame_bytes"` // of their frames
	Smaller    int     `json:"smaller"`     // messages that got smaller
	EncodeNs   float64 `json:"encode_ns"`   // of all, once
	DecodeNs   float64 `json:"decode_ns"`
}

func (m measured) ratio() float64 { return float64(m.Bytes) / float64(m.FrameBytes) }

// breakEven returns the bandwidth in bits a second below which compressing makes messages arrive sooner, by one core at each end; 0 if
// they never do.
func (m measured) breakEven() float64 {
	return float64(max(m.Bytes-m.FrameBytes, 0)) * 8 / ((m.EncodeNs + m.DecodeNs) / 1e9)
}

func (m measured) encodeMBs() float64 { return float64(m.Bytes) / m.EncodeNs * 1e3 }
func (m measured) decodeMBs() float64 { return float64(m.Bytes) / m.DecodeNs * 1e3 }

type row struct {
	Set      string `json:"set"`
	Messages int    `json:"messages"`
	measured
}

// class is all messages of a range of sizes, each kind of message with the same weight.
type class struct {
	From     int `json:"from"` // bytes
	To       int `json:"to"`
	Messages int `json:"messages"`
	measured
}

// bounds of the classes, in bytes.
var bounds = []int{16, 32, 64, 128, 256, 512, 1024, 4096, 16384, 65536, 1 << 20}

// perClass bounds how many messages of one kind are in a class.
const perClass = 500

func classes(sets []set, atLeast time.Duration) (all []class) {
	for i, from := range bounds[:len(bounds)-1] {
		var messages [][]byte
		for _, s := range sets {
			n := 0
			for _, m := range s.messages {
				if len(m) >= from && len(m) < bounds[i+1] && n < perClass {
					messages = append(messages, m)
					n++
				}
			}
		}
		if len(messages) < 10 {
			continue
		}
		for _, c := range codecs {
			all = append(all, class{from, bounds[i+1], len(messages), measure(messages, c, atLeast)})
		}
	}
	return all
}

// measure makes and reads frames of all messages, again and again, and takes the quickest time.
func measure(messages [][]byte, c frame.Codec, atLeast time.Duration) measured {
	m := measured{Codec: c.String()}
	o := frame.Options{Codec: c, Threshold: -1}
	frames := make([][]byte, len(messages))
	for i, b := range messages {
		frames[i] = frame.Append(nil, b, o)
		m.Bytes += len(b)
		m.FrameBytes += len(frames[i]) - 1 // the flag byte is there without compression, too
		if frame.Codec(frames[i][0]) != frame.None {
			m.Smaller++
		}
	}
	var buf []byte
	m.EncodeNs = quickest(atLeast, func() {
		for _, b := range messages {
			buf = frame.Append(buf[:0], b, o)
		}
	})
	m.DecodeNs = quickest(atLeast, func() {
		for i, f := range frames {
			out, err := frame.Decode(buf, f, len(messages[i]))
			if err != nil {
				panic(err) // the frame was made a moment ago
			}
			if cap(out) > cap(buf) {
				buf = out[:0]
			}
		}
	})
	return m
}

// quickest returns the shortest of some runs, in nanoseconds.
func quickest(atLeast time.Duration, f func()) float64 {
	best := time.Duration(1 << 62)
	for start, n := time.Now(), 0; n < 3 || time.Since(start) < atLeast; n++ {
		t := time.Now()
		f()
		best = min(best, time.Since(t))
	}
	return float64(max(best, 1))
}

// cpu is the processor's name, empty where the system does not tell.
func cpu() string {
	b, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(b)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
