#!/bin/sh
# Builds the npm package and tests it and what gremlin generates for it.
#
#   test.sh build   only write typescript/gremlin/dist, and link it for the tests
#   test.sh         the tests too: types, units, a difference with protobuf-es, the official conformance suite, a browser
#
# It needs go, node and what make tools-typescript puts into .tools/typescript.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
tools=$here/../.tools
bin=$tools/typescript/node_modules/.bin
out=$here/test/out
mkdir -p "$out"

(cd "$here/.." && go build -o "$out/gremlin" ./cmd/gremlin)
known=$(for name in any api descriptor duration empty field_mask source_context struct timestamp type wrappers; do
	echo "google/protobuf/$name.proto"
done)
# shellcheck disable=SC2086 # they are words
(cd "$here/gremlin" && "$out/gremlin" generate --shape typescript -o src/wkt $known >/dev/null)
rm -rf "$here/gremlin/dist"
"$bin/tsc" -p "$here/gremlin"
mkdir -p "$here/test/node_modules/@octopus-framework" "$here/test/node_modules/@bufbuild"
ln -sfn ../../../gremlin "$here/test/node_modules/@octopus-framework/gremlin"
ln -sfn "$tools/typescript/node_modules/@bufbuild/protobuf" "$here/test/node_modules/@bufbuild/protobuf"
[ "${1:-}" = build ] && exit

echo "types: tsc of generated code and tests"
(cd "$here/test" && "$out/gremlin" generate --shape typescript --connect -o gen -I "$here/../conformance/proto" \
	-I "$tools/conformance/include" -I "$here/../examples/shop" -I "$here/../examples/deposits" >"$out/generate.log" 2>&1) ||
	{ cat "$out/generate.log"; exit 1; }
# The program of the guide is one of the tests.
mkdir -p "$out/guide/proto/shop/v1"
awk '/^```/ { in_block = $0; next } in_block == "```proto"' "$here/../docs/typescript.md" >"$out/guide/proto/shop/v1/shop.proto"
(cd "$out/guide" && "$out/gremlin" generate -I proto -o "$here/test/gen/guide" --shape typescript >/dev/null)
awk '/^```/ { in_block = $0; next } in_block == "```ts"' "$here/../docs/typescript.md" | sed 's#"./gen/#"./gen/guide/#' >"$here/test/guide.ts"
awk '/^```/ { in_block = $0; next } in_block == "```text"' "$here/../docs/typescript.md" >"$out/guide/want"
"$bin/tsc" -p "$here/test"

"$bin/esbuild" "$here"/test/*.ts --bundle --platform=node --format=esm --outdir="$out" --out-extension:.js=.mjs --log-level=warning
# gremlin for Go, which answers as it answers the official runner; and descriptors for protobuf-es.
foreign=$here/../conformance/testdata/scratch/official/foreign
[ -x "$foreign" ] || (cd "$here/.." && make -s conformance-code && cd conformance && go run ./internal/scratch official)
"$out/gremlin" descriptors -I "$tools/conformance/include" -o "$out/official.binpb" --include-imports >/dev/null
echo "guide"
node "$out/guide.mjs" | diff - "$out/guide/want"
echo "units"
GREMLIN_TEST=$here/test node --test "$out"/*.test.mjs >"$out/units.log" 2>&1 || { cat "$out/units.log"; exit 1; }
grep -E '^# ' "$out/units.log" | grep -vE '^# (Subtest|suites|cancelled|todo|duration)' 

if command -v chromium >/dev/null; then
	"$bin/esbuild" "$here/test/browser.ts" --bundle --outfile="$out/browser.js" --log-level=warning
	{
		echo '<!doctype html><meta http-equiv="Content-Security-Policy" content="script-src '"'unsafe-inline'"'"><body><script>'
		cat "$out/browser.js"
		echo '</script>'
	} >"$out/browser.html"
	want='true; -5; 1,99; true; -5; shop.v1.Deposit: malformed at offset 0'
	got=$(chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir="$out/profile" --dump-dom "$out/browser.html" 2>"$out/browser.log")
	case $got in *"<body>$want"*) echo "chromium: the same" ;; *) echo "chromium shows $got, want $want"; exit 1 ;; esac
	"$bin/esbuild" "$here/test/shop-browser.ts" --bundle --outfile="$out/shop-browser.js" --log-level=warning
	(cd "$here/../examples/shop" && go build -o "$out/shop" .)
	node "$out/shop.mjs" "$out/shop" "$out/shop-browser.js" "$out/profile"
elif [ -n "${OCTOPUS_REQUIRE:-}" ]; then
	echo "chromium: there is no Chromium on this machine" >&2
	exit 1
else
	echo "skipped: chromium: there is no Chromium on this machine"
fi

for way in message reader; do
	printf '#!/bin/sh\nexec node "%s" %s\n' "$out/testee.mjs" "$way" >"$out/testee-$way"
	chmod 755 "$out/testee-$way"
	status=0
	"$tools/conformance/runner" --enforce_recommended --maximum_edition 2023 --output_dir "$out/" \
		"$out/testee-$way" >"$out/log-$way" 2>&1 || status=$?
	echo "conformance, $way:"
	grep 'CONFORMANCE SUITE' -A 2 "$out/log-$way" | grep -v '^--' || tail -n 20 "$out/log-$way"
	[ "$status" = 0 ] || { grep -v '^$' "$out/log-$way" | head -n 40; exit 1; }
done
