package report

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/octopus-framework/octopus/internal/oracle"
)

// chromium runs a headless browser on a page, or skips the test.
func chromium(t *testing.T, page string, flags ...string) string {
	t.Helper()
	browser, err := exec.LookPath("chromium")
	if err != nil {
		oracle.Skip(t, "chromium", "there is no Chromium on this machine")
	}
	args := []string{"--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-dev-shm-usage", "--no-first-run", "--hide-scrollbars",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--user-data-dir=" + t.TempDir()}
	cmd := exec.Command(browser, append(append(args, flags...), "file://"+page)...)
	cmd.WaitDelay = time.Second
	timer := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("chromium: %v", err)
	}
	return string(out)
}

// written writes the page of r with something behind it and returns its path.
func written(t *testing.T, r *Results, behind string) string {
	t.Helper()
	var page bytes.Buffer
	if err := WritePage(&page, r); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "index.html")
	if err := os.WriteFile(name, append(page.Bytes(), behind...), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// A script behind the page does what a person does and writes down what the page shows.
func TestPageInBrowser(t *testing.T) {
	const person = `<script>
	const out = [], say = (...x) => out.push(x.join(' ')), count = q => document.querySelectorAll(q).length;
	const set = (i, v) => { const e = document.querySelectorAll('#filters select')[i]; e.value = v; e.dispatchEvent(new Event('change')); };
	say('facts', $('facts').textContent);
	say('bars', document.documentElement.dataset.bars, 'in detail', count('#detail .bar'), 'ours', count('#detail .bar.ours'), 'baseline', count('#detail .bar.base'));
	say('glance', count('#glance .card'), 'rings', count('#glance .ring'), 'best', count('#glance .best'), 'conditions', count('#conditions .card'));
	say('sweeps', count('#sweeps .card'), 'lines', count('#sweeps .curve[d]'), 'rows', count('#sweeps tbody tr'));
	say('lost', count('#lost li'), document.querySelector('#lost li').textContent);
	say('wrong', document.querySelector('#run .bad li').textContent);
	say('order', [...document.querySelectorAll('#detail .card')].map(c => c.querySelector('g text').textContent));
	set(1, 'all'); set(2, 'append'); say('append', count('#detail .card'), count('#detail .bar'), count('#conditions .card'));
	set(3, 'allocs'); say(document.querySelector('#detail svg').getAttribute('aria-label'));
	[...document.querySelectorAll('.chip')].find(c => c.textContent === 'easyproto').click();
	say('without easyproto', count('#detail .bar'));
	set(6, 'table'); say('table', count('#detail table'), count('#detail tbody tr'));
	document.querySelector('#detail th[data-sort=bytes]').click(); say('by bytes', document.querySelector('#detail tbody tr:last-child td').textContent);
	set(4, '2 goroutines'); say('two', document.querySelector('#detail tr.base td:nth-child(2)').textContent);
	document.querySelector('#sweeps tr[tabindex]').click(); say('picked', count('#sweeps .series.on'));
	set(0, 'json'); set(6, 'charts'); say('json', $('detail-title').textContent, count('#detail .bar'), $('baseline').textContent);
	say('address', location.hash);
	document.body.innerHTML = '<pre id=result>' + out.join('\n').replaceAll('<', '&lt;') + '\nend</pre>';
	</script>`
	dom := chromium(t, written(t, fixture(), person), "--window-size=1280,900", "--dump-dom")
	_, result, _ := strings.Cut(dom, `<pre id="result">`)
	result, _, _ = strings.Cut(result, "\nend")
	// Of the 13 implementations 12 have a size each twice and a peak: 13*4 + 12*3 bars.
	want := `facts 2026-01-02T03:04:05Z · commit 0123456789ab · Example &lt;CPU&gt; @ 3 GHz · 2 cores · 16.0 GiB · linux 6.1 · go1.26
bars 88 in detail 52 ours 12 baseline 4
glance 4 rings 24 best 12 conditions 2
sweeps 2 lines 72 rows 24
lost 1 Deposit · read all: our gremlin Reader 56.0 ns; easyproto 28.0 ns (100 % faster); lost too with 2 goroutines and 1 goroutine, 64 MiB held
wrong molecule, DeepNested · read all: field 3 is "&lt;/script&gt;", want "x"
order floor copy,floor copy,floor copy,floor copy
append 3 38 2
Submit, append: floor copy 0, gremlin Reader 0, gremlin Reader+Validate 0, easyproto 0, hyperpb shared 0, molecule 4, vtprotobuf unsafe 18, gremlin Message 23, protobuf-go opaque lazy 32, vtprotobuf 41, gogo gofast 46, protobuf-go 46, golang/protobuf 1.3.5 50
without easyproto 35
table 3 35
by bytes golang/protobuf 1.3.5
two 700 ns
picked 6
json All workloads: allocations 10 protojson
address #group=json&amp;workload=all&amp;op=all&amp;metric=allocs&amp;setting=1+goroutine&amp;scale=auto&amp;view=charts&amp;sort=bytes&amp;hidden=easyproto`
	if result != want {
		t.Errorf("the page shows\n%s\nwant\n%s", result, want)
	}
}

func TestPageAsksForNothing(t *testing.T) {
	var page bytes.Buffer
	if err := WritePage(&page, fixture()); err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(page.String(), "http://www.w3.org/2000/svg", "") // a name, not an address
	for _, bad := range []string{"http:", "https:", "src=", "@import", "url(", "/*DATA*/", "/*CSS*/"} {
		if strings.Contains(text, bad) {
			t.Errorf("the page contains %q", bad)
		}
	}
}

// frames writes a page that shows others, each in a frame of a width and height, and returns its path. Headless windows
// have a least width above that of a phone; frames have none. The titles of the others are added to its own.
func frames(t *testing.T, height int, pages map[string]int) string {
	t.Helper()
	html := "<body style='margin:0'><script>onmessage = e => { document.title += e.data + ';'; };</script>"
	for page, width := range pages {
		html += fmt.Sprintf("<iframe src='file://%s' style='border:0;width:%dpx;height:%dpx'></iframe>", page, width, height)
	}
	name := filepath.Join(t.TempDir(), "frames.html")
	if err := os.WriteFile(name, []byte(html), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// The page must be as wide as the window, also on a phone and also when a run measured nothing, as one that was stopped.
func TestPageFits(t *testing.T) {
	const measure = `<script>
	const wide = [...document.querySelectorAll('main *')].filter(e => e.getBoundingClientRect().right > innerWidth + 1).map(e => ' ' + e.tagName + ' ' + e.textContent.slice(0, 40));
	parent.postMessage('width ' + document.documentElement.scrollWidth + ' of ' + innerWidth + ', ' + document.documentElement.dataset.bars + ' bars' + wide, '*');
	</script>`
	pages := map[string]int{written(t, fixture(), measure): 390, written(t, fixture(), measure): 1280, written(t, &Results{}, measure): 389}
	dom := chromium(t, frames(t, 800, pages), "--virtual-time-budget=3000", "--dump-dom")
	_, title, _ := strings.Cut(dom, "<title>")
	title, _, _ = strings.Cut(title, "</title>")
	for _, want := range []string{"width 390 of 390, 88 bars;", "width 1280 of 1280, 88 bars;", "width 389 of 389, 0 bars;"} {
		if !strings.Contains(title, want) {
			t.Errorf("the pages say %q, want %q", title, want)
		}
	}
}

// The page as a phone and a desktop show it: there must be something to see in every part of the picture. Set
// LAB_SCREENSHOTS to a folder to keep the pictures.
func TestScreenshots(t *testing.T) {
	for _, size := range [][2]int{{390, 844}, {1280, 900}} {
		t.Run(fmt.Sprint(size[0]), func(t *testing.T) {
			page := frames(t, size[1], map[string]int{written(t, fixture(), ""): size[0]})
			shot := filepath.Join(t.TempDir(), "shot.png")
			if keep := os.Getenv("LAB_SCREENSHOTS"); keep != "" {
				shot = filepath.Join(keep, fmt.Sprintf("page-%d.png", size[0]))
			}
			// The time that pages see stands still until all is loaded: a busy machine shows no half.
			chromium(t, page, "--virtual-time-budget=3000",
				fmt.Sprintf("--window-size=%d,%d", size[0], size[1]), "--screenshot="+shot)
			look(t, shot, size[0], size[1])
		})
	}
}

// look checks that a picture has colours of ours in it, and that each sixth of its height has ink on the background.
func look(t *testing.T, name string, width, height int) {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	img, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	if b := img.Bounds(); b.Dx() < width || b.Dy() < height {
		t.Fatalf("the picture is %v", b)
	}
	ours := color.NRGBA{0x00, 0x72, 0xb2, 0xff}
	blue := 0
	for part := range 6 {
		seen := map[color.Color]int{}
		area := image.Rect(0, height*part/6, width, height*(part+1)/6)
		for y := area.Min.Y; y < area.Max.Y; y++ {
			for x := range width {
				c := color.NRGBAModel.Convert(img.At(x, y))
				seen[c]++
				if c == ours {
					blue++
				}
			}
		}
		if len(seen) < 10 {
			t.Errorf("part %d of the picture has %d colours: it is blank", part, len(seen))
		}
	}
	if blue < 100 {
		t.Errorf("%d pixels in the colour of our bars", blue)
	}
}
