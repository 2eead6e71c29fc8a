/* SPDX-License-Identifier: Apache-2.0 */
#include "render/page/flame.h"

#include "core/base/alloc.h"
#include "tests/unit/page_reader.h"
#include "tests/unit/sampled.h"
#include "tests/unit/sanitizers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct flame_options plain = {
	.title = "title",
	.source = "a.jfr",
	.min_width = 0,
};

/* Writes the page of the first event only. */
static struct page page_with(const struct profile *p,
			     const struct flame_options *options)
{
	struct event_view view = sampled_view(p, 0);

	return page_of(p, &view, 1, 0, options);
}

static void check_lines(char *got, char *expected)
{
	assert_string_equal(got, expected);
	free(got);
	free(expected);
}

static size_t occurrences(const char *text, const char *word)
{
	size_t count = 0;

	for (; (text = strstr(text, word)); text += strlen(word))
		count++;
	return count;
}

/* Returns a profile of two events whose cells use all fields. */
static struct profile *full_profile(void)
{
	static const char *const paths[] = { "a.A.main;b.B.run;c.C.read",
					     "a.A.main;b.B.run",
					     "a.A.main;b.B.run;b.B.run",
					     "z.Z.start;c.C.read", "" };
	struct profile *p = profile_new();
	struct thread threads[] = { { .java_id = 1, .os_id = 4711 },
				    { .java_id = 2, .is_virtual = true } };
	uint32_t cpu = profile_event(p, "cpu", UNIT_SAMPLES);
	uint32_t alloc = profile_event(p, "alloc", UNIT_BYTES);

	threads[0].name = profile_string(p, "main", 4);
	threads[1].name = profile_string(p, "worker", 6);
	for (unsigned i = 0; i < 500; i++) {
		struct sample s = {
			.event = i % 7 ? cpu : alloc,
			.stack = sampled_stack(p, paths[i % 5]),
			.thread = profile_thread(p, &threads[i % 3 == 0]),
			.state = i % 2 ? STATE_RUNNABLE : STATE_BLOCKED,
			.time_ns = 1000000000000 + i % 11 * 1000000000LL,
			.count = 1,
			.weight = i % 7 ? 1 : 24 + i,
		};

		profile_add(p, &s);
	}
	return p;
}

static void page_has_every_cell_of_every_view(void **state)
{
	struct profile *p = full_profile();
	struct event_view views[] = { sampled_view(p, 0), sampled_view(p, 1) };
	struct page page = page_of(p, views, 2, 1, &plain);
	const cJSON *head = page.head;

	(void)state;
	check_lines(page_lines(&page, 0), profile_lines(p, &views[0], true));
	check_lines(page_lines(&page, 1), profile_lines(p, &views[1], true));
	assert_null(page.events[0].weight);
	assert_non_null(page.events[1].weight);
	assert_int_equal(
		cJSON_GetObjectItemCaseSensitive(head, "selected")->valueint,
		1);
	assert_int_equal(page.result.nodes, page.node_count);
	assert_int_equal(page.result.elided, 0);
	page_release(&page);
	profile_free(p);
}

static void cells_are_sorted_and_distinct(void **state)
{
	struct profile *p = full_profile();
	struct page page = page_with(p, &plain);
	const struct page_event *e = &page.events[0];

	(void)state;
	for (size_t i = 1; i < e->cells; i++) {
		const uint64_t *keys[] = { e->node, e->thread, e->state,
					   e->bucket };
		size_t k = 0;

		while (k < 4 && keys[k][i] == keys[k][i - 1])
			k++;
		assert_true(k < 4 && keys[k][i] > keys[k][i - 1]);
	}
	page_release(&page);
	profile_free(p);
}

