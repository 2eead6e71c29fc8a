/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests constructed snapshots; those of VisualVM are in read_nps_files_test.c.
 */
#include "core/base/text.h"
#include "core/formats/reader.h"
#include "tests/unit/nps_builder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void frames_have_class_method_and_kind(void **state)
{
	struct nps_made m = nps_made_payload(1700000000000, 1700000001000);
	struct profile *p = nps_read_made(&m);
	const struct frame *root, *leaf;

	(void)state;
	assert_int_equal(p->stack_count, 3);
	root = &p->frames[p->stacks[1].frame];
	leaf = &p->frames[p->stacks[2].frame];
	assert_string_equal(profile_text(p, root->class_name), "A");
	assert_string_equal(profile_text(p, root->method), "main");
	assert_int_equal(root->kind, FRAME_JAVA);
	/* Neither the suffix nor the signature is part of the name. */
	assert_string_equal(profile_text(p, leaf->class_name), "b.B$$Lambda");
	assert_string_equal(profile_text(p, leaf->method), "run");
	assert_int_equal(leaf->kind, FRAME_NATIVE);
	assert_string_equal(profile_text(p, p->threads[1].name), "main");
	assert_int_equal(p->threads[1].java_id, 0);
	assert_int_equal(p->threads[1].os_id, 0);
	profile_free(p);
}

static void self_time_is_what_the_callees_leave_and_samples_are_ms(void **state)
{
	struct nps_made m = nps_made_payload(1700000000000, 1700000001000);
	struct profile *p = nps_read_made(&m);

	(void)state;
	assert_int_equal(p->cell_count, 2);
	assert_int_equal(p->cells[0].stack, 1);
	assert_int_equal(p->cells[0].weight, 501000);
	assert_int_equal(p->cells[0].count, 1); /* at least 1 */
	assert_int_equal(p->cells[1].stack, 2);
	assert_int_equal(p->cells[1].weight, 2000000);
	assert_int_equal(p->cells[1].count, 2);
	profile_free(p);
}

