/* SPDX-License-Identifier: Apache-2.0 */
/* Recorded messages of Java clients, in pieces, and hostile messages. */
#include "core/base/input.h"
#include "jmx_http/proxy/session.h"
#include "jmx_http/rmi/request.h"
#include "tests/unit/jmx_http/java/say_stream.h"

#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define DATA           "tests/data/rmi/"

#define BYTES(literal) (literal), (sizeof(literal) - 1)

/*
 * A call in a block of len bytes.  The object id is zero except for its number.
 */
#define CALL(len, number, operation, hash)                                     \
	"P\xac\xed\0\5w" len "\0\0\0\0\0\0\0" number                           \
	"\0\0\0\0\0\0\0\0\0\0\0\0\0\0" operation hash
#define NONE          "\xff\xff\xff\xff"
#define NEW_CLIENT    CALL("\42", "\7", NONE, "\xf0\xe0\x74\xea\xad\x0c\xae\xa8")
#define GET_DOMAIN    CALL("\42", "\7", NONE, "\x53\xed\xa2\xd8\x2e\x1b\xdf\xa8")
#define INVOKE        CALL("\42", "\7", NONE, "\x13\xe7\xd6\x94\x17\xe5\xda\x20")
#define REGISTRY_HASH "\x44\x15\x4d\xc9\xd4\xe6\x3b\xdf"
#define LOOKUP        CALL("\42", "\0", "\0\0\0\2", REGISTRY_HASH)
#define STRINGS(count)                                                         \
	"ur\0\23[Ljava.lang.String;\xad\xd2\x56\xe7\xe9\x1d\x7b\x47\2\0\0xp"   \
	"\0\0\0" count

/* Reads one message, with at most step further bytes at a time. */
static enum request_status read_by(struct request *r, const char *bytes,
				   size_t len, size_t step, size_t *all)
{
	enum request_status status = REQUEST_MORE;
	size_t used;

	*all = 0;
	while (status == REQUEST_MORE && *all < len) {
		size_t piece = len - *all < step ? len - *all : step;

		status = request_read(r, bytes + *all, piece, &used);
		assert_true(used <= piece);
		*all += used;
	}
	return status;
}

static enum request_status status_of(struct request *r, const char *bytes,
				     size_t len)
{
	size_t used;

	return read_by(r, bytes, len, 1, &used);
}

/*
 * Returns the length of the greeting: JRMI, the protocol, the client's host and
 * port.
 */
static size_t behind_hello(const struct input *in)
{
	return 7 + 2 + (size_t)(in->bytes[7] << 8 | in->bytes[8]) + 4;
}

/* Appends a line for each message. */
static void read_all(const struct input *in, size_t step, struct text *said)
{
	const char *bytes = (const char *)in->bytes;
	size_t at = behind_hello(in), used;

	while (at < in->len) {
		struct request r = { 0 };

		if (read_by(&r, bytes + at, in->len - at, step, &used) !=
		    REQUEST_WHOLE)
			fail_msg("at %zu, by %zu: %s", at, step,
				 r.wrong ? r.wrong : "not whole");
		assert_int_equal(r.used, used);
		text_printf(said, "%zu %s\n", used,
			    r.kind == REQUEST_CALL   ? r.method->name
			    : r.kind == REQUEST_PING ? "ping"
						     : "ack");
		at += used;
		request_release(&r);
	}
}

static void captures_parse_equally_however_they_are_split(void **state)
{
	static const char *const paths[] = { DATA "client17.c2s",
					     DATA "client17_more.c2s" };

	(void)state;
	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
		struct text whole = { 0 }, said = { 0 };
		struct input in;
		struct error err;

		if (input_open(&in, paths[i], &err) ||
		    input_complete(&in, &err))
			fail_msg("%s", err.text);
		read_all(&in, in.len, &whole);
		assert_non_null(strstr(whole.bytes, "getAttribute\n"));
		for (size_t step = 1; step < 80; step++) {
			text_clear(&said);
			read_all(&in, step, &said);
			assert_string_equal(said.bytes, whole.bytes);
		}
		text_release(&whole);
		text_release(&said);
		input_close(&in);
	}
}