static void no_threads_merges_cells_of_a_stack_trace(void **state)
{
	struct flame_options options = plain;
	struct profile *p = full_profile();
	struct event_view view = sampled_view(p, 0);
	struct page page;

	(void)state;
	options.no_threads = true;
	page = page_with(p, &options);
	check_lines(page_lines(&page, 0), profile_lines(p, &view, false));
	assert_int_equal(page.events[0].cells, 5);
	assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(
				 page.head, "threads")),
			 0);
	page_release(&page);
	profile_free(p);
}

static void events_of_a_view_are_added_up(void **state)
{
	struct flame_options options = plain;
	struct profile *p = full_profile();
	struct event_view view = sampled_view(p, 0);
	struct page page;

	(void)state;
	options.no_threads = true;
	view.events[view.event_count++] = 1;
	page = page_of(p, &view, 1, 0, &options);
	check_lines(page_lines(&page, 0), profile_lines(p, &view, false));
	page_release(&page);
	profile_free(p);
}

static void nodes_are_sorted_by_name(void **state)
{
	struct profile *p = profile_new();
	struct page page;

	(void)state;
	sampled(p, "m.M.b;z.Z.z", 1);
	sampled(p, "m.M.b;a.A.a", 1);
	sampled(p, "m.M.a", 1);
	sampled(p, "m.M$Inner.a", 1);
	page = page_with(p, &plain);
	assert_int_equal(page.node_count, 5);
	for (size_t i = 0; i < 5; i++) {
		static const char *const expected[] = { "m.M$Inner.a", "m.M.a",
							"m.M.b", "m.M.b;a.A.a",
							"m.M.b;z.Z.z" };
		char *path = page_path(&page, i + 1);

		assert_string_equal(path, expected[i]);
		free(path);
	}
	page_release(&page);
	profile_free(p);
}

static void frames_of_one_name_differ_by_kind_and_line(void **state)
{
	struct profile *p = profile_new();
	struct page page;

	(void)state;
	sampled(p, "a.A.a", 1);
	for (uint32_t line = 7; line <= 8; line++) {
		struct sample s = { .count = 1, .weight = 1 };

		s.stack = profile_push(
			p, 0, sampled_frame(p, "a.A.a", FRAME_JIT, line));
		profile_add(p, &s);
	}
	page = page_with(p, &plain);
	assert_int_equal(page.name_count, 1);
	assert_int_equal(page.frame_count, 3);
	assert_int_equal(page.frame_kind[0], FRAME_JIT);
	assert_int_equal(page.frame_line[0], 7);
	assert_int_equal(page.frame_line[1], 8);
	assert_int_equal(page.frame_kind[2], FRAME_JAVA);
	assert_int_equal(page.node_count, 3);
	page_release(&page);
	profile_free(p);
}

/* Class a.b, method c and class a, method b.c have the same text. */
static void frames_of_equal_text_are_merged_with_their_callees(void **state)
{
	struct profile *p = profile_new();
	struct frame twin = { .kind = FRAME_JAVA };
	struct sample s = { .count = 3, .weight = 3 };
	struct event_view view;
	uint32_t twin_stack;
	struct page page;

	(void)state;
	sampled(p, "r.R.r;a.b.c;x.X.x;y.Y.y", 1);
	sampled(p, "r.R.r;a.b.c;w.W.w", 1);
	twin.class_name = profile_string(p, "a", 1);
	twin.method = profile_string(p, "b.c", 3);
	twin_stack = profile_push(p, sampled_stack(p, "r.R.r"),
				  profile_frame(p, &twin));
	/* One callee that both have, one callee of the second only. */
	for (size_t i = 0; i < 2; i++) {
		s.stack = profile_push(
			p, twin_stack,
			sampled_frame(p, i ? "x.X.x" : "z.Z.z", FRAME_JAVA, 0));
		profile_add(p, &s);
		s.stack = profile_push(p, s.stack, profile_frame(p, &twin));
		profile_add(p, &s);
	}
	/* A third frame of the same text, without a class. */
	twin.class_name = 0;
	twin.method = profile_string(p, "a.b.c", 5);
	s.stack = profile_push(p, sampled_stack(p, "r.R.r"),
			       profile_frame(p, &twin));
	profile_add(p, &s);
	view = sampled_view(p, 0);
	page = page_with(p, &plain);
	check_lines(page_lines(&page, 0), profile_lines(p, &view, false));
	assert_int_equal(page.node_count, 8);
	page_release(&page);
	profile_free(p);
}

