/* SPDX-License-Identifier: Apache-2.0 */
/* Memory snapshots of VisualVM, and archives that contain snapshots. */
#include "core/base/alloc.h"
#include "core/formats/read_nps.h"
#include "core/formats/reader.h"
#include "core/profile/frame_name.h"
#include "tests/unit/dump_check.h"
#include "tests/unit/nps_builder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define DATA "tests/data/nps/"

static void put_start(struct text *t)
{
	nps_put(t, 1, 4);
	nps_put(t, 1700000000000, 8);
	nps_put(t, 1700000001000, 8);
	nps_put(t, 2, 4); /* classes */
	nps_put_utf(t, "java/lang/String");
	nps_put(t, 1000, 8);
	nps_put_utf(t, "[B");
	nps_put(t, 64, 8);
}

static void put_node(struct text *t, unsigned type, unsigned method,
		     unsigned callees)
{
	nps_put(t, type, 4);
	nps_put(t, method, 4);
	nps_put(t, callees, 4);
}

static void put_objects(struct text *t, uint64_t count, uint64_t bytes,
			bool lives)
{
	nps_put(t, count, 8);
	nps_put(t, bytes, 8);
	if (!lives)
		return;
	nps_put(t, 2, 4);
	nps_put(t, (uint32_t)-1, 4); /* unused */
	nps_put(t, 99, 4);
	nps_put(t, 3, 4);
	nps_put(t, count / 2, 4);
}

/*
 * String: A.alloc called by B.mid, 10 objects of 600 bytes; B.mid called by
 * C.main, 4 of 300 bytes. The type of byte[] has no tree.
 */
static void put_trees(struct text *t, bool lives)
{
	static const char *const names[][2] = { { "A", "alloc" },
						{ "B", "mid[native]" },
						{ "C", "main" } };
	unsigned end = lives ? 3 : 2;

	nps_put(t, 1, 1);
	nps_put(t, 2, 4);
	put_node(t, 1, 0, 1);
	put_node(t, 1, 11, 1);
	put_node(t, end, 12, 1);
	put_node(t, end, 13, 0);
	put_objects(t, 4, 300, lives);
	put_objects(t, 10, 600, lives);
	nps_put(t, 0, 4);
	nps_put(t, 1, 1);
	nps_put(t, 16, 4);
	nps_put(t, 3, 4);
	nps_put(t, 12, 4);
	nps_put(t, 3, 4);
	for (unsigned i = 0; i < 3; i++) {
		nps_put(t, 11 + i, 4);
		nps_put_utf(t, names[i][0]);
		nps_put_utf(t, names[i][1]);
		nps_put_utf(t, "()V");
	}
}

static void put_column(struct text *t, int size, uint64_t first,
		       uint64_t second)
{
	nps_put(t, 2, 4);
	nps_put(t, first, size);
	nps_put(t, second, size);
}

static struct nps_made made_alloc(void)
{
	struct nps_made m = { .comment = "", .major = 1, .type = 4 };

	put_start(&m.payload);
	put_trees(&m.payload, false);
	put_column(&m.payload, 4, 20, 2);
	return m;
}

static struct nps_made made_live(void)
{
	struct nps_made m = { .comment = "", .major = 1, .type = 8 };

	put_start(&m.payload);
	put_trees(&m.payload, true);
	put_column(&m.payload, 8, 20, 2);
	put_column(&m.payload, 4, 8, 1);
	put_column(&m.payload, 4, 0, 0);
	put_column(&m.payload, 8, 470, 32);
	return m;
}

/* Compares a stack trace, whose names are joined by spaces, leaf first. */
static bool stack_is(const struct profile *p, uint32_t stack, const char *names)
{
	static const struct style style = { 0 };
	struct text own = { 0 };
	bool equal;

	for (; stack; stack = p->stacks[stack].caller) {
		frame_name(&own, p, &p->frames[p->stacks[stack].frame], &style);
		if (p->stacks[stack].caller)
			text_putc(&own, ' ');
	}
	equal = strcmp(own.bytes, names) == 0;
	text_release(&own);
	return equal;
}

/* Fails unless the event has such a stack trace with these totals. */
static void assert_objects(const struct profile *p, const char *event,
			   const char *stack, uint64_t count, uint64_t bytes)
{
	for (size_t i = 0; i < p->cell_count; i++) {
		const struct cell *c = &p->cells[i];
		const char *name = profile_text(p, p->events[c->event].name);

		if (strcmp(name, event) != 0 || !stack_is(p, c->stack, stack))
			continue;
		assert_int_equal(c->count, count);
		assert_int_equal(c->weight, bytes);
		return;
	}
	fail_msg("no %s of %s", event, stack);
}

static void allocations_have_stack_traces_and_a_rest(void **state)
{
	struct nps_made m = made_alloc();
	struct profile *p = nps_read_made(&m);

	(void)state;
	assert_int_equal(p->cell_count, 4);
	assert_objects(p, "nps.alloc", "java.lang.String A.alloc B.mid", 10,
		       600);
	assert_objects(p, "nps.alloc", "java.lang.String A.alloc B.mid C.main",
		       4, 300);
	assert_objects(p, "nps.alloc", "java.lang.String", 6, 100);
	assert_objects(p, "nps.alloc", "byte[]", 2, 64);
	assert_whole(p);
	profile_free(p);
}

