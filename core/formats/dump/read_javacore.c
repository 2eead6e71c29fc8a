/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read_javacore: reads OpenJ9's javacore files, where each line begins with a
 * tag that tells its meaning. The thread that caused the dump is printed first,
 * and only there. Locks follow the state of a thread and its frames; deadlocks
 * come before all threads.
 */
#include "core/base/clock.h"
#include "core/formats/dump/thread_dump.h"
#include "core/formats/reader.h"

#include <string.h>

/* Locks of classes with longer names are skipped. */
enum { JAVACORE_CLASS = 1024 };

struct javacore {
	struct dump_walk
		walk; /* must be the first member: the steps get its address */
	bool has_utc; /* the time is exact, and a later line must not change it
		       */
	bool ended;
	bool midway;   /* the last line belongs to the thread's stack trace */
	bool is_owner; /* the next thread of a deadlock owns the lock */
	char class_name[JAVACORE_CLASS];
};

static const char title[] = "0SECTION       TITLE";

static const char *javacore_find(struct line line, const char *words)
{
	return memmem(line.text, line.len, words, strlen(words));
}

/*
 * Returns the text after the words in the line; empty if the line lacks them.
 */
static struct line javacore_after(struct line line, const char *words)
{
	const char *at = javacore_find(line, words);
	const char *end = line.text + line.len;

	if (!at)
		return (struct line){ end, 0 };
	at += strlen(words);
	return (struct line){ at, (size_t)(end - at) };
}

static void javacore_end_dump(struct dump_walk *w)
{
	struct javacore *r = (struct javacore *)w;

	if (!r->ended && r->walk.dump.open)
		thread_dump_cut(&r->walk.dump, r->midway,
				r->walk.lines.lines.number);
	thread_dump_new(&r->walk.dump);
	r->walk.dump.time_ns = 0;
	r->has_utc = r->ended = r->is_owner = false;
}

static void javacore_on_section(struct javacore *r, struct line rest)
{
	rest = line_trimmed(rest);
	if (line_starts(rest, "TITLE"))
		javacore_end_dump(&r->walk);
	else if (!line_starts(rest, "THREADS"))
		thread_dump_end(&r->walk.dump);
}

/* "Date: 2020/07/01 at 10:00:00:123", local time */
static void javacore_on_date(struct javacore *r, struct line rest)
{
	struct line date = javacore_after(rest, "Date: ");

	if (!r->has_utc)
		thread_dump_time(date.text, date.len, &r->walk.dump.time_ns);
}

/* The same with "(UTC)", which newer versions also print */
static void javacore_on_utc_date(struct javacore *r, struct line rest)
{
	struct line date = javacore_after(rest, "Date: ");

	r->has_utc = thread_dump_time(date.text, date.len,
				      &r->walk.dump.time_ns);
}

/*
 * Maps states to java.lang.Thread.State: CW is any wait, P is parked; whether
 * the wait is timed is unknown.
 */
static enum thread_state javacore_state(struct line state)
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
static void javacore_on_thread(struct javacore *r, struct line rest)
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
		h.state = javacore_state(javacore_after(tail, "state:"));
	}
	thread_dump_begin(&r->walk.dump, &h);
}

static void javacore_on_java_thread(struct javacore *r, struct line rest)
{
	struct line id = javacore_after(rest, "getId:0x");

	dump_hex(id.text, id.len, &r->walk.dump.thread.java_id);
	r->walk.dump.tap.is_daemon = javacore_find(rest, "isDaemon:true");
}

/* "CPU usage total: 0.639604100 secs, user: …", with up to 9 decimals */
static void javacore_on_cpu_time(struct javacore *r, struct line rest)
{
	struct line total = javacore_after(rest, "total: ");
	int64_t seconds, part, ns;
	size_t digits = dump_decimal(total.text, total.len, &seconds);

	if (!digits || __builtin_mul_overflow(seconds, CLOCK_NS_PER_S, &ns))
		return;
	total.text += digits;
	total.len -= digits;
	digits = line_starts(total, ".")
			 ? dump_decimal(total.text + 1, total.len - 1, &part)
			 : 0;
	if (digits > 9)
		return;
	for (size_t i = digits; digits && i < 9; i++)
		part *= 10;
	if (!__builtin_add_overflow(ns, digits ? part : 0, &ns))
		r->walk.dump.tap.cpu_ns = ns;
}

