/* SPDX-License-Identifier: Apache-2.0 */
#include "core/formats/perf/perf_text.h"

#include "core/base/alloc.h"
#include "core/base/arena.h"
#include "core/base/ascii.h"
#include "core/base/clock.h"
#include "core/base/hash.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define SECOND_MAX   (INT64_MAX / CLOCK_NS_PER_S - 1)
#define HEADER_MAX   1024 /* bytes in which the time is looked for */
#define COMMAND_MAX  20   /* columns of a command, which perf pads to 16 */
#define FRAME_DIGITS 4    /* least number of digits of an address */
#define SAMPLE_BATCH 64   /* adding several samples at once is faster */

/* ---- headers ---- */

/* The first line of a sample; a missing number is 0. */
struct perf_header {
	struct line command;
	int64_t pid, tid;
	int64_t time_ns;
	bool has_time, has_period;
	uint64_t period;
	struct line event; /* with its modifiers, without the colon */
	struct line rest;  /* the frame, if there is no stack trace */
};

/* Where the time of a header is. */
struct header_time {
	size_t from, to; /* of "59071.705481:" */
	size_t start;    /* of the thread id before it */
	bool has_thread;
};

/* Returns the position before the digits that end at `at`. */
static size_t header_before_digits(struct line l, size_t at)
{
	while (at && is_digit(l.text[at - 1]))
		at--;
	return at;
}

static size_t header_before_blanks(struct line l, size_t at)
{
	while (at && is_blank(l.text[at - 1]))
		at--;
	return at;
}

/* Finds the thread id before the time, and the CPU that may follow it. */
static void header_find_thread(struct line l, struct header_time *t)
{
	size_t at = header_before_blanks(l, t->from), digits;

	t->start = at;
	t->has_thread = false;
	if (at && l.text[at - 1] == ']') {
		digits = header_before_digits(l, at - 1);
		if (digits == at - 1 || !digits || l.text[digits - 1] != '[')
			return;
		at = header_before_blanks(l, digits - 1);
		t->start = at;
	}
	digits = header_before_digits(l, at);
	if (digits == at)
		return;
	if (digits && l.text[digits - 1] == '/') {
		at = digits - 1;
		digits = header_before_digits(l, at);
		if (digits == at)
			return;
	}
	if (digits && !is_blank(l.text[digits - 1]))
		return;
	t->start = digits;
	t->has_thread = true;
}

/* True if a time ends with the colon at `at`; some locales have a comma. */
static bool header_is_time(struct line l, size_t at, struct header_time *t)
{
	size_t dot = header_before_digits(l, at);

	if (dot == at || at - dot > 9 || !dot ||
	    (l.text[dot - 1] != '.' && l.text[dot - 1] != ','))
		return false;
	t->from = header_before_digits(l, dot - 1);
	t->to = at + 1;
	if (t->from == dot - 1 || (t->from && !is_blank(l.text[t->from - 1])))
		return false;
	header_find_thread(l, t);
	return true;
}

/*
 * Finds the time of a header. The command and the text of a tracepoint may
 * contain something like a time: the last one that a command can reach is
 * meant, then the first one after a thread id, then the first one.
 */
static bool header_find_time(struct line l, struct header_time *found)
{
	struct header_time t;
	bool any = false;

	if (l.len > HEADER_MAX)
		l.len = HEADER_MAX;
	for (size_t i = 1; i < l.len; i++) {
		if (l.text[i] != ':' ||
		    (i + 1 < l.len && !is_blank(l.text[i + 1])) ||
		    !header_is_time(l, i, &t))
			continue;
		if (!any || (t.has_thread &&
			     (!found->has_thread || t.start <= COMMAND_MAX)))
			*found = t;
		any = true;
	}
	return any;
}

static uint64_t header_number(struct line digits)
{
	uint64_t value = 0;

	for (size_t i = 0; i < digits.len; i++) {
		if (!is_digit(digits.text[i]) ||
		    __builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, digits.text[i] - '0', &value))
			return 0;
	}
	return value;
}

static int64_t header_id(struct line digits)
{
	uint64_t id = header_number(digits);

	return id <= INT32_MAX ? (int64_t)id : 0;
}

