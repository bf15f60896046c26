package report

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
)

var (
	//go:embed page.html
	pageHTML []byte
	//go:embed page.css
	pageCSS []byte
	//go:embed charts.js
	chartsJS []byte
	//go:embed page.js
	pageJS []byte
)

// pageData is what the page gets: the raw file, and what is computed from it here so that page and summary agree.
type pageData struct {
	Results   *Results          `json:"results"`
	Fits      []Fit             `json:"fits"`
	Losses    []pageLoss        `json:"losses"`
	Missing   []Measurement     `json:"missing"`
	Kinds     map[string]string `json:"kinds"`     // by implementation: "ours", "reference" or "peer"
	Baselines map[string]string `json:"baselines"` // by group
}

type pageLoss struct {
	Loss
	Overlaps []bool `json:"overlaps"` // for each of By
}

// WritePage writes the page. All of it is in the one file; it asks for nothing else.
func WritePage(w io.Writer, r *Results) error {
	d := pageData{Results: r, Kinds: map[string]string{}, Baselines: map[string]string{}}
	for _, s := range r.Sweeps {
		fit, err := FitSweep(s)
		if err != nil {
			return fmt.Errorf("sweep of %s, %s: %w", s.Impl, s.Op, err)
		}
		d.Fits = append(d.Fits, fit)
		d.addKind(s.Impl)
	}
	losses, missing := Losses(r)
	d.Missing = missing
	for _, l := range losses {
		p := pageLoss{Loss: l}
		for _, m := range l.By {
			p.Overlaps = append(p.Overlaps, l.Overlaps(m))
		}
		d.Losses = append(d.Losses, p)
	}
	for _, m := range r.Measurements {
		d.addKind(m.Impl)
		d.Baselines[m.Group] = Baseline(m.Group)
	}
	for _, s := range r.Sizes {
		d.addKind(s.Impl)
	}
	for _, s := range r.RSS {
		d.addKind(s.Impl)
	}
	data, err := json.Marshal(d)
	if err != nil {
		return err
	}
	page := pageHTML
	// The data comes last: what stands in it is replaced no more. encoding/json escapes <, > and &, so it cannot end the
	// script element it stands in.
	for _, part := range []struct{ mark, text []byte }{
		{[]byte("/*CSS*/"), pageCSS}, {[]byte("/*CHARTS*/"), chartsJS}, {[]byte("/*PAGE*/"), pageJS}, {[]byte("/*DATA*/null"), data},
	} {
		page = bytes.Replace(page, part.mark, part.text, 1)
	}
	_, err = w.Write(page)
	return err
}

func (d *pageData) addKind(impl string) {
	switch {
	case Ours(impl):
		d.Kinds[impl] = "ours"
	case Reference(impl):
		d.Kinds[impl] = "reference"
	default:
		d.Kinds[impl] = "peer"
	}
}
