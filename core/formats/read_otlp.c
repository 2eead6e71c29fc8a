/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read_otlp: reads profiles of OpenTelemetry (opentelemetry-proto 1.10 and
 * 1.11, profiles/v1development), as files and as requests to a collector.
 *
 * All profiles refer to one dictionary, whose tables begin with an empty entry.
 * A profile has one sample type. A sample has one value, or one for each of its
 * times, or times alone, each of which counts one.
 */
#include "core/base/alloc.h"
#include "core/base/lines.h"
#include "core/base/protobuf.h"
#include "core/base/saturate.h"
#include "core/formats/frame_text.h"
#include "core/formats/labels.h"
#include "core/formats/reader.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Fields of the messages. */
enum { DATA_RESOURCE_PROFILES = 1, DATA_DICTIONARY = 2 };
enum { RESOURCE_SCOPE_PROFILES = 2, SCOPE_PROFILES = 2 };
enum {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLES = 2,
	PROFILE_PERIOD_TYPE = 5,
	PROFILE_PERIOD = 6,
};
enum { VALUE_TYPE = 1, VALUE_UNIT = 2 };
enum {
	SAMPLE_STACK = 1,
	SAMPLE_ATTRIBUTES = 2,
	SAMPLE_VALUES = 4,
	SAMPLE_TIMES = 5,
};
enum { LOCATION_MAPPING = 1, LOCATION_LINES = 3, LOCATION_ATTRIBUTES = 4 };
enum { LINE_FUNCTION = 1, LINE_LINE = 2 };
enum { FUNCTION_NAME = 1, MAPPING_FILENAME = 4, STACK_LOCATIONS = 1 };
enum { ATTRIBUTE_KEY = 1, ATTRIBUTE_VALUE = 2 };
enum { VALUE_STRING = 1, VALUE_INT = 3 };

/* The tables of the dictionary, by their fields. */
enum table {
	TABLE_MAPPING = 1,
	TABLE_LOCATION = 2,
	TABLE_FUNCTION = 3,
	TABLE_LINK = 4,
	TABLE_STRING = 5,
	TABLE_ATTRIBUTE = 6,
	TABLE_STACK = 7,
	TABLES
};

#define LINES_MAX 64   /* inlined frames of a location: more are damage */
#define PROGRESS  4096 /* samples */
#define DEPTH_MAX ((size_t)1 << 20)
#define NO_STACK  UINT32_MAX

struct otlp_table {
	struct cursor *entries;
	size_t count, cap;
};

struct otlp_reader {
	struct profile *profile;
	struct otlp_table tables[TABLES];
	uint32_t *stacks; /* stack traces of the table, or NO_STACK */
	uint32_t *frames;
	size_t depth, frame_cap;
	uint64_t *values;
	size_t value_cap;
	uint64_t *times;
	size_t time_cap;
	size_t samples;
};

/* A profile of the file. */
struct otlp_profile {
	uint32_t event;
	enum unit unit;
	double factor;
};

/* Returns an entry of a table; an empty one if the index is too large. */
static struct cursor otlp_entry(struct otlp_reader *o, enum table table,
				uint64_t index)
{
	const struct otlp_table *t = &o->tables[table];

	if (index < t->count)
		return t->entries[index];
	if (index)
		profile_note(o->profile, "references to missing entries", 1,
			     "entry %" PRIu64 " of table %d", index, table);
	return cursor_over(NULL, 0);
}

static struct line otlp_string(struct otlp_reader *o, uint64_t index)
{
	struct cursor c = otlp_entry(o, TABLE_STRING, index);
	struct line s = { (const char *)c.at, cursor_left(&c) };

	if (!s.len)
		return (struct line){ "", 0 };
	if (s.len > FRAME_LONGEST || memchr(s.text, '\0', s.len)) {
		profile_lost(o->profile, "invalid strings", 1,
			     "string %" PRIu64, index);
		return (struct line){ "", 0 };
	}
	return s;
}