static int64_t header_time_ns(struct line l)
{
	size_t dot = header_before_digits(l, l.len) - 1;
	uint64_t seconds = header_number((struct line){ l.text, dot });
	uint64_t fraction = 0;

	for (size_t i = 0; i < 9; i++) {
		fraction *= 10;
		if (dot + 1 + i < l.len)
			fraction += (uint64_t)(l.text[dot + 1 + i] - '0');
	}
	if (seconds > SECOND_MAX)
		return 0;
	return (int64_t)seconds * CLOCK_NS_PER_S + (int64_t)fraction;
}

/* Reads the command and the ids before `end`. */
static void header_read_thread(struct perf_header *h, struct line l,
			       const struct header_time *t)
{
	struct line ids = { l.text + t->start, t->from - t->start };

	h->command = line_trimmed((struct line){ l.text, t->start });
	if (!t->has_thread)
		return;
	ids = line_cut(&ids, ' ');
	if (memchr(ids.text, '/', ids.len))
		h->pid = header_id(line_cut(&ids, '/'));
	h->tid = header_id(ids);
}

/* Reads "1000 cycles:u: rest"; false if there is no event. */
static bool header_read_event(struct perf_header *h, struct line l)
{
	struct line word;

	l = line_trimmed(l);
	word = line_cut(&l, ' ');
	h->has_period = word.len && header_before_digits(word, word.len) == 0;
	if (h->has_period) {
		h->period = header_number(word);
		l = line_trimmed(l);
		word = line_cut(&l, ' ');
	}
	if (word.len < 2 || word.text[word.len - 1] != ':')
		return false;
	h->event = (struct line){ word.text, word.len - 1 };
	h->rest = line_trimmed(l);
	return true;
}

/*
 * Parses a header without a time, whose event must be the last word: "java
 * 4711 cycles:", perhaps with a period before it.
 */
static bool header_parse_timeless(struct perf_header *h, struct line l)
{
	struct header_time t = { 0 };
	struct line event;
	size_t number;

	l = line_trimmed(l);
	event = l;
	while (memchr(event.text, ' ', event.len))
		line_cut(&event, ' ');
	if (event.len < 2 || event.text[event.len - 1] != ':')
		return false;
	t.from = l.len - event.len;
	number = header_before_digits(l, header_before_blanks(l, t.from));
	header_find_thread(l, &t);
	/* Of two numbers, the second is the period. */
	if (t.has_thread && t.start == number) {
		struct header_time before = { .from = number };

		header_find_thread(l, &before);
		if (before.has_thread) {
			t = before;
			event.text = l.text + number;
			event.len = l.len - number;
		}
	}
	header_read_thread(h, l, &t);
	return header_read_event(h, event);
}

static bool header_parse(struct line l, struct perf_header *h)
{
	struct header_time t;

	*h = (struct perf_header){ 0 };
	if (header_find_time(l, &t)) {
		h->has_time = true;
		h->time_ns = header_time_ns(
			(struct line){ l.text + t.from, t.to - 1 - t.from });
		header_read_thread(h, l, &t);
		return header_read_event(
			h, (struct line){ l.text + t.to, l.len - t.to });
	}
	return header_parse_timeless(h, l);
}

/* True for a line "ADDRESS SYMBOL (FILE)" with any indentation. */
static bool frame_has_address(struct line l)
{
	size_t digits = 0;

	l = line_trimmed(l);
	while (digits < l.len && hex_digit(l.text[digits]) >= 0)
		digits++;
	return digits >= FRAME_DIGITS && digits < l.len &&
	       is_blank(l.text[digits]) && l.text[l.len - 1] == ')';
}

bool perf_text_is_header(struct line line, struct line next)
{
	struct perf_header h;

	return header_parse(line, &h) &&
	       (h.has_time || (h.tid && frame_has_address(next)));
}

/* ---- samples ---- */

/* A line of a stack trace and its frames, leaf first. */
struct perf_seen {
	const char *text; /* NULL = free */
	uint32_t len;
	uint32_t first, count; /* in the frames of lines */
	uint64_t hash;
};

/* An event, and how its period is counted. */
struct perf_event {
	struct line name; /* with its modifiers */
	uint32_t event;
	enum unit unit;
};

