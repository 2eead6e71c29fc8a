#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
#	tests/packaging.sh DIRECTORY [PART...]
#
# Checks the .deb and the tarball in DIRECTORY in bare roots: the .deb on Debian
# 12, the tarball on Debian 11 and beside a busybox without a C library.  From
# each root, sjkc attaches to a JVM of this machine and samples it.  "rebuild"
# builds both packages twice, in different surroundings, and compares the bytes.
# "image" runs the steps of packaging/Dockerfile with a root in place of each
# image. "engine" has podman build the Dockerfile and runs the image beside a
# JVM in another container.  "debug" has kubectl create an ephemeral container.
# "manifest" checks the DaemonSet by the API of Kubernetes, from an npm package, and
# "unit" has systemd check the service.  PART is one of these; the default is
# all.  Needs root and a Debian mirror; the roots are made once, in
# $SJKC_ROOT_CACHE (default: /var/tmp/sjkc-roots-UID).
# shellcheck disable=SC2317 # "check_$part" calls the parts
cd "$(dirname "$0")/.." || exit 2
. tests/tap.sh
out=$(realpath "$1")
shift
parts=${*:-deb tarball rebuild image engine debug manifest unit}
cache=${SJKC_ROOT_CACHE:-/var/tmp/sjkc-roots-$(id -u)}
scratch=$(mktemp -d /var/tmp/sjkc-packaging.XXXXXX) || exit 2
java_pid='' stand_in=''
finish() {
	[ -z "$java_pid" ] || kill "$java_pid" 2>/dev/null
	[ -z "$stand_in" ] || kill "$stand_in" 2>/dev/null
	[ ! -e "$scratch/engine" ] || engine_end
	rm -rf --one-file-system "$scratch"
}
trap finish EXIT
trap 'exit 143' TERM INT HUP

# base SUITE: prints the path of a bare root of that suite, which it makes once.
base() {
	made=$cache/$1
	if [ ! -e "$made/.made" ]; then
		rm -rf "$made"
		mkdir -p "$cache"
		# shellcheck disable=SC2016 # for apt
		mirror=$(apt-get indextargets --format '$(REPO_URI)' \
			'ORIGIN: Debian' | grep -v security | head -n 1)
		debootstrap --variant=minbase "$1" "$made" \
			"${mirror:-http://deb.debian.org/debian}" \
			>"$scratch/debootstrap" 2>&1 ||
			{ tail -n 3 "$scratch/debootstrap" >&2; return 1; }
		touch "$made/.made"
	fi
	echo "$made"
}

# fresh SUITE NAME: copies the bare root to $scratch/NAME.
fresh() {
	from=$(base "$1") || return 1
	cp -a --reflink=auto "$from" "$scratch/$2" &&
		cp -L /etc/resolv.conf /etc/hosts "$scratch/$2/etc/"
}

# within ROOT COMMAND...: runs the command in the root, with the processes and
# devices of this machine.  Its own mount namespace removes all mounts at the
# end.
cat >"$scratch/within" <<'END'
unshare --mount --propagation private sh -c '
	root=$1
	shift
	mkdir -p "$root/proc" "$root/sys" "$root/dev"
	for dir in proc sys dev; do
		mount --rbind "/$dir" "$root/$dir" || exit 1
	done
	exec chroot "$root" "$@"' - "$1" \
	env -i PATH=/usr/local/sbin:/usr/sbin:/sbin:/usr/bin:/bin HOME=/root \
	LANG=C.UTF-8 TERM=xterm-256color DEBIAN_FRONTEND=noninteractive \
	sh -c "$2"
END
within() {
	sh "$scratch/within" "$@"
}

# try ROOT PATTERN COMMAND: prints a fault unless the output has the pattern.
try() {
	within "$1" "$3" >"$scratch/said" 2>&1 </dev/null
	grep -q -- "$2" "$scratch/said" && return
	echo "no '$2' in the output of $3:"
	head -n 20 "$scratch/said"
}

