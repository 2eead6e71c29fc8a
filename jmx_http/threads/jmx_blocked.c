/* SPDX-License-Identifier: Apache-2.0 */
/* Blocked threads and the owners of locks, from ThreadInfos. */
#include "jmx_http/threads/jmx_asks.h"

#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "core/base/map64.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/*
 * Without stack traces, infos of all threads cost the JVM no safepoint; with
 * them, they do.  So only threads that are shown are asked for theirs.
 */
enum { FRAMES = 16, TRACES_MAX = 500 };

static const char *text_of(const struct value *v, const char *name)
{
	const char *text = value_text_of(value_member(v, name));

	return text ? text : "";
}

static enum thread_run_state state_of(const struct value *info)
{
	const char *name = text_of(info, "threadState");

	for (int i = RUN_NEW; i <= RUN_TERMINATED; i++) {
		if (!strcmp(name,
			    thread_run_state_name((enum thread_run_state)i)))
			return (enum thread_run_state)i;
	}
	return RUN_UNKNOWN;
}

/* "a.B@1f2e": the class, and the hash that tells locks apart. */
static void set_lock(struct blocked *b, struct blocked_thread *t,
		     const char *name)
{
	const char *at = strrchr(name, '@');
	size_t len = at ? (size_t)(at - name) : strlen(name);

	t->lock_class = blocked_string(b, name, len);
	t->lock_id = at ? blocked_string(b, at, strlen(at)) : "";
}

static enum blocked_kind kind_of(const struct value *info,
				 enum thread_run_state state)
{
	const char *lock = text_of(info, "lockName");

	if (!*lock)
		return BLOCKED_NOT;
	if (state == RUN_BLOCKED)
		return BLOCKED_MONITOR;
	if (value_integer_of(value_member(info, "lockOwnerId"), -1) > 0 ||
	    blocked_is_lock(lock))
		return BLOCKED_SYNCHRONIZER;
	return BLOCKED_NOT;
}

static void add_thread(struct blocked *b, const struct value *info,
		       enum blocked_kind kind)
{
	struct blocked_thread *t = blocked_add(b);
	const char *name = text_of(info, "threadName");
	int64_t owner = value_integer_of(value_member(info, "lockOwnerId"), 0);

	if (!t)
		return;
	t->id = value_integer_of(value_member(info, "threadId"), 0);
	t->name = blocked_string(b, name, strlen(name));
	t->state = state_of(info);
	t->kind = kind;
	t->blocks = value_integer_of(value_member(info, "blockedCount"),
				     COUNTER_ABSENT);
	if (kind == BLOCKED_NOT)
		return;
	t->owner_id = owner > 0 ? owner : 0;
	set_lock(b, t, text_of(info, "lockName"));
	/* Parks are not blocks: how often it waited tells one from the next. */
	if (kind == BLOCKED_SYNCHRONIZER)
		t->blocks = value_integer_of(value_member(info, "waitedCount"),
					     COUNTER_ABSENT);
}

static void add_threads(struct blocked *b, const struct value *infos)
{
	struct map64 owners = { 0 };

	for (size_t i = 0; i < infos->list.count; i++) {
		const struct value *info = infos->list.at[i];
		enum blocked_kind kind = kind_of(info, state_of(info));

		if (info->kind != VALUE_COMPOSITE || kind == BLOCKED_NOT)
			continue;
		add_thread(b, info, kind);
		map64_add(&owners,
			  (uint64_t)value_integer_of(
				  value_member(info, "lockOwnerId"), 0),
			  0);
	}
	for (size_t i = 0; i < infos->list.count; i++) {
		const struct value *info = infos->list.at[i];
		int64_t id = value_integer_of(value_member(info, "threadId"),
					      0);

		if (info->kind == VALUE_COMPOSITE && id > 0 &&
		    kind_of(info, state_of(info)) == BLOCKED_NOT &&
		    map64_get(&owners, (uint64_t)id) != MAP64_NONE)
			add_thread(b, info, BLOCKED_NOT);
	}
	map64_release(&owners);
}

/* "a.B.run(B.java:7)" */
static const char *frame_of(struct blocked *b, const struct value *frame)
{
	struct text text = { 0 };
	const char *file = text_of(frame, "fileName"), *copy;
	int64_t line = value_integer_of(value_member(frame, "lineNumber"), -1);

	text_printf(&text, "%s.%s(", text_of(frame, "className"),
		    text_of(frame, "methodName"));
	if (value_integer_of(value_member(frame, "nativeMethod"), 0) == 1)
		text_puts(&text, "Native Method");
	else
		text_puts(&text, *file ? file : "Unknown Source");
	if (*file && line >= 0)
		text_printf(&text, ":%" PRId64, line);
	text_putc(&text, ')');
	copy = blocked_string(b, text.bytes, text.len);
	text_release(&text);
	return copy;
}

static void add_frames(struct blocked *b, struct blocked_thread *t,
		       const struct value *info)
{
	const struct value *frames = value_member(info, "stackTrace");
	size_t count = frames && frames->kind == VALUE_ARRAY
			       ? frames->list.count
			       : 0;

	for (size_t i = 0; i < count && i < FRAMES; i++) {
		t->frame = frame_of(b, frames->list.at[i]);
		if (i == 0)
			t->leaf = t->frame;
		if (!blocked_is_plumbing(t->frame))
			return;
	}
	t->frame = t->leaf;
}

static int add_traces(struct jmx_source *s, struct blocked *b,
		      struct error *err)
{
	size_t count = b->count < TRACES_MAX ? b->count : TRACES_MAX;
	int64_t *ids = xcalloc(count + 1, sizeof(*ids));
	struct arena a = { 0 };
	const struct value *infos;

	for (size_t i = 0; i < count; i++)
		ids[i] = b->threads[i].id;
	infos = jmx_ask_traces(s->jmx, ids, count, FRAMES, &a, err);
	for (size_t i = 0; infos && i < count && i < infos->list.count; i++) {
		const struct value *info = infos->list.at[i];

		if (value_integer_of(value_member(info, "threadId"), 0) ==
		    b->threads[i].id)
			add_frames(b, &b->threads[i], info);
	}
	free(ids);
	arena_release(&a);
	return infos ? 0 : -1;
}

int jmx_ask_blocked(struct jmx_source *s, struct blocked *out,
		    struct error *err)
{
	struct arena a = { 0 };
	const struct value *infos = jmx_ask_traces(
		s->jmx, s->listed_count ? s->listed : s->ids,
		s->listed_count ? s->listed_count : s->id_count, 0, &a, err);
	int status = -1;

	if (infos) {
		blocked_begin(out, "JMX", clock_monotonic_ns());
		out->knows_synchronizers = out->knows_blocks = true;
		add_threads(out, infos);
		status = out->count ? add_traces(s, out, err) : 0;
		blocked_link(out);
	}
	arena_release(&a);
	return status;
}
