# SPDX-License-Identifier: Apache-2.0
# Only in check-all: starts each of the clients that users download.
# Begins early: clients wait a minute for events that never arrive.
#
# All clients (the JDK's own, the classes of JConsole, VisualVM) reach JVMs with
# each JMX configuration and each JDK through mxprx.  The JVMs are in an
# unreachable network, each with one forwarded port of another number.  A JVM
# with two ports is reached by a command, as ssh -W would.  The test types the
# command of mxping's fix.
# shellcheck disable=SC2015,SC2020,SC2046,SC2086 # mostly words
sjkc=$(realpath "$1") scratch=$2
. tests/jvm/lib/lab.sh
lab_enter "$0" "$@"
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
. tests/jvm/lib/clients.sh
[ -n "$(jdks)" ] || { echo 'no JDK'; exit 77; }

# In make check, only JmxClient runs, and with fewer settings.
settings='tls-registry client-cert ipv6' windowed=
[ -z "${EVERY_JDK-}" ] ||
	settings="same different hostname tls random password $settings" \
		windowed=$settings
matrix=$scratch/matrix
echo secret >"$scratch/password"

# plan: writes a line for each JVM to $matrix: the JDK, the setting, and the
# ports of the JVM, of the port forward, of the proxy, and of a second proxy
# with TLS for clients.
plan() {
	next=9010
	for jdk in $(jdks); do
		for setting in $settings; do
			# mxping proposes the next free port.  For [::1],
			# the same port of 127.0.0.1 is free.
			by=1
			[ $setting != ipv6 ] || by=0
			echo "$jdk $setting $next $((next + 8000)) \
				$((next + 8000 + by)) $((next + 8002))"
			next=$((next + 10))
		done
	done >"$matrix"
}

# for_each FUNCTION: calls FUNCTION for each line, with $jdk, $setting and the
# ports.
for_each() {
	while read -r jdk setting jmx_port forwarded proxied secured; do
		case $setting in
		ipv6) near="[::1]:$forwarded" inner=$lab_address6 ;;
		*) near="127.0.0.1:$forwarded" inner=127.0.0.1 ;;
		esac
		"$@" </dev/null || { echo "with $setting, $jdk"; return 1; }
	done <"$matrix"
}

start_jvm() {
	lab_jvm_start "$jdk" "$setting" || return
	echo "$said $pid" >>"$scratch/jvms"
	# At most three JVMs start at the same time.
	case $setting in random | tls | ipv6) target_ready ;; esac
}

start_jvms() {
	for_each start_jvm || return
	while read -r said starter; do
		target_ready || return
	done <"$scratch/jvms"
}

start_forward() {
	# shellcheck disable=SC2046 # words
	lab_forward $(for_each echo_forward)
}

echo_forward() {
	echo "$forwarded $jmx_port $inner"
}

# known_of: prints the TLS options for the setting.
known_of() {
	case $setting in
	tls | tls-registry) echo "--cacert $tls/ca.pem" ;;
	client-cert) echo "--cacert $tls/ca.pem --cert $tls/client.pem
		--key $tls/client.key" ;;
	esac
}

login_of() {
	[ "$setting" != password ] ||
		echo "--user control --password-file $scratch/password"
}

cell() {
	echo "$jdk $setting $1 $2" >>"$scratch/cells"
}

# start_proxy: checks the verdict of mxping and starts the proxy of its fix.
start_proxy() {
	found="$scratch/ping.$jmx_port"
	# shellcheck disable=SC2046 # words
	"$sjkc" mxping --timeout 60s -s "$near" $(known_of) $(login_of) >"$found" 2>&1
	status=$?
	[ $status -eq 5 ] || { echo "mxping: $status"; cat "$found"; return 1; }
	case $setting in
	hostname) verdict="to $lab_name, port .*, a name that does not resolve" ;;
	ipv6) verdict="to $lab_address6, port $jmx_port" ;;
	*) verdict="to $lab_address, port .* of another network" ;;
	esac
	case $setting in
	different | random | tls)
		verdict="$verdict\$" command="sjkc mxprx --proxy-command '$lab_dial'
			-s 127.0.0.1:$jmx_port -b 127.0.0.1:$proxied
			$(known_of)" way=via
		advice='run a proxy that reaches all ports of the JVM: sjkc mxprx' ;;
	*)
		verdict="$verdict.*; it also answers at .*, port $forwarded, the registry" \
		command=$(sed -n 's/^-> .*: \(sjkc mxprx .*\)/\1/p' "$found")
		advice="run a proxy for clients at 127.0.0.1:$proxied" way=printed ;;
	esac
	grep -q -- "$verdict" "$found" && grep -qF -- "$advice" "$found" ||
		{ echo "mxping does not print $verdict, $advice:"
		cat "$found"; return 1; }
	cell mxping "$way"
	run_proxy "$command" && start_secured
}

