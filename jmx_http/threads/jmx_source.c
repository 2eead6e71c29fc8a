/* SPDX-License-Identifier: Apache-2.0 */
/* Samples threads over JMX, and writes ThreadInfos as text. */
#include "jmx_http/threads/jmx_source.h"

#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "core/base/map64.h"
#include "core/base/safe_text.h"
#include "jmx_http/threads/thread_requests.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Text of a ThreadInfo */

static const char *info_member_text(const struct value *v, const char *name)
{
	const char *text = value_text_of(value_member(v, name));

	return text ? text : "";
}

static int64_t info_member_number(const struct value *v, const char *name)
{
	return value_integer_of(value_member(v, name), -1);
}

static void info_add_thread(struct text *out, const char *name, int64_t id)
{
	text_putc(out, '"');
	safe_text_puts(out, name);
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
		safe_text_puts(out, module);
		text_puts(out, *version ? "@" : "");
		safe_text_puts(out, version);
		text_putc(out, '/');
	}
	if (info_member_number(frame, "nativeMethod") == 1)
		text_puts(out, "Native Method");
	else
		safe_text_puts(out, *file ? file : "Unknown Source");
	if (*file && line >= 0)
		text_printf(out, ":%" PRId64, line);
	text_puts(out, ")\n");
}

static void info_add_frame(struct text *out, const struct value *frame)
{
	text_puts(out, "    at ");
	safe_text_puts(out, info_member_text(frame, "className"));
	text_putc(out, '.');
	safe_text_puts(out, info_member_text(frame, "methodName"));
	info_add_place(out, frame);
}

/* The lock that the thread waits for, and its owner. */
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
	safe_text_puts(out, lock);
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
	safe_text_puts(out, info_member_text(lock, "className"));
	text_printf(out, "@%" PRIx32 "\n",
		    (uint32_t)info_member_number(lock, "identityHashCode"));
}

/* The monitors that the frame at this depth has locked. */
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

/* Bounds the product of frames and monitors in a hostile ThreadInfo. */
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
	safe_text_puts(out, info_member_text(info, "threadState"));
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

/* Appends an array of deadlocked threads. */
static void jmx_thread_text_deadlocks(const struct value *infos,
				      struct text *out)
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
		safe_text_puts(out, info_member_text(info, "lockName"));
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

static struct jmx_source *jmx_source_of(struct thread_source *base)
{
	return (struct jmx_source *)base;
}

/* Makes empty rows for the ids from index `from` on. */
static void jmx_source_clear_rows(struct jmx_source *s, size_t from)
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

/* Adds the ids of new threads.  Returns the number of new threads. */
static size_t jmx_source_add_new(struct jmx_source *s)
{
	struct map64 known = { 0 };
	size_t before = s->id_count;

	map64_reserve(&known, before + s->listed_count);
	for (size_t i = 0; i < before; i++)
		map64_add(&known, (uint64_t)s->ids[i], 0);
	for (size_t i = 0; i < s->listed_count; i++) {
		if (!map64_add(&known, (uint64_t)s->listed[i], 0))
			continue;
		array_add(s->ids, s->id_count, s->id_cap, s->listed[i]);
	}
	map64_release(&known);
	return s->id_count - before;
}

/* False for a thread that ended before its values were read. */
static bool jmx_source_has_thread(const struct jmx_source *s,
				  const struct thread_sample *t)
{
	if (thread_request_is_due(s, REQUEST_INFO))
		return *t->name || t->state != RUN_UNKNOWN;
	return t->counters[THREAD_ALLOC] != COUNTER_ABSENT;
}

static void jmx_source_drop_ended(struct jmx_source *s)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->id_count; i++) {
		if (!jmx_source_has_thread(s, &s->rows[i]))
			continue;
		s->rows[kept] = s->rows[i];
		s->ids[kept++] = s->ids[i];
	}
	s->missed += s->id_count - kept;
	s->id_count = kept;
}

