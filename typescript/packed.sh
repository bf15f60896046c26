#!/bin/sh
# Packs the npm package as it would be published, and runs the program of the guide with the packed file in a project of its own:
# as JavaScript in Node, and as TypeScript in Deno and Bun.
#
#   packed.sh [FOLDER]   also leave the packed file in a folder
#
# It needs go, npm and what make tools-typescript puts into .tools/typescript. Deno and Bun come from npm.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
tools=$here/../.tools
tsc=$tools/typescript/node_modules/.bin/tsc
runtimes=$tools/typescript-runtimes
[ -d "$runtimes/node_modules/deno" ] ||
	npm install --silent --no-audit --no-fund --prefix "$runtimes" deno@2.9.6 bun@1.4.5
"$here/test.sh" build

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
mkdir "$tmp/package" "$tmp/project"
cp -R "$here/gremlin/package.json" "$here/gremlin/README.md" "$here/gremlin/dist" "$here/../LICENSE" "$tmp/package"
(cd "$tmp/package" && npm pack --silent --pack-destination "$tmp" >/dev/null)
packed=$(echo "$tmp"/*.tgz)
[ -z "${1:-}" ] || { mkdir -p "$1" && cp "$packed" "$1" && echo "packed $(basename "$packed") into $1"; }

# What the guide says, in a project that knows the packed file alone.
cd "$tmp/project"
block() { awk -v lang="\`\`\`$1" '/^```/ { in_block = $0; next } in_block == lang' "$here/../docs/typescript.md"; }
mkdir -p proto/shop/v1
block proto >proto/shop/v1/shop.proto
block ts | sed 's#shop.gremlin.js#shop.gremlin.ts#' >guide.ts
block text >want
printf '{"type": "module"}\n' >package.json
npm install --silent --no-audit --no-fund --offline "$packed"
[ -f node_modules/@octopus-framework/gremlin/LICENSE ]
"$here/test/out/gremlin" generate -I proto -o gen --shape typescript --import-extension .ts >/dev/null
"$tsc" --strict --target es2022 --module nodenext --erasableSyntaxOnly --verbatimModuleSyntax --allowImportingTsExtensions \
	--rewriteRelativeImportExtensions --isolatedDeclarations --declaration --lib es2022,dom --types '' --outDir js guide.ts

node js/guide.js | diff - want
echo "packed: node $(node --version): the same"
"$runtimes"/node_modules/@deno/*/deno run --quiet --no-remote --node-modules-dir=manual guide.ts | diff - want
echo "packed: deno: the same"
"$runtimes/node_modules/bun/bin/bun.exe" run guide.ts | diff - want
echo "packed: bun: the same"
