/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whole sessions of a client with a server that closes early or sends damaged
 * replies.  The sessions were recorded with memory_requests and JVMs of JDK 17
 * and 25.
 */
#include "core/base/input.h"
#include "jmx_http/rmi/jrmp.h"
#include "tests/fuzz/memory_server.h"
#include "tests/unit/sanitizers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/*
 * The distance between two positions; 13 has no common factor with the piece
 * sizes.
 */
#define STEP        (IS_SANITIZED ? 31 : 1)

#define RETURNS_MAX 32

/* A session, and the start and end of each of its returns. */
struct session {
	struct input in;
	const uint8_t *bytes;
	size_t len;
	size_t ends[RETURNS_MAX + 1]; /* [0]: end of the greeting */
	size_t count;
};

static void split(struct session *s)
{
	struct jrmp_greeting greeting;
	size_t at;

	assert_int_equal(jrmp_read_answer(s->bytes, s->len, &greeting),
			 JRMP_GREETED);
	at = s->ends[0] = greeting.len;
	while (at < s->len) {
		struct jrmp_return r = { 0 };
		size_t used;

		if (s->bytes[at] == JRMP_PING_ACK) {
			s->ends[s->count] = ++at;
			continue;
		}
		/* A void return has no value. */
		if (jrmp_return_read(&r, s->bytes + at, s->len - at, &used) !=
		    JAVA_DONE) {
			jrmp_return_release(&r);
			r = (struct jrmp_return){ .is_void = true };
			assert_int_equal(jrmp_return_read(&r, s->bytes + at,
							  s->len - at, &used),
					 JAVA_DONE);
		}
		jrmp_return_release(&r);
		at += used;
		assert_true(s->count < RETURNS_MAX);
		s->ends[++s->count] = at;
	}
}

static struct session open_session(const char *path)
{
	struct session s = { 0 };
	struct error err;

	if (input_open(&s.in, path, &err) || input_complete(&s.in, &err))
		fail_msg("%s: %s", path, err.text);
	s.bytes = (const uint8_t *)s.in.bytes;
	s.len = s.in.len;
	split(&s);
	return s;
}

/* The server accepts one connection and refuses the next. */
static struct memory_talk talk_once(const void *bytes, size_t len, size_t step,
				    bool is_silent)
{
	struct memory_server server = {
		.connections[0] = { bytes, len },
		.count = 1,
		.step = step,
		.is_silent = is_silent,
	};

	return memory_talk_to(&server);
}

static const char *const paths[] = { "tests/data/rmi/session17.s2c",
				     "tests/data/rmi/session25.s2c" };

static void each_session(void (*test)(const struct session *s))
{
	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
		struct session s = open_session(paths[i]);

		test(&s);
		input_close(&s.in);
	}
}

static void go_all_the_way(const struct session *s)
{
	static const size_t steps[] = { 0, 1, 7, 4096 };

	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		struct memory_talk talk = talk_once(s->bytes, s->len, steps[i],
						    false);

		assert_true(talk.is_open);
		assert_int_equal(talk.err.kind, ERROR_NONE);
		assert_int_equal(talk.replies, MEMORY_REQUESTS);
		/* The request for the missing MBean fails. */
		assert_int_equal(talk.failures, 1);
		assert_true(talk.shown > 10000);
	}
}

static void recorded_session_succeeds(void **state)
{
	(void)state;
	each_session(go_all_the_way);
}

/* Replies before the cut are delivered; the loss of the others is reported. */
static void cut_at(const struct session *s, size_t len)
{
	struct memory_talk talk = talk_once(s->bytes, len, 0, false);

	assert_true(talk.replies <= MEMORY_REQUESTS);
	if (talk.replies < MEMORY_REQUESTS)
		assert_true(talk.err.kind == ERROR_REFUSED ||
			    talk.err.kind == ERROR_NO_TARGET);
	/* The third return opens the session. */
	assert_int_equal(talk.is_open, len >= s->ends[3]);
}

static void session_cut_at_any_byte_fails_cleanly(void **state)
{
	struct session older = open_session(paths[0]);
	struct session newer = open_session(paths[1]);

	(void)state;
	for (size_t len = 0; len < older.len; len += STEP)
		cut_at(&older, len);
	for (size_t len = 0; len < newer.len; len += 7 * STEP)
		cut_at(&newer, len);
	input_close(&older.in);
	input_close(&newer.in);
}

static void fall_silent(const struct session *s)
{
	for (size_t len = 0; len < s->len; len += 9 * STEP) {
		struct memory_talk talk = talk_once(s->bytes, len, 0, true);

		assert_true(talk.failures <= 1);
		/*
		 * On a slow machine, the client checks the idle connection and
		 * opens another, which the server refuses.
		 */
		if (talk.replies < MEMORY_REQUESTS)
			assert_true(talk.err.kind == ERROR_REFUSED ||
				    talk.err.kind == ERROR_NO_TARGET);
	}
}

static void silent_server_times_out(void **state)
{
	(void)state;
	each_session(fall_silent);
}

/*
 * After the cut, the client reconnects and gets a new session, or the rest of
 * this one.
 */
static void begin_again(const struct session *s)
{
	for (size_t len = 0; len < s->len; len += 37 * STEP) {
		struct memory_server server = {
			.connections = { { s->bytes, len },
					 { s->bytes, s->len },
					 { s->bytes, len },
					 { s->bytes + len, s->len - len } },
			.count = 4,
		};
		struct memory_talk talk = memory_talk_to(&server);

		if (talk.replies < MEMORY_REQUESTS)
			assert_int_not_equal(talk.err.kind, ERROR_NONE);
	}
}