/* ---- locks ---- */

/* Parses "java/lang/Object@0x00000000E0071A28", which begins the line. */
static bool javacore_read_object(struct javacore *r, struct line text,
				 struct dump_lock *lock)
{
	const char *name = text.text;
	const char *at = text.len ? memchr(name, '@', text.len) : NULL;
	size_t len = at ? (size_t)(at - name) : 0, digits;
	int64_t unused;

	if (!len || len > sizeof(r->class_name))
		return false;
	text.text += len + 1;
	text.len -= len + 1;
	if (!line_starts(text, "0x"))
		return false;
	digits = dump_hex(text.text + 2, text.len - 2, &unused);
	lock->id = (struct line){ text.text, digits + 2 };
	for (size_t i = 0; i < len; i++)
		r->class_name[i] = name[i] == '/' ? '.' : name[i];
	lock->class_name = (struct line){ r->class_name, len };
	return digits != 0;
}

/* Returns the text between the first quote and the last. */
static struct line javacore_quoted(struct line text)
{
	const char *first = text.len ? memchr(text.text, '"', text.len) : NULL;
	const char *last = first ? memrchr(text.text, '"', text.len) : NULL;

	if (!first || first == last)
		return (struct line){ text.text, 0 };
	return (struct line){ first + 1, (size_t)(last - first - 1) };
}

/*
 * "Blocked on: java/lang/Object@0x01 Owned by: "name" (J9VMThread:0x02, …)", or
 * "Owned by: <unowned>".
 */
static void javacore_on_wait(struct javacore *r, struct line rest)
{
	static const struct {
		const char *words;
		enum tapped_lock_kind kind;
	} waits[] = {
		{ "Blocked on: ", TAPPED_ENTERS },
		{ "Waiting on: ", TAPPED_WAITS },
		{ "Parked on: ", TAPPED_PARKS },
	};
	struct dump_lock lock = { 0 };

	rest = line_trimmed(rest);
	for (size_t i = 0; i < sizeof(waits) / sizeof(*waits); i++) {
		if (!line_starts(rest, waits[i].words))
			continue;
		lock.kind = waits[i].kind;
		lock.owner_name = javacore_quoted(
			javacore_after(rest, " Owned by: "));
		if (javacore_read_object(
			    r, javacore_after(rest, waits[i].words), &lock) &&
		    r->walk.dump.profile->thread_tap)
			thread_dump_lock(&r->walk.dump, &lock);
		return;
	}
}

/* "(entered lock: java/lang/Object@0x01, entry count: 1)", below a frame */
static void javacore_on_entered(struct javacore *r, struct line rest)
{
	struct dump_lock lock = { .kind = TAPPED_OWNS };

	if (r->walk.dump.profile->thread_tap &&
	    javacore_read_object(r, javacore_after(rest, "(entered lock: "),
				 &lock))
		thread_dump_lock(&r->walk.dump, &lock);
}

static void javacore_add_fact(struct javacore *r,
			      enum tapped_deadlock_kind kind, struct line text)
{
	if (r->walk.dump.profile->thread_tap)
		thread_dump_deadlock(&r->walk.dump, kind, text);
}

static void javacore_on_deadlock(struct javacore *r, struct line rest)
{
	r->is_owner = false;
	javacore_add_fact(r, TAPPED_DEADLOCK, (struct line){ rest.text, 0 });
}