# run_proxy COMMAND: runs the command as a user would type it.
run_proxy() {
	command=$(echo "$1" | tr -s '\n\t' '  ')
	PATH=$(dirname "$sjkc"):$PATH sh -c "exec $command" \
		>"$scratch/proxy.$jmx_port" 2>"$scratch/proxy.$jmx_port.said" &
	target_pids="$target_pids $!"
	echo "$scratch/proxy.$jmx_port" >>"$scratch/proxies"
}

# start_secured: if the setting has TLS, starts a second proxy with TLS for
# clients.
start_secured() {
	case $setting in *tls* | client-cert) ;; *) return 0 ;; esac
	jmx_port=$jmx_port.secured
	run_proxy "$(echo "$command" |
		sed "s/-b 127.0.0.1:$proxied/-b 127.0.0.1:$secured/") \
		--tls-cert $tls/proxy.pem --tls-key $tls/proxy.key"
}

start_proxies() {
	for_each start_proxy || return
	while read -r one; do
		target_wait "$one" ' is at ' || { cat "$one.said"; return 1; }
	done <"$scratch/proxies"
	for_each proxy_works
}

# proxy_works: fails unless mxping succeeds through the proxy.
proxy_works() {
	# shellcheck disable=SC2046 # words
	"$sjkc" mxping --timeout 60s -s "127.0.0.1:$proxied" $(login_of) \
		>"$scratch/through" 2>&1 || { cat "$scratch/through"; return 1; }
}

# words_of JDK KIND MODE…: prints the arguments of JmxClient for all JVMs of the
# JDK; with the mode "windows", only for those of JConsole and VisualVM.
words_of() {
	of=$1 kind=$2 first=1
	shift 2
	for_each words_of_one "$@"
}

# is_windowed: whether JConsole and VisualVM reach the JVM of this setting
is_windowed() {
	case " $(echo $windowed) " in *" $setting "*) ;; *) return 1 ;; esac
}

words_of_one() {
	[ "$jdk" = "$of" ] || return 0
	[ "${1-}" != windows ] || is_windowed || return 0
	[ "${1-}" != windows ] || shift
	to=127.0.0.1:$proxied before=
	case $setting in password) before=user=control:secret ;; esac
	case $setting in tls-registry | client-cert) before=registry=tls ;; esac
	case $kind in
	direct) to=$near ;;
	secured) case $before in registry=*) ;; *) return 0 ;; esac
		to=127.0.0.1:$secured ;;
	proxied) case $before in registry=*) before= ;; esac ;;
	esac
	[ "$first" = 1 ] || echo --
	first=0
	echo "$before $to" "$@"
}

# bare: converts them to arguments of JConsoleClient and VisualVmClient, which
# have no modes.
bare() {
	tr -s ' \n' '\n\n' | grep -v '^--$'
}

everything='attributes operations notifications loop 200 churn 3'
direct() {
	client_tls=show jmx_client "$1" $(words_of "$1" direct shut)
}

proxied() {
	jmx_client "$1" $(words_of "$1" proxied $everything)
}

secured() {
	client_tls=trust jmx_client "$1" \
		$(words_of "$1" secured $everything)
}

blocking() {
	jmx_client "$1" -Dat.once=true \
		$(words_of "$1" proxied blocking 62)
}

jconsole() {
	jconsole_client "$1" $(words_of "$1" proxied windows | bare)
}

jconsole_secured() {
	client_tls=trust jconsole_client "$1" $(words_of "$1" secured windows |
		bare | sed 's/registry=tls/secure/')
}

visualvm() {
	[ -x /usr/bin/visualvm ] && command -v xvfb-run >/dev/null ||
		{ echo 'no VisualVM'; return 1; }
	visualvm_start "$1" && visualvm_client $(for one in $(jdks); do
		words_of "$one" proxied windows
		words_of "$one" secured windows
	done | bare | grep -v '^registry=') ||
		{ cat "$scratch/visualvm.said"; return 1; }
	visualvm_shows '<b>Main class:</b> Target' &&
		visualvm_shows '^Monitor$' && visualvm_shows '^Threads$'
}

# one_by_one JDK: runs each kind of client with its own scratch directory.
one_by_one() {
	all=$scratch
	for kind in direct proxied secured ${windowed:+jconsole jconsole_secured}; do
		scratch=$all/$kind
		mkdir "$scratch"
		$kind "$1" || return
	done
}