static uint64_t otlp_number_of(struct cursor message, uint32_t field)
{
	struct protobuf_field f;
	uint64_t value = 0;

	while (protobuf_next(&message, &f))
		if (f.number == field)
			value = f.value;
	return value;
}

/* ---- the dictionary ---- */

static void otlp_read_dictionary(struct otlp_reader *o, struct cursor message)
{
	struct protobuf_field f;

	while (protobuf_next(&message, &f)) {
		struct otlp_table *t;

		if (f.number >= TABLES || f.type != PROTOBUF_BYTES)
			continue;
		t = &o->tables[f.number];
		array_reserve(t->entries, t->cap, t->count + 1);
		t->entries[t->count++] = f.bytes;
	}
	if (!cursor_ok(&message))
		profile_lost(o->profile, "truncated dictionaries", 1, "%s", "");
}

/* ---- stack traces ---- */

/* Names code without a function after its file: [libc.so.6]. */
static uint32_t otlp_mapping_frame(struct otlp_reader *o, uint64_t mapping)
{
	struct cursor m = otlp_entry(o, TABLE_MAPPING, mapping);
	struct line file = otlp_string(o, otlp_number_of(m, MAPPING_FILENAME));
	const char *slash = file.len ? memrchr(file.text, '/', file.len) : NULL;
	char name[256];
	int len;

	if (slash) {
		file.len -= (size_t)(slash + 1 - file.text);
		file.text = slash + 1;
	}
	if (!file.len || file.len > sizeof(name) - 3)
		return frame_text_id(o->profile, "", 0, 0);
	if (file.text[0] == '[')
		return frame_text_id(o->profile, file.text, file.len, 0);
	len = snprintf(name, sizeof(name), "[%.*s]", (int)file.len, file.text);
	return frame_text_id(o->profile, name, (size_t)len, 0);
}

/* Reads an attribute: its key, and a text or a number. */
static struct line otlp_attribute(struct otlp_reader *o, uint64_t index,
				  struct line *text, int64_t *number)
{
	struct cursor c = otlp_entry(o, TABLE_ATTRIBUTE, index);
	struct protobuf_field f, v;
	struct line key = { "", 0 };

	*text = key;
	*number = 0;
	while (protobuf_next(&c, &f)) {
		if (f.number == ATTRIBUTE_KEY)
			key = otlp_string(o, f.value);
		while (f.number == ATTRIBUTE_VALUE &&
		       protobuf_next(&f.bytes, &v)) {
			if (v.number == VALUE_STRING &&
			    v.type == PROTOBUF_BYTES) {
				text->text = (const char *)v.bytes.at;
				text->len = cursor_left(&v.bytes);
			} else if (v.number == VALUE_INT) {
				*number = (int64_t)v.value;
			}
		}
	}
	return key;
}

/* Marks a frame of the kernel, whose name alone does not tell. */
static void otlp_mark_kernel(struct otlp_reader *o, struct protobuf_field *f,
			     bool *is_kernel)
{
	uint64_t index;

	while (protobuf_next_number(f, &index)) {
		struct line key, text;
		int64_t number;

		key = otlp_attribute(o, index, &text, &number);
		*is_kernel |= line_is(key, "profile.frame.type") &&
			      line_is(text, "kernel");
	}
}

static uint32_t otlp_line_frame(struct otlp_reader *o, struct cursor line,
				uint64_t mapping, bool is_kernel)
{
	struct protobuf_field f;
	uint64_t function = 0, number = 0;
	struct frame frame = { .kind = FRAME_KERNEL };
	struct line name;

	while (protobuf_next(&line, &f)) {
		if (f.number == LINE_FUNCTION)
			function = f.value;
		else if (f.number == LINE_LINE)
			number = f.value;
	}
	name = otlp_string(
		o, otlp_number_of(otlp_entry(o, TABLE_FUNCTION, function),
				  FUNCTION_NAME));
	if (!name.len)
		return otlp_mapping_frame(o, mapping);
	if (!is_kernel)
		return frame_text_id(o->profile, name.text, name.len,
				     number < INT32_MAX ? (uint32_t)number : 0);
	frame.method = profile_string(o->profile, name.text, name.len);
	return profile_frame(o->profile, &frame);
}

