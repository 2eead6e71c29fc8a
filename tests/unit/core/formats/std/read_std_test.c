/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/alloc.h"
#include "core/formats/reader.h"
#include "core/formats/std/std_decoder.h"
#include "tests/unit/dump_check.h"
#include "tests/unit/sanitizers.h"
#include "tests/unit/std_builder.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define OURS    "tests/data/std/"
#define FOREIGN "../shared/data/foreign/std/"

/* Numbers counted with `sjk ssa --print` of SJK 0.23. */
static const struct expected {
	const char *path;
	uint64_t samples, frames, events;
	uint64_t states[THREAD_STATES];
} files[] = {
	/* path; samples, frames, events; none, NEW, R, B, W, TW */
	{ OURS "busy17.std", 2494, 13864, 0, { 0, 0, 258, 116, 274, 1846 } },
	{ FOREIGN "dump_v1.std", 21386, 107187, 0, { 21386 } },
	{ FOREIGN "dump_v2.std",
	  25037,
	  132719,
	  0,
	  { 0, 0, 2138, 0, 4904, 17995 } },
	{ FOREIGN "dump_v4.std",
	  26853,
	  320897,
	  8,
	  { 0, 0, 11942, 88, 6080, 8743 } },
};

static bool check_file(const struct expected *e)
{
	size_t len;
	char *bytes = file_bytes(e->path, &len);
	uint64_t states[THREAD_STATES] = { 0 };
	struct profile *p;

	if (!bytes)
		return false;
	p = std_read_bytes(bytes, len, false);
	for (size_t i = 0; i < p->cell_count; i++)
		states[p->cells[i].state] += p->cells[i].count;
	assert_int_equal(samples_in(p), e->samples);
	assert_int_equal(frames_in(p), e->frames);
	assert_int_equal(remarks_of(p, "events without a stack trace"),
			 e->events);
	assert_memory_equal(states, e->states, sizeof(states));
	assert_false(profile_is_partial(p));
	profile_free(p);
	free(bytes);
	return true;
}

static void real_dumps_equal_those_of_sjk(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		if (!check_file(&files[i]))
			print_message("skipped: %s is not here\n",
				      files[i].path);
	}
}

/* a.B.c(B.java:7) called by D.e, which is native */
static void put_frames(struct text *t, uint32_t first)
{
	static const char *const strings[] = {
		"a", "B", "c", "B.java", "D", "e"
	};

	for (size_t i = 0; i < 6; i++)
		std_put_string(t, strings[i]);
	std_put_frame(t, first, first + 1, first + 2, first + 3, 7);
	std_put_frame(t, 0, first + 4, first + 5, 0, -2);
}

static void put_trace(struct text *t)
{
	std_put_vint(t, 2);
	std_put_vint(t, 1);
	std_put_vint(t, 2);
}

static void put_v1(struct text *t)
{
	put_frames(t, 1);
	text_putc(t, STD_EVENT);
	text_add(t, "\0\0\0\0\0\0\0\x0b", 8);
	text_add(t, "\0\0\1\x43\xee\xb1\x81\xee", 8);
	put_trace(t);
}

static void first_version_has_no_names(void **state)
{
	struct text t = { 0 };
	struct profile *p;

	(void)state;
	put_v1(&t);
	p = std_read_made(STD_V1, &t);
	assert_int_equal(p->cell_count, 1);
	assert_string_equal(stack_of(p, &p->cells[0]), "a.B.c:7 D.e");
	assert_int_equal(p->threads[p->cells[0].thread].java_id, 11);
	assert_int_equal(p->threads[p->cells[0].thread].name, 0);
	assert_int_equal(p->earliest_ns, INT64_C(1391279047150) * 1000000);
	assert_whole(p);
	profile_free(p);
	text_release(&t);
}

/* Nine columns, so that the mask has two bytes; only the last has a value. */
static void put_v2(struct text *t)
{
	put_frames(t, 1);
	for (int i = 0; i < 9; i++) {
		text_putc(t, STD_COUNTER);
		std_put_utf(t, "key");
	}
	std_put_dynamic(t, 300, "main");
	text_putc(t, STD_EVENT);
	std_put_vlong(t, 12);
	std_put_vint(t, 300);
	std_put_vlong(t, 1000);
	std_put_vint(t, STATE_BLOCKED);
	text_add(t, "\0\1", 2);
	std_put_vlong(t, 77);
	put_trace(t);
}

static void second_version_has_names_and_states(void **state)
{
	struct text t = { 0 };
	struct profile *p;
	const struct cell *c;

	(void)state;
	put_v2(&t);
	p = std_read_made(STD_V2, &t);
	c = cell_of(p, "main");
	assert_string_equal(stack_of(p, c), "a.B.c:7 D.e");
	assert_int_equal(c->state, STATE_BLOCKED);
	assert_int_equal(p->threads[c->thread].java_id, 12);
	assert_int_equal(p->earliest_ns, (STD_EPOCH_MS + 1000) * 1000000);
	assert_string_equal(
		profile_text(p, p->frames[p->stacks[c->stack].frame].source),
		"B.java");
	assert_whole(p);
	profile_free(p);
	text_release(&t);
}

