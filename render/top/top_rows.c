/* SPDX-License-Identifier: Apache-2.0 */
/* Sort keys and filters of the thread table. */
#include "render/top/top_rows.h"

#include "core/base/lines.h"
#include "core/base/nearest.h"
#include "core/base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Returns < 0 when a comes first, 0 when the next key decides. */
typedef int compare_fn(const struct thread_row *a, const struct thread_row *b);

static compare_fn rows_by_name, rows_by_id, rows_by_tid, rows_by_state,
	rows_by_kind;

/* Sort keys: a comparison, or else a rate, the largest first. */
static const struct order_key {
	const char *name;
	compare_fn *compare;
	double (*rate)(const struct thread_row *row);
	enum thread_counter counter; /* used without compare and rate */
} keys[] = {
	{ .name = "CPU", .counter = THREAD_CPU },
	{ .name = "USER", .counter = THREAD_USER },
	{ .name = "SYS", .counter = THREAD_SYS },
	{ .name = "ALLOC", .counter = THREAD_ALLOC },
	{ .name = "NAME", .compare = rows_by_name },
	{ .name = "RUNQ", .counter = THREAD_RUNQ },
	{ .name = "CSW", .rate = top_row_switches },
	{ .name = "WAITS", .counter = THREAD_WAITS },
	{ .name = "WAIT", .counter = THREAD_WAIT_TIME },
	{ .name = "BLOCKS", .counter = THREAD_BLOCKS },
	{ .name = "BLOCK", .counter = THREAD_BLOCK_TIME },
	{ .name = "ID", .compare = rows_by_id },
	{ .name = "TID", .compare = rows_by_tid },
	{ .name = "STATE", .compare = rows_by_state },
	{ .name = "KIND", .compare = rows_by_kind },
};

#define KEYS (sizeof(keys) / sizeof(*keys))

/* "CPU|USER|SYS|…" */
static const char *rows_top_order_keys(void)
{
	static struct text names;

	for (size_t i = 0; i < KEYS && (i || !names.len); i++)
		text_printf(&names, "%s%s", i ? "|" : "", keys[i].name);
	return names.bytes;
}

const char *top_order_first(const struct top_order *order, bool *reversed)
{
	if (!order->count)
		return NULL;
	*reversed = order->by[0].reversed;
	return keys[order->by[0].key].name;
}

double top_row_switches(const struct thread_row *row)
{
	return row->rates[THREAD_VOLUNTARY] + row->rates[THREAD_INVOLUNTARY];
}

static int rows_three_way(int64_t a, int64_t b) { return (a > b) - (a < b); }

static int rows_by_name(const struct thread_row *a, const struct thread_row *b)
{
	return strcmp(a->thread->name, b->thread->name);
}

static int rows_by_id(const struct thread_row *a, const struct thread_row *b)
{
	return rows_three_way(a->thread->java_id, b->thread->java_id);
}

static int rows_by_tid(const struct thread_row *a, const struct thread_row *b)
{
	return rows_three_way(a->thread->tid, b->thread->tid);
}

static int rows_by_state(const struct thread_row *a, const struct thread_row *b)
{
	return rows_three_way((int64_t)a->thread->state,
			      (int64_t)b->thread->state);
}

static int rows_by_kind(const struct thread_row *a, const struct thread_row *b)
{
	return rows_three_way((int64_t)a->thread->kind,
			      (int64_t)b->thread->kind);
}

static double rows_rate_of(const struct order_key *key,
			   const struct thread_row *row)
{
	return key->rate ? key->rate(row) : row->rates[key->counter];
}

static int rows_compare_by(const struct order_key *key, bool reversed,
			   const struct thread_row *a,
			   const struct thread_row *b)
{
	double x, y;
	int order;

	if (key->compare) {
		order = key->compare(a, b);
	} else {
		x = rows_rate_of(key, a);
		y = rows_rate_of(key, b);
		if (isnan(x) || isnan(y)) /* NaN is last, reversed or not */
			return (isnan(x) != 0) - (isnan(y) != 0);
		order = (x < y) - (x > y);
	}
	return reversed ? -order : order;
}

