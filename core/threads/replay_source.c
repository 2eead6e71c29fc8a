/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/alloc.h"
#include "core/base/json.h"
#include "core/base/lines.h"
#include "core/threads/blocked.h"
#include "core/threads/top_record.h"
#include "core/threads/top_record_fields.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/*
 * Maximum number of threads of a sample: a process has at most a quarter of
 * them by default (vm.max_map_count), and each takes more memory than its "{}".
 */
#define THREADS_MAX ((size_t)1 << 17)

struct replay_source {
	struct thread_source source;
	struct lines lines; /* after the current sample */
	char *title;
	struct text strings; /* of the current sample */
	struct text scratch, shown_strings;
	struct thread_sample *threads;
	size_t cap;
	bool damaged;
};

/* The state of reading a line. */
struct reading {
	struct json_reader in;
	struct replay_source *r;
	struct text *strings; /* has space for all strings of the line */
	struct top_sample *sample;
};

/* Reads a number; all numbers of a recording are 0 or more. */
static int64_t reading_number(struct reading *g, int64_t most)
{
	int64_t value = json_read_int(&g->in);

	if (value >= 0 && value <= most)
		return value;
	json_reader_fail(&g->in);
	return 0;
}

/* Reads a string; its address stays valid. */
static const char *reading_string(struct reading *g)
{
	size_t at = g->strings->len;

	json_read_text(&g->in, g->strings);
	text_putc(g->strings, '\0');
	return g->strings->bytes + at;
}

static const char *reading_scratch(struct reading *g)
{
	struct text *scratch = &g->r->scratch;

	text_clear(scratch);
	json_read_text(&g->in, scratch);
	text_putc(scratch, '\0');
	return scratch->bytes;
}

/* A later version of sjkc may write other words, which count as unknown. */
static enum thread_kind reading_kind(struct reading *g)
{
	const char *word = reading_scratch(g);

	for (unsigned i = 0; i <= THREAD_NATIVE; i++) {
		if (strcmp(word, thread_kind_name((enum thread_kind)i)) == 0)
			return (enum thread_kind)i;
	}
	return THREAD_UNKNOWN;
}

static enum thread_run_state reading_state(struct reading *g)
{
	const char *word = reading_scratch(g);

	for (unsigned i = 0; i <= RUN_STOPPED; i++) {
		if (strcmp(word, thread_run_state_name(
					 (enum thread_run_state)i)) == 0)
			return (enum thread_run_state)i;
	}
	return RUN_UNKNOWN;
}

static void reading_field(struct reading *g, const struct record_field *f,
			  char *at)
{
	switch (f->type) {
	case RECORD_COUNTER:
	case RECORD_ID:
		*(int64_t *)at = reading_number(g, INT64_MAX);
		break;
	case RECORD_PID:
		*(pid_t *)at = (pid_t)reading_number(g, INT32_MAX);
		break;
	case RECORD_UNSIGNED:
		*(uint64_t *)at = json_read_uint(&g->in);
		break;
	case RECORD_FLAG:
		*(bool *)at = json_read_bool(&g->in);
		break;
	case RECORD_KIND:
		*(enum thread_kind *)at = reading_kind(g);
		break;
	case RECORD_STATE:
		*(enum thread_run_state *)at = reading_state(g);
		break;
	case RECORD_STRING:
		*(const char **)at = reading_string(g);
		break;
	case RECORD_CHARS:
		snprintf(at, f->size, "%s", reading_scratch(g));
		break;
	}
}

/* Reads a member that is in the table; false if it is not. */
static bool reading_member(struct reading *g, struct line key,
			   const struct record_field *fields, void *into)
{
	for (const struct record_field *f = fields; f->key; f++) {
		if (line_is(key, f->key)) {
			reading_field(g, f, (char *)into + f->offset);
			return true;
		}
	}
	return false;
}

static void reading_object(struct reading *g, const struct record_field *fields,
			   void *into)
{
	struct line key;

	if (!json_enter_object(&g->in))
		return;
	while (json_next_member(&g->in, &key)) {
		if (!reading_member(g, key, fields, into))
			json_skip(&g->in);
	}
}

static void reading_gc(struct reading *g, struct process_sample *p)
{
	struct gc_sample gc;

	if (!json_enter_array(&g->in))
		return;
	while (json_next_element(&g->in)) {
		gc = (struct gc_sample){ .count = COUNTER_ABSENT,
					 .time_ns = COUNTER_ABSENT,
					 .last_ns = COUNTER_ABSENT };
		reading_object(g, gc_fields, &gc);
		if (p->gc_count < GC_COLLECTORS_MAX)
			p->gc[p->gc_count++] = gc;
	}
}