static void samples_have_the_start_time_if_it_is_an_epoch_time(void **state)
{
	static const struct {
		int64_t began_ms, taken_ms, expected_ms;
	} times[] = {
		{ 1700000000000, 1700000001000, 1700000000000 },
		/* Made of raw samples, which count uptime. */
		{ 2205768, 1700000001000, 1700000001000 },
		{ 2205768, -1, 0 },
		{ INT64_MAX, INT64_MIN, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(times) / sizeof(*times); i++) {
		struct nps_made m = nps_made_payload(times[i].began_ms,
						     times[i].taken_ms);
		struct profile *p = nps_read_made(&m);

		assert_true(p->earliest_ns == times[i].expected_ms * 1000000);
		profile_free(p);
	}
}

static void wrong_lengths_are_reported_without_a_loss(void **state)
{
	static const struct {
		int32_t compressed_lie, len_lie, settings_len;
		const char *what;
	} lies[] = {
		{ 5, 0, 0, "wrong lengths in the header" },
		{ -40, 0, 0, "wrong lengths in the header" },
		{ INT32_MAX - 1000, 0, 0, "wrong lengths in the header" },
		{ 0, -7, 0, "wrong lengths in the header" },
		{ 0, 1 << 30, 0, "wrong lengths in the header" },
		{ 0, 0, -1, "truncated settings" },
		{ 0, 0, INT32_MAX, "truncated settings" },
		{ 0, 0, 1, "truncated comment" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lies) / sizeof(*lies); i++) {
		struct nps_made m = nps_made_payload(1700000000000,
						     1700000001000);
		struct profile *p;

		m.compressed_lie = lies[i].compressed_lie;
		m.len_lie = lies[i].len_lie;
		m.settings_len = lies[i].settings_len;
		p = nps_read_made(&m);
		assert_true(nps_find_remark(p, lies[i].what)->is_loss);
		assert_int_equal(p->events[0].weight, 2501000);
		profile_free(p);
	}
}

static void version_1_1_has_no_comment(void **state)
{
	struct nps_made m = nps_made_payload(1700000000000, 1700000001000);
	struct profile *p;

	(void)state;
	m.comment = NULL;
	p = nps_read_made(&m);
	assert_int_equal(p->remark_count, 0);
	profile_free(p);
}

static void unsupported_versions_and_types_are_rejected_by_name(void **state)
{
	static const struct {
		int major;
		int32_t type;
		const char *said;
	} refused[] = {
		{ 2, 1, "snapshot version 2.2 is not supported" },
		{ 1, 2, "code fragment" },
		{ 1, 32, "database queries" },
		{ 1, 64, "unknown type 64" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++) {
		struct nps_made m = nps_made_payload(1700000000000,
						     1700000001000);
		struct text file;
		struct error err;

		m.major = refused[i].major;
		m.type = refused[i].type;
		file = nps_made_file(&m);
		err = nps_refusal(file.bytes, file.len);
		if (!strstr(err.text, refused[i].said))
			fail_msg("%s", err.text);
		text_release(&file);
	}
}

static void garbage_for_compressed_data_is_refused_with_the_reason(void **state)
{
	struct nps_made m = nps_made_payload(1700000000000, 1700000001000);
	struct text file = nps_made_file(&m);
	struct error err;

	(void)state;
	memset(file.bytes + 24, 0xff, 16);
	err = nps_refusal(file.bytes, file.len);
	assert_non_null(strstr(err.text, "damaged"));
	text_release(&file);
}

static void string_longer_than_the_data_is_rejected(void **state)
{
	struct nps_made m = nps_made_payload(1700000000000, 1700000001000);
	struct text file;

	(void)state;
	m.payload.bytes[25] = (char)0xff; /* in "Thread", method 0 */
	file = nps_made_file(&m);
	assert_non_null(strstr(nps_refusal(file.bytes, file.len).text,
			       "table of methods"));
	text_release(&file);
}

/* Reads a thread with a constructed tree. */
static struct profile *read_tree(const struct text *tree, unsigned node_size)
{
	struct nps_made m = { .comment = "", .major = 1, .type = 1 };

	nps_put_start(&m.payload, 1700000000000, 1700000001000);
	nps_put(&m.payload, 2, 4);
	nps_put_thread(&m.payload, "bad", tree, node_size);
	{
		struct text good = { 0 };

		nps_put_tree(&good);
		nps_put_thread(&m.payload, "good", &good, 18);
		text_release(&good);
	}
	return nps_read_made(&m);
}

/* The tree is lost in part; the next thread is not. */
static void assert_lost(const struct text *tree, uint64_t weight)
{
	struct profile *p = read_tree(tree, 18);

	assert_true(nps_find_remark(p, "call tree nodes lost")->is_loss);
	assert_int_equal(p->events[0].weight, weight + 2501000);
	profile_free(p);
}

static void callees_that_are_their_callers_are_refused(void **state)
{
	static const unsigned offsets[] = { 0, 21, 20, 22, 1000, 0xffffff };

	(void)state;
	for (size_t i = 0; i < sizeof(offsets) / sizeof(*offsets); i++) {
		struct text tree = { 0 };

		nps_put_node(&tree, 0, 100, 1);
		nps_put(&tree, 21, 3);
		nps_put_node(&tree, 1, 70, 1);
		nps_put(&tree, offsets[i], 3);
		/* Its time is not its caller's own. */
		assert_lost(&tree, 30000);
		text_release(&tree);
	}
}

static void nodes_that_share_callees_do_not_multiply(void **state)
{
	struct text tree = { 0 };
	struct profile *p;

	(void)state;
	/*
	 * Each node has the next one twice as a callee: 2^60 paths through 61
	 * nodes.
	 */
	for (unsigned i = 0; i < 60; i++) {
		nps_put_node(&tree, 1, 1 << 20, 2);
		nps_put(&tree, 24 * (i + 1), 3);
		nps_put(&tree, 24 * (i + 1), 3);
	}
	nps_put_node(&tree, 1, 1, 0);
	p = read_tree(&tree, 18);
	assert_true(nps_find_remark(p, "call tree nodes lost")->is_loss);
	profile_free(p);
	text_release(&tree);
}

/* Two lists of 65,535 equal callees would be followed 2^32 times. */
static void lists_of_equal_callees_are_lost(void **state)
{
	const unsigned size = 18 + 3 * 65535;
	struct text tree = { 0 };
	struct profile *p;

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		nps_put_node(&tree, i, 1 << 20, 65535);
		for (unsigned k = 0; k < 65535; k++)
			nps_put(&tree, size * (i + 1), 3);
	}
	nps_put_node(&tree, 1, 1, 0);
	p = read_tree(&tree, 18);
	assert_true(nps_find_remark(p, "call tree nodes lost")->is_loss);
	profile_free(p);
	text_release(&tree);
}

static void node_with_more_callees_than_bytes_is_lost(void **state)
{
	struct text tree = { 0 };

	(void)state;
	nps_put_node(&tree, 0, 100, 65535);
	nps_put(&tree, 21, 3);
	assert_lost(&tree, 0);
	text_release(&tree);
}

static void tree_with_nodes_of_another_size_is_skipped(void **state)
{
	struct text tree = { 0 };
	struct profile *p;

	(void)state;
	nps_put_tree(&tree);
	p = read_tree(&tree, 28);
	assert_true(nps_find_remark(p, "threads skipped")->is_loss);
	assert_int_equal(p->events[0].weight, 2501000);
	profile_free(p);
	text_release(&tree);
}

static void method_beyond_the_table_keeps_its_number(void **state)
{
	struct text tree = { 0 };
	struct profile *p;

	(void)state;
	nps_put_node(&tree, 777, 100, 0);
	p = read_tree(&tree, 18);
	assert_string_equal(
		profile_text(p, p->frames[p->stacks[1].frame].method),
		"[method 777]");
	assert_false(profile_is_partial(p));
	profile_free(p);
	text_release(&tree);
}

/* Their methods differ only in their signatures. */
static void callees_with_one_name_share_a_cell_in_each_thread(void **state)
{
	static const char *const names[] = { "one", "two", "one" };
	struct nps_made m = { .comment = "", .major = 1, .type = 1 };
	struct text tree = { 0 };
	struct profile *p;

	(void)state;
	nps_put_node(&tree, 0, 100, 2);
	nps_put(&tree, 24, 3);
	nps_put(&tree, 42, 3);
	nps_put_node(&tree, 1, 60, 0);
	nps_put_node(&tree, 1, 40, 0);
	nps_put_start(&m.payload, 1700000000000, 1700000001000);
	nps_put(&m.payload, 3, 4);
	for (size_t i = 0; i < 3; i++)
		nps_put_thread(&m.payload, names[i], &tree, 18);
	p = nps_read_made(&m);
	assert_int_equal(p->cell_count, 2);
	assert_int_equal(p->cells[0].weight, 200000);
	assert_int_equal(p->cells[1].weight, 100000);
	assert_int_equal(p->cells[0].count, 4);
	profile_free(p);
	text_release(&tree);
}

static void callees_that_took_longer_than_their_caller_are_cut(void **state)
{
	struct text tree = { 0 };
	struct profile *p;

	(void)state;
	nps_put_node(&tree, 0, 100, 1);
	nps_put(&tree, 21, 3);
	nps_put_node(&tree, 1, 300, 0);
	p = read_tree(&tree, 18);
	assert_false(nps_find_remark(p, "callees longer than their caller")
			     ->is_loss);
	profile_free(p);
	text_release(&tree);
}

static void offsets_of_a_tree_of_16_mib_have_four_bytes(void **state)
{
	struct text tree = { 0 };
	struct profile *p;

	(void)state;
	nps_put_node(&tree, 0, 100, 1);
	nps_put(&tree, 0x1000000, 4);
	/* VisualVM leaves zeros where nodes were filtered out. */
	nps_put(&tree, 0, 0x1000000 - (int)tree.len);
	nps_put_node(&tree, 1, 100, 0);
	p = read_tree(&tree, 18);
	assert_int_equal(p->remark_count, 0);
	assert_int_equal(p->events[0].weight, 100000 + 2501000);
	profile_free(p);
	text_release(&tree);
}

static void tree_may_be_very_deep(void **state)
{
	enum { DEPTH = 100000 };
	struct text tree = { 0 };
	struct profile *p;

	(void)state;
	for (unsigned i = 0; i < DEPTH; i++) {
		nps_put_node(&tree, 1, 5000, i + 1 < DEPTH);
		if (i + 1 < DEPTH)
			nps_put(&tree, 21 * (i + 1), 3);
	}
	p = read_tree(&tree, 18);
	assert_int_equal(p->remark_count, 0);
	assert_true(p->stack_count > DEPTH);
	assert_int_equal(p->events[0].weight, 5000000 + 2501000);
	profile_free(p);
	text_release(&tree);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_have_class_method_and_kind),
		cmocka_unit_test(
			self_time_is_what_the_callees_leave_and_samples_are_ms),
		cmocka_unit_test(
			samples_have_the_start_time_if_it_is_an_epoch_time),
		cmocka_unit_test(wrong_lengths_are_reported_without_a_loss),
		cmocka_unit_test(version_1_1_has_no_comment),
		cmocka_unit_test(
			unsupported_versions_and_types_are_rejected_by_name),
		cmocka_unit_test(
			garbage_for_compressed_data_is_refused_with_the_reason),
		cmocka_unit_test(string_longer_than_the_data_is_rejected),
		cmocka_unit_test(callees_that_are_their_callers_are_refused),
		cmocka_unit_test(nodes_that_share_callees_do_not_multiply),
		cmocka_unit_test(lists_of_equal_callees_are_lost),
		cmocka_unit_test(node_with_more_callees_than_bytes_is_lost),
		cmocka_unit_test(tree_with_nodes_of_another_size_is_skipped),
		cmocka_unit_test(method_beyond_the_table_keeps_its_number),
		cmocka_unit_test(
			callees_with_one_name_share_a_cell_in_each_thread),
		cmocka_unit_test(
			callees_that_took_longer_than_their_caller_are_cut),
		cmocka_unit_test(offsets_of_a_tree_of_16_mib_have_four_bytes),
		cmocka_unit_test(tree_may_be_very_deep),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
