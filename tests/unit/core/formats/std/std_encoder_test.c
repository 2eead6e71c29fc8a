/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/alloc.h"
#include "core/formats/reader.h"
#include "core/formats/std/std_encoder.h"
#include "tests/unit/dump_check.h"
#include "tests/unit/std_builder.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNTERS 11 /* more than eight need a second byte of the mask */

static uint32_t string_of(struct profile *p, const char *text)
{
	return profile_string(p, text, strlen(text));
}

/* Makes event number i, with its own name, tag and counters. */
static struct std_event event_of(struct profile *p, int i,
				 struct sample_tag *tag,
				 struct sample_counter *counters)
{
	static uint32_t frames[2];
	struct frame leaf = { .class_name = string_of(p, "a.b.C"),
			      .method = string_of(p, "wait"),
			      .kind = FRAME_NATIVE };
	struct frame root = { .class_name = string_of(p, "Main"),
			      .method = string_of(p, "main"),
			      .source = string_of(p, "Main.java"),
			      .line = 70000,
			      .kind = FRAME_JAVA };
	char text[64];

	frames[0] = profile_frame(p, &leaf);
	frames[1] = profile_frame(p, &root);
	snprintf(text, sizeof(text), "name %d", i);
	*tag = (struct sample_tag){ string_of(p, "tag"), string_of(p, text) };
	for (int k = 0; k < COUNTERS; k++) {
		snprintf(text, sizeof(text), "key %02d", COUNTERS - k);
		counters[k].key = string_of(p, text);
		counters[k].value = (i + k) % 3 ? (int64_t)i << k : -1;
	}
	return (struct std_event){
		.has_trace = true,
		.time_ms = 1700000000000 + i,
		.thread_id = i + 1,
		.thread_name = tag->value,
		.state = STATE_WAITING,
		.frames = frames,
		.depth = 2,
		.tags = tag,
		.tag_count = 1,
		.counters = counters,
		.counter_count = COUNTERS,
	};
}

static int64_t counter_of(const struct std_event *e, const struct profile *p,
			  const char *key)
{
	for (size_t i = 0; i < e->counter_count; i++) {
		if (strcmp(profile_text(p, e->counters[i].key), key) == 0)
			return e->counters[i].value;
	}
	return -1;
}

static void assert_event(const struct std_event *e, const struct profile *p,
			 int i, enum std_version version)
{
	char text[64];

	snprintf(text, sizeof(text), "name %d", i);
	assert_string_equal(profile_text(p, e->thread_name), text);
	assert_int_equal(e->thread_id, i + 1);
	assert_int_equal(e->time_ms, 1700000000000 + i);
	assert_int_equal(e->state, STATE_WAITING);
	assert_int_equal(e->depth, 2);
	assert_int_equal(p->frames[e->frames[0]].kind, FRAME_NATIVE);
	assert_int_equal(p->frames[e->frames[1]].line, 70000);
	for (int k = 0; k < COUNTERS; k++) {
		char key[32];

		snprintf(key, sizeof(key), "key %02d", COUNTERS - k);
		assert_int_equal(counter_of(e, p, key),
				 (i + k) % 3 ? (int64_t)i << k : -1);
	}
	if (version != STD_V4)
		return;
	assert_int_equal(e->tag_count, 3); /* with the name and the state */
	assert_string_equal(profile_text(p, e->tags[0].key), "tag");
	assert_string_equal(profile_text(p, e->tags[0].value), text);
}

/* More names than slots, and more sets of tags than the tables have. */
static void events_are_read_as_they_were_written(void **state)
{
	enum { EVENTS = 5000 };

	(void)state;
	for (enum std_version v = STD_V2; v <= STD_V4; v++) {
		struct profile *from = profile_new(), *to = profile_new();
		struct sample_counter counters[COUNTERS];
		struct std_encoder encoder;
		struct std_decoder decoder;
		struct sample_tag tag;
		struct std_event e;
		struct error err;
		int count = 0;

		std_encoder_init(&encoder, v, from);
		for (int i = 0; i < EVENTS; i++) {
			/* Some names return after their slot was reused. */
			e = event_of(from, i % 7 ? i : i % 70, &tag, counters);
			std_encoder_add(&encoder, &e);
			if (i % 1000 == 0)
				std_encoder_sync(&encoder);
		}
		std_encoder_finish(&encoder);
		assert_int_equal(std_decoder_open(&decoder,
						  (uint8_t *)encoder.out.bytes,
						  encoder.out.len, to, &err),
				 0);
		for (; std_decoder_next(&decoder, &e); count++)
			assert_event(&e, to, count % 7 ? count : count % 70, v);
		assert_int_equal(count, EVENTS);
		assert_whole(to);
		std_decoder_close(&decoder);
		std_encoder_release(&encoder);
		profile_free(from);
		profile_free(to);
	}
}

