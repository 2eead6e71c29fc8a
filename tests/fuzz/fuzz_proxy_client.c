/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes what a client sends to the proxy.  In the first byte of the input, the
 * lowest bit selects --read-only, the others are the size of the pieces.
 * Whatever the client sends, the JVM must receive complete and valid messages
 * that the proxy itself wrote.
 */
#include "tests/fuzz/rmi_parties.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define STUB                                                                   \
	"Q\xac\xed\0\5w\17\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0"                      \
	"sr\0\34java.rmi.server.RemoteObject\0\0\0\0\0\0\0\1\3\0\0xp"          \
	"w\52\0\12UnicastRef\0\1h\0\0\x23\x32"                                 \
	"\0\0\0\0\0\0\0\7\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0x"
#define VALUE        "Q\xac\xed\0\5w\17\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0t\0\1v"

#define HELLO_LEN    7
#define ENDPOINT_LEN 10 /* the proxy's: "sjkc", 0 */

static bool gives_stub(const struct request *r)
{
	return r->kind == REQUEST_CALL && r->method->gives_stub;
}

/* Aborts unless the proxy, reading the message, would write the same again. */
static void check_written(struct request *r, const char *bytes, size_t len)
{
	request_write(r);
	if (r->objection || r->message.len != len ||
	    memcmp(r->message.bytes, bytes, len) != 0)
		abort();
}

/* A message without references may need more memory than that of the client. */
static enum request_status read_trusted(struct request *r, const char *bytes,
					size_t len, size_t *used)
{
	enum request_status status = request_read(r, bytes, 1, used);

	request_trust(r);
	if (status == REQUEST_MORE && len > 1) {
		status = request_read(r, bytes + 1, len - 1, used);
		++*used;
	}
	return status;
}

/* Replies to one message; returns false if none is complete. */
static bool answer(struct jvm_end *j)
{
	struct request r = { 0 };
	size_t used;
	enum request_status status = REQUEST_MORE;

	if (j->answered < j->heard.len)
		status = read_trusted(&r, j->heard.bytes + j->answered,
				      j->heard.len - j->answered, &used);
	if (status == REQUEST_WRONG || status == REQUEST_ENDED)
		abort();
	if (status == REQUEST_WHOLE) {
		check_written(&r, j->heard.bytes + j->answered, used);
		j->answered += used;
		if (r.kind == REQUEST_PING)
			fuzz_send(j->fd, "S", 1);
		else if (gives_stub(&r))
			fuzz_send(j->fd, STUB, sizeof(STUB) - 1);
		else if (r.kind == REQUEST_CALL)
			fuzz_send(j->fd, VALUE, sizeof(VALUE) - 1);
	}
	request_release(&r);
	return status == REQUEST_WHOLE;
}

static void serve(struct jvm_end *j)
{
	if (!j->answered && j->heard.len >= HELLO_LEN) {
		if (memcmp(j->heard.bytes, "JRMI\0\2K", HELLO_LEN) != 0)
			abort();
		fuzz_send(j->fd, GREETING, sizeof(GREETING) - 1);
		j->answered = HELLO_LEN;
	}
	if (j->answered == HELLO_LEN &&
	    j->heard.len >= HELLO_LEN + ENDPOINT_LEN)
		j->answered += ENDPOINT_LEN;
	if (j->answered > HELLO_LEN)
		while (answer(j))
			;
}

/* Runs the proxy and the JVMs until the client receives nothing more. */
static void exchange(void)
{
	size_t before;
	int rounds = 0;

	do {
		before = parties.client_heard.len;
		for (int i = 0; i < 6; i++) {
			parties_step();
			for (size_t j = 0; j < parties.jvm_count; j++)
				serve(&parties.jvms[j]);
		}
	} while (parties.client_heard.len > before && ++rounds < ROUNDS_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t at = 1, step;

	if (!size)
		return 0;
	rmi_parties_begin(data[0] & 1);
	/* Few pieces, because each piece takes several rounds. */
	step = (size / 16 + 1) * ((size_t)(data[0] >> 1) + 1);
	while (at < size) {
		size_t len = size - at < step ? size - at : step;

		fuzz_send(parties.client, data + at, len);
		exchange();
		at += len;
	}
	shutdown(parties.client, SHUT_WR);
	exchange();
	/* An incomplete message must not be passed on. */
	for (size_t i = 0; i < parties.jvm_count; i++)
		if (parties.jvms[i].answered > HELLO_LEN &&
		    parties.jvms[i].answered != parties.jvms[i].heard.len)
			abort();
	parties_end();
	return 0;
}