static void narrow_frames_become_small_frames_of_their_callers(void **state)
{
	struct flame_options options = plain;
	struct profile *p = profile_new();
	struct page page;

	(void)state;
	sampled(p, "a.A.a;wide.W.w", 900);
	sampled(p, "a.A.a;thin.T.t;u.U.u", 6);
	sampled(p, "a.A.a;thin.T.t", 3);
	sampled(p, "a.A.a;slim.S.s", 9);
	sampled(p, "a.A.a", 32);
	sampled(p, "tiny.T.t", 5);
	sampled(p, "b.B.b;edge.E.e", 10); /* exactly 1%: kept */
	sampled(p, "b.B.b", 35);
	options.min_width = 1;
	page = page_with(p, &options);
	check_lines(page_lines(&page, 0), xstrdup("[small frames] 5 5\n"
						  "a.A.a 32 32\n"
						  "a.A.a;[small frames] 18 18\n"
						  "a.A.a;wide.W.w 900 900\n"
						  "b.B.b 35 35\n"
						  "b.B.b;edge.E.e 10 10\n"));
	assert_int_equal(page_total(&page, 0, "a.A.a"), 950);
	assert_int_equal(page.result.elided, 4);
	assert_int_equal(page.name_count, 5);
	page_release(&page);
	profile_free(p);
}

static void frame_wide_in_one_view_is_kept_in_all_views(void **state)
{
	struct flame_options options = plain;
	struct profile *p = profile_new();
	struct event_view views[2];
	struct sample s = { .count = 1, .weight = 1 };
	struct page page;

	(void)state;
	sampled(p, "a.A.a", 9999);
	sampled(p, "b.B.b", 1);
	s.event = profile_event(p, "lock", UNIT_NS);
	s.stack = sampled_stack(p, "b.B.b");
	profile_add(p, &s);
	views[0] = sampled_view(p, 0);
	views[1] = sampled_view(p, 1);
	options.min_width = 1;
	page = page_of(p, views, 2, 0, &options);
	check_lines(page_lines(&page, 0),
		    xstrdup("a.A.a 9999 9999\nb.B.b 1 1\n"));
	assert_int_equal(page.result.elided, 0);
	page_release(&page);
	profile_free(p);
}

static void widths_of_weights_decide_with_style_weights(void **state)
{
	struct flame_options options = plain;
	struct profile *p = profile_new();
	struct sample s = { .count = 1, .weight = 1000 };
	struct page page;

	(void)state;
	s.event = profile_event(p, "alloc", UNIT_BYTES);
	s.stack = sampled_stack(p, "a.A.heavy");
	profile_add(p, &s);
	s.stack = sampled_stack(p, "a.A.light");
	s.count = 50;
	s.weight = 0; /* a node of weight 0 is kept */
	profile_add(p, &s);
	options.min_width = 10;
	options.style.weights = true;
	page = page_with(p, &options);
	check_lines(page_lines(&page, 0),
		    xstrdup("[small frames] 50 0\na.A.heavy 1 1000\n"));
	page_release(&page);
	profile_free(p);
}

