/* SPDX-License-Identifier: Apache-2.0 */
#include "jmx_http/threads/jmx_source.h"

#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "core/base/map64.h"
#include "core/base/safe_text.h"
#include "jmx_http/threads/jmx_asks.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A ThreadInfo as a person reads it */

static const char *info_member_text(const struct value *v, const char *name)
{
	const char *text = value_text_of(value_member(v, name));

	return text ? text : "";
}

static int64_t info_member_number(const struct value *v, const char *name)
{
	return value_integer_of(value_member(v, name), -1);
}

static void info_add_safe(struct text *out, const char *foreign)
{
	safe_text(out, foreign, strlen(foreign));
}

static void info_add_thread(struct text *out, const char *name, int64_t id)
{
	text_putc(out, '"');
	info_add_safe(out, name);
	text_printf(out, "\" #%" PRId64, id);
}

/* "(java.base@17.0.15/Thread.java:840)", as HotSpot writes it. */
static void info_add_place(struct text *out, const struct value *frame)
{
	const char *module = info_member_text(frame, "moduleName");
	const char *version = info_member_text(frame, "moduleVersion");
	const char *file = info_member_text(frame, "fileName");
	int64_t line = info_member_number(frame, "lineNumber");

	text_putc(out, '(');
	if (*module) {
		info_add_safe(out, module);
		text_puts(out, *version ? "@" : "");
		info_add_safe(out, version);
		text_putc(out, '/');
	}
	if (info_member_number(frame, "nativeMethod") == 1)
		text_puts(out, "Native Method");
	else
		info_add_safe(out, *file ? file : "Unknown Source");
	if (*file && line >= 0)
		text_printf(out, ":%" PRId64, line);
	text_puts(out, ")\n");
}

static void info_add_frame(struct text *out, const struct value *frame)
{
	text_puts(out, "    at ");
	info_add_safe(out, info_member_text(frame, "className"));
	text_putc(out, '.');
	info_add_safe(out, info_member_text(frame, "methodName"));
	info_add_place(out, frame);
}

/* What it waits for, and how. */
static void info_add_wait(struct text *out, const struct value *info,
			  const struct value *leaf)
{
	const char *lock = info_member_text(info, "lockName");
	const char *owner = info_member_text(info, "lockOwnerName");
	bool parks = leaf &&
		     !strcmp(info_member_text(leaf, "methodName"), "park");

	if (!*lock)
		return;
	if (!strcmp(info_member_text(info, "threadState"), "BLOCKED"))
		text_puts(out, "    - waiting to lock ");
	else
		text_puts(out, parks ? "    - parking to wait for "
				     : "    - waiting on ");
	info_add_safe(out, lock);
	if (*owner) {
		text_puts(out, ", held by ");
		info_add_thread(out, owner,
				info_member_number(info, "lockOwnerId"));
	}
	text_putc(out, '\n');
}

static void info_add_lock(struct text *out, const char *what,
			  const struct value *lock)
{
	text_puts(out, what);
	info_add_safe(out, info_member_text(lock, "className"));
	text_printf(out, "@%" PRIx32 "\n",
		    (uint32_t)info_member_number(lock, "identityHashCode"));
}

/* The monitors that were locked in the frame of that depth. */
static void info_add_monitors(struct text *out, const struct value *monitors,
			      size_t depth)
{
	for (size_t i = 0; i < monitors->list.count; i++) {
		const struct value *m = monitors->list.at[i];

		if (info_member_number(m, "lockedStackDepth") == (int64_t)depth)
			info_add_lock(out, "    - locked ", m);
	}
}

static const struct value *info_member_list(const struct value *v,
					    const char *name)
{
	static const struct value none = { .kind = VALUE_ARRAY, .type = "" };
	const struct value *list = value_member(v, name);

	return list && list->kind == VALUE_ARRAY ? list : &none;
}

/* A hostile one may have as many frames as monitors: both are bounded. */
#define MONITORS_MAX 1000

