/* SPDX-License-Identifier: Apache-2.0 */
/* Merges samples from /proc with samples over JMX. */
#include "jmx_http/threads/jmx_source.h"

#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "core/base/map64.h"

#include <stdlib.h>
#include <string.h>

#define TIMEOUT_NS (CLOCK_NS_PER_S / 2)
/* Pause after a failure; doubled after each further failure. */
#define RETRY_NS     CLOCK_NS_PER_S
#define RETRY_MAX_NS (10 * CLOCK_NS_PER_S)

struct merged_source {
	struct thread_source base;
	struct thread_source *proc, *over_jmx;
	struct jmx *jmx;
	struct thread_sample *rows;
	size_t row_cap;
	struct map64 by_id; /* rows of over_jmx by their Java ids */
	bool has_joined;
	int64_t retry_ns; /* time of the next attempt over JMX */
	int64_t pause_ns; /* the last pause; 0: the last attempt succeeded */
	struct error problem; /* why the last attempt failed */
};

static struct merged_source *merged_source_of(struct thread_source *base)
{
	return (struct merged_source *)base;
}

static void merged_source_join_row(struct thread_sample *row,
				   const struct thread_sample *jmx_sample)
{
	static const enum thread_counter counters[] = {
		THREAD_ALLOC,  THREAD_WAITS,      THREAD_WAIT_TIME,
		THREAD_BLOCKS, THREAD_BLOCK_TIME,
	};

	for (size_t i = 0; i < sizeof(counters) / sizeof(*counters); i++)
		if (jmx_sample->counters[counters[i]] != COUNTER_ABSENT)
			row->counters[counters[i]] = jmx_sample->counters
							     [counters[i]];
	if (jmx_sample->counters[THREAD_ALLOC] != COUNTER_ABSENT) {
		row->alloc_is_coarse = false;
		row->has_alloc_mean = false;
	}
	/* The kernel knows better whether a runnable thread runs. */
	if (jmx_sample->state != RUN_UNKNOWN &&
	    (row->state_is_old ||
	     (row->state != RUN_RUNNABLE && row->state != RUN_IN_NATIVE))) {
		row->state = jmx_sample->state;
		row->state_is_old = false;
	}
}

static void merged_source_join_rows(struct merged_source *s,
				    const struct top_sample *jmx_sample,
				    struct top_sample *out)
{
	map64_clear(&s->by_id);
	map64_reserve(&s->by_id, jmx_sample->thread_count);
	for (size_t i = 0; i < jmx_sample->thread_count; i++)
		map64_add(&s->by_id, (uint64_t)jmx_sample->threads[i].java_id,
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
			merged_source_join_row(&s->rows[i],
					       &jmx_sample->threads[at]);
	}
	out->threads = s->rows;
}

static bool sample_has_note(const struct top_sample *s, const char *figure)
{
	for (size_t i = 0; i < s->note_count; i++)
		if (!strcmp(s->notes[i].figure, figure))
			return true;
	return false;
}

static void sample_drop_note(struct top_sample *s, const char *figure)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->note_count; i++)
		if (strcmp(s->notes[i].figure, figure) != 0)
			s->notes[kept++] = s->notes[i];
	s->note_count = kept;
}

/* Notes of the JMX sample replace notes about the same figure. */
static void merged_source_join_notes(const struct top_sample *jmx_sample,
				     struct top_sample *out)
{
	size_t kept = 0;

	for (size_t i = 0; i < out->note_count; i++)
		if (!sample_has_note(jmx_sample, out->notes[i].figure))
			out->notes[kept++] = out->notes[i];
	out->note_count = kept;
	for (size_t i = 0; i < jmx_sample->note_count; i++)
		if (out->note_count < SOURCE_NOTES_MAX)
			out->notes[out->note_count++] = jmx_sample->notes[i];
}

/* Perfdata counts the pauses of some collectors only. */
static bool process_has_pauses(const struct process_sample *p)
{
	return p->gc_count && !p->gc[0].at_most;
}

static void
merged_source_join_collections(const struct process_sample *jmx_sample,
			       struct top_sample *out)
{
	if (process_has_pauses(&out->process) || !jmx_sample->gc_count)
		return;
	out->process.gc_count = jmx_sample->gc_count;
	memcpy(out->process.gc, jmx_sample->gc, sizeof(out->process.gc));
	sample_drop_note(out, "gc");
	source_note_add(out, "gc", false, "pauses over JMX, in steps of 1 ms");
}

static void merged_source_note_problem(const struct merged_source *s,
				       const char *figure,
				       struct top_sample *out)
{
	int64_t left = s->retry_ns - clock_monotonic_ns();

