/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read_pprof: reads profiles of pprof and compatible tools
 * (github.com/google/pprof, proto/profile.proto).
 *
 * A sample has a value for each sample type. Types that count and weigh the
 * same observations become one event: "alloc_objects" and "alloc_space",
 * "samples" and "cpu", "lock_samples" and "lock". Samples have no times.
 */
#include "core/base/alloc.h"
#include "core/base/lines.h"
#include "core/base/map64.h"
#include "core/base/protobuf.h"
#include "core/formats/frame_text.h"
#include "core/formats/labels.h"
#include "core/formats/pprof_fields.h"
#include "core/formats/reader.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINES_MAX  64  /* inlined frames of a location: more are damage */
#define VALUES_MAX 256 /* sample types */
/*
 * Entries of a table. An empty entry has two bytes in the file, but ten times
 * as many in memory; a large program has a million functions.
 */
#define TABLE_MAX ((size_t)1 << 23)
#define DEPTH_MAX ((size_t)1 << 20)
#define PROGRESS  4096 /* samples */

#define NO_EVENT  UINT32_MAX

struct value_type {
	struct line name;
	enum unit unit;
	double factor;
	bool is_nameless; /* its strings are missing */
	bool is_partner;  /* the count of another type */
	uint32_t event;   /* or NO_EVENT: the type is a count of another */
	size_t count;     /* the type that counts the samples, or itself */
};

struct location {
	const uint8_t *message;
	size_t len;
	uint32_t first, count; /* frames; count 0: not resolved yet */
};

struct pprof_reader {
	struct profile *profile;
	struct line *strings;
	size_t string_count, string_cap;
	uint32_t *names; /* frames by string; 0 = not parsed yet */
	struct value_type types[VALUES_MAX];
	size_t type_count, nameless;
	struct map64 mappings, functions; /* string of the id's name */
	struct map64 location_ids;        /* index */
	struct location *locations;
	size_t location_count, location_cap;
	uint32_t *location_frames;
	size_t frame_count, frame_cap;
	uint32_t *stack; /* frames of the current sample */
	size_t depth, stack_cap;
	uint64_t room; /* maximum number of frames of further samples */
	int64_t values[VALUES_MAX];
	uint64_t period;
	struct line period_type;
	enum unit period_unit;
	uint64_t samples;
	uint64_t skipped; /* entries of tables */
};

static void pprof_lose_message(struct pprof_reader *r, const char *what,
			       const struct cursor *c)
{
	if (!cursor_ok(c))
		profile_lost(r->profile, what, 1, "%s", "");
}

/* Returns a string of the table. */
static struct line pprof_string(struct pprof_reader *r, uint64_t index)
{
	if (index < r->string_count)
		return r->strings[index];
	profile_note(r->profile, "references to missing strings", 1,
		     "string %" PRIu64, index);
	return (struct line){ "", 0 };
}

/* ---- the tables ---- */

static bool pprof_has_room(struct pprof_reader *r, size_t count)
{
	r->skipped += count >= TABLE_MAX;
	return count < TABLE_MAX;
}

/* Reads a message with an id and the index of a name into a map. */
static void pprof_read_named(struct pprof_reader *r, struct cursor message,
			     uint32_t name_field, struct map64 *map)
{
	struct protobuf_field f;
	uint64_t id = 0, name = 0;

	while (protobuf_next(&message, &f)) {
		if (f.number == FUNCTION_ID)
			id = f.value;
		else if (f.number == name_field)
			name = f.value;
	}
	pprof_lose_message(r, "truncated functions", &message);
	if (id && name < MAP64_NONE && pprof_has_room(r, map->count))
		map64_add(map, id, (uint32_t)name);
}

static void pprof_read_location(struct pprof_reader *r, struct cursor message)
{
	struct cursor c = message;
	struct protobuf_field f;
	uint64_t id = 0;

	if (!pprof_has_room(r, r->location_count))
		return;
	while (!id && protobuf_next(&c, &f))
		if (f.number == LOCATION_ID)
			id = f.value;
	if (!id ||
	    !map64_add(&r->location_ids, id, (uint32_t)r->location_count)) {
		profile_note(r->profile, "locations without an id of their own",
			     1, "location %zu", r->location_count);
		return;
	}
	array_add(r->locations, r->location_count, r->location_cap,
		  (struct location){
			  .message = message.at,
			  .len = cursor_left(&message),
		  });
}