/* Enables contention monitoring, for a new connection or a restarted JVM. */
static int jmx_source_begin_contention(struct jmx_source *s, struct error *err)
{
	s->has_switched = false;
	s->contention_problem.kind = ERROR_NONE;
	if (!s->contention)
		return 0;
	switch (thread_requests_read_contention(s, &s->contention_problem)) {
	case 1: /* enabled by another client */
		return 0;
	case 0:
		break;
	default:
		if (s->contention_problem.kind != ERROR_NO_TARGET)
			return 0;
		*err = s->contention_problem;
		return -1;
	}
	/* If the reply is lost or late, monitoring may be enabled anyway. */
	s->has_switched = true;
	if (thread_requests_set_contention(s, true, &s->contention_problem) ==
	    0)
		return 0;
	if (s->contention_problem.kind == ERROR_PERMISSION)
		s->has_switched = false;
	return 0;
}

/* Reads the names of the collectors, which do not change. */
static int jmx_source_begin(struct jmx_source *s, struct error *err)
{
	s->must_begin = true;
	thread_requests_reset(s);
	if ((!s->beside_proc || s->reads_collections) &&
	    thread_requests_find_collectors(s, err))
		return -1;
	if (jmx_source_begin_contention(s, err))
		return -1;
	s->must_begin = false;
	return 0;
}

/* One or two round trips. */
static int jmx_source_read_all(struct jmx_source *s, struct error *err)
{
	size_t known = s->id_count;

	arena_release(&s->names);
	process_sample_clear(&s->process);
	jmx_source_clear_rows(s, 0);
	s->listed_count = 0;
	s->uptime_ms = -1;
	s->is_restarted = false;
	if (thread_requests_run(s, 0, true, err))
		return -1;
	if (s->is_restarted || !jmx_source_add_new(s))
		return 0;
	jmx_source_clear_rows(s, known);
	return thread_requests_run(s, known, false, err);
}

/* Discards all state after the JVM was restarted. */
static int jmx_source_read_restarted(struct jmx_source *s, struct error *err)
{
	s->id_count = 0;
	s->restarts++;
	s->has_new_restart = true;
	s->start_ms = s->new_start_ms;
	s->has_clock = false;
	if (jmx_source_begin(s, err))
		return -1;
	return jmx_source_read_all(s, err);
}

/*
 * The time at which the counters were read, by the JVM's own clock.  So the
 * delay of a reply, by the network or a safepoint, does not distort rates.
 */
static int64_t jmx_source_time(struct jmx_source *s)
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

static void jmx_source_fill(struct jmx_source *s, struct top_sample *out)
{
	*out = (struct top_sample){
		.monotonic_ns = jmx_source_time(s),
		.wall_ns = clock_wall_ns(),
		.process = s->process,
		.threads = s->rows,
		.thread_count = s->id_count,
		.missed = s->missed,
	};
}

/* Moves the rows of the last returned sample aside, to keep them unchanged. */
static void jmx_source_keep_given(struct jmx_source *s)
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
static int jmx_source_fail(const struct jmx_source *s, struct error *err)
{
	const char *jmx_source_title = s->jmx->title;
	size_t len = strlen(jmx_source_title);

	if (strncmp(err->text, jmx_source_title, len) == 0 &&
	    strncmp(err->text + len, ": ", 2) == 0)
		return -1;
	return fail_in(err, "%s", jmx_source_title);
}

static int jmx_source_sample(struct thread_source *base, struct top_sample *out,
			     struct error *err)
{
	struct jmx_source *s = jmx_source_of(base);

	jmx_source_keep_given(s);
	/* The connection was lost right after a restart. */
	if (s->must_begin && jmx_source_begin(s, err))
		return jmx_source_fail(s, err);
	/* Retry once after a lost connection, but not after a timeout. */
	if (jmx_source_read_all(s, err) &&
	    (err->kind != ERROR_REFUSED || err->sys == ETIMEDOUT ||
	     jmx_source_read_all(s, err)))
		return jmx_source_fail(s, err);
	if (s->is_restarted && jmx_source_read_restarted(s, err))
		return jmx_source_fail(s, err);
	jmx_source_drop_ended(s);
	jmx_source_fill(s, out);
	s->is_given = true;
	if (s->has_new_restart)
		source_note_add(out, "target", false,
				"%s: the JVM was restarted", s->jmx->title);
	s->has_new_restart = false;
	thread_requests_add_notes(s, out);
	return 0;
}

