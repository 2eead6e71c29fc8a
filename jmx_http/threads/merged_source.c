/* SPDX-License-Identifier: Apache-2.0 */
#include "jmx_http/threads/jmx_source.h"

#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "core/base/map64.h"

#include <stdlib.h>
#include <string.h>

#define TIMEOUT_NS (CLOCK_NS_PER_S / 2)
/* A busy JVM answers a moment later, one that has no JMX any more does not. */
#define RETRY_NS     CLOCK_NS_PER_S
#define RETRY_MAX_NS (10 * CLOCK_NS_PER_S)

struct joint_source {
	struct thread_source base;
	struct thread_source *proc, *over;
	struct jmx *jmx;
	struct thread_sample *rows;
	size_t row_cap;
	struct map64 by_id; /* rows of over by their Java ids */
	bool has_joined;
	int64_t retry_ns; /* when to ask again */
	int64_t pause_ns; /* how long it was left alone last; 0: it answers */
	struct error problem; /* why it is not asked meanwhile */
};

static struct joint_source *of(struct thread_source *base)
{
	return (struct joint_source *)base;
}

static void join_row(struct thread_sample *row,
		     const struct thread_sample *other)
{
	static const enum thread_counter counters[] = {
		THREAD_ALLOC,  THREAD_WAITS,      THREAD_WAIT_TIME,
		THREAD_BLOCKS, THREAD_BLOCK_TIME,
	};

	for (size_t i = 0; i < sizeof(counters) / sizeof(*counters); i++)
		if (other->counters[counters[i]] != COUNTER_ABSENT)
			row->counters[counters[i]] = other->counters
							     [counters[i]];
	if (other->counters[THREAD_ALLOC] != COUNTER_ABSENT) {
		row->alloc_is_coarse = false;
		row->has_alloc_mean = false;
	}
	if (other->state != RUN_UNKNOWN) {
		row->state = other->state;
		row->state_is_old = false;
	}
}

static void join_rows(struct joint_source *s, const struct top_sample *other,
		      struct top_sample *out)
{
	map64_clear(&s->by_id);
	map64_reserve(&s->by_id, other->thread_count);
	for (size_t i = 0; i < other->thread_count; i++)
		map64_add(&s->by_id, (uint64_t)other->threads[i].java_id,
			  (uint32_t)i);
	array_reserve(s->rows, s->row_cap, out->thread_count);
	for (size_t i = 0; i < out->thread_count; i++) {
		uint32_t at;

		s->rows[i] = out->threads[i];
		at = s->rows[i].java_id
			     ? map64_get(&s->by_id,
					 (uint64_t)s->rows[i].java_id)
			     : MAP64_NONE;
		if (at != MAP64_NONE)
			join_row(&s->rows[i], &other->threads[at]);
	}
	out->threads = s->rows;
}

static bool has_note(const struct top_sample *s, const char *figure)
{
	for (size_t i = 0; i < s->note_count; i++)
		if (!strcmp(s->notes[i].figure, figure))
			return true;
	return false;
}

static void drop_note(struct top_sample *s, const char *figure)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->note_count; i++)
		if (strcmp(s->notes[i].figure, figure) != 0)
			s->notes[kept++] = s->notes[i];
	s->note_count = kept;
}

/* What the other says of a figure holds. */
static void join_notes(const struct top_sample *other, struct top_sample *out)
{
	size_t kept = 0;

	for (size_t i = 0; i < out->note_count; i++)
		if (!has_note(other, out->notes[i].figure))
			out->notes[kept++] = out->notes[i];
	out->note_count = kept;
	for (size_t i = 0; i < other->note_count; i++)
		if (out->note_count < SOURCE_NOTES_MAX)
			out->notes[out->note_count++] = other->notes[i];
}

/* Perfdata counts some collectors' pauses exactly, and others' not at all. */
static bool has_pauses(const struct process_sample *p)
{
	return p->gc_count && !p->gc[0].at_most;
}

static void join_collections(const struct process_sample *other,
			     struct top_sample *out)
{
	if (has_pauses(&out->process) || !other->gc_count)
		return;
	out->process.gc_count = other->gc_count;
	memcpy(out->process.gc, other->gc, sizeof(out->process.gc));
	drop_note(out, "gc");
	source_note_add(out, "gc", false, "pauses over JMX, in steps of 1 ms");
}

