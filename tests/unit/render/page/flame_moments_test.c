/* SPDX-License-Identifier: Apache-2.0 */
/* The block of moments, as written by flame.c and read by read_page.c. */
#include "core/base/alloc.h"
#include "core/formats/reader.h"
#include "core/profile/moments.h"
#include "tests/unit/page_reader.h"
#include "tests/unit/sampled.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MS_NS INT64_C(1000000)

static const struct flame_options plain = {
	.title = "title",
	.source = "a.jfr",
};

/* The sum of all moments of an event and a leaf that begin in a step. */
struct total {
	uint32_t event;
	const char *leaf;
	int64_t step;
	uint64_t count, weight;
};

static int total_compare(const void *a, const void *b)
{
	const struct total *x = a, *y = b;
	int leaf = strcmp(x->leaf, y->leaf);

	if (x->event != y->event)
		return x->event < y->event ? -1 : 1;
	if (leaf)
		return leaf;
	return x->step < y->step ? -1 : x->step > y->step;
}

/* Returns the moments as sorted lines "event leaf step count weight". */
static char *moment_lines(const struct profile *p, int64_t step_ms)
{
	const struct moments *m = p->moments;
	struct text out = { 0 };
	struct total *all, sum = { 0 };

	assert_non_null(m);
	all = xcalloc(m->count, sizeof(*all));
	for (size_t i = 0; i < m->count; i++) {
		const struct cell *c = &p->cells[m->all[i].cell];
		const struct moment_sum *s = &m->sums[m->all[i].sum];
		const struct frame *f = &p->frames[p->stacks[c->stack].frame];

		all[i] = (struct total){ c->event, profile_text(p, f->method),
					 (m->base_ms + m->all[i].ms) / step_ms,
					 s->count, s->weight };
	}
	qsort(all, m->count, sizeof(*all), total_compare);
	for (size_t i = 0; i < m->count; i++) {
		sum.count += all[i].count;
		sum.weight += all[i].weight;
		if (i + 1 < m->count && !total_compare(&all[i], &all[i + 1]))
			continue;
		text_printf(&out, "%u %s %" PRId64 " %" PRIu64 " %" PRIu64 "\n",
			    all[i].event, all[i].leaf, all[i].step, sum.count,
			    sum.weight);
		sum = (struct total){ 0 };
	}
	free(all);
	return out.bytes;
}

/* Returns two events over `seconds`; times differ by at least 40 ms. */
static struct profile *timed_profile(unsigned seconds, size_t most)
{
	static const char *const paths[] = { "a.A.main;b.B.run",
					     "a.A.main;b.B.wait", "c.C.loop" };
	struct profile *p = profile_new();
	uint32_t cpu = profile_event(p, "cpu", UNIT_SAMPLES);
	uint32_t lock = profile_event(p, "lock", UNIT_NS);
	unsigned count = seconds * 25;

	profile_keep_moments(p, most);
	for (unsigned i = 0; i < count; i++) {
		/* Out of order, so that the buckets widen in both directions.
		 */
		unsigned at = (unsigned)((uint64_t)i * 7919 % count);
		bool is_lock = at % 5 == 0;
		struct sample s = {
			.event = is_lock ? lock : cpu,
			.stack = sampled_stack(p, paths[at % 3]),
			.time_ns = 1700000000123 * MS_NS + at * 40 * MS_NS,
			.duration_ns = is_lock && at % 10 == 0 ? 900 * MS_NS
							       : 0,
			.count = 1,
			.weight = is_lock ? 1000 + at : 1,
		};

		profile_add(p, &s);
	}
	return p;
}

static struct profile *read_back(const struct page *page)
{
	struct profile *p = profile_new();
	struct error err = { 0 };

	profile_keep_moments(p, MOMENTS_MAX);
	if (page_reader.read((const uint8_t *)page->html.bytes, page->html.len,
			     p, &err))
		fail_msg("%s", err.text);
	assert_int_equal(p->remark_count, 0);
	return p;
}

static int64_t moment_number(const struct page *page, const char *key)
{
	const cJSON *moments = cJSON_GetObjectItemCaseSensitive(page->head,
								"moments");

	return (int64_t)cJSON_GetObjectItemCaseSensitive(moments, key)
		->valuedouble;
}

static void check_round_trip(unsigned seconds, int64_t step_ms)
{
	struct profile *p = timed_profile(seconds, MOMENTS_MAX);
	struct event_view views[] = { sampled_view(p, 0), sampled_view(p, 1) };
	struct page page = page_of(p, views, 2, 0, &plain);
	struct profile *back = read_back(&page);
	char *before = moment_lines(p, step_ms);
	char *after = moment_lines(back, step_ms);

	assert_int_equal(moment_number(&page, "step_ms"), step_ms);
	assert_string_equal(before, after);
	assert_int_equal(p->bucket_ns, back->bucket_ns);
	assert_int_equal(p->cell_count, back->cell_count);
	free(before);
	free(after);
	profile_free(back);
	page_release(&page);
	profile_free(p);
}

static void moments_of_a_page_are_those_of_the_profile(void **state)
{
	(void)state;
	check_round_trip(20, 1);
	check_round_trip(120, 5);
	check_round_trip(3600, 20);
}