/* Adds the frames of a location, leaf first. */
static void otlp_push_location(struct otlp_reader *o, uint64_t index)
{
	struct cursor message = otlp_entry(o, TABLE_LOCATION, index);
	struct cursor c = message;
	struct protobuf_field f;
	uint64_t mapping = 0;
	bool is_kernel = false;
	size_t lines = 0;

	while (protobuf_next(&c, &f)) {
		if (f.number == LOCATION_MAPPING)
			mapping = f.value;
		else if (f.number == LOCATION_ATTRIBUTES)
			otlp_mark_kernel(o, &f, &is_kernel);
	}
	array_reserve(o->frames, o->frame_cap, o->depth + LINES_MAX + 1);
	c = message;
	while (protobuf_next(&c, &f)) {
		if (f.number != LOCATION_LINES)
			continue;
		if (lines == LINES_MAX) {
			profile_lost(o->profile, "inlined frames skipped", 1,
				     "location %" PRIu64, index);
			break;
		}
		o->frames[o->depth++] = otlp_line_frame(o, f.bytes, mapping,
							is_kernel);
		lines++;
	}
	if (!lines)
		o->frames[o->depth++] = otlp_mapping_frame(o, mapping);
}

static uint32_t otlp_stack(struct otlp_reader *o, uint64_t index)
{
	struct cursor c = otlp_entry(o, TABLE_STACK, index);
	struct protobuf_field f;
	bool is_damaged = false;
	uint64_t location;

	if (index >= o->tables[TABLE_STACK].count)
		return 0;
	if (o->stacks[index] != NO_STACK)
		return o->stacks[index];
	o->depth = 0;
	while (protobuf_next(&c, &f)) {
		while (f.number == STACK_LOCATIONS && o->depth < DEPTH_MAX &&
		       protobuf_next_number(&f, &location))
			otlp_push_location(o, location);
		is_damaged |= f.number == STACK_LOCATIONS &&
			      !cursor_ok(&f.bytes);
	}
	if (is_damaged || !cursor_ok(&c) || o->depth >= DEPTH_MAX)
		profile_lost(o->profile, "truncated stack traces", 1,
			     "stack trace %" PRIu64, index);
	o->stacks[index] = profile_stack(o->profile, o->frames, o->depth);
	return o->stacks[index];
}

/* ---- samples ---- */

static uint64_t otlp_weight(const struct otlp_profile *of, uint64_t value)
{
	double scaled = (double)value * of->factor;

	if (of->factor <= 1)
		return value;
	return scaled < 1.8e19 ? (uint64_t)scaled : UINT64_MAX;
}

/* Adds one observation of a sample. */
static void otlp_add(struct otlp_reader *o, const struct otlp_profile *of,
		     struct sample *s, uint64_t value, uint64_t time)
{
	if ((int64_t)value < 0) {
		profile_lost(o->profile, "negative values skipped", 1,
			     "sample %zu", o->samples);
		return;
	}
	if (!value)
		return;
	s->weight = otlp_weight(of, value);
	s->count = of->unit == UNIT_SAMPLES ? value : 1;
	s->time_ns = time <= INT64_MAX ? (int64_t)time : 0;
	profile_add(o->profile, s);
}

static size_t otlp_read_numbers(struct protobuf_field *f, uint64_t **numbers,
				size_t *cap, size_t count, bool is_fixed)
{
	uint64_t value;

	while (is_fixed ? protobuf_next_fixed64(f, &value)
			: protobuf_next_number(f, &value)) {
		array_reserve(*numbers, *cap, count + 1);
		(*numbers)[count++] = value;
	}
	return count;
}