static void pipelined_messages_are_separated(void **state)
{
	struct request r = { 0 };
	size_t used;

	(void)state;
	assert_int_equal(request_read(&r, BYTES("RR"), &used), REQUEST_WHOLE);
	assert_int_equal(used, 1);
	assert_int_equal(r.kind, REQUEST_PING);
	request_release(&r);
	assert_int_equal(request_read(&r, BYTES("T12345678901234R"), &used),
			 REQUEST_WHOLE);
	assert_int_equal(used, 15);
	assert_int_equal(r.kind, REQUEST_DGC_ACK);
	request_release(&r);
	assert_int_equal(request_read(&r, BYTES(GET_DOMAIN "pR"), &used),
			 REQUEST_WHOLE);
	assert_int_equal(used, sizeof(GET_DOMAIN));
	assert_string_equal(r.method->name, "getDefaultDomain");
	request_release(&r);
}

static void invalid_messages_are_rejected(void **state)
{
	static const struct {
		const char *bytes;
		size_t len;
		const char *wrong;
	} messages[] = {
		{ BYTES("Q"), "the client sent an unknown kind of message" },
		{ BYTES("\0"), "the client sent an unknown kind of message" },
		{ BYTES("Pabcd"), "not a stream of Java objects" },
		{ BYTES("P\xac\xed\0\5p"),
		  "the client sent a call without a header" },
		{ BYTES("P\xac\xed\0\5w\1x"),
		  "the client sent a call without a header" },
		{ BYTES(CALL("\42", "\7", NONE, "12345678")),
		  "the client called a method that is not part of JMX" },
		{ BYTES(CALL("\42", "\7", "\0\0\0\2", REGISTRY_HASH)),
		  "the client called a method that is not part of JMX" },
		{ BYTES(CALL("\42", "\0", NONE, REGISTRY_HASH)),
		  "the client called a method that is not part of JMX" },
		{ BYTES(CALL("\42", "\1", "\0\0\0\2", REGISTRY_HASH)),
		  "the client called a method that is not part of JMX" },
		{ BYTES(CALL("\43", "\7", NONE,
			     "\x53\xed\xa2\xd8\x2e\x1b\xdf\xa8") "1"),
		  "the client sent a call with wrong arguments" },
		{ BYTES(GET_DOMAIN "w\1x"),
		  "the client sent a call with wrong arguments" },
		{ BYTES(GET_DOMAIN "\x6f"), "an unknown tag" },
		{ BYTES(LOOKUP "x"), "a tag that is not allowed there" },
		{ BYTES(LOOKUP "q\0\x7e\0\0"),
		  "a reference to an unknown handle" },
		{ BYTES(LOOKUP "|\xff\xff\xff\xff\xff\xff\xff\xff"),
		  "a string or block that is too long" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(messages) / sizeof(*messages); i++) {
		struct request r = { 0 };

		assert_int_equal(
			status_of(&r, messages[i].bytes, messages[i].len),
			REQUEST_WRONG);
		assert_string_equal(r.wrong, messages[i].wrong);
		request_release(&r);
	}
}

static void deep_nesting_is_rejected(void **state)
{
	struct request r = { 0 };
	struct text deep = { 0 };

	(void)state;
	text_add(&deep, BYTES(LOOKUP));
	text_add(&deep, BYTES("ur\0\23[Ljava.lang.Object;"
			      "\x90\xce\x58\x9f\x10\x73\x29\x6c\2\0\0xp"
			      "\0\0\0\1"));
	for (int i = 0; i < 1000; i++)
		text_add(&deep, BYTES("uq\0\x7e\0\0\0\0\0\1"));
	assert_int_equal(status_of(&r, deep.bytes, deep.len), REQUEST_WRONG);
	assert_string_equal(r.wrong, "nested too deeply");
	request_release(&r);
	text_release(&deep);
}

/*
 * Returns the memory for many small objects, which have few bytes in the
 * stream.
 */
static size_t memory_of_strings(bool is_trusted)
{
	struct request r = { 0 };
	struct text many = { 0 };
	size_t used, memory;

	assert_int_equal(
		status_of(&r, BYTES(LOOKUP "ur\0\23[Ljava.lang.Object;"
					   "\x90\xce\x58\x9f\x10\x73\x29\x6c"
					   "\2\0\0xp\3\xff\xff\xff")),
		REQUEST_MORE);
	assert_true(r.has_head);
	if (is_trusted)
		request_trust(&r);
	for (int i = 0; i < 3000000; i++)
		text_add(&many, BYTES("t\0\0"));
	assert_int_equal(read_by(&r, many.bytes, many.len, 4096, &used),
			 REQUEST_WRONG);
	assert_non_null(r.wrong);
	memory = request_memory(&r);
	request_release(&r);
	text_release(&many);
	return memory;
}

static void memory_is_bounded_and_small_before_login(void **state)
{
	(void)state;
	assert_true(memory_of_strings(true) <
		    2 * REQUEST_MEMORY_MAX + REQUEST_BYTES_MAX);
	assert_true(memory_of_strings(true) > REQUEST_MEMORY_MAX / 2);
	/* The memory limit of a connection, without its socket buffers. */
	assert_true(memory_of_strings(false) < (size_t)256 << 10);
}

static size_t longest(bool is_trusted, const char *wrong)
{
	static char zeroes[4096];
	struct request r = { 0 };
	enum request_status status = REQUEST_MORE;
	size_t used, all = 0;

	assert_int_equal(status_of(&r, BYTES(LOOKUP "|\0\0\0\0\3\0\0\0")),
			 REQUEST_MORE);
	if (is_trusted)
		request_trust(&r);
	while (status == REQUEST_MORE && all <= 2 * REQUEST_BYTES_MAX) {
		status = request_read(&r, zeroes, sizeof(zeroes), &used);
		all += used;
	}
	assert_int_equal(status, REQUEST_WRONG);
	assert_string_equal(r.wrong, wrong);
	request_release(&r);
	return all;
}

static void endless_message_is_rejected(void **state)
{
	(void)state;
	assert_true(
		longest(true, "the client's message is larger than 16 MiB") >
		REQUEST_BYTES_MAX - 8192);
	assert_true(longest(false, "the client's message is larger than 48 "
				   "KiB, the limit before a login") <
		    REQUEST_EARLY_BYTES_MAX + 8192);
}

static void aborted_message_ends_the_request(void **state)
{
	struct request r = { 0 };

	(void)state;
	assert_int_equal(
		status_of(&r, BYTES(GET_DOMAIN "{sr\0\1E\0\0\0\0\0\0\0\1\2\0"
					       "\0xp")),
		REQUEST_ENDED);
	request_release(&r);
}

/* Checks whether a call passes, without and with --read-only. */
static void objections_to(const char *bytes, size_t len, bool passes,
			  bool passes_read_only)
{
	struct request r = { 0 };

	if (status_of(&r, bytes, len) != REQUEST_WHOLE)
		fail_msg("%s", r.wrong ? r.wrong : "not whole");
	request_write(&r);
	assert_int_equal(!rmi_call_objection(&r, false), passes);
	assert_int_equal(!rmi_call_objection(&r, true), passes_read_only);
	request_release(&r);
}

static void other_credentials_than_user_and_password_are_rejected(void **state)
{
	(void)state;
	objections_to(BYTES(NEW_CLIENT "p"), true, true);
	objections_to(BYTES(NEW_CLIENT "t\0\1x"), true, true);
	objections_to(BYTES(NEW_CLIENT STRINGS("\2") "t\0\1up"), true, true);
	objections_to(BYTES(NEW_CLIENT STRINGS("\0")), true, true);
	/* Deserializing such classes may have side effects. */
	objections_to(BYTES(NEW_CLIENT
			    "sr\0\21java.util.HashMap\5\7\xda\xc1\xc3\x16\x60"
			    "\xd1\2\0\0xp"),
		      false, false);
	objections_to(BYTES(NEW_CLIENT STRINGS("\1") "sr\0\1E\0\0\0\0\0\0\0\1"
						     "\2\0\0xp"),
		      false, false);
	objections_to(BYTES(NEW_CLIENT "ur\0\2[B\xac\xf3\x17\xf8\6\10T\xe0\2\0"
				       "\0xp\0\0\0\0"),
		      false, false);
	objections_to(BYTES(NEW_CLIENT "vr\0\1E\0\0\0\0\0\0\0\1\2\0\0xp"),
		      false, false);
}

static void registry_changes_are_rejected(void **state)
{
	(void)state;
	objections_to(BYTES(LOOKUP "t\0\6jmxrmi"), true, true);
	objections_to(BYTES(CALL("\42", "\0", "\0\0\0\1", REGISTRY_HASH)), true,
		      true);
	objections_to(BYTES(CALL("\42", "\0", "\0\0\0\0", REGISTRY_HASH) "pp"),
		      false, false);
	objections_to(BYTES(CALL("\42", "\0", "\0\0\0\3", REGISTRY_HASH) "pp"),
		      false, false);
	objections_to(BYTES(CALL("\42", "\0", "\0\0\0\4", REGISTRY_HASH) "p"),
		      false, false);
}

#define NAMED(len, name)                                                       \
	"sr\0\33javax.management.ObjectName"                                   \
	"\x0f\x03\xa7\x1b\xeb\x6d\x15\xcf\3\0\0xpt\0" len name "x"

static void read_only_passes_operations_that_read(void **state)
{
	(void)state;
	objections_to(
		BYTES(INVOKE NAMED(
			"\30",
			"java.lang:type=Threading") "t\0\16dumpAllThreadsppp"),
		true, true);
	objections_to(
		BYTES(INVOKE NAMED(
			"\30", "java.lang:type=Threading") "t\0\24resetPeakThre"
							   "adCountppp"),
		true, false);
	objections_to(
		BYTES(INVOKE NAMED(
			"\25",
			"java.lang:type=Memory") "t\0\16dumpAllThreadsppp"),
		true, false);
	objections_to(BYTES(INVOKE "pt\0\16dumpAllThreadsppp"), true, false);
	/* setAttribute, unregisterMBean, createMBean. */
	objections_to(BYTES(CALL("\42", "\7", NONE,
				 "\x5d\x84\x57\x44\x73\x0a\xfe\x0c") "ppp"),
		      true, false);
	objections_to(BYTES(CALL("\42", "\7", NONE,
				 "\xfd\xc9\x58\xe2\xc1\x24\x14\xd4") "pp"),
		      true, false);
	objections_to(BYTES(CALL("\42", "\7", NONE,
				 "\x22\xd7\xfd\x4a\x90\x6a\xc8\xe6") "ppp"),
		      true, false);
}

#define OBJECT_OF(len, name) "sr\0" len name "\0\0\0\0\0\0\0\1\2\0\0xp"
#define QUERY                CALL("\42", "\7", NONE, "\x7f\x04\x73\xac\xb7\x36\x77\xda")
/* A MarshalledObject with a stream of len bytes. */
#define MARSHALLED(len, bytes)                                                 \
	"sr\0\31java.rmi.MarshalledObject"                                     \
	"\x7c\xbd\x1e\x97\xed\x63\xfc\x3e\2\0\3I\0\4hash"                      \
	"[\0\10locBytest\0\2[B[\0\10objBytesq\0\x7e\0\1xp\0\0\0\0p"            \
	"ur\0\2[B\xac\xf3\x17\xf8\6\10T\xe0\2\0\0xp\0\0\0" len bytes

/* The JVM deserializes them before it checks their class. */
static void arguments_of_other_classes_are_rejected(void **state)
{
	(void)state;
	objections_to(BYTES(GET_DOMAIN "p"), true, true);
	objections_to(BYTES(GET_DOMAIN OBJECT_OF("\1", "E")), false, false);
	objections_to(BYTES(GET_DOMAIN OBJECT_OF(
			      "\33", "javax.security.auth.Subject")),
		      false, false);
	objections_to(BYTES(GET_DOMAIN OBJECT_OF("\21", "java.util.HashMap")),
		      false, false);
	objections_to(
		BYTES(GET_DOMAIN OBJECT_OF("\24", "java.util.jar.Harmer")),
		false, false);
	objections_to(BYTES(GET_DOMAIN OBJECT_OF("\12", "java.util.")), false,
		      false);
	objections_to(BYTES(GET_DOMAIN "s}\0\0\0\1\0\1Ixp"), false, false);
	objections_to(BYTES(GET_DOMAIN "ur\0\4[LE;\0\0\0\0\0\0\0\1\2\0\0xp"
				       "\0\0\0\0"),
		      false, false);
	/* As a class object, or as the superclass of an allowed class. */
	objections_to(BYTES(GET_DOMAIN "vr\0\1E\0\0\0\0\0\0\0\1\2\0\0xp"),
		      false, false);
	objections_to(BYTES(GET_DOMAIN "vr\0\33javax.management.ObjectName"
				       "\0\0\0\0\0\0\0\1\2\0\0x"
				       "r\0\1E\0\0\0\0\0\0\0\1\2\0\0xp"),
		      false, false);
	objections_to(BYTES(LOOKUP OBJECT_OF("\1", "E")), false, false);
	objections_to(BYTES(LOOKUP STRINGS("\0")), false, false);
}

static void read_only_checks_marshalled_objects(void **state)
{
	(void)state;
	objections_to(BYTES(QUERY "ppp"), true, true);
	objections_to(BYTES(QUERY "p" MARSHALLED(
			      "\70", "\xac\xed\0\5sr\0\43javax.management.In"
				     "stanceOfQueryExp\0\0\0\0\0\0\0\1\2\0\0x"
				     "p") "p"),
		      true, true);
	/* Deserializing nested hash tables takes the JVM exponential time. */
	objections_to(BYTES(QUERY "p" MARSHALLED(
			      "\46", "\xac\xed\0\5sr\0\21java.util.HashSet"
				     "\0\0\0\0\0\0\0\1\2\0\0xp") "p"),
		      true, false);
	objections_to(BYTES(QUERY "p" MARSHALLED(
			      "\45", "\xac\xed\0\5sr\0\20java.util.Vector"
				     "\0\0\0\0\0\0\0\1\2\0\0xp") "p"),
		      true, true);
	objections_to(BYTES(QUERY "p" MARSHALLED("\6", "\xac\xed\0\5wx") "p"),
		      true, false);
	objections_to(BYTES(QUERY "p" MARSHALLED("\5", "\xac\xed\0\5p") "p"),
		      true, true);
	objections_to(
		BYTES(QUERY "p" MARSHALLED("\26", "\xac\xed\0\5sr\0\1E\0\0\0\0"
						  "\0\0\0\1\2\0\0xp") "p"),
		true, false);
}

/*
 * Writes the message again.  Returns NULL, or the reason for an objection; then
 * there is no message.
 */
static const char *written(const char *bytes, size_t len, struct text *out)
{
	struct request r = { 0 };
	const char *why;

	if (status_of(&r, bytes, len) != REQUEST_WHOLE)
		fail_msg("%s", r.wrong ? r.wrong : "not whole");
	request_write(&r);
	why = r.objection;
	assert_int_equal(!why, r.message.len > 0);
	text_clear(out);
	text_add(out, r.message.bytes, r.message.len);
	request_release(&r);
	return why;
}

/* A second writing changes nothing. */
static void keeps_its_values(const char *bytes, size_t len)
{
	struct text message = { 0 }, again = { 0 };
	struct text before = { 0 }, after = { 0 };

	assert_null(written(bytes, len, &message));
	if (bytes[0] == 'P') {
		assert_int_equal(say_stream(&before, bytes + 1, len - 1),
				 len - 1);
		say_stream(&after, message.bytes + 1, message.len - 1);
		assert_string_equal(before.bytes, after.bytes);
	} else {
		assert_int_equal(message.len, len);
		assert_memory_equal(message.bytes, bytes, len);
	}
	assert_null(written(message.bytes, message.len, &again));
	assert_int_equal(again.len, message.len);
	assert_memory_equal(again.bytes, message.bytes, message.len);
	text_release(&message);
	text_release(&again);
	text_release(&before);
	text_release(&after);
}

/* Returns the number of messages of a recorded client. */
static size_t check_recording(const char *path)
{
	size_t at, used, count = 0;
	struct input in;
	struct error err;

	if (input_open(&in, path, &err) || input_complete(&in, &err))
		fail_msg("%s", err.text);
	at = in.len && in.bytes[0] == 'J' ? behind_hello(&in) : in.len;
	while (at < in.len) {
		const char *bytes = (const char *)in.bytes + at;
		struct request r = { 0 };

		assert_int_equal(read_by(&r, bytes, in.len - at, in.len, &used),
				 REQUEST_WHOLE);
		request_release(&r);
		keeps_its_values(bytes, used);
		at += used;
		count++;
	}
	input_close(&in);
	return count;
}

static void recorded_messages_keep_their_values(void **state)
{
	static const char *const patterns[] = {
		DATA "*.c2s",
		"../shared/data/own/rmi/*.c2s.bin",
	};
	size_t count = 0;
	glob_t found = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(patterns) / sizeof(*patterns); i++)
		glob(patterns[i], i ? GLOB_APPEND : 0, NULL, &found);
	for (size_t i = 0; i < found.gl_pathc; i++)
		count += check_recording(found.gl_pathv[i]);
	globfree(&found);
	assert_true(count > 60);
}

