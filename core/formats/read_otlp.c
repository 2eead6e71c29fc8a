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
#include "core/formats/otlp_fields.h"
#include "core/formats/reader.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINES_MAX 64   /* inlined frames of a location: more are damage */
#define PROGRESS  4096 /* samples */
#define DEPTH_MAX ((size_t)1 << 20)
#define NO_STACK  UINT32_MAX
/*
 * Entries of a table. An empty entry has two bytes in the file, but ten times
 * as many in memory; a large program has a million functions.
 */
#define TABLE_MAX ((size_t)1 << 23)

/*
 * An entry is kept as its place in the file, NULL if it is damaged. Entries may
 * be large and have millions of references, so each is parsed once.
 */
struct otlp_entries {
	const uint8_t **entries;
	size_t count, cap;
};

struct otlp_location {
	uint32_t first, count; /* frames; count 0: not resolved yet */
};

struct otlp_attribute {
	const char *text; /* NULL: not parsed yet */
	uint32_t text_len, key;
	int64_t number;
};

struct otlp_reader {
	struct profile *profile;
	struct otlp_entries tables[OTLP_TABLES];
	const uint8_t *end; /* of the file */
	uint32_t *stacks;   /* stack traces of the table, or NO_STACK */
	struct otlp_location *locations;
	struct otlp_attribute *attributes;
	uint32_t *functions; /* 1 + string of the name; 0 = not parsed yet */
	uint32_t *names[2];  /* frames by string; [1] is in the kernel */
	uint32_t *mappings;  /* frames */
	uint32_t *location_frames;
	size_t location_frame_count, location_frame_cap;
	uint32_t *frames; /* of the current stack trace */
	size_t depth, frame_cap;
	uint64_t room; /* maximum number of frames of further stack traces */
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
static struct cursor otlp_entry(struct otlp_reader *o, enum otlp_table table,
				uint64_t index)
{
	const struct otlp_entries *t = &o->tables[table];
	struct protobuf_field f = { 0 };

	if (index < t->count && t->entries[index]) {
		struct cursor c = cursor_over(
			t->entries[index],
			(size_t)(o->end - t->entries[index]));

		protobuf_next(&c, &f);
		return f.bytes;
	}
	if (index < t->count)
		return cursor_over(NULL, 0);
	if (index)
		profile_note(o->profile, "references to missing entries", 1,
			     "entry %" PRIu64 " of table %d", index, table);
	return cursor_over(NULL, 0);
}

static struct line otlp_string(struct otlp_reader *o, uint64_t index)
{
	struct cursor c = otlp_entry(o, TABLE_STRING, index);
	struct line s = { (const char *)c.at, cursor_left(&c) };

	return s.len ? s : (struct line){ "", 0 };
}

static void otlp_check_strings(struct otlp_reader *o)
{
	struct otlp_entries *t = &o->tables[TABLE_STRING];

	for (size_t i = 0; i < t->count; i++) {
		struct line s = otlp_string(o, i);

		if (s.len <= FRAME_LONGEST && !memchr(s.text, '\0', s.len))
			continue;
		profile_lost(o->profile, "invalid strings", 1, "string %zu", i);
		t->entries[i] = NULL;
	}
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
	const uint8_t *entry = message.at;
	struct protobuf_field f;

	for (; protobuf_next(&message, &f); entry = message.at) {
		struct otlp_entries *t;

		if (f.number >= OTLP_TABLES || f.type != PROTOBUF_BYTES)
			continue;
		t = &o->tables[f.number];
		if (t->count == TABLE_MAX) {
			profile_lost(o->profile, "entries of tables skipped", 1,
				     "more than %zu", TABLE_MAX);
			continue;
		}
		array_add(t->entries, t->count, t->cap, entry);
	}
	if (!cursor_ok(&message))
		profile_lost(o->profile, "truncated dictionaries", 1, "%s", "");
}

/* ---- stack traces ---- */

/* Names code without a function after its file: [libc.so.6]. */
static uint32_t otlp_name_mapping(struct otlp_reader *o, uint64_t mapping)
{
	struct cursor m = otlp_entry(o, TABLE_MAPPING, mapping);

	return frame_text_of_file(
		o->profile,
		otlp_string(o, otlp_number_of(m, MAPPING_FILENAME)));
}

static uint32_t otlp_mapping_frame(struct otlp_reader *o, uint64_t mapping)
{
	if (mapping >= o->tables[TABLE_MAPPING].count)
		return otlp_name_mapping(o, mapping);
	if (!o->mappings[mapping])
		o->mappings[mapping] = otlp_name_mapping(o, mapping);
	return o->mappings[mapping];
}

static void otlp_parse_attribute(struct otlp_reader *o, uint64_t index,
				 struct otlp_attribute *a)
{
	struct cursor c = otlp_entry(o, TABLE_ATTRIBUTE, index);
	struct protobuf_field f, v;