static void pprof_read_string(struct pprof_reader *r, struct cursor bytes)
{
	struct line s = { (const char *)bytes.at, cursor_left(&bytes) };

	if (!pprof_has_room(r, r->string_count))
		return;
	if (memchr(s.text, '\0', s.len) || s.len > FRAME_LONGEST) {
		profile_lost(r->profile, "invalid strings", 1, "string %zu",
			     r->string_count);
		s.len = 0;
	}
	array_add(r->strings, r->string_count, r->string_cap, s);
}

/* Reads a value type, whose strings may be further behind. */
static void pprof_read_value_type(struct cursor message, uint64_t name[2])
{
	struct protobuf_field f;

	name[0] = name[1] = 0;
	while (protobuf_next(&message, &f)) {
		if (f.number == VALUE_TYPE || f.number == VALUE_UNIT)
			name[f.number - 1] = f.value;
	}
}

/* Reads all but samples and value types, which need the strings. */
static void pprof_read_tables(struct pprof_reader *r, struct cursor file)
{
	struct protobuf_field f;

	while (protobuf_next(&file, &f)) {
		if (f.number == PROFILE_STRING_TABLE &&
		    f.type == PROTOBUF_BYTES)
			pprof_read_string(r, f.bytes);
		else if (f.number == PROFILE_FUNCTION)
			pprof_read_named(r, f.bytes, FUNCTION_NAME,
					 &r->functions);
		else if (f.number == PROFILE_MAPPING)
			pprof_read_named(r, f.bytes, MAPPING_FILENAME,
					 &r->mappings);
		else if (f.number == PROFILE_LOCATION)
			pprof_read_location(r, f.bytes);
		else if (f.number == PROFILE_PERIOD)
			r->period = f.value;
	}
	if (r->skipped)
		profile_lost(r->profile, "entries of tables skipped",
			     r->skipped, "more than %zu", TABLE_MAX);
	if (!cursor_ok(&file))
		profile_lost(r->profile, "truncated profiles", 1,
			     "after %zu bytes", (size_t)(file.end - file.base));
}

static void pprof_read_value_types(struct pprof_reader *r, struct cursor file)
{
	struct protobuf_field f;
	struct value_type *t;
	double factor;
	uint64_t name[2];

	while (protobuf_next(&file, &f)) {
		if (f.number == PROFILE_PERIOD_TYPE) {
			pprof_read_value_type(f.bytes, name);
			r->period_type = pprof_string(r, name[0]);
			r->period_unit = unit_of_word(pprof_string(r, name[1]),
						      &factor);
			continue;
		}
		if (f.number != PROFILE_SAMPLE_TYPE)
			continue;
		if (r->type_count == VALUES_MAX) {
			profile_lost(r->profile, "sample types skipped", 1,
				     "more than %d", VALUES_MAX);
			continue;
		}
		pprof_read_value_type(f.bytes, name);
		t = &r->types[r->type_count];
		*t = (struct value_type){ .count = r->type_count };
		/* Without its unit, the meaning of a value is unknown. */
		t->is_nameless = name[0] >= r->string_count ||
				 name[1] >= r->string_count;
		t->name = pprof_string(r, name[0]);
		t->unit = unit_of_word(pprof_string(r, name[1]), &t->factor);
		r->nameless += t->is_nameless;
		r->type_count++;
	}
}

/* ---- events ---- */

static bool line_equals(struct line a, struct line b)
{
	return a.len == b.len && (!a.len || memcmp(a.text, b.text, a.len) == 0);
}

/* True if a is the prefix of b's name, and each has its suffix. */
static bool names_differ_by(struct line a, const char *a_suffix, struct line b,
			    const char *b_suffix)
{
	if (!line_ends(a, a_suffix) || !line_ends(b, b_suffix))
		return false;
	a.len -= strlen(a_suffix);
	b.len -= strlen(b_suffix);
	return a.len && line_equals(a, b);
}

/* True if one type counts the observations that the other weighs. */
static bool type_counts(const struct pprof_reader *r, size_t count,
			size_t weight)
{
	struct line c = r->types[count].name, w = r->types[weight].name;

	if (count == weight || r->types[count].is_nameless ||
	    r->types[weight].is_nameless ||
	    r->types[count].unit != UNIT_SAMPLES)
		return false;
	if (names_differ_by(c, "_samples", w, ""))
		return true;
	if (r->types[weight].unit == UNIT_SAMPLES)
		return false;
	return names_differ_by(c, "_objects", w, "_space") ||
	       (line_is(c, "contentions") && line_is(w, "delay")) ||
	       (line_is(c, "objects") && line_is(w, "space")) ||
	       /* Node.js: sample and wall */
	       ((line_is(c, "samples") || line_is(c, "sample")) &&
		r->type_count == 2);
}