/* Numbers of strings that V4 begins with. */
enum { KEY_PARTS = 1, KEY_ID = 3, KEY_NAME = 4, KEY_STATE = 5 };
enum { SLOT_COUNTERS = 2, SLOT_TRACE = 5, SLOT_TIME = 6 };

/* Set 2 is made of set 1 by each of the changes. */
static void put_v4(struct text *t)
{
	static const uint32_t base[][3] = {
		{ STD_ADD, KEY_PARTS, SLOT_COUNTERS },
		{ STD_ADD, KEY_PARTS, SLOT_TRACE },
		{ STD_ADD, KEY_PARTS, SLOT_TIME },
		{ STD_ADD, KEY_NAME, 20 },
		{ STD_ADD, KEY_STATE, 21 },
		{ STD_ADD_EMPTY, 6 },
		{ 0 },
	};
	static const uint32_t changes[][3] = {
		{ STD_REPLACE, KEY_NAME, 22 },
		{ STD_REMOVE_KEY, 6 },
		{ STD_REMOVE, KEY_PARTS, SLOT_TIME },
		{ 0 },
	};
	static const uint32_t counters[][3] = {
		{ STD_ADD_EMPTY, KEY_ID },
		{ STD_ADD_EMPTY, 8 }, /* java.allocated.bytes comes first */
		{ 0 },
	};

	put_frames(t, 17);
	std_put_dynamic(t, 20, "main");
	std_put_dynamic(t, 21, "RUNNABLE");
	std_put_dynamic(t, 22, "other");
	std_put_set(t, STD_TAG_SET, 1, 0, base);
	std_put_set(t, STD_TAG_SET, 2, 1, changes);
	std_put_set(t, STD_COUNTER, 1, 0, counters);
	for (uint32_t i = 1; i <= 2; i++) {
		text_putc(t, STD_EVENT);
		std_put_vint(t, i);
		if (i == 1)
			std_put_vlong(t, 5);
		std_put_vint(t, 1);
		std_put_vlong(t, 4096);
		std_put_vlong(t, 30 + i);
		put_trace(t);
	}
	/* An event of the empty set. */
	text_putc(t, STD_EVENT);
	std_put_vint(t, 0);
}

static void fourth_version_has_sets_made_of_others(void **state)
{
	struct text t = { 0 };
	struct profile *p;
	const struct cell *c;

	(void)state;
	put_v4(&t);
	p = std_read_made(STD_V4, &t);
	assert_int_equal(samples_in(p), 2);
	c = cell_of(p, "main");
	assert_int_equal(p->threads[c->thread].java_id, 31);
	assert_int_equal(c->state, STATE_RUNNABLE);
	assert_true(c->bucket);
	c = cell_of(p, "other");
	assert_int_equal(p->threads[c->thread].java_id, 32);
	assert_int_equal(c->state, STATE_RUNNABLE);
	assert_false(c->bucket);
	assert_string_equal(stack_of(p, c), "a.B.c:7 D.e");
	assert_int_equal(remarks_of(p, "events without a stack trace"), 1);
	assert_false(profile_is_partial(p));
	profile_free(p);
	text_release(&t);
}

static void records_truncated_anywhere_keep_the_first_events(void **state)
{
	void (*const makers[])(struct text *) = {
		[STD_V1] = put_v1,
		[STD_V2] = put_v2,
		[STD_V4] = put_v4,
	};

	(void)state;
	for (int version = 0; version < STD_VERSIONS; version++) {
		struct text t = { 0 };
		uint64_t before = 0;

		makers[version](&t);
		for (size_t whole = t.len, len = 1; len <= whole; len++) {
			struct profile *p;

			t.len = len;
			p = std_read_made((enum std_version)version, &t);
			assert_true(samples_in(p) >= before);
			before = samples_in(p);
			profile_free(p);
		}
		assert_true(before > 0);
		text_release(&t);
	}
}

/* A dump without its end is partial: the compressed data has a checksum. */
static void files_truncated_anywhere_are_partial(void **state)
{
	size_t len, step = IS_SANITIZED ? 37 : 1;
	char *bytes = file_bytes(OURS "busy17.std", &len);
	uint64_t before = 0;

	(void)state;
	for (size_t cut = 0; cut < len; cut += step) {
		struct profile *p = profile_new();
		struct error err;
		/* A copy, so that reading behind it is noticed. */
		uint8_t *copy = xmalloc(cut);

		memcpy(copy, bytes, cut);
		if (std_reader.read(copy, cut, p, &err) == 0) {
			assert_true(profile_is_partial(p));
			assert_true(samples_in(p) >= before);
			before = samples_in(p);
		} else {
			assert_int_equal(err.kind, ERROR_INPUT);
			assert_int_equal(before, 0);
		}
		profile_free(p);
		free(copy);
	}
	assert_true(before > 2400);
	free(bytes);
}