	*a = (struct otlp_attribute){ .text = "" };
	while (protobuf_next(&c, &f)) {
		if (f.number == ENTRY_KEY)
			a->key = f.value < UINT32_MAX ? (uint32_t)f.value : 0;
		while (f.number == ENTRY_VALUE && protobuf_next(&f.bytes, &v)) {
			size_t len = cursor_left(&v.bytes);

			if (v.number == VALUE_STRING &&
			    v.type == PROTOBUF_BYTES && len &&
			    len <= FRAME_LONGEST) {
				a->text = (const char *)v.bytes.at;
				a->text_len = (uint32_t)len;
			} else if (v.number == VALUE_INT) {
				a->number = (int64_t)v.value;
			}
		}
	}
}

/* Returns the key of an attribute, and its text or its number. */
static struct line otlp_attribute(struct otlp_reader *o, uint64_t index,
				  struct line *text, int64_t *number)
{
	struct otlp_attribute missing, *a = &missing;

	if (index < o->tables[TABLE_ATTRIBUTE].count)
		a = &o->attributes[index];
	if (a == &missing || !a->text)
		otlp_parse_attribute(o, index, a);
	*text = (struct line){ a->text, a->text_len };
	*number = a->number;
	return otlp_string(o, a->key);
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

/* Returns the string of a function's name. */
static uint64_t otlp_function_name(struct otlp_reader *o, uint64_t function)
{
	uint32_t *known = o->functions;
	uint64_t string;

	if (function < o->tables[TABLE_FUNCTION].count && known[function])
		return known[function] - 1;
	string = otlp_number_of(otlp_entry(o, TABLE_FUNCTION, function),
				FUNCTION_NAME);
	if (function < o->tables[TABLE_FUNCTION].count && string < UINT32_MAX)
		known[function] = (uint32_t)string + 1;
	return string;
}

/* Returns the frame of a name; 0 if the name is missing. */
static uint32_t otlp_name_frame(struct otlp_reader *o, uint64_t string,
				bool is_kernel)
{
	struct frame frame = { .kind = FRAME_KERNEL };
	struct line name;
	uint32_t *known;

	if (string < o->tables[TABLE_STRING].count &&
	    o->names[is_kernel][string])
		return o->names[is_kernel][string];
	name = otlp_string(o, string);
	if (!name.len)
		return 0;
	known = &o->names[is_kernel][string];
	if (is_kernel) {
		frame.method = profile_string(o->profile, name.text, name.len);
		*known = profile_frame(o->profile, &frame);
	} else {
		*known = frame_text_id(o->profile, name.text, name.len, 0);
	}
	return *known;
}

static uint32_t otlp_line_frame(struct otlp_reader *o, struct cursor line,
				uint64_t mapping, bool is_kernel)
{
	struct protobuf_field f;
	uint64_t function = 0, number = 0;
	uint32_t frame;

	while (protobuf_next(&line, &f)) {
		if (f.number == LINE_FUNCTION)
			function = f.value;
		else if (f.number == LINE_LINE)
			number = f.value;
	}
	frame = otlp_name_frame(o, otlp_function_name(o, function), is_kernel);
	if (!frame)
		return otlp_mapping_frame(o, mapping);
	return frame_text_at_line(o->profile, frame,
				  number < INT32_MAX ? (uint32_t)number : 0);
}

/* Makes the frames of a location, leaf first. */
static void otlp_resolve(struct otlp_reader *o, uint64_t index,
			 struct otlp_location *l)
{
	struct cursor message = otlp_entry(o, TABLE_LOCATION, index);
	struct cursor c = message;
	struct protobuf_field f;
	uint64_t mapping = 0;
	bool is_kernel = false;
	uint32_t *frames;

