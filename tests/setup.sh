#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
#	tests/setup.sh demo|check|lint|…
#
# Installs missing Debian packages for a target of the Makefile, as root or through
# sudo.  tests/packages lists them.
set -eu
cd "$(dirname "$0")/.."
target=$1

# A command with the name of the package is enough, from any source.
is_installed() {
	command -v "$1" >/dev/null && return
	case $installed in *"
$1 installed"*) ;; *) return 1 ;; esac
}

missing_packages() {
	while read -r package targets; do
		case "$package $targets " in
		'#'*) ;;
		*[[:space:]]"$target"[[:space:]]*)
			is_installed "${package#*:}" ||
				is_installed "${package%:*}" ||
				echo "${package%:*}" ;;
		esac
	done <tests/packages
}

install_packages() {
	mkdir -p build
	echo "setup: installing $*"
	{
		$as_root apt-get update -qq &&
		$as_root env DEBIAN_FRONTEND=noninteractive apt-get install \
			-y -qq --no-install-recommends "$@"
	} >build/setup.log 2>&1 || {
		tail -n 5 build/setup.log >&2
		echo "setup: apt-get failed; see build/setup.log" >&2
		exit 1
	}
}

# The browser's driver, speedscope and jolokia.js come from the npm registry, because
# Debian has no packages.  Without the registry, the other tests still run.
install_driver() {
	wanted=tests/browser/package.json
	have=build/browser/package.json
	if cmp -s "$wanted" "$have" &&
	   [ -d build/browser/node_modules/playwright-core ] &&
	   [ -d build/browser/node_modules/jolokia.js ] &&
	   [ -d build/browser/node_modules/speedscope ]; then
		return
	fi
	echo "setup: installing playwright-core, speedscope and jolokia.js under build/browser"
	mkdir -p build/browser
	cp "$wanted" "$have"
	npm install --prefix build/browser --no-audit --no-fund --loglevel=error \
		>build/setup.log 2>&1 || {
		rm -f "$have"
		head -n 5 build/setup.log >&2
		echo "setup: npm failed: the browser tests will fail, too" >&2
	}
}

# Only unpacked: the installed package would start a service.
unpack_prometheus() {
	unpacked=build/prometheus
	! command -v prometheus >/dev/null && [ ! -d $unpacked/usr ] ||
		return 0
	echo "setup: unpacking prometheus in $unpacked"
	rm -rf $unpacked $unpacked.new
	mkdir -p $unpacked.new
	{
		{ download_prometheus ||
			{ $as_root apt-get update -qq && download_prometheus; }; } &&
			dpkg -x $unpacked.new/prometheus_*.deb $unpacked.new &&
			rm $unpacked.new/prometheus_*.deb &&
			mv $unpacked.new $unpacked
	} >build/setup.log 2>&1 || {
		tail -n 5 build/setup.log >&2
		echo "setup: no prometheus: its test will be skipped" >&2
	}
}

download_prometheus() (
	cd build/prometheus.new && apt-get download -qq prometheus
)

# Debian's kubectl is an old one, which forwards ports by SPDY: a second version
# beside the installed one.
unpack_kubectl() {
	unpacked=build/kubectl
	[ ! -d $unpacked/usr ] || return 0
	dpkg-query -W -f '${Status}\n' kubernetes-client 2>/dev/null |
		grep -q ' installed$' && return
	echo "setup: unpacking kubernetes-client in $unpacked"
	rm -rf $unpacked $unpacked.new
	mkdir -p $unpacked.new
	{
		(cd $unpacked.new && apt-get download -qq kubernetes-client) &&
			dpkg -x $unpacked.new/kubernetes-client*.deb \
				$unpacked.new &&
			rm $unpacked.new/*.deb && mv $unpacked.new $unpacked
	} >build/setup.log 2>&1 || {
		tail -n 5 build/setup.log >&2
		echo "setup: no second kubectl: tests use the installed one" >&2
	}
}

# The messages of OpenTelemetry are packaged in Debian's sid alone, as classes that
# Debian 12 can use.
unpack_otlp() {
	unpacked=build/otlp
	[ ! -d $unpacked/usr ] || return 0
	echo "setup: unpacking python3-opentelemetry-proto in $unpacked"
	rm -rf $unpacked $unpacked.new
	mkdir -p $unpacked.new/lists/partial $unpacked.new/cache/archives/partial
	{
		download_otlp && mkdir $unpacked &&
			dpkg -x $unpacked.new/python3-*.deb $unpacked
	} >build/setup.log 2>&1 || {
		tail -n 5 build/setup.log >&2
		echo "setup: no OpenTelemetry classes: their test will be skipped" >&2
	}
	rm -rf $unpacked.new
}

download_otlp() (
	cd build/otlp.new || exit
	# shellcheck disable=SC2016 # apt-get expands it
	mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' |
		sort -u | grep -v security | head -n 1)
	echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror sid main" >sources.list
	cat >apt.conf <<-END
		Dir::Etc::sourcelist "$PWD/sources.list";
		Dir::Etc::sourceparts "-";
		Dir::State::lists "$PWD/lists";
		Dir::Cache "$PWD/cache";
		APT::Sandbox::User "";
	END
	APT_CONFIG=$PWD/apt.conf
	export APT_CONFIG
	apt-get update -qq && apt-get download -qq python3-opentelemetry-proto/sid
)

# Some tests compare two JDKs, and some need what is new in later ones.
prepare_second_jdk() (
	scratch=$PWD/build
	. tests/jvm/lib/target.sh
	. tests/jvm/lib/jdk.sh
	[ "$(all_jdks | wc -l)" -lt 2 ] || return 0
	echo "setup: unpacking JDK 25 below $jdk_cache"
	why=$(jdk_here 25) ||
		echo "setup: some tests will be skipped: $why" >&2
)

command -v dpkg-query >/dev/null || {
	echo "setup: not a Debian system; install the packages in tests/packages" >&2
	exit 1
}
# shellcheck disable=SC2016 # dpkg-query expands it
installed=$(echo && dpkg-query -W -f '${Package} ${db:Status-Status}\n')
missing=$(missing_packages)
if [ "$(id -u)" -eq 0 ]; then
	as_root=
elif command -v sudo >/dev/null; then
	as_root=sudo
elif [ -n "$missing" ]; then
	# shellcheck disable=SC2086 # one word a package, on one line
	echo "setup: cannot install packages without root or sudo; install these:" $missing >&2
	exit 1
fi
# shellcheck disable=SC2086 # one word a package
[ -z "$missing" ] || install_packages $missing
case $target in
check|picture) [ ! -f tests/browser/package.json ] || install_driver ;;
esac
[ "$target" != check ] || unpack_prometheus
[ "$target" != check ] || unpack_otlp
[ "$target" != check ] || unpack_kubectl
[ "$target" != check ] || [ ! -f tests/jvm/lib/jdk.sh ] || prepare_second_jdk