static void note_problem(const struct joint_source *s, const char *figure,
			 struct top_sample *out)
{
	int64_t left = s->retry_ns - clock_monotonic_ns();

	source_note_add(out, figure, true, "- (%s; next try in %d s)",
			s->problem.text,
			left > 0 ? (int)((left - 1) / CLOCK_NS_PER_S) + 1 : 0);
}

/*
 * Without an answer.  Where there was one, what a thread dump knows of
 * allocation would be compared with what was exact.
 */
static void do_without(struct joint_source *s, struct top_sample *out)
{
	struct top_sample why = { 0 };

	if (!s->has_joined) {
		note_problem(s, "jmx", out);
		return;
	}
	note_problem(s, "allocation", &why);
	join_notes(&why, out);
	array_reserve(s->rows, s->row_cap, out->thread_count);
	for (size_t i = 0; i < out->thread_count; i++) {
		s->rows[i] = out->threads[i];
		s->rows[i].counters[THREAD_ALLOC] = COUNTER_ABSENT;
		s->rows[i].has_alloc_mean = false;
	}
	out->threads = s->rows;
}

static void ask_over(struct joint_source *s, struct top_sample *out)
{
	struct top_sample other;
	int64_t now = clock_monotonic_ns();

	if (now < s->retry_ns) {
		do_without(s, out);
		return;
	}
	s->jmx->timeout_ns = TIMEOUT_NS;
	if (!has_pauses(&out->process))
		jmx_source_ask_collections(s->over);
	if (s->over->ops->sample(s->over, &other, &s->problem)) {
		s->pause_ns = !s->pause_ns                     ? RETRY_NS
			      : 2 * s->pause_ns < RETRY_MAX_NS ? 2 * s->pause_ns
							       : RETRY_MAX_NS;
		s->retry_ns = clock_after(clock_monotonic_ns(), s->pause_ns);
		do_without(s, out);
		return;
	}
	s->has_joined = true;
	s->pause_ns = 0;
	join_rows(s, &other, out);
	join_collections(&other.process, out);
	join_notes(&other, out);
	if (other.process.alloc_bytes != COUNTER_ABSENT)
		out->process.alloc_bytes = other.process.alloc_bytes;
}

static int sample(struct thread_source *base, struct top_sample *out,
		  struct error *err)
{
	struct joint_source *s = of(base);

	if (s->proc->ops->sample(s->proc, out, err))
		return -1;
	ask_over(s, out);
	return 0;
}

static int stack(struct thread_source *base, const struct thread_sample *t,
		 struct text *out, struct error *err)
{
	struct thread_source *proc = of(base)->proc;

	return proc->ops->stack(proc, t, out, err);
}

static int deadlocks(struct thread_source *base, struct text *out,
		     struct error *err)
{
	struct thread_source *proc = of(base)->proc;

	return proc->ops->deadlocks(proc, out, err);
}

/* JMX knows more, and needs no safepoint but for those that are shown. */
static int blocked(struct thread_source *base, struct blocked *out,
		   struct error *err)
{
	struct joint_source *s = of(base);

	if (clock_monotonic_ns() >= s->retry_ns &&
	    s->over->ops->blocked(s->over, out, err) == 0)
		return 0;
	return s->proc->ops->blocked(s->proc, out, err);
}

static const char *title(struct thread_source *base)
{
	struct thread_source *proc = of(base)->proc;

	return proc->ops->title(proc);
}

static void close_source(struct thread_source *base)
{
	struct joint_source *s = of(base);

	s->over->ops->close(s->over);
	s->proc->ops->close(s->proc);
	map64_release(&s->by_id);
	free(s->rows);
	free(s);
}

static const struct thread_source_ops ops = {
	.name = "proc",
	.sample = sample,
	.stack = stack,
	.deadlocks = deadlocks,
	.blocked = blocked,
	.title = title,
	.close = close_source,
};

struct thread_source *merged_source_new(struct thread_source *proc,
					struct thread_source *over,
					struct jmx *jmx)
{
	struct joint_source *s = xcalloc(1, sizeof(*s));

	s->base = (struct thread_source){ .ops = &ops, .pid = proc->pid };
	s->proc = proc;
	s->over = over;
	s->jmx = jmx;
	return &s->base;
}