void jmx_thread_text_stack(const struct value *info, struct text *out)
{
	const struct value *frames = info_member_list(info, "stackTrace");
	const struct value *monitors = info_member_list(info, "lockedMonitors");
	const struct value *synchronizers = info_member_list(
		info, "lockedSynchronizers");
	bool has_monitors = monitors->list.count <= MONITORS_MAX;

	info_add_thread(out, info_member_text(info, "threadName"),
			info_member_number(info, "threadId"));
	text_putc(out, ' ');
	info_add_safe(out, info_member_text(info, "threadState"));
	text_putc(out, '\n');
	for (size_t i = 0; i < frames->list.count; i++) {
		info_add_frame(out, frames->list.at[i]);
		if (i == 0)
			info_add_wait(out, info, frames->list.at[i]);
		if (has_monitors)
			info_add_monitors(out, monitors, i);
	}
	if (!frames->list.count)
		info_add_wait(out, info, NULL);
	for (size_t i = 0; i < synchronizers->list.count; i++)
		info_add_lock(out, "    - holds ", synchronizers->list.at[i]);
}

void jmx_thread_text_deadlocks(const struct value *infos, struct text *out)
{
	if (infos->kind != VALUE_ARRAY)
		return;
	text_puts(out, "Threads that wait for one another:\n");
	for (size_t i = 0; i < infos->list.count; i++) {
		const struct value *info = infos->list.at[i];

		if (info->kind != VALUE_COMPOSITE)
			continue;
		text_puts(out, "  ");
		info_add_thread(out, info_member_text(info, "threadName"),
				info_member_number(info, "threadId"));
		text_puts(out, " waits for ");
		info_add_safe(out, info_member_text(info, "lockName"));
		text_puts(out, ", held by ");
		info_add_thread(out, info_member_text(info, "lockOwnerName"),
				info_member_number(info, "lockOwnerId"));
		text_putc(out, '\n');
	}
	for (size_t i = 0; i < infos->list.count; i++) {
		if (infos->list.at[i]->kind != VALUE_COMPOSITE)
			continue;
		text_putc(out, '\n');
		jmx_thread_text_stack(infos->list.at[i], out);
	}
}

/* The source */

static struct jmx_source *of(struct thread_source *base)
{
	return (struct jmx_source *)base;
}

/* Rows for ids from..count, of which nothing is known yet. */
static void clear_rows(struct jmx_source *s, size_t from)
{
	array_reserve(s->rows, s->row_cap, s->id_count);
	for (size_t i = from; i < s->id_count; i++) {
		s->rows[i] = (struct thread_sample){
			.name = "",
			.java_id = s->ids[i],
			.start = (uint64_t)s->start_ms,
			.kind = THREAD_JAVA,
		};
		for (size_t k = 0; k < THREAD_COUNTERS; k++)
			s->rows[i].counters[k] = COUNTER_ABSENT;
	}
}

/* Adds the ids of the list that were not asked for: threads that began. */
static size_t add_fresh(struct jmx_source *s)
{
	struct map64 known = { 0 };
	size_t before = s->id_count;

	map64_reserve(&known, before + s->listed_count);
	for (size_t i = 0; i < before; i++)
		map64_add(&known, (uint64_t)s->ids[i], 0);
	for (size_t i = 0; i < s->listed_count; i++) {
		if (!map64_add(&known, (uint64_t)s->listed[i], 0))
			continue;
		array_reserve(s->ids, s->id_cap, s->id_count + 1);
		s->ids[s->id_count++] = s->listed[i];
	}
	map64_release(&known);
	return s->id_count - before;
}

/* A thread that ended while it was asked for has nothing. */
static bool is_there(const struct jmx_source *s, const struct thread_sample *t)
{
	if (jmx_ask_is_due(s, ASK_INFO))
		return *t->name || t->state != RUN_UNKNOWN;
	return t->counters[THREAD_ALLOC] != COUNTER_ABSENT;
}

static void drop_ended(struct jmx_source *s)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->id_count; i++) {
		if (!is_there(s, &s->rows[i]))
			continue;
		s->rows[kept] = s->rows[i];
		s->ids[kept++] = s->ids[i];
	}
	s->missed += s->id_count - kept;
	s->id_count = kept;
}

