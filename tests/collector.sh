#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
#	tests/collector.sh SJKC [NAME...]
#
# Runs tests/collector/*.sh, or the named scripts, with a real OpenTelemetry
# Collector.  Debian has its sources and their Go compiler in sid alone, so the
# packages of tests/collector/packages are unpacked, not installed, and two programs
# are built: its receiver of profiles, and a whole Collector.  They are kept in
# build/collector, or in $COLLECTOR, and built again when their source here
# changes; `rm -r build/collector` takes newer packages.  With $RELEASE, a release of
# the Collector such as 0.165.0, the `go` in $PATH builds both from its Go modules, in
# build/collector-$RELEASE.  $TOOLS is the directory of the programs built from
# tests/root/lib/*.c.
cd "$(dirname "$0")/.." || exit 2
. tests/tap.sh
sjkc=$1
shift
mkdir -p "${COLLECTOR:=build/collector${RELEASE:+-$RELEASE}}" || exit 2
COLLECTOR=$(realpath "$COLLECTOR")
log=$COLLECTOR/build.log
export COLLECTOR

# Moves to $COLLECTOR and gives apt the packages of sid alone.
use_sid() {
	cd "$COLLECTOR" || return
	mkdir -p lists/partial cache/archives/partial debs
	: >status
	# shellcheck disable=SC2016 # apt-get expands it
	mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' |
		sort -u | grep -v security | head -n 1)
	echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror sid main" >sources.list
	cat >apt.conf <<-END_OF_CONF
		Dir::Etc::sourcelist "$PWD/sources.list";
		Dir::Etc::sourceparts "-";
		Dir::State::lists "$PWD/lists";
		Dir::State::status "$PWD/status";
		Dir::Cache "$PWD/cache";
		APT::Sandbox::User "";
	END_OF_CONF
	APT_CONFIG=$PWD/apt.conf
	export APT_CONFIG
	apt-get update -qq
}

# fetch: unpacks the packages in $COLLECTOR/root; prints why not
fetch() (
	names=$(sed '/^#/d' tests/collector/packages)
	use_sid >"$log" 2>&1 || { echo 'the package lists of sid are unavailable'; exit 1; }
	compiler=$(apt-cache depends golang-go 2>>"$log" |
		sed -n 's/.*Depends: \(golang-[0-9.]*-go\)$/\1/p' | head -n 1)
	[ -n "$compiler" ] || { echo 'sid has no golang-go'; exit 1; }
	for name in $names "$compiler" "${compiler%-go}-src"; do
		apt-cache show "$name" >/dev/null 2>>"$log" ||
			{ echo "sid has no package $name"; exit 1; }
		set -- "$@" "$name"
	done
	rm -rf root debs
	mkdir root debs
	(cd debs && apt-get download -qq "$@") >>"$log" 2>&1 ||
		{ echo "cannot download packages: $(tail -n 1 "$log")"; exit 1; }
	for package in debs/*.deb; do
		dpkg-deb -x "$package" root || exit
	done
	dpkg-deb -f debs/golang-opentelemetry-collector-dev_*.deb Version >version
	rm -rf debs lists cache
)

# build_release NAME: builds it with the modules of $RELEASE; modules of stable
# interfaces are numbered 1.(N - 94).0 in the release 0.N.0
build_release() {
	minor=${RELEASE#*.}
	mkdir -p "$COLLECTOR/$1.go"
	cp "tests/collector/$1/main.go" "$COLLECTOR/$1.go/"
	printf 'module sjkc/%s\ngo 1.25.0\n' "$1" >"$COLLECTOR/$1.go/go.mod"
	# These import the other modules in their releases.
	for module in exporter/debugexporter exporter/otlpexporter \
		exporter/otlphttpexporter otelcol pdata/pprofile receiver/otlpreceiver \
		receiver/xreceiver; do
		echo "require go.opentelemetry.io/collector/$module v$RELEASE"
	done >>"$COLLECTOR/$1.go/go.mod"
	for provider in envprovider fileprovider; do
		echo "require go.opentelemetry.io/collector/confmap/provider/$provider" \
			"v1.$((${minor%%.*} - 94)).0"
	done >>"$COLLECTOR/$1.go/go.mod"
	(cd "$COLLECTOR/$1.go" && GOFLAGS=-mod=mod GOWORK=off GOTOOLCHAIN=local \
		CGO_ENABLED=0 nice -n 10 go build -p 1 -o "$COLLECTOR/$1" .) >"$log" 2>&1
}

# build_packages NAME: builds it with the packages of sid
build_packages() {
	GOROOT=$(find "$COLLECTOR/root/usr/lib" -maxdepth 1 -name 'go-*')
	GOPATH=$COLLECTOR/go:$COLLECTOR/root/usr/share/gocode
	mkdir -p "$COLLECTOR/go/src/sjkc/$1"
	cp "tests/collector/$1/main.go" "$COLLECTOR/go/src/sjkc/$1/"
	export GOROOT GOPATH GO111MODULE=off GOTOOLCHAIN=local CGO_ENABLED=0 \
		GOFLAGS='' GOCACHE="$COLLECTOR/gocache"
	nice -n 10 "$GOROOT/bin/go" build -p 1 -o "$COLLECTOR/$1" "sjkc/$1" \
		>"$log" 2>&1
}

# build NAME: builds tests/collector/NAME; prints why not
build() (
	sum=$(cksum <"tests/collector/$1/main.go")
	[ ! -x "$COLLECTOR/$1" ] || [ "$(cat "$COLLECTOR/$1.sum")" != "$sum" ] ||
		exit 0
	if [ -n "${RELEASE-}" ]; then
		command -v go >/dev/null || { echo 'there is no command go'; exit 1; }
		echo "$RELEASE" >"$COLLECTOR/version"
		build_with=build_release
	else
		[ -e "$COLLECTOR/version" ] || fetch || exit
		build_with=build_packages
	fi
	$build_with "$1" || {
		echo "the packages of the Collector $(cat "$COLLECTOR/version")" \
			"do not build: $(grep -v '^#' "$log" | head -n 1)"
		exit 1
	}
	echo "$sum" >"$COLLECTOR/$1.sum"
)

[ $# -gt 0 ] || set -- tests/collector/*_*.sh
for program in receiver service; do
	build $program >"$COLLECTOR/$program.why"
done
# Each script has its own Collector, but one of them measures shares.
# In a pipe, times would be those of a subshell.
times >"$COLLECTOR/times"
[ ! -e "$COLLECTOR/version" ] ||
	echo "# Collector $(cat "$COLLECTOR/version"); CPU time of its build: $(tail -n 1 "$COLLECTOR/times")"
JOBS=1 exec sh tests/root.sh "$sjkc" "$@"