#define INTEGER_NAME "\0\21java.lang.Integer"
#define NUMBER       "r\0\20java.lang.Number\x86\xac\x95\x1d\x0b\x94\xe0\x8b\2\0\0pxp"
#define INTEGERS                                                               \
	"ur\0\24[Ljava.lang.Integer;\xfe\x97\xad\xa0\1\x83\xe2\x1b\2\0\0px"    \
	"p\0\0\0\1s"
#define REMOVE                                                                 \
	CALL("\42", "\7", NONE, "\x23\x60\x4b\x28\x0b\x8b\xbe\x96")            \
	"p"
#define HONEST_INTEGER                                                         \
	"r" INTEGER_NAME "\x12\xe2\xa0\xa4\xf7\x81\x87\x38\2\0\1I\0\5value"    \
	"px" NUMBER

/* The message has the JVM's own descriptor, and only the value. */
static void descriptors_of_the_client_are_replaced(void **state)
{
	static const struct {
		const char *bytes;
		size_t len;
	} calls[] = {
		{ BYTES(REMOVE INTEGERS HONEST_INTEGER "\0\0\0\5p") },
		/* Another suid, more fields, no superclass, a code base. */
		{ BYTES(REMOVE INTEGERS "r" INTEGER_NAME
					"\0\0\0\0\0\0\0\1\2\0\3J\0\1aI\0\5value"
					"J\0\1bt\0\7http://xp"
					"P\xac\xed\0\5w\x22\0\0\0\0\5"
					"R\0\0\0\0\0\0\0p") },
		/* Flags: with block data behind the fields. */
		{ BYTES(REMOVE INTEGERS "r" INTEGER_NAME
					"\0\0\0\0\0\0\0\1\3\0\1I\0\5valuexp"
					"\0\0\0\5w\3PRTxp") },
	};
	struct text honest = { 0 }, other = { 0 };

	(void)state;
	assert_null(written(calls[0].bytes, calls[0].len, &honest));
	assert_int_equal(honest.len, calls[0].len);
	assert_memory_equal(honest.bytes, calls[0].bytes, honest.len);
	for (size_t i = 1; i < sizeof(calls) / sizeof(*calls); i++) {
		assert_null(written(calls[i].bytes, calls[i].len, &other));
		assert_int_equal(other.len, honest.len);
		assert_memory_equal(other.bytes, honest.bytes, honest.len);
	}
	text_release(&honest);
	text_release(&other);
}