struct perf_text {
	struct profile *profile;
	struct arena arena; /* lines and names of events */
	struct perf_seen *seen;
	size_t seen_size; /* a power of two */
	size_t seen_count;
	uint32_t *line_frames;
	size_t line_frame_count, line_frame_cap;
	struct perf_event *events;
	size_t event_count, event_cap;
	size_t last_event;
	/* The thread of the previous sample. */
	struct line command;
	char *command_copy;
	size_t command_cap;
	int64_t tid;
	uint32_t thread;

	uint32_t *frames; /* of the samples of the batch, leaf first */
	size_t frame_count, frame_cap;
	struct sample batch[SAMPLE_BATCH];
	uint32_t depths[SAMPLE_BATCH];
	size_t batched;
	size_t sample_from; /* first frame of the open sample */
	struct sample sample;
	bool is_open;
	bool is_line;    /* the open sample: all of it is one line */
	bool ends_open;  /* within a line */
	bool has_blanks; /* an empty line has ended a sample */
	uint64_t line;
	uint64_t samples;
};

struct perf_text *perf_text_new(struct profile *p)
{
	struct perf_text *t = xcalloc(1, sizeof(*t));

	t->profile = p;
	t->seen_size = 4096;
	t->seen = xcalloc(t->seen_size, sizeof(*t->seen));
	return t;
}

void perf_text_free(struct perf_text *t)
{
	if (!t)
		return;
	arena_release(&t->arena);
	free(t->seen);
	free(t->line_frames);
	free(t->events);
	free(t->command_copy);
	free(t->frames);
	free(t);
}

static struct perf_seen *text_find_seen(const struct perf_text *t,
					struct line l, uint64_t hash)
{
	size_t mask = t->seen_size - 1;

	for (size_t i = hash & mask;; i = (i + 1) & mask) {
		struct perf_seen *s = &t->seen[i];

		if (!s->text || (s->hash == hash && s->len == l.len &&
				 memcmp(s->text, l.text, l.len) == 0))
			return s;
	}
}

static void text_grow_seen(struct perf_text *t)
{
	struct perf_seen *old = t->seen;
	size_t old_size = t->seen_size;

	t->seen_size = old_size * 2;
	t->seen = xcalloc(t->seen_size, sizeof(*t->seen));
	for (size_t i = 0; i < old_size; i++) {
		struct line l = { old[i].text, old[i].len };

		if (old[i].text)
			*text_find_seen(t, l, old[i].hash) = old[i];
	}
	free(old);
}

/* Returns the frames of a line, none if it has another form. */
static struct perf_seen text_get_frames(struct perf_text *t, struct line l)
{
	uint32_t frames[PERF_FRAMES];
	uint64_t hash = hash_bytes(l.text, l.len);
	struct perf_seen *s = text_find_seen(t, l, hash), found;
	size_t count = 0;

	if (s->text)
		return *s;
	if (l.len < UINT32_MAX && !memchr(l.text, '\0', l.len))
		count = perf_frames(t->profile, l, frames);
	found = (struct perf_seen){
		.text = arena_copy(&t->arena, l.text, l.len),
		.len = (uint32_t)l.len,
		.first = (uint32_t)t->line_frame_count,
		.count = (uint32_t)count,
		.hash = hash,
	};
	array_reserve(t->line_frames, t->line_frame_cap,
		      t->line_frame_count + count);
	for (size_t i = 0; i < count; i++)
		t->line_frames[t->line_frame_count++] = frames[i];
	*s = found;
	if (++t->seen_count * 2 > t->seen_size)
		text_grow_seen(t);
	return found;
}

/* Adds the frames of a line to the open sample; false if it is no frame. */
static bool text_add_frames(struct perf_text *t, struct line l)
{
	struct perf_seen s = text_get_frames(t, l);

	array_reserve(t->frames, t->frame_cap, t->frame_count + s.count);
	for (uint32_t i = 0; i < s.count; i++)
		t->frames[t->frame_count++] = t->line_frames[s.first + i];
	return s.count > 0;
}

static void text_flush(struct perf_text *t)
{
	uint32_t stacks[SAMPLE_BATCH];

	if (!t->batched)
		return;
	profile_stacks(t->profile, t->frames, t->depths, t->batched, stacks);
	for (size_t i = 0; i < t->batched; i++)
		t->batch[i].stack = stacks[i];
	profile_add_all(t->profile, t->batch, t->batched);
	t->batched = 0;
	t->frame_count = 0;
}

