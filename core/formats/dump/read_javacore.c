/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OpenJ9's javacore: each line begins with a tag that says what it holds.
 * The thread that caused the dump is printed first, and only there.
 */
#include "core/formats/dump/thread_dump.h"
#include "core/formats/reader.h"

#include <string.h>

struct javacore {
	struct dump_walk walk; /* first: it is what steps are given */
	bool has_utc; /* the time is exact: a later line may not change it */
	bool ended;
	bool midway; /* the thread's stack trace was the last thing read */
};

static const char title[] = "0SECTION       TITLE";

static const char *javacore_find(struct line line, const char *words)
{
	return memmem(line.text, line.len, words, strlen(words));
}

/* What follows the words in the line; empty when they are not there. */
static struct line javacore_after(struct line line, const char *words)
{
	const char *at = javacore_find(line, words);
	const char *end = line.text + line.len;

	if (!at)
		return (struct line){ end, 0 };
	at += strlen(words);
	return (struct line){ at, (size_t)(end - at) };
}

static void end_dump(struct dump_walk *w)
{
	struct javacore *r = (struct javacore *)w;

	if (!r->ended && r->walk.dump.open)
		thread_dump_cut(&r->walk.dump, r->midway,
				r->walk.lines.lines.number);
	thread_dump_end(&r->walk.dump);
	r->walk.dump.time_ns = 0;
	r->has_utc = r->ended = false;
}

static void on_section(struct javacore *r, struct line rest)
{
	rest = line_trimmed(rest);
	if (line_starts(rest, "TITLE"))
		end_dump(&r->walk);
	else if (!line_starts(rest, "THREADS"))
		thread_dump_end(&r->walk.dump);
}

/* "Date: 2020/07/01 at 10:00:00:123", local time */
static void on_date(struct javacore *r, struct line rest)
{
	struct line date = javacore_after(rest, "Date: ");

	if (!r->has_utc)
		thread_dump_time(date.text, date.len, &r->walk.dump.time_ns);
}

/* The same "(UTC)", which newer versions print as well */
static void on_utc_date(struct javacore *r, struct line rest)
{
	struct line date = javacore_after(rest, "Date: ");

	r->has_utc = thread_dump_time(date.text, date.len,
				      &r->walk.dump.time_ns);
}

/*
 * The states that have a java.lang.Thread.State: CW is any wait, P a park;
 * whether for a limited time is not told.
 */
static enum thread_state state_of(struct line state)
{
	static const struct {
		const char *name;
		enum thread_state state;
	} states[] = {
		{ "R,", STATE_RUNNABLE },   { "CW,", STATE_WAITING },
		{ "P,", STATE_WAITING },    { "B,", STATE_BLOCKED },
		{ "Z,", STATE_TERMINATED },
	};

	for (size_t i = 0; i < sizeof(states) / sizeof(*states); i++) {
		if (line_starts(state, states[i].name))
			return states[i].state;
	}
	return STATE_NONE;
}

/* "main" J9VMThread:0x…, omrthread_t:0x…, …, state:CW, prio=5 */
static void on_thread(struct javacore *r, struct line rest)
{
	struct dump_header h = { 0 };
	const char *quote;

	rest = line_trimmed(rest);
	quote = memrchr(rest.text, '"', rest.len);
	h.name = rest.text;
	h.name_len = rest.len; /* "Anonymous native thread" */
	if (quote > rest.text && rest.text[0] == '"') {
		struct line tail = { quote,
				     rest.len - (size_t)(quote - rest.text) };

		h.name = rest.text + 1;
		h.name_len = (size_t)(quote - h.name);
		h.state = state_of(javacore_after(tail, "state:"));
	}
	thread_dump_begin(&r->walk.dump, &h);
}

static void on_java_thread(struct javacore *r, struct line rest)
{
	struct line id = javacore_after(rest, "getId:0x");

	dump_hex(id.text, id.len, &r->walk.dump.thread.java_id);
}

static void on_native_thread(struct javacore *r, struct line rest)
{
	struct line id = javacore_after(rest, "native thread ID:0x");

	dump_hex(id.text, id.len, &r->walk.dump.thread.os_id);
}

static void on_frame(struct javacore *r, struct line rest)
{
	rest = line_trimmed(rest);
	if (!line_starts(rest, "at "))
		return;
	if (!r->walk.dump.open) {
		thread_dump_odd(&r->walk.dump, DUMP_LINE_INSIDE,
				r->walk.lines.lines.number);
		return;
	}
	r->midway = true;
	if (!thread_dump_frame(&r->walk.dump, DUMP_FRAME_J9, rest.text + 3,
			       rest.len - 3) &&
	    r->walk.lines.lines.at < r->walk.lines.lines.end)
		thread_dump_odd(&r->walk.dump, DUMP_BAD_FRAME,
				r->walk.lines.lines.number);
}

static void on_null(struct javacore *r, struct line rest)
{
	if (javacore_find(rest, "END OF DUMP"))
		r->ended = true;
}

/* The tags whose lines matter, with the blank that ends them. */
static const struct {
	const char *tag;
	void (*act)(struct javacore *r, struct line rest);
} tags[] = {
	{ "4XESTACKTRACE ", on_frame },
	{ "3XMTHREADINFO ", on_thread },
	{ "3XMJAVALTHREAD ", on_java_thread },
	{ "3XMTHREADINFO1 ", on_native_thread },
	{ "1TIDATETIME ", on_date },
	{ "1TIDATETIMEUTC ", on_utc_date },
	{ "0SECTION ", on_section },
	{ "NULL ", on_null },
};

static void take_line(struct dump_walk *w, struct line line)
{
	struct javacore *r = (struct javacore *)w;

	if (!line_starts(line, "4XE") && !line_starts(line, "5XE"))
		r->midway = false;
	for (size_t i = 0; i < sizeof(tags) / sizeof(*tags); i++) {
		size_t len = strlen(tags[i].tag);

		if (line_starts(line, tags[i].tag)) {
			line.text += len;
			line.len -= len;
			tags[i].act(r, line);
			return;
		}
	}
}

static int read_javacore(const uint8_t *bytes, size_t len, struct profile *p,
			 struct error *err)
{
	static const struct dump_steps steps = {
		.line = take_line,
		.end = end_dump,
		.nothing = "a javacore without threads",
	};
	struct javacore r = { 0 };

	return dump_walk(&r.walk, &steps, bytes, len, p, err);
}

static bool sniff_javacore(const uint8_t *head, size_t len)
{
	size_t line = len < 256 ? len : 256;

	/* A line of dashes may stand before the first section. */
	return memmem(head, line, title, sizeof(title) - 1) != NULL &&
	       (head[0] == '0' || head[0] == 'N');
}

const struct reader javacore_dialect = {
	.name = "javacore",
	.summary = "OpenJ9 javacore",
	.sniff = sniff_javacore,
	.read = read_javacore,
};
