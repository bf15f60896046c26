#!/bin/sh
# Generates gen/: table by protoc-gen-gogo, gogofaster by protoc-gen-gogofaster, both of gogo/protobuf 1.3.2, and ours by
# protoc-gen-gremlin. It needs protoc and the module cache.
set -eu
cd "$(dirname "$0")"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
module=$(GOWORK=off go list -m -f '{{.Dir}}' github.com/gogo/protobuf)
mkdir -p "$tmp/root/github.com/gogo"
ln -s "$module" "$tmp/root/github.com/gogo/protobuf"
GOWORK=off go build -o "$tmp/" github.com/gogo/protobuf/protoc-gen-gogo github.com/gogo/protobuf/protoc-gen-gogofaster
(cd ../.. && go build -o "$tmp/protoc-gen-gremlin" ./cmd/protoc-gen-gremlin)
types=Mgoogle/protobuf/timestamp.proto=github.com/gogo/protobuf/types
one() { # folder plugin parameters
  mkdir -p "gen/$1"
  sed "s/package lab.stdtime;/package lab.stdtime.$1;\noption go_package = \"$1\";/" beat.proto > "$tmp/beat.proto"
  protoc -I"$tmp" -I"$tmp/root" -I"$module/protobuf" --plugin="protoc-gen-x=$tmp/$2" \
    --x_out="$types$3,paths=source_relative:gen/$1" "$tmp/beat.proto"
}
one table protoc-gen-gogo ""
one gogofaster protoc-gen-gogofaster ""
one ours protoc-gen-gremlin ,preset=gogofaster,registry=none

# The native shape, with the list as []time.Time by gremlin.yaml.
(cd ../.. && go build -o "$tmp/gremlin" ./cmd/gremlin)
rm -rf gen/native && mkdir -p gen/native "$tmp/native"
grep -v gogo.proto beat.proto | sed "s/package lab.stdtime;/package lab.stdtime.native;/; s/ \\[.*\\]//" > "$tmp/native/beat.proto"
cat > "$tmp/native/gremlin.yaml" <<END
roots: [.]
out: $PWD/gen/native
module: github.com/octopus-framework/octopus/lab/stdtime/gen/native
fields: [{field: "**", stdtime: true}]
END
(cd "$tmp/native" && "$tmp/gremlin" generate)

# The lab's own schemas, for the comparison of dropin.
three() { # folder plugin parameters
  mkdir -p "dropin/gen/$1"
  rm -rf "$tmp/dropin" && mkdir "$tmp/dropin"
  for f in deposit submit shapes; do
    sed "s/^package lab;/package lab.dropin.$1;\noption go_package = \"$1\";/" "../schema/$f.proto" > "$tmp/dropin/$f.proto"
  done
  protoc -I"$tmp/dropin" --plugin="protoc-gen-x=$tmp/$2" --x_out="$3paths=source_relative:dropin/gen/$1" \
    "$tmp/dropin/deposit.proto" "$tmp/dropin/submit.proto" "$tmp/dropin/shapes.proto"
}
three gogofaster protoc-gen-gogofaster ""
three ours protoc-gen-gremlin preset=gogofaster,registry=none,
