#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
#	tests/data/tls/make.sh
#
# Replaces the certificates in this directory and their keys.  Certificates that
# must be valid are valid for a hundred years.
set -e
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

printf '[req]\ndistinguished_name = any\n[any]\n' >"$work/req.conf"

key() {
	openssl ecparam -name prime256v1 -genkey -noout -out "$work/$1.key"
}

# authority NAME
authority() {
	key "$1"
	openssl req -config "$work/req.conf" -x509 -new -key "$work/$1.key" \
		-subj "/CN=$1" -days 36500 \
		-addext basicConstraints=critical,CA:TRUE -out "$work/$1.crt"
	: >"$work/$1.index"
	cat >"$work/$1.conf" <<-END
		[ca]
		default_ca = it
		[it]
		database = $work/$1.index
		new_certs_dir = $work
		rand_serial = yes
		default_md = sha256
		policy = any
		unique_subject = no
		[any]
		commonName = supplied
	END
}

# issued BY NAME ALTERNATIVE-NAMES [FROM TO]
issued() {
	key "$2"
	openssl req -config "$work/req.conf" -new -key "$work/$2.key" \
		-subj "/CN=$2" -out "$work/$2.csr"
	echo "subjectAltName = $3" >"$work/$2.ext"
	openssl ca -batch -notext -config "$work/$1.conf" \
		-cert "$work/$1.crt" -keyfile "$work/$1.key" \
		-startdate "${4:-20200101000000Z}" \
		-enddate "${5:-21200101000000Z}" \
		-extfile "$work/$2.ext" \
		-in "$work/$2.csr" -out "$work/$2.crt"
}

# alone NAME ALTERNATIVE-NAMES
alone() {
	key "$1"
	openssl req -config "$work/req.conf" -x509 -new -key "$work/$1.key" \
		-subj "/CN=$1" -days 36500 \
		-addext "subjectAltName = $2" -out "$work/$1.crt"
}

here=DNS:localhost,DNS:jvm.example,IP:127.0.0.1,IP:::1
authority authority
authority clients
issued authority server "$here"
issued authority expired "$here" 20200101000000Z 20210101000000Z
issued authority future "$here" 21100101000000Z
issued authority elsewhere DNS:elsewhere.example,DNS:*.far.example
issued clients client DNS:client.example
alone self "$here"
for name in authority clients; do
	cp "$work/$name.crt" "$name.pem"
done
for name in server expired future elsewhere client self; do
	cat "$work/$name.crt" "$work/$name.key" >"$name.pem"
done
# With a passphrase, and none that anybody is asked for.
openssl ec -in "$work/server.key" -aes128 -passout pass:secret \
	-out locked.pem
chmod 644 ./*.pem