static void pprof_pair_types(struct pprof_reader *r)
{
	for (size_t w = 0; w < r->type_count; w++) {
		struct value_type *t = &r->types[w];

		for (size_t c = 0; c < r->type_count && t->count == w; c++) {
			if (!t->is_partner && !r->types[c].is_partner &&
			    type_counts(r, c, w)) {
				t->count = c;
				r->types[c].is_partner = true;
			}
		}
	}
}

static void pprof_make_event(struct pprof_reader *r, size_t index)
{
	struct value_type *t = &r->types[index];
	char name[256], period[32];

	if (t->is_partner || t->is_nameless) {
		t->event = NO_EVENT;
		return;
	}
	if (t->unit == UNIT_SAMPLES && t->count != index)
		t->unit = UNIT_COUNT;
	snprintf(name, sizeof(name), "%.*s",
		 t->name.len < sizeof(name) ? (int)t->name.len
					    : (int)sizeof(name) - 1,
		 t->name.len ? t->name.text : "");
	if (!*name)
		snprintf(name, sizeof(name), "samples");
	t->event = profile_event(r->profile, name, t->unit);
	if (r->period && r->period < INT64_MAX && r->period_unit == t->unit &&
	    (t->unit == UNIT_NS || t->unit == UNIT_BYTES) &&
	    line_equals(t->name, r->period_type)) {
		snprintf(period, sizeof(period), "%" PRIu64 " %s", r->period,
			 t->unit == UNIT_NS ? "ns" : "bytes");
		profile_set(r->profile, name, "period", period);
	}
}

/* ---- frames ---- */

/* Names code without a function after its file. */
static uint32_t pprof_mapping_frame(struct pprof_reader *r, uint64_t mapping)
{
	uint32_t index = map64_get(&r->mappings, mapping);
	struct line file = { "", 0 };

	if (index != MAP64_NONE)
		file = pprof_string(r, index);
	return frame_text_of_file(r->profile, file);
}

/* Returns the frame of a name; 0 if the name is missing. */
static uint32_t pprof_name_frame(struct pprof_reader *r, uint32_t string)
{
	struct line name;

	if (string < r->string_count && r->names[string])
		return r->names[string];
	name = pprof_string(r, string);
	if (!name.len)
		return 0;
	r->names[string] = frame_text_id(r->profile, name.text, name.len, 0);
	return r->names[string];
}

static uint32_t pprof_line_frame(struct pprof_reader *r, struct cursor line,
				 uint64_t mapping)
{
	struct protobuf_field f;
	uint64_t function = 0, number = 0;
	uint32_t index, frame = 0;

	while (protobuf_next(&line, &f)) {
		if (f.number == LINE_FUNCTION_ID)
			function = f.value;
		else if (f.number == LINE_LINE)
			number = f.value;
	}
	pprof_lose_message(r, "truncated locations", &line);
	index = map64_get(&r->functions, function);
	if (index != MAP64_NONE)
		frame = pprof_name_frame(r, index);
	else
		profile_note(r->profile, "references to missing functions", 1,
			     "function %" PRIu64, function);
	if (!frame)
		return pprof_mapping_frame(r, mapping);
	return frame_text_at_line(r->profile, frame,
				  number < INT32_MAX ? (uint32_t)number : 0);
}

/* Adds the frames of a location, leaf first. */
static void pprof_resolve(struct pprof_reader *r, struct location *l)
{
	struct cursor c = cursor_over(l->message, l->len);
	struct protobuf_field f;
	uint64_t mapping = 0;

	l->first = (uint32_t)r->frame_count;
	while (protobuf_next(&c, &f))
		if (f.number == LOCATION_MAPPING_ID)
			mapping = f.value;
	pprof_lose_message(r, "truncated locations", &c);
	array_reserve(r->location_frames, r->frame_cap,
		      r->frame_count + LINES_MAX + 1);
	c = cursor_over(l->message, l->len);
	while (protobuf_next(&c, &f)) {
		if (f.number != LOCATION_LINE)
			continue;
		if (l->count == LINES_MAX) {
			profile_lost(r->profile, "inlined frames skipped", 1,
				     "more than %d of a location", LINES_MAX);
			break;
		}
		r->location_frames[l->first + l->count++] = pprof_line_frame(
			r, f.bytes, mapping);
	}
	if (!l->count)
		r->location_frames[l->first + l->count++] = pprof_mapping_frame(
			r, mapping);
	r->frame_count += l->count;
}

