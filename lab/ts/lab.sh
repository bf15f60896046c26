#!/bin/sh
# Compares what gremlin generates for TypeScript with its peers, in Node and in Chromium.
#
#   lab.sh [-quick]
#
# It needs what make tools and make tools-typescript install. Peers come from npm into .tools/lab-ts, and their generated code
# is written to lab/out/ts.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..
tools=$root/.tools
peers=$tools/lab-ts
gen=$root/lab/out/ts
out=$root/lab/out
quick=
[ "${1:-}" = -quick ] && quick=1

if [ ! -d "$peers/node_modules/ts-proto" ]; then
	npm install --silent --no-audit --no-fund --prefix "$peers" protobufjs@8.8.1 protobufjs-cli@2.7.1 pbf@5.1.2 \
		@protobuf-ts/plugin@2.11.1 @protobuf-ts/runtime@2.11.1 ts-proto@2.18.0 @bufbuild/protoc-gen-es@2.17.0 \
		@bufbuild/protobuf@2.17.0
fi
bin=$peers/node_modules/.bin
"$root/typescript/test.sh" build

echo "code of all implementations"
rm -rf "$gen"
mkdir -p "$gen/es" "$gen/protobuf-ts" "$gen/ts-proto" "$gen/pbf" "$gen/data" "$out"
schemas="submit.proto deposit.proto"
(cd "$root/lab/schema" && "$root/typescript/test/out/gremlin" generate --shape typescript -o "$gen/gremlin" $schemas >/dev/null)
"$tools/bin/protoc" -I "$root/lab/schema" --plugin="$bin/protoc-gen-es" --es_out="$gen/es" --es_opt=target=js \
	--plugin="$bin/protoc-gen-ts" --ts_out="$gen/protobuf-ts" \
	--plugin="$bin/protoc-gen-ts_proto" --ts_proto_out="$gen/ts-proto" --ts_proto_opt=forceLong=bigint,esModuleInterop=true \
	$schemas
(cd "$root/lab/schema" && "$bin/pbjs" -t static-module -w es6 --es6 -o "$gen/pbjs.js" $schemas)
for s in $schemas; do "$bin/pbf" "$root/lab/schema/$s" >"$gen/pbf/${s%.proto}.js"; done
(cd "$root/lab" && go run ./cmd/workloads -out "$gen/data")

mkdir -p "$gen/node_modules/@octopus-framework"
ln -sfn "$root/typescript/gremlin" "$gen/node_modules/@octopus-framework/gremlin"
bundle() {
	NODE_PATH="$peers/node_modules:$gen/node_modules" "$tools/typescript/node_modules/.bin/esbuild" "$@" --bundle --target=es2022 --log-level=error \
		--alias:gen="$gen" --define:QUICK="${quick:-0}" --loader:.Submit=binary --loader:.Deposit=binary
}
bundle "$here/main.ts" --platform=node --format=esm --outfile="$gen/main.mjs" --banner:js='import { createRequire } from "node:module"; const require = createRequire(import.meta.url);'
for f in "$here"/impl/*.ts; do
	bundle "$f" --minify --platform=browser --format=esm --outfile="$gen/cold/$(basename "$f" .ts).mjs"
done

echo "Node $(node --version), $(nproc) cores"
node --expose-gc "$gen/main.mjs" | tee "$out/ts-node.txt"
node "$here/cold.mjs" "$gen" "${quick:-0}" | tee -a "$out/ts-node.txt"
if command -v chromium >/dev/null; then
	bundle "$here/main.ts" --platform=browser --format=iife --outfile="$gen/main.js"
	{ echo '<!doctype html><body><script>'; cat "$gen/main.js"; echo '</script>'; } >"$gen/main.html"
	echo "Chromium $(chromium --version 2>/dev/null | grep -o '[0-9][0-9.]*' | head -n 1)"
	chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir="$gen/profile" --dump-dom \
		"file://$gen/main.html" 2>/dev/null | sed -n '/<pre>/,/<\/pre>/p' | sed 's/<[^>]*>//g; s/&gt;/>/g; s/&lt;/</g' | tee "$out/ts-chromium.txt"
else
	echo "Chromium is not on this machine: only Node was measured" | tee "$out/ts-chromium.txt"
fi
echo "wrote lab/out/ts-node.txt and ts-chromium.txt"