#define MARSHALLED_HEAD                                                        \
	"sr\0\31java.rmi.MarshalledObject\x7c\xbd\x1e\x97\xed\x63\xfc\x3e\2\0"
#define STREAM_OF(byte)                                                        \
	"ur\0\2[B\xac\xf3\x17\xf8\6\10T\xe0\2\0\0xp\0\0\0\6\xac\xed\0\5p" byte

/* Code bases are not sent, and one stream of several is. */
static void only_the_checked_stream_of_a_marshalled_object_is_sent(void **state)
{
	static const struct {
		const char *bytes;
		size_t len;
	} calls[] = {
		{ BYTES(QUERY "p" MARSHALLED_HEAD
			      "\3I\0\4hash[\0\10locBytest\0\2[B[\0\10objBytes"
			      "q\0\x7e\0\1xp\0\0\0\0" STREAM_OF("x")
				      STREAM_OF("y") "p") },
		{ BYTES(QUERY
			"p" MARSHALLED_HEAD
			"\3[\0\10locBytest\0\2[B[\0\10objBytes"
			"q\0\x7e\0\1[\0\10objBytesq\0\x7e\0\1xpp" STREAM_OF("y")
				STREAM_OF("x") "p") },
	};
	struct text out = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
		objections_to(calls[i].bytes, calls[i].len, true, true);
		assert_null(written(calls[i].bytes, calls[i].len, &out));
		assert_non_null(
			memmem(out.bytes, out.len, "\xac\xed\0\5py", 6));
		assert_null(memmem(out.bytes, out.len, "\xac\xed\0\5px", 6));
	}
	text_release(&out);
}