static void pprof_push_location(struct pprof_reader *r, uint64_t id)
{
	uint32_t index = map64_get(&r->location_ids, id);
	struct location *l;

	array_reserve(r->stack, r->stack_cap, r->depth + LINES_MAX);
	if (index == MAP64_NONE) {
		profile_note(r->profile, "references to missing locations", 1,
			     "location %" PRIu64, id);
		r->stack[r->depth++] = frame_text_id(r->profile, "", 0, 0);
		return;
	}
	l = &r->locations[index];
	if (!l->count)
		pprof_resolve(r, l);
	memcpy(r->stack + r->depth, r->location_frames + l->first,
	       l->count * sizeof(*r->stack));
	r->depth += l->count;
}

/* ---- samples ---- */

static void pprof_read_label(struct pprof_reader *r, struct cursor message,
			     struct thread_labels *labels)
{
	uint64_t of[LABEL_NUM + 1] = { 0 };
	struct protobuf_field f;
	struct line key, text = { "", 0 };

	while (protobuf_next(&message, &f)) {
		if (f.number <= LABEL_NUM)
			of[f.number] = f.value;
	}
	key = pprof_string(r, of[LABEL_KEY]);
	if (of[LABEL_STR])
		text = pprof_string(r, of[LABEL_STR]);
	if (!thread_labels_add(labels, key, text, (int64_t)of[LABEL_NUM]))
		profile_note(r->profile, "labels skipped", 1, "%.*s",
			     key.len < 64 ? (int)key.len : 64, key.text);
}

/* Adds the values of an event; the first of a sample has its labels. */
static void pprof_add_event(struct pprof_reader *r, size_t index,
			    struct sample *s)
{
	const struct value_type *t = &r->types[index];
	int64_t weight = r->values[index], count = r->values[t->count];

	if (t->event == NO_EVENT || (!weight && !count))
		return;
	if (weight < 0 || count < 0) {
		profile_lost(r->profile, "negative values skipped", 1,
			     "sample %" PRIu64, r->samples);
		return;
	}
	if (t->count == index && t->unit != UNIT_SAMPLES)
		count = 1; /* the file does not count the samples */
	s->event = t->event;
	s->count = (uint64_t)count;
	s->weight = (uint64_t)weight;
	if (t->factor > 1) {
		double scaled = (double)weight * t->factor;

		s->weight = scaled < 1.8e19 ? (uint64_t)scaled : UINT64_MAX;
	}
	profile_add(r->profile, s);
}

static void pprof_read_values(struct pprof_reader *r, struct protobuf_field *f,
			      size_t *count)
{
	uint64_t value;

	while (protobuf_next_number(f, &value)) {
		if (*count < r->type_count)
			r->values[*count] = (int64_t)value;
		++*count;
	}
}

/* True for the frame that stands for a missing stack trace in our files. */
static bool pprof_has_no_stack(const struct pprof_reader *r)
{
	const struct frame *f;

	if (r->depth != 1)
		return r->depth == 0;
	f = &r->profile->frames[r->stack[0]];
	return strcmp(profile_text(r->profile, f->method),
		      "[no stack trace]") == 0;
}

static void pprof_read_locations(struct pprof_reader *r,
				 struct protobuf_field *f)
{
	uint64_t id;

	while (protobuf_next_number(f, &id)) {
		if (r->depth >= DEPTH_MAX) {
			profile_lost(r->profile, "truncated stack traces", 1,
				     "sample %" PRIu64, r->samples);
			break;
		}
		pprof_push_location(r, id);
	}
}