/* What the JVM is to be told of contention; it may be a new one. */
static int begin_contention(struct jmx_source *s, struct error *err)
{
	s->has_switched = false;
	s->contention_problem.kind = ERROR_NONE;
	if (!s->contention)
		return 0;
	switch (jmx_ask_contention(s, &s->contention_problem)) {
	case 1: /* somebody measures already */
		return 0;
	case 0:
		break;
	default:
		if (s->contention_problem.kind != ERROR_NO_TARGET)
			return 0;
		*err = s->contention_problem;
		return -1;
	}
	/* Should the answer be lost, or late, it may be on all the same. */
	s->has_switched = true;
	if (jmx_switch_contention(s, true, &s->contention_problem) == 0)
		return 0;
	if (s->contention_problem.kind == ERROR_PERMISSION)
		s->has_switched = false;
	return 0;
}

/* What is asked of a JVM once: the names of its collectors. */
static int begin(struct jmx_source *s, struct error *err)
{
	jmx_asks_reset(s);
	if ((!s->beside_proc || s->asks_collections) &&
	    jmx_asks_find_collectors(s, err))
		return -1;
	return begin_contention(s, err);
}

/* One or two round trips. */
static int ask_all(struct jmx_source *s, struct error *err)
{
	size_t asked = s->id_count;

	arena_release(&s->names);
	process_sample_clear(&s->process);
	clear_rows(s, 0);
	s->listed_count = 0;
	s->uptime_ms = -1;
	s->is_restarted = false;
	if (jmx_asks_run(s, 0, true, err))
		return -1;
	if (s->is_restarted || !add_fresh(s))
		return 0;
	clear_rows(s, asked);
	return jmx_asks_run(s, asked, false, err);
}

/* Of another JVM than before nothing goes on. */
static int ask_anew(struct jmx_source *s, struct error *err)
{
	s->id_count = 0;
	s->restarts++;
	s->start_ms = s->new_start_ms;
	s->has_clock = false;
	if (begin(s, err))
		return -1;
	return ask_all(s, err);
}

/*
 * When the counters were read, by the JVM's own clock: how long an answer is on
 * its way, or waits for a safepoint, does not make rates wrong.
 */
static int64_t sample_time(struct jmx_source *s)
{
	int64_t now = clock_monotonic_ns(), uptime_ns, at;

	if (s->uptime_ms < 0 ||
	    __builtin_mul_overflow(s->uptime_ms, CLOCK_NS_PER_MS, &uptime_ns))
		return now;
	if (!s->has_clock) {
		s->has_clock = true;
		s->clock_ns = now - uptime_ns;
		return now;
	}
	if (__builtin_add_overflow(s->clock_ns, uptime_ns, &at))
		return now;
	return at;
}

static void fill(struct jmx_source *s, struct top_sample *out)
{
	*out = (struct top_sample){
		.monotonic_ns = sample_time(s),
		.wall_ns = clock_wall_ns(),
		.process = s->process,
		.threads = s->rows,
		.thread_count = s->id_count,
		.missed = s->missed,
	};
}

/* The rows that were given are not to be written to. */
static void put_aside_given(struct jmx_source *s)
{
	struct thread_sample *rows = s->rows;
	struct arena names = s->names;
	size_t cap = s->row_cap;

	if (!s->is_given)
		return;
	s->rows = s->given;
	s->row_cap = s->given_cap;
	s->names = s->given_names;
	s->given = rows;
	s->given_cap = cap;
	s->given_names = names;
	s->is_given = false;
}

/* Failures of the connection name the target already. */
static int fail_at_target(const struct jmx_source *s, struct error *err)
{
	const char *title = s->jmx->title;
	size_t len = strlen(title);

	if (strncmp(err->text, title, len) == 0 &&
	    strncmp(err->text + len, ": ", 2) == 0)
		return -1;
	return fail_in(err, "%s", title);
}

static int sample(struct thread_source *base, struct top_sample *out,
		  struct error *err)
{
	struct jmx_source *s = of(base);
	bool restarted;

	put_aside_given(s);
	/* A connection that broke may have taken an answer with it. */
	if (ask_all(s, err) && (err->kind != ERROR_REFUSED ||
				err->sys == ETIMEDOUT || ask_all(s, err)))
		return fail_at_target(s, err);
	restarted = s->is_restarted;
	if (restarted && ask_anew(s, err))
		return fail_at_target(s, err);
	drop_ended(s);
	fill(s, out);
	s->is_given = true;
	if (restarted)
		source_note_add(out, "target", false,
				"%s: the JVM was restarted", s->jmx->title);
	jmx_asks_note(s, out);
	return 0;
}

