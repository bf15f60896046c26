package report

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/octopus-framework/octopus/internal/oracle"
)

// inBrowser writes a page whose last script does what a person does, opens it in a real browser,
// and returns what the script wrote down.
func inBrowser(t *testing.T, procs []*Process, person string) string {
	t.Helper()
	browser := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil && browser == "" {
			browser = path
		}
	}
	if browser == "" {
		oracle.Skip(t, "chromium", "there is no Chromium on this machine")
	}
	var html bytes.Buffer
	if _, err := WritePage(&html, procs); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "page.html")
	script := "<script>const out = [];\ntry {" + person + `
	} catch (e) { out.push(e.stack); }
	document.body.innerHTML = '<pre id=result>' + out.join('\n').replaceAll('<', '&lt;') + '\nend</pre>';
	</script>`
	if err := os.WriteFile(file, append(html.Bytes(), script...), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(browser, "--headless", "--no-sandbox", "--disable-gpu",
		"--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--window-size=1200,800",
		"--user-data-dir="+filepath.Join(dir, "profile"), "--dump-dom", "file://"+file)
	cmd.WaitDelay = time.Second
	timer := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	dom, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v", browser, err)
	}
	_, result, ok := strings.Cut(string(dom), `<pre id="result">`)
	if !ok {
		t.Fatalf("the script did not end:\n%.2000s", dom)
	}
	result, _, _ = strings.Cut(result, "\nend")
	return result
}

// person has helpers for scripts that do what a person does.
const person = `
	const all = selector => [...document.querySelectorAll(selector)];
	const text = e => (e.cells ? [...e.cells].map(c => c.textContent).join(' ') : e.textContent).trim().replace(/\s+/g, ' ');
	const press = label => all('nav button').find(b => b.textContent === label).click();
	const find = what => { $('search').value = what; $('search').dispatchEvent(new Event('input')); };
`

func TestPageInBrowser(t *testing.T) {
	got := inBrowser(t, []*Process{exampleProcess()}, person+`
	out.push('it starts with ' + text(all('nav button[aria-selected=true]')[0]), ...all('.failure').map(text));
	press('functions'); out.push(...all('.function').slice(0, 3).map(text));
	all('th')[0].click(); out.push('most calls: ' + text(all('.function')[0]));
	find('b1'); out.push('search: ' + all('.function').map(text).join('|')); find('');
	press('calls'); out.push(...all('.row').map(text));
	find('b1'); out.push('narrow: ' + all('.call').map(text).join('|') + ' ' + $('count').textContent); find('');
	all('.mark')[0].click(); out.push('closed: ' + all('.call').length); all('.mark')[0].click();
	all('.call').find(r => r.textContent.includes('main.D')).click();
	out.push($('title').textContent, $('numbers').textContent, ...all('.chain').map(r => [...r.cells].map(c => c.textContent).join(',')));
	out.push('boxes ' + boxes.length, 'painted ' + $('flame').getContext('2d').getImageData(2, 2, 1, 1).data[3]);
	all('.chain')[0].click(); out.push('revealed: ' + text(all('.chosen')[0]));
	press('goroutines'); out.push($('count').textContent, 'painted ' + $('axis').getContext('2d').getImageData(182, 26, 1, 1).data[3]);
	load(readTraceEvents({traceEvents: [{name: 'other', ph: 'X', ts: 1, dur: 2, pid: 1, tid: 1}]})); press('calls');
	out.push('loaded: ' + all('.row').map(text).join('|'));`)
	want := `it starts with failures
1 returned an error 22.00µs main.D: &lt;/script&gt; is text
1 96.00µs 96.00µs 96.00µs 96.00µs main.wait
1 7.00µs 6.00µs 7.00µs 7.00µs main.B1
1 7.00µs 6.00µs 7.00µs 7.00µs main.B2
most calls: 2 2.00µs 2.00µs 1.00µs 1.00µs 1 main.D
search: 1 7.00µs 6.00µs 7.00µs 7.00µs main.B1
goroutine 1
▾ main.main 100.00µs
main.setup 1.00µs
main.wait 96.00µs
goroutine 5, started by main.main
▾ main.A1 9.00µs
▾ main.B1 7.00µs
main.D 1.00µs
goroutine 6, started by main.main
▾ main.A2 9.00µs
▾ main.B2 7.00µs
main.D 1.00µs returned an error: &lt;/script&gt; is text
narrow: ▾ main.A1 9.00µs|▸ main.B1 7.00µs 1 rows found
closed: 7
main.D
2 calls, 1 failed; total 2.00µs, self 2.00µs, p50 1.00µs, p99 1.00µs
1,1,1.00µs,main.main ⇒ main.A2 → main.B2 → main.D
1,0,1.00µs,main.main ⇒ main.A1 → main.B1 → main.D
boxes 3
painted 255
revealed: main.D 1.00µs returned an error: &lt;/script&gt; is text
3 goroutines
painted 255
loaded: track 1:1|other 2.00µs`
	if got != want {
		t.Errorf("the page shows\n%s\nwant\n%s", got, want)
	}
}

