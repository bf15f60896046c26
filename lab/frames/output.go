package main

import (
	"bytes"
	"fmt"
	"math"
)

func markdown(res results) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s, %s, %s, one core.\n\n", res.CPU, res.Go, res.Date)
	fmt.Fprintln(&b, "| messages | mean | codec | ratio | make MB/s | read MB/s | pays below |\n|---|---|---|---|---|---|---|")
	for i, r := range res.Sets {
		name, mean := "", ""
		if i == 0 || res.Sets[i-1].Set != r.Set {
			name, mean = r.Set, size(r.Bytes/r.Messages)
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %.2f | %.0f | %.0f | %s |\n", name, mean, r.Codec, r.ratio(), r.encodeMBs(), r.decodeMBs(), bandwidth(r.breakEven()))
	}
	fmt.Fprint(&b, "\n| bytes |")
	for _, c := range codecs {
		fmt.Fprintf(&b, " %v |", c)
	}
	fmt.Fprint(&b, "\n|---|"+string(bytes.Repeat([]byte("---|"), len(codecs))))
	for i, c := range res.Classes {
		if i%len(codecs) == 0 {
			fmt.Fprintf(&b, "\n| %s to %s |", size(c.From), size(c.To))
		}
		fmt.Fprintf(&b, " %.0f %%, %.2f, %s |", 100*float64(c.Smaller)/float64(c.Messages), c.ratio(), bandwidth(c.breakEven()))
	}
	fmt.Fprintln(&b)
	return b.Bytes()
}

func size(n int) string {
	switch {
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	case n >= 10<<10:
		return fmt.Sprintf("%d KiB", n>>10)
	case n >= 1<<10:
		return fmt.Sprintf("%.3g KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%d B", n)
}

func bandwidth(bits float64) string {
	switch {
	case bits < 1e5:
		return "never"
	case bits >= 1e9:
		return fmt.Sprintf("%.1f Gbit/s", bits/1e9)
	}
	return fmt.Sprintf("%.0f Mbit/s", bits/1e6)
}

// The chart, in its own units: size of messages to the right, break-even bandwidth upwards, both by decades.
const (
	chartWidth, chartHeight = 760, 400
	left, right, top, below = 70, 90, 46, 44
	lowest, highest         = 1e6, 1e11 // bits a second
)

var colours = map[string]string{"s2": "#0072b2", "zstd": "#d55e00", "lz4": "#009e73", "gzip": "#cc79a7", "deflate": "#8a6d00"}

// chart draws the break-even bandwidth by size of message. It works on light and dark grounds.
func chart(res results) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="system-ui, sans-serif" font-size="12">`+"\n", chartWidth, chartHeight)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" rx="6" fill="#fff"/>`+"\n", chartWidth, chartHeight)
	fmt.Fprintf(&b, `<text x="%d" y="26" font-size="15" fill="#222">Below the line, compressing makes a message arrive sooner</text>`+"\n", left)
	first, last := float64(bounds[0]), float64(bounds[len(bounds)-1])
	x := func(v float64) float64 {
		return left + math.Log(v/first)/math.Log(last/first)*(chartWidth-left-right)
	}
	y := func(v float64) float64 {
		v = min(max(v, lowest), highest)
		return chartHeight - below - math.Log(v/lowest)/math.Log(highest/lowest)*(chartHeight-top-below)
	}
	for v := lowest; v <= highest; v *= 10 {
		fmt.Fprintf(&b, `<path d="M%d %.1fH%d" stroke="#ddd"/><text x="%d" y="%.1f" text-anchor="end" fill="#555">%s</text>`+"\n",
			left, y(v), chartWidth-right, left-8, y(v)+4, decade(v))
	}
	for _, v := range []int{16, 64, 256, 1 << 10, 4 << 10, 16 << 10, 64 << 10, 1 << 20} {
		fmt.Fprintf(&b, `<text x="%.1f" y="%d" text-anchor="middle" fill="#555">%s</text>`+"\n", x(float64(v)), chartHeight-below+20, size(v))
	}
	labels := map[int]bool{}
	for _, c := range codecs {
		path, end := "", 0.0
		for _, p := range res.Classes {
			if p.Codec == c.String() {
				end = y(p.breakEven())
				command := "L"
				if path == "" {
					command = "M"
				}
				path += fmt.Sprintf("%s%.1f %.1f", command, x(math.Sqrt(float64(p.From)*float64(p.To))), end)
			}
		}
		at := int(end)
		for labels[at/14] {
			at += 14
		}
		labels[at/14] = true
		fmt.Fprintf(&b, `<path d="%s" fill="none" stroke="%s" stroke-width="2"/><text x="%d" y="%d" fill="%[2]s">%v</text>`+"\n",
			path, colours[c.String()], chartWidth-right+8, at+4, c)
	}
	fmt.Fprintln(&b, "</svg>")
	return b.Bytes()
}

func decade(v float64) string {
	if v >= 1e9 {
		return fmt.Sprintf("%.0f Gbit/s", v/1e9)
	}
	return fmt.Sprintf("%.0f Mbit/s", v/1e6)
}