static int stack(struct thread_source *base, const struct thread_sample *t,
		 struct text *out, struct error *err)
{
	struct arena a = { 0 };
	const struct value *infos = jmx_ask_infos(of(base)->jmx, &t->java_id, 1,
						  &a, err);
	int status = -1;

	if (!infos)
		goto out;
	if (!infos->list.count || infos->list.at[0]->kind != VALUE_COMPOSITE) {
		fail(err, ERROR_UNAVAILABLE, "the thread has ended");
		goto out;
	}
	jmx_thread_text_stack(infos->list.at[0], out);
	status = 0;
out:
	arena_release(&a);
	return status;
}

static int deadlocks(struct thread_source *base, struct text *out,
		     struct error *err)
{
	struct jmx *j = of(base)->jmx;
	struct arena a = { 0 };
	int64_t ids[JMX_DEADLOCK_MAX];
	const struct value *infos;
	int count = jmx_ask_deadlocked(j, ids, &a, err);

	if (count > 0) {
		infos = jmx_ask_infos(j, ids, (size_t)count, &a, err);
		if (infos)
			jmx_thread_text_deadlocks(infos, out);
		else
			count = -1;
	}
	arena_release(&a);
	return count < 0 ? -1 : 0;
}

static int blocked(struct thread_source *base, struct blocked *out,
		   struct error *err)
{
	return jmx_ask_blocked(of(base), out, err);
}

static const char *title(struct thread_source *base)
{
	struct jmx_source *s = of(base);

	text_clear(&s->title);
	safe_text(&s->title, s->jmx->title, strlen(s->jmx->title));
	if (*s->jmx->version) {
		text_puts(&s->title, ", ");
		safe_text(&s->title, s->jmx->version, strlen(s->jmx->version));
	}
	if (s->restarts)
		text_puts(&s->title, ", restarted");
	return s->title.bytes;
}

static void close_source(struct thread_source *base)
{
	struct jmx_source *s = of(base);

	jmx_asks_release(s);
	arena_release(&s->names);
	arena_release(&s->given_names);
	free(s->rows);
	free(s->given);
	free(s->ids);
	free(s->listed);
	text_release(&s->title);
	free(s);
}

void jmx_source_ask_collections(struct thread_source *source)
{
	struct jmx_source *s = of(source);
	struct error unused;

	if (s->asks_collections)
		return;
	s->asks_collections = true;
	jmx_asks_find_collectors(s, &unused);
}

bool jmx_source_has_switched(const struct thread_source *source)
{
	return ((const struct jmx_source *)source)->has_switched;
}

int jmx_source_measure(struct thread_source *source, bool on, struct error *err)
{
	struct jmx_source *s = of(source);

	s->contention = on;
	if (!on)
		return jmx_source_put_back(source, err);
	if (begin_contention(s, err))
		return -1;
	if (s->contention_problem.kind == ERROR_NONE)
		return 0;
	*err = s->contention_problem;
	return -1;
}

int jmx_source_put_back(struct thread_source *source, struct error *err)
{
	struct jmx_source *s = of(source);
	int is_on;

	if (!s->has_switched)
		return 0;
	s->has_switched = false;
	/* What is only asked connects anew where that is needed. */
	is_on = jmx_ask_contention(s, err);
	if (is_on < 0 || (is_on && jmx_switch_contention(s, false, err)))
		return fail_at_target(s, err);
	return 0;
}

static const struct thread_source_ops ops = {
	.name = "jmx",
	.sample = sample,
	.stack = stack,
	.deadlocks = deadlocks,
	.blocked = blocked,
	.title = title,
	.close = close_source,
};

struct thread_source *jmx_source_open(struct jmx *j,
				      const struct jmx_source_options *options,
				      struct error *err)
{
	struct jmx_source *s = xcalloc(1, sizeof(*s));

	s->base = (struct thread_source){ .ops = &ops };
	s->jmx = j;
	s->beside_proc = options->beside_proc;
	s->contention = options->contention;
	if (begin(s, err)) {
		fail_at_target(s, err);
		close_source(&s->base);
		return NULL;
	}
	return &s->base;
}