# faults_of ROOT SJKC: prints what does not work in the root.
faults_of() {
	try "$1" '^commit ' "$2 --version"
	try "$1" "^ *$java_pid .* Demo" "$2 jps"
	try "$1" 'OpenJDK\|HotSpot' "$2 jcmd $java_pid VM.version"
	try "$1" '"clerk-1"' "$2 jstack $java_pid"
	try "$1" 'clerk-' "$2 ttop -b --iterations 1 --report-interval 1 $java_pid"
	try "$1" "connected\|refused" "$2 mxping -s localhost:1"
	# The screen needs a description of the terminal.
	timeout 60 script -qefc "sh $scratch/within $1 \
		'$2 ttop --iterations 3 $java_pid'" "$scratch/screen" \
		</dev/null >/dev/null 2>&1
	if ! grep -q 'clerk-' "$scratch/screen" ||
	   ! grep -q '1049h' "$scratch/screen"; then
		echo 'no screen of ttop:'
		head -c 500 "$scratch/screen"
	fi
	if ! within "$1" "$2 doctor $java_pid" | grep -q '^works: .*prof'; then
		echo '# prof is not checked: no samples can be taken here' >&2
		return
	fi
	try "$1" 'Demo' "$2 prof -d 2s $java_pid"
}

check_deb() {
	deb=$(echo "$out"/sjkc_*.deb)
	if command -v lintian >/dev/null; then
		tap_result 'the package has no lintian errors' \
			"$(lintian --allow-root --fail-on error "$deb" 2>&1 |
				grep '^E:')"
	else
		tap_skip 'the package has no lintian errors' 'no lintian'
	fi
	if ! why=$(fresh bookworm deb 2>&1); then
		tap_skip 'the package installs on a bare Debian 12' "$why"
		return
	fi
	root=$scratch/deb
	cp "$deb" "$root/tmp/"
	within "$root" "apt-get update -qq &&
		apt-get install -qq --no-install-recommends \
			/tmp/$(basename "$deb")" >"$scratch/apt" 2>&1
	status=$?
	tap_result 'the package installs on a bare Debian 12' \
		"$([ "$status" -eq 0 ] || tail -n 5 "$scratch/apt")"
	tap_result 'the installed package diagnoses a JVM' \
		"$(faults_of "$root" sjkc)"
	tap_result 'the package has the licenses of its static libraries' "$(
		license_faults "$root/usr/share/doc/sjkc/third-party")"
	# A bare root leaves out manuals when it unpacks; the package has one.
	tap_result 'the package has a manual and completions' "$(
		dpkg-deb -c "$deb" | awk '{ print $6 }' >"$scratch/files"
		for file in man/man1/sjkc.1.gz man/man1/sjkc-prof.1.gz \
			man/man7/sjkc-jmx.7.gz doc/sjkc/copyright \
			bash-completion/completions/sjkc \
			zsh/vendor-completions/_sjkc \
			fish/vendor_completions.d/sjkc.fish; do
			grep -qx "./usr/share/$file" "$scratch/files" ||
				echo "no $file"
		done)"
	within "$root" 'apt-get purge -qq sjkc && apt-get autoremove -qq' \
		>"$scratch/apt" 2>&1
	tap_result 'a purge leaves no file of the package' \
		"$(find "$root/usr" "$root/etc" -name '*sjkc*')"
}