/* 3,000 roots, 500 callees each: every third root has twice the samples. */
static void automatic_min_width_limits_nodes_to_a_million(void **state)
{
	struct flame_options options = plain;
	struct profile *p = profile_new();
	struct page page;
	uint64_t sum = 0;

	(void)state;
	profile_event(p, "cpu", UNIT_SAMPLES);
	for (uint32_t i = 0; i < 3000; i++) {
		struct frame f = { .line = i + 1, .kind = FRAME_JAVA };
		uint32_t root = profile_push(p, 0, profile_frame(p, &f));

		for (uint32_t k = 1; k <= 500; k++) {
			struct sample s = { .count = i % 3 ? 1 : 2 };

			f.line = k;
			s.weight = s.count;
			s.stack = profile_push(p, root, profile_frame(p, &f));
			profile_add(p, &s);
		}
	}
	if (!IS_SANITIZED) {
		page = page_with(p, &options);
		assert_int_equal(page.node_count, 3000 + 1500000);
		page_release(&page);
	}
	options.min_width = -1;
	page = page_with(p, &options);
	/* All roots, the callees of 1,000 roots, small frames of 2,000 roots.
	 */
	assert_int_equal(page.node_count, 3000 + 500000 + 2000);
	assert_int_equal(page.result.elided, 1000000);
	assert_true(page.result.below > 0 && page.result.below < 0.001);
	for (size_t i = 0; i < page.events[0].cells; i++)
		sum += page.events[0].count[i];
	assert_int_equal(sum, 2000000);
	page_release(&page);
	profile_free(p);
}

static void foreign_names_are_escaped(void **state)
{
	struct flame_options options = plain;
	struct profile *p = profile_new();
	struct page page;
	size_t scripts;

	(void)state;
	sampled(p, "a.A.a", 1);
	page = page_with(p, &plain);
	scripts = occurrences(page.html.bytes, "<script");
	page_release(&page);

	sampled(p, "<img src=x onerror=alert(1)>", 9);
	sampled(p, "</noscript><script>alert(2)</script>", 9);
	sampled(p, "\"quoted\" & 'quoted'\x1b[31m", 9);
	sampled(p, "right\xe2\x80\xaeto left", 9);
	options.title = "</title><script>alert(3)</script>";
	options.source = "</script><script>alert(4)</script>.jfr";
	page = page_with(p, &options);
	assert_int_equal(occurrences(page.html.bytes, "<script"), scripts);
	assert_null(strstr(page.html.bytes, "<img"));
	assert_null(strchr(page.html.bytes, '\x1b'));
	assert_null(strstr(page.html.bytes, "\xe2\x80\xae"));
	assert_non_null(strstr(page.html.bytes,
			       "&lt;/title&gt;&lt;script&gt;alert(3)"));
	assert_non_null(
		strstr(page.html.bytes, "&lt;img src=x onerror=alert(1)&gt;"));
	assert_non_null(strstr(page.html.bytes,
			       "&quot;quoted&quot; &amp; &#39;quoted&#39;"));
	page_release(&page);
	profile_free(p);
}

static void long_common_prefixes_of_names_are_encoded(void **state)
{
	struct profile *p = profile_new();
	char *name = xmalloc(65536);
	struct page page;

	(void)state;
	memset(name, 'n', 65535);
	for (size_t i = 0; i < 20; i++) {
		name[65535 - i * 1000] = '\0';
		sampled(p, name, 1);
	}
	/* Only ASCII prefixes are omitted, although all bytes are equal. */
	sampled(p, "k\xc3\xa4se", 1);
	sampled(p, "k\xc3\xa4sig", 1);
	page = page_with(p, &plain);
	assert_int_equal(page.name_count, 22);
	assert_string_equal(page.names[0], "k\xc3\xa4se");
	assert_int_equal(strlen(page.names[21]), 65535);
	page_release(&page);
	free(name);
	profile_free(p);
}

static void empty_profile_gives_a_page(void **state)
{
	struct profile *p = profile_new();
	struct event_view view = { .name = "cpu" };
	struct page page = page_of(p, NULL, 0, 0, &plain);

	(void)state;
	assert_int_equal(page.node_count, 0);
	assert_int_equal(page.event_count, 0);
	page_release(&page);
	page = page_of(p, &view, 1, 0, &plain);
	assert_int_equal(page.events[0].cells, 0);
	page_release(&page);
	profile_free(p);
}

