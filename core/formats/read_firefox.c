/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read_firefox: reads "processed" profiles of profiler.firefox.com, as saved by
 * the site, samply and sjkc, of all versions.
 *
 * Tables are columns. Before version 56, each thread has its own; later, all
 * threads share some. The tables may follow the samples, so samples are read
 * after the rest of their thread.
 */
#include "core/base/alloc.h"
#include "core/base/ascii.h"
#include "core/base/json.h"
#include "core/base/lines.h"
#include "core/formats/frame_text.h"
#include "core/formats/labels.h"
#include "core/formats/reader.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MS_NS    1e6
#define NO_VALUE UINT32_MAX /* null, or out of range */

struct fox_column {
	uint32_t *values;
	size_t count, cap;
};

/* The tables of a thread, or those that threads share. */
struct fox_tables {
	struct text strings;
	size_t *string_ends;
	size_t string_count, string_cap;
	struct fox_column callers, stack_frames; /* stackTable */
	struct fox_column funcs, lines;          /* frameTable */
	struct fox_column names, files;          /* funcTable */
	struct fox_column file_names;            /* resourceTable */
	bool callers_are_offsets;
	uint32_t *frames, *stacks; /* ids of the profile, once resolved */
	uint32_t *named;           /* frames by string; 0 = not parsed yet */
	uint32_t *unnamed;         /* the same by string of a file's name */
	bool is_resolved;
};

/* A table of samples: its members have any order. */
struct fox_samples {
	struct fox_column stacks;
	double *times, *weights;
	size_t time_count, time_cap, weight_count, weight_cap;
	struct text type, event;
	bool are_deltas;
};

struct fox_reader {
	struct profile *profile;
	struct fox_tables shared;
	double start_ms;
	const char *start;
	uint64_t len;
	uint64_t threads, samples;
};

/* ---- columns ---- */

static void fox_read_column(struct json_reader *r, struct fox_column *c)
{
	c->count = 0;
	json_enter_array(r);
	while (json_next_element(r)) {
		double value = json_accept_null(r) ? -1 : json_read_double(r);

		if (r->failed)
			break;
		array_add(c->values, c->count, c->cap,
			  value >= 0 && value < NO_VALUE ? (uint32_t)value
							 : NO_VALUE);
	}
}

static void fox_read_doubles(struct json_reader *r, double **values,
			     size_t *count, size_t *cap)
{
	*count = 0;
	json_enter_array(r);
	while (json_next_element(r)) {
		double value = json_accept_null(r) ? 1 : json_read_double(r);

		if (r->failed)
			break;
		array_reserve(*values, *cap, *count + 1);
		(*values)[(*count)++] = value;
	}
}

static uint32_t column_get(const struct fox_column *c, size_t index)
{
	return index < c->count ? c->values[index] : NO_VALUE;
}

/* ---- tables ---- */

static void fox_read_strings(struct json_reader *r, struct fox_tables *t)
{
	json_enter_array(r);
	while (json_next_element(r)) {
		if (!json_accept_null(r))
			json_read_text(r, &t->strings);
		array_add(t->string_ends, t->string_count, t->string_cap,
			  t->strings.len);
	}
}

static struct line fox_string(const struct fox_tables *t, uint32_t index)
{
	size_t from;

	if (index >= t->string_count || !t->strings.len)
		return (struct line){ "", 0 };
	from = index ? t->string_ends[index - 1] : 0;
	return (struct line){ t->strings.bytes + from,
			      t->string_ends[index] - from };
}

/* Reads the columns of a table that are needed. */
static void fox_read_table(struct json_reader *r, struct fox_tables *t,
			   struct line table)
{
	const struct {
		const char *table, *key;
		struct fox_column *to;
	} columns[] = {
		{ "stackTable", "prefix", &t->callers },
		{ "stackTable", "prefixOffset", &t->callers },
		{ "stackTable", "frame", &t->stack_frames },
		{ "frameTable", "func", &t->funcs },
		{ "frameTable", "line", &t->lines },
		{ "funcTable", "name", &t->names },
		{ "funcTable", "resource", &t->files },
		{ "resourceTable", "name", &t->file_names },
	};
	struct line key;

	json_enter_object(r);
	while (json_next_member(r, &key)) {
		struct fox_column *to = NULL;

		for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++)
			if (line_is(table, columns[i].table) &&
			    line_is(key, columns[i].key))
				to = columns[i].to;
		if (to == &t->callers)
			t->callers_are_offsets = line_is(key, "prefixOffset");
		if (to)
			fox_read_column(r, to);
		else
			json_skip(r);
	}
}

