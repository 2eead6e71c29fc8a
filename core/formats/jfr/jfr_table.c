/* SPDX-License-Identifier: Apache-2.0 */
#include "core/formats/jfr/jfr_table.h"

#include "core/base/alloc.h"
#include "core/base/text.h"
#include "core/formats/jfr/jfr_events.h"

#include <stdlib.h>
#include <string.h>

#define LONGEST_TEXT 1000

/* Places of what is picked: the time, texts, values. */
enum {
	PICK_TIME,
	PICK_TEXTS,
	PICK_VALUES = PICK_TEXTS + EVENT_TABLE_TEXTS,
	PICKS = PICK_VALUES + EVENT_TABLE_VALUES
};

struct jfr_table {
	struct profile *profile;
	struct jfr_pools *pools;
	struct event_table *table;
	struct jfr_layout layout;
	const struct jfr_field *fields[PICKS]; /* NULL: the type has none */
	struct text text;
};

/* An event's own thread and stack trace say where, not what. */
static bool is_place(const struct jfr_field *f)
{
	return strcmp(f->name, "eventThread") == 0 ||
	       strcmp(f->name, "stackTrace") == 0;
}

static bool is_text(const struct jfr_table *jt, const struct jfr_metadata *m,
		    const struct jfr_field *f)
{
	const struct jfr_type *t = jfr_type_by_id(m, f->type_id);

	if (f->is_array || !t || is_place(f))
		return false;
	if (f->in_pool)
		return jfr_pools_has_words(jt->pools, f->type_id);
	return t->wire == JFR_WIRE_STRING;
}

/*
 * jdk.MethodTiming (JDK 25) has the number of calls so far, which is no amount
 * by its annotations, and their average, least and longest time so far.
 */
static bool is_value(const struct event_table *table,
		     const struct jfr_metadata *m, const struct jfr_field *f)
{
	const struct jfr_type *t = jfr_type_by_id(m, f->type_id);

	if (f->in_pool || f->is_array || f->is_moment || !t ||
	    t->wire != JFR_WIRE_VARINT || strcmp(f->name, "startTime") == 0)
		return false;
	return f->unit != JFR_UNIT_NONE || strcmp(f->name, "duration") == 0 ||
	       table->is_running_total;
}

static enum unit unit_of(const struct jfr_field *f)
{
	switch (f->unit) {
	case JFR_UNIT_BYTES:
	case JFR_UNIT_BITS:
		return UNIT_BYTES;
	case JFR_UNIT_NONE:
		return strcmp(f->name, "duration") == 0 ? UNIT_NS
							: UNIT_SAMPLES;
	default:
		return UNIT_NS;
	}
}

static void choose_columns(const struct jfr_table *jt,
			   const struct jfr_metadata *m,
			   const struct jfr_type *t)
{
	struct event_table *table = jt->table;

	table->is_running_total = strcmp(table->name, "jdk.MethodTiming") == 0;
	for (size_t i = 0; i < t->field_count; i++) {
		const struct jfr_field *f = &m->fields[t->first_field + i];

		if (is_text(jt, m, f))
			event_table_add_text(table, f->name);
		else if (is_value(table, m, f))
			event_table_add_value(table, f->name, unit_of(f));
	}
}

/* Another JVM's type of that name may have other fields. */
static bool compile(struct jfr_table *jt, const struct jfr_metadata *m,
		    const struct jfr_type *t)
{
	const struct event_table *table = jt->table;
	const char *names[PICKS] = { "startTime" };

	jt->fields[PICK_TIME] = jfr_type_field(m, t, "startTime");
	for (size_t i = 0; i < table->text_count; i++) {
		const struct jfr_field *f = jfr_type_field(m, t,
							   table->texts[i]);

		if (f && is_text(jt, m, f))
			jt->fields[PICK_TEXTS + i] = f;
		names[PICK_TEXTS + i] = table->texts[i];
	}
	for (size_t i = 0; i < table->value_count; i++) {
		const struct jfr_field *f = jfr_type_field(m, t,
							   table->values[i]);

		if (f && is_value(table, m, f))
			jt->fields[PICK_VALUES + i] = f;
		names[PICK_VALUES + i] = table->values[i];
	}
	return jfr_layout_compile(&jt->layout, m, t, names, PICKS, false);
}

struct jfr_table *jfr_table_new(struct profile *p, struct jfr_pools *pools,
				const struct jfr_metadata *m,
				const struct jfr_type *t)
{
	struct jfr_table *jt = xcalloc(1, sizeof(*jt));

	jt->profile = p;
	jt->pools = pools;
	jt->table = event_table_of(p, jfr_event_name(t));
	if (!jt->table->text_count && !jt->table->value_count)
		choose_columns(jt, m, t);
	if (compile(jt, m, t))
		return jt;
	jfr_table_free(jt);
	return NULL;
}

static uint32_t text_of(struct jfr_table *jt, const struct jfr_field *f,
			uint64_t number, const struct jfr_string *string)
{
	struct text *text = &jt->text;

	text_clear(text);
	if (f && f->in_pool)
		jfr_pools_word(jt->pools, f->type_id, number, text);
	else if (f)
		jfr_pools_text(jt->pools, string, text);
	if (text->len > LONGEST_TEXT)
		text->len = LONGEST_TEXT;
	return profile_string(jt->profile, text->bytes, text->len);
}

/* A value that is missing is Long.MIN_VALUE, and no value is negative. */
static int64_t value_of(const struct jfr_clock *clock,
			const struct jfr_field *f, uint64_t number)
{
	int64_t value = (int64_t)number;
	enum jfr_unit unit = f ? f->unit : JFR_UNIT_NONE;

	if (!f || value < 0)
		return EVENT_VALUE_MISSING;
	if (unit == JFR_UNIT_NONE && strcmp(f->name, "duration") == 0)
		unit = JFR_UNIT_TICKS;
	if (unit == JFR_UNIT_BITS)
		return value / 8;
	return unit == JFR_UNIT_BYTES ? value
				      : jfr_clock_span(clock, value, unit);
}

bool jfr_table_read(struct jfr_table *jt, const struct jfr_clock *clock,
		    struct cursor c)
{
	struct jfr_string strings[PICKS] = { 0 };
	uint64_t numbers[PICKS] = { 0 };
	uint32_t texts[EVENT_TABLE_TEXTS] = { 0 };
	int64_t values[EVENT_TABLE_VALUES] = { 0 };
	const struct jfr_field *time = jt->fields[PICK_TIME];
	int64_t time_ns = 0;

	jfr_layout_read(&jt->layout, &c, numbers, strings);
	if (!cursor_ok(&c))
		return false;
	if (time)
		time_ns = jfr_clock_time(clock, (int64_t)numbers[PICK_TIME],
					 time->unit == JFR_UNIT_NONE
						 ? JFR_UNIT_TICKS
						 : time->unit);
	for (size_t i = 0; i < jt->table->text_count; i++)
		texts[i] = text_of(jt, jt->fields[PICK_TEXTS + i],
				   numbers[PICK_TEXTS + i],
				   &strings[PICK_TEXTS + i]);
	for (size_t i = 0; i < jt->table->value_count; i++)
		values[i] = value_of(clock, jt->fields[PICK_VALUES + i],
				     numbers[PICK_VALUES + i]);
	event_table_add(jt->profile, jt->table, time_ns, texts, values);
	return true;
}

void jfr_table_free(struct jfr_table *jt)
{
	if (!jt)
		return;
	jfr_layout_release(&jt->layout);
	text_release(&jt->text);
	free(jt);
}
