/* SPDX-License-Identifier: Apache-2.0 */
#include "core/formats/jfr/jfr_events.h"

#include "core/base/alloc.h"
#include "core/base/cursor.h"
#include "core/base/text.h"
#include "core/formats/jfr/first_weights.h"
#include "core/formats/jfr/jfr_metadata.h"
#include "core/formats/jfr/jfr_pool.h"
#include "core/profile/event_table.h"
#include "core/profile/event_view.h"
#include "core/profile/event_watch.h"

#include <stdlib.h>
#include <string.h>

/*
 * jfr_table: reads one chunk's events of a type into a table.
 *
 * Only the metadata of the type is known: text columns are strings and names in
 * constant pools, values are fields annotated as time spans or amounts of data.
 */

#define LONGEST_TEXT 1000

/* Slots of picked fields: the time, texts, values. */
enum {
	COLUMN_TIME,
	COLUMN_TEXTS,
	COLUMN_VALUES = COLUMN_TEXTS + EVENT_TABLE_TEXTS,
	COLUMNS = COLUMN_VALUES + EVENT_TABLE_VALUES
};

struct jfr_table {
	struct profile *profile;
	struct jfr_pools *pools;
	struct event_table *table;
	struct jfr_layout layout;
	const struct jfr_field
		*fields[COLUMNS]; /* NULL = the type lacks the column */
	struct text text;
};

/* True for the event's own thread and stack trace, which are not columns. */
static bool table_is_place(const struct jfr_field *f)
{
	return strcmp(f->name, "eventThread") == 0 ||
	       strcmp(f->name, "stackTrace") == 0;
}

static bool table_is_text(const struct jfr_table *jt,
			  const struct jfr_metadata *m,
			  const struct jfr_field *f)
{
	const struct jfr_type *t = jfr_type_by_id(m, f->type_id);

	if (f->is_array || !t || table_is_place(f))
		return false;
	if (f->in_pool)
		return jfr_pools_has_words(jt->pools, f->type_id);
	return t->wire == JFR_WIRE_STRING;
}

/*
 * jdk.MethodTiming (JDK 25) has the total number of calls, which is not
 * annotated as an amount, and their average, minimum and maximum time.
 */
static bool table_is_value(const struct event_table *table,
			   const struct jfr_metadata *m,
			   const struct jfr_field *f)
{
	const struct jfr_type *t = jfr_type_by_id(m, f->type_id);

	if (f->in_pool || f->is_array || f->is_moment || !t ||
	    t->wire != JFR_WIRE_VARINT || strcmp(f->name, "startTime") == 0)
		return false;
	return f->unit != JFR_UNIT_NONE || strcmp(f->name, "duration") == 0 ||
	       table->is_running_total;
}

static enum unit table_unit(const struct jfr_field *f)
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

static void table_choose_columns(const struct jfr_table *jt,
				 const struct jfr_metadata *m,
				 const struct jfr_type *t)
{
	struct event_table *table = jt->table;

	table->is_running_total = strcmp(table->name, "jdk.MethodTiming") == 0;
	for (size_t i = 0; i < t->field_count; i++) {
		const struct jfr_field *f = &m->fields[t->first_field + i];

		if (table_is_text(jt, m, f))
			event_table_add_text(table, f->name);
		else if (table_is_value(table, m, f))
			event_table_add_value(table, f->name, table_unit(f));
	}
}

/* The type of another JVM may have other fields. */
static bool table_compile(struct jfr_table *jt, const struct jfr_metadata *m,
			  const struct jfr_type *t)
{
	const struct event_table *table = jt->table;
	const char *names[COLUMNS] = { "startTime" };

	jt->fields[COLUMN_TIME] = jfr_type_field(m, t, "startTime");
	for (size_t i = 0; i < table->text_count; i++) {
		const struct jfr_field *f = jfr_type_field(m, t,
							   table->texts[i]);

		if (f && table_is_text(jt, m, f))
			jt->fields[COLUMN_TEXTS + i] = f;
		names[COLUMN_TEXTS + i] = table->texts[i];
	}
	for (size_t i = 0; i < table->value_count; i++) {
		const struct jfr_field *f = jfr_type_field(m, t,
							   table->values[i]);

		if (f && table_is_value(table, m, f))
			jt->fields[COLUMN_VALUES + i] = f;
		names[COLUMN_VALUES + i] = table->values[i];
	}
	return jfr_layout_compile(&jt->layout, m, t, names, COLUMNS, false);
}