/* Reads a member of a thread or of "shared"; false if it is not a table. */
static bool fox_read_tables(struct json_reader *r, struct fox_tables *t,
			    struct line key)
{
	if (line_is(key, "stackTable") || line_is(key, "frameTable") ||
	    line_is(key, "funcTable") || line_is(key, "resourceTable"))
		fox_read_table(r, t, key);
	else if (line_is(key, "stringArray") || line_is(key, "stringTable"))
		fox_read_strings(r, t);
	else
		return false;
	return true;
}

static void fox_release_tables(struct fox_tables *t)
{
	text_release(&t->strings);
	free(t->string_ends);
	free(t->callers.values);
	free(t->stack_frames.values);
	free(t->funcs.values);
	free(t->lines.values);
	free(t->names.values);
	free(t->files.values);
	free(t->file_names.values);
	free(t->frames);
	free(t->stacks);
	free(t->named);
	free(t->unnamed);
}

/* Returns the frame of a name, which is parsed once. */
static uint32_t fox_name_frame(struct fox_reader *f, struct fox_tables *t,
			       uint32_t name)
{
	struct line s = fox_string(t, name);

	if (s.len > FRAME_LONGEST)
		s.len = FRAME_LONGEST;
	if (!s.len)
		return frame_text_id(f->profile, "", 0, 0);
	if (!t->named)
		t->named = xcalloc(t->string_count, sizeof(*t->named));
	if (!t->named[name])
		t->named[name] = frame_text_id(f->profile, s.text, s.len, 0);
	return t->named[name];
}

/* True for the name "0x114c", an address whose function is unknown. */
static bool fox_is_address(struct line name)
{
	size_t at = 2;

	if (name.len < 3 || memcmp(name.text, "0x", 2) != 0)
		return false;
	while (at < name.len && hex_digit(name.text[at]) >= 0)
		at++;
	return at == name.len;
}

/*
 * Returns the frame of a function.  samply names functions without a symbol by
 * their address; they become one frame for each file, as in other formats.
 */
static uint32_t fox_func_frame(struct fox_reader *f, const struct fox_tables *t,
			       struct fox_tables *strings, uint32_t func)
{
	uint32_t name = column_get(&t->names, func);
	uint32_t file = column_get(&t->file_names, column_get(&t->files, func));
	struct line path = fox_string(strings, file);

	if (!path.len || !fox_is_address(fox_string(strings, name)))
		return fox_name_frame(f, strings, name);
	if (!strings->unnamed)
		strings->unnamed = xcalloc(strings->string_count,
					   sizeof(*strings->unnamed));
	if (!strings->unnamed[file])
		strings->unnamed[file] = frame_text_of_file(f->profile, path);
	return strings->unnamed[file];
}

static void fox_resolve_frames(struct fox_reader *f, struct fox_tables *t,
			       struct fox_tables *strings)
{
	t->frames = xmalloc((t->funcs.count + 1) * sizeof(*t->frames));
	for (size_t i = 0; i < t->funcs.count; i++) {
		uint32_t line = column_get(&t->lines, i);
		uint32_t frame = fox_func_frame(f, t, strings,
						t->funcs.values[i]);

		t->frames[i] = frame_text_at_line(f->profile, frame,
						  line < INT32_MAX ? line : 0);
	}
}

/* A caller precedes its callees; anything else is damage. */
static void fox_resolve_stacks(struct fox_reader *f, struct fox_tables *t)
{
	size_t count = t->stack_frames.count;

	t->stacks = xmalloc((count + 1) * sizeof(*t->stacks));
	for (size_t i = 0; i < count; i++) {
		uint32_t caller = column_get(&t->callers, i);
		uint32_t frame = t->stack_frames.values[i];

		if (t->callers_are_offsets && caller != NO_VALUE)
			caller = caller && caller <= i ? (uint32_t)i - caller
						       : NO_VALUE;
		if (caller != NO_VALUE && caller >= i) {
			profile_lost(f->profile, "callers behind callees", 1,
				     "stack trace %zu", i);
			caller = NO_VALUE;
		}
		t->stacks[i] = profile_push(
			f->profile, caller == NO_VALUE ? 0 : t->stacks[caller],
			frame < t->funcs.count
				? t->frames[frame]
				: frame_text_id(f->profile, "", 0, 0));
	}
}

static void fox_resolve(struct fox_reader *f, struct fox_tables *t)
{
	if (t->is_resolved)
		return;
	t->is_resolved = true;
	fox_resolve_frames(f, t, t->string_count ? t : &f->shared);
	fox_resolve_stacks(f, t);
}

/* ---- samples ---- */