static void bytes_after_the_end_are_ignored(void **state)
{
	struct text t = { 0 }, made;
	struct profile *p;

	(void)state;
	put_v2(&t);
	made = std_made(STD_V2, &t);
	text_puts(&made, "TRACEDUMP_2 ");
	p = std_read_bytes(made.bytes, made.len, true);
	assert_int_equal(samples_in(p), 1);
	assert_whole(p);
	profile_free(p);
	text_release(&made);
	text_release(&t);
}

/* Reads records of V4 or V2; returns the count of the remark. */
static uint64_t lost_in(enum std_version version, struct text *t,
			const char *what)
{
	struct profile *p = std_read_made(version, t);
	uint64_t count = remarks_of(p, what);

	profile_free(p);
	text_release(t);
	return count;
}

static void lying_lengths_end_the_records(void **state)
{
	static const struct {
		const char *bytes;
		size_t len;
	} lies[] = {
		/* a depth of 2^29 - 1, strings, an unknown type, change 6 */
		{ "\3\1\0\0\0\xff\xff\xff\xff", 9 },
		{ "\1\xff\xff", 3 },
		{ "\4\1\xff\xff", 4 },
		{ "\x63", 1 },
		{ "\6\1\0\6", 4 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lies) / sizeof(*lies); i++) {
		struct text t = { 0 };

		put_v2(&t);
		text_add(&t, lies[i].bytes, lies[i].len);
		assert_int_equal(lost_in(STD_V2, &t, "unreadable records"), 1);
	}
}

static void references_without_a_definition_are_losses(void **state)
{
	struct text t = { 0 };
	struct profile *p;

	(void)state;
	put_v2(&t);
	std_put_frame(&t, 100, 2, 3, 0, 1);         /* no string 100 */
	text_add(&t, "\3\1\4\1\1\0\0\2\1\x63", 10); /* no slot 4, frame 99 */
	p = std_read_made(STD_V2, &t);
	assert_int_equal(samples_in(p), 2);
	assert_int_equal(remarks_of(p, "names and frames without a definition"),
			 3);
	profile_free(p);
	text_release(&t);
}

/* Each set has all pairs of the previous one, and costs few bytes. */
static void floods_of_tags_end_the_records(void **state)
{
	struct text t = { 0 };

	(void)state;
	for (uint32_t i = 0; i < 20000; i++) {
		const uint32_t changes[][3] = { { STD_ADD_EMPTY, 17 + i },
						{ 0 } };
		char name[16];

		snprintf(name, sizeof(name), "k%u", i);
		std_put_string(&t, name);
		std_put_set(&t, STD_TAG_SET, i + 1, i, changes);
	}
	assert_int_equal(lost_in(STD_V4, &t, "unreadable records"), 1);
}

/* 4 KB of frames would yield 52 MB of names, each of them different. */
static void joined_names_have_a_limit(void **state)
{
	char *name = xmalloc(65001);
	struct text t = { 0 };
	struct profile *p;

	(void)state;
	memset(name, 'x', 65000);
	name[65000] = '\0';
	for (uint32_t i = 0; i < 20; i++) {
		name[0] = (char)('a' + i);
		std_put_string(&t, name);
	}
	for (uint32_t i = 0; i < 400; i++)
		std_put_frame(&t, 1 + i / 20, 1 + i % 20, 1, 0, 1);
	p = std_read_made(STD_V1, &t);
	/* 400 joined names; 16 MiB and 8 bytes per byte of the records. */
	assert_int_equal(remarks_of(p, "packages of classes skipped"), 191);
	assert_true(profile_is_partial(p));
	profile_free(p);
	text_release(&t);
	free(name);
}

static void other_inputs_are_rejected(void **state)
{
	static const char *const inputs[] = {
		"",
		"TRACEDUMP_2",
		"TRACEDUMP_3 x",
		"TRACEDUMP_2 ",
		"TRACEDUMP_2 x\x9c\1\2\3",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(inputs) / sizeof(*inputs); i++) {
		struct profile *p = profile_new();
		struct error err;

		assert_int_equal(std_reader.read((const uint8_t *)inputs[i],
						 strlen(inputs[i]), p, &err),
				 -1);
		assert_int_equal(err.kind, ERROR_INPUT);
		profile_free(p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(real_dumps_equal_those_of_sjk),
		cmocka_unit_test(first_version_has_no_names),
		cmocka_unit_test(second_version_has_names_and_states),
		cmocka_unit_test(fourth_version_has_sets_made_of_others),
		cmocka_unit_test(
			records_truncated_anywhere_keep_the_first_events),
		cmocka_unit_test(files_truncated_anywhere_are_partial),
		cmocka_unit_test(bytes_after_the_end_are_ignored),
		cmocka_unit_test(lying_lengths_end_the_records),
		cmocka_unit_test(references_without_a_definition_are_losses),
		cmocka_unit_test(floods_of_tags_end_the_records),
		cmocka_unit_test(joined_names_have_a_limit),
		cmocka_unit_test(other_inputs_are_rejected),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