#define GET_ATTRIBUTE                                                          \
	CALL("\42", "\7", NONE, "\xf0\xe0\x50\x0a\x39\x4d\x72\x15")
#define DIRTY      CALL("\42", "\2", "\0\0\0\1", "\xf6\xb6\x89\x8d\x8b\xf2\x86\x43")
#define SOME_BYTES "ur\0\2[B\xac\xf3\x17\xf8\6\10T\xe0\2\0\0xp\0\0\0\2PR"

static void values_that_no_jvm_writes_are_refused(void **state)
{
	static const char text[] = "the call contains a string that is not "
				   "modified UTF-8";
	static const char class[] = "the call contains an object of a class "
				    "that JMX methods do not use";
	static const char subject[] = "the proxy does not support delegation "
				      "subjects";
	static const struct {
		const char *bytes;
		size_t len;
		const char *why;
	} calls[] = {
		{ BYTES(GET_ATTRIBUTE "pt\0\1\xffp"), text },
		{ BYTES(GET_ATTRIBUTE "pt\0\2P\xacp"), text },
		{ BYTES(GET_ATTRIBUTE "pt\0\1\0p"), text },
		{ BYTES(GET_ATTRIBUTE "pt\0\2\xc1\x81p"), text },
		{ BYTES(GET_ATTRIBUTE "pt\0\2\xe2\x82p"), text },
		{ BYTES(GET_ATTRIBUTE "pt\0\4\xf0\x9f\x98\x80p"), text },
		{ BYTES(GET_ATTRIBUTE "p|\0\0\0\0\0\0\0\1\xffp"), text },
		{ BYTES(GET_ATTRIBUTE NAMED("\1", "\xff") "t\0\1ap"), text },
		{ BYTES(LOOKUP "t\0\1\xff"), text },
		{ BYTES(GET_ATTRIBUTE "p" SOME_BYTES "p"), class },
		{ BYTES(GET_ATTRIBUTE "t\0\3a:bt\0\1ap"), class },
		{ BYTES(GET_ATTRIBUTE "pt\0\1a" SOME_BYTES), subject },
		{ BYTES(QUERY "p" SOME_BYTES "p"), class },
		{ BYTES(QUERY "p" MARSHALLED("\5", "Pxxxx") "p"), class },
		{ BYTES(DIRTY SOME_BYTES "w\10\0\0\0\0\0\0\0\1p"), class },
		{ BYTES(REMOVE SOME_BYTES "p"), class },
		{ BYTES(REMOVE STRINGS("\1") "t\0\1ap"), class },
		{ BYTES(NEW_CLIENT STRINGS("\1") "t\0\1\xff"),
		  "credentials must be a user name and a password" },
	};
	struct text out = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
		struct request r = { 0 };
		const char *why = written(calls[i].bytes, calls[i].len, &out);

		if (!why || strcmp(why, calls[i].why) != 0)
			fail_msg("%zu: %s", i, why ? why : "written");
		assert_int_equal(status_of(&r, calls[i].bytes, calls[i].len),
				 REQUEST_WHOLE);
		request_write(&r);
		assert_string_equal(rmi_call_objection(&r, false),
				    calls[i].why);
		request_release(&r);
	}
	text_release(&out);
}

