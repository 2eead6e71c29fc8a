#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The processes of mxprx that talk to a JVM or an agent have no copy of the private
# key with which mxprx serves its clients by TLS; only mxprx itself has it.
sjkc=$1
scratch=$2
. tests/jvm/lib/lab.sh
lab_enter "$0" "$@"
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
. tests/jvm/lib/jmx.sh
. tests/jvm/lib/jolokia.sh
. tests/jvm/lib/proxy.sh

lab_tls || exit 1

# holders: prints how many of mxprx's processes have the key, and their number.
holders() {
	# shellcheck disable=SC2046,SC2154 # pids; tls: lab.sh
	python3 - "$tls/proxy.key" "$proxy" $(target_below "$proxy") <<-'END'
		import re, subprocess, sys
		file, pids = sys.argv[1], sys.argv[2:]
		with open(file, "rb") as f:
		    pem = f.read()
		shown = subprocess.run(["openssl", "pkey", "-in", file, "-text",
		                        "-noout"], capture_output=True, text=True,
		                       check=True).stdout
		part = re.search(r"priv:\n((?:\s+[0-9a-f:]+\n)+)", shown)[1]
		number = bytes.fromhex("".join(part.split()).replace(":", ""))
		number = number.lstrip(b"\0")
		# As text, as written by encoders, and as libcrypto computes with it.
		secrets = pem.split(b"\n")[2], number, number[::-1]

		def has_key(pid):
		    with open("/proc/%s/maps" % pid) as maps, \
		            open("/proc/%s/mem" % pid, "rb", 0) as memory:
		        for line in maps:
		            first, last, rights = re.match(
		                r"(\w+)-(\w+) (\S+)", line).groups()
		            if "rw" not in rights:
		                continue
		            memory.seek(int(first, 16))
		            try:
		                some = memory.read(int(last, 16) - int(first, 16))
		            except OSError:
		                continue
		            if any(secret in some for secret in secrets):
		                return True
		    return False
		def may_have_key(pid):
		    try:
		        return has_key(pid)
		    except (FileNotFoundError, ProcessLookupError):
		        return False # it has ended
		print(sum(map(may_have_key, pids)), len(pids))
	END
}

# kept COMMAND…: the command reaches the JVM through mxprx, which has two more
# processes then, and those that open files of the JVM; mxprx alone has the key.
kept() {
	"$@" >"$scratch/out" 2>&1 || { cat "$scratch/out" "$proxy_said"; return 1; }
	found=$(holders)
	case $found in '1 '[3-5]) return ;; esac
	echo "processes with the key, processes: $found"
	return 1
}

secure="--tls-cert $tls/proxy.pem --tls-key $tls/proxy.key"
jolokia_target "$(jdks | head -n 1)" Beans || exit
# shellcheck disable=SC2086,SC2154 # words; pid, url, proxy_port: the libraries
{
	proxy -p "$pid" --http 0 $secure &&
		kept "$sjkc" mx -u "https://localhost:$proxy_port/jolokia" -q --get \
			--cacert "$tls/ca.pem" -b java.lang:type=Memory \
			-f Verbose && proxy_end TERM || exit
	proxy -u "$url" -b 0 $secure &&
		kept curl -s -S -f --cacert "$tls/ca.pem" \
			"https://localhost:$proxy_port/metrics" && proxy_end TERM
}