/* NULL is allowed. */
static void jfr_table_free(struct jfr_table *jt)
{
	if (!jt)
		return;
	jfr_layout_release(&jt->layout);
	text_release(&jt->text);
	free(jt);
}

/* Returns NULL if the type's events cannot be read. */
static struct jfr_table *jfr_table_new(struct profile *p,
				       struct jfr_pools *pools,
				       const struct jfr_metadata *m,
				       const struct jfr_type *t)
{
	struct jfr_table *jt = xcalloc(1, sizeof(*jt));

	jt->profile = p;
	jt->pools = pools;
	jt->table = event_table_of(p, jfr_event_name(t));
	if (!jt->table->text_count && !jt->table->value_count)
		table_choose_columns(jt, m, t);
	if (table_compile(jt, m, t))
		return jt;
	jfr_table_free(jt);
	return NULL;
}

static uint32_t table_text(struct jfr_table *jt, const struct jfr_field *f,
			   uint64_t number, const struct jfr_string *string)
{
	struct text *text = &jt->text;

	text_clear(text);
	if (f && f->in_pool)
		jfr_pools_word(jt->pools, f->type_id, number, text);
	else if (f)
		jfr_pools_text(jt->pools, string, text);
	if (text->len > LONGEST_TEXT) {
		text->len = LONGEST_TEXT;
		/* Cut before a UTF-8 character that does not fit. */
		while (text->len && (text->bytes[text->len] & 0xc0) == 0x80)
			text->len--;
	}
	return profile_string(jt->profile, text->bytes, text->len);
}