	while (protobuf_next(&c, &f)) {
		if (f.number == LOCATION_MAPPING)
			mapping = f.value;
		else if (f.number == LOCATION_ATTRIBUTES)
			otlp_mark_kernel(o, &f, &is_kernel);
	}
	array_reserve(o->location_frames, o->location_frame_cap,
		      o->location_frame_count + LINES_MAX);
	frames = o->location_frames + o->location_frame_count;
	*l = (struct otlp_location){ (uint32_t)o->location_frame_count, 0 };
	c = message;
	while (protobuf_next(&c, &f)) {
		if (f.number != LOCATION_LINES)
			continue;
		if (l->count == LINES_MAX) {
			profile_lost(o->profile, "inlined frames skipped", 1,
				     "location %" PRIu64, index);
			break;
		}
		frames[l->count++] = otlp_line_frame(o, f.bytes, mapping,
						     is_kernel);
	}
	if (!l->count)
		frames[l->count++] = otlp_mapping_frame(o, mapping);
	o->location_frame_count += l->count;
}

/* Adds the frames of a location to the stack trace. */
static void otlp_push_location(struct otlp_reader *o, uint64_t index)
{
	struct otlp_location *l;

	array_reserve(o->frames, o->frame_cap, o->depth + LINES_MAX);
	if (index >= o->tables[TABLE_LOCATION].count) {
		otlp_entry(o, TABLE_LOCATION, index); /* is counted */
		o->frames[o->depth++] = otlp_mapping_frame(o, 0);
		return;
	}
	l = &o->locations[index];
	if (!l->count)
		otlp_resolve(o, index, l);
	memcpy(o->frames + o->depth, o->location_frames + l->first,
	       l->count * sizeof(*o->frames));
	o->depth += l->count;
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
	if (o->depth > o->room) {
		profile_lost(o->profile, "stack traces of too many frames", 1,
			     "stack trace %" PRIu64, index);
		o->depth = 0;
	}
	o->room -= o->depth;
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
	if (!times && of->unit != UNIT_SAMPLES)
		profile_note(o->profile, "sums without numbers of samples", 1,
			     "each counts as one sample");
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
	uint64_t type = otlp_number_of(message, TYPE_NAME);
	uint64_t unit = otlp_number_of(message, TYPE_UNIT);

	of->unit = unit_of_word(otlp_string(o, unit), &of->factor);
	return otlp_string(o, type);
}

/*
 * The names of events that sjkc writes under the names that receivers expect. A
 * period's type tells the same name of another kind of profile apart.
 */
static const struct {
	const char *type, *period_type, *event;
} otlp_names[] = {
	{ "off_cpu", "", "offcpu" },
	{ "alloc_space", "memory", "alloc" },
	{ "alloc_objects", "memory", "alloc" },
	{ "inuse_space", "memory", "nativemem" },
	{ "inuse_objects", "memory", "nativemem" },
	{ "delay", "mutex", "lock" },
	{ "contentions", "mutex", "lock" },
};

/* Returns false if the file has such an event in another unit. */
static bool otlp_has_place(const struct profile *p, struct line name,
			   enum unit unit)
{
	for (size_t i = 0; i < p->event_count; i++)
		if (line_is(name, profile_text(p, p->events[i].name)))
			return p->events[i].unit == unit;
	return true;
}

/*
 * Returns the event's name. Samples of a clock are named after it: their
 * period's type is cpu or wall.
 */
static struct line otlp_event_name(const struct otlp_reader *o,
				   struct line type, struct line period_type,
				   enum unit unit)
{
	struct line name = type;

	if (!type.len || line_is(type, "samples"))
		name = period_type;
	for (size_t i = 0; i < sizeof(otlp_names) / sizeof(*otlp_names); i++)
		if (line_is(type, otlp_names[i].type) &&
		    line_is(period_type, otlp_names[i].period_type))
			name = (struct line){ otlp_names[i].event,
					      strlen(otlp_names[i].event) };
	if (!name.len || !otlp_has_place(o->profile, name, unit))
		name = type;
	return name.len ? name : (struct line){ "samples", 7 };
}

static struct otlp_profile otlp_describe(struct otlp_reader *o,
					 struct cursor message)
{
	struct otlp_profile of = { .factor = 1 }, period = { 0 };
	struct line name = { "", 0 }, clock = { "", 0 };
	struct protobuf_field f;
	uint64_t every = 0;
	char text[256];

