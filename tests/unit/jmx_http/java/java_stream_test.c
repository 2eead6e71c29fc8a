/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recorded streams of JDK 17 and 25, complete and truncated; then hand-made
 * streams.
 */
#include "core/base/alloc.h"
#include "core/base/input.h"
#include "jmx_http/java/java_stream.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define DATA   "tests/data/rmi/"

#define HEADER "\xac\xed\0\5"

/* A class without fields: 13 bytes and its name of 1 byte. */
#define CLASS(name, flags) "r\0\1" name "\0\0\0\0\0\0\0\1" flags "\0\0xp"

#define STREAM(bytes)      (HEADER bytes), (sizeof(HEADER bytes) - 1)

/* Returns the recorded bytes of a JVM from its first stream on. */
static struct text capture(const char *name)
{
	struct text path = { 0 }, bytes = { 0 };
	struct input in;
	struct error err;
	const uint8_t *at;

	text_printf(&path, DATA "%s", name);
	if (input_open(&in, path.bytes, &err) || input_complete(&in, &err))
		fail_msg("%s", err.text);
	at = memmem(in.bytes, in.len, HEADER, 4);
	assert_non_null(at);
	text_add(&bytes, at, in.len - (size_t)(at - in.bytes));
	input_close(&in);
	text_release(&path);
	return bytes;
}

/* Reads the block data of a return and the value after it. */
static const struct java_value *read_return(struct java_stream *s,
					    const struct text *bytes)
{
	const struct java_value *v = NULL;
	size_t used, at = 0;

	assert_int_equal(
		java_stream_read(s, bytes->bytes, bytes->len, &used, &v),
		JAVA_DONE);
	assert_int_equal(v->kind, JAVA_BLOCK);
	assert_int_equal(v->bytes.len, 15);
	at = used;
	assert_int_equal(java_stream_read(s, bytes->bytes + at, bytes->len - at,
					  &used, &v),
			 JAVA_DONE);
	assert_int_equal(s->offset, at + used);
	return v;
}

static void stub_has_classes_and_block_data(void **state)
{
	struct text bytes = capture("lookup17.s2c");
	struct java_stream s = { 0 };
	const struct java_value *v = read_return(&s, &bytes);
	const struct java_part *remote;

	(void)state;
	assert_int_equal(v->kind, JAVA_OBJECT);
	assert_true(java_bytes_are(
		java_class_name_of(v),
		"javax.management.remote.rmi.RMIServerImpl_Stub"));
	assert_int_equal(v->object.part_count, 3);
	assert_true(java_is(v, "java.rmi.server.RemoteStub"));
	assert_false(java_is(v, "java.lang.Throwable"));
	remote = java_part_of(v, "java.rmi.server.RemoteObject");
	assert_non_null(remote);
	assert_int_equal(remote->annotations.count, 1);
	assert_int_equal(remote->annotations.at[0]->kind, JAVA_BLOCK);
	assert_int_equal(remote->annotations.at[0]->bytes.len, 50);
	assert_memory_equal(remote->annotations.at[0]->bytes.at,
			    "\0\12UnicastRef", 12);
	/* RMI annotates each class with its codebase, here null. */
	assert_int_equal(v->object.class->annotations.count, 1);
	assert_int_equal(v->object.class->annotations.at[0]->kind, JAVA_NULL);
	assert_true(v->object.class->suid == 2);
	java_stream_release(&s);
	text_release(&bytes);
}

static void throwable_is_described_with_its_causes(void **state)
{
	struct text bytes = capture("refused17.s2c"), told = { 0 };
	struct java_stream s = { 0 };
	const struct java_value *v = read_return(&s, &bytes);

	(void)state;
	java_add_throwable(&told, v);
	assert_string_equal(told.bytes,
			    "java.lang.SecurityException: Authentication "
			    "failed! Credentials required");
	assert_true(java_is_caused_by(v, "java.lang.SecurityException"));
	assert_false(java_is_caused_by(v, "java.rmi.RemoteException"));
	java_stream_release(&s);
	text_release(&told);
	text_release(&bytes);
}

#define BYTES(text)                                                            \
	{                                                                      \
		(text), sizeof(text) - 1                                       \
	}

