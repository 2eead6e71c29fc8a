/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes what a JVM sends to the proxy.  The first byte of the input selects
 * the call, the size of the pieces, and whether the input starts with the
 * greeting. Whatever the JVM sends, no stub may refer clients to another
 * address than the proxy's.
 */
#include "tests/fuzz/rmi_parties.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define BYTES(literal)                                                         \
	{                                                                      \
		(literal), sizeof(literal) - 1                                 \
	}

#define HELLO "JRMI\0\2K\0\1c\0\0\0\0"
#define NO_ID "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
#define NONE  "\xff\xff\xff\xff"

static const struct {
	const char *bytes;
	size_t len;
} asked[] = {
	BYTES(HELLO "P\xac\xed\0\5w\42" NO_ID
		    "\0\0\0\2\x44\x15\x4d\xc9\xd4\xe6\x3b\xdft\0\6jmxrmi"),
	BYTES(HELLO "P\xac\xed\0\5w\42" NO_ID
		    "\0\0\0\1\x44\x15\x4d\xc9\xd4\xe6\x3b\xdf"),
	BYTES(HELLO "P\xac\xed\0\5w\42\7\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
		    "\0\0" NONE "\xf0\xe0\x74\xea\xad\x0c\xae\xa8p"),
	BYTES(HELLO "R"),
};

static void exchange(void)
{
	size_t before;

	do {
		before = parties.client_heard.len + parties.jvm_count;
		for (int i = 0; i < 4; i++)
			parties_step();
	} while (parties.client_heard.len + parties.jvm_count > before);
}

/* Checks the return after the greeting, which has the client's address. */
static void check_return(size_t at)
{
	struct jrmp_return r = { 0 };
	struct stub stub;
	struct error err;
	size_t used;

	if (parties.client_heard.len <= at)
		return;
	if (jrmp_return_read(&r, parties.client_heard.bytes + at,
			     parties.client_heard.len - at, &used) != JAVA_DONE)
		abort();
	if (!r.is_exception &&
	    (stub_of(r.value, &stub, &err) ||
	     strcmp(stub.host, ENDPOINT_DISCOVERY_HOST) != 0 ||
	     stub.port != ENDPOINT_DISCOVERY_PORT))
		abort();
	jrmp_return_release(&r);
}

static void answer(const uint8_t *data, size_t size, size_t step)
{
	size_t at = 0;

	while (at < size) {
		size_t len = size - at < step ? size - at : step;

		for (size_t i = 0; i < parties.jvm_count; i++)
			fuzz_send(parties.jvms[i].fd, data + at, len);
		exchange();
		at += len;
	}
	for (size_t i = 0; i < parties.jvm_count; i++)
		shutdown(parties.jvms[i].fd, SHUT_WR);
	exchange();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t kind, greeted;

	if (!size)
		return 0;
	kind = data[0] & 3;
	rmi_parties_begin(false);
	fuzz_send(parties.client, asked[kind].bytes, asked[kind].len);
	exchange();
	greeted = parties.client_heard.len;
	for (size_t i = 0; !(data[0] & 4) && i < parties.jvm_count; i++)
		fuzz_send(parties.jvms[i].fd, GREETING, sizeof(GREETING) - 1);
	answer(data + 1, size - 1,
	       (size / 16 + 1) * ((size_t)(data[0] >> 3) + 1));
	if (kind == 0 || kind == 2)
		check_return(greeted);
	parties_end();
	return 0;
}