/* Bytes of the only string of the dump, a thread name. */
static void assert_encoded(const char *name, size_t len, const char *bytes)
{
	struct profile *p = profile_new();
	struct std_encoder encoder;
	struct std_event e = {
		.has_trace = true,
		.thread_name = profile_string(p, name, len),
		.thread_id = 1,
		.time_ms = STD_NONE,
	};
	struct text records;

	std_encoder_init(&encoder, STD_V2, p);
	std_encoder_add(&encoder, &e);
	std_encoder_finish(&encoder);
	records = std_records(encoder.out.bytes, encoder.out.len);
	/* The type, the slot and the length come first. */
	assert_memory_equal(records.bytes + 4, bytes, strlen(bytes));
	assert_int_equal((unsigned char)records.bytes[3], strlen(bytes));
	text_release(&records);
	std_encoder_release(&encoder);
	profile_free(p);
}

static void strings_are_modified_utf8(void **state)
{
	(void)state;
	assert_encoded("a\xc3\xa4", 3, "a\xc3\xa4");
	assert_encoded("a\0b", 3,
		       "a\xc0\x80"
		       "b");
	assert_encoded("\xf0\x9f\x98\x80", 4, "\xed\xa0\xbd\xed\xb8\x80");
	assert_encoded("\xff\xe2\x82", 3, "???");
}

static void dump_without_its_end_has_all_synced_events(void **state)
{
	struct profile *p = profile_new();
	struct sample_counter counters[COUNTERS];
	struct std_encoder encoder;
	struct sample_tag tag;
	struct std_event e;
	struct profile *got;

	(void)state;
	std_encoder_init(&encoder, STD_V2, p);
	for (int i = 0; i < 10; i++) {
		e = event_of(p, i, &tag, counters);
		std_encoder_add(&encoder, &e);
		std_encoder_sync(&encoder);
	}
	got = std_read_bytes(encoder.out.bytes, encoder.out.len, false);
	assert_int_equal(samples_in(got), 10);
	assert_int_equal(remarks_of(got, "truncated compressed data"), 1);
	profile_free(got);
	std_encoder_release(&encoder);
	profile_free(p);
}

/* Compares with the records that SJK itself has written. */
static void copy_of_a_dump_has_its_records(void **state)
{
	size_t len;
	char *bytes = file_bytes("tests/data/std/busy17.std", &len);
	struct profile *p = profile_new();
	struct text own, theirs = std_records(bytes, len);
	struct std_encoder encoder;
	struct std_decoder decoder;
	struct std_event e;
	struct error err;

	(void)state;
	p->keep_exact = true;
	std_encoder_init(&encoder, STD_V2, p);
	assert_int_equal(
		std_decoder_open(&decoder, (uint8_t *)bytes, len, p, &err), 0);
	while (std_decoder_next(&decoder, &e))
		std_encoder_add(&encoder, &e);
	std_encoder_finish(&encoder);
	own = std_records(encoder.out.bytes, encoder.out.len);
	assert_int_equal(own.len, theirs.len);
	assert_memory_equal(own.bytes, theirs.bytes, own.len);
	std_decoder_close(&decoder);
	std_encoder_release(&encoder);
	text_release(&own);
	text_release(&theirs);
	profile_free(p);
	free(bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_are_read_as_they_were_written),
		cmocka_unit_test(strings_are_modified_utf8),
		cmocka_unit_test(dump_without_its_end_has_all_synced_events),
		cmocka_unit_test(copy_of_a_dump_has_its_records),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