/* The message of a wrapping exception is usually the cause's toString(). */
static void message_repeated_from_the_cause_is_omitted(void **state)
{
	static struct java_field names[] = {
		{ .name = BYTES("detailMessage") },
		{ .name = BYTES("cause") },
	};
	static const struct java_class inner = { .name = BYTES("a.Inner"),
						 .fields = names,
						 .field_count = 2 };
	static const struct java_class outer = { .name = BYTES("b.Outer"),
						 .fields = names,
						 .field_count = 2 };
	static const struct {
		struct java_bytes outer, inner;
		const char *told;
	} cases[] = {
		{ BYTES("a.Inner: why"), BYTES("why"),
		  "b.Outer <- a.Inner: why" },
		{ BYTES("a.Inner"), BYTES(""), "b.Outer <- a.Inner" },
		{ BYTES("a.Inner: wh"), BYTES("why"),
		  "b.Outer: a.Inner: wh <- a.Inner: why" },
		{ BYTES("a.Inner"), BYTES("why"),
		  "b.Outer: a.Inner <- a.Inner: why" },
		{ BYTES("more: a.Inner: why"), BYTES("why"),
		  "b.Outer: more: a.Inner: why <- a.Inner: why" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct java_value inner_text = {
			.kind = JAVA_STRING, .bytes = cases[i].inner
		};
		const struct java_value outer_text = {
			.kind = JAVA_STRING, .bytes = cases[i].outer
		};
		const struct java_value *inner_fields[] = { &inner_text,
							    &java_null };
		struct java_part inner_part = { &inner, inner_fields, { 0 } };
		const struct java_value cause = {
			.kind = JAVA_OBJECT,
			.object = { &inner, &inner_part, 1 },
		};
		const struct java_value *outer_fields[] = { &outer_text,
							    &cause };
		struct java_part outer_part = { &outer, outer_fields, { 0 } };
		const struct java_value v = {
			.kind = JAVA_OBJECT,
			.object = { &outer, &outer_part, 1 },
		};
		struct text told = { 0 };

		java_add_throwable(&told, &v);
		assert_string_equal(told.bytes, cases[i].told);
		text_release(&told);
	}
}

static void parsing_is_independent_of_the_pieces(void **state)
{
	struct text bytes = capture("refused17.s2c"), told = { 0 };
	struct java_stream s = { 0 };
	const struct java_value *v = NULL;
	size_t at = 0, used, values = 0;

	(void)state;
	for (size_t len = 0; len <= bytes.len && values < 2; len++) {
		/*
		 * An exact allocation, so that a sanitizer finds a read beyond
		 * it.
		 */
		char *piece = xmalloc(len - at);

		if (len - at)
			memcpy(piece, bytes.bytes + at, len - at);
		switch (java_stream_read(&s, piece, len - at, &used, &v)) {
		case JAVA_DONE:
			values++;
			break;
		case JAVA_MORE:
			break;
		default:
			fail_msg("at %zu: %s", len, s.wrong);
		}
		at += used;
		free(piece);
	}
	assert_int_equal(values, 2);
	java_add_throwable(&told, v);
	assert_non_null(strstr(told.bytes, "Credentials required"));
	java_stream_release(&s);
	text_release(&told);
	text_release(&bytes);
}

/* Reads all values of a stream; returns the last status. */
static enum java_status read_all(struct java_stream *s, const void *bytes,
				 size_t len, const struct java_value **last)
{
	enum java_status status;
	size_t used, at = 0;

	do {
		status = java_stream_read(s, (const char *)bytes + at, len - at,
					  &used, last);
		at += used;
	} while (status == JAVA_DONE && at < len);
	return status;
}

/* Composite data, maps, enums, arrays, dates and nulls. */
static void all_kinds_of_jmx_values_are_parsed(void **state)
{
	static const char *const names[] = { "values17.stream",
					     "values25.stream" };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct text bytes = capture(names[i]);
		struct java_stream s = { 0 };
		const struct java_value *v, *contents;

		assert_int_equal(read_all(&s, bytes.bytes, bytes.len, &v),
				 JAVA_DONE);
		assert_int_equal(s.offset, bytes.len);
		assert_true(java_is(
			v, "javax.management.openmbean.CompositeDataSupport"));
		contents = java_field_of(v, "contents");
		assert_true(java_is(contents, "java.util.TreeMap"));
		/* The size, and four keys with their values. */
		assert_int_equal(java_part_of(contents, "java.util.TreeMap")
					 ->annotations.count,
				 9);
		java_stream_release(&s);
		text_release(&bytes);
	}
}

static void aborted_write_yields_the_writers_exception(void **state)
{
	struct java_stream s = { 0 };
	const struct java_value *v;

	(void)state;
	/* An array of two elements; writing the second failed. */
	assert_int_equal(read_all(&s,
				  STREAM("ur\0\2[X\0\0\0\0\0\0\0\1\2\0\0xp"
					 "\0\0\0\2p{s" CLASS("E", "\2")),
				  &v),
			 JAVA_ABORTED);
	assert_true(java_is(v, "E"));
	java_stream_release(&s);
}