/* Fewer moments than samples: their times are rounded, none is lost. */
static void moments_above_the_limit_are_merged(void **state)
{
	struct profile *p = timed_profile(3600, 80000);
	struct event_view views[] = { sampled_view(p, 0), sampled_view(p, 1) };
	struct page page = page_of(p, views, 2, 0, &plain);
	struct profile *back = read_back(&page);
	int64_t step_ms = moment_number(&page, "step_ms");
	char *before, *after;

	(void)state;
	assert_non_null(p->moments);
	assert_in_range(p->moments->count, 1, 80000);
	assert_int_equal(p->moments->step_ms, 500);
	assert_int_equal(step_ms, 500);
	before = moment_lines(p, step_ms);
	after = moment_lines(back, step_ms);
	assert_string_equal(before, after);
	free(before);
	free(after);
	profile_free(back);
	page_release(&page);
	profile_free(p);
}

static void moments_that_cannot_be_merged_are_dropped(void **state)
{
	struct profile *p = timed_profile(3600, 500);

	(void)state;
	assert_null(p->moments);
	assert_int_equal(p->remark_count, 1);
	assert_int_equal(p->events[0].samples + p->events[1].samples, 90000);
	profile_free(p);
}

static void moments_follow_their_cells(void **state)
{
	struct profile *p = timed_profile(300, MOMENTS_MAX);
	uint64_t counts[2] = { 0 }, weights[2] = { 0 };

	(void)state;
	for (size_t i = 0; i < p->moments->count; i++) {
		const struct moment *m = &p->moments->all[i];
		const struct moment_sum *s = &p->moments->sums[m->sum];
		const struct cell *c = &p->cells[m->cell];
		int64_t ns = (p->moments->base_ms + m->ms) * MS_NS;
		int64_t bucket = ns / p->bucket_ns - p->bucket_first + 1;

		/* Milliseconds are rounded down, so one may begin earlier. */
		assert_in_range(c->bucket - bucket, 0, 1);
		counts[c->event] += s->count;
		weights[c->event] += s->weight;
	}
	for (size_t e = 0; e < 2; e++) {
		assert_int_equal(counts[e], p->events[e].samples);
		assert_int_equal(weights[e], p->events[e].weight);
	}
	profile_free(p);
}

static bool keep_cpu(void *self, struct cell *cell)
{
	(void)self;
	return cell->event == 0;
}

static void filters_drop_the_moments_of_their_cells(void **state)
{
	struct profile *p = timed_profile(20, MOMENTS_MAX);
	uint64_t count = 0;

	(void)state;
	profile_retain(p, keep_cpu, NULL);
	for (size_t i = 0; i < p->moments->count; i++) {
		assert_int_equal(p->cells[p->moments->all[i].cell].event, 0);
		count += p->moments->sums[p->moments->all[i].sum].count;
	}
	assert_int_equal(count, p->events[0].samples);
	assert_int_equal(count, 400);
	profile_free(p);
}

static void short_recordings_have_no_block(void **state)
{
	struct profile *p = timed_profile(2, MOMENTS_MAX);
	struct event_view views[] = { sampled_view(p, 0), sampled_view(p, 1) };
	struct page page = page_of(p, views, 2, 0, &plain);

	(void)state;
	assert_null(cJSON_GetObjectItemCaseSensitive(page.head, "moments"));
	page_release(&page);
	profile_free(p);
}

static void samples_years_apart_give_up_moments(void **state)
{
	struct profile *p = profile_new();
	struct sample s = { .count = 1, .weight = 1, .time_ns = 1 };

	(void)state;
	profile_keep_moments(p, MOMENTS_MAX);
	s.event = profile_event(p, "cpu", UNIT_SAMPLES);
	profile_add(p, &s);
	s.time_ns = 1700000000123 * MS_NS;
	profile_add_all(p, &s, 1);
	assert_null(p->moments);
	assert_int_equal(p->events[0].samples, 2);
	assert_int_equal(p->remark_count, 1);
	assert_false(profile_is_partial(p));
	profile_free(p);
}

/* Reads the page without a part of its second block. */
static void check_truncated(const struct page *page, size_t len)
{
	struct profile *p = profile_new();
	struct error err = { 0 };

	if (page_reader.read((const uint8_t *)page->html.bytes, len, p, &err))
		fail_msg("%s", err.text);
	assert_true(profile_is_partial(p));
	assert_int_equal(p->events[0].samples, 400);
	assert_int_equal(p->events[1].samples, 100);
	profile_free(p);
}

static void truncated_moments_leave_all_samples(void **state)
{
	static const char start[] = "<script id=\"moments\"";
	struct profile *p = timed_profile(20, MOMENTS_MAX);
	struct event_view views[] = { sampled_view(p, 0), sampled_view(p, 1) };
	struct page page = page_of(p, views, 2, 0, &plain);
	const char *block = strstr(page.html.bytes, start);
	const char *end;

	(void)state;
	assert_non_null(block);
	check_truncated(&page, (size_t)(block - page.html.bytes));
	block = strchr(block, '\n') + 1;
	end = strchr(block, '\n');
	for (; block < end - 4; block += 1 + (end - block) / 30)
		check_truncated(&page, (size_t)(block - page.html.bytes));
	page_release(&page);
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(moments_of_a_page_are_those_of_the_profile),
		cmocka_unit_test(moments_above_the_limit_are_merged),
		cmocka_unit_test(moments_that_cannot_be_merged_are_dropped),
		cmocka_unit_test(moments_follow_their_cells),
		cmocka_unit_test(filters_drop_the_moments_of_their_cells),
		cmocka_unit_test(short_recordings_have_no_block),
		cmocka_unit_test(samples_years_apart_give_up_moments),
		cmocka_unit_test(truncated_moments_leave_all_samples),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