static int compare_rows(const void *one, const void *other, void *context)
{
	const struct thread_row *a = one, *b = other;
	const struct top_order *order = context;
	int ret = 0;

	for (size_t i = 0; i < order->count && ret == 0; i++)
		ret = rows_compare_by(&keys[order->by[i].key],
				      order->by[i].reversed, a, b);
	return ret                 ? ret
	       : rows_by_tid(a, b) ? rows_by_tid(a, b)
				   : rows_by_id(a, b);
}

static int rows_add_key(struct line word, struct top_order *order,
			struct error *err)
{
	bool reversed = line_starts(word, "-");

	if (reversed) {
		word.text++;
		word.len--;
	}
	if (order->count == TOP_ORDER_MAX)
		return fail(err, ERROR_MISUSE, "more than %d keys",
			    TOP_ORDER_MAX);
	for (size_t i = 0; i < KEYS; i++) {
		if (strlen(keys[i].name) != word.len ||
		    strncasecmp(keys[i].name, word.text, word.len) != 0)
			continue;
		order->by[order->count].key = (unsigned char)i;
		order->by[order->count++].reversed = reversed;
		return 0;
	}
	return nearest_fail_choice("sort key", word.text, word.len,
				   rows_top_order_keys(), err);
}

int top_order_parse(const char *text, struct top_order *order,
		    struct error *err)
{
	for (;;) {
		struct line word = { text, strcspn(text, ",") };

		if (rows_add_key(line_trimmed(word), order, err))
			return -1;
		text += word.len;
		if (!*text)
			return 0;
		text++;
	}
}

/* Returns the length of the UTF-8 character at `at`; 1 for invalid bytes. */
static size_t rows_character_len(const char *at)
{
	size_t len = 1;

	if ((*at & 0xc0) == 0xc0)
		while (len < 4 && (at[len] & 0xc0) == 0x80)
			len++;
	return len;
}

bool top_glob_matches(const char *glob, const char *name)
{
	const char *star = NULL;   /* the last * of the glob so far */
	const char *resume = NULL; /* the end of its text in the next attempt */

	while (*name) {
		if (*glob == '*') {
			star = glob++;
			resume = name;
		} else if (*glob == '?') {
			glob++;
			name += rows_character_len(name);
		} else if (*glob == *name) {
			glob++;
			name++;
		} else if (star) {
			glob = star + 1;
			resume += rows_character_len(resume);
			name = resume;
		} else {
			return false;
		}
	}
	while (*glob == '*')
		glob++;
	return !*glob;
}

static bool rows_passes(const struct top_filter *f,
			const struct thread_row *row)
{
	const struct thread_sample *t = row->thread;

	if (f->java_only && t->kind != THREAD_JAVA)
		return false;
	/* The CPU time of a new thread is still unknown: show the thread. */
	if (f->hide_idle && !row->is_new && !(row->rates[THREAD_CPU] > 0))
		return false;
	if (f->glob && !top_glob_matches(f->glob, t->name))
		return false;
	return !f->pattern ||
	       pattern_matches(f->pattern, t->name, strlen(t->name));
}

size_t top_rows_select(struct top_rates *rates, const struct top_filter *filter,
		       const struct top_order *order)
{
	struct top_order by = *order;
	size_t count = 0;

	for (size_t i = 0; i < rates->row_count; i++) {
		struct thread_row row = rates->rows[i];

		if (!rows_passes(filter, &row))
			continue;
		rates->rows[i] = rates->rows[count];
		rates->rows[count++] = row;
	}
	if (count)
		qsort_r(rates->rows, count, sizeof(*rates->rows), compare_rows,
			&by);
	return count;
}