static void primitives_have_their_java_values(void **state)
{
	struct java_stream s = { 0 };
	const struct java_value *v;

	(void)state;
	assert_int_equal(
		read_all(&s,
			 STREAM("sr\0\1P\0\0\0\0\0\0\0\1\2\0\10B\0\1bC\0\1cD\0"
				"\1d"
				"F\0\1fI\0\1iJ\0\1jS\0\1sZ\0\1zxp"
				"\xff\xff\xfe\x3f\xf8\0\0\0\0\0\0\xbf\0\0\0"
				"\xff\xff\xff\xfd\x80\0\0\0\0\0\0\0\xff\xfc\1"),
			 &v),
		JAVA_DONE);
	assert_int_equal(java_field_of(v, "b")->integer, -1);
	assert_int_equal(java_field_of(v, "c")->integer, 0xfffe);
	assert_true(java_field_of(v, "d")->real == 1.5);
	assert_true(java_field_of(v, "f")->real == -0.5);
	assert_int_equal(java_field_of(v, "i")->integer, -3);
	assert_true(java_field_of(v, "j")->integer == INT64_MIN);
	assert_int_equal(java_field_of(v, "s")->integer, -4);
	assert_int_equal(java_field_of(v, "z")->integer, 1);
	assert_null(java_field_of(v, "x"));
	java_stream_release(&s);
}

static void proxies_enums_and_classes_are_parsed(void **state)
{
	struct java_stream s = { 0 };
	const struct java_value *v;

	(void)state;
	assert_int_equal(
		read_all(&s,
			 STREAM("s}\0\0\0\2\0\1I\0\1Jxr\0\1P\0\0\0\0\0\0\0\1\2"
				"\0\1L\0\1ht\0\1Hxpp"),
			 &v),
		JAVA_DONE);
	assert_true(v->object.class->is_proxy);
	assert_true(java_bytes_are(java_class_name_of(v), "I"));
	assert_int_equal(java_field_of(v, "h")->kind, JAVA_NULL);
	java_stream_release(&s);
	assert_int_equal(
		read_all(&s, STREAM("~" CLASS("E", "\22") "t\0\3RED"), &v),
		JAVA_DONE);
	assert_int_equal(v->kind, JAVA_ENUM);
	assert_true(java_bytes_are(v->constant.name, "RED"));
	java_stream_release(&s);
	assert_int_equal(read_all(&s, STREAM("v" CLASS("E", "\2")), &v),
			 JAVA_DONE);
	assert_int_equal(v->kind, JAVA_CLASS);
	java_stream_release(&s);
}

static void long_strings_and_blocks_are_parsed(void **state)
{
	struct java_stream s = { 0 };
	const struct java_value *v;

	(void)state;
	assert_int_equal(read_all(&s, STREAM("|\0\0\0\0\0\0\0\3abc"), &v),
			 JAVA_DONE);
	assert_true(java_bytes_are(java_string_of(v), "abc"));
	java_stream_release(&s);
	assert_int_equal(read_all(&s, STREAM("z\0\0\0\2ab"), &v), JAVA_DONE);
	assert_int_equal(v->kind, JAVA_BLOCK);
	java_stream_release(&s);
}

static void reset_invalidates_handles(void **state)
{
	struct java_stream s = { 0 };
	const struct java_value *v;

	(void)state;
	assert_int_equal(read_all(&s, STREAM("t\0\1aq\0\x7e\0\0"), &v),
			 JAVA_DONE);
	assert_true(java_bytes_are(java_string_of(v), "a"));
	java_stream_release(&s);
	assert_int_equal(read_all(&s, STREAM("t\0\1ayq\0\x7e\0\0"), &v),
			 JAVA_WRONG);
	assert_string_equal(s.wrong, "a reference to an unknown handle");
	java_stream_release(&s);
}

static void cyclic_object_is_parsed(void **state)
{
	struct java_stream s = { 0 };
	const struct java_value *v;

	(void)state;
	assert_int_equal(
		read_all(&s,
			 STREAM("sr\0\1T\0\0\0\0\0\0\0\1\2\0\1L\0\5causet\0\1T"
				"xpq\0\x7e\0\2"),
			 &v),
		JAVA_DONE);
	assert_ptr_equal(java_field_of(v, "cause"), v);
	assert_null(java_cause_of(v));
	java_stream_release(&s);
}

