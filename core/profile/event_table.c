/* SPDX-License-Identifier: Apache-2.0 */
#include "core/profile/event_table.h"

#include "core/base/alloc.h"

#include <stdlib.h>
#include <string.h>

static bool table_is_named(const char *name, const char *wanted)
{
	size_t len = strlen(name), tail = strlen(wanted);

	if (strcmp(name, wanted) == 0)
		return true;
	return tail && len > tail && name[len - tail - 1] == '.' &&
	       strcmp(name + len - tail, wanted) == 0;
}

bool event_table_is_wanted(const struct profile *p, const char *name)
{
	return p->wants_tables &&
	       (!*p->wants_tables || table_is_named(name, p->wants_tables));
}

struct event_table *event_table_of(struct profile *p, const char *name)
{
	uint32_t string = profile_string(p, name, strlen(name));
	uint32_t at = map64_get(&p->table_ids, string);
	struct event_table *t;

	if (at != MAP64_NONE)
		return p->tables[at];
	map64_add(&p->table_ids, string, (uint32_t)p->table_count);
	t = xcalloc(1, sizeof(*t));
	t->name = xstrdup(name);
	array_add(p->tables, p->table_count, p->table_cap, t);
	return t;
}

const struct event_table *event_table_find(const struct profile *p,
					   const char *name)
{
	const struct event_table *found = NULL;

	for (size_t i = 0; i < p->table_count; i++) {
		const struct event_table *t = p->tables[i];

		if (!t->count || !table_is_named(t->name, name))
			continue;
		if (strcmp(t->name, name) == 0)
			return t;
		if (found)
			return NULL;
		found = t;
	}
	return found;
}

bool event_table_add_text(struct event_table *t, const char *name)
{
	if (t->text_count == EVENT_TABLE_TEXTS)
		return false;
	t->texts[t->text_count++] = xstrdup(name);
	return true;
}

bool event_table_add_value(struct event_table *t, const char *name,
			   enum unit unit)
{
	if (t->value_count == EVENT_TABLE_VALUES)
		return false;
	t->values[t->value_count] = xstrdup(name);
	t->units[t->value_count++] = unit;
	return true;
}

static bool table_wants_time(const struct profile *p, int64_t time_ns)
{
	if (!time_ns)
		return true;
	return time_ns >= p->from_ns && time_ns < p->to_ns &&
	       (!p->wants_time || p->wants_time(p->wants_time_self, time_ns));
}

static struct event_row *table_row(struct profile *p, struct event_table *t,
				   const uint32_t *texts)
{
	static const char others[] = "[others]";
	uint32_t key[EVENT_TABLE_TEXTS] = { 0 };
	struct event_row *row;
	uint32_t id;

	memcpy(key, texts, t->text_count * sizeof(*key));
	id = intern_find(&t->row_ids, key, sizeof(key));
	if (id)
		return &t->rows[id - 1];
	if (t->row_count == EVENT_TABLE_ROWS)
		return &t->rows[EVENT_TABLE_ROWS - 1];
	if (t->row_count == EVENT_TABLE_ROWS - 1)
		for (size_t i = 0; i < t->text_count; i++)
			key[i] = profile_string(p, others, sizeof(others) - 1);
	array_reserve(t->rows, t->row_cap, t->row_count + 1);
	row = &t->rows[t->row_count++];
	*row = (struct event_row){ 0 };
	memcpy(row->texts, key, sizeof(key));
	if (t->row_count < EVENT_TABLE_ROWS)
		intern_id(&t->row_ids, key, sizeof(key));
	return row;
}

static void row_add_value(struct event_sum *s, int64_t value, bool is_last)
{
	uint64_t amount = (uint64_t)value;

	if (value < 0)
		return;
	s->count++;
	if (__builtin_add_overflow(s->sum, amount, &s->sum))
		s->sum = UINT64_MAX;
	if (amount > s->most)
		s->most = amount;
	if (is_last)
		s->last = amount;
}

void event_table_add(struct profile *p, struct event_table *t, int64_t time_ns,
		     const uint32_t *texts, const int64_t *values)
{
	struct event_row *row;
	bool is_last;

	if (!table_wants_time(p, time_ns))
		return;
	t->count++;
	row = table_row(p, t, texts);
	is_last = time_ns >= row->last_ns;
	row->count++;
	for (size_t i = 0; i < t->value_count; i++)
		row_add_value(&row->values[i], values[i], is_last);
	if (is_last)
		row->last_ns = time_ns;
}

static int compare_value(const void *a, const void *b)
{
	const struct event_row *left = a, *right = b;

	if (left->values[0].sum != right->values[0].sum)
		return left->values[0].sum > right->values[0].sum ? -1 : 1;
	if (left->count != right->count)
		return left->count > right->count ? -1 : 1;
	return memcmp(left->texts, right->texts, sizeof(left->texts));
}

void event_table_sort(struct event_table *t)
{
	if (t->row_count)
		qsort(t->rows, t->row_count, sizeof(*t->rows), compare_value);
	/* Sorting has invalidated the row ids. */
	intern_release(&t->row_ids);
}

void event_table_free(struct event_table *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < EVENT_TABLE_TEXTS; i++)
		free(t->texts[i]);
	for (size_t i = 0; i < EVENT_TABLE_VALUES; i++)
		free(t->values[i]);
	free(t->name);
	free(t->rows);
	intern_release(&t->row_ids);
	free(t);
}
