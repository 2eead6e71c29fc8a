/* SPDX-License-Identifier: Apache-2.0 */
/* Groups threads by pool and adds up the values of each pool. */
#include "render/top/top.h"

#include "core/base/alloc.h"
#include "core/threads/pool_name.h"

#include <math.h>

/* Names of ended pools are kept up to this number, then all are dropped. */
enum { NAMES_MAX = 20000 };

struct pool {
	uint32_t id;
	size_t first, last; /* row indexes */
	size_t members;
};

static void pools_drop_names(struct top_pools *p)
{
	intern_release(&p->names);
	for (size_t i = 0; i < p->open_cap; i++)
		p->open[i] = p->all_open;
	for (size_t i = 0; i < p->of_id_cap; i++)
		p->of_id[i] = 0;
}

/* Makes the arrays by pool id large enough for id; new pools are all_open. */
static void pools_reserve_id(struct top_pools *p, uint32_t id)
{
	size_t open_was = p->open_cap, of_id_was = p->of_id_cap;

	array_reserve(p->open, p->open_cap, (size_t)id + 1);
	array_reserve(p->of_id, p->of_id_cap, (size_t)id + 1);
	for (size_t i = open_was; i < p->open_cap; i++)
		p->open[i] = p->all_open;
	for (size_t i = of_id_was; i < p->of_id_cap; i++)
		p->of_id[i] = 0;
}

static struct pool *pool_of(struct top_pools *p, const char *name)
{
	struct pool *pool;
	uint32_t id;

	text_clear(&p->name);
	pool_name(&p->name, name);
	id = intern_id(&p->names, p->name.len ? p->name.bytes : "",
		       p->name.len);
	pools_reserve_id(p, id);
	if (!p->of_id[id]) {
		array_add(p->pools, p->count, p->cap,
			  (struct pool){ .id = id });
		p->of_id[id] = p->count;
	}
	pool = &p->pools[p->of_id[id] - 1];
	return pool;
}

static void pools_assign_rows(struct top_pools *p,
			      const struct thread_row *rows, size_t count)
{
	for (size_t i = 0; i < p->count; i++)
		p->of_id[p->pools[i].id] = 0;
	p->count = 0;
	if (p->names.count > NAMES_MAX + 4 * count)
		pools_drop_names(p);
	array_reserve(p->next, p->next_cap, count);
	for (size_t i = 0; i < count; i++) {
		struct pool *pool = pool_of(p, rows[i].thread->name);

		p->next[i] = 0;
		if (pool->members++)
			p->next[pool->last] = i + 1;
		else
			pool->first = i;
		pool->last = i;
	}
}

static int64_t pool_add_counter(int64_t sum, int64_t counter)
{
	if (counter == COUNTER_ABSENT)
		return sum;
	if (sum == COUNTER_ABSENT)
		return counter;
	return __builtin_add_overflow(sum, counter, &sum) ? INT64_MAX : sum;
}

/* NaN only when both are. */
static double pool_add_rate(double sum, double rate)
{
	return isnan(rate) ? sum : isnan(sum) ? rate : sum + rate;
}

/* Sets the state that most threads of the pool have. */
static void pool_set_state(const struct top_pools *p, const struct pool *pool,
			   const struct thread_row *rows,
			   struct thread_row *row, struct thread_sample *sample)
{
	size_t counts[RUN_STOPPED + 1] = { 0 };

	for (size_t i = pool->first + 1; i; i = p->next[i - 1]) {
		const struct thread_sample *t = rows[i - 1].thread;

		sample->state_is_old |= t->state_is_old;
		if (t->state == RUN_UNKNOWN ||
		    ++counts[t->state] <= row->in_state)
			continue;
		row->in_state = counts[t->state];
		sample->state = t->state;
	}
}

static void pool_add_rows(const struct top_pools *p, const struct pool *pool,
			  const struct thread_row *rows, struct thread_row *row,
			  struct thread_sample *sample)
{
	const struct thread_sample *first = rows[pool->first].thread;

	*row = (struct thread_row){ .thread = sample };
	*sample = (struct thread_sample){
		.name = intern_text(&p->names, pool->id),
		.kind = first->kind,
	};
	for (size_t c = 0; c < THREAD_COUNTERS; c++) {
		row->rates[c] = NAN;
		sample->counters[c] = COUNTER_ABSENT;
	}
	for (size_t i = pool->first + 1; i; i = p->next[i - 1]) {
		const struct thread_row *member = &rows[i - 1];

		for (size_t c = 0; c < THREAD_COUNTERS; c++) {
			row->rates[c] = pool_add_rate(row->rates[c],
						      member->rates[c]);
			sample->counters[c] = pool_add_counter(
				sample->counters[c],
				member->thread->counters[c]);
		}
		sample->alloc_is_coarse |= member->thread->alloc_is_coarse;
	}
	pool_set_state(p, pool, rows, row, sample);
}

/* Sorts the pools like threads; ties are sorted by name. */
static void sort_pools(struct top_pools *p, const struct top_order *order)
{
	const struct top_filter all = { 0 };
	struct top_rates rates = { .rows = p->rows, .row_count = p->count };
	struct top_order by = *order;
	struct error unused;

	if (by.count < TOP_ORDER_MAX)
		top_order_parse("NAME", &by, &unused);
	top_rows_select(&rates, &all, &by);
}

static void pool_add_line(struct top_pools *p, struct top_line line)
{
	array_add(p->lines, p->line_count, p->line_cap, line);
}

static void list_pool(struct top_pools *p, const struct thread_row *sum,
		      const struct pool *pool, const struct thread_row *rows)
{
	bool open = p->open[pool->id];

	if (pool->members == 1) {
		pool_add_line(p,
			      (struct top_line){ .row = &rows[pool->first] });
		return;
	}
	pool_add_line(p, (struct top_line){ .row = sum,
					    .kind = LINE_POOL,
					    .pool = pool->id,
					    .members = pool->members,
					    .is_open = open });
	for (size_t i = pool->first + 1; open && i; i = p->next[i - 1])
		pool_add_line(p, (struct top_line){ .row = &rows[i - 1],
						    .kind = LINE_MEMBER });
}

size_t top_pools_group(struct top_pools *p, const struct thread_row *rows,
		       size_t count, const struct top_order *order)
{
	pools_assign_rows(p, rows, count);
	array_reserve(p->rows, p->row_cap, p->count);
	array_reserve(p->samples, p->sample_cap, p->count);
	for (size_t i = 0; i < p->count; i++)
		pool_add_rows(p, &p->pools[i], rows, &p->rows[i],
			      &p->samples[i]);
	sort_pools(p, order);
	p->line_count = 0;
	for (size_t i = 0; i < p->count; i++) {
		const struct thread_row *sum = &p->rows[i];

		list_pool(p, sum, &p->pools[sum->thread - p->samples], rows);
	}
	return p->line_count;
}

void top_pools_open(struct top_pools *p, uint32_t pool, bool open)
{
	if (pool < p->open_cap)
		p->open[pool] = open;
}

void top_pools_open_all(struct top_pools *p, bool open)
{
	p->all_open = open;
	for (size_t i = 0; i < p->open_cap; i++)
		p->open[i] = open;
}

void top_pools_release(struct top_pools *p)
{
	intern_release(&p->names);
	free(p->open);
	free(p->pools);
	free(p->of_id);
	free(p->next);
	free(p->rows);
	free(p->samples);
	free(p->lines);
	text_release(&p->name);
	*p = (struct top_pools){ 0 };
}