/* Adds a sample: a value for each time, or one value, or times alone. */
static void otlp_add_sample(struct otlp_reader *o,
			    const struct otlp_profile *of, struct sample *s,
			    size_t values, size_t times)
{
	if (!values) {
		for (size_t i = 0; i < times; i++)
			otlp_add(o, of, s, 1, o->times[i]);
		return;
	}
	if (values == 1 || !times) {
		uint64_t sum = 0;

		for (size_t i = 0; i < values; i++)
			sum = saturate_add(sum, o->values[i]);
		/* Without a time of each part, the first is the sample's. */
		otlp_add(o, of, s, sum, times ? o->times[0] : 0);
		return;
	}
	for (size_t i = 0; i < values; i++)
		otlp_add(o, of, s, o->values[i], i < times ? o->times[i] : 0);
}

static void otlp_read_labels(struct otlp_reader *o, struct protobuf_field *f,
			     struct thread_labels *labels)
{
	uint64_t index;

	while (protobuf_next_number(f, &index)) {
		struct line key, text;
		int64_t number;

		key = otlp_attribute(o, index, &text, &number);
		thread_labels_add(labels, key, text, number);
	}
}

static void otlp_read_sample(struct otlp_reader *o,
			     const struct otlp_profile *of,
			     struct cursor message)
{
	struct thread_labels labels = { 0 };
	struct sample s = { .event = of->event };
	struct protobuf_field f;
	size_t values = 0, times = 0;
	uint64_t stack = 0;

	o->samples++;
	while (protobuf_next(&message, &f)) {
		if (f.number == SAMPLE_STACK)
			stack = f.value;
		else if (f.number == SAMPLE_ATTRIBUTES)
			otlp_read_labels(o, &f, &labels);
		else if (f.number == SAMPLE_VALUES)
			values = otlp_read_numbers(
				&f, &o->values, &o->value_cap, values, false);
		else if (f.number == SAMPLE_TIMES)
			times = otlp_read_numbers(&f, &o->times, &o->time_cap,
						  times, true);
		if (!cursor_ok(&f.bytes))
			cursor_fail(&message);
	}
	if (!cursor_ok(&message)) {
		profile_lost(o->profile, "damaged samples skipped", 1,
			     "sample %zu", o->samples);
		return;
	}
	s.stack = otlp_stack(o, stack);
	s.thread = thread_labels_thread(o->profile, &labels);
	s.state = labels.state;
	otlp_add_sample(o, of, &s, values, times);
}

/* Reads the name and the unit of a value type. */
static struct line otlp_value_type(struct otlp_reader *o, struct cursor message,
				   struct otlp_profile *of)
{
	uint64_t type = otlp_number_of(message, VALUE_TYPE);
	uint64_t unit = otlp_number_of(message, VALUE_UNIT);

	of->unit = unit_of_word(otlp_string(o, unit), &of->factor);
	return otlp_string(o, type);
}

static struct otlp_profile otlp_describe(struct otlp_reader *o,
					 struct cursor message)
{
	struct otlp_profile of = { .factor = 1 }, period = { 0 };
	struct line name = { "samples", 7 };
	struct protobuf_field f;
	uint64_t every = 0;
	char text[256];

	while (protobuf_next(&message, &f)) {
		if (f.number == PROFILE_SAMPLE_TYPE)
			name = otlp_value_type(o, f.bytes, &of);
		else if (f.number == PROFILE_PERIOD_TYPE)
			otlp_value_type(o, f.bytes, &period);
		else if (f.number == PROFILE_PERIOD)
			every = f.value;
	}
	snprintf(text, sizeof(text), "%.*s",
		 name.len < sizeof(text) ? (int)name.len : 255, name.text);
	of.event = profile_event(o->profile, *text ? text : "samples", of.unit);
	of.unit = o->profile->events[of.event].unit;
	if (period.unit == UNIT_NS && every && every < INT64_MAX) {
		char value[32];

		snprintf(value, sizeof(value), "%" PRIu64 " ns", every);
		profile_set(o->profile, *text ? text : "samples", "period",
			    value);
	}
	return of;
}