start_clients() {
	# The client that waits a minute starts first.
	for jdk in $(jdks); do
		in_parallel "blocking.$(basename "$jdk")" blocking "$jdk"
	done
	[ -z "$windowed" ] || in_parallel visualvm visualvm "$(all_jdks | head -n 1)"
	for jdk in $(jdks); do
		in_parallel "$(basename "$jdk")" one_by_one "$jdk"
	done
	in_parallel_wait
}

# said_of FILE ADDRESS MODE: prints what a client printed for this JVM and mode.
said_of() {
	awk -v at="at $2" -v mode="$3: " '
		/^at / { here = $0 == at }
		here && index($0, mode) == 1 {
			print substr($0, length(mode) + 1)
		}' "$1"
}

# wants NAME FILE ADDRESS MODE PATTERN [TEXT]: fails unless the client printed
# PATTERN; sets the cell of the column NAME to TEXT.
wants() {
	result=$(said_of "$2" "$3" "$4")
	echo "$result" | grep -q -- "$5" || {
		echo "$1, $4: not $5, but: $result"
		return 1
	}
	cell "$1" "${6-ok}"
}

compare() {
	base=$(basename "$jdk")
	at=127.0.0.1:$proxied
	case $setting in
	hostname) shut="UnknownHost.*$lab_name" ;;
	ipv6) shut='fd99:' ;;
	*) shut="$lab_address" ;;
	esac
	wants direct "$scratch/$base/direct/client" "$near" shut "$shut" \
		shut &&
		all_wanted client "$base/proxied" "$at" || return
	wants blocking "$scratch/blocking.$base/client" "$at" blocking 'after 62' &&
		{ ! is_windowed || compare_windows; } || return
	case $setting in tls-registry | client-cert) ;; *) return 0 ;; esac
	at=127.0.0.1:$secured
	all_wanted client+tls "$base/secured" "$at" &&
		{ ! is_windowed || compare_windows +tls _secured; }
}

# compare_windows [COLUMN-SUFFIX DIRECTORY-SUFFIX]: checks JConsole and VisualVM
compare_windows() {
	wants "jconsole${1-}" "$scratch/$base/jconsole${2-}/jconsole" "$at" \
		jconsole ' threads, ' &&
		wants "visualvm${1-}" "$scratch/visualvm/visualvm.said" "$at" \
			visualvm 'thread dump of'
}

# all_wanted NAME DIRECTORY ADDRESS: checks all modes of JmxClient, and keeps
# the attributes: all connections to JVMs of a JDK show the same MBeans and
# attributes.
all_wanted() {
	file=$scratch/$2/client
	wants "$1" "$file" "$3" attributes ', hash ' &&
		wants "$1" "$file" "$3" operations ' threads, dump of' &&
		wants "$1" "$file" "$3" notifications 'three' &&
		wants "$1" "$file" "$3" loop '200 calls' &&
		wants "$1" "$file" "$3" churn '3 connections' || return
	said_of "$file" "$3" attributes | sed 's/, [0-9]*@.*//' \
		>>"$scratch/attributes.$base"
}

same_everywhere() {
	for one in "$scratch"/attributes.*; do
		[ "$(sort -u "$one" | wc -l)" = 1 ] ||
			{ echo "attributes differ:"; sort "$one" | uniq -c
			return 1; }
	done
}

# table: prints a line for each JVM.  tests/jvm.sh prints them even if the test
# passes.
table() {
	awk '
		{
			sub(".*/", "", $1)
			sub("-amd64", "", $1)
			row = sprintf("%-12s %-16s", $2, $1)
			if (!(row in seen)) { seen[row] = 1; rows[++n] = row }
			if (!($3 in known)) { known[$3] = 1; names[++m] = $3 }
			cells[row, $3] = $4
		}
		END {
			line = sprintf("| %-12s %-16s", "setting", "JDK")
			for (c = 1; c <= m; c++)
				line = line sprintf(" %-12s", names[c])
			print line
			for (r = 1; r <= n; r++) {
				line = "| " rows[r]
				for (c = 1; c <= m; c++) {
					v = cells[rows[r], names[c]]
					line = line sprintf(" %-12s", \
						v == "" ? "-" : v)
				}
				print line
			}
		}' "$scratch/cells"
}

plan && lab_tls && lab_inside && lab_dial_command || exit 1
for phase in start_jvms start_forward start_proxies start_clients; do
	began=$(date +%s)
	$phase || { echo "in $phase"; exit 1; }
	echo "| $phase: $(($(date +%s) - began)) s"
done
for_each compare && same_everywhere && table
