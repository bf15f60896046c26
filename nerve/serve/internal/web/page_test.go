package web_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/octopus-framework/octopus/internal/oracle/chromium"
	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/seglog"
	"github.com/octopus-framework/octopus/nerve/serve/internal/core"
	"github.com/octopus-framework/octopus/nerve/serve/internal/sample"
	"github.com/octopus-framework/octopus/nerve/serve/internal/serve"
)

// schemaFile is that of the sample's events.
const schemaFile = "../../../../examples/deposits/shop/v1/deposit.proto"

// site is a server with queues, and who uses them.
type site struct {
	*serve.Server
	t    testing.TB
	root *core.Queues
	me   *core.Principal

	events [][]byte // in the queue deposits
}

// start serves the queues deposits (500 events with a schema, three consumers),
// hostile and log. Whoever asks has roles.
func start(t testing.TB, roles core.Role) *site {
	t.Helper()
	dir := t.TempDir()
	if err := sample.Schema(filepath.Join(dir, "deposits"), schemaFile); err != nil {
		t.Fatal(err)
	}
	root, err := core.Open(dir, core.Options{Create: true, Folder: seglog.Options{NoSpare: true}})
	if err != nil {
		t.Fatal(err)
	}
	owner, err := core.NewPrincipal("owner", core.Grant{Queues: "*", Roles: core.All})
	if err != nil {
		t.Fatal(err)
	}
	auth, err := core.NewAuth(nil, roles)
	if err != nil {
		t.Fatal(err)
	}
	s := &site{t: t, root: root, me: owner}
	for i := range 500 {
		s.events = append(s.events, sample.Deposit(nil, i))
	}
	deposits := s.fill("deposits", s.events...)
	s.fill("hostile", sample.Hostile()...)
	s.fill("log", []byte(sample.LogLine(1)), []byte(sample.LogLine(2)))
	err = deposits.SavePointers(context.Background(), []nerve.Pointer{
		{Name: "billing", ID: 500}, {Name: "analytics", ID: 200},
		{Name: "audit", ID: 1, Hold: true}})
	if err != nil {
		t.Fatal(err)
	}
	s.Server, err = serve.New(root, serve.Options{Listen: "127.0.0.1:0", Auth: auth})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := errors.Join(<-ended, root.Close(context.Background())); err != nil {
			t.Errorf("the server ended with %v", err)
		}
	})
	return s
}

// fill appends records to a queue, which is made.
func (s *site) fill(name string, records ...[]byte) *core.Access {
	s.t.Helper()
	q, err := s.root.Create(s.me, name)
	if err != nil {
		s.t.Fatal(err)
	}
	s.append(q, records...)
	return q
}