/* Removes the modifiers of an event: "cycles:ppp" is "cycles". */
static struct line event_base(struct line name)
{
	size_t at = name.len;

	while (at && strchr("ukhGHIpPSDWeb", name.text[at - 1]))
		at--;
	if (at > 1 && at < name.len && name.text[at - 1] == ':')
		name.len = at - 1;
	return name;
}

/*
 * The period of the kernel's clocks is in nanoseconds; that of other events is
 * the number of events since the previous sample.
 */
static struct perf_event text_new_event(struct perf_text *t,
					const struct perf_header *h)
{
	struct line base = event_base(h->event);
	struct perf_event e = { 0 };
	char *name = arena_copy(&t->arena, base.text, base.len);

	if (!h->has_period)
		e.unit = UNIT_SAMPLES;
	else if (line_is(base, "cpu-clock") || line_is(base, "task-clock"))
		e.unit = UNIT_NS;
	else
		e.unit = UNIT_COUNT;
	e.event = profile_event(t->profile, name, e.unit);
	e.unit = t->profile->events[e.event].unit;
	e.name.text = arena_copy(&t->arena, h->event.text, h->event.len);
	e.name.len = h->event.len;
	return e;
}

#define EVENTS_MAX 1024 /* more are not events but damage */

static const struct perf_event *text_get_event(struct perf_text *t,
					       const struct perf_header *h)
{
	for (size_t i = 0; i < t->event_count; i++) {
		size_t at = (t->last_event + i) % t->event_count;
		const struct perf_event *e = &t->events[at];

		if (e->name.len == h->event.len &&
		    memcmp(e->name.text, h->event.text, e->name.len) == 0) {
			t->last_event = at;
			return e;
		}
	}
	if (t->event_count == EVENTS_MAX)
		return NULL;
	array_reserve(t->events, t->event_cap, t->event_count + 1);
	t->events[t->event_count] = text_new_event(t, h);
	t->last_event = t->event_count;
	return &t->events[t->event_count++];
}

static uint32_t text_get_thread(struct perf_text *t,
				const struct perf_header *h)
{
	struct thread thread = { .os_id = h->tid };

	if (t->command_copy && t->tid == h->tid &&
	    t->command.len == h->command.len &&
	    memcmp(t->command.text, h->command.text, h->command.len) == 0)
		return t->thread;
	thread.name = profile_string(t->profile, h->command.text,
				     h->command.len);
	t->thread = h->tid || h->command.len
			    ? profile_thread(t->profile, &thread)
			    : 0;
	array_reserve(t->command_copy, t->command_cap, h->command.len + 1);
	memcpy(t->command_copy, h->command.text, h->command.len);
	t->command = (struct line){ t->command_copy, h->command.len };
	t->tid = h->tid;
	return t->thread;
}

static void text_end_sample(struct perf_text *t)
{
	if (!t->is_open)
		return;
	t->is_open = false;
	t->depths[t->batched] = (uint32_t)(t->frame_count - t->sample_from);
	t->batch[t->batched++] = t->sample;
	t->samples++;
	if (t->batched == SAMPLE_BATCH)
		text_flush(t);
}

static void text_begin_sample(struct perf_text *t, const struct perf_header *h)
{
	const struct perf_event *e = text_get_event(t, h);

	if (!e) {
		profile_lost(t->profile, "samples of too many events", 1,
			     "line %" PRIu64, t->line);
		return;
	}
	t->is_open = true;
	t->is_line = h->rest.len > 0;
	t->sample_from = t->frame_count;
	t->sample = (struct sample){
		.event = e->event,
		.thread = text_get_thread(t, h),
		.time_ns = h->time_ns,
		.count = 1,
		.weight = e->unit == UNIT_SAMPLES ? 1 : h->period,
	};
	/* Without a stack trace, the only frame follows the event. */
	if (h->rest.len && hex_digit(h->rest.text[0]) >= 0)
		text_add_frames(t, h->rest);
}