// manyCalls is a program that handles requests: calls that look alike, some that do not, some that
// fail.
func manyCalls(n int) []*Process {
	var requests []*Call
	for made := 1; made+45 <= n; made += 45 {
		var numbers []*Call
		for range 43 {
			numbers = append(numbers, call("format.formatNumber"))
		}
		r := call("web.(*Server).handle", numbers...)
		r.Calls = append(r.Calls, call("web.(*Server).log"))
		if made/45%10 == 0 {
			failed(r, "request timed out")
		}
		requests = append(requests, r)
	}
	return process(call("main.main", requests...))
}

// TestPageOfManyCalls opens a page with as many calls as one may have.
func TestPageOfManyCalls(t *testing.T) {
	procs := manyCalls(MaxPageCalls)
	var html bytes.Buffer
	left, err := WritePage(&html, procs)
	if err != nil || left != 0 || html.Len() > 5<<20 {
		t.Fatalf("%v, %d calls left out, %d bytes", err, left, html.Len())
	}
	got := inBrowser(t, procs, person+`
	out.push('calls ' + R.n, ...all('.failure').map(text));
	press('calls'); out.push('laid out: ' + (all('.row').length < 200), $('count').textContent);
	out.push(...all('.row').slice(0, 6).map(text));
	find('log'); out.push($('count').textContent);`)
	want := `calls 199981
445 returned an error 0ns web.(*Server).handle: request timed out
laid out: true
199981 calls, 2672 rows
goroutine 1
▾ main.main 199.98ms
▾ web.(*Server).handle 45.00µs returned an error: request timed out
format.formatNumber × 43 43.00µs
web.(*Server).log 1.00µs
▾ web.(*Server).handle × 9 405.00µs
890 rows found`
	if got != want {
		t.Errorf("the page shows\n%s\nwant\n%s", got, want)
	}
}

// TestPageCountsAll opens the page of a recording with more calls than its tree may have. Failures,
// functions and chains count all of them, those behind the cut included, and the page says what its
// tree lacks.
func TestPageCountsAll(t *testing.T) {
	procs := manyCalls(3 * MaxPageCalls)
	main := procs[0].Goroutines[0]
	for id := range uint64(40) { // all of them behind the cut
		procs[0].Goroutines = append(procs[0].Goroutines, &Goroutine{ID: 7 + id, ParentID: 1,
			From: main.Calls[0], FromGoroutine: main,
			Calls: calls(call("late.run", failed(call("late.step"), "too late")))})
	}
	functions, err := Functions(procs, "calls")
	if err != nil {
		t.Fatal(err)
	}
	all, rows := 0, []string{}
	for _, f := range functions {
		all += f.Calls
		rows = append(rows, strings.TrimSpace(fmt.Sprintf("%d %d %s", f.Calls, f.Failed,
			ShortName(f.Name))))
	}
	left, err := WritePage(io.Discard, procs)
	if err != nil || left != all-MaxPageCalls {
		t.Fatalf("%v, %d of %d calls are left out", err, left, all)
	}
	got := inBrowser(t, procs, person+`
	out.push($('lacks').textContent, ...all('.failure').map(text));
	press('functions'); all('th')[0].click();
	out.push($('count').textContent,
		...all('.function').map(r => [0, 5, 6].map(i => r.cells[i].textContent || 0).join(' ')));
	all('.function').find(r => r.textContent.includes('late.step')).click();
	out.push($('numbers').textContent.split(';')[0], ...all('.chain').map(text));
	all('.chain')[0].click(); $('main').onscroll(); // the event comes later
	out.push('revealed: ' + text(all('.chosen')[0]));
	out.push('cuts: ' + rowsShown.filter(r => r.i !== undefined && R.cuts.has(r.i)).length);
	$('main').scrollTop = 0; $('main').onscroll();
	out.push(text(all('.call')[0]));
	out.push(...rowsShown.filter(r => r.goroutines).map(r => text(drawRow(r))));
	press('goroutines'); out.push($('count').textContent);`)
	want := fmt.Sprintf(`calls and goroutines show 200000 of %d calls; functions, failures and chains count all
1334 returned an error 0ns web.(*Server).handle: request timed out
40 returned an error 0ns late.step: too late
6 functions, %[1]d calls
%s
40 calls, 40 failed
40 40 40.00µs main.main ⇒ late.run → late.step
revealed: late.step 1.00µs returned an error: too late
cuts: 2
▾ main.main 599.99ms 399960 more calls in it are left out
goroutine 1
goroutine 7, started by main.main
2 goroutines; 39 more have no call in the tree`, all, strings.Join(rows, "\n"))
	if got != want {
		t.Errorf("the page shows\n%s\nwant\n%s", got, want)
	}
}

