package report

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/octopus-framework/octopus/internal/oracle"
)

// The page in a real browser: a script at its end does what a person does and writes down what the page shows.
func TestPageInBrowser(t *testing.T) {
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
	if left, err := WritePage(&html, []*Process{exampleProcess()}); err != nil || left != 0 {
		t.Fatal(left, err)
	}
	const person = `<script>
	const out = [], rows = () => [...document.querySelectorAll('.row')], text = () => rows().map(r => r.textContent.trim()).join('|');
	out.push('tracks ' + document.querySelectorAll('main h2').length, 'rows ' + rows().length);
	document.getElementById('collapse').click(); out.push('collapsed ' + rows().length);
	document.querySelector('.row .mark').click(); out.push('one open ' + rows().length);
	document.getElementById('expand').click();
	const search = document.getElementById('search');
	search.value = 'b1'; search.dispatchEvent(new Event('input')); out.push('search ' + rows().length + ' ' + document.getElementById('hits').textContent);
	search.value = ''; search.dispatchEvent(new Event('input'));
	rows().find(r => r.dataset.name === 'main.D').click();
	out.push(document.getElementById('title').textContent);
	out.push(...[...document.querySelectorAll('.chain')].map(r => [...r.cells].map(c => c.textContent).join(',')));
	out.push('boxes ' + boxes.length, 'painted ' + document.getElementById('flame').getContext('2d').getImageData(2, 2, 1, 1).data[3]);
	load({traceEvents: [{name: 'other', ph: 'X', ts: 1, dur: 2, pid: 1, tid: 1}]}); out.push('loaded ' + text());
	document.body.innerHTML = '<pre id=result>' + out.join('\n').replaceAll('<', '&lt;') + '\nend</pre>';
	</script>`
	dir := t.TempDir()
	file := filepath.Join(dir, "page.html")
	if err := os.WriteFile(file, append(html.Bytes(), person...), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--user-data-dir="+filepath.Join(dir, "profile"),
		"--dump-dom", "file://"+file)
	cmd.WaitDelay = time.Second
	timer := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	dom, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v", browser, err)
	}
	_, result, _ := strings.Cut(string(dom), `<pre id="result">`)
	result, _, _ = strings.Cut(result, "\nend")
	want := `tracks 3
rows 9
collapsed 3
one open 5
search 2 1 found
Chains to main.D: 2
1,1,1.00µs,main.main =&gt; main.A2 -&gt; main.B2 -&gt; main.D
1,0,1.00µs,main.main =&gt; main.A1 -&gt; main.B1 -&gt; main.D
boxes 3
painted 255
loaded other  2.00µs`
	if result != want {
		t.Errorf("the page shows\n%s\nwant\n%s", result, want)
	}
}