	source_note_add(out, figure, true, "- (%s; next try in %d s)",
			s->problem.text,
			left > 0 ? (int)((left - 1) / CLOCK_NS_PER_S) + 1 : 0);
}

/*
 * Returns the sample of /proc.  After an exact sample, it has no allocation:
 * the coarse numbers of thread dumps must not be compared with exact ones.
 */
static void merged_source_skip_jmx(struct merged_source *s,
				   struct top_sample *out)
{
	struct top_sample why = { 0 };

	if (!s->has_joined) {
		merged_source_note_problem(s, "jmx", out);
		return;
	}
	merged_source_note_problem(s, "allocation", &why);
	merged_source_join_notes(&why, out);
	array_reserve(s->rows, s->row_cap, out->thread_count);
	for (size_t i = 0; i < out->thread_count; i++) {
		s->rows[i] = out->threads[i];
		s->rows[i].counters[THREAD_ALLOC] = COUNTER_ABSENT;
		s->rows[i].has_alloc_mean = false;
	}
	out->threads = s->rows;
}

static void merged_source_read_jmx(struct merged_source *s,
				   struct top_sample *out)
{
	struct top_sample jmx_sample;
	int64_t now = clock_monotonic_ns();

	if (now < s->retry_ns) {
		merged_source_skip_jmx(s, out);
		return;
	}
	s->jmx->timeout_ns = TIMEOUT_NS;
	if (!process_has_pauses(&out->process))
		jmx_source_read_collections(s->over_jmx);
	if (s->over_jmx->ops->sample(s->over_jmx, &jmx_sample, &s->problem)) {
		s->pause_ns = !s->pause_ns                     ? RETRY_NS
			      : 2 * s->pause_ns < RETRY_MAX_NS ? 2 * s->pause_ns
							       : RETRY_MAX_NS;
		s->retry_ns = clock_after(clock_monotonic_ns(), s->pause_ns);
		merged_source_skip_jmx(s, out);
		return;
	}
	s->has_joined = true;
	s->pause_ns = 0;
	merged_source_join_rows(s, &jmx_sample, out);
	merged_source_join_collections(&jmx_sample.process, out);
	merged_source_join_notes(&jmx_sample, out);
	if (jmx_sample.process.alloc_bytes != COUNTER_ABSENT)
		out->process.alloc_bytes = jmx_sample.process.alloc_bytes;
}

static int merged_source_sample(struct thread_source *base,
				struct top_sample *out, struct error *err)
{
	struct merged_source *s = merged_source_of(base);

	if (s->proc->ops->sample(s->proc, out, err))
		return -1;
	merged_source_read_jmx(s, out);
	return 0;
}

static int merged_source_stack(struct thread_source *base,
			       const struct thread_sample *t, struct text *out,
			       struct error *err)
{
	struct thread_source *proc = merged_source_of(base)->proc;

	return proc->ops->stack(proc, t, out, err);
}

static int merged_source_deadlocks(struct thread_source *base, struct text *out,
				   struct error *err)
{
	struct thread_source *proc = merged_source_of(base)->proc;

	return proc->ops->deadlocks(proc, out, err);
}

/* JMX has more details, and costs a safepoint only for the threads shown. */
static int merged_source_blocked(struct thread_source *base,
				 struct blocked *out, struct error *err)
{
	struct merged_source *s = merged_source_of(base);

	if (clock_monotonic_ns() >= s->retry_ns &&
	    s->over_jmx->ops->blocked(s->over_jmx, out, err) == 0)
		return 0;
	return s->proc->ops->blocked(s->proc, out, err);
}

static const char *merged_source_title(struct thread_source *base)
{
	struct thread_source *proc = merged_source_of(base)->proc;

	return proc->ops->title(proc);
}

static void merged_source_close(struct thread_source *base)
{
	struct merged_source *s = merged_source_of(base);

	s->over_jmx->ops->close(s->over_jmx);
	s->proc->ops->close(s->proc);
	map64_release(&s->by_id);
	free(s->rows);
	free(s);
}

static const struct thread_source_ops ops = {
	.name = "proc",
	.sample = merged_source_sample,
	.stack = merged_source_stack,
	.deadlocks = merged_source_deadlocks,
	.blocked = merged_source_blocked,
	.title = merged_source_title,
	.close = merged_source_close,
};

struct thread_source *merged_source_new(struct thread_source *proc,
					struct thread_source *over_jmx,
					struct jmx *jmx)
{
	struct merged_source *s = xcalloc(1, sizeof(*s));

	s->base = (struct thread_source){ .ops = &ops, .pid = proc->pid };
	s->proc = proc;
	s->over_jmx = over_jmx;
	s->jmx = jmx;
	return &s->base;
}