// TestPageFoldsGoroutines shows goroutines that look alike as one, until somebody takes them apart.
// Without a text of an error the page says how to get one.
func TestPageFoldsGoroutines(t *testing.T) {
	p := alikeGoroutines()
	for _, g := range p.Goroutines {
		for _, c := range g.Calls {
			for _, inner := range c.Calls {
				inner.Error = ""
			}
		}
	}
	got := inBrowser(t, []*Process{p}, person+`
	out.push(...all('.note').map(text));
	press('calls'); out.push(...all('.row').map(text));
	all('.times')[0].click(); out.push('apart: ' + all('.row').length);
	press('goroutines'); out.push($('count').textContent);
	R.apart.clear(); draw(); out.push($('count').textContent);
	find('log'); out.push($('count').textContent);`)
	want := `Texts of errors are not recorded; functrace run --args records them.
A call fails if its last result is an error that is not nil, or if it panics. What a handler answers, such as HTTP status 500, is no result.
goroutine 1
web.Serve 1.00µs
goroutine 10 × 4, started by web.Serve
▾ web.handle 2.00µs
web.log 1.00µs
goroutine 11 × 3, started by web.Serve
web.read 1.00µs
goroutine 15, started by web.Serve
▾ web.handle 2.00µs
web.log 1.00µs returned an error
goroutine 18
▾ web.handle 2.00µs
web.log 1.00µs
apart: 22
10 goroutines, 8 rows
10 goroutines, 5 rows
6 goroutines, 3 rows`
	if got != want {
		t.Errorf("the page shows\n%s\nwant\n%s", got, want)
	}
}

// TestPageOfNothing opens the page of a recording without a call.
// TestPageOfTraces: a call that begins a request shows the id of its trace where it stands alone,
// and a search for the id shows the calls of that request among many that look alike.
func TestPageOfTraces(t *testing.T) {
	p := alikeGoroutines()
	for i, g := range p.Goroutines[1:] {
		g.Calls[0].Trace = fmt.Sprintf("00-0af7651916cd43dd8448eb211c8031%02x-b7ad6b7169203331-01", i)
	}
	p.Goroutines[2].Calls[0].Trace = "<b>no traceparent</b>"
	got := inBrowser(t, []*Process{p}, person+`
	press('calls'); out.push(all('.row').filter(r => r.textContent.includes('trace ')).map(text).join('|'));
	find('0af7651916cd43dd8448eb211c803106'); out.push(...all('.row').map(text), $('count').textContent);
	find('0af76'); out.push($('count').textContent);`)
	want := `▾ web.handle 2.00µs trace 0af7651916cd43dd8448eb211c803105|▾ web.handle 2.00µs trace 0af7651916cd43dd8448eb211c803108
goroutine 16, started by web.Serve
▾ web.handle 2.00µs trace 0af7651916cd43dd8448eb211c803106
web.log 1.00µs
1 rows found
0 rows found`
	if got != want {
		t.Errorf("the page shows\n%s\nwant\n%s", got, want)
	}
	var b bytes.Buffer
	if err := Write(&b, []*Process{p}, Tree, WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(b.String(), "web.handle trace 0af7651916cd43dd8448eb211c8031"); n != 2 {
		t.Errorf("the tree has %d traces of goroutines that stand alone, want 2:\n%s", n, &b)
	}
}

func TestPageOfNothing(t *testing.T) {
	got := inBrowser(t, []*Process{{Program: "p"}}, person+`
	out.push(current, $('count').textContent); press('failures'); out.push(text(all('.note')[0]));
	press('calls'); press('goroutines'); out.push($('count').textContent);`)
	if want := "functions\n0 functions, 0 calls\nNo call failed.\n0 goroutines"; got != want {
		t.Errorf("the page shows\n%s\nwant\n%s", got, want)
	}
}