static void profile_of_one_sample_gives_a_page(void **state)
{
	struct profile *p = profile_new();
	struct page page;

	(void)state;
	sampled(p, "a.A.a", 1);
	page = page_with(p, &plain);
	check_lines(page_lines(&page, 0), xstrdup("a.A.a 1 1\n"));
	page_release(&page);
	profile_free(p);
}

static void samples_without_stack_trace_are_kept(void **state)
{
	struct profile *p = profile_new();
	struct page page;

	(void)state;
	sampled(p, "", 41);
	sampled(p, "a.A.a", 1);
	page = page_with(p, &plain);
	check_lines(page_lines(&page, 0), xstrdup("- 41 41\na.A.a 1 1\n"));
	page_release(&page);
	profile_free(p);
}

static void weights_of_64_bits_are_encoded(void **state)
{
	struct flame_options options = plain;
	struct profile *p = profile_new();
	struct sample s = { .count = 1, .weight = (uint64_t)1 << 63 };
	struct event_view view;
	struct page page;

	(void)state;
	s.event = profile_event(p, "alloc", UNIT_BYTES);
	s.stack = sampled_stack(p, "a.A.a;b.B.b");
	profile_add(p, &s);
	s.stack = sampled_stack(p, "a.A.a;c.C.c");
	s.weight = UINT64_MAX;
	profile_add(p, &s);
	view = sampled_view(p, 0);
	options.style.weights = true;
	options.min_width = 0.1;
	page = page_with(p, &options);
	check_lines(page_lines(&page, 0), profile_lines(p, &view, false));
	assert_int_equal(page.result.elided, 0);
	assert_non_null(strstr(page.html.bytes, "18446744073709551615"));
	page_release(&page);
	profile_free(p);
}

#define DEEP 100000

static void very_deep_stack_trace_is_written(void **state)
{
	struct profile *p = profile_new();
	uint32_t *frames = xcalloc(DEEP, sizeof(*frames));
	struct sample s = { .count = 1, .weight = 1 };
	struct page page;

	(void)state;
	profile_event(p, "cpu", UNIT_SAMPLES);
	for (size_t i = 0; i < DEEP; i++)
		frames[i] = sampled_frame(p, i % 2 ? "a.A.a" : "b.B.b",
					  FRAME_JAVA, 0);
	s.stack = profile_stack(p, frames, DEEP);
	profile_add(p, &s);
	page = page_with(p, &plain);
	assert_int_equal(page.node_count, DEEP);
	assert_int_equal(page.node_caller[DEEP - 1], DEEP - 1);
	assert_int_equal(page.events[0].node[0], DEEP);
	page_release(&page);
	free(frames);
	profile_free(p);
}

static void page_of_a_profile_is_reproducible(void **state)
{
	struct profile *p = full_profile();
	struct event_view views[] = { sampled_view(p, 0), sampled_view(p, 1) };
	struct page a = page_of(p, views, 2, 0, &plain);
	struct page b = page_of(p, views, 2, 0, &plain);

	(void)state;
	assert_int_equal(a.html.len, b.html.len);
	assert_memory_equal(a.html.bytes, b.html.bytes, a.html.len);
	page_release(&a);
	page_release(&b);
	profile_free(p);
}

static void summary_counts_a_recursive_frame_once(void **state)
{
	struct profile *p = profile_new();
	struct page page;

	(void)state;
	sampled(p, "a.A.a;r.R.r;r.R.r;r.R.r", 30);
	sampled(p, "a.A.a;r.R.r;b.B.b", 60);
	sampled(p, "a.A.a", 10);
	page = page_with(p, &plain);
	assert_non_null(strstr(
		page.html.bytes,
		"<td>60</td><td>60.00 %</td><td>60</td><td>60.00 %</td>"
		"<td>b.B.b</td></tr>\n<tr>"
		"<td>30</td><td>30.00 %</td><td>90</td><td>90.00 %</td>"
		"<td>r.R.r</td></tr>\n<tr>"
		"<td>10</td><td>10.00 %</td><td>100</td><td>100.00 %</td>"
		"<td>a.A.a</td>"));
	page_release(&page);
	profile_free(p);
}