static void reading_process(struct reading *g)
{
	struct process_sample *p = &g->sample->process;
	struct line key;

	if (!json_enter_object(&g->in))
		return;
	while (json_next_member(&g->in, &key)) {
		if (line_is(key, "gc"))
			reading_gc(g, p);
		else if (!reading_member(g, key, process_fields, p))
			json_skip(&g->in);
	}
}

static bool reading_counter(struct reading *g, struct line key,
			    int64_t *counters)
{
	for (size_t i = 0; i < THREAD_COUNTERS; i++) {
		if (line_is(key, thread_counter_name((enum thread_counter)i))) {
			counters[i] = reading_number(g, INT64_MAX);
			return true;
		}
	}
	return false;
}

static void reading_thread(struct reading *g, struct thread_sample *t)
{
	struct line key;

	*t = (struct thread_sample){ .name = "" };
	for (size_t i = 0; i < THREAD_COUNTERS; i++)
		t->counters[i] = COUNTER_ABSENT;
	if (!json_enter_object(&g->in))
		return;
	while (json_next_member(&g->in, &key)) {
		if (!reading_member(g, key, thread_fields, t) &&
		    !reading_counter(g, key, t->counters))
			json_skip(&g->in);
	}
}

static void reading_threads(struct reading *g)
{
	struct replay_source *r = g->r;
	struct top_sample *s = g->sample;

	if (!json_enter_array(&g->in))
		return;
	while (json_next_element(&g->in)) {
		if (s->thread_count == THREADS_MAX) {
			json_reader_fail(&g->in);
			return;
		}
		array_reserve(r->threads, r->cap, s->thread_count + 1);
		reading_thread(g, &r->threads[s->thread_count++]);
	}
}

static void reading_notes(struct reading *g)
{
	struct top_sample *s = g->sample;
	struct source_note note;

	if (!json_enter_array(&g->in))
		return;
	while (json_next_element(&g->in)) {
		note = (struct source_note){ .figure = "" };
		reading_object(g, note_fields, &note);
		if (s->note_count < SOURCE_NOTES_MAX)
			s->notes[s->note_count++] = note;
	}
}

static void reading_sample(struct reading *g)
{
	struct line key;

	if (!json_enter_object(&g->in))
		return;
	while (json_next_member(&g->in, &key)) {
		if (line_is(key, "process"))
			reading_process(g);
		else if (line_is(key, "threads"))
			reading_threads(g);
		else if (line_is(key, "notes"))
			reading_notes(g);
		else if (!reading_member(g, key, sample_fields, g->sample))
			json_skip(&g->in);
	}
}

/*
 * Prepares for a line. Strings without their quotes and escapes are shorter
 * than the line, so that reserving its length keeps them in place.
 */
static struct reading reading_begin(struct replay_source *r,
				    struct text *strings, struct line line)
{
	text_clear(strings);
	array_reserve(strings->bytes, strings->cap, line.len + 1);
	return (struct reading){
		.in = json_reader_over(line.text, line.len),
		.r = r,
		.strings = strings,
	};
}

static void reading_clear_sample(struct top_sample *s)
{
	*s = (struct top_sample){ .monotonic_ns = -1 };
	process_sample_clear(&s->process);
}

/* A line with a recorded view. */
struct shown {
	const char *what; /* NULL = invalid line */
	int64_t of;
	const char *text;
};

static const struct record_field shown_fields[] = {
	RECORD_FIELD("shown", STRING, shown, what),
	RECORD_FIELD("of", ID, shown, of),
	RECORD_FIELD("text", STRING, shown, text),
	{ 0 },
};

/* top_record writes a first key that tells the type of the line. */
static bool line_is_shown(struct line line)
{
	return line_starts(line, "{\"shown\"");
}

/* Reads a complete line; its strings are valid until the next line. */
static bool reading_shown(struct replay_source *r, struct line line,
			  struct shown *shown)
{
	struct reading g = reading_begin(r, &r->shown_strings, line);

	*shown = (struct shown){ 0 };
	reading_object(&g, shown_fields, shown);
	return json_reader_at_end(&g.in) && shown->what && shown->text;
}

/* Reads a line with a sample or a view. */
static bool reading_line(struct replay_source *r, struct line line,
			 struct top_sample *out)
{
	struct reading g;
	struct shown unused;