static void fox_read_samples(struct json_reader *r, struct fox_samples *s)
{
	struct line key;

	json_enter_object(r);
	while (json_next_member(r, &key)) {
		if (line_is(key, "stack")) {
			fox_read_column(r, &s->stacks);
		} else if (line_is(key, "time") || line_is(key, "timeDeltas")) {
			s->are_deltas = line_is(key, "timeDeltas");
			fox_read_doubles(r, &s->times, &s->time_count,
					 &s->time_cap);
		} else if (line_is(key, "weight") && !json_accept_null(r)) {
			fox_read_doubles(r, &s->weights, &s->weight_count,
					 &s->weight_cap);
		} else if (line_is(key, "weightType")) {
			json_read_text(r, &s->type);
		} else if (line_is(key, "sjkcEvent")) {
			json_read_text(r, &s->event);
		} else if (!line_is(key, "weight")) {
			json_skip(r);
		}
	}
}

static void fox_release_samples(struct fox_samples *s)
{
	free(s->stacks.values);
	free(s->times);
	free(s->weights);
	text_release(&s->type);
	text_release(&s->event);
}

/* Returns the event of samples; sets the factor of their weights. */
static uint32_t fox_event(struct fox_reader *f, const struct fox_samples *s,
			  const char *name, double *factor)
{
	struct line type = { s->type.len ? s->type.bytes : "", s->type.len };
	bool is_time = line_is(type, "tracing-ms");
	bool is_bytes = line_is(type, "bytes");

	*factor = is_time ? MS_NS : 1;
	if (s->event.len)
		name = s->event.bytes;
	else if (!name)
		name = is_time ? "time" : is_bytes ? "bytes" : "samples";
	return profile_event(f->profile, name,
			     is_time    ? UNIT_NS
			     : is_bytes ? UNIT_BYTES
					: UNIT_SAMPLES);
}

/* Returns a time since the epoch, or 0. */
static int64_t fox_time(const struct fox_reader *f, double ms)
{
	double ns = (f->start_ms + ms) * MS_NS;

	return ns > 0 && ns < 9e18 ? (int64_t)ns : 0;
}

/* Adds samples, or allocations, whose frees have negative weights. */
static void fox_add_samples(struct fox_reader *f, const struct fox_samples *s,
			    const struct fox_tables *t, uint32_t thread,
			    const char *event)
{
	struct sample sample = { .thread = thread };
	double factor, ms = 0;
	bool counts;

	sample.event = fox_event(f, s, event, &factor);
	counts = f->profile->events[sample.event].unit == UNIT_SAMPLES;
	for (size_t i = 0; i < s->stacks.count; i++) {
		uint32_t stack = s->stacks.values[i];
		double weight = i < s->weight_count ? s->weights[i] : 1;
		double scaled = weight * factor + 0.5;

		if (i < s->time_count)
			ms = s->are_deltas ? ms + s->times[i] : s->times[i];
		if (!(scaled >= 1)) {
			profile_note(f->profile, "weights of 0 or less skipped",
				     1, "thread %" PRIu64, f->threads);
			continue;
		}
		sample.stack = stack < t->stack_frames.count ? t->stacks[stack]
							     : 0;
		sample.time_ns = s->time_count ? fox_time(f, ms) : 0;
		sample.weight = scaled < 1.8e19 ? (uint64_t)scaled : UINT64_MAX;
		sample.count = counts ? sample.weight : 1;
		profile_add(f->profile, &sample);
		f->samples++;
	}
}

/* ---- threads ---- */

/* The tables of samples of a thread. */
static const struct {
	const char *key, *event; /* event NULL: by the type of the weights */
} fox_sampled[] = {
	{ "samples", NULL },
	{ "nativeAllocations", "native-allocations" },
	{ "jsAllocations", "js-allocations" },
};

#define FOX_SAMPLED (sizeof(fox_sampled) / sizeof(*fox_sampled))

/* What a thread has besides its tables; at NULL: none. */
struct fox_thread {
	struct text name;
	int64_t tid;
	struct json_reader sampled[FOX_SAMPLED];
};

/* Reads a thread id, a number or a text such as "4711.1". */
static int64_t fox_read_tid(struct json_reader *r)
{
	struct text text = { 0 };
	struct json_reader before = *r;
	double number;
	int64_t tid;

	json_read_text(r, &text);
	if (!r->failed) {
		tid = text.len ? strtol(text.bytes, NULL, 10) : 0;
	} else {
		*r = before;
		number = json_read_double(r);
		tid = number > 0 && number <= INT32_MAX ? (int64_t)number : 0;
	}
	text_release(&text);
	return tid > 0 && tid <= INT32_MAX ? tid : 0;
}

static void fox_read_thread(struct json_reader *r, struct fox_thread *thread,
			    struct fox_tables *t)
{
	struct line key;