/* Thread "name" (0x01): it waits, and owns the lock of the thread before. */
static void javacore_on_deadlocked(struct javacore *r, struct line rest)
{
	struct line name = javacore_quoted(rest);

	if (r->is_owner)
		javacore_add_fact(r, TAPPED_DEADLOCK_OWNER, name);
	r->is_owner = false;
	javacore_add_fact(r, TAPPED_DEADLOCK_THREAD, name);
}

static void javacore_on_deadlock_lock(struct javacore *r, struct line rest)
{
	struct dump_lock lock;

	if (javacore_read_object(r, line_trimmed(rest), &lock))
		javacore_add_fact(r, TAPPED_DEADLOCK_LOCK, lock.id);
}

static void javacore_on_deadlock_owner(struct javacore *r, struct line rest)
{
	(void)rest;
	r->is_owner = true;
}

/* "JRE 17 Linux amd64-64 (build 17.0.8.1+1)" */
static void javacore_on_version(struct javacore *r, struct line rest)
{
	struct thread_dump *d = &r->walk.dump;

	rest = line_trimmed(rest);
	d->vm = profile_string(d->profile, rest.text, rest.len);
}

static void javacore_on_native_thread(struct javacore *r, struct line rest)
{
	struct line id = javacore_after(rest, "native thread ID:0x");

	dump_hex(id.text, id.len, &r->walk.dump.thread.os_id);
}

static void javacore_on_frame(struct javacore *r, struct line rest)
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

static void javacore_on_null(struct javacore *r, struct line rest)
{
	if (javacore_find(rest, "END OF DUMP"))
		r->ended = true;
}

/* The tags of lines that are used, each with the space that ends it. */
static const struct {
	const char *tag;
	void (*act)(struct javacore *r, struct line rest);
} tags[] = {
	{ "4XESTACKTRACE ", javacore_on_frame },
	{ "3XMTHREADINFO ", javacore_on_thread },
	{ "3XMJAVALTHREAD ", javacore_on_java_thread },
	{ "3XMTHREADINFO1 ", javacore_on_native_thread },
	{ "5XESTACKTRACE ", javacore_on_entered },
	{ "3XMTHREADBLOCK ", javacore_on_wait },
	{ "3XMCPUTIME ", javacore_on_cpu_time },
	{ "1LKDEADLOCK ", javacore_on_deadlock },
	{ "2LKDEADLOCKTHR ", javacore_on_deadlocked },
	{ "4LKDEADLOCKOBJ ", javacore_on_deadlock_lock },
	{ "3LKDEADLOCKOWN ", javacore_on_deadlock_owner },
	{ "1CIJAVAVERSION ", javacore_on_version },
	{ "1TIDATETIME ", javacore_on_date },
	{ "1TIDATETIMEUTC ", javacore_on_utc_date },
	{ "0SECTION ", javacore_on_section },
	{ "NULL ", javacore_on_null },
};

static void javacore_on_line(struct dump_walk *w, struct line line)
{
	struct javacore *r = (struct javacore *)w;

	if (!line_starts(line, "4XE") && !line_starts(line, "5XE"))
		r->midway = false;
	/* The file ends with a line of this tag; all others are truncated. */
	if (lines_end_open(&r->walk.lines.lines) && !line_starts(line, "NULL "))
		return;
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

static int javacore_read(const uint8_t *bytes, size_t len, struct profile *p,
			 struct error *err)
{
	static const struct dump_steps steps = {
		.line = javacore_on_line,
		.end = javacore_end_dump,
		.nothing = "a javacore without threads",
		.has_owners = true,
	};
	struct javacore r = { 0 };

	return dump_walk(&r.walk, &steps, bytes, len, p, err);
}

static bool javacore_sniff(const uint8_t *head, size_t len)
{
	size_t line = len < 256 ? len : 256;

	/* A line of dashes may precede the first section. */
	return memmem(head, line, title, sizeof(title) - 1) != NULL &&
	       (head[0] == '0' || head[0] == 'N');
}

const struct reader javacore_dialect = {
	.name = "javacore",
	.summary = "OpenJ9 javacore",
	.sniff = javacore_sniff,
	.read = javacore_read,
};