static void pprof_read_sample(struct pprof_reader *r, struct cursor message)
{
	struct sample s = { 0 };
	struct thread_labels labels = { 0 };
	struct protobuf_field f;
	size_t count = 0;

	r->depth = 0;
	r->samples++;
	memset(r->values, 0, r->type_count * sizeof(*r->values));
	while (protobuf_next(&message, &f)) {
		if (f.number == SAMPLE_LOCATION_ID)
			pprof_read_locations(r, &f);
		else if (f.number == SAMPLE_VALUE)
			pprof_read_values(r, &f, &count);
		else if (f.number == SAMPLE_LABEL)
			pprof_read_label(r, f.bytes, &labels);
		if (!cursor_ok(&f.bytes))
			cursor_fail(&message);
	}
	if (!cursor_ok(&message) || count != r->type_count) {
		profile_lost(r->profile, "damaged samples skipped", 1,
			     "sample %" PRIu64, r->samples);
		return;
	}
	if (r->depth > r->room) {
		profile_lost(r->profile, "stack traces of too many frames", 1,
			     "sample %" PRIu64, r->samples);
		r->depth = 0;
	}
	r->room -= r->depth;
	if (!pprof_has_no_stack(r))
		s.stack = profile_stack(r->profile, r->stack, r->depth);
	s.thread = thread_labels_thread(r->profile, &labels);
	s.state = labels.state;
	for (size_t i = 0; i < r->type_count; i++)
		pprof_add_event(r, i, &s);
}

static void pprof_read_samples(struct pprof_reader *r, struct cursor file)
{
	struct protobuf_field f;

	while (protobuf_next(&file, &f)) {
		if (f.number != PROFILE_SAMPLE || f.type != PROTOBUF_BYTES)
			continue;
		pprof_read_sample(r, f.bytes);
		if (r->samples % PROGRESS == 0)
			profile_progress(r->profile, cursor_offset(&file),
					 (uint64_t)(file.end - file.base));
	}
}

static void pprof_release(struct pprof_reader *r)
{
	free(r->strings);
	free(r->names);
	free(r->locations);
	free(r->location_frames);
	free(r->stack);
	map64_release(&r->mappings);
	map64_release(&r->functions);
	map64_release(&r->location_ids);
}

static int pprof_read(const uint8_t *bytes, size_t len, struct profile *p,
		      struct error *err)
{
	struct pprof_reader r = { .profile = p, .room = frame_text_room(len) };
	struct cursor file = cursor_over(bytes, len);

	pprof_read_tables(&r, file);
	r.names = xcalloc(r.string_count, sizeof(*r.names));
	pprof_read_value_types(&r, file);
	pprof_pair_types(&r);
	for (size_t i = 0; i < r.type_count; i++)
		pprof_make_event(&r, i);
	if (r.nameless)
		profile_lost(p, "sample types skipped", r.nameless, "%s",
			     "their names are missing");
	if (r.nameless < r.type_count)
		pprof_read_samples(&r, file);
	pprof_release(&r);
	if (r.type_count && r.nameless == r.type_count)
		return fail(err, ERROR_INPUT,
			    "the names of the sample types are missing: the "
			    "profile is truncated");
	if (!r.type_count)
		return fail(err, ERROR_INPUT, "no sample type of pprof");
	if (!r.samples)
		return fail(err, ERROR_INPUT, "the profile has no samples");
	return 0;
}

/* True if a message is a value type; OTLP has other messages in its place. */
static bool pprof_is_value_type(struct cursor message)
{
	struct protobuf_field f;
	bool any = false;

	while (protobuf_next(&message, &f)) {
		if (f.number > VALUE_UNIT || f.type != PROTOBUF_VARINT)
			return false;
		any = true;
	}
	return any && cursor_ok(&message);
}

static bool pprof_sniff(const uint8_t *head, size_t len)
{
	struct cursor file = cursor_over(head, len);
	struct protobuf_field f;
	bool found = false;

	while (protobuf_next(&file, &f)) {
		bool is_number = f.number >= 7 && f.number != 11 &&
				 f.number != 13;

		if (f.number > PROFILE_LAST ||
		    (f.number != 13 &&
		     f.type != (is_number ? PROTOBUF_VARINT : PROTOBUF_BYTES)))
			return false;
		if (f.number == PROFILE_SAMPLE_TYPE) {
			if (!pprof_is_value_type(f.bytes))
				return false;
			found = true;
		}
	}
	/* The head may end within a message. */
	return found && (cursor_ok(&file) || len == READER_HEAD);
}

const struct reader pprof_reader = {
	.name = "pprof",
	.summary = "profile of pprof",
	.sniff = pprof_sniff,
	.read = pprof_read,
};