	json_enter_object(r);
	while (json_next_member(r, &key)) {
		for (size_t i = 0; i < FOX_SAMPLED; i++)
			if (line_is(key, fox_sampled[i].key))
				thread->sampled[i] = *r;
		if (line_is(key, "name"))
			json_read_text(r, &thread->name);
		else if (line_is(key, "tid") && !json_accept_null(r))
			thread->tid = fox_read_tid(r);
		else if (!line_is(key, "tid") && !fox_read_tables(r, t, key))
			json_skip(r);
	}
}

/* Tracks of our files are named after their event, too: "main (lock)". */
static uint32_t fox_thread_id(struct fox_reader *f,
			      const struct fox_thread *thread,
			      const struct text *event)
{
	struct line name = { thread->name.len ? thread->name.bytes : "",
			     thread->name.len };
	struct thread t = { .os_id = thread->tid };
	struct text suffix = { 0 };

	text_printf(&suffix, "(%s)", event->len ? event->bytes : "");
	if (event->len && line_ends(name, suffix.bytes)) {
		name.len -= suffix.len;
		name = line_trimmed(name);
	}
	text_release(&suffix);
	t.name = profile_string(f->profile, name.text, name.len);
	return t.name ? profile_thread(f->profile, &t) : 0;
}

static void fox_add_table(struct fox_reader *f, struct json_reader r,
			  const struct fox_thread *thread,
			  const struct fox_tables *t, const char *event)
{
	struct fox_samples s = { 0 };

	fox_read_samples(&r, &s);
	fox_add_samples(f, &s, t, fox_thread_id(f, thread, &s.event), event);
	fox_release_samples(&s);
}

static void fox_add_thread(struct fox_reader *f, struct json_reader *r)
{
	struct fox_thread thread = { 0 };
	struct fox_tables own = { 0 }, *t = &own;

	f->threads++;
	fox_read_thread(r, &thread, &own);
	if (!r->failed) {
		if (!own.stack_frames.count)
			t = &f->shared;
		fox_resolve(f, t);
		for (size_t i = 0; i < FOX_SAMPLED; i++)
			if (thread.sampled[i].at)
				fox_add_table(f, thread.sampled[i], &thread, t,
					      fox_sampled[i].event);
		profile_progress(f->profile, (uint64_t)(r->at - f->start),
				 f->len);
	}
	text_release(&thread.name);
	fox_release_tables(&own);
}

static void fox_read_meta(struct fox_reader *f, struct json_reader *r)
{
	struct line key;

	json_enter_object(r);
	while (json_next_member(r, &key)) {
		if (line_is(key, "startTime") && !json_accept_null(r))
			f->start_ms = json_read_double(r);
		else if (!line_is(key, "startTime"))
			json_skip(r);
	}
}

/* Reads what threads need, wherever it is. */
static void fox_read_head(struct fox_reader *f, struct json_reader r)
{
	struct line key, member;

	json_enter_object(&r);
	while (json_next_member(&r, &key)) {
		if (line_is(key, "meta")) {
			fox_read_meta(f, &r);
		} else if (line_is(key, "shared")) {
			json_enter_object(&r);
			while (json_next_member(&r, &member))
				if (!fox_read_tables(&r, &f->shared, member))
					json_skip(&r);
		} else {
			json_skip(&r);
		}
	}
}

static void fox_read_threads(struct fox_reader *f, struct json_reader r)
{
	struct line key;

	json_enter_object(&r);
	while (json_next_member(&r, &key)) {
		if (!line_is(key, "threads")) {
			json_skip(&r);
			continue;
		}
		json_enter_array(&r);
		while (json_next_element(&r))
			fox_add_thread(f, &r);
	}
	if (r.failed)
		profile_lost(f->profile, "truncated threads", 1,
			     "thread %" PRIu64, f->threads);
}

static int fox_read(const uint8_t *bytes, size_t len, struct profile *p,
		    struct error *err)
{
	struct json_reader r = json_reader_over((const char *)bytes, len);
	struct fox_reader f = { .profile = p, .start = r.at, .len = len };

	fox_read_head(&f, r);
	fox_read_threads(&f, r);
	fox_release_tables(&f.shared);
	if (!f.samples)
		return fail(err, ERROR_INPUT,
			    "no thread has samples: not a processed profile of "
			    "the Firefox Profiler, or truncated");
	return 0;
}

static bool fox_sniff(const uint8_t *head, size_t len)
{
	static const char version[] = "\"preprocessedProfileVersion\"";
	size_t at = 0;

	while (at < len && strchr(" \t\r\n", head[at]) && head[at])
		at++;
	return at < len && head[at] == '{' &&
	       memmem(head, len, version, strlen(version));
}

const struct reader firefox_reader = {
	.name = "firefox",
	.summary = "Firefox Profiler JSON",
	.sniff = fox_sniff,
	/* Extensions and categories precede the version. */
	.look = fox_sniff,
	.read = fox_read,
};