static int jmx_source_stack(struct thread_source *base,
			    const struct thread_sample *t, struct text *out,
			    struct error *err)
{
	struct arena a = { 0 };
	const struct value *infos = thread_requests_read_infos(
		jmx_source_of(base)->jmx, &t->java_id, 1, &a, err);
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

static int jmx_source_deadlocks(struct thread_source *base, struct text *out,
				struct error *err)
{
	struct jmx *j = jmx_source_of(base)->jmx;
	struct arena a = { 0 };
	int64_t ids[JMX_DEADLOCK_MAX];
	const struct value *infos;
	int count = thread_requests_read_deadlocked(j, ids, &a, err);

	if (count > 0) {
		infos = thread_requests_read_infos(j, ids, (size_t)count, &a,
						   err);
		if (infos)
			jmx_thread_text_deadlocks(infos, out);
		else
			count = -1;
	}
	arena_release(&a);
	return count < 0 ? -1 : 0;
}

static int jmx_source_blocked(struct thread_source *base, struct blocked *out,
			      struct error *err)
{
	return thread_requests_read_blocked(jmx_source_of(base), out, err);
}

static const char *jmx_source_title(struct thread_source *base)
{
	struct jmx_source *s = jmx_source_of(base);

	text_clear(&s->title);
	safe_text_puts(&s->title, s->jmx->title);
	if (*s->jmx->version) {
		text_puts(&s->title, ", ");
		safe_text_puts(&s->title, s->jmx->version);
	}
	if (s->restarts)
		text_puts(&s->title, ", restarted");
	return s->title.bytes;
}

static void jmx_source_close(struct thread_source *base)
{
	struct jmx_source *s = jmx_source_of(base);

	thread_requests_release(s);
	arena_release(&s->names);
	arena_release(&s->given_names);
	free(s->rows);
	free(s->given);
	free(s->ids);
	free(s->listed);
	text_release(&s->title);
	free(s);
}

void jmx_source_read_collections(struct thread_source *source)
{
	struct jmx_source *s = jmx_source_of(source);

	if (s->reads_collections)
		return;
	s->reads_collections = true;
	thread_requests_find_collectors(s, error_unused());
}

bool jmx_source_has_switched(const struct thread_source *source)
{
	return ((const struct jmx_source *)source)->has_switched;
}

int jmx_source_measure(struct thread_source *source, bool on, struct error *err)
{
	struct jmx_source *s = jmx_source_of(source);

	s->contention = on;
	if (!on)
		return jmx_source_put_back(source, err);
	if (jmx_source_begin_contention(s, err))
		return -1;
	if (s->contention_problem.kind == ERROR_NONE)
		return 0;
	*err = s->contention_problem;
	return -1;
}

int jmx_source_put_back(struct thread_source *source, struct error *err)
{
	struct jmx_source *s = jmx_source_of(source);
	int is_on;

	if (!s->has_switched)
		return 0;
	s->has_switched = false;
	/* Reading first reconnects if necessary; a write would not. */
	is_on = thread_requests_read_contention(s, err);
	if (is_on < 0 ||
	    (is_on && thread_requests_set_contention(s, false, err)))
		return jmx_source_fail(s, err);
	return 0;
}

static const struct thread_source_ops ops = {
	.name = "jmx",
	.sample = jmx_source_sample,
	.stack = jmx_source_stack,
	.deadlocks = jmx_source_deadlocks,
	.blocked = jmx_source_blocked,
	.title = jmx_source_title,
	.close = jmx_source_close,
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
	if (jmx_source_begin(s, err)) {
		jmx_source_fail(s, err);
		jmx_source_close(&s->base);
		return NULL;
	}
	return &s->base;
}