/*
 * A frame begins with a tab. In copied text, it begins with a space, or with
 * its address. A header may begin with spaces, too, because perf pads the
 * command; without a call graph it also ends like a frame.
 */
static bool text_is_frame(const struct perf_text *t, struct line l)
{
	struct perf_header h;

	if (!t->is_open || l.text[0] == '\t')
		return t->is_open;
	if (l.text[l.len - 1] != ')')
		return false;
	if (frame_has_address(l) && !t->is_line)
		return true;
	return is_blank(l.text[0]) && !(header_parse(l, &h) && h.has_time);
}

static bool text_read_frame(struct perf_text *t, struct line l)
{
	return text_is_frame(t, l) && text_add_frames(t, l);
}

/*
 * Counts lost samples: "PERF_RECORD_LOST lost 5" and PERF_RECORD_LOST_SAMPLES,
 * which --show-lost-events shows, and "[LOST 5 EVENTS]" of ftrace. True if the
 * line is a record.
 */
static bool text_read_record(struct perf_text *t, struct line l)
{
	static const char *const marks[][2] = {
		{ "PERF_RECORD_LOST", "lost" },
		{ "[LOST ", "[LOST" },
	};
	bool is_record = memmem(l.text, l.len, "PERF_RECORD_", 12);

	for (size_t i = 0; i < 2; i++) {
		const char *at = memmem(l.text, l.len, marks[i][0],
					strlen(marks[i][0]));
		struct line rest = { at,
				     at ? (size_t)(l.text + l.len - at) : 0 };
		size_t digits = 0;

		at = at ? memmem(rest.text, rest.len, marks[i][1],
				 strlen(marks[i][1]))
			: NULL;
		if (!at)
			continue;
		at += strlen(marks[i][1]);
		while (at < l.text + l.len && (*at == ' ' || *at == ':'))
			at++;
		while (at + digits < l.text + l.len && is_digit(at[digits]))
			digits++;
		profile_lost(t->profile, "samples lost by perf record",
			     header_number((struct line){ at, digits }),
			     "line %" PRIu64, t->line);
		is_record = true;
	}
	return is_record;
}

static void text_read_line(struct perf_text *t, struct line l)
{
	struct perf_header h;

	t->line++;
	if (!l.len) {
		t->has_blanks = true;
		text_end_sample(t);
	} else if (l.text[0] == '#' || !line_trimmed(l).len ||
		   text_read_frame(t, l)) {
		return;
	} else if (header_parse(l, &h) && (h.has_time || !t->is_open)) {
		text_end_sample(t);
		text_begin_sample(t, &h);
	} else if (text_read_record(t, l)) {
		text_end_sample(t);
	} else if (is_blank(l.text[0]) && t->is_open) {
		/* perf script -F +srcline has a line for each frame. */
		profile_note(t->profile, "lines inside samples skipped", 1,
			     "line %" PRIu64, t->line);
	} else {
		profile_lost(t->profile, "lines skipped", 1, "line %" PRIu64,
			     t->line);
	}
}

void perf_text_read(struct perf_text *t, const void *bytes, size_t len)
{
	struct lines lines = lines_over(bytes, len);
	struct line line;

	while (lines_next(&lines, &line))
		text_read_line(t, line);
	/* A frame is whole with the file at its end. */
	t->ends_open = lines_end_open(&lines) && !line_ends(line, ")");
}

uint64_t perf_text_finish(struct perf_text *t, bool is_truncated)
{
	bool has_frames = t->frame_count > t->sample_from;

	/*
	 * The callers that are missing would change the stack trace. Samples
	 * of one line have no empty line behind them.
	 */
	is_truncated = is_truncated || t->ends_open;
	if (t->is_open && (is_truncated || (!t->is_line && !has_frames &&
					    (t->has_blanks || !t->samples)))) {
		profile_lost(t->profile, "truncated samples", 1,
			     "line %" PRIu64, t->line);
		t->frame_count = t->sample_from;
		t->is_open = false;
	} else if (t->is_open && !t->is_line && has_frames) {
		/* Editors and shells remove the last empty line. */
		profile_note(t->profile,
			     "last samples without an empty line behind them, "
			     "whose callers may be missing",
			     1, "line %" PRIu64, t->line);
	}
	text_end_sample(t);
	text_flush(t);
	return t->samples;
}