/* Strings that Java writes: NUL, a surrogate alone, and a pair. */
static void strings_of_java_keep_their_bytes(void **state)
{
	(void)state;
	keeps_its_values(BYTES(LOOKUP "t\0\13a\xc0\x80\xed\xa0\xbd\xed\xb8\x80"
				      "\xc3\xa4"));
	keeps_its_values(BYTES(LOOKUP "t\0\3\xed\xb0\x80"));
}

/* References may multiply a string, but not beyond the limit of a message. */
static void repeated_references_are_bounded(void **state)
{
	struct text call = { 0 }, out = { 0 };

	(void)state;
	text_add(&call, BYTES(NEW_CLIENT STRINGS("\4") "t\x40\0"));
	for (int i = 0; i < 0x4000; i++)
		text_putc(&call, 'a');
	text_add(&call, BYTES("q\0\x7e\0\2q\0\x7e\0\2q\0\x7e\0\2"));
	assert_string_equal(written(call.bytes, call.len, &out),
			    "credentials must be a user name and a password");
	text_release(&call);
	text_release(&out);
}

static void dgc_calls_name_their_objects(void **state)
{
	static const char dirty[] = CALL(
		"\42", "\2", "\0\0\0\1",
		"\xf6\xb6\x89\x8d\x8b\xf2\x86\x43") "ur\0\30[Ljava.rmi.server."
						    "ObjID;"
						    "\x87\x13\x00\xb8\xd0\x2c"
						    "\x64\x7e\2\0\0xp\0\0\0\1"
						    "sr\0\25java.rmi.server."
						    "ObjID\xa7\x5e\xfa\x12\x8d"
						    "\xdc\xe5\x5c\2\0\2J\0\6"
						    "objNumL\0\5spacet\0\25"
						    "Ljava/rmi/server/UID;xp"
						    "\1\2\3\4\5\6\7\x88"
						    "sr\0\23java.rmi.server.UID"
						    "\x0f\x12\x70\x0d\xbf\x36"
						    "\x4f\x12\2\0\3S\0\5countJ"
						    "\0\4timeI\0\6uniquexp"
						    "\x91\x92\xa1\xa2\xa3\xa4"
						    "\xa5\xa6\xa7\xa8\xb1\xb2"
						    "\xb3\xb4w\10"
						    "\0\0\0\0\0\0\0\0p";
	struct request r = { 0 };
	struct jrmp_id id;
	size_t at = 0;

	(void)state;
	if (status_of(&r, BYTES(dirty)) != REQUEST_WHOLE)
		fail_msg("%s", r.wrong ? r.wrong : "not whole");
	assert_true(request_is_dgc(&r.object));
	assert_true(request_dgc_id(&r, &at, &id));
	assert_memory_equal(id.bytes,
			    "\1\2\3\4\5\6\7\x88\xb1\xb2\xb3\xb4"
			    "\xa1\xa2\xa3\xa4\xa5\xa6\xa7\xa8\x91\x92",
			    JRMP_ID_LEN);
	assert_false(request_dgc_id(&r, &at, &id));
	request_release(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(captures_parse_equally_however_they_are_split),
		cmocka_unit_test(pipelined_messages_are_separated),
		cmocka_unit_test(invalid_messages_are_rejected),
		cmocka_unit_test(deep_nesting_is_rejected),
		cmocka_unit_test(memory_is_bounded_and_small_before_login),
		cmocka_unit_test(endless_message_is_rejected),
		cmocka_unit_test(aborted_message_ends_the_request),
		cmocka_unit_test(
			other_credentials_than_user_and_password_are_rejected),
		cmocka_unit_test(registry_changes_are_rejected),
		cmocka_unit_test(read_only_passes_operations_that_read),
		cmocka_unit_test(arguments_of_other_classes_are_rejected),
		cmocka_unit_test(read_only_checks_marshalled_objects),
		cmocka_unit_test(recorded_messages_keep_their_values),
		cmocka_unit_test(descriptors_of_the_client_are_replaced),
		cmocka_unit_test(
			only_the_checked_stream_of_a_marshalled_object_is_sent),
		cmocka_unit_test(values_that_no_jvm_writes_are_refused),
		cmocka_unit_test(strings_of_java_keep_their_bytes),
		cmocka_unit_test(repeated_references_are_bounded),
		cmocka_unit_test(dgc_calls_name_their_objects),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