static void cut_session_is_resumed(void **state)
{
	(void)state;
	each_session(begin_again);
}

static void change_everywhere(const struct session *s)
{
	static const uint8_t flips[] = { 0xff, 0x01, 0x80, 0x73, 0x08 };
	uint8_t *bytes = xmalloc(s->len);

	memcpy(bytes, s->bytes, s->len);
	for (size_t at = 0; at < s->len; at += 4 * STEP) {
		struct memory_talk talk;

		bytes[at] ^= flips[at / 4 % sizeof(flips)];
		talk = talk_once(bytes, s->len, 0, at % 8);
		if (talk.replies < MEMORY_REQUESTS)
			assert_int_not_equal(talk.err.kind, ERROR_NONE);
		bytes[at] = s->bytes[at];
	}
	free(bytes);
}

static void changed_bytes_fail_cleanly(void **state)
{
	(void)state;
	each_session(change_everywhere);
}

/* Copies the session and replaces one return by other bytes. */
static void put_in_place(const struct session *s, size_t place,
			 const void *bytes, size_t len, struct text *out)
{
	text_clear(out);
	text_add(out, s->bytes, s->ends[place]);
	text_add(out, bytes, len);
	text_add(out, s->bytes + s->ends[place + 1],
		 s->len - s->ends[place + 1]);
}

static void swap_returns(const struct session *s)
{
	struct text bytes = { 0 };

	for (size_t i = 0; i < s->count; i++) {
		for (size_t j = 0; j < s->count; j++) {
			struct memory_talk talk;

			put_in_place(s, i, s->bytes + s->ends[j],
				     s->ends[j + 1] - s->ends[j], &bytes);
			talk = talk_once(bytes.bytes, bytes.len, 0, false);
			if (talk.replies < MEMORY_REQUESTS)
				assert_int_not_equal(talk.err.kind, ERROR_NONE);
		}
	}
	text_release(&bytes);
}

static void exchanged_replies_fail_cleanly(void **state)
{
	(void)state;
	each_session(swap_returns);
}

/* Notifications arrive on their own connection, which is cut or damaged. */
static void damaged_notifications_fail_cleanly(void **state)
{
	struct session s = open_session(paths[0]);
	struct memory_server server = {
		.connections[0] = { s.bytes, s.len },
		.count = 2,
	};
	struct input in;
	struct error err;
	uint8_t *bytes;
	size_t len;

	(void)state;
	if (input_open(&in, "tests/data/rmi/session17_fetch.s2c", &err) ||
	    input_complete(&in, &err))
		fail_msg("%s", err.text);
	len = in.len;
	bytes = xmalloc(len);
	memcpy(bytes, in.bytes, len);
	server.connections[1].at = bytes;
	for (size_t at = len % 3; at <= len; at += 3 * STEP) {
		struct memory_talk talk;

		server.next = 0;
		server.connections[1].len = at;
		talk = memory_talk_to(&server);
		assert_int_equal(talk.notes, at == len);
		server.next = 0;
		server.connections[1].len = len;
		if (at < len)
			bytes[at] ^= 0x81;
		talk = memory_talk_to(&server);
		/* A changed sequence number is a gap, which is reported. */
		assert_true(talk.notes <= 2);
		if (at < len)
			bytes[at] ^= 0x81;
	}
	free(bytes);
	input_close(&in);
	input_close(&s.in);
}

/*
 * The result of a command is replaced by a text longer than most thread dumps.
 */
static void long_text_arrives_complete(void **state)
{
	static const char head[] = "Q\xac\xed\0\5w\17\1\0\0\0\0\0\0\0\0\0\0"
				   "\0\0\0\0\x7c\0\0\0\0";
	const uint32_t len = IS_SANITIZED ? 4 << 20 : 20 << 20;
	struct session s = open_session(paths[0]);
	struct text reply = { 0 }, bytes = { 0 };
	struct memory_talk talk;

	(void)state;
	text_add(&reply, head, sizeof(head) - 1);
	for (int shift = 24; shift >= 0; shift -= 8)
		text_putc(&reply, (char)(len >> shift));
	while (reply.len < sizeof(head) - 1 + 4 + len)
		text_puts(&reply, "\xe2\x82\xac 1\n\n\n");
	put_in_place(&s, 4, reply.bytes, sizeof(head) - 1 + 4 + len, &bytes);
	talk = talk_once(bytes.bytes, bytes.len, 0, false);
	assert_int_equal(talk.replies, MEMORY_REQUESTS);
	assert_int_equal(talk.failures, 1);
	/* The text is printed three times. */
	assert_true(talk.shown > 3 * (size_t)len);
	text_release(&reply);
	text_release(&bytes);
	input_close(&s.in);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(recorded_session_succeeds),
		cmocka_unit_test(session_cut_at_any_byte_fails_cleanly),
		cmocka_unit_test(silent_server_times_out),
		cmocka_unit_test(cut_session_is_resumed),
		cmocka_unit_test(changed_bytes_fail_cleanly),
		cmocka_unit_test(exchanged_replies_fail_cleanly),
		cmocka_unit_test(damaged_notifications_fail_cleanly),
		cmocka_unit_test(long_text_arrives_complete),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