	while (protobuf_next(&message, &f)) {
		if (f.number == PROFILE_SAMPLE_TYPE)
			name = otlp_value_type(o, f.bytes, &of);
		else if (f.number == PROFILE_PERIOD_TYPE)
			clock = otlp_value_type(o, f.bytes, &period);
		else if (f.number == PROFILE_PERIOD)
			every = f.value;
	}
	name = otlp_event_name(o, name, clock, of.unit);
	snprintf(text, sizeof(text), "%.*s",
		 name.len < sizeof(text) ? (int)name.len : 255, name.text);
	of.event = profile_event(o->profile, *text ? text : "samples", of.unit);
	of.unit = o->profile->events[of.event].unit;
	if ((period.unit == UNIT_NS || period.unit == UNIT_BYTES) && every &&
	    every < INT64_MAX) {
		char value[32];

		snprintf(value, sizeof(value), "%" PRIu64 " %s", every,
			 period.unit == UNIT_NS ? "ns" : "bytes");
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
		if (scope.number != RESOURCES_SCOPES)
			continue;
		while (protobuf_next(&scope.bytes, &f))
			if (f.number == SCOPES_PROFILES)
				otlp_read_profile(o, f.bytes);
	}
}

static void otlp_release(struct otlp_reader *o)
{
	for (size_t i = 0; i < OTLP_TABLES; i++)
		free(o->tables[i].entries);
	free(o->stacks);
	free(o->locations);
	free(o->attributes);
	free(o->functions);
	free(o->names[0]);
	free(o->names[1]);
	free(o->mappings);
	free(o->location_frames);
	free(o->frames);
	free(o->values);
	free(o->times);
}

/* Allocates the parsed form of each entry. */
static void otlp_prepare(struct otlp_reader *o)
{
	const struct otlp_entries *t = o->tables;
	size_t strings = t[TABLE_STRING].count;

	o->stacks = xmalloc(t[TABLE_STACK].count * sizeof(*o->stacks));
	for (size_t i = 0; i < t[TABLE_STACK].count; i++)
		o->stacks[i] = NO_STACK;
	o->locations = xcalloc(t[TABLE_LOCATION].count, sizeof(*o->locations));
	o->attributes = xcalloc(t[TABLE_ATTRIBUTE].count,
				sizeof(*o->attributes));
	o->functions = xcalloc(t[TABLE_FUNCTION].count, sizeof(*o->functions));
	o->mappings = xcalloc(t[TABLE_MAPPING].count, sizeof(*o->mappings));
	o->names[0] = xcalloc(strings, sizeof(**o->names));
	o->names[1] = xcalloc(strings, sizeof(**o->names));
}

static void otlp_read_all(struct otlp_reader *o, struct cursor file)
{
	struct cursor c = file;
	struct protobuf_field f;

	while (protobuf_next(&c, &f))
		if (f.number == REQUEST_DICTIONARY)
			otlp_read_dictionary(o, f.bytes);
	if (!cursor_ok(&c))
		profile_lost(o->profile, "truncated requests", 1,
			     "%zu bytes are left", (size_t)(c.end - c.base));
	otlp_check_strings(o);
	otlp_prepare(o);
	/* A damaged file may have lost the dictionary, its last part. */
	while (o->tables[TABLE_STRING].count && protobuf_next(&file, &f))
		if (f.number == REQUEST_RESOURCES)
			otlp_read_scopes(o, f.bytes);
}

static int otlp_read(const uint8_t *bytes, size_t len, struct profile *p,
		     struct error *err)
{
	struct otlp_reader o = {
		.profile = p,
		.end = bytes + len,
		.room = frame_text_room(len),
	};
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

/*
 * Recognizes a part of a request by its first bytes: a resource, whose parts
 * are messages, or the dictionary, whose parts are tables.
 */
static bool otlp_sniff_cut(uint32_t part, struct cursor bytes)
{
	uint32_t last = part == REQUEST_DICTIONARY ? TABLE_STACK : 3;
	bool any = false;

	return cursor_left(&bytes) && (bytes.at[0] & 7) == PROTOBUF_BYTES &&
	       bytes.at[0] >> 3 >= 1 && bytes.at[0] >> 3 <= last &&
	       otlp_has_only(bytes, last, &any);
}

/*
 * Both parts of a request are messages, as are the parts of a resource. The
 * OpenTelemetry Collector writes the dictionary first.
 */
static bool otlp_sniff(const uint8_t *head, size_t len)
{
	struct cursor file = cursor_over(head, len), part;
	struct protobuf_field f;
	bool any = false;

	for (;;) {
		part = file;
		if (!protobuf_next(&file, &f))
			break;
		if (f.number > REQUEST_DICTIONARY || f.type != PROTOBUF_BYTES)
			return false;
		if (f.number == REQUEST_RESOURCES &&
		    !otlp_has_only(f.bytes, 3, &any))
			return false;
	}
	if (cursor_ok(&file))
		return any;
	/* The head ends within a part. */
	f.number = cursor_u8(&part) >> 3;
	protobuf_varint(&part);
	return len >= READER_HEAD &&
	       (f.number == REQUEST_RESOURCES ||
		f.number == REQUEST_DICTIONARY) &&
	       otlp_sniff_cut(f.number, part);
}

const struct reader otlp_reader = {
	.name = "otlp",
	.summary = "OpenTelemetry profiles",
	.sniff = otlp_sniff,
	.read = otlp_read,
};