static void invalid_stream_is_rejected(void **state)
{
	static const struct {
		const char *bytes;
		size_t len;
		const char *wrong;
	} streams[] = {
		{ "\xac\xed\0\4", 4, "not a stream of Java objects" },
		{ "HTTP", 4, "not a stream of Java objects" },
		{ STREAM("\x6f"), "an unknown tag" },
		{ STREAM("\x7f"), "an unknown tag" },
		{ STREAM("x"), "a tag that is not allowed there" },
		{ STREAM("ss"), "a tag that is not allowed there" },
		{ STREAM("q\0\x7e\0\0"), "a reference to an unknown handle" },
		{ STREAM("q\0\0\0\0"), "a reference to an unknown handle" },
		{ STREAM("sp"), "something else in place of a class" },
		{ STREAM("u" CLASS("E", "\2")),
		  "an array whose class is not an array class" },
		/*
		 * A class that is its own superclass; an object whose class
		 * contains it.
		 */
		{ STREAM("sr\0\1C\0\0\0\0\0\0\0\1\2\0\0xq\0\x7e\0\0"),
		  "a class that is part of itself" },
		{ STREAM("sr\0\1C\0\0\0\0\0\0\0\1\2\0\0sq\0\x7e\0\0"),
		  "a class that is part of itself" },
		{ STREAM("sr\0\1C\0\0\0\0\0\0\0\1\2\0\1X\0\1x"),
		  "a field of an unknown type" },
		{ STREAM("s" CLASS("E", "\4")),
		  "an object that only its class could read" },
		{ STREAM("ur\0\2[J\0\0\0\0\0\0\0\1\2\0\0xp\xff\xff\xff\xff"),
		  "an array that is too long" },
		{ STREAM("ur\0\2[J\0\0\0\0\0\0\0\1\2\0\0xp\x7f\xff\xff\xff"),
		  "an array that is too long" },
		{ STREAM("|\xff\xff\xff\xff\xff\xff\xff\xff"),
		  "a string or block that is too long" },
		{ STREAM("z\xff\xff\xff\xff"),
		  "a string or block that is too long" },
		{ STREAM("}\xff\xff\xff\xff"),
		  "a proxy with too many interfaces" },
		{ STREAM("{{"), "an exception within an exception" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(streams) / sizeof(*streams); i++) {
		struct java_stream s = { 0 };
		const struct java_value *v;

		assert_int_equal(
			read_all(&s, streams[i].bytes, streams[i].len, &v),
			JAVA_WRONG);
		assert_string_equal(s.wrong, streams[i].wrong);
		java_stream_release(&s);
	}
}

/* Reads a start and many copies of a piece; returns the error. */
static const char *what_is_wrong_with(const char *begin, size_t begin_len,
				      const char *piece, size_t piece_len,
				      size_t times)
{
	struct java_stream s = { 0 };
	struct text bytes = { 0 };
	const struct java_value *v;
	const char *said;

	text_add(&bytes, begin, begin_len);
	for (size_t i = 0; i < times; i++)
		text_add(&bytes, piece, piece_len);
	read_all(&s, bytes.bytes, bytes.len, &v);
	said = s.wrong;
	text_release(&bytes);
	java_stream_release(&s);
	return said ? said : "nothing";
}

static void costs_of_a_stream_are_bounded(void **state)
{
	/*
	 * Nested arrays: the first has a class descriptor, the others refer to
	 * it.
	 */
	static const char array[] = "uq\0\x7e\0\0\0\0\0\1";
	static const char nested[] = HEADER
		"ur\0\2[X\0\0\0\0\0\0\0\1\2\0\0xp\0\0\0\1";

	(void)state;
	assert_string_equal(what_is_wrong_with(nested, sizeof(nested) - 1,
					       array, sizeof(array) - 1, 1000),
			    "nested too deeply");
	assert_string_equal(what_is_wrong_with(nested, sizeof(nested) - 1,
					       array, sizeof(array) - 1, 200),
			    "nothing");
	assert_string_equal(what_is_wrong_with(STREAM("s"),
					       "r\0\1C\0\0\0\0\0\0\0\1\2\0\0x",
					       15, 300),
			    "nested too deeply");
	assert_string_equal(what_is_wrong_with(STREAM(""), "t\0\0", 3, 1000001),
			    "too many objects");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stub_has_classes_and_block_data),
		cmocka_unit_test(throwable_is_described_with_its_causes),
		cmocka_unit_test(message_repeated_from_the_cause_is_omitted),
		cmocka_unit_test(parsing_is_independent_of_the_pieces),
		cmocka_unit_test(all_kinds_of_jmx_values_are_parsed),
		cmocka_unit_test(aborted_write_yields_the_writers_exception),
		cmocka_unit_test(primitives_have_their_java_values),
		cmocka_unit_test(proxies_enums_and_classes_are_parsed),
		cmocka_unit_test(long_strings_and_blocks_are_parsed),
		cmocka_unit_test(reset_invalidates_handles),
		cmocka_unit_test(cyclic_object_is_parsed),
		cmocka_unit_test(invalid_stream_is_rejected),
		cmocka_unit_test(costs_of_a_stream_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