/* A missing value is Long.MIN_VALUE; valid values are not negative. */
static int64_t table_value(const struct jfr_clock *clock,
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

/*
 * Reads one event, whose type id has been read from c.  Returns false if the
 * event is damaged.
 */
static bool jfr_table_read(struct jfr_table *jt, const struct jfr_clock *clock,
			   struct cursor c)
{
	struct jfr_string strings[COLUMNS] = { 0 };
	uint64_t numbers[COLUMNS] = { 0 };
	uint32_t texts[EVENT_TABLE_TEXTS] = { 0 };
	int64_t values[EVENT_TABLE_VALUES] = { 0 };
	const struct jfr_field *time = jt->fields[COLUMN_TIME];
	int64_t time_ns = 0;

	jfr_layout_read(&jt->layout, &c, numbers, strings);
	if (!cursor_ok(&c))
		return false;
	if (time)
		time_ns = jfr_clock_time(clock, (int64_t)numbers[COLUMN_TIME],
					 time->unit == JFR_UNIT_NONE
						 ? JFR_UNIT_TICKS
						 : time->unit);
	for (size_t i = 0; i < jt->table->text_count; i++)
		texts[i] = table_text(jt, jt->fields[COLUMN_TEXTS + i],
				      numbers[COLUMN_TEXTS + i],
				      &strings[COLUMN_TEXTS + i]);
	for (size_t i = 0; i < jt->table->value_count; i++)
		values[i] = table_value(clock, jt->fields[COLUMN_VALUES + i],
					numbers[COLUMN_VALUES + i]);
	event_table_add(jt->profile, jt->table, time_ns, texts, values);
	return true;
}

/*
 * jfr_watched: gives one chunk's events of a type to the caller of the reader
 * (core/profile/event_watch.h).
 */

struct jfr_watched {
	const struct event_watch *watch;
	size_t index; /* of the type, in watch */
	struct jfr_pools *pools;
	struct jfr_layout layout;
	/* NULL = the type lacks the field. */
	const struct jfr_field *fields[EVENT_WATCH_FIELDS];
	struct text texts[EVENT_WATCH_FIELDS];
};

/* Returns the field called name, or the field "outer.inner" of a struct. */
static const struct jfr_field *watched_field(const struct jfr_metadata *m,
					     const struct jfr_type *t,
					     const char *name)
{
	const char *dot = strchr(name, '.');
	const struct jfr_field *outer;

	if (!dot)
		return jfr_type_field(m, t, name);
	for (size_t i = 0; i < t->field_count; i++) {
		outer = &m->fields[t->first_field + i];
		if (strlen(outer->name) != (size_t)(dot - name) ||
		    strncmp(outer->name, name, (size_t)(dot - name)) != 0)
			continue;
		t = jfr_type_by_id(m, outer->type_id);
		return t && !outer->in_pool && !outer->is_array
			       ? jfr_type_field(m, t, dot + 1)
			       : NULL;
	}
	return NULL;
}

static void jfr_watched_free(struct jfr_watched *w)
{
	if (!w)
		return;
	jfr_layout_release(&w->layout);
	for (size_t i = 0; i < EVENT_WATCH_FIELDS; i++)
		text_release(&w->texts[i]);
	free(w);
}

/* Returns NULL unless events of that type are watched. */
static struct jfr_watched *jfr_watched_new(const struct event_watch *watch,
					   struct jfr_pools *pools,
					   const struct jfr_metadata *m,
					   const struct jfr_type *t)
{
	const char *name = jfr_event_name(t);
	struct jfr_watched *w;
	size_t i = 0;

	while (i < watch->type_count &&
	       strcmp(watch->types[i].event, name) != 0)
		i++;
	if (i == watch->type_count)
		return NULL;
	w = xcalloc(1, sizeof(*w));
	w->watch = watch;
	w->index = i;
	w->pools = pools;
	for (size_t f = 0; f < EVENT_WATCH_FIELDS; f++) {
		if (watch->types[i].fields[f])
			w->fields[f] = watched_field(m, t,
						     watch->types[i].fields[f]);
	}
	if (jfr_layout_compile(&w->layout, m, t, watch->types[i].fields,
			       EVENT_WATCH_FIELDS, false))
		return w;
	jfr_watched_free(w);
	return NULL;
}

static int64_t watched_number(const struct jfr_clock *clock,
			      const struct jfr_field *f, uint64_t number)
{
	int64_t value = (int64_t)number;
	bool is_start = strcmp(f->name, "startTime") == 0;
	bool is_span = strcmp(f->name, "duration") == 0;
	enum jfr_unit unit = f->unit;

	if (unit == JFR_UNIT_NONE && (is_start || is_span))
		unit = JFR_UNIT_TICKS;
	if (unit == JFR_UNIT_NONE || unit == JFR_UNIT_BYTES || f->in_pool)
		return value;
	if (unit == JFR_UNIT_BITS)
		return value / 8;
	return is_start || f->is_moment ? jfr_clock_time(clock, value, unit)
					: jfr_clock_span(clock, value, unit);
}

/*
 * Reads one event, whose type id has been read from c.  Returns false if the
 * event is damaged.
 */
static bool jfr_watched_read(struct jfr_watched *w,
			     const struct jfr_clock *clock, struct cursor c)
{
	struct jfr_string strings[EVENT_WATCH_FIELDS] = { 0 };
	uint64_t numbers[EVENT_WATCH_FIELDS] = { 0 };
	struct watched_value values[EVENT_WATCH_FIELDS];

	jfr_layout_read(&w->layout, &c, numbers, strings);
	if (!cursor_ok(&c))
		return false;
	for (size_t i = 0; i < EVENT_WATCH_FIELDS; i++) {
		const struct jfr_field *f = w->fields[i];
		struct text *text = &w->texts[i];

		values[i] = (struct watched_value){ .text = "" };
		if (!f)
			continue;
		values[i].is_known = true;
		values[i].number = watched_number(clock, f, numbers[i]);
		text_clear(text);
		if (f->in_pool)
			jfr_pools_word(w->pools, f->type_id, numbers[i], text);
		else
			jfr_pools_text(w->pools, &strings[i], text);
		if (text->len)
			values[i].text = text->bytes;
	}
	w->watch->seen(w->watch->self, w->index, values);
	return true;
}

#define DENSE_IDS 65536 /* larger type ids are looked up by hash */

/* Fields that are read from an event. */
enum {
	PICK_TIME,
	PICK_STACK,
	PICK_THREAD,
	PICK_STATE,
	PICK_WEIGHT,
	PICK_FAILED,
	PICK_CLASS,
	PICK_OBJECT,
	PICK_OWNER,
	PICK_METHOD,
	PICKS
};

struct jfr_event_type {
	const char *name;
	const char *remark; /* for counts of lost events: text of the remark */
	struct jfr_table
		*table; /* table that the events are added to, or NULL */
	struct jfr_watched *watched; /* or NULL */
	struct jfr_layout layout;
	enum unit unit;
	enum jfr_unit time_unit;
	enum jfr_unit weight_unit;
	bool has_time, has_weight;
	bool has_state; /* the event has a state; otherwise key 0 would mean new
			   or running */
	bool is_allocation;  /* the first weights need correction
				(first_weights.h) */
	bool says_allocated; /* jdk.ThreadAllocationStatistics */
	bool is_unwanted;    /* its stack traces are, by wants_stacks */
	uint32_t event; /* id in the profile + 1; 0 until the first sample */
};

/*
 * The weight of events to which the general rule does not apply. A NULL field
 * weighs 1. CPU-time samples have the CPU time that each stands for (JEP 509);
 * allocation samples the bytes allocated since the previous one (JDK 16).
 */
static const struct {
	const char *event, *field;
	enum unit unit;
} weights[] = {
	{ "jdk.ExecutionSample", NULL, UNIT_SAMPLES },
	{ "jdk.NativeMethodSample", NULL, UNIT_SAMPLES },
	{ "jdk.CPUTimeSample", "samplingPeriod", UNIT_NS },
	{ "profiler.WallClockSample", "samples", UNIT_SAMPLES },
	{ "jdk.ObjectAllocationSample", "weight", UNIT_BYTES },
	{ "jdk.ObjectAllocationInNewTLAB", "tlabSize", UNIT_BYTES },
	{ "jdk.ObjectAllocationOutsideTLAB", "allocationSize", UNIT_BYTES },
	{ "jdk.OldObjectSample", NULL, UNIT_SAMPLES },
	{ "jdk.JavaExceptionThrow", NULL, UNIT_SAMPLES },
	{ "jdk.JavaErrorThrow", NULL, UNIT_SAMPLES },
};

/* Events without a stack trace whose number is a loss of the JVM itself. */
static const struct {
	const char *event, *field, *remark;
} remarks[] = {
	{ "jdk.CPUTimeSamplesLost", "lostSamples",
	  "CPU-time samples that the JVM lost" },
	{ "jdk.DataLoss", "amount", "bytes of events that the JVM lost" },
};

/* The general rule: the first of these fields that the event has. */
static const struct {
	const char *field;
	enum unit unit;
} general_weights[] = {
	{ "duration", UNIT_NS },
	{ "weight", UNIT_SAMPLES },
	{ "allocationSize", UNIT_BYTES },
	{ "size", UNIT_BYTES },
};

/* JDK 9 and 10 use com.oracle.jdk.ExecutionSample, which ends with the name. */
const char *jfr_event_name(const struct jfr_type *t)
{
	static const char old[] = "com.oracle.jdk.";

	if (strncmp(t->name, old, sizeof(old) - 1) == 0)
		return t->name + strlen("com.oracle.");
	return t->name;
}

/*
 * Returns the first field of type t whose type is called short_name, or NULL.
 */
static const struct jfr_field *type_field_of(const struct jfr_metadata *m,
					     const struct jfr_type *t,
					     const char *short_name)
{
	for (size_t i = 0; i < t->field_count; i++) {
		const struct jfr_field *f = &m->fields[t->first_field + i];
		const struct jfr_type *ft = jfr_type_by_id(m, f->type_id);

		if (ft && f->in_pool && !f->is_array &&
		    strcmp(jfr_type_short_name(ft), short_name) == 0)
			return f;
	}
	return NULL;
}

/*
 * Without an annotation, a time is in ticks: all JVMs write these two fields
 * so.
 */
static enum jfr_unit type_time_unit(const struct jfr_field *f)
{
	return f->unit == JFR_UNIT_NONE ? JFR_UNIT_TICKS : f->unit;
}

/*
 * Returns the field with the thread of the stack trace, which is neither the
 * owner nor the parent in the event.
 */
static const struct jfr_field *type_thread_field(const struct jfr_metadata *m,
						 const struct jfr_type *t)
{
	static const char *const names[] = { "sampledThread", "eventThread" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const struct jfr_field *f = jfr_type_field(m, t, names[i]);

		if (f && f->in_pool)
			return f;
	}
	return NULL;
}

/* Returns a field that is a key of a pool of type short_name, or NULL. */
static const struct jfr_field *type_pool_field(const struct jfr_metadata *m,
					       const struct jfr_type *t,
					       const char *name,
					       const char *short_name)
{
	const struct jfr_field *f = jfr_type_field(m, t, name);
	const struct jfr_type *ft = f ? jfr_type_by_id(m, f->type_id) : NULL;

	if (!ft || !f->in_pool || f->is_array ||
	    strcmp(jfr_type_short_name(ft), short_name) != 0)
		return NULL;
	return f;
}

/* Returns the field with the class that was allocated, locked or parked on. */
static const struct jfr_field *type_class_field(const struct jfr_metadata *m,
						const struct jfr_type *t)
{
	static const char *const names[] = { "objectClass", "monitorClass",
					     "parkedClass" };
	const struct jfr_field *f = NULL;

	for (size_t i = 0; !f && i < sizeof(names) / sizeof(*names); i++)
		f = type_pool_field(m, t, names[i], "Class");
	return f;
}

static const struct jfr_field *type_number_field(const struct jfr_metadata *m,
						 const struct jfr_type *t,
						 const char *name)
{
	const struct jfr_field *f = jfr_type_field(m, t, name);
	const struct jfr_type *ft = f ? jfr_type_by_id(m, f->type_id) : NULL;

	if (!f || f->in_pool || f->is_array || !ft ||
	    ft->wire != JFR_WIRE_VARINT)
		return NULL;
	return f;
}

static const struct jfr_field *type_weight_field(const struct jfr_metadata *m,
						 const struct jfr_type *t,
						 enum unit *unit)
{
	*unit = UNIT_SAMPLES;
	for (size_t i = 0; i < sizeof(weights) / sizeof(*weights); i++) {
		if (strcmp(weights[i].event, jfr_event_name(t)) == 0) {
			*unit = weights[i].unit;
			return weights[i].field
				       ? type_number_field(m, t,
							   weights[i].field)
				       : NULL;
		}
	}
	for (size_t i = 0;
	     i < sizeof(general_weights) / sizeof(*general_weights); i++) {
		const struct jfr_field *f = type_number_field(
			m, t, general_weights[i].field);

		if (f) {
			*unit = general_weights[i].unit;
			if (f->unit == JFR_UNIT_BYTES)
				*unit = UNIT_BYTES;
			return f;
		}
	}
	return NULL;
}

static bool type_compile(struct jfr_event_type *et,
			 const struct jfr_metadata *m, const struct jfr_type *t)
{
	const struct jfr_field *fields[PICKS] = { 0 };
	const char *names[PICKS] = { 0 };

	fields[PICK_TIME] = type_number_field(m, t, "startTime");
	fields[PICK_STACK] = type_field_of(m, t, "StackTrace");
	fields[PICK_THREAD] = type_thread_field(m, t);
	fields[PICK_STATE] = type_field_of(m, t, "ThreadState");
	fields[PICK_WEIGHT] = type_weight_field(m, t, &et->unit);
	fields[PICK_CLASS] = type_class_field(m, t);
	fields[PICK_OBJECT] = type_pool_field(m, t, "object", "OldObject");
	fields[PICK_OWNER] = type_pool_field(m, t, "previousOwner", "Thread");
	/* In other events, a field of this name may mean anything. */
	if (strcmp(jfr_event_name(t), "jdk.CPUTimeSample") == 0)
		fields[PICK_FAILED] = jfr_type_field(m, t, "failed");
	if (strcmp(jfr_event_name(t), "jdk.MethodTrace") == 0)
		fields[PICK_METHOD] = type_pool_field(m, t, "method", "Method");
	for (size_t i = 0; i < PICKS; i++)
		names[i] = fields[i] ? fields[i]->name : NULL;
	et->name = jfr_event_name(t);
	et->has_state = fields[PICK_STATE] != NULL;
	et->has_time = fields[PICK_TIME] != NULL;
	if (et->has_time)
		et->time_unit = type_time_unit(fields[PICK_TIME]);
	et->has_weight = fields[PICK_WEIGHT] != NULL;
	if (et->has_weight) {
		et->weight_unit = fields[PICK_WEIGHT]->unit;
		if (strcmp(fields[PICK_WEIGHT]->name, "duration") == 0)
			et->weight_unit = type_time_unit(fields[PICK_WEIGHT]);
	}
	et->is_allocation = et->has_time && et->has_weight &&
			    strcmp(et->name, "jdk.ObjectAllocationSample") == 0;
	return jfr_layout_compile(&et->layout, m, t, names, PICKS, false);
}

/* Old samples of the wall clock have the type of samples of the CPU. */
static bool type_is_wanted(const struct profile *p, const char *name)
{
	return !p->wants_stacks || event_view_may_have(p->wants_stacks, name) ||
	       (strcmp(name, "jdk.ExecutionSample") == 0 &&
		event_view_may_have(p->wants_stacks, JFR_WALL_SAMPLE));
}

/*
 * Compiles jdk.ThreadAllocationStatistics, the totals that threads allocated.
 */
static bool type_compile_allocated(struct jfr_event_type *et,
				   const struct jfr_metadata *m,
				   const struct jfr_type *t)
{
	const struct jfr_field *time = type_number_field(m, t, "startTime");
	const char *const names[PICKS] = {
		[PICK_TIME] = "startTime",
		[PICK_THREAD] = "thread",
		[PICK_WEIGHT] = "allocated",
	};

	if (strcmp(jfr_event_name(t), "jdk.ThreadAllocationStatistics") != 0 ||
	    !time || !type_pool_field(m, t, "thread", "Thread") ||
	    !type_number_field(m, t, "allocated"))
		return false;
	et->name = jfr_event_name(t);
	et->says_allocated = true;
	et->time_unit = type_time_unit(time);
	return jfr_layout_compile(&et->layout, m, t, names, PICKS, false);
}

static bool type_compile_remark(struct jfr_event_type *et,
				const struct jfr_metadata *m,
				const struct jfr_type *t)
{
	const char *names[PICKS] = { 0 };

	et->name = t->name;
	for (size_t i = 0; i < sizeof(remarks) / sizeof(*remarks); i++) {
		if (strcmp(t->name, remarks[i].event) == 0 &&
		    type_number_field(m, t, remarks[i].field)) {
			et->remark = remarks[i].remark;
			names[PICK_WEIGHT] = remarks[i].field;
		}
	}
	return et->remark &&
	       jfr_layout_compile(&et->layout, m, t, names, PICKS, false);
}

/* Compiles an event without a stack trace; false if it is not used. */
static bool type_compile_other(struct jfr_events *es, struct jfr_event_type *et,
			       const struct jfr_metadata *m,
			       const struct jfr_type *t)
{
	bool is_read = type_compile_remark(et, m, t) ||
		       type_compile_allocated(et, m, t);

	if (event_table_is_wanted(es->profile, jfr_event_name(t)))
		et->table = jfr_table_new(es->profile, es->pools, m, t);
	return is_read || et->table;
}

static void type_release(struct jfr_event_type *et)
{
	jfr_table_free(et->table);
	jfr_watched_free(et->watched);
	jfr_layout_release(&et->layout);
	*et = (struct jfr_event_type){ 0 };
}

static void events_add_type(struct jfr_events *es, uint64_t id, size_t index)
{
	if (id < DENSE_IDS && index < UINT16_MAX)
		es->dense[id] = (uint16_t)(index + 1);
	else
		map64_add(&es->others, id, (uint32_t)index);
}

void jfr_events_begin(struct jfr_events *es, struct profile *p,
		      struct jfr_pools *pools, struct first_weights *firsts,
		      const struct jfr_metadata *m,
		      const struct jfr_clock *clock, int64_t longest_ns)
{
	jfr_events_release(es);
	es->longest_ns = longest_ns;
	es->firsts = firsts;
	es->profile = p;
	es->pools = pools;
	es->clock = *clock;
	es->types = xcalloc(m->type_count, sizeof(*es->types));
	for (size_t i = 0; i < m->type_count; i++) {
		if (m->types[i].id < DENSE_IDS &&
		    m->types[i].id >= es->dense_count)
			es->dense_count = (size_t)m->types[i].id + 1;
	}
	es->dense = xcalloc(es->dense_count, sizeof(*es->dense));
	for (size_t i = 0; i < m->type_count; i++) {
		const struct jfr_type *t = &m->types[i];
		struct jfr_event_type *et = &es->types[es->type_count];
		bool has_stack;

		if (!t->is_event)
			continue;
		if (p->watch) {
			et->watched = jfr_watched_new(p->watch, pools, m, t);
			if (et->watched)
				events_add_type(es, t->id, es->type_count++);
			continue;
		}
		has_stack = type_field_of(m, t, "StackTrace") != NULL;
		if (has_stack ? type_compile(et, m, t)
			      : type_compile_other(es, et, m, t)) {
			et->is_unwanted = has_stack &&
					  !type_is_wanted(p, et->name);
			events_add_type(es, t->id, es->type_count++);
			continue;
		}
		type_release(et);
		if (has_stack)
			profile_lost(p,
				     "event types with an unsupported layout",
				     1, "%s", t->name);
	}
}

static uint64_t events_weight(const struct jfr_clock *clock,
			      const struct jfr_event_type *et, uint64_t value)
{
	int64_t weight = (int64_t)value;

	if (!et->has_weight)
		return 1;
	if (et->unit == UNIT_NS)
		weight = jfr_clock_span(clock, weight, et->weight_unit);
	else if (et->weight_unit == JFR_UNIT_BITS)
		weight /= 8;
	/* A clock that was set back yields negative durations. */
	return weight > 0 ? (uint64_t)weight : 0;
}

static struct jfr_event_type *events_find_type(struct jfr_events *es,
					       uint64_t id)
{
	size_t index = SIZE_MAX;

	if (id < es->dense_count)
		index = (size_t)es->dense[id] - 1;
	else if (map64_get(&es->others, id) != MAP64_NONE)
		index = map64_get(&es->others, id);
	return index < es->type_count ? &es->types[index] : NULL;
}

static uint32_t events_with_class(struct jfr_events *es, uint32_t stack,
				  const uint64_t v[PICKS])
{
	struct jfr_classed *known;
	uint32_t name = 0;

	if (v[PICK_CLASS])
		name = jfr_pools_class(es->pools, v[PICK_CLASS]);
	else if (v[PICK_OBJECT])
		name = jfr_pools_object_class(es->pools, v[PICK_OBJECT]);
	if (!stack || !name)
		return stack;
	known = &es->classed[(stack * 31 + name) % JFR_CLASSED];
	if (known->stack != stack || known->class_name != name)
		*known = (struct jfr_classed){
			.stack = stack,
			.class_name = name,
			.with_class = profile_push_class(es->profile, stack,
							 name),
		};
	return known->with_class;
}

/*
 * Returns the stack trace with the traced method as its leaf: the JDK's begins
 * with the method's caller, async-profiler's with the method.
 */
static uint32_t events_with_method(struct jfr_events *es, uint32_t stack,
				   uint64_t method)
{
	struct profile *p = es->profile;
	const struct jfr_site site = { .method = method, .type = UINT32_MAX };
	uint32_t id = method ? jfr_pools_frame(es->pools, &site) : 0;
	const struct frame *traced = &p->frames[id];
	const struct frame *leaf = &p->frames[p->stacks[stack].frame];

	if (!id || (stack && leaf->class_name == traced->class_name &&
		    leaf->method == traced->method))
		return stack;
	return profile_push(p, stack, id);
}

/*
 * Returns the sample's time, or 0 if it is damaged. Events are written when
 * they end, so a long event may begin at any time before the chunk.
 */
static int64_t events_sample_time(struct jfr_events *es,
				  const struct jfr_event_type *et,
				  const uint64_t v[PICKS], uint64_t weight)
{
	int64_t at = jfr_clock_time(&es->clock, (int64_t)v[PICK_TIME],
				    et->time_unit);
	int64_t since; /* the chunk's start */

	if (at && !__builtin_sub_overflow(at, es->clock.start_ns, &since) &&
	    since <= es->longest_ns) {
		/* If the event began before the chunk, its end decides. */
		if (since < 0 && et->has_weight && et->unit == UNIT_NS)
			since += (int64_t)weight;
		if (since >= -es->longest_ns)
			return at;
	}
	es->wild_times++;
	return 0;
}

/* Reads an event that is not a sample: false if it is a sample. */
static bool events_read_other(struct jfr_events *es,
			      const struct jfr_event_type *et,
			      const uint64_t *v)
{
	if (et->remark)
		profile_note(es->profile, et->remark, v[PICK_WEIGHT], "%s",
			     et->name);
	else if (et->says_allocated && v[PICK_THREAD])
		first_weights_allocated(
			es->firsts, jfr_pools_thread(es->pools, v[PICK_THREAD]),
			jfr_clock_time(&es->clock, (int64_t)v[PICK_TIME],
				       et->time_unit),
			v[PICK_WEIGHT]);
	return et->remark || et->says_allocated;
}

/* Gives samples of the wall clock, and only these, their own event. */
static void events_split_wall(struct jfr_events *es,
			      const struct jfr_event_type *et, struct sample *s)
{
	if (strcmp(et->name, "jdk.ExecutionSample") == 0 &&
	    (!es->wall->beside || s->state != STATE_RUNNABLE))
		s->event = profile_event(es->profile, JFR_WALL_SAMPLE,
					 UNIT_SAMPLES);
}

bool jfr_events_have_unwanted(const struct jfr_events *es)
{
	for (size_t i = 0; i < es->type_count; i++)
		if (es->types[i].is_unwanted)
			return true;
	return false;
}

void jfr_events_note_stack(struct jfr_events *es, uint64_t type_id,
			   struct cursor c, struct map64 *keys)
{
	const struct jfr_event_type *et = events_find_type(es, type_id);
	uint64_t v[PICKS] = { 0 };

	if (!et || et->is_unwanted || et->watched || et->table)
		return;
	jfr_layout_read(&et->layout, &c, v, NULL);
	if (cursor_ok(&c) && v[PICK_STACK])
		map64_add(keys, v[PICK_STACK], 0);
}

void jfr_events_read(struct jfr_events *es, uint64_t type_id, struct cursor c)
{
	struct jfr_event_type *et = events_find_type(es, type_id);
	struct sample *s = &es->batch[es->batch_len];
	uint64_t v[PICKS] = { 0 };

	if (!et)
		return;
	if (et->watched) {
		if (jfr_watched_read(et->watched, &es->clock, c))
			es->read++;
		else
			es->damaged++;
		return;
	}
	if (et->table && !jfr_table_read(et->table, &es->clock, c)) {
		es->damaged++;
		return;
	}
	if (et->table && !et->remark && !et->says_allocated)
		return;
	jfr_layout_read(&et->layout, &c, v, NULL);
	if (!cursor_ok(&c)) {
		es->damaged++;
		return;
	}
	if (events_read_other(es, et, v))
		return;
	if (!et->event)
		et->event = profile_event(es->profile, et->name, et->unit) + 1;
	*s = (struct sample){ .count = 1, .event = et->event - 1 };
	s->weight = events_weight(&es->clock, et, v[PICK_WEIGHT]);
	if (et->has_time)
		s->time_ns = events_sample_time(es, et, v, s->weight);
	if (v[PICK_THREAD])
		s->thread = jfr_pools_thread(es->pools, v[PICK_THREAD]);
	if (v[PICK_OWNER])
		s->owner = jfr_pools_thread(es->pools, v[PICK_OWNER]);
	if (et->has_state)
		s->state = jfr_pools_state(es->pools, v[PICK_STATE]);
	if (es->wall && es->wall->is_mixed)
		events_split_wall(es, et, s);
	if (!v[PICK_FAILED] && v[PICK_STACK]) {
		s->stack = jfr_pools_stack(es->pools, v[PICK_STACK]);
		if (!s->stack && !jfr_pools_has_stack(es->pools, v[PICK_STACK]))
			es->missing_stacks++;
		if (!et->is_unwanted)
			s->stack = events_with_class(es, s->stack, v);
	}
	if (v[PICK_METHOD] && !et->is_unwanted)
		s->stack = events_with_method(es, s->stack, v[PICK_METHOD]);
	es->read++;
	if (et->is_allocation && s->thread && s->time_ns &&
	    !first_weights_take(es->firsts, s))
		return;
	if (++es->batch_len == JFR_EVENT_BATCH)
		jfr_events_end(es);
}

void jfr_events_end(struct jfr_events *es)
{
	profile_add_all(es->profile, es->batch, es->batch_len);
	es->batch_len = 0;
}

void jfr_events_release(struct jfr_events *es)
{
	for (size_t i = 0; i < es->type_count; i++)
		type_release(&es->types[i]);
	free(es->types);
	free(es->dense);
	map64_release(&es->others);
	*es = (struct jfr_events){ 0 };
}