static void live_objects_are_a_second_event(void **state)
{
	struct nps_made m = made_live();
	struct profile *p = nps_read_made(&m);

	(void)state;
	assert_int_equal(p->cell_count, 8);
	assert_objects(p, "nps.live", "java.lang.String A.alloc B.mid", 5, 300);
	assert_objects(p, "nps.live", "java.lang.String A.alloc B.mid C.main",
		       2, 150);
	assert_objects(p, "nps.live", "java.lang.String", 1, 20);
	assert_objects(p, "nps.live", "byte[]", 1, 32);
	assert_objects(p, "nps.alloc", "byte[]", 2, 64);
	assert_whole(p);
	profile_free(p);
}

static void truncated_memory_snapshots_keep_their_classes(void **state)
{
	struct nps_made (*const makers[])(void) = { made_alloc, made_live };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct nps_made first = makers[i]();
		size_t whole = first.payload.len;

		text_release(&first.payload);
		for (size_t len = 70; len < whole; len++) {
			struct nps_made m = makers[i]();
			struct profile *p;

			m.payload.len = len;
			p = nps_read_made(&m);
			assert_int_equal(p->events[0].weight, 1064);
			profile_free(p);
		}
	}
}

static void lying_numbers_of_nodes_are_losses(void **state)
{
	struct nps_made m = made_alloc();
	struct profile *p;

	(void)state;
	/* The callees of the first root: behind the classes and two fields. */
	memset(m.payload.bytes + 62 + 13, 0xff, 4);
	p = nps_read_made(&m);
	assert_true(profile_is_partial(p));
	assert_objects(p, "nps.alloc", "java.lang.String", 1, 1000);
	profile_free(p);
}

static void sampled_histogram_equals_that_of_visualvm(void **state)
{
	size_t len;
	char *bytes = file_bytes(DATA "mem-sampled.nps", &len);
	struct profile *p = nps_read_bytes((uint8_t *)bytes, len);

	(void)state;
	/* Sums of mem-sampled.ref.txt, which VisualVM's own reader made. */
	assert_int_equal(p->events[0].samples, 25772);
	assert_int_equal(p->events[0].weight, 1175216);
	assert_objects(p, "nps.live", "byte[]", 7364, 339840);
	assert_whole(p);
	profile_free(p);
	free(bytes);
}

static int read_apps(const void *bytes, size_t len, struct profile *p,
		     struct error *err)
{
	/* A copy, so that reading behind it is noticed. */
	uint8_t *copy = xmalloc(len);
	int ret;

	if (len)
		memcpy(copy, bytes, len);
	ret = apps_reader.read(copy, len, p, err);
	free(copy);
	return ret;
}

static void archive_has_snapshots_and_dumps(void **state)
{
	size_t len;
	char *bytes = file_bytes(DATA "application.apps", &len);
	struct profile *p = profile_new();
	struct error err;

	(void)state;
	assert_true(apps_reader.sniff((uint8_t *)bytes, len));
	assert_int_equal(read_apps(bytes, len, p, &err), 0);
	assert_int_equal(p->events[0].weight, UINT64_C(128026912000));
	assert_int_equal(p->events[2].weight, 1175216);
	assert_int_equal(p->events[3].samples, 73);
	assert_false(profile_is_partial(p));
	profile_free(p);
	free(bytes);
}

static void damaged_archives_are_rejected_or_partial(void **state)
{
	size_t len;
	char *bytes = file_bytes(DATA "application.apps", &len);

	(void)state;
	/* The directory is at the end, so any cut is noticed. */
	for (size_t cut = 0; cut < len; cut += cut < len - 600 ? 997 : 7) {
		struct profile *p = profile_new();
		struct error err;

		if (read_apps(bytes, cut, p, &err))
			assert_int_equal(err.kind, ERROR_INPUT);
		else
			assert_true(profile_is_partial(p));
		profile_free(p);
	}
	for (size_t at = 0; at < len; at += at < len - 600 ? 97 : 1) {
		struct profile *p = profile_new();
		struct error err;

		bytes[at] = (char)~bytes[at];
		if (read_apps(bytes, len, p, &err))
			assert_int_equal(err.kind, ERROR_INPUT);
		bytes[at] = (char)~bytes[at];
		profile_free(p);
	}
	free(bytes);
}

static void snapshots_of_an_archive_share_the_room(void **state)
{
	struct nps_made m = nps_made_payload(1700000000000, 1700000001000);
	size_t len = m.payload.len, room = 2 * len - 1;
	struct text file = nps_made_file(&m);
	const uint8_t *bytes = (const uint8_t *)file.bytes;
	struct profile *p = profile_new();
	struct error err;

	(void)state;
	assert_int_equal(nps_read_within(bytes, file.len, &room, p, &err), 0);
	assert_int_equal(room, len - 1);
	assert_int_equal(nps_read_within(bytes, file.len, &room, p, &err), -1);
	assert_int_equal(err.kind, ERROR_INPUT);
	assert_string_equal(err.text,
			    "the compressed snapshot expands too much");
	assert_int_equal(room, 0);
	assert_int_equal(nps_read_within(bytes, file.len, &room, p, &err), -1);
	assert_int_equal(p->events[0].weight, UINT64_C(2501000));
	profile_free(p);
	text_release(&file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(allocations_have_stack_traces_and_a_rest),
		cmocka_unit_test(live_objects_are_a_second_event),
		cmocka_unit_test(truncated_memory_snapshots_keep_their_classes),
		cmocka_unit_test(lying_numbers_of_nodes_are_losses),
		cmocka_unit_test(sampled_histogram_equals_that_of_visualvm),
		cmocka_unit_test(archive_has_snapshots_and_dumps),
		cmocka_unit_test(damaged_archives_are_rejected_or_partial),
		cmocka_unit_test(snapshots_of_an_archive_share_the_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