static void summary_lists_the_twenty_hottest_frames(void **state)
{
	struct profile *p = profile_new();
	struct page page;
	const char *last;

	(void)state;
	for (unsigned i = 0; i < 30; i++) {
		char name[16];

		snprintf(name, sizeof(name), "m.M.m%u", 10 + i * 7 % 30);
		sampled(p, name, 100 + i * 7 % 30);
	}
	page = page_with(p, &plain);
	assert_int_equal(occurrences(page.html.bytes, "<td>m.M.m"), 20);
	last = strstr(page.html.bytes, "<td>m.M.m39<");
	for (unsigned i = 39; i > 20; i--) {
		char name[24];

		snprintf(name, sizeof(name), "<td>m.M.m%u<", i - 1);
		last = last ? strstr(last, name) : NULL;
		assert_non_null(last);
	}
	page_release(&page);
	profile_free(p);
}

static void losses_are_listed_on_the_page(void **state)
{
	struct profile *p = profile_new();
	const cJSON *notes;
	struct page page;

	(void)state;
	sampled(p, "a.A.a", 1);
	profile_lost(p, "chunks were cut", 2, "offset %d <b>", 68);
	profile_note(p, "events have no time", 7, "%s", "");
	page = page_with(p, &plain);
	notes = cJSON_GetObjectItemCaseSensitive(page.head, "notes");
	assert_string_equal(cJSON_GetArrayItem(notes, 0)->valuestring,
			    "Lost: chunks were cut: 2 (first: offset 68 <b>)");
	assert_string_equal(cJSON_GetArrayItem(notes, 1)->valuestring,
			    "events have no time: 7");
	assert_non_null(
		strstr(page.html.bytes,
		       "chunks were cut: 2 (first: offset 68 &lt;b&gt;)"));
	page_release(&page);
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(page_has_every_cell_of_every_view),
		cmocka_unit_test(cells_are_sorted_and_distinct),
		cmocka_unit_test(no_threads_merges_cells_of_a_stack_trace),
		cmocka_unit_test(events_of_a_view_are_added_up),
		cmocka_unit_test(nodes_are_sorted_by_name),
		cmocka_unit_test(frames_of_one_name_differ_by_kind_and_line),
		cmocka_unit_test(
			frames_of_equal_text_are_merged_with_their_callees),
		cmocka_unit_test(
			narrow_frames_become_small_frames_of_their_callers),
		cmocka_unit_test(frame_wide_in_one_view_is_kept_in_all_views),
		cmocka_unit_test(widths_of_weights_decide_with_style_weights),
		cmocka_unit_test(automatic_min_width_limits_nodes_to_a_million),
		cmocka_unit_test(foreign_names_are_escaped),
		cmocka_unit_test(long_common_prefixes_of_names_are_encoded),
		cmocka_unit_test(empty_profile_gives_a_page),
		cmocka_unit_test(profile_of_one_sample_gives_a_page),
		cmocka_unit_test(samples_without_stack_trace_are_kept),
		cmocka_unit_test(weights_of_64_bits_are_encoded),
		cmocka_unit_test(very_deep_stack_trace_is_written),
		cmocka_unit_test(page_of_a_profile_is_reproducible),
		cmocka_unit_test(summary_counts_a_recursive_frame_once),
		cmocka_unit_test(summary_lists_the_twenty_hottest_frames),
		cmocka_unit_test(losses_are_listed_on_the_page),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