static void otlp_read_profile(struct otlp_reader *o, struct cursor message)
{
	struct otlp_profile of = otlp_describe(o, message);
	struct protobuf_field f;

	while (protobuf_next(&message, &f)) {
		if (f.number != PROFILE_SAMPLES)
			continue;
		otlp_read_sample(o, &of, f.bytes);
		if (o->samples % PROGRESS == 0)
			profile_progress(
				o->profile, cursor_offset(&message),
				(uint64_t)(message.end - message.base));
	}
	if (!cursor_ok(&message))
		profile_lost(o->profile, "truncated profiles", 1, "%s", "");
}

static void otlp_read_scopes(struct otlp_reader *o, struct cursor resource)
{
	struct protobuf_field scope, f;

	while (protobuf_next(&resource, &scope)) {
		if (scope.number != RESOURCE_SCOPE_PROFILES)
			continue;
		while (protobuf_next(&scope.bytes, &f))
			if (f.number == SCOPE_PROFILES)
				otlp_read_profile(o, f.bytes);
	}
}

static void otlp_release(struct otlp_reader *o)
{
	for (size_t i = 0; i < TABLES; i++)
		free(o->tables[i].entries);
	free(o->stacks);
	free(o->frames);
	free(o->values);
	free(o->times);
}

static void otlp_read_all(struct otlp_reader *o, struct cursor file)
{
	struct cursor c = file;
	struct protobuf_field f;
	size_t stacks;

	while (protobuf_next(&c, &f))
		if (f.number == DATA_DICTIONARY)
			otlp_read_dictionary(o, f.bytes);
	if (!cursor_ok(&c))
		profile_lost(o->profile, "truncated requests", 1,
			     "%zu bytes are left", (size_t)(c.end - c.base));
	stacks = o->tables[TABLE_STACK].count;
	o->stacks = xmalloc((stacks + 1) * sizeof(*o->stacks));
	for (size_t i = 0; i < stacks; i++)
		o->stacks[i] = NO_STACK;
	/* A damaged file may have lost the dictionary, its last part. */
	while (o->tables[TABLE_STRING].count && protobuf_next(&file, &f))
		if (f.number == DATA_RESOURCE_PROFILES)
			otlp_read_scopes(o, f.bytes);
}

static int otlp_read(const uint8_t *bytes, size_t len, struct profile *p,
		     struct error *err)
{
	struct otlp_reader o = { .profile = p };
	bool has_dictionary;

	otlp_read_all(&o, cursor_over(bytes, len));
	has_dictionary = o.tables[TABLE_STRING].count > 0;
	otlp_release(&o);
	if (!has_dictionary)
		return fail(err, ERROR_INPUT,
			    "no dictionary: not an OTLP profile, or truncated");
	if (!o.samples)
		return fail(err, ERROR_INPUT, "the profiles have no samples");
	return 0;
}

/* True if a message consists of these fields, all of them bytes. */
static bool otlp_has_only(struct cursor message, uint32_t last, bool *any)
{
	struct protobuf_field f;

	while (protobuf_next(&message, &f)) {
		if (f.number > last || f.type != PROTOBUF_BYTES)
			return false;
		*any |= f.number == 2;
	}
	return true;
}

/* Both parts of a request are messages, as are the parts of a resource. */
static bool otlp_sniff(const uint8_t *head, size_t len)
{
	struct cursor file = cursor_over(head, len);
	struct protobuf_field f;
	bool any = false;

	while (protobuf_next(&file, &f)) {
		if (f.number > DATA_DICTIONARY || f.type != PROTOBUF_BYTES)
			return false;
		if (f.number == DATA_RESOURCE_PROFILES &&
		    !otlp_has_only(f.bytes, 3, &any))
			return false;
	}
	if (cursor_ok(&file))
		return any;
	/* The head ends within the first resource, whose parts are messages. */
	file = cursor_over(head, len);
	if (len < READER_HEAD || cursor_u8(&file) != 0x0a ||
	    !memchr(head, 8, len))
		return false;
	protobuf_varint(&file);
	return cursor_left(&file) && file.at[0] == 0x0a &&
	       otlp_has_only(file, 3, &any);
}

const struct reader otlp_reader = {
	.name = "otlp",
	.summary = "OpenTelemetry profiles",
	.sniff = otlp_sniff,
	.read = otlp_read,
};