check_tarball() {
	tarball=$(echo "$out"/sjkc-*-linux-*.tar.gz)
	name=$(basename "$tarball" .tar.gz)
	if why=$(fresh bullseye old 2>&1); then
		tar -xzf "$tarball" -C "$scratch/old/opt"
		tap_result 'the tarball diagnoses a JVM from Debian 11' \
			"$(faults_of "$scratch/old" "/opt/$name/sjkc")"
		# Moved, and started through a link and by a relative path.
		mkdir -p "$scratch/old/srv/a b"
		mv "$scratch/old/opt/$name" "$scratch/old/srv/a b/tools"
		ln -s '/srv/a b/tools/sjkc' "$scratch/old/usr/bin/sjkc"
		tap_result 'the tarball runs wherever it is' "$(
			try "$scratch/old" '^commit ' 'sjkc --version'
			try "$scratch/old" '^commit ' \
				'cd "/srv/a b" && tools/sjkc --version'
			try "$scratch/old" '^commit ' \
				'cd "/srv/a b/tools" && ./sjkc --version')"
	else
		tap_skip 'the tarball diagnoses a JVM from Debian 11' "$why"
	fi
	busybox=$(command -v busybox)
	if [ -z "$busybox" ] || readelf -l "$busybox" | grep -q INTERP; then
		tap_skip 'the tarball diagnoses a JVM from a busybox root' \
			'no static busybox'
		return
	fi
	mkdir -p "$scratch/tiny/bin" "$scratch/tiny/opt" "$scratch/tiny/tmp"
	cp "$busybox" "$scratch/tiny/bin/busybox"
	for tool in sh env; do
		ln -s busybox "$scratch/tiny/bin/$tool"
	done
	mkdir "$scratch/tiny/etc"
	cp -L /etc/hosts "$scratch/tiny/etc/"
	tar -xzf "$tarball" -C "$scratch/tiny/opt"
	tap_result 'the tarball diagnoses a JVM from a busybox root' \
		"$(faults_of "$scratch/tiny" "/opt/$name/sjkc")"
	tap_result 'the tarball trusts the certificates of another distribution' \
		"$(trust_faults "$scratch/tiny" "/opt/$name/sjkc")"
	licenses=$scratch/tiny/opt/$name/share/licenses
	tap_result 'the tarball has the licenses of its libraries' "$(
		license_faults "$licenses/third-party"
		for library in "$scratch/tiny/opt/$name"/lib/*; do
			package=$(dpkg-query -S "*/$(basename "$library")" |
				sed -n '1s/:.*//p')
			[ -s "$licenses/third-party/$package" ] ||
				echo "none for $library"
		done
		grep -rhoE 'common-licenses/[A-Z][A-Za-z0-9.-]*[A-Za-z0-9]' \
			"$licenses/third-party" | sort -u |
			while read -r text; do
				[ -s "$licenses/common/${text#*/}" ] ||
					echo "no $text"
			done)"
}

# license_faults DIRECTORY: prints the linked libraries without a license there.
# Programs with sanitizers are in no package.
license_faults() {
	for map in build/*/sjkc.map; do
		case $map in *-address-*) ;; *) cat "$map" ;; esac
	done | sed -n 's/^\/.*\/\(lib[^/]*\)\.a(.*/\1/p' | sort -u |
		while read -r library; do
			grep -q . "$1/$(dpkg-query -S "*/$library.a" |
				sed -n '1s/:.*//p')" || echo "none for $library"
		done
}

# trust_faults ROOT SJKC: prints a fault unless sjkc finds the CA bundle of
# another distribution.
trust_faults() {
	mkdir -p "$1/etc/pki/tls/certs"
	cp tests/data/tls/authority.pem "$1/etc/pki/tls/certs/ca-bundle.crt"
	openssl s_server -www -accept 127.0.0.1:0 -cert tests/data/tls/server.pem \
		>"$scratch/server" 2>&1 &
	server=$!
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		sleep 0.5
		port=$(sed -n 's/^ACCEPT .*:\([0-9]*\)$/\1/p' "$scratch/server")
		[ -z "$port" ] || break
	done
	within "$1" "$2 mxping -s localhost:$port --tls" >"$scratch/trusted" 2>&1
	within "$1" "SSL_CERT_FILE=/none $2 mxping -s localhost:$port --tls" \
		>"$scratch/distrusted" 2>&1
	kill "$server" 2>/dev/null
	if ! grep -q 'not trusted' "$scratch/distrusted" ||
	   grep -q 'not trusted' "$scratch/trusted"; then
		cat "$scratch/trusted" "$scratch/distrusted"
	fi
}