func (s *site) append(q *core.Access, records ...[]byte) {
	s.t.Helper()
	var b nerve.Batch
	for _, r := range records {
		b.Append(r)
	}
	h, err := q.AppendAsync(context.Background(), &b)
	if err == nil {
		_, err = h.Wait(context.Background())
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

// visitor looks at a site.
type visitor struct {
	*chromium.Page
	t    testing.TB
	site *site
}

// helpers are for scripts that look at the page as a person does.
const helpers = `
	globalThis.all = s => [...document.querySelectorAll(s)];
	globalThis.texts = s => all(s).map(e => e.innerText.trim().replace(/\s+/g, ' '));
	globalThis.press = label => all('button, a').find(b => b.innerText.trim() === label).click();`

// visit opens a browser. Tests with one take most of a minute: make page-test runs them.
func visit(t testing.TB, s *site) *visitor {
	t.Helper()
	if os.Getenv("PAGE_TEST") == "" {
		t.Skip("PAGE_TEST is not set; make page-test sets it")
	}
	v := &visitor{chromium.Start(t), t, s}
	v.Size(1280, 860, false)
	return v
}

// at opens a path and waits until a script gives true.
func (v *visitor) at(path, ready string) {
	v.t.Helper()
	v.Open(strings.TrimSuffix(v.site.URL(), "/") + path)
	v.Eval(helpers)
	v.Wait(ready)
}

// is compares what a script gives.
func (v *visitor) is(script, want string) {
	v.t.Helper()
	if got := v.Eval(script); got != want {
		v.t.Errorf("%s\n got %s\nwant %s", script, got, want)
	}
}

// shoot keeps a screenshot for people, in the folder that PAGE_SHOTS names.
func (v *visitor) shoot(name string) {
	v.t.Helper()
	dir := os.Getenv("PAGE_SHOTS")
	if dir == "" {
		return
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		v.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name+".png"), v.Screenshot(), 0o644); err != nil {
		v.t.Fatal(err)
	}
}

// fits checks that nothing makes the page itself scroll sideways.
func (v *visitor) fits() {
	v.t.Helper()
	v.is("document.documentElement.scrollWidth <= innerWidth", "true")
}

func TestPage(t *testing.T) {
	v := visit(t, start(t, core.All))
	t.Run("queues", func(t *testing.T) {
		v.at("/", "all('a.queue').length === 3")
		v.is("texts('h2').join()", "deposits,hostile,log")
		v.is("texts('a.queue .type')[0]", "shop.v1.Deposit")
		v.is("texts('a.queue')[0].includes('500') && texts('a.queue')[0].includes('499')", "true")
		v.shoot("queues")
	})
	t.Run("messages", func(t *testing.T) {
		v.at("/q/deposits/messages", "all('tbody tr').length === 100")
		v.is("texts('td.id')[0]", "500")
		v.is("texts('td.preview')[0].includes('event_id')", "true")
		v.shoot("messages")
		v.Eval("press('Oldest')")
		v.Wait("texts('td.id')[0] === '1'")
		v.is("location.search", "?at=oldest")
		v.Eval("press('Later')")
		v.Wait("texts('td.id')[0] === '101'")
		v.Eval("history.back()")
		v.Wait("texts('td.id')[0] === '1'")
		v.at("/q/deposits/messages?at=250&columns=user.geo.country,amount",
			"texts('td.id')[0] === '250'")
		v.is("texts('thead th').join()", "id,time,size,user.geo.country,amount")
		v.is("/^[A-Z]{2}$/.test(texts('tbody tr')[0].split(' ').at(-2))", "true")
		v.shoot("columns")
		v.at("/q/deposits/messages?at=yesterday", "all('.failure').length === 1")
	})
	t.Run("search", func(t *testing.T) {
		v.at("/q/deposits/messages?where=amount+%3E+20000", "texts('.status')[0]?.includes(' in ')")
		v.is("all('tbody tr').length > 0 && texts('.status')[0].startsWith('500 of 500')", "true")
		v.shoot("search")
		v.at("/q/log/messages?contains=msg%3D", "texts('.status')[0]?.includes(' in ')")
		v.is("texts('td.id').join()", "2,1")
	})
	t.Run("message", func(t *testing.T) {
		v.at("/q/deposits/record/7", "all('pre.code').length === 1")
		v.is("texts('pre.code')[0].includes('dep-000000000006')", "true")
		v.shoot("record-json")
		v.Eval("press('Text')")
		v.is("texts('pre.code')[0].startsWith('event_id: \"dep-000000000006\"')", "true")
		v.Eval("press('Fields and bytes')")
		v.Wait("all('.b').length > 100")
		v.is("location.search", "?view=fields")
	})
	t.Run("consumers", func(t *testing.T) {
		v.at("/q/deposits/consumers", "all('tbody tr').length === 3")
		v.is("texts('td.name').join()", "analytics,audit,billing")
		v.is("texts('tbody tr')[0].startsWith('analytics 200 300 ')", "true")
		v.is("texts('tbody tr')[2].startsWith('billing 500 0 – – at the end')", "true")
		v.Eval("press('Move')") // of analytics
		v.Eval("document.querySelector('dialog input').value = 'oldest'")
		v.Eval("document.querySelector('dialog .danger').click()")
		v.is("texts('dialog .bad')[0]", "This is not the name of the consumer.")
		v.Eval("all('dialog input[type=text]')[1].value = 'analytics'")
		v.shoot("move")
		v.Eval("document.querySelector('dialog .danger').click()")
		v.Wait("texts('tbody tr')[0]?.startsWith('analytics 0 500 ')")
	})
	t.Run("throughput", func(t *testing.T) {
		v.at("/q/deposits/throughput", "all('.chart').length === 4")
		v.is("texts('.tile dt').includes('COMMIT P99') || texts('.tile dt').includes('commit p99')",
			"true")
	})
	t.Run("query", func(t *testing.T) {
		v.at("/q/deposits/query", "all('textarea').length === 1")
		v.Eval(`const q = document.querySelector('textarea');
			q.value = 'count(), sum(amount) by user.geo.country order -count'; press('Run')`)
		v.Wait("all('tbody tr').length === 8")
		v.is("texts('tbody tr')[0].startsWith('DE ')", "true")
		v.is("all('.barrow').length", "8")
		v.shoot("query")
		v.Eval("document.querySelector('textarea').value = 'sum(amonut)'; press('Run')")
		v.Wait("!document.querySelector('.caret').hidden")
		v.is("texts('.caret')[0].includes('did you mean amount?')", "true")
	})
	t.Run("storage", func(t *testing.T) {
		v.at("/q/deposits/storage", "all('.fields tbody tr').length > 10")
		v.is("texts('.badge.good')[0]", "no damage found")
		v.shoot("storage")
		v.at("/q/log/storage", "all('.tile').length > 4")
		v.is("texts('main')[0].includes('nerve.yaml')", "true")
	})
	t.Run("absent", func(t *testing.T) {
		v.at("/q/nothing/messages", "all('.failure').length === 1")
		v.is("texts('.failure p')[0]", `there is no queue "nothing"`)
	})
}

// TestFieldsAndBytes goes from a field to its bytes and from a byte to its field.
func TestFieldsAndBytes(t *testing.T) {
	v := visit(t, start(t, core.All))
	v.at("/q/deposits/record/7?view=fields", "all('.b').length > 100")
	v.Eval("all('.node').find(n => n.innerText.includes('country')).click()")
	v.Wait("all('.b.val').length === 2")
	v.is("all('.b.tag').length + all('.b.len').length", "2")
	v.is("all('.c.val').map(c => c.textContent).join('')", "FR")
	v.shoot("fields")
	// A byte within the user's name: the innermost field that has it.
	v.Eval(`const at = all('.c').map(c => c.textContent).join('').indexOf('Barbara');
		all('.b')[at + 2].click()`)
	v.Wait("texts('.node[aria-selected=true]')[0]?.includes('name')")
	v.Wait("all('.c.val').map(c => c.textContent).join('') === 'Barbara Liskov'")
	v.Key("j")
	v.Wait("texts('.node[aria-selected=true]')[0]?.includes('geo')")
	// Without a schema, by numbers.
	v.at("/q/log/record/1", "all('.panel *').length > 5")
	v.is("texts('.tree').join().includes('byte ')", "true")
}

// TestFilterCaret writes a filter by keys alone: completion, a mistake, and its mark.
func TestFilterCaret(t *testing.T) {
	v := visit(t, start(t, core.All))
	v.at("/q/deposits/messages", "all('tbody tr').length === 100")
	v.Key("/")
	v.Wait("document.activeElement.getAttribute('aria-label') === 'filter'")
	v.Type("user.geo.c")
	v.Wait("all('.completion li').length > 0")
	v.is("texts('.completion li span')[0]", "user.geo.country")
	v.shoot("completion")
	v.Key("Tab")
	v.is("document.activeElement.value", "user.geo.country")
	v.Type(" = ")
	v.Type(`"DE"`)
	v.Key("Enter")
	v.Wait("!document.querySelector('.caret').hidden")
	v.is("document.querySelector('.caret').textContent.split('\\n')[0]", `user.geo.country = "DE"`)
	v.is(`/^ {17}\^/.test(document.querySelector('.caret').textContent.split('\n')[1])`, "true")
	v.shoot("caret")
	v.at("/q/deposits/messages?where=type+%3D%3D+", "!document.querySelector('.caret').hidden")
	v.Eval("document.querySelector('.combo input').focus()")
	v.Type(" ")
	v.Wait("texts('.completion li span').includes('DEPOSIT_TYPE_CARD')")
}

// TestKeyboard does without a mouse.
func TestKeyboard(t *testing.T) {
	v := visit(t, start(t, core.All))
	v.at("/", "all('a.queue').length === 3")
	v.Key("j")
	v.Key("Enter")
	v.Wait("location.pathname === '/q/deposits/messages' && all('tbody tr').length === 100")
	v.Key("j")
	v.Key("j")
	v.is("document.activeElement.dataset.id", "499")
	v.Key("Enter")
	v.Wait("location.pathname === '/q/deposits/record/499' && all('pre.code').length === 1")
	v.Key("n")
	v.Wait("location.pathname === '/q/deposits/record/500' && texts('h1')[0] === 'Record 500'")
	v.Key("p")
	v.Wait("texts('h1')[0] === 'Record 499'")
	v.Key("2")
	v.Wait("location.pathname === '/q/deposits/consumers'")
	v.Key("?")
	v.Wait("all('dialog[open]').length === 1")
	v.shoot("help")
	v.Key("Escape")
	v.Wait("all('dialog').length === 0")
	v.Key("0")
	v.Wait("location.pathname === '/'")
}

// TestHostileContent shows records that try to be more than data.
func TestHostileContent(t *testing.T) {
	v := visit(t, start(t, core.All))
	v.at("/q/hostile/messages?at=oldest", "all('tbody tr').length === 10")
	v.is("texts('td.preview')[0].startsWith('<script>window.hacked = true</script>')", "true")
	v.is("texts('td.preview')[1].startsWith('right to left: ⟨U+202E⟩gnp.exe')", "true")
	v.is("texts('td.preview')[2].startsWith('6e 6f 74 20')", "true")
	v.shoot("hostile")
	v.is("all('main script, main img, main svg[onload]').length", "0")
	for id := range sample.Hostile() {
		v.at("/q/hostile/record/"+string(rune('0'+(id+1)%10))+"?view=fields",
			"all('h1').length === 1 || all('.failure').length === 1")
		v.is("typeof window.hacked + typeof {}.polluted", "undefinedundefined")
		v.is("document.documentElement.scrollWidth <= innerWidth", "true")
	}
	v.at("/q/hostile/record/5", "all('.b[data-o]').length === 4096")
	v.is("texts('.meta')[0].includes('8 MiB')", "true")
	v.Eval("press('On')")
	v.Wait("texts('.offset')[0] === '001000'")
	v.at("/q/hostile/record/6?view=fields", "all('.b.err').length === 1")
	v.is("texts('.nodeerror')[0].startsWith('byte 0, in 1: the length')", "true")
	v.shoot("damaged")
}

// TestSmallAndDark looks at every screen on a telephone and at night.
func TestSmallAndDark(t *testing.T) {
	v := visit(t, start(t, core.All))
	for name, ready := range map[string]string{
		"/":                                "all('a.queue').length === 3",
		"/q/deposits/messages":             "all('tbody tr').length === 100",
		"/q/deposits/record/7":             "all('h1').length === 1",
		"/q/deposits/consumers":            "all('tbody tr').length === 3",
		"/q/deposits/throughput":           "all('.chart').length === 4",
		"/q/deposits/query":                "all('textarea').length === 1",
		"/q/deposits/storage":              "all('.tile').length > 4",
		"/q/deposits/record/7?view=fields": "all('.b').length > 100",
		"/q/hostile/messages?at=oldest":    "all('tbody tr').length === 10",
	} {
		file := strings.NewReplacer("/", "-", "?", "-", "=", "-").Replace(strings.Trim(name, "/"))
		v.Size(360, 740, false)
		v.at(name, ready)
		v.fits()
		v.shoot("small-" + file)
		v.Size(1280, 860, true)
		v.at(name, ready)
		v.fits()
		v.shoot("dark-" + file)
	}
}

// TestRoles looks with the right to read alone.
func TestRoles(t *testing.T) {
	v := visit(t, start(t, core.Read))
	v.at("/q/deposits/consumers", "all('tbody tr').length === 3")
	v.is("all('tbody button').length", "0")
	v.is(`await fetch('/api/v1/queues/deposits/consumers/audit',
		{ method: 'PUT', body: '{"pointer": "5"}' }).then(r => r.status)`, "403")
	v.is("await fetch('https://example.invalid/').then(() => 'sent', () => 'kept')", "kept")
}

// TestLive watches a queue while events come.
func TestLive(t *testing.T) {
	s := start(t, core.All)
	v := visit(t, s)
	v.at("/q/deposits/messages?at=live", "texts('.status')[0]?.includes('0 seen')")
	q, err := s.root.Access(s.me, "deposits")
	if err != nil {
		t.Fatal(err)
	}
	s.append(q, sample.Deposit(nil, 1000), sample.Deposit(nil, 1001))
	v.Wait("texts('td.id').join() === '502,501'")
	v.is("texts('.status')[0].includes('2 seen')", "true")
	v.shoot("live")
	v.at("/q/deposits/messages?at=live&where=amount+%3C+0",
		"texts('.status')[0]?.includes('0 seen')")
	s.append(q, sample.Deposit(nil, 1002))
	v.Wait("texts('.status')[0].includes('1 seen')")
	v.is("all('tbody tr').length", "0")
}

// TestLiveAtSpeed watches 100,000 events a second for 30 s: what is dropped is counted,
// and the heap of the page does not grow. It takes PAGE_LONG=1.
func TestLiveAtSpeed(t *testing.T) {
	if os.Getenv("PAGE_LONG") == "" {
		t.Skip("PAGE_LONG is not set; make page-test sets it")
	}
	s := start(t, core.All)
	v := visit(t, s)
	q, err := s.root.Access(s.me, "deposits")
	if err != nil {
		t.Fatal(err)
	}
	const packs, events = 300, 10_000 // ten packs a second
	v.at("/q/deposits/messages?at=live", "texts('.status')[0]?.includes('0 seen')")
	var b nerve.Batch
	for i := range events {
		b.Append(sample.Deposit(nil, i))
	}
	var heaps []int
	ticker := time.NewTicker(100 * time.Millisecond)
	defer ticker.Stop()
	began := time.Now()
	for n := range packs {
		h, err := q.AppendAsync(context.Background(), &b)
		if err == nil {
			_, err = h.Wait(context.Background())
		}
		if err != nil {
			t.Fatal(err)
		}
		if n%50 == 49 {
			heaps = append(heaps, v.Heap())
		}
		<-ticker.C
	}
	took := time.Since(began)
	v.Wait("texts('.status')[0].includes('3 M seen')")
	v.is("all('tbody tr').length <= 300", "true")
	v.is("texts('.status')[0].includes('not shown')", "true")
	v.shoot("live-at-speed")
	t.Logf("%d events in %v, heap in bytes: %v", packs*events, took.Round(time.Millisecond), heaps)
	if last, first := heaps[len(heaps)-1], heaps[0]; last > first+first/2+(4<<20) {
		t.Errorf("the heap grows: %v", heaps)
	}
}