	if (line_is_shown(line))
		return reading_shown(r, line, &unused);
	g = reading_begin(r, &r->strings, line);
	g.sample = out;
	reading_clear_sample(out);
	reading_sample(&g);
	out->threads = r->threads;
	return json_reader_at_end(&g.in) && out->monotonic_ns >= 0;
}

static int replay_sample(struct thread_source *source, struct top_sample *out,
			 struct error *err)
{
	struct replay_source *r = (struct replay_source *)source;
	struct line line;

	while (!r->damaged && lines_next(&r->lines, &line)) {
		if (!line.len)
			continue;
		r->damaged = !reading_line(r, line, out);
		if (!r->damaged && !line_is_shown(line))
			return 0;
	}
	if (r->damaged)
		return fail(err, ERROR_PARTIAL, "line %" PRIu64 " is damaged",
			    r->lines.number);
	return fail(err, ERROR_NO_TARGET, "end of the recording");
}

/* Appends the last view recorded after the current sample. */
static int replay_shown(struct replay_source *r, const char *what, int64_t tid,
			int64_t java_id, struct text *out)
{
	struct lines after = r->lines;
	size_t len = out->len;
	struct line line;
	struct shown shown;
	int found = -1;

	while (lines_next(&after, &line) && line_is_shown(line)) {
		if (!reading_shown(r, line, &shown) ||
		    strcmp(shown.what, what) != 0 ||
		    (shown.of != tid && shown.of != java_id))
			continue;
		out->len = len;
		text_puts(out, shown.text);
		found = 0;
	}
	return found;
}

static int replay_stack(struct thread_source *source,
			const struct thread_sample *of, struct text *out,
			struct error *err)
{
	if (replay_shown((struct replay_source *)source, "stack",
			 of->tid ? of->tid : of->java_id, of->java_id, out))
		return fail(err, ERROR_FAILED,
			    "the recording has no data of this thread");
	return 0;
}

static int replay_deadlocks(struct thread_source *source, struct text *out,
			    struct error *err)
{
	if (replay_shown((struct replay_source *)source, "deadlocks", 0, 0,
			 out))
		return fail(err, ERROR_FAILED,
			    "no search for deadlocks was recorded");
	return 0;
}

static int replay_blocked(struct thread_source *source, struct blocked *out,
			  struct error *err)
{
	blocked_begin(out, "recording", 0);
	if (replay_shown((struct replay_source *)source, "blocked", 0, 0,
			 &out->recorded))
		return fail(err, ERROR_FAILED,
			    "no blocked threads were recorded at this time; "
			    "ttop records them while it shows them");
	return 0;
}

static const char *replay_title(struct thread_source *source)
{
	return ((struct replay_source *)source)->title;
}

static void replay_close(struct thread_source *source)
{
	struct replay_source *r = (struct replay_source *)source;

	text_release(&r->strings);
	text_release(&r->scratch);
	text_release(&r->shown_strings);
	free(r->threads);
	free(r->title);
	free(r);
}

static const struct thread_source_ops replay_ops = {
	.name = "replay",
	.sample = replay_sample,
	.stack = replay_stack,
	.deadlocks = replay_deadlocks,
	.blocked = replay_blocked,
	.title = replay_title,
	.close = replay_close,
};

/* The first line of a recording. */
struct head {
	const char *schema;
	const char *title;
	pid_t pid;
};

static const struct record_field head_fields[] = {
	RECORD_FIELD("schema", STRING, head, schema),
	RECORD_FIELD("title", STRING, head, title),
	RECORD_FIELD("pid", PID, head, pid),
	{ 0 },
};

static bool reading_head(struct replay_source *r)
{
	struct head head = { .title = "" };
	struct reading g;
	struct line line;

	if (!lines_next(&r->lines, &line))
		return false;
	g = reading_begin(r, &r->strings, line);
	reading_object(&g, head_fields, &head);
	if (!json_reader_at_end(&g.in) || !head.schema ||
	    strcmp(head.schema, TOP_RECORD_SCHEMA) != 0)
		return false;
	r->title = xstrdup(head.title);
	r->source.pid = head.pid;
	return true;
}

struct thread_source *replay_source_open(const char *bytes, size_t len,
					 struct error *err)
{
	struct replay_source *r = xcalloc(1, sizeof(*r));

	r->source.ops = &replay_ops;
	r->lines = lines_over(bytes, len);
	if (reading_head(r))
		return &r->source;
	replay_close(&r->source);
	fail(err, ERROR_INPUT,
	     "not a ttop recording: the first line has no "
	     "\"schema\":\"" TOP_RECORD_SCHEMA "\"");
	return NULL;
}