# build_in DIRECTORY COMMAND...: clones the sources and builds both packages
# there with COMMAND, which runs make, without objects of another directory.
build_in() {
	mkdir -p "$(dirname "$1")"
	git clone -q --no-hardlinks . "$1" || return 1
	dir=$1
	shift
	(cd "$dir" && CCACHE_DISABLE=1 "$@" -s deb tarball) 2>&1 | tail -n 20
}

# shellcheck disable=SC2016 # for the inner shell
check_rebuild() {
	build_in "$scratch/one" env TZ=UTC LC_ALL=C make >"$scratch/log.one"
	(
		umask 077
		build_in "$scratch/further/two" env TZ=Asia/Kathmandu \
			LC_ALL=C.UTF-8 USER=nobody HOME=/nowhere \
			unshare --uts sh -c 'hostname elsewhere &&
				exec make "$@"' -
	) >"$scratch/log.two"
	for kind in deb tar.gz; do
		first=$(echo "$scratch"/one/build/*."$kind")
		second=$(echo "$scratch"/further/two/build/*."$kind")
		tap_result "two builds of the .$kind have the same bytes" \
			"$(cmp "$first" "$second" 2>&1 || {
				cat "$scratch"/log.*
				members "$first" >"$scratch/members.one"
				members "$second" | diff "$scratch/members.one" -
			})"
	done
}

# members PACKAGE: prints its files with their attributes and hashes.
members() {
	rm -rf "$scratch/members"
	mkdir "$scratch/members"
	case $1 in
	*.deb) dpkg-deb -R "$1" "$scratch/members" ;;
	*) tar -xzpf "$1" -C "$scratch/members" ;;
	esac
	(cd "$scratch/members" && find . -printf '%M %s %T@ %p\n' | sort -k 4 &&
		find . -type f -exec sha1sum '{}' + | sort -k 2)
}

# suite_of IMAGE: prints the Debian suite of an image.
suite_of() {
	case $1 in
	debian:12 | debian:12-slim) echo bookworm ;;
	*) return 1 ;;
	esac
}

# image_step INSTRUCTION ARGUMENTS...: executes an instruction of the
# Dockerfile. $stage is the root of the current stage, $workdir a directory in
# it.
image_step() {
	instruction=$1
	shift
	case $instruction in
	FROM)
		suite=$(suite_of "$1") || { echo "unknown image $1"; return 1; }
		stage=${3:-final} workdir=/
		fresh "$suite" "$stage"
		;;
	WORKDIR) workdir=$1; mkdir -p "$scratch/$stage$workdir" ;;
	COPY)
		case $1 in
		--from=*)
			# shellcheck disable=SC2086 # a pattern
			cp $scratch/${1#--from=}$2 "$scratch/$stage$3" ;;
		*)
			# The committed files; the checkout may be a worktree.
			git clone -q --no-hardlinks . "$scratch/clone" &&
				cp -a "$scratch/clone/." "$scratch/$stage$2" ;;
		esac
		;;
	RUN) within "$scratch/$stage" "cd $workdir && $*" ;;
	CMD) ;;
	*) echo "unknown instruction $instruction"; return 1 ;;
	esac
}

check_image() {
	if ! why=$(base bookworm 2>&1); then
		tap_skip 'the steps of the Dockerfile make an image' "$why"
		return
	fi
	sed -e '/^#/d' -e ':a' -e '/\\$/{N; s/\\\n//; ta' -e '}' \
		packaging/Dockerfile | grep . >"$scratch/steps"
	while read -r instruction arguments; do
		# shellcheck disable=SC2086 # words
		case $instruction in
		RUN) set -- "$arguments" ;;
		*) set -- $arguments ;;
		esac
		image_step "$instruction" "$@" </dev/null || exit 1
	done <"$scratch/steps" >"$scratch/image" 2>&1
	status=$?
	tap_result 'the steps of the Dockerfile make an image' \
		"$([ "$status" -eq 0 ] || tail -n 30 "$scratch/image")"
	tap_result 'sjkc of the image diagnoses a JVM' \
		"$(faults_of "$scratch/final" sjkc)"
	tap_result 'sjkc of the image prints the commit' \
		"$(try "$scratch/final" "$(git rev-parse --short=12 HEAD)" \
			'sjkc --version')"
}

# engine ARGUMENTS...: runs podman with its own storage and settings.
engine() {
	CONTAINERS_CONF=$scratch/engine/containers.conf BUILDAH_ISOLATION=chroot \
		podman --root "$scratch/engine/root" --runroot \
		"$scratch/engine/run" --tmpdir "$scratch/engine/tmp" "$@"
}

engine_end() {
	{
		engine rm --all --force --time 0
		engine rmi --all --force
		umount "$scratch/engine/root/overlay"
	} >/dev/null 2>&1
}

# engine_begin: makes the images that the Dockerfile starts from.
engine_begin() {
	mkdir "$scratch/engine"
	# Low limits, because raising them needs CAP_SYS_RESOURCE.  crun rejects
	# the hybrid hierarchy of cgroups.
	cat >"$scratch/engine/containers.conf" <<-END
		[containers]
		default_ulimits = ["nofile=1024:1024", "nproc=4096:4096"]
		[engine]
		$(! command -v runc >/dev/null || echo 'runtime = "runc"')
	END
	images=$(sed -n 's/^FROM \([^ ]*\).*/\1/p' packaging/Dockerfile)
	for image in $images; do
		root=$(base "$(suite_of "$image")") || return 1
		tar -C "$root" --exclude=./.made -cf - . |
			engine import - "docker.io/library/$image" || return 1
	done
	engine run --rm --network host "docker.io/library/$image" true
}

# jvm_image: makes an image with a JVM that runs as another user.
jvm_image() {
	cp "$scratch"/classes/*.class "$scratch/engine/"
	cat >"$scratch/engine/Containerfile" <<-END
		FROM debian:12
		RUN apt-get update -qq && apt-get install -y -qq \
			--no-install-recommends openjdk-17-jre-headless
		COPY *.class /app/
		USER 1000
		CMD ["java", "-cp", "/app", "Demo", "600"]
	END
	engine build --pull=never --network host -t jvm \
		-f "$scratch/engine/Containerfile" "$scratch/engine"
}

# beside OPTIONS PATTERN COMMAND: prints a fault unless sjkc of the image, in a
# container beside the JVM's, prints the pattern.
beside() {
	# shellcheck disable=SC2086 # words
	engine run --rm --pid=container:jvm --network=container:jvm \
		--ipc=container:jvm $1 sjkc sjkc $3 >"$scratch/said" 2>&1 </dev/null
	grep -q -- "$2" "$scratch/said" && return
	echo "no '$2' in the output of sjkc $3 with $1:"
	head -n 20 "$scratch/said"
}

# beside_faults OPTIONS: prints what does not work there without eBPF.
beside_faults() {
	beside "$1" '^ *1 .*Demo' 'jps'
	beside "$1" 'OpenJDK' 'jcmd 1 VM.version'
	beside "$1" '"clerk-1"' 'jstack 1'
	beside "$1" 'clerk-' 'ttop -b --iterations 1 --report-interval 1 1'
}

check_engine() {
	if ! command -v podman >/dev/null; then
		tap_skip 'podman builds the Dockerfile' 'no podman'
		return
	fi
	if ! why=$(engine_begin 2>&1); then
		tap_skip 'podman builds the Dockerfile' \
			"no container starts here: $(echo "$why" | tail -n 1)"
		return
	fi
	git clone -q --no-hardlinks . "$scratch/engine/sources"
	engine build --pull=never --network host -f packaging/Dockerfile -t sjkc \
		"$scratch/engine/sources" >"$scratch/built" 2>&1
	status=$?
	tap_result 'podman builds the Dockerfile' \
		"$([ "$status" -eq 0 ] || tail -n 20 "$scratch/built")"
	jvm_image >"$scratch/built" 2>&1 &&
		engine run -d --name jvm --network none --ipc shareable jvm \
			>>"$scratch/built" 2>&1
	tap_result 'podman runs a JVM in a container' "$(
		for _ in $(seq 60); do
			beside --privileged Demo jps >/dev/null && exit
			sleep 1
		done
		tail -n 20 "$scratch/built")"
	# As kubectl debug --profile=sysadmin --target.
	tap_result 'a privileged container diagnoses the JVM beside it' "$(
		beside_faults --privileged
		if beside --privileged '^works: .*prof' 'doctor 1' >&2; then
			beside --privileged Demo 'prof -d 2s 1'
		fi)"
	# As the other profiles, with runAsUser.
	tap_result 'the JVM'"'"'s user diagnoses it without capabilities' "$(
		beside_faults '--user 1000 --cap-drop all'
		beside '--user 1000 --cap-drop all' 'CAP_BPF' 'prof -d 1s 1')"
	tap_result 'root without CAP_SYS_PTRACE reports the missing capability' "$(
		beside '--cap-drop all' 'add SYS_PTRACE' 'jcmd 1 VM.version'
		beside '--cap-add SYS_PTRACE' OpenJDK 'jcmd 1 VM.version')"
	tap_result 'a container in the PID namespace of the host lists its JVMs' "$(
		engine run --rm --pid=host --privileged sjkc sjkc jps 2>&1 |
			grep -q "^ *$java_pid .*Demo" || echo "no $java_pid")"
	engine_end
}

# debug_line: prints the command of README.md with names in place of the
# placeholders in capitals.
debug_line() {
	sed -n 's/^\$ \(kubectl debug .*\)/\1/p' README.md | sed 's/-it POD/shop/
		s/REGISTRY/example.org/; s/CONTAINER/jvm/' | head -n 1
}

# `kubectl debug` requests an ephemeral container from the cluster; engine runs
# a container with the same properties.
check_debug() {
	name='kubectl debug asks for a privileged container beside the JVM'
	if ! command -v kubectl >/dev/null; then
		tap_skip "$name" 'no kubectl'
		return
	fi
	if ! kubectl debug --help 2>&1 | grep -q sysadmin; then
		tap_skip "$name" 'this kubectl has no --profile=sysadmin'
		return
	fi
	mkdir -p "$scratch/cluster/default"
	echo $$ >"$scratch/cluster/default/shop"
	python3 tests/jvm/lib/cluster_stand_in.py "$scratch/cluster" \
		>"$scratch/cluster.log" 2>&1 &
	stand_in=$!
	for _ in $(seq 50); do
		[ ! -e "$scratch/cluster/config" ] || break
		sleep 0.2
	done
	# shellcheck disable=SC2046 # words
	KUBECONFIG=$scratch/cluster/config timeout 60 $(debug_line) \
		>"$scratch/said" 2>&1
	tap_result "$name" "$(for wanted in '"image": "example.org/sjkc"' \
		'"targetContainerName": "jvm"' '"privileged": true' \
		'"command": ["sjkc", "ttop"]'; do
		grep -qF "$wanted" "$scratch/cluster/debugger" ||
			echo "no $wanted"
	done 2>&1; [ -s "$scratch/cluster/debugger" ] ||
		cat "$scratch/said" "$scratch/cluster.log")"
}

# kubernetes_models: prints the directory of the npm packages, which it makes once.
kubernetes_models() {
	models=$cache/kubernetes-models-4.5.1
	if [ ! -e "$models/.made" ]; then
		rm -rf "$models"
		mkdir -p "$models"
		npm install --prefix "$models" --no-audit --no-fund --loglevel=error \
			kubernetes-models@4.5.1 >"$scratch/npm" 2>&1 ||
			{ head -n 3 "$scratch/npm" >&2; return 1; }
		touch "$models/.made"
	fi
	echo "$models/node_modules"
}

# manifest_faults [SED-EXPRESSION]: prints the faults of the changed manifest.
manifest_faults() {
	sed "${1-}" packaging/daemonset.yaml |
		python3 -c 'import json, sys, yaml
json.dump(list(yaml.safe_load_all(sys.stdin)), sys.stdout)' |
		node tests/tools/manifest_check.js "$modules" 2>&1
}

check_manifest() {
	name='the DaemonSet fits the API of Kubernetes'
	for tool in npm node; do
		command -v $tool >/dev/null || { tap_skip "$name" "no $tool"; return; }
	done
	python3 -c 'import yaml' 2>/dev/null ||
		{ tap_skip "$name" 'no python3-yaml'; return; }
	modules=$(kubernetes_models 2>&1) ||
		{ tap_skip "$name" "npm: $modules"; return; }
	tap_result "$name" "$(manifest_faults)"
	tap_result 'mistakes in the DaemonSet are found' "$(
		for mistake in s/readOnlyRootFilesystem/readOnlyRootFileSystem/ \
			's/hostPID: true/hostPID: "true"/' s/150Mi/150MiB/ \
			's/- name: sjkc/- nome: sjkc/' 's/RuntimeDefault/Default/'; do
			[ -n "$(manifest_faults "$mistake")" ] || echo "not found: $mistake"
		done)"
}

check_unit() {
	# Of systemd, whose other checks concern the units of a machine.
	sed "s|/usr/bin/sjkc|/bin/true|; /^Documentation=/d" packaging/sjkc.service \
		>"$scratch/sjkc.service"
	if ! command -v systemd-analyze >/dev/null; then
		if ! why=$(fresh bookworm systemd 2>&1) || ! within "$scratch/systemd" \
			'apt-get update -qq && apt-get install -qq --no-install-recommends \
			systemd' >"$scratch/apt" 2>&1; then
			tap_skip 'systemd accepts the service' "no systemd: $why"
			return
		fi
		cp "$scratch/sjkc.service" "$scratch/systemd/tmp/"
		analyze="within $scratch/systemd"
		at=/tmp
	else
		analyze='sh -c' at=$scratch
	fi
	$analyze "systemd-analyze verify $at/sjkc.service" >"$scratch/said" 2>&1
	tap_result 'systemd accepts the service' "$(grep sjkc "$scratch/said")"
	$analyze "systemd-analyze security --offline=true --threshold=45 \
		--no-pager $at/sjkc.service" >"$scratch/said" 2>&1
	status=$?
	tap_result 'the exposure that systemd computes for the service is at most 4.5' \
		"$([ $status -eq 0 ] || tail -n 2 "$scratch/said")"
}

why=
if [ "$(id -u)" -ne 0 ]; then
	why='not root'
elif ! command -v debootstrap >/dev/null; then
	why='no debootstrap'
elif ! command -v javac >/dev/null; then
	why='no JDK'
fi
if [ -n "$why" ]; then
	for part in $parts; do
		tap_skip "$part" "$why"
	done
	tap_end
fi
javac -d "$scratch/classes" tests/demo/Demo.java || exit 2
env --default-signal=QUIT,INT java -cp "$scratch/classes" Demo 14400 \
	>/dev/null 2>&1 &
java_pid=$!
for part in $parts; do
	"check_$part"
done
tap_end
